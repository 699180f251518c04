package mapping

import (
	"cmp"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// instants makes settings of moments: a wall time is read in the row's zone.
type instants struct {
	moments

	badZone bool
}

// whenText reads a time that stands in no cell: a constant, a fallback, or the
// result of an expression.
func (w *instants) whenText(f *feed, s *schema.Setting, text string) bool {
	text = strings.TrimSpace(text)
	if text == "" {
		return false
	}
	if fault, done := mark(f.field, s, text); done {
		s.Column = f.column()
		return w.fault(f.field, f.column(), text, fault)
	}
	m, fault := datetime.Scan(text, w.b.orderOf(text))
	if fault != datetime.OK {
		fault := w.timeFault(fault, datetime.AnyCell, text)
		return w.fault(f.field, f.column(), text, &fault)
	}
	s.Column = f.column()
	return w.instant(f.field, s, &m, f.column())
}

// instant makes a setting of a moment: a wall time is read in the row's zone.
func (w *instants) instant(field *schema.Field, s *schema.Setting, m *datetime.Moment, column int) bool {
	switch {
	case !m.HasDate && w.kind(column) == sheet.Date:
		return w.fault(
			field, column, w.cell(column),
			&schema.Fault{Code: schema.CodeEarlySerial, Message: "there is a time of day without a date", Hint: "fill the date too"},
		)
	case !m.HasDate:
		return w.fault(field, column, w.cell(column), &noDate)
	case !m.HasTime:
		return w.fault(field, column, w.cell(column), &schema.Fault{
			Code: schema.CodeBadTime, Message: "there is a date without a time of day",
			Hint: "add the time; for midnight write " + string(m.Append(nil)) + " 00:00",
		})
	}
	if field.ID == catalog.FieldStartAt && !w.onItsDay(field, m) {
		return false
	}
	if zone, one := datetime.ZoneOf(m.Letters); one && w.zone == "" && !w.badZone {
		if field.ID == catalog.FieldStartAt || !w.started.HasDate || w.b.options.zone == "" { // else the start is read in another
			w.zone = zone
		}
	}
	wall, offset := m.Wall(), m.Offset
	if m.HasOffset {
		if !w.fitsZone(field, wall, m, column) {
			return false
		}
	} else {
		zone, ok := w.zoneOf(field)
		if !ok {
			return false
		}
		first, second, n := zone.Offsets(wall)
		switch {
		case n == 0:
			return w.gap(field, column, zone.Name, wall, m.Milli, first, second)
		case n == 2 && w.b.options.overlap == datetime.RefuseBoth:
			return w.twice(field, column, zone.Name, wall, m.Milli, first, second)
		case n == 2 && w.b.options.overlap == datetime.TakeSecond:
			first = second
		}
		if m.Letters != "" && !zone.Called(m.Letters, datetime.Unix(wall, first, m.Milli)) {
			fault := timeFaults[datetime.InexactZone]
			fault.Message += ": " + m.Letters + " is not what the clocks of " + zone.Name + " go by then"
			return w.fault(field, column, w.cell(column), &fault)
		}
		offset = first
	}
	s.Field, s.State = field.ID, schema.Set
	s.Instant = datetime.Unix(wall, offset, m.Milli)
	w.scratch = m.AppendTimestamp(w.scratch[:0], offset)
	s.Text = w.keep(w.scratch)
	if offset%60 != 0 { // before zones were made, offsets had seconds: the service's form has none
		s.Text = time.UnixMilli(s.Instant).UTC().Format("2006-01-02T15:04:05.999Z07:00")
	}
	return true
}

// onItsDay compares a date with the day of the week that another column names, which nothing else reads.
func (w *instants) onItsDay(field *schema.Field, m *datetime.Moment) bool {
	for _, column := range w.b.weekdays {
		text := w.cell(column)
		stated, ok := datetime.Weekday(strings.Trim(text, " .,"))
		date := time.Date(m.Year, time.Month(m.Month), m.Day, 0, 0, 0, 0, time.UTC)
		if !ok || date.Weekday() == stated {
			continue
		}
		hint := "correct one of the two"
		if swapped := time.Date(m.Year, time.Month(m.Day), m.Month, 0, 0, 0, 0, time.UTC); m.Day <= 12 && swapped.Weekday() == stated {
			hint = "with day and month swapped it is one, " + swapped.Format(time.DateOnly) +
				": the spreadsheet may have taken the day for the month"
		}
		return w.fault(field, column, text, &schema.Fault{
			Code: schema.CodeBadDate, Hint: hint,
			Message: quoted(text) + " is another day of the week than that of " + date.Format("Mon 2 January 2006"),
		})
	}
	return true
}

// fitsZone compares an offset with those of the row's zone. Beside a time of day alone
// another one is an error: nobody writes where the clock of the event does not stand. A
// whole date-time says its instant by itself, so that there it is warned of.
func (w *instants) fitsZone(field *schema.Field, wall int64, m *datetime.Moment, column int) bool {
	name := cmp.Or(w.zone, w.b.options.zone)
	if m.Offset == 0 || !m.HasOffset || name == "" || w.badZone {
		return true
	}
	zone, err := datetime.LoadZone(name)
	if err != nil {
		return true // that was reported
	}
	first, second, n := zone.Offsets(wall)
	if n > 0 && (m.Offset == first || m.Offset == second) {
		return true
	}
	at := time.UnixMilli(datetime.Unix(wall, m.Offset, m.Milli))
	stated, there := at.In(time.FixedZone("", m.Offset)), at.In(zone.Location)
	message := "the offset " + stated.Format("-07:00") + " is not that of " + name + " at this time, which is " + there.Format("-07:00")
	if m.Bare {
		return w.fault(field, column, w.cell(column), &schema.Fault{
			Code: schema.CodeBadTime, Message: message, Hint: "leave the offset out, or write the date and the time with it into one cell",
		})
	}
	w.problems = append(w.problems, schema.Problem{
		Severity: schema.Warning, Code: schema.CodeForeignOffset, Field: field.Path, Place: w.placeOf(column), Value: w.cell(column),
		Message: message + ": the event's clock shows " + there.Format("2006-01-02 15:04"),
		Hint:    "leave the offset out where the time is that of the event's own clock",
	})
	return true
}

func (w *instants) gap(field *schema.Field, column int, zone string, wall int64, milli, before, after int) bool {
	late := datetime.AppendTimestamp(nil, wall+int64(after-before), milli, after)
	early := datetime.AppendTimestamp(nil, wall+int64(before-after), milli, before)
	return w.fault(field, column, w.cell(column), &schema.Fault{
		Code:    schema.CodeDSTGap,
		Message: string(datetime.AppendWall(nil, wall, milli)) + " does not exist in " + zone + ": the clock is put forward over it",
		Hint:    "write " + string(late) + " or " + string(early),
	})
}

func (w *instants) twice(field *schema.Field, column int, zone string, wall int64, milli, first, second int) bool {
	return w.fault(field, column, w.cell(column), &schema.Fault{
		Code:    schema.CodeDSTOverlap,
		Message: string(datetime.AppendWall(nil, wall, milli)) + " exists twice in " + zone + ": the clock is put back over it",
		Hint: "write " + string(datetime.AppendTimestamp(nil, wall, milli, first)) + " or " + string(
			datetime.AppendTimestamp(nil, wall, milli, second),
		) +
			", or say --overlap first or second",
	})
}

// zoneOf returns the zone of the row's wall times. Where the row's own is wrong, that
// has been reported, and its times say nothing more. Where there is none, the row
// reports it, once.
func (w *instants) zoneOf(field *schema.Field) (*datetime.Zone, bool) {
	name := w.zone
	if name == "" {
		name = w.b.options.zone
	}
	switch {
	case w.badZone:
		w.misread(field)
		return nil, false
	case name == "":
		w.misread(field)
		w.needsZone = true
		return nil, false
	}
	zone, err := datetime.LoadZone(name)
	return zone, err == nil // the name was checked when it was read
}

// midnight makes a setting of the moment at which a day begins, some days after
// that of m. Where the clocks skip midnight, that is when they go on.
func (w *instants) midnight(field *schema.Field, s *schema.Setting, m *datetime.Moment, after, column int) bool {
	wall := (dayNumber(m) + int64(after)) * 86400
	offset := m.Offset
	if m.HasOffset {
		if !w.fitsZone(field, wall, m, column) {
			return false
		}
	} else {
		zone, ok := w.zoneOf(field)
		if !ok {
			return false
		}
		first, second, n := zone.Offsets(wall)
		if offset = first; n == 0 {
			wall, offset = wall+int64(second-first), second
		}
	}
	s.Field, s.State, s.Instant = field.ID, schema.Set, datetime.Unix(wall, offset, 0)
	w.scratch = datetime.AppendTimestamp(w.scratch[:0], wall, 0, offset)
	s.Text = w.keep(w.scratch)
	return true
}
