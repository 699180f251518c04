package match

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/yamldoc"
)

// use is how a column feeds a field.
type use struct {
	*column
	field    *schema.Field
	part     part           // of a time
	where    datetime.Where // the cells of a time stand
	dates    bool           // a date without a time of day is enough: the rows take whole days, or it is answered
	ranges   bool           // up to another time
	values   yamldoc.Map[string]
	words    mapfile.Words // of the values
	half     bool          // a time has to say in which half of the day it is
	computed bool          // by an expression that makes something else of its cells
	zones    []string      // that a column or an answer gives the rows; empty where none is known
	ofColumn bool          // a column gives them
}

// uses lists what the columns feed that the mapping names, in the order of its fields.
func (b shapeStep) uses() []use {
	var all []use
	f := &b.p.File
	start, _ := f.Columns.Get("start_at")
	for _, item := range f.Columns {
		field, ok := b.resource().ByPath(item.Key)
		if !ok {
			continue
		}
		c := item.Value
		headers, computed := c.From, c.Expr != ""
		if l := b.p.line(item.Key); computed && l != nil {
			headers = l.Columns
		}
		for i, header := range headers {
			at := b.headed(header)
			if len(at) != 1 {
				continue
			}
			u := use{
				column: at[0], field: field, values: c.Values, computed: computed && field.Kind != schema.Timestamp,
				words: mapfile.NewWords(c.Values), dates: f.AllDay.Column != "" || c.Range != "",
			}
			u.ranges = field.ID == catalog.FieldStartAt || c.Range != ""
			switch {
			case computed && field.Kind == schema.Timestamp && len(headers) > 1:
				continue // parts of a date
			case computed && field.Kind == schema.Timestamp:
				if strings.Contains(c.Expr, catalog.Path(catalog.FieldStartAt)) {
					continue // a length
				}
				u.dates, u.ranges = true, false // a time of day is written behind each
			case len(c.From) == 2 && i == 0:
				u.part, u.ranges = dateOnly, false
			case len(c.From) == 2:
				u.part, u.where = clockOnly, datetime.ClockCell
				if len(start.From) > 0 && c.From[0] == start.From[0] && field.ID == catalog.FieldEndAt && c.Range == "" {
					u.where = datetime.RangeEnd
				}
			}
			if field.Kind == schema.Timestamp {
				u.half = len((&evidence{builder: b.builder, shown: &shownColumn{uses: []use{u}}}).hear(ofHalf)) > 0
			}
			all = append(all, u)
		}
	}
	zones, ofColumn := b.zones()
	for i := range all {
		all[i].zones, all[i].ofColumn = zones, ofColumn
	}
	if zone := b.headed(f.Timezone.Column); len(zone) == 1 {
		all = append(all, use{column: zone[0], field: catalog.Field(catalog.FieldTimezone)})
	}
	return all
}

// read returns what a cell is read as, in words, by the readings of the mapping and the
// parser of the field. The words are empty where the cell says them itself.
func (u *use) read(table *reads.Table, kind sheet.CellKind, text string, order datetime.Order) (becomes string, ok bool) {
	parsed, said := text, false
	if table != nil {
		_, said = table.Exact(text)
	}
	switch {
	case table == nil || u.computed:
	case kind == sheet.Text:
		parsed = table.Apply(text)
	default:
		parsed, _ = table.Exact(text)
	}
	if parsed != text {
		kind = sheet.Text
	}
	switch {
	case strings.TrimSpace(parsed) == "":
		return "blank", true
	case parsed == reads.Clear && u.field.Nullable:
		if u.field.ID == catalog.FieldMaxCapacity {
			return "no limit", true
		}
		return "cleared", true
	case u.field.Kind == schema.Timestamp:
		return u.time(kind, parsed, order, said)
	}
	if value, ok := u.words.Of(text); ok {
		return cmp.Or(value, "blank"), true
	}
	var s schema.Setting
	switch {
	case Parse(u.field, &s, parsed) == nil:
		return s.Text, true
	case u.field == catalog.GuestStatus() && Absent(parsed):
		return "left out", true
	}
	return "", false
}

