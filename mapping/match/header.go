package match

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
)

// Basis says what an opinion rests on.
type Basis string

// The bases, the surest first.
const (
	ByAnswer  Basis = "answer"      // a person said so
	BySource  Basis = "source"      // the file comes from a program that is known
	ByPath    Basis = "exact"       // the header is the field's own name
	ByAlias   Basis = "alias"       // the header is a name that people use for it
	BySimilar Basis = "similar"     // the header is near such a name
	ByValues  Basis = "value shape" // the cells look like it, whatever the header says
)

// claim is what a header may mean.
type claim struct {
	role  role
	field schema.ID // of rolePath
	basis Basis
	score int    // percent, of BySimilar
	word  string // the name that it is near to
}

// fold brings a header to the form in which it is looked up: composed of lower
// case letters without accents and digits, one blank between words.
func fold(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFD.String(strings.ToLower(strings.ReplaceAll(text, "ß", "ss"))) {
		switch {
		case unicode.Is(unicode.Mn, r) || r == '\ufeff':
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if gap && b.Len() > 0 {
				b.WriteByte(' ')
			}
			gap = false
			b.WriteRune(r)
		default:
			gap = true
		}
	}
	return b.String()
}

// claimsOf lists what a header may mean, the likeliest first. None are fuzzy
// where one is not.
func claimsOf(header string) []claim {
	if strings.Trim(header, " .:") == "#" {
		return []claim{{role: roleNumber, basis: ByAlias, word: "#"}}
	}
	name := fold(header)
	if name == "" {
		return nil
	}
	if id, ok := paths[name]; ok {
		return append([]claim{{role: roleOf(id), field: id, basis: ByPath, word: name}}, known(name, ByAlias, 0)...)
	}
	if found := known(name, ByAlias, 0); found != nil {
		return found
	}
	bare := fold(withoutBrackets(header))
	if found := known(bare, ByAlias, 0); found != nil {
		return found
	}
	if about := asideOf(bare); about != "" {
		return []claim{{role: roleAside, basis: BySimilar, score: 90, word: about}}
	}
	for _, shorter := range shortened(bare) {
		if found := known(shorter, BySimilar, 90); found != nil {
			return found
		}
	}
	if found := nearest(bare); found != nil {
		return found
	}
	return within(bare)
}

// known looks a folded header up.
func known(name string, basis Basis, score int) []claim {
	var claims []claim
	for _, r := range vocabulary[name] {
		claims = append(claims, claim{role: r, basis: basis, score: score, word: name})
	}
	return claims
}

// withoutBrackets drops what stands in brackets, which is a unit, a format or a note.
func withoutBrackets(header string) string {
	from, rest, found := strings.Cut(header, "(")
	if !found {
		from, rest, found = strings.Cut(header, "[")
	}
	if !found {
		return header
	}
	if i := strings.LastIndexAny(rest, ")]"); i >= 0 {
		return from + " " + rest[i+1:]
	}
	return from
}

// bracketed gives what stands in brackets.
func bracketed(header string) string {
	_, rest, found := strings.Cut(header, "(")
	if !found {
		return ""
	}
	inside, _, _ := strings.Cut(rest, ")")
	return strings.TrimSpace(inside)
}

// kinds are words for what an event is, which a header may have beside its own
// word: "Session date", "Titel der Veranstaltung".
var kinds = strings.Fields(`event events session class workshop meeting talk activity course programme program game match fixture
	concert show
	veranstaltung veranstaltungen veranstaltungs termin termine kurs spiel treffen vortrag sitzung konzert
	evento eventos actividad sesion curso reunion taller partido concierto charla
	evenement evenements activite seance cours reunion atelier match concert sortie
	the of a an der die des das del de la el los le les l d du`)

// compounds are German words that are written in one with what follows.
var compounds = []string{"veranstaltungs", "event", "termin", "kurs", "konzert", "spiel", "seminar"}

