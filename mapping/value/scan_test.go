package value_test

import (
	"strings"
	"testing"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

func TestParseTimestamp(t *testing.T) {
	for text, want := range map[string]string{
		"2026-05-01T18:30:00+02:00":      "2026-05-01T16:30:00Z",
		"2026-05-01T18:30Z":              "2026-05-01T18:30:00Z",
		"2026-05-01T18:30:15.250Z":       "2026-05-01T18:30:15.25Z",
		"2026-05-01T18:30:15.2509999Z":   "2026-05-01T18:30:15.251Z",
		"2026-05-01T15:59:59.99999979Z":  "2026-05-01T16:00:00Z",
		"2026-12-31T23:59:59.9995Z":      "2027-01-01T00:00:00Z",
		"2026-05-01T10:00:00.0004999Z":   "2026-05-01T10:00:00Z",
		"2024-02-29T00:00Z":              "2024-02-29T00:00:00Z",
		"2000-02-29T23:59:59-14:00":      "2000-03-01T13:59:59Z",
		"1969-12-31T23:59:59.999Z":       "1969-12-31T23:59:59.999Z",
		"0001-01-01T00:00Z":              "0001-01-01T00:00:00Z",
		"9999-12-31T23:59:59.999+00:00":  "9999-12-31T23:59:59.999Z",
		"2026-05-01T18:30:00.123456789Z": "2026-05-01T18:30:00.123Z",
	} {
		got, fault := value.ParseTimestamp(text)
		if fault != nil {
			t.Errorf("%s: %s", text, fault.Message)
			continue
		}
		if at := time.UnixMilli(got).UTC().Format(time.RFC3339Nano); at != want {
			t.Errorf("%s is %s, want %s", text, at, want)
		}
	}
	for text, want := range map[string]schema.Code{
		"2026-05-01T18:30:00":        schema.CodeNoZone,
		"2026-05-01T18:30":           schema.CodeNoZone,
		"2026-05-01":                 schema.CodeBadTime,
		"2026-02-29T10:00Z":          schema.CodeBadDate,
		"1900-02-29T10:00Z":          schema.CodeBadDate,
		"2026-13-01T10:00Z":          schema.CodeBadDate,
		"2026-00-01T10:00Z":          schema.CodeBadDate,
		"2026-04-31T10:00Z":          schema.CodeBadDate,
		"2026-04-00T10:00Z":          schema.CodeBadDate,
		"2026-04-01T24:00Z":          schema.CodeBadTime,
		"2026-04-01T10:60Z":          schema.CodeBadTime,
		"2026-04-01T10:00:60Z":       schema.CodeBadTime,
		"2026-04-01T10:00:00.Z":      schema.CodeBadTime,
		"2026-04-01T10:00+0200":      schema.CodeBadTime,
		"2026-04-01T10:00+24:00":     schema.CodeBadTime,
		"2026-04-01T19:00-21:00":     schema.CodeBadTime,
		"2026-04-01T10:00+14:01":     schema.CodeBadTime,
		"2026-04-01T10:00+02:60":     schema.CodeBadTime,
		"2026-04-01T10:00ZZ":         schema.CodeBadTime,
		"2026-04-01 10:00Z":          schema.CodeBadTime,
		"2026-4-1T10:00Z":            schema.CodeBadTime,
		"":                           schema.CodeBadTime,
		"tomorrow":                   schema.CodeBadTime,
		"2026-04-01T10:00:0":         schema.CodeBadTime,
		"2026-04-01T10:00:":          schema.CodeBadTime,
		"２０２６-04-01T10:00Z":          schema.CodeBadTime,
		"2026-04-01T10:00Europe/Rom": schema.CodeBadTime,
	} {
		if at, fault := value.ParseTimestamp(text); fault == nil || fault.Code != want || fault.Hint == "" {
			t.Errorf("%q: %d, %+v, want %s", text, at, fault, want)
		}
	}
}

// What means one thing but is not as the service takes it is rewritten.
func TestTimestampCellIsMended(t *testing.T) {
	f := catalog.Field(catalog.FieldStartAt)
	for text, want := range map[string]string{
		" 2026-05-01T18:30Z ":            "2026-05-01T18:30:00Z",
		"2026-05-01T18:30:00.25Z":        "2026-05-01T18:30:00.25Z",
		"2026-05-01T15:59:59.99999979Z":  "2026-05-01T16:00:00Z",
		"2026-05-01 15:59:59.9996+02":    "2026-05-01T16:00:00+02:00",
		"2026-05-01T23:59:59.9996-05:00": "2026-05-02T00:00:00-05:00",
		"2026-05-01 18:30Z":              "2026-05-01T18:30:00Z",
		"2026-05-01 18:30:00+02:00":      "2026-05-01T18:30:00+02:00",
		"2026-05-01 18:30:00 +02:00":     "2026-05-01T18:30:00+02:00",
		"2026-05-01T18:30:00.5+0200":     "2026-05-01T18:30:00.500+02:00",
		"2026-05-01T18:30-05":            "2026-05-01T18:30:00-05:00",
		"20260501T183000Z":               "2026-05-01T18:30:00Z",
		"2026-05-01t18:30:00z":           "2026-05-01T18:30:00Z",
		"2026-05-01 18:30 UTC":           "2026-05-01T18:30:00Z",
		"\u00a02026-05-01T18:30Z\ufeff":  "2026-05-01T18:30:00Z",
	} {
		var s schema.Setting
		if fault := value.Parse(f, &s, text); fault != nil || s.Text != want {
			t.Errorf("%q reads as %q, %v, want %q", text, s.Text, fault, want)
		} else if at, _ := value.ParseTimestamp(want); at != s.Instant {
			t.Errorf("%q is at %d, its text at %d", text, s.Instant, at)
		}
	}
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"PT0M": 0, "PT0S": 0, "P0D": 0, "PT30M": 30 * time.Minute, "PT2H": 2 * time.Hour, "P1D": 24 * time.Hour, "P7D": value.DelayMax,
		"P1W":     value.DelayMax,
		"P1DT12H": 36 * time.Hour, "PT1H30M15S": 90*time.Minute + 15*time.Second, "PT168H": value.DelayMax, "PT1.5H": 90 * time.Minute,
		"PT0,5S":   500 * time.Millisecond,
		"PT00030M": 30 * time.Minute, "P6DT24H": value.DelayMax,
	} {
		if got, fault := value.ParseDuration(text); fault != nil || got != want {
			t.Errorf("%s is %s, %v, want %s", text, got, fault, want)
		}
	}
	for _, text := range []string{
		"", "P", "PT", "P7DT1S", "P8D", "P2W", "PT168H1M", "P7DT0.001S", "P1M", "P1Y", "P0Y", "-PT1H", "PT-1H", "pt1h", "PT1h", "1H",
		"PT1", "P1H", "PT1D",
		"PT1M1H", "PT1H1H", "P1DT", "PTT1H", "PT1.5H30M", "PT.5H", "PT1.H", "P1W1D", "P1D1W", "P99999999999999999999D",
		"PT99999999999999999999S", "2 hours", "PT1H ", "P T1H",
	} {
		if got, fault := value.ParseDuration(text); fault == nil || fault.Code != schema.CodeBadDuration {
			t.Errorf("%q is %s", text, got)
		}
	}
}