// time reads a cell as a time, as the rows are read; said is for one that a mapping says the meaning of.
func (u *use) time(kind sheet.CellKind, text string, order datetime.Order, said bool) (becomes string, ok bool) {
	var m datetime.Moment
	fault := datetime.NotATime
	switch kind {
	case sheet.Date:
		fault = m.ScanIn(datetime.AnyCell, text, datetime.YearFirst)
	case sheet.Number:
		if n := len(text); u.where != datetime.AnyCell && (n == 3 || n == 4) {
			fault = m.ScanIn(u.where, text, datetime.Unknown)
		}
	case sheet.Text:
		fault = lettered(&m, u.where, text, order)
	}
	if fault == datetime.NeedsOrder {
		return "", true // which is asked once for all
	}
	if from, to, two := datetime.CutRange(text); fault != datetime.OK && two && u.ranges {
		var until datetime.Moment
		if lettered(&m, datetime.ClockCell, from, order) != datetime.OK || lettered(&until, datetime.RangeEnd, to, order) != datetime.OK {
			return "", false
		}
		either := datetime.EitherHalf(&m, &until) || !said && u.open(text, &m)
		if u.part == wholeTime && !m.HasDate && until.HasTime {
			datetime.CloseRange(&m, &until) // 10:00-12:00, 8 March 2027
		}
		return inWords(&m) + " – " + inWords(&until), u.fits(&m, kind, said) && u.called(&m) && u.called(&until) && !either
	}
	if first, last, through := datetime.CutThrough(text); through && u.part == dateOnly {
		return inWords(&first) + " – " + inWords(&last), true
	}
	if fault != datetime.OK || !u.fits(&m, kind, said) || !u.called(&m) || !said && kind == sheet.Text && u.open(text, &m) {
		return "", false
	}
	switch {
	case u.part == dateOnly && isMidnight(&m):
		m.HasTime, m.HasOffset = false, false
	case u.part == clockOnly && m.Epoch():
		m.HasDate = false
	}
	return inWords(&m), true
}

// zones returns the time zones that a column or an answer gives the rows, and reports whether a column does.
func (s *sketch) zones() (zones []string, ofColumn bool) {
	f := &s.p.File
	column, fed := f.Columns.Get("timezone")
	for _, v := range column.Values {
		zones = append(zones, v.Value)
	}
	for _, header := range slices.Concat(column.From, mapfile.Names{f.Timezone.Column}) {
		for _, c := range s.headed(header) {
			zones = append(zones, slices.DeleteFunc(slices.Clone(c.distinct), func(text string) bool { return !isZone(text) })...)
		}
	}
	ofColumn = fed || f.Timezone.Column != ""
	if f.Timezone.Default != "" {
		zones = append(zones, f.Timezone.Default)
	}
	return zones, ofColumn
}

// called reports whether the letters behind a time may be those of a zone of the rows. Letters of one zone are it, where no
// column says another.
func (u *use) called(m *datetime.Moment) bool {
	if _, one := datetime.ZoneOf(m.Letters); m.Letters == "" || m.HasOffset || one && !u.ofColumn || len(u.zones) == 0 {
		return true
	}
	day := *m
	return slices.ContainsFunc(u.zones, func(name string) bool {
		zone, fault := datetime.LoadZone(name)
		return fault == nil && slices.ContainsFunc([]int{1, 7}, func(month int) bool {
			if !m.HasDate {
				day.Year, day.Month, day.Day, day.HasDate = 2027, month, 1, true
			}
			first, _, _ := zone.Offsets(day.Wall())
			return zone.Called(m.Letters, datetime.Unix(day.Wall(), first, 0))
		})
	})
}

// open reports whether a text, which is read as m, does not say in which half of the day it is, and has to. Behind a
// date spreadsheets write hours that count to 24, unless others say am or pm.
func (u *use) open(text string, m *datetime.Moment) bool {
	return u.half && (u.halves || !m.HasDate) && datetime.HalfOpen(text, m)
}

// fits reports whether a time has the parts that are needed of the column. An end that a mapping says the time of has the
// day of the start.
func (u *use) fits(m *datetime.Moment, kind sheet.CellKind, said bool) bool {
	switch u.part {
	case dateOnly:
		return m.HasDate
	case clockOnly:
		return m.HasTime
	}
	if said && m.HasTime && !u.wantsDate() {
		return true
	}
	return m.HasDate && (m.HasTime || u.dates || kind == sheet.Date && u.counts[valueMoment] > 0)
}

// wantsDate reports whether nothing but the cells of a column says on what day a time is. An end has the day of the start.
func (u *use) wantsDate() bool {
	return u.field.Kind == schema.Timestamp && u.part == wholeTime && u.field.ID != catalog.FieldEndAt
}

// inWords writes a time as people do: Sun 7 Mar 2027 19:30, with the offset from UTC that it has.
func inWords(m *datetime.Moment) string {
	var words []string
	if m.HasDate {
		words = append(words, time.Date(m.Year, time.Month(m.Month), m.Day, 0, 0, 0, 0, time.UTC).Format("Mon 2 Jan 2006"))
	}
	if m.HasTime {
		words = append(words, fmt.Sprintf("%02d:%02d", m.Hour, m.Minute))
	}
	zone, one := datetime.ZoneOf(m.Letters)
	switch {
	case m.HasOffset:
		words = append(words, time.Date(2000, 1, 1, 0, 0, 0, 0, time.FixedZone("", m.Offset)).Format("-07:00"))
	case one:
		words = append(words, zone)
	case m.Letters != "":
		words = append(words, m.Letters)
	}
	return strings.Join(words, " ")
}
