package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
)

// Basis says what an opinion rests on.
type Basis string

// The bases, the surest first.
const (
	ByMapping Basis = "mapping"     // the mapping that is given says so
	ByAnswer  Basis = "answer"      // a person said so
	BySource  Basis = "source"      // the file comes from a program that is known
	ByPath    Basis = "exact"       // the header is the field's own name
	ByAlias   Basis = "alias"       // the header is a name that people use for it
	BySimilar Basis = "similar"     // the header is near such a name
	ByValues  Basis = "value shape" // the cells look like it, whatever the header says
)

// claim is what a header may mean.
type claim struct {
	semantic semantic
	field    *schema.Field // whose path the header is; nil for other headers
	basis    Basis
	score    int    // percent, of BySimilar
	word     string // the name that it is near to
	about    string // of typeAside: why no field takes it
	told     bool   // by a person
}

// fold brings a header to the form in which it is looked up: composed of lower
// case letters without accents and digits, one blank between words.
func fold(text string) string { return spelling.Bare(text) }

// claimsOf lists what a header may mean, the likeliest first. None are fuzzy
// where one is not.
func claimsOf(header string) []claim {
	if strings.Trim(header, " .:") == "#" {
		return []claim{{semantic: typeNumber, basis: ByAlias, word: "#"}}
	}
	name := fold(header)
	if name == "" {
		return nil
	}
	v := words()
	found := v.known(name, ByAlias, 0)
	if field, ok := v.paths[name]; ok {
		return append([]claim{{semantic: v.own[field], field: field, basis: ByPath, word: name}}, found...)
	}
	if found != nil {
		return found
	}
	both := v.inTwoLanguages(header)
	if len(both) > 0 && both[0].basis == ByAlias {
		return both
	}
	outside, _ := cutBrackets(header)
	bare := fold(outside)
	if found := v.known(bare, ByAlias, 0); found != nil {
		return found
	}
	if both != nil {
		return both
	}
	list := strings.Fields(bare)
	about := ""
	for _, word := range list {
		if hint := v.hints[word]; hint != "" && (about == "" || strings.HasPrefix(about, "tickets")) { // the price of a ticket
			about = hint
		}
	}
	if about != "" {
		return append(v.numbered(list[len(list)-1]), claim{semantic: typeAside, basis: BySimilar, score: 90, about: about})
	}
	for _, shorter := range v.shortened(bare) {
		if found := v.known(shorter, BySimilar, 90); found != nil {
			return found
		}
	}
	if found = v.nearest(bare); found == nil {
		found = v.within(bare)
	}
	if len(found) > 0 && found[0].semantic == typeCapacity && mentions(bare, "left") {
		return []claim{{semantic: typeAside, basis: BySimilar, score: 90, about: v.aside["spots left"]}}
	}
	if found != nil || len(list) < 2 {
		return found
	}
	return v.numbered(list[len(list)-1])
}

// known returns the claims of a folded header.
func (v *vocabulary) known(name string, basis Basis, score int) []claim {
	var claims []claim
	for _, t := range v.headers[name] {
		claims = append(claims, claim{semantic: t, basis: basis, score: score, word: name, about: v.aside[name]})
	}
	return claims
}

// numbered returns the claim of a header that ends in a word for a number or a code, such as "Member no": whether
// it names the rows is asked, if its cells could.
func (v *vocabulary) numbered(last string) []claim {
	for _, c := range v.known(last, BySimilar, 90) {
		if c.semantic == typeKey || c.semantic == typeNumber {
			c.semantic = typeNumber
			return []claim{c}
		}
	}
	return nil
}

// inTwoLanguages returns what all the names mean that a header has beside each other, such as
// "Zeit / Time". They are surely a header where each of them is known.
func (v *vocabulary) inTwoLanguages(header string) []claim {
	names := strings.FieldsFunc(header, func(r rune) bool { return strings.ContainsRune("/|\n()[]•·–—", r) })
	var common []claim
	all := true
	for _, name := range names {
		found := v.known(fold(name), ByAlias, 0)
		switch {
		case fold(name) == "":
		case found == nil:
			all = false
		case common == nil:
			common = found
		default:
			common = slices.DeleteFunc(common, func(c claim) bool {
				return !slices.ContainsFunc(found, func(f claim) bool { return f.semantic == c.semantic })
			})
			if len(common) == 0 {
				return nil
			}
		}
	}
	if !all {
		for i := range common {
			common[i].basis, common[i].score = BySimilar, 85
		}
	}
	return common
}

