package datetime_test

import (
	"testing"

	"eventbatch/mapping/datetime"
)

func TestHalvesOfSpokenHours(t *testing.T) {
	for _, c := range []struct {
		text string
		from int
		want string
	}{
		{"halb 8", 12, "19:30"},
		{"halb 8", 0, "07:30"},
		{"halb 8", 8, "19:30"},
		{"halb 9", 8, "08:30"},
		{"halb eins", 12, "12:30"},
		{"viertel nach 7", 7, "07:15"},
	} {
		var m datetime.Moment
		fault := m.ScanIn(datetime.ClockCell, datetime.InHalf(c.text, c.from), datetime.Unknown)
		if got := string(m.Append(nil)); fault != datetime.OK || got[:5] != c.want {
			t.Errorf("%q, in the morning from %d, is %s, fault %d", c.text, c.from, got, fault)
		}
	}
}

func TestWhatPeopleSayOfHours(t *testing.T) {
	for text, want := range map[string]string{
		"7 de la tarde": "19:00:00", "8 de la mañana": "08:00:00", "9 de la noche": "21:00:00", "a las 7 de la tarde": "19:00:00",
		"7:30 de la tarde": "19:30:00", "12 de la tarde": "12:00:00", "19 h de la tarde": "19:00:00", "3 de la madrugada": "03:00:00",
		"8 Uhr abends": "20:00:00", "halb acht abends": "19:30:00", "halb 8 Uhr abends": "19:30:00", "19 Uhr abends": "19:00:00",
		"8h du soir": "20:00:00", "8h30 du soir": "20:30:00", "8 heures et demie du soir": "20:30:00",
		"siete y media de la tarde": "19:30:00",
		"9 da noite":                "21:00:00", "8 di sera": "20:00:00", "8 uur 's avonds": "20:00:00", "half acht 's avonds": "19:30:00",
		"20 Uhr": "20:00:00", "viertel nach 19 Uhr": "19:15:00", "halb 20": "19:30:00", "halb 8 pm": "19:30:00", "halb eins pm": "12:30:00",
		"viertel vor 8 am": "07:45:00", "kl. 18.00": "18:00:00", "kl 17": "17:00:00", "godz. 18:00": "18:00:00", "alle 17": "17:00:00",
	} {
		var m datetime.Moment
		fault := m.ScanIn(datetime.ClockCell, text, datetime.Unknown)
		if got := string(m.Append(nil)); fault != datetime.OK || got != want {
			t.Errorf("%q is %s, fault %d; want %s", text, got, fault, want)
		}
	}
	for _, text := range []string{
		"halb 8", "Halb acht", "halb acht Uhr", "viertel nach 7", "kwart voor 8", "half acht", "halv åtta", "las 7 y media",
		"8 heures et quart", "halb eins",
	} {
		var m datetime.Moment
		if fault := m.ScanIn(datetime.ClockCell, text, datetime.Unknown); fault != datetime.NeedsHalf || !m.HasTime {
			t.Errorf("%q is %s, fault %d", text, m.Append(nil), fault)
		}
	}
	for _, text := range []string{
		"half 8", "12 de la noche", "2 de la noche", "12 de la mañana", "13 Uhr morgens", "1 abends", "de la tarde", "halb", "half the day",
		"3 y media", "viertel nach 7 und 8",
	} {
		var m datetime.Moment
		fault := m.ScanIn(datetime.ClockCell, text, datetime.Unknown)
		if fault == datetime.OK {
			t.Errorf("%q is %s", text, m.Append(nil))
		}
	}
	for text, want := range map[string][2]string{
		"7 a 9 de la noche": {"19:00", "21:00"}, "de 5 a 7 de la tarde": {"17:00", "19:00"},
		"17:30 a 20:00 de la tarde": {"17:30", "20:00"},
		"8–10 Uhr abends":           {"20:00", "22:00"},
	} {
		from, to, two := datetime.CutRange(text)
		var a, b datetime.Moment
		_, _ = a.ScanIn(datetime.ClockCell, from, 0), b.ScanIn(datetime.RangeEnd, to, 0)
		if got := [2]string{string(a.Append(nil))[:5], string(b.Append(nil))[:5]}; !two || got != want {
			t.Errorf("%q is %q – %q: %v", text, from, to, got)
		}
	}
}
