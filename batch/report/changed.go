package report

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/richtext"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// Changed is a row that changes what is there, or takes it away.
type Changed struct {
	finding.Row

	Resource string // what it is about, empty for events
	Effects  plan.Effects
	Takes    bool
	Alike    []int // the numbers of the rows behind it that change a record of the same name alike
}

// Add adds a row to those that are shown, or to one that changes a record of the same name alike: the ticket types of
// a series, say. It reports whether there was room.
func (p *PlanWords) Add(c Changed) bool {
	for i := range p.Changed {
		if p.Changed[i].alike(&c) {
			p.Changed[i].Alike = append(p.Changed[i].Alike, c.Number)
			return true
		}
	}
	if len(p.Changed) == shownChanges {
		return false
	}
	p.Changed = append(p.Changed, c)
	return true
}

func (c *Changed) alike(other *Changed) bool {
	same := func(a, b finding.Change) bool {
		a.Decision, a.Why, a.Base, a.Live = b.Decision, b.Why, b.Base, b.Live
		return a == b
	}
	return !catalog.RecordsOf(c.Resource).Keyed() && c.Resource == other.Resource &&
		c.Source == other.Source && c.Event.Name == other.Event.Name && !c.Takes &&
		!other.Takes && len(c.Effects.Of)+len(other.Effects.Of) == 0 && slices.EqualFunc(c.Changes, other.Changes, same)
}

// shownChanges is how many rows that change something are shown on a screen.
const shownChanges = 20

// changes prints the rows that change something, each field as old → new where it is
// known what was sent before.
func (s planScreen) changes(p *PlanWords) {
	for i := range p.Changed {
		s.changed(&p.Changed[i])
	}
	more := p.Left["update"].Total() + p.Left["cancel"].Total() - len(p.Changed)
	for i := range p.Changed {
		more -= len(p.Changed[i].Alike)
	}
	if more > 0 && len(p.Changed) > 0 {
		s.Printf("  %s\n", s.Dim("and "+Number(more)+" more that change something: "+printable.Clean(p.Page)))
	}
}

// left names the fields that stay as somebody has changed them on the platform: those that
// are sent are shown with their rows, and conflicts as problems of their cells.
func (s planScreen) left(list []finding.ChangeLine) {
	n := 0
	for i := range list {
		line := &list[i]
		if line.Decision != string(plan.Left) && line.Decision != string(plan.Lost) {
			continue
		}
		if n++; n > shownChanges {
			continue
		}
		live, mine := Values(line.Theirs(), line.Ours())
		words := live + ", not " + mine
		if line.Decision == string(plan.Lost) {
			words = live
		}
		label := map[string]string{string(plan.Left): "left: ", string(plan.Lost): "lost: "}[line.Decision] +
			cmp.Or(line.Why, "changed on the platform")
		s.Printf("  %s row %s  %s %s\n", s.Dim(label+":"), Number(line.Row), line.Field, words)
	}
	if n > shownChanges {
		s.Printf("  %s\n", s.Dim("and "+Number(n-shownChanges)+" more fields that stay as they are: --json lists them"))
	}
}

// Conflict prints what a row and the platform have both changed, both values of each field,
// and what it was where that is known.
func (s *Screen) Conflict(row, event string, fields []finding.ChangeLine) {
	s.Printf("%s %s\n", s.Bold(printable.Clean(event)), s.Dim("("+printable.Clean(row)+")"))
	if len(fields) == 0 {
		s.Printf("  the file has changed the row, and the platform has cancelled the event\n")
	}
	for i := range fields {
		line := &fields[i]
		mine, live := Values(line.Ours(), line.Theirs())
		was := ""
		if line.Base != nil {
			_, base := Values(line.Ours(), line.Was())
			was = s.Dim(", and it was " + base)
		}
		s.Printf("  %s: the file says %s, the platform %s%s\n", line.Field, s.green(mine), s.red(live), was)
	}
}

// changed prints one row.
func (s planScreen) changed(c *Changed) {
	sign, paint := "~", s.yellow
	if c.Takes {
		sign, paint = "-", s.red
	}
	words := printable.Clean(strings.TrimSpace(c.Event.Key + " " + shownName(c)))
	if words == "" {
		words = printable.Clean(c.Event.ID)
	}
	if !c.Event.Start.IsZero() {
		words += ", " + c.Event.Start.Format(dayTime)
	}
	row := rowName(&c.Row)
	if n := len(c.Alike); n > 0 {
		r, _ := catalog.ResourceNamed(c.Resource)
		words, row = Count(n+1, r.One)+" "+strconv.Quote(printable.Clean(c.Event.Name)), row+" and "+Number(n)+" more"
	}
	s.Printf("  %s %s %s\n", paint(sign), s.Bold(words), s.Dim("("+row+")"))
	s.fields(c)
	for _, told := range reached(c) {
		s.Printf("      %s\n", paint(told))
	}
}

// shownName returns the name of the row's event where the key does not say it.
func shownName(c *Changed) string {
	if c.Event.Name == c.Event.Key {
		return ""
	}
	return c.Event.Name
}