// shortened gives the header without words that only say what an event is.
func shortened(name string) []string {
	var kept []string
	words := strings.Fields(name)
	for _, w := range words {
		if !slices.Contains(kinds, w) {
			kept = append(kept, w)
		}
	}
	var all []string
	if len(kept) > 0 && len(kept) < len(words) {
		all = append(all, strings.Join(kept, " "))
	}
	for _, first := range compounds {
		if rest, ok := strings.CutPrefix(name, first); ok && len(rest) > 2 && rest[0] != ' ' {
			all = append(all, rest)
		}
	}
	return all
}

// nearest finds the words that a header is a misspelling of.
func nearest(name string) []claim {
	const enough = 80
	best := 0
	var found []claim
	if len(name) < 5 {
		return nil
	}
	for word, roles := range vocabulary {
		if len(word) < 5 {
			continue
		}
		score := min(similarity(name, word), 88) // less than a header that only has words too many
		if score < enough || score < best {
			continue
		}
		if score > best {
			best, found = score, nil
		}
		for _, r := range roles {
			if !slices.ContainsFunc(found, func(c claim) bool { return c.role == r && c.word <= word }) {
				found = append(
					slices.DeleteFunc(found, func(c claim) bool { return c.role == r }),
					claim{role: r, basis: BySimilar, score: score, word: word},
				)
			}
		}
	}
	slices.SortFunc(found, func(a, b claim) int { return int(a.role) - int(b.role) })
	return found
}

// within finds the words that a longer header contains.
func within(name string) []claim {
	words := strings.Fields(name)
	if len(words) < 2 || len(words) > 6 {
		return nil
	}
	for n := len(words) - 1; n > 0; n-- {
		for from := 0; from+n <= len(words); from++ {
			if n == 1 && len(words[from]) < 4 {
				continue
			}
			if found := known(strings.Join(words[from:from+n], " "), BySimilar, 50+40*n/len(words)); found != nil {
				return found
			}
		}
	}
	return nil
}

// similarity is how much of two words is the same, in percent.
func similarity(a, b string) int {
	long := max(len(a), len(b))
	if d := len(a) - len(b); d > long/5+1 || -d > long/5+1 {
		return 0
	}
	return 100 - 100*spelling.Distance(a, b, long)/long
}

// paths finds a field by its folded path. A deprecated one is its successor's.
var paths = func() map[string]schema.ID {
	table := map[string]schema.ID{}
	for _, f := range schema.Events.Columns() {
		if !f.Canonical().Deprecated {
			table[fold(f.Path)] = f.Canonical().ID
		}
	}
	return table
}()

// asideOf tells what a header that is about something else is about.
func asideOf(name string) string {
	for word := range strings.FieldsSeq(name) {
		if about, ok := asideWords[word]; ok {
			return about
		}
	}
	return ""
}

// Header finds the row that holds the headers among the first rows of a sheet: the
// one with the most words that are known, else the first whose cells are all texts,
// each another. known counts those words; -1 is no row.
func Header(rows []sheet.Row) (index, known int) {
	index = -1
	rows = rows[:min(len(rows), sheet.HeaderRows)]
	for i := range rows {
		n := 0
		for _, cell := range rows[i].Cells {
			if cell.Kind == sheet.Text && len(cell.Text) <= 100 && vouched(cell.Text) {
				n++
			}
		}
		if n > known && (n > 1 || i == 0) {
			index, known = i, n
		}
	}
	if index >= 0 {
		return index, known
	}
	for i := range rows {
		if titled(&rows[i]) {
			return i, 0
		}
	}
	return -1, 0
}

// vouched reports whether a text is a header that is known letter for letter.
func vouched(text string) bool {
	name := fold(text)
	if _, ok := paths[name]; ok {
		return true
	}
	_, ok := vocabulary[name]
	return ok && name != ""
}

// titled reports whether a row could be a header: two texts or more, each another.
func titled(row *sheet.Row) bool {
	seen := map[string]bool{}
	for _, cell := range row.Cells {
		switch {
		case cell.Kind == sheet.Blank:
		case cell.Kind != sheet.Text || seen[cell.Text] || len(cell.Text) > 80:
			return false
		default:
			if _, isTime := scan(cell.Text); isTime {
				return false
			}
			seen[cell.Text] = true
		}
	}
	return len(seen) > 1
}
