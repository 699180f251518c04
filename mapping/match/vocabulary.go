package match

import (
	_ "embed"
	"iter"
	"slices"
	"strings"
	"sync"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/value"
)

// semantic is what a column is to a row, by its name in the file of words.
type semantic string

// The semantic types that the inference treats each in its own way.
const (
	typePath        semantic = "" // the header is the path of a field without a type of its own
	typeName        semantic = "name"
	typeSummary     semantic = "summary"
	typeDescription semantic = "description"
	typeWhen        semantic = "when" // a date or a moment, of nothing said
	typeTime        semantic = "time" // a time of day, of nothing said
	typeStart       semantic = "start"
	typeStartDate   semantic = "start_date"
	typeStartTime   semantic = "start_time"
	typeDoors       semantic = "doors"
	typeEnd         semantic = "end"
	typeEndDate     semantic = "end_date"
	typeEndTime     semantic = "end_time"
	typeLength      semantic = "length"
	typeAllDay      semantic = "all_day"
	typeZone        semantic = "zone"
	typeVenue       semantic = "venue"
	typeRoom        semantic = "room"
	typeStreet      semantic = "street"
	typeCity        semantic = "city"
	typePostcode    semantic = "postcode"
	typeRegion      semantic = "region"
	typeCountry     semantic = "country"
	typeLatitude    semantic = "latitude"
	typeLongitude   semantic = "longitude"
	typePoint       semantic = "point"
	typeCapacity    semantic = "capacity"
	typeMeeting     semantic = "meeting"
	typeLink        semantic = "link"
	typeCover       semantic = "cover"
	typeKey         semantic = "key"
	typeNumber      semantic = "number" // of the row
	typeEventID     semantic = "event_id"
	typeCalendar    semantic = "calendar"
	typeVisibility  semantic = "visibility"
	typePrivate     semantic = "private"
	typePublic      semantic = "public"
	typeOpen        semantic = "open"
	typeWaitlist    semantic = "waitlist"
	typeGuestList   semantic = "guest_list"
	typeStatus      semantic = "status"
	typeColor       semantic = "color"
	typeAside       semantic = "aside" // known to be about something else
)

//go:embed events.txt
var eventText string

// described is what the words of events.txt are about.
var described = catalog.Events

// section is a part of a file of words.
type section struct{ kind, of, body string }

// eventWords are the sections of the words of events.
var eventWords = sync.OnceValue(func() []section {
	var all []section
	for block := range strings.SplitSeq(eventText, "\n[") {
		head, body, _ := strings.Cut(block, "]\n")
		if kind, of, found := strings.Cut(head, ": "); found && block[0] != '#' {
			all = append(all, section{kind, of, body})
		}
	}
	return all
})

// words are those of the section, as they are written.
func (s *section) words() iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range strings.SplitSeq(s.body, ",") {
			if !yield(strings.TrimSpace(word)) {
				return
			}
		}
	}
}

// folded returns the words of the section but those of exact names, in the form in which they are looked up.
func (s *section) folded() []string {
	all := make([]string, 0, 1+strings.Count(s.body, ","))
	for word := range s.words() {
		if !strings.HasPrefix(word, "=") {
			all = append(all, fold(word))
		}
	}
	return all
}

// column returns the semantic type of a section of headers, the path that it feeds, whether
// a column of that path is of the type too, and what the column holds of a time.
func (s *section) column() (t semantic, path string, own bool, holds part) {
	words := strings.Fields(s.of) // name = name, start_date > start_at date
	if len(words) > 3 {
		holds = map[string]part{"date": dateOnly, "clock": clockOnly}[words[3]]
	}
	return semantic(words[0]), words[2], words[1] == "=", holds
}

// exactName is a field that a header names without a mapping.
type exactName struct {
	field *schema.Field
	part  part
	rank  rank
}

// exactNames returns the headers that name a field of a resource, normalised.
func exactNames(r *schema.Resource) map[string]exactName {
	if names, ok := exact.Load(r); ok {
		return names.(map[string]exactName)
	}
	table := map[string]exactName{}
	for _, s := range eventWords() {
		if s.kind != "column" {
			continue
		}
		_, path, _, holds := s.column()
		field, ok := described.ByPath(path)
		if !ok || !r.Has(field.ID) {
			continue // other resources have the columns that all have
		}
		for word := range s.words() {
			name, also := strings.CutSuffix(word, "!")
			name, only := strings.CutPrefix(name, "=")
			if also || only {
				table[name] = exactName{field, holds, rankAlias}
			}
		}
	}
	for _, f := range r.Columns() {
		table[sheet.NormalHeader(f.Title())] = exactName{field: f, rank: rankAlias}
		for _, alias := range f.Aliases {
			table[alias] = exactName{field: f, rank: rankAlias}
		}
	}
	for _, f := range r.Columns() {
		name := exactName{field: f, rank: rankPath}
		if f.Deprecated {
			name.rank = rankOld
		}
		table[sheet.NormalHeader(f.Path)] = name
	}
	for list, path := range map[string]string{"attendee mail": "email", "attendee name": "name"} {
		field, ok := r.ByPath(path)
		for _, s := range eventWords() {
			if !ok || r != catalog.Guests || s.kind != "list" || s.of != list {
				continue
			}
			for word := range s.words() {
				table[word] = exactName{field: field, rank: rankOwn}
			}
		}
	}
	names, _ := exact.LoadOrStore(r, table)
	return names.(map[string]exactName)
}

