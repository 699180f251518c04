package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
)

// presetStep finds the program that a file comes from.
type presetStep struct{ *builder }

// source takes the mapping of a program whose headers these are, and asks only what
// its files never say.
func (b presetStep) source() bool {
	header := make([]string, len(b.all.columns))
	for i := range b.all.columns {
		header[i] = b.all.columns[i].header
	}
	name, ok := mapfile.MatchPreset(header)
	if !ok {
		b.p.Near, _, _ = mapfile.NearPreset(header)
		return false
	}
	preset, _ := mapfile.FindPreset(name) // it is there
	f := *preset.File
	f.Version, f.Sheet, f.HeaderRow = mapfile.Version, b.config.Sheet, b.config.HeaderRow
	f.Columns = slices.Clone(f.Columns)
	f.Tests = nil
	b.p.Source, b.p.File = name, f
	b.sourced(f.Source.Title)
	return true
}

// says notes which columns the lines of a mapping read.
func (b presetStep) says(because Line) {
	f := &b.p.File
	say := func(at string, names ...string) {
		var columns []*column
		for _, name := range names {
			if c := b.named(name); c != nil {
				columns = append(columns, c)
			}
		}
		if len(columns) > 0 {
			b.say(at, because, columns...)
		}
	}
	say("key", f.Key...)
	say("calendar", f.Calendar.Column)
	say("timezone.column", f.Timezone.Column)
	say("all_day", f.AllDay.Column)
	say("group", f.Group...)
	say(
		"unroll",
		append(
			[]string{f.Unroll.Days, f.Unroll.Frequency, f.Unroll.Interval, f.Unroll.Start, f.Unroll.End, f.Unroll.Until},
			f.Unroll.Clocks...,
		)...,
	)
	for _, item := range f.Columns {
		say(item.Key, item.Value.Inputs()...)
		if item.Key != "start_at" && item.Key != "end_at" {
			continue
		}
		for _, name := range item.Value.From {
			if c := b.named(name); c != nil {
				b.times = append(b.times, c)
			}
		}
	}
}

// sourced says which columns the preset reads, and asks for zone and order.
func (b presetStep) sourced(title string) {
	f := &b.p.File
	b.says(Line{Basis: BySource, Reason: "that is how files of " + title + " are"})
	for i := range b.all.columns {
		if c := &b.all.columns[i]; !b.used[i] && c.header != "" {
			b.used[i] = true
			why := "files of " + title + " have it, and no field takes it"
			if f.Source.More && !f.Ignores(c.header) {
				why = b.unknown(c)
			}
			b.p.Ignored = append(b.p.Ignored, Ignored{c.header, why})
		}
	}
	f.Ignore = nil // each column has its own reason now
	if f.Resource == "" {
		zoneStep(b).defaultZone(b.named(f.Timezone.Column))
		zoneStep(b).order()
	}
}

// named finds the column that a mapping names, by its other names too.
func (b presetStep) named(name string) *column {
	if name == "" {
		return nil
	}
	if plain, ok := strings.CutSuffix(name, mapfile.Second); ok {
		first := b.named(plain)
		for i := range b.all.columns {
			if c := &b.all.columns[i]; first != nil && i > first.index && fold(c.header) == fold(first.header) {
				return c
			}
		}
	}
	others, _ := b.p.File.Aliases.Get(name)
	for _, n := range append(mapfile.Names{name}, others...) {
		for i := range b.all.columns {
			if c := &b.all.columns[i]; fold(c.header) == fold(n) && c.header != "" {
				return c
			}
		}
	}
	return nil
}

// records asks before a list of guests, coupons or their like is taken for one of events.
func (b presetStep) records() bool {
	r := b.others()
	if r == nil || b.config.Resource != nil { // somebody has said that they are events
		return false
	}
	words := r.Some() + " of an event"
	if r.Parent == "" {
		words = r.Some()
	}
	answer, ok := b.ask(Question{
		ID: "rows", At: "columns", Text: "are the rows events or " + r.Many() + "?", Why: "the columns are those of a list of " + r.Many(),
		Choices: []Choice{{r.Name, "each row is " + words}, {described.Name, "each row is an event"}},
		find: func(text string) (values []string, named bool) { // is each row an event?
			value, named := map[string]string{"yes": described.Name, "no": r.Name}[fold(text)]
			return []string{value}, named
		},
	})
	if ok && answer == described.Name {
		return false
	}
	if ok {
		recordStep(b).record(r)
		return true
	}
	for i := range b.all.columns {
		if c := &b.all.columns[i]; c.header != "" {
			b.about[i] = true
		}
	}
	return true
}

// others returns what the rows are about where they may be no events; nil where they are.
func (b presetStep) others() *schema.Resource {
	n := 0
	dated, mailed := false, false
	var headers []string
	for i := range b.all.columns {
		c := &b.all.columns[i]
		headers = append(headers, c.header)
		if in("guest header", c.header) {
			n++
		}
		mailed = mailed || NamesMail(c.header)
		for _, cl := range claimsOf(c.header) {
			dated = dated || slices.Contains([]semantic{typeStart, typeStartDate, typeWhen}, cl.semantic) && c.fits(cl)
		}
	}
	if dated && n < 5 && (!mailed || Starts(headers)) || !mailed && n < 3 {
		r, _ := Others(headers)
		return r
	}
	return catalog.Guests
}

// glob is a header as a pattern that fits it alone.
func glob(header string) string {
	if !strings.ContainsAny(header, `*?[\`) {
		return header
	}
	var b strings.Builder
	for _, r := range header {
		if strings.ContainsRune(`*?[\`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
