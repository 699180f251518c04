package datetime_test

import (
	"testing"
	"time"

	"eventbatch/mapping/datetime"
)

func TestParseLength(t *testing.T) {
	const none = -1
	tests := []struct {
		text string
		unit time.Duration
		want time.Duration // in minutes
	}{
		{"1:30", 0, 90},
		{"0:45", time.Minute, 45},
		{"12:00", 0, 720},
		{"1:30:00", 0, 90},
		{"1:30 h", 0, 90},
		{"1:30 Std.", 0, 90},
		{"90", time.Minute, 90},
		{"90", 0, none},
		{"2", time.Hour, 120},
		{"1.5", time.Hour, 90},
		{"1,5", time.Hour, 90},
		{"1.5", time.Minute, none},
		{"90.0", time.Minute, 90},
		{"90", time.Hour, none},
		{"0.0625", time.Hour, none},
		{"-90", time.Minute, none},
		{"2h", 0, 120},
		{"2 h", 0, 120},
		{"1h30", 0, 90},
		{"1h30m", 0, 90},
		{"1h 30min", 0, 90},
		{"1 h 30", 0, 90},
		{"1H30", 0, 90},
		{"90 min", 0, 90},
		{"90min.", 0, 90},
		{"90 Min.", 0, 90},
		{"90'", 0, 90},
		{"90′", 0, 90},
		{"90m", 0, 90},
		{"2 Std.", 0, 120},
		{"1,5 Std.", 0, 90},
		{"1.5 hours", 0, 90},
		{"1½ h", 0, 90},
		{"½ Stunde", 0, 30},
		{"1 Stunde und 30 Minuten", 0, 90},
		{"2 heures", 0, 120},
		{"1 hora y 15 minutos", 0, 75},
		{"1 ora e 30 minuti", 0, 90},
		{"2 uur", 0, 120},
		{"ca. 90 min", 0, 90},
		{"~2h", 0, 120},
		{"PT1H30M", 0, 90},
		{"pt45m", 0, 45},
		{"90s", 0, 1},
		{"1899-12-31 01:30", 0, 90},
		{"2027-03-01 01:30", 0, none},
		{"60-90 min", 0, none},
		{"2 x 45 min", 0, none},
		{"30 min 1 h", 0, none},
		{"1:75", 0, none},
		{"1h90", 0, none},
		{"1:3", 0, none},
		{"open end", 0, none},
		{"", 0, none},
		{"min", 0, none},
		{"2 days", 0, none},
		{"1.30.00", 0, none},
		{"1:30 min", 0, none},
		{"2h 3h", 0, none},
		{"90 30", 0, none},
		{"99999999999999999999 h", 0, none},
	}
	for _, tt := range tests {
		got, ok := datetime.ParseLength(tt.text, tt.unit)
		if want := tt.want * time.Minute; ok != (tt.want != none) || ok && got.Truncate(time.Minute) != want {
			t.Errorf("%q in %v: got %v %v, want %v", tt.text, tt.unit, got, ok, want)
		}
	}
}