// rowName names a row: row 17, or its file too where it is not clear.
func rowName(r *finding.Row) string {
	if r.Missing {
		return printable.Clean(r.Reason)
	}
	name := "row " + Number(r.Number)
	if r.Source > 0 {
		name = printable.Clean(strings.TrimSuffix(r.File+":"+r.Sheet, ":")) + ", " + name
	}
	return name
}

// called returns a change as its row says it: an amount by its price, and a place by its address where that is what changes.
func called(c finding.Change) finding.Change {
	c = c.Priced()
	place := c.Field == catalog.Path(catalog.FieldGeoAddress)
	if place && value.Address(json.RawMessage(c.Before)) != value.Address(json.RawMessage(c.After)) {
		c.Field = catalog.Path(catalog.FieldAddress)
	}
	return c
}

// fields prints the fields of an update. Those of which it is not known what they were
// are named in one line.
func (s planScreen) fields(c *Changed) {
	width := 0
	for _, change := range c.Changes {
		if change = called(change); change.Known {
			width = max(width, Width(change.Field))
		}
	}
	var unknown []string
	for _, change := range c.Changes {
		if change = called(change); !change.Known {
			unknown = append(unknown, change.Field)
			continue
		}
		was := finding.Value{Text: change.Before, Zone: cmp.Or(change.ZoneWas, change.Zone)}
		before, after := Values(was, finding.Value{Text: change.After, Zone: change.Zone})
		why := ""
		if change.Decision == string(plan.Follow) {
			why = " " + s.Dim(change.Why)
		}
		field := change.Field + strings.Repeat(" ", width-Width(change.Field))
		s.Printf("      %s  %s → %s%s\n", field, s.red(before), s.green(after), why)
	}
	if len(unknown) > 0 {
		s.Printf("      %s\n", s.Dim("sets "+strings.Join(unknown, ", ")+": this workspace does not know what was there"))
	}
}

// dayTime is how a start is shown, and clock one on a day that was named already.
const (
	dayTime = "Mon 2 Jan 2006 15:04"
	clock   = "15:04"
)

// Values returns two values as they are shown beside each other, times in their zones where those are known. Of two times of
// one day the second has no day.
func Values(before, after finding.Value) (string, string) {
	first, err := time.Parse(time.RFC3339, before.Text)
	second, failed := time.Parse(time.RFC3339, after.Text)
	was, is := value.Location(before.Zone), value.Location(after.Zone)
	in := func(at time.Time, of finding.Value, zone *time.Location, other time.Time) time.Time {
		switch {
		case zone != nil:
			return at.In(zone)
		case strings.HasSuffix(of.Text, "Z"): // as the platform tells it
			return at.In(other.Location())
		}
		return at
	}
	first, second = in(first, before, was, second), in(second, after, is, first)
	switch {
	case cmp.Or(err, failed) != nil:
		one, other := apart(before.Text, after.Text)
		return shownCell(one), shownCell(other)
	case first.Format(time.DateOnly) == second.Format(time.DateOnly) && first.Format("-07:00") == second.Format("-07:00"):
		return first.Format(dayTime), second.Format(clock)
	}
	return first.Format(dayTime + " -07:00"), second.Format(dayTime + " -07:00")
}

// apart returns two texts so that they are seen to differ: places by their addresses, others without what nobody sees of them, unless
// that alone is what differs, and where they differ only behind what there is room for, from the words before that.
func apart(before, after string) (string, string) {
	where := func(text string) string { return cmp.Or(value.Address(json.RawMessage(text)), text) }
	if one, other := where(before), where(after); one != other {
		before, after = one, other
	}
	seen := func(text string) string { return strings.TrimSpace(richtext.Visible(text)) }
	if one, other := seen(before), seen(after); one != other {
		before, after = one, other
	}
	first, second := []rune(before), []rune(after)
	same := 0
	for same < min(len(first), len(second)) && first[same] == second[same] {
		same++
	}
	if same < cellLength/2 || max(len(first), len(second)) <= cellLength {
		return before, after
	}
	from := same - cellLength/4
	for same-from < cellLength/2 && !unicode.IsSpace(first[from-1]) {
		from--
	}
	return "…" + string(first[from:]), "…" + string(second[from:])
}

// reached says whom a row reaches, and what becomes of their money.
func reached(c *Changed) []string {
	e, guests := &c.Effects, Count(c.Effects.People, finding.Person(c.Resource))
	if !e.Counted {
		guests = "guests, who were not counted"
	}
	var words []string
	switch {
	case e.Has(schema.Cancels):
		words = append(words, "cancelled: "+guests+" told, cannot be undone")
	case c.Takes:
		words = append(words, strings.TrimSuffix("removed: "+printable.Clean(c.Reason), ": "))
	case e.Has(schema.Mails):
		words = append(words, "e-mails "+guests)
	}
	if e.Has(schema.Pushes) && (e.People > 0 || !e.Counted) {
		words = append(words, "may push a new time or place to "+guests)
	}
	if e.Has(schema.Refunds) {
		words = append(words, "refunds what was paid")
	}
	return words
}

// Shown reports whether there is something to see of the row: what a field was before,
// or whom it reaches.
func (c *Changed) Shown() bool {
	return c.Takes || c.Effects.Counted || slices.ContainsFunc(c.Changes, func(change finding.Change) bool { return change.Known })
}