// cutBrackets parts a header into what stands outside and inside of brackets, which is a
// unit, a format or a note.
func cutBrackets(header string) (outside, inside string) {
	from := strings.IndexAny(header, "([")
	if from < 0 {
		return header, ""
	}
	if to := strings.LastIndexAny(header, ")]"); to > from {
		return header[:from] + " " + header[to+1:], strings.TrimSpace(header[from+1 : to])
	}
	return header[:from], header[from+1:]
}

// shortened returns a header without the words that only say what an event is, which it
// may have beside its own: "Session date", "Veranstaltungsdatum".
func (v *vocabulary) shortened(name string) []string {
	words := strings.Fields(name)
	kept := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return listOf("kind").set[w] })
	var all []string
	if len(kept) > 0 && len(kept) < len(words) {
		all = append(all, strings.Join(kept, " "))
	}
	for first := range listOf("compound").set {
		if rest, ok := strings.CutPrefix(name, first); ok && len(rest) > 2 && rest[0] != ' ' {
			all = append(all, rest)
		}
	}
	return all
}

// nearest returns what the word means that a header is a misspelling of.
func (v *vocabulary) nearest(name string) []claim {
	best, most := "", 79
	for size, words := range v.sizes() {
		if !ofOneSize(len(name), size) {
			continue
		}
		for _, word := range words {
			if score := similarity(name, word); score > most || score == most && word < best {
				best, most = word, score
			}
		}
	}
	return v.known(best, BySimilar, min(most, 88)) // less than a header that only has words too many
}

// bySize returns the headers that are known, each among those of its size.
func (v *vocabulary) bySize() [][]string {
	var all [][]string
	for word := range v.headers {
		for len(all) <= len(word) {
			all = append(all, nil)
		}
		all[len(word)] = append(all[len(word)], word)
	}
	return all
}

// similarity is how much of two longer words is the same, in percent; at most 75 where that is too little to count.
func similarity(a, b string) int {
	if !ofOneSize(len(a), len(b)) {
		return 0
	}
	long := max(len(a), len(b))
	return 100 - 100*spelling.Distance(a, b, long/4+1)/long
}

// ofOneSize reports whether words of these sizes are long enough, and enough of one size, for one to be taken for the other.
func ofOneSize(a, b int) bool {
	short, long := min(a, b), max(a, b)
	return short >= 5 && long-short <= long/5+1
}

// within returns what the longest known words mean that a longer header contains.
func (v *vocabulary) within(name string) []claim {
	words := strings.Fields(name)
	if len(words) < 2 || len(words) > 6 {
		return nil
	}
	for n := len(words) - 1; n > 0; n-- {
		for from := 0; from+n <= len(words); from++ {
			if n == 1 && len(words[from]) < 4 {
				continue
			}
			if found := v.known(strings.Join(words[from:from+n], " "), BySimilar, 50+40*n/len(words)); found != nil {
				return found
			}
		}
	}
	return nil
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
		if n < 2 && headsDays(rows, i) {
			n = 2
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

// HeaderTexts returns the texts of a row that is taken for a header, without blanks at the end. A real date is
// its day, such as 2027-03-08.
func HeaderTexts(row *sheet.Row, date1904 bool) []string {
	texts := make([]string, len(row.Cells))
	n := 0
	for i := range row.Cells {
		text := row.Cells[i].Text
		if row.Cells[i].Kind == sheet.Date {
			if m, fault := datetime.Serial(text, date1904); fault == datetime.OK && m.HasDate {
				m.HasTime = m.HasTime && !isMidnight(&m)
				text = string(m.Append(nil))
			}
		}
		if strings.TrimSpace(text) != "" {
			texts[i], n = text, i+1
		}
	}
	return texts[:n]
}

// headsDays reports whether the cells of a row but one or two are days, each another, and those below are not.
func headsDays(rows []sheet.Row, at int) bool {
	texts := HeaderTexts(&rows[at], false)
	filled := 0
	for _, text := range texts {
		if text != "" {
			filled++
		}
	}
	days, found := dayHeaders(texts), 0
	below := 0
	for i, day := range days {
		if day == nil {
			continue
		}
		found++
		for k := at + 1; k < len(rows); k++ {
			if cell := rows[k].Cell(i); cell.Kind == sheet.Date || dayHeaders([]string{cell.Text})[0] != nil {
				return false
			} else if cell.Kind != sheet.Blank {
				below++
			}
		}
	}
	return found > 1 && found+2 >= filled && below > 0
}

// vouched reports whether a text is a header that is known letter for letter, or two of them.
func vouched(text string) bool {
	v, name := words(), fold(text)
	if v.paths[name] != nil || v.headers[name] != nil && name != "" {
		return true
	}
	found := v.inTwoLanguages(text)
	return len(found) > 0 && found[0].basis == ByAlias
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
