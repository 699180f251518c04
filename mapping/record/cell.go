package record

import (
	"encoding/json"
	"strings"
	"time"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/template"
	"eventbatch/mapping/value"
)

func cell(f *schema.Field, d *schema.Draft, zone *time.Location) sheet.Out {
	if f.ID == schema.FieldCalendarID {
		return sheet.TextOut(d.Calendar)
	}
	if f.Becomes != "" {
		return price(f, d)
	}
	s := d.Get(f.ID)
	if s == nil || s.State != schema.Set {
		return sheet.Out{}
	}
	switch f.Kind {
	case schema.Timestamp:
		if s.Instant != 0 {
			return moment(time.UnixMilli(s.Instant).In(zone), zone != time.UTC || zoned(d))
		}
	case schema.Integer, schema.Number:
		if strings.IndexByte("-0123456789", s.Text[0]) >= 0 && json.Valid([]byte(s.Text)) {
			return sheet.Out{Kind: sheet.Number, Text: s.Text}
		}
	case schema.Bool:
		if s.Text == "true" || s.Text == "false" {
			return sheet.Out{Kind: sheet.Bool, Text: s.Text}
		}
	}
	return sheet.TextOut(value.Cell(f, s.Text))
}

// zoned reports whether the record names the zone of its times.
func zoned(d *schema.Draft) bool {
	f := d.Resource.Zone()
	return f != nil && d.Text(f.ID) != ""
}

// price returns the cell of an amount in units of its currency.
func price(f *schema.Field, d *schema.Draft) sheet.Out {
	in, decimals := value.InUnits(d.Value(f.Becomes), d.Value("currency"))
	if in == "" {
		return sheet.Out{}
	}
	return sheet.Out{Kind: sheet.Number, Text: in, Layout: template.Decimals[decimals]}
}

// moment returns the cell of a time. zoned means that the row names the zone it is in.
func moment(at time.Time, zoned bool) sheet.Out {
	out := sheet.Out{Kind: sheet.Text, Text: at.Format("2006-01-02T15:04:05.999Z07:00")}
	if !zoned || twice(at) || at.Year() < 1901 || at.Year() > 9999 {
		return out
	}
	if h, m, s := at.Clock(); h+m+s+at.Nanosecond() == 0 {
		return out // a number of whole days is a date that lacks its time
	}
	out.Kind = sheet.Date
	_, offset := at.Zone()
	out.Time = at.Add(time.Duration(offset) * time.Second).UTC()
	switch {
	case at.Nanosecond() != 0:
		out.Layout = template.WithMillis
	case at.Second() != 0:
		out.Layout = template.WithSeconds
	}
	return out
}

// twice reports whether clocks in the zone show the wall time of the instant twice.
func twice(at time.Time) bool {
	_, offset := at.Zone()
	begins, ends := at.ZoneBounds()
	if !begins.IsZero() {
		_, before := begins.Add(-time.Nanosecond).Zone()
		if at.Add(time.Duration(offset-before) * time.Second).Before(begins) {
			return true
		}
	}
	if !ends.IsZero() {
		_, after := ends.Zone()
		return !at.Add(time.Duration(offset-after) * time.Second).Before(ends)
	}
	return false
}