var exact sync.Map // the tables of exactNames by *schema.Resource

// vocabulary is what the words of headers mean in files of events, all of them folded.
type vocabulary struct {
	headers map[string][]semantic    // the likeliest first
	paths   map[string]*schema.Field // a deprecated one is its successor's
	own     map[*schema.Field]semantic
	feeds   map[semantic]string // the path that a type feeds
	aside   map[string]string   // why no field takes a column of this header
	hints   map[string]string   // the same of headers with this word
	sizes   func() [][]string   // the headers by their sizes
}

// words is the vocabulary of events. Each part of the words of the file is made when it is first asked for: together they take
// as long as all else that a command does with a small file, and most commands ask for few.
var words = sync.OnceValue(func() *vocabulary {
	v := &vocabulary{
		headers: make(map[string][]semantic, strings.Count(eventText, ",")/2),
		paths:   map[string]*schema.Field{}, own: map[*schema.Field]semantic{},
		feeds: map[semantic]string{}, aside: make(map[string]string, 1<<10), hints: map[string]string{},
	}
	v.sizes = sync.OnceValue(v.bySize)
	for _, f := range described.Columns() {
		if !f.Canonical().Deprecated {
			v.paths[fold(f.Path)] = f.Canonical()
		}
	}
	for _, s := range eventWords() {
		switch s.kind {
		case "column":
			t, path, own, _ := s.column()
			v.feeds[t] = path
			if field, ok := described.ByPath(path); ok && own {
				v.own[field] = t
			}
			v.head(t, s.folded())
		case "aside":
			all := s.folded()
			v.head(typeAside, all)
			put(v.aside, all, s.of)
		case "aside word":
			put(v.hints, s.folded(), s.of)
		}
	}
	return v
})

func put(table map[string]string, words []string, value string) {
	for _, word := range words {
		table[word] = value
	}
}

// cellWords are the values of the service that words of cells stand for, by the path of the field, boolean for all of yes and no.
var cellWords = sync.OnceValue(func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, s := range eventWords() {
		if s.kind == "value" {
			path, value, _ := strings.Cut(s.of, " ")
			if all[path] == nil {
				all[path] = map[string]string{}
			}
			put(all[path], s.folded(), value)
		}
	}
	return all
})

// pairs are the words for no beside those for yes, and the other way round.
var pairs = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, s := range eventWords() {
		if s.kind != "pair" {
			continue
		}
		for both := range s.words() {
			yes, no, _ := strings.Cut(both, " ")
			all[fold(no)] = yes
			if all[fold(yes)] == "" {
				all[fold(yes)] = no
			}
		}
	}
	return all
})

func (v *vocabulary) head(t semantic, names []string) {
	alone := []semantic{t} // which most names mean
	for _, name := range names {
		if also := v.headers[name]; also != nil {
			v.headers[name] = append(also, t)
		} else {
			v.headers[name] = alone[:1:1]
		}
	}
}

// path returns the field that a column feeds in the end.
func (cl *claim) path() string {
	if cl.semantic == typePath {
		return cl.field.Path
	}
	return words().feeds[cl.semantic]
}

// LeftOut returns why a column of a header is not imported with the rows of a resource, of events where it is nil, where
// the header is one of columns that people would miss.
func LeftOut(r *schema.Resource, header string) (why string) {
	r, why = catalog.RowsOf(r), words().aside[fold(header)]
	if r == catalog.TicketTypes && strings.HasPrefix(why, "prices") {
		return "name it price, and say the currency in a column currency where no sign says it"
	}
	if r == catalog.Guests && ofShop(header) {
		return noneOfGuests
	}
	if !r.Keyed() && aside(header) != "prices" && aside(header) != "coupons" {
		return "" // it is of events
	}
	if !strings.Contains(why, "imported") || strings.HasSuffix(why, "--resource "+r.Name) {
		return ""
	}
	return why
}

const noneOfGuests = "ticket shops write it, and a guest has nothing of the kind"

// ofShop reports whether a header is one that shops write beside each guest, and not a question that the guest has answered.
func ofShop(header string) bool {
	const longest = 4 // words; a question has more
	list, shop := strings.Fields(fold(header)), listOf("of the shop")
	one := func(word string) bool { return word != "date" && shop.has(word) } // date of birth
	return !strings.Contains(header, "?") && len(list) <= longest && (shop.has(header) || slices.ContainsFunc(list, one))
}

