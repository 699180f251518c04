package schema

import (
	"testing"
	"time"
)

// The good values of a row take no memory: a million rows are checked without
// work for the collector.
func TestGoodValuesTakeNoMemory(t *testing.T) {
	for i := range Fields {
		f := &Fields[i]
		if f.Kind.JSON() || f.Kind == Duration || f.Kind == List {
			continue
		}
		var s Setting
		if n := testing.AllocsPerRun(100, func() {
			if fault := f.Parse(&s, f.Example); fault != nil {
				t.Fatal(fault)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", f.Path, n)
		}
	}
}

func TestBodyTakesNoMemoryButItsOwn(t *testing.T) {
	d := draft(
		t, "name", "Tea", "start_at", "2026-05-01T16:30Z", "timezone", "Europe/Berlin", "address", "here", "geo_latitude", "1",
		"geo_longitude", "2", "font", "<clear>",
	)
	buf := make([]byte, 0, 1024)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := AppendBody(buf, d, operation(Update)); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkTimestamp(b *testing.B) {
	const text = "2026-05-01T18:30:00+02:00"
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			_, _ = ParseTimestamp(text)
		}
	})
	b.Run("standard", func(b *testing.B) {
		for b.Loop() {
			_, _ = time.Parse(time.RFC3339, text)
		}
	})
}

func BenchmarkParseRow(b *testing.B) {
	var s Setting
	for b.Loop() {
		for _, id := range []ID{
			FieldName, FieldStartAt, FieldEndAt, FieldTimezone, FieldSlug, FieldVisibility, FieldMaxCapacity, FieldMeetingURL,
			FieldTheme, FieldRegistrationOpen,
		} {
			f := id.Field()
			_ = f.Parse(&s, f.Example)
		}
	}
}

func BenchmarkAppendBody(b *testing.B) {
	d := draft(
		b, "name", "Tea", "start_at", "2026-05-01T16:30Z", "timezone", "Europe/Berlin", "address", "here", "visibility", "public",
		"max_capacity", "100",
	)
	var buf []byte
	for b.Loop() {
		buf, _ = AppendBody(buf[:0], d, operation(Create))
	}
}
