package match

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/datetime"
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
type section struct {
	kind, of string
	words    []string
}

// eventWords are the sections of the words of events.
var eventWords = sync.OnceValue(func() []section {
	var all []section
	for block := range strings.SplitSeq(eventText, "\n[") {
		head, body, _ := strings.Cut(block, "]\n")
		s := section{}
		var found bool
		if s.kind, s.of, found = strings.Cut(head, ": "); !found || block[0] == '#' {
			continue
		}
		for word := range strings.SplitSeq(body, ",") {
			s.words = append(s.words, strings.TrimSpace(word))
		}
		all = append(all, s)
	}
	return all
})

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
		for _, word := range s.words {
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
			for _, word := range s.words {
				table[word] = exactName{field: field, rank: rankOwn}
			}
		}
	}
	names, _ := exact.LoadOrStore(r, table)
	return names.(map[string]exactName)
}

var exact sync.Map // the tables of exactNames by *schema.Resource

// vocabulary is what the words of headers and cells mean in files of events, all of them folded.
type vocabulary struct {
	headers map[string][]semantic    // the likeliest first
	paths   map[string]*schema.Field // a deprecated one is its successor's
	own     map[*schema.Field]semantic
	feeds   map[semantic]string          // the path that a type feeds
	aside   map[string]string            // why no field takes a column of this header
	hints   map[string]string            // the same of headers with this word
	values  map[string]map[string]string // by path, boolean for all fields of yes and no
	pairs   map[string]string            // the word for no beside one for yes, and the other way round
	lists   map[string]map[string]bool
	begins  map[string]int      // the most words that one of a list has which begins so
	order   map[string][]string // the words of a list in their order
	setOff  wordSet             // what the name of an event may have beside it
	alone   wordSet             // what says a state in a column of anything else
	callOff wordSet             // what a text that calls an event off, or puts it off, begins with
	each    wordSet             // what begins to say how often an event takes place
}

// words is the vocabulary of events.
var words = sync.OnceValue(func() *vocabulary {
	v := &vocabulary{
		headers: make(map[string][]semantic, strings.Count(eventText, ",")/2),
		paths:   map[string]*schema.Field{}, own: map[*schema.Field]semantic{},
		feeds: map[semantic]string{}, aside: map[string]string{}, hints: map[string]string{},
		values: map[string]map[string]string{}, pairs: map[string]string{}, lists: map[string]map[string]bool{},
		begins: map[string]int{}, order: map[string][]string{},
	}
	for _, f := range described.Columns() {
		if !f.Canonical().Deprecated {
			v.paths[fold(f.Path)] = f.Canonical()
		}
	}
	for _, s := range eventWords() {
		v.add(&s)
	}
	v.each.add(datetime.RhythmBegins()...)
	return v
})

func (v *vocabulary) add(s *section) {
	all := make([]string, 0, len(s.words))
	for _, word := range s.words {
		if !strings.HasPrefix(word, "=") {
			all = append(all, fold(word))
		}
	}
	put := func(table map[string]string, value string) {
		for _, word := range all {
			table[word] = value
		}
	}
	switch s.kind {
	case "column":
		t, path, own, _ := s.column()
		v.feeds[t] = path
		if field, ok := described.ByPath(path); ok && own {
			v.own[field] = t
		}
		v.head(t, all)
	case "aside":
		v.head(typeAside, all)
		put(v.aside, s.of)
	case "aside word":
		put(v.hints, s.of)
	case "value":
		path, value, _ := strings.Cut(s.of, " ")
		if v.values[path] == nil {
			v.values[path] = map[string]string{}
		}
		put(v.values[path], value)
	case "pair":
		for _, both := range s.words {
			yes, no, _ := strings.Cut(both, " ")
			v.pairs[fold(no)] = yes
			if v.pairs[fold(yes)] == "" {
				v.pairs[fold(yes)] = no
			}
		}
	case "list":
		for i, word := range s.words {
			off := s.of == "cancelled" || s.of == "put off"
			if off || s.of == "held name" || s.of == "private name" {
				v.setOff.add(strings.ToLower(word), all[i])
			}
			if off || s.of == "held name" || s.of == "guest off" {
				v.alone.add(strings.ToLower(word), all[i])
			}
			if off && all[i] != "cancel" && all[i] != "absage" { // cancel by Friday; Absage bis Freitag
				for _, form := range [...]string{strings.ToLower(word), all[i]} {
					first, _, _ := strings.Cut(form, " ")
					v.callOff.add(first)
				}
			}
		}
		v.lists[s.of], v.order[s.of] = map[string]bool{}, all
		for _, word := range all {
			v.lists[s.of][word] = true
			first, _, _ := strings.Cut(word, " ")
			v.begins[first] = max(v.begins[first], 1+strings.Count(word, " "))
		}
	}
}

func (v *vocabulary) head(t semantic, names []string) {
	for _, name := range names {
		v.headers[name] = append(v.headers[name], t)
	}
}

// in reports whether a text is one of a list of words.
func (v *vocabulary) in(list, text string) bool { return v.lists[list][fold(text)] }

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
	list, v := strings.Fields(fold(header)), words()
	one := func(word string) bool { return word != "date" && v.in("of the shop", word) } // date of birth
	return !strings.Contains(header, "?") && len(list) <= longest && (v.in("of the shop", header) || slices.ContainsFunc(list, one))
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
func NamesDays(header string) bool { return words().in("weekday header", header) }

// NamesMail reports whether a column holds the e-mail addresses of guests, by its header.
func NamesMail(header string) bool { return words().in("mail header", header) }

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
				event = event || !words().in("person header", h)
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
	content, ok = words().values[field.Path][fold(text)]
	return content, ok
}

// truth returns true or false for a word that means yes or no.
func truth(text string) (content string, ok bool) {
	switch b, fault := value.ParseBool(text); {
	case text != "" && strings.Trim(text, "✓✔☑✅") == "":
		return "true", true
	case fault != nil:
		content, ok = words().values["boolean"][fold(text)]
		return content, ok
	case b:
		return "true", true
	}
	return "false", true
}
