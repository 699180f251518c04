package reshape_test

import (
	"testing"

	"eventbatch/mapping/reshape"
)

// A time is cut out of a text where there is one, in each language; what may be no time stays.
func TestCutTime(t *testing.T) {
	for text, want := range map[string][2]string{
		"18:00 Yoga":                   {"18:00", "Yoga"},
		"Yoga 18:00 (Anna)":            {"18:00", "Yoga (Anna)"},
		"Yoga (18:00)":                 {"18:00", "Yoga"},
		"18:00-19:30: Yoga, Level 2":   {"18:00-19:30", "Yoga, Level 2"},
		"18:00 – 19:30 · Yoga":         {"18:00 – 19:30", "Yoga"},
		"7pm Quiz":                     {"7pm", "Quiz"},
		"Quiz, 7:30 PM":                {"7:30 PM", "Quiz"},
		"Orgelkonzert 19.30 Uhr":       {"19.30 Uhr", "Orgelkonzert"},
		"20 Uhr\nLesung":               {"20 Uhr", "Lesung"},
		"18–20 Uhr Probe":              {"18–20 Uhr", "Probe"},
		"20h30 Concert":                {"20h30", "Concert"},
		"Concert à l'église 20h":       {"20h", "Concert à l'église"},
		"Taller 18:30 h":               {"18:30 h", "Taller"},
		"ore 21 Cinema":                {"ore 21", "Cinema"},
		"20.00 uur Film":               {"20.00 uur", "Film"},
		"às 19h Missa":                 {"às 19h", "Missa"},
		"Yoga":                         {},
		"Workshop 2h":                  {},
		"Halle 1a":                     {},
		"1984":                         {},
		"3 Tenors 2027":                {},
		"Apollo 13":                    {},
		"Midnight Yoga":                {},
		"18:00 Yoga 20:00 Tango":       {},
		"Gruppe A 18:00, Gruppe B 19h": {},
		"":                             {},
	} {
		clock, rest, ok := reshape.CutTime(text)
		if want == ([2]string{}) {
			want[1] = text
		}
		if clock != want[0] || rest != want[1] || ok != (want[0] != "") {
			t.Errorf("%q: %q %q %v, want %q", text, clock, rest, ok, want)
		}
	}
}
