package sim

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// table is a file that somebody imports, and edits in between.
type table struct {
	path    string // but for the end, which says what the rows are
	prefix  string // of its keys
	day     int    // on which its events begin; no two rows of a world begin at one time
	made    int    // rows ever
	rows    []*row
	removed []*row
	guests  []guest
	others  []other
	slept   slept
	// disagrees is set where the last plan of its rows had some that are changed on the platform too.
	disagrees bool

	exported bool // the last export was whole, and somebody has edited it
	puts     []put
}

// further is a resource of which there are rows besides the events.
type further struct {
	resource *schema.Resource
	header   string
	row      string // @ is the name of the row, K the key of an event, $ the value, and ! the action
	list     string // the operation that lists them
	by       string // the member of an entry that is the name

	within string   // the member of the answer that has the entries, where it is none of its own
	has    string   // the member of an entry that has the value, empty where there is none
	values []string // that rows can have
}

var hosts = &further{
	resource: catalog.Hosts, header: "event,email,name,access_level,action", row: "K,@example.org,Ada,$,!",
	list: "events/get", within: "hosts", by: "email", has: "access_level", values: []string{"none", "check-in", "manager"},
}

var furthers = []*further{
	{resource: catalog.Contacts, header: "email,name", row: "@example.org,Ada", list: "calendars/contacts/list", by: "email"},
	{resource: catalog.TicketTypes, header: "event,name,type", row: "K,@,free", list: "events/ticket-types/list", by: "name"},
	{resource: catalog.Coupons, header: "event,code,percent_off", row: "K,@,10", list: "events/coupons/list", by: "code"},
	{resource: catalog.EventTags, header: "name,color", row: "@,red", list: "calendars/event-tags/list", by: "name"},
	{resource: catalog.ContactTags, header: "name,color", row: "@,blue", list: "calendars/contact-tags/list", by: "name"},
	{resource: catalog.Webhooks, header: "url,event_types", row: "https://a.example/@,*", list: "webhooks/list", by: "url"},
	{resource: catalog.Blasts, header: "key,event,subject,content_md", row: "@,K,@,Soon", list: "events/blasts/list", by: "subject"},
	{resource: catalog.Admins, header: "email,access_level", row: "@example.org,admin", list: "calendars/admins/list", by: "email"},
}

// other is a row of the file of a further resource.
type other struct {
	event, name, calendar string
	value                 string
	removed               bool // the row says that it is to go
}

// cells returns the row.
func (f *further) cells(o other) []string {
	action := ""
	if o.removed {
		action = "DELETE"
	}
	of := strings.NewReplacer("@example", o.name+"@example", "@", o.name, "K", o.event, "$", o.value, "!", action)
	return strings.Split(of.Replace(f.row), ",")
}

// name returns that of a row as an entry of the list has it.
func (f *further) name(o other) string {
	at := slices.Index(strings.Split(f.header, ","), f.by)
	return f.cells(o)[at]
}

// row is a row of a file.
type row struct {
	key            string
	calendar       string // where it is made; a person may move it
	start          time.Time
	name, capacity string
	description    string
	gone           absence
	undone         bool // something of it was taken back
	lost           bool // no workspace knows any more that its file has made it
}

// guest is a row of the file of guests.
type guest struct {
	event, email string
	calendar     string
	mailed       bool // that somebody asks for
	tickets      []string
}

// edits has somebody edit the file of a machine, and often what a person has put last into an event of it.
func (w *world) edits(m *machine, source *rand.Rand) {
	m.table.edit(source, &w.setting)
	w.mu.Lock()
	defer w.mu.Unlock()
	var last by
	change := func() {}
	for id, fields := range w.hand {
		i := slices.IndexFunc(m.table.rows, func(r *row) bool { return r.start.Equal(w.existed[id]) })
		for field, put := range fields {
			if i >= 0 && put.at.After(last.at) {
				last, change = put, func() { m.table.rows[i].change(field, source) }
			}
		}
	}
	if source.IntN(2) == 0 {
		change()
	}
}

// change has somebody put something else into a cell.
func (r *row) change(field string, source *rand.Rand) {
	switch field {
	case "name":
		r.name = fmt.Sprintf("%s %d", r.key, source.IntN(100))
	case "description_md":
		r.description = described(source)
	case "max_capacity":
		r.capacity = fmt.Sprint(10 + source.IntN(90))
	}
}

// edit has somebody edit the file.
func (t *table) edit(source *rand.Rand, s *setting) {
	for range 1 + source.IntN(4) {
		switch n := source.IntN(12); {
		case len(t.rows) == 0 || n < 4:
			t.add(source, s)
		case n == 4 && s.removes && len(t.rows) > 3 && (!s.nights || len(t.removed) < 2): // more would be other keys, in a night
			i := source.IntN(len(t.rows))
			t.removed = append(t.removed, t.rows[i])
			t.rows = slices.Delete(t.rows, i, i+1)
		case n < 8 && s.guests:
			email, r := fmt.Sprintf("p%d@example.org", len(t.guests)), one(source, t.rows...)
			t.guests = append(t.guests, guest{r.key, email, r.calendar, source.IntN(2) == 0, nil})
			t.gives(source, s, &t.guests[len(t.guests)-1])
		case n < 8 && s.further != nil:
			r := one(source, t.rows...)
			t.others = append(t.others, other{r.key, fmt.Sprint(t.prefix, len(t.others)), r.calendar, "", false})
			if len(s.further.values) > 0 {
				t.others[len(t.others)-1].value = one(source, s.further.values...)
				t.changes(source, s)
			}
		default:
			one(source, t.rows...).change([]string{"name", "max_capacity"}[n%2], source)
		}
		if s.described && source.IntN(2) == 0 {
			one(source, t.rows...).change("description_md", source)
		}
	}
}