func TestParseNumber(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-0": "-0", "12.50": "12.50", "-1.5491": "-1.5491", "1e3": "1e3", "1E+2": "1E+2", "+5": "5", ".5": "0.5", "-.5": "-0.5",
		"5.": "5", "007": "7", "+0.10": "0.10",
		"123456789012345678901234567890.123": "123456789012345678901234567890.123",
	} {
		if got, fault := value.ParseNumber(text); fault != nil || got != want {
			t.Errorf("%s is %q, %v, want %q", text, got, fault, want)
		}
	}
	for _, text := range []string{
		"", "-", "+", ".", "1,200", "1 200", "0x10", "1_000", "Inf", "NaN", "nan", "infinity", "1e", "1e+", "12 km", "--1", "+-1",
		"1e999", "٣",
	} {
		if got, fault := value.ParseNumber(text); fault == nil || fault.Code != schema.CodeBadNumber {
			t.Errorf("%q is %q", text, got)
		}
	}
	if _, fault := value.ParseNumber("1,200"); !strings.Contains(fault.Hint, "1200") {
		t.Errorf("hint %q", fault.Hint)
	}
}

func TestParseInteger(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "120": "120", "-3": "-3", "100.0": "100", "1e2": "100", "1.2E+3": "1200", "+7": "7", "007": "7",
		"12345678901234567890": "12345678901234567890",
	} {
		if got, fault := value.ParseInteger(text); fault != nil || got != want {
			t.Errorf("%s is %q, %v, want %q", text, got, fault, want)
		}
	}
	for _, text := range []string{"", "1.5", "12 guests", "1e-1", "1e30", "NaN", "-"} {
		if got, fault := value.ParseInteger(text); fault == nil || fault.Code != schema.CodeBadNumber {
			t.Errorf("%q is %q", text, got)
		}
	}
}

func TestLostDigits(t *testing.T) {
	for number, want := range map[string]bool{
		"1": false, "123456789012345": false, "1234567890123456": true, "1.2E+17": true, "1e5": true, "-12.5": false,
		"0.1234567890123456": true,
	} {
		if got := value.LostDigits(number); got != want {
			t.Errorf("%s: %t", number, got)
		}
	}
}