// NamesLink reports whether a header is one of links of which nothing is said, such as URL.
func NamesLink(header string) bool {
	claims := claimsOf(header)
	return len(claims) > 0 && claims[0].semantic == typeLink
}

// Knows returns the field of events that a header is surely a usual name for, which only a mapping takes; empty
// where there is none.
func Knows(header string) string {
	claims := claimsOf(header)
	aside := func(cl claim) bool { return cl.semantic == typeAside }
	if len(claims) == 0 || claims[0].basis != ByAlias || slices.ContainsFunc(claims, aside) {
		return ""
	}
	if t := claims[0].semantic; slices.Contains([]semantic{typeKey, typeNumber, typeStatus, typeLink, typeCover, typeDoors}, t) {
		return ""
	}
	return claims[0].path()
}

// Named returns how many of the headers name a field of the resource by themselves.
func Named(r *schema.Resource, headers []string) int {
	n := 0
	for _, h := range headers {
		if _, ok := Field(r, h); ok {
			n++
		}
	}
	return n
}

// Others returns what rows are about that are no events by their headers, and the headers that say so: most of them name fields
// of another resource, two or more none of events, and none is of a start. Of coupons, which hold from one time to another,
// nothing but times may be of events. It is nil where they may be events.
func Others(headers []string) (r *schema.Resource, own []string) {
	starts := []semantic{typeStart, typeStartDate, typeStartTime, typeTime, typeWhen}
	besides := []semantic{typeEnd, typeEndDate, typeEndTime, typeZone, typeStatus, typeKey, typeNumber, typeAside}
	filled, most := 0, 0
	dated, ofEvents := false, false
	for _, h := range headers {
		claims := slices.DeleteFunc(claimsOf(h), func(cl claim) bool { return cl.basis == BySimilar })
		if slices.ContainsFunc(claims, func(cl claim) bool { return slices.Contains(starts, cl.semantic) }) {
			dated = true
			continue
		}
		if h != "" {
			filled++
		}
		_, ofCoupons := Field(catalog.Coupons, h)
		other := func(cl claim) bool { return !slices.Contains(besides, cl.semantic) }
		ofEvents = ofEvents || !ofCoupons && slices.ContainsFunc(claims, other)
	}
	for _, other := range catalog.Resources {
		if dated && (ofEvents || other != catalog.Coupons) {
			continue
		}
		named := slices.DeleteFunc(slices.Clone(headers), func(h string) bool {
			_, of := Field(other, h)
			_, also := Field(described, h)
			return !of || also
		})
		if n := Named(other, headers); len(named) > 1 && n > most && 2*n > filled {
			r, own, most = other, named, n
		}
	}
	return r, own
}

// NamesDays reports whether a column may hold the days of the week of the dates beside it, by its header.
func NamesDays(header string) bool { return in("weekday header", header) }

// NamesMail reports whether a column holds the e-mail addresses of guests, by its header.
func NamesMail(header string) bool { return in("mail header", header) }

// Starts reports whether headers of which one is of e-mail addresses say when events start. A date is no start beside
// nothing that is of an event: it may be the day on which a person has booked.
func Starts(headers []string) bool {
	dated, event := false, false
	for _, h := range headers {
		for _, cl := range claimsOf(h) {
			switch cl.semantic {
			case typeStart, typeStartDate, typeStartTime, typeTime:
				return true
			case typeWhen:
				dated = true
			case typeName:
				event = event || !in("person header", h)
			case typeEnd, typeEndDate, typeEndTime, typeLength, typeDoors, typeVenue, typeRoom, typeCapacity, typeSummary, typeDescription:
				event = true
			}
		}
	}
	return dated && event
}

// Meaning returns the value of an enumeration, or of yes and no, that people mean by
// a word in one of four languages: public for Everyone. It is exact: a word that is
// merely near means nothing.
func Meaning(field schema.ID, text string) (value string, ok bool) {
	return meaning(catalog.Field(field), text)
}

// meaning returns the field's value that a cell's text stands for.
func meaning(field *schema.Field, text string) (content string, ok bool) {
	if field.Kind == schema.Bool {
		return truth(text)
	}
	if v, fault := value.ParseEnum(text, field.Path, field.Values); fault == nil {
		return v, true
	}
	content, ok = cellWords()[field.Path][fold(text)]
	return content, ok
}

// truth returns true or false for a word that means yes or no.
func truth(text string) (content string, ok bool) {
	switch b, fault := value.ParseBool(text); {
	case text != "" && strings.Trim(text, "✓✔☑✅") == "":
		return "true", true
	case fault != nil:
		content, ok = cellWords()["boolean"][fold(text)]
		return content, ok
	case b:
		return "true", true
	}
	return "false", true
}