// changes has somebody change the value of a row of a further resource, or say that what it is about is to go.
func (t *table) changes(source *rand.Rand, s *setting) {
	o := &t.others[source.IntN(len(t.others))]
	if o.value = one(source, s.further.values...); source.IntN(2) == 0 {
		o.removed = true
	}
}

// ticketTypes are those that events have besides the one that each is made with.
var ticketTypes = []string{"Seat", "VIP"}

// gives has a guest get tickets, and perhaps another one other tickets. Who is mailed keeps those of the beginning, since an exchange
// would be told too.
func (t *table) gives(source *rand.Rand, s *setting, g *guest) {
	if !s.tickets {
		return
	}
	if again := &t.guests[source.IntN(len(t.guests))]; !again.mailed {
		again.tickets = tickets(source)
	}
	if g.tickets == nil {
		g.tickets = tickets(source)
	}
}

func tickets(source *rand.Rand) []string {
	return one(source, []string{"Seat"}, []string{"VIP"}, []string{"Seat", "VIP"}, []string{"VIP", "VIP"})
}

// described returns a description.
func described(source *rand.Rand) string {
	parts := []string{fmt.Sprintf("Tea for %d people.", source.IntN(1000))}
	for range source.IntN(4) {
		parts = append(parts, one(source,
			"* bread\n* butter", "- salt\n- *much* pepper", "---", "***", "1. come\n2. go", "Two lines  \nof a _verse_.",
			"```\n* code\n\n\n  more\n```", "A **bold** word.", "> said\n> so", "# Head\n\n### Foot", "[here](https://a.example/x)",
		))
	}
	source.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return strings.Join(parts, "\n\n")
}

// alike reports whether two values of a field are the same one. A description may come back with other marks of lists and rules,
// other blanks, and zero-width spaces.
func alike(field, a, b string) bool {
	return a == b || field == "description_md" && slices.Equal(words(a), words(b))
}

// words returns what there is to read in a description.
func words(value string) []string {
	var text string
	if json.Unmarshal([]byte(value), &text) != nil {
		return []string{value}
	}
	text = strings.NewReplacer("\u200b", "", "\n* * *\n", "\n---\n", "\n***\n", "\n---\n", "\n* ", "\n- ").Replace("\n" + text + "\n")
	return strings.Fields(text)
}

func (t *table) add(source *rand.Rand, s *setting) {
	start := time.Date(2027, 4, 1+t.day, 0, 0, 0, 0, time.UTC).Add(time.Duration(t.made) * 10 * time.Minute)
	r := &row{key: fmt.Sprint(t.prefix, "-", t.made), start: start, capacity: fmt.Sprint(10 + source.IntN(90))}
	r.name = fmt.Sprintf("%s %d", r.key, source.IntN(100))
	if r.calendar = s.calendars[0]; len(s.calendars) > 1 {
		r.calendar = one(source, s.calendars...)
	}
	if s.described {
		r.description = described(source)
	}
	t.made++
	t.rows = append(t.rows, r)
}

// write writes the files as they are now. Their rows name calendars where there are several.
func (t *table) write(s *setting) error {
	placed := func(calendar string, cells ...string) []string {
		if len(s.calendars) == 1 {
			return cells
		}
		return append(cells, calendar)
	}
	fields := []string{"key", "name", "start_at", "timezone", "max_capacity"}
	if s.described {
		fields = append(fields, "description_md")
	}
	lines := [][]string{placed("calendar_id", fields...)}
	for _, r := range t.rows {
		cells := []string{r.key, r.name, r.start.Format(time.RFC3339), "Etc/UTC", r.capacity}
		if s.described {
			cells = append(cells, r.description)
		}
		lines = append(lines, placed(r.calendar, cells...))
	}
	if err := write(t.events(), lines); err != nil {
		return err
	}
	if len(t.others) > 0 {
		lines := [][]string{placed("calendar_id", strings.Split(s.further.header, ",")...)}
		for _, o := range t.others {
			lines = append(lines, placed(o.calendar, s.further.cells(o)...))
		}
		return write(t.besides(), lines)
	}
	lines = [][]string{placed("calendar_id", "event", "email", "send_email", "ticket_types")}
	types := [][]string{placed("calendar_id", "event", "name", "type")}
	for _, g := range t.guests {
		lines = append(lines, placed(g.calendar, g.event, g.email, fmt.Sprint(g.mailed), strings.Join(g.tickets, "; ")))
	}
	for _, g := range t.visited() {
		for _, name := range ticketTypes {
			types = append(types, placed(g.calendar, g.event, name, "free"))
		}
	}
	if s.tickets {
		if err := write(t.kinds(), types); err != nil {
			return err
		}
	}
	return write(t.people(), lines)
}

// visited returns the first guest of each event that has some.
func (t *table) visited() (first []guest) {
	seen := map[string]bool{}
	for _, g := range t.guests {
		if !seen[g.event] {
			first = append(first, g)
		}
		seen[g.event] = true
	}
	return first
}

func (t *table) events() string { return t.path + ".csv" }

func (t *table) export() string { return t.path + "-export.csv" }

func (t *table) besides() string { return t.path + "-besides.csv" }

func (t *table) kinds() string { return t.path + "-types.csv" }

func (t *table) people() string { return t.path + "-guests.csv" }

// write puts a file in the place of the one that another process may be reading.
func write(path string, lines [][]string) error {
	f, err := os.CreateTemp(filepath.Dir(path), "written")
	if err != nil {
		return err
	}
	if err := csv.NewWriter(f).WriteAll(lines); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
