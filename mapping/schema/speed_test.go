package schema_test

import (
	"testing"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// The good values of a row take no memory: a million rows are checked without
// work for the collector.
func TestGoodValuesTakeNoMemory(t *testing.T) {
	for i := range catalog.Fields {
		f := &catalog.Fields[i]
		if f.Kind.JSON() || f.Kind == schema.Duration || f.Kind == schema.List {
			continue
		}
		var s schema.Setting
		if n := testing.AllocsPerRun(100, func() {
			if fault := value.Parse(f, &s, f.Example); fault != nil {
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
		if _, err := schema.AppendBody(buf, d, operation(schema.Update)); err != nil {
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
			_, _ = value.ParseTimestamp(text)
		}
	})
	b.Run("standard", func(b *testing.B) {
		for b.Loop() {
			_, _ = time.Parse(time.RFC3339, text)
		}
	})
}

func BenchmarkParseRow(b *testing.B) {
	var s schema.Setting
	for b.Loop() {
		for _, id := range []schema.ID{
			catalog.FieldName, catalog.FieldStartAt, catalog.FieldEndAt, catalog.FieldTimezone, catalog.FieldSlug, catalog.FieldVisibility,
			catalog.FieldMaxCapacity, catalog.FieldMeetingURL,
			catalog.FieldTheme, catalog.FieldRegistrationOpen,
		} {
			f := catalog.Field(id)
			_ = value.Parse(f, &s, f.Example)
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
		buf, _ = schema.AppendBody(buf[:0], d, operation(schema.Create))
	}
}
