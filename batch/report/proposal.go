package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"eventbatch/batch/printable"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/match"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
)

// ProposalLine is a line of a mapping that is proposed: a column or a setting, and what becomes of it.
type ProposalLine struct {
	Questions []*match.Question // whose answers change it, the open ones first

	heading string
	parts   []string
}

// ProposalLines puts a proposal into lines: the columns that are used in the order of the file,
// then what no column says.
func ProposalLines(p *match.Proposal) []ProposalLine {
	l := lineMaker{p: p, told: map[string]bool{}}
	for i := 0; i < len(p.Shapes); {
		end := i + 1
		for end < len(p.Shapes) && p.Shapes[end].Column == p.Shapes[i].Column {
			end++
		}
		l.column(p.Shapes[i:end])
		i = end
	}
	for i := range p.Lines {
		l.setting(&p.Lines[i])
	}
	for i := range p.Questions {
		if q := &p.Questions[i]; !l.told[q.ID] {
			l.open(q)
		}
	}
	return l.lines
}

type lineMaker struct {
	p     *match.Proposal
	lines []ProposalLine
	told  map[string]bool // ids of the questions that a line has
}

// orderWords says an order of dates.
var orderWords = map[string]string{"dmy": "day, month, year", "mdy": "month, day, year", "ymd": "year, month, day"}

// column adds the line of a column with the shapes of its cells.
func (l *lineMaker) column(shapes []match.Shape) {
	header := shapes[0].Column
	var at, fields []string
	for i := range l.p.Lines {
		line := &l.p.Lines[i]
		if slices.Contains(line.Columns, header) && !line.AboutRows() {
			at = append(at, line.At)
			if words := l.title(line.At); !slices.Contains(fields, words) {
				fields = append(fields, words)
			}
		}
	}
	if len(fields) == 0 { // it says something of its rows
		for i := range l.p.Lines {
			if line := &l.p.Lines[i]; slices.Contains(line.Columns, header) && !slices.Contains(fields, l.title(line.At)) {
				fields = append(fields, l.title(line.At))
			}
		}
	}
	added := ProposalLine{heading: printable.Brief(header, 30) + " → " + strings.Join(fields, ", "), parts: shapeWords(shapes)}
	added.Questions = l.questions(func(q *match.Question) bool {
		return !q.OfColumn() && slices.Contains(at, q.At) && (len(q.Columns) == 0 || slices.Contains(q.Columns, header))
	})
	if len(added.Questions) == 0 {
		added.Questions = l.questions(func(q *match.Question) bool { return q.OfColumn() && q.Columns[0] == header })
	}
	l.lines = append(l.lines, added)
}

// questions returns those of a kind, the open ones first.
func (l *lineMaker) questions(is func(*match.Question) bool) []*match.Question {
	var found []*match.Question
	for _, all := range [][]match.Question{l.p.Questions, l.p.Settled} {
		for i := range all {
			if q := &all[i]; is(q) {
				found = append(found, q)
				l.told[q.ID] = true
			}
		}
	}
	return found
}

// setting adds a line that stands for no column.
func (l *lineMaker) setting(line *match.Line) {
	if len(line.Columns) > 0 && !line.AboutRows() {
		return
	}
	f := &l.p.File
	value := map[string]string{
		"date_order": orderWords[f.DateOrder], "filter": f.Filter, "timezone.default": f.Timezone.Default, "hidden_rows": f.Hidden,
		"struck_rows": f.Struck,
	}[line.At]
	added := ProposalLine{heading: l.title(line.At)}
	added.Questions = l.questions(func(q *match.Question) bool { return q.At == line.At && !q.OfColumn() })
	if value == "" && len(added.Questions) > 0 {
		value = added.Questions[0].Default
	}
	words := []string{value, line.Reason}
	if line.At == "filter" && len(added.Questions) > 0 { // its expression is for the mapping
		words = nil
		for _, q := range added.Questions {
			asked := " "
			if slices.ContainsFunc(l.p.Questions, func(open match.Question) bool { return open.ID == q.ID }) {
				asked = " ? "
			}
			words = append(words, q.Default+asked+" "+q.Text)
		}
	}
	for _, text := range words {
		if text != "" && text != "answered" {
			added.parts = append(added.parts, printable.Clean(text))
		}
	}
	l.lines = append(l.lines, added)
}

// open adds the line of a question that no other line has.
func (l *lineMaker) open(q *match.Question) {
	added := ProposalLine{heading: l.title(q.At), parts: []string{"? " + printable.Clean(q.Text)}, Questions: []*match.Question{q}}
	if len(q.Columns) == 1 && len(q.Choices) > 0 && q.Choices[0].Value == q.Columns[0] {
		added.heading = printable.Brief(q.Columns[0], 30) + " → " + added.heading
	}
	if q.Default != "" {
		added.parts = []string{printable.Clean(q.Default) + " ?", printable.Clean(q.Text)}
	}
	l.lines = append(l.lines, added)
}

// title returns what people call a line of a mapping.
func (l *lineMaker) title(at string) string {
	r, _ := catalog.ResourceNamed(l.p.File.Resource)
	if f, ok := r.ByPath(at); ok {
		return strings.ToLower(f.Title())
	}
	switch top, _, _ := strings.Cut(at, "."); top {
	case "timezone":
		return "time zone"
	case "date_order":
		return "order of dates"
	case "skip_rows":
		return "rows left out"
	case "filter":
		return "rows taken"
	default:
		return strings.ReplaceAll(top, "_", " ")
	}
}

// shapeWords says what the cells of a column are and become. Of those that nobody needs to
// look at, the first are enough.
func shapeWords(shapes []match.Shape) []string {
	const most = 8
	if s := &shapes[0]; len(shapes) == 1 && s.Becomes == "" && s.Asked == "" && !s.Refused {
		if s.Example == "" {
			return []string{"no cell is filled"}
		}
		return []string{Count(s.Count, "cell") + ", such as " + printable.Brief(s.Example, 40)}
	}
	var parts []string
	plain, more := 0, 0
	for i := range shapes {
		s := &shapes[i]
		if plain++; s.Example == "" || plain > most && s.Reading == "" && s.Asked == "" && !s.Refused {
			more += s.Count
			continue
		}
		parts = append(parts, shapeText(s))
	}
	if more > 0 {
		parts = append(parts, "and "+Count(more, "cell")+" more")
	}
	return parts
}

func shapeText(s *match.Shape) string {
	text := printable.Brief(s.Example, 30)
	if s.Stored {
		text = "stored as dates"
		if !strings.Contains(s.Example, "-") {
			text = "stored as times"
		}
	}
	text += " ×" + Number(s.Count)
	switch {
	case s.Refused:
		return text + " is not read"
	case s.Becomes != "" && s.Becomes != s.Example && !s.Stored:
		text += " → " + printable.Clean(s.Becomes)
	}
	if s.Weekday {
		text += " ✓"
	}
	if s.Asked != "" {
		text += " ?"
	}
	return text
}

// Proposal shows the lines of a mapping that is proposed, and what is left out.
func (s *Screen) Proposal(lines []ProposalLine, p *match.Proposal) {
	digits, wide := len(strconv.Itoa(len(lines))), 0
	for i := range lines {
		wide = max(wide, Width(lines[i].heading))
	}
	wide = min(wide, 34)
	places := digits + 2 + wide + 2
	s.Printf("\n")
	for i := range lines {
		number := strconv.Itoa(i + 1)
		heading := strings.Repeat(" ", digits-len(number)) + number + "  " + lines[i].heading
		if Width(lines[i].heading) > wide {
			s.Printf("%s\n", heading)
			heading = ""
		}
		s.Beside(heading, places, lines[i].parts)
	}
	var reasons []string
	columns := map[string][]string{}
	for _, i := range p.Ignored {
		if columns[i.Reason] == nil {
			reasons = append(reasons, i.Reason)
		}
		columns[i.Reason] = append(columns[i.Reason], printable.Brief(i.Header, 30))
	}
	for i, reason := range reasons {
		heading := ""
		if i == 0 {
			heading = strings.Repeat(" ", digits+2) + "left out"
		}
		s.Beside(heading, places, []string{strings.Join(columns[reason], ", ") + ": " + printable.Clean(reason)})
	}
	s.Printf("\n")
}

// ProposalWhy says why each line is as it is, and what the questions are about.
func (s *Screen) ProposalWhy(p *match.Proposal) {
	titles := lineMaker{p: p}
	for _, l := range p.Lines {
		heading := titles.title(l.At)
		if len(l.Columns) > 0 {
			heading = strings.Join(l.Columns, " + ") + " → " + heading
		}
		s.Printf("%s: %s\n", printable.Clean(heading), printable.Clean(l.Words()))
	}
	for i := range p.Questions {
		q := &p.Questions[i]
		s.Printf("? %s (%s)\n", printable.Clean(q.Text), printable.Clean(q.Why))
	}
}

// Questions lists what is open, and what follows.
func (s *Screen) Questions(p *match.Proposal, following []match.Following) {
	if s.quiet {
		return
	}
	for i := range p.Questions {
		word := "open"
		if p.Questions[i].Optional {
			word = "optional"
		}
		s.question(word, &p.Questions[i])
	}
	for i := range following {
		f := &following[i]
		s.question("with "+printable.Clean(strings.Join(f.After, " or ")), &f.Question)
	}
}

func (s *Screen) question(word string, q *match.Question) {
	s.Printf("%s: %s\n", word, printable.Clean(q.Text))
	if q.Why != "" {
		s.Printf("  %s\n", printable.Clean(q.Why))
	}
	s.Printf("  %s\n", printable.Clean(answering(q)))
}

// answering names the flag that settles a question: with its default, where it has one.
func answering(q *match.Question) string {
	const most, some = 12, 6
	others := slices.DeleteFunc(q.Takes(), func(answer string) bool { return answer == q.Default })
	if more := len(others) - some; len(others) > most {
		others = append(others[:some], fmt.Sprintf("one of %d more, which the mapping lists", more))
	}
	switch {
	case q.Refused:
		return q.Free
	case q.Default == "":
		return "--answer " + spelling.Quoted(q.ID+"=VALUE") + ", VALUE being " + strings.Join(others, " | ")
	case len(others) == 0:
		return "--answer " + spelling.Quoted(q.ID+"="+q.Default)
	}
	return "--answer " + spelling.Quoted(q.ID+"="+q.Default) + ", or instead of " + q.Default + ": " + strings.Join(others, " | ")
}

// Mapped says what kind of file it is for which a mapping is proposed.
func (s *Screen) Mapped(t *match.Table, p *match.Proposal) {
	if s.quiet {
		return
	}
	where := printable.Clean(t.File)
	switch {
	case len(t.Config.Sheet) > 1:
		where += ":" + printable.Clean(strings.Join(t.Config.Sheet, ", "))
	case t.Sheet != "":
		where += ":" + printable.Clean(t.Sheet)
	}
	s.Printf("%s: %s below the header in row %d\n", where, Count(t.Rows(), "row"), t.HeaderRow)
	if t.Remark != "" {
		s.Printf("%s\n", printable.Clean(t.Remark))
	}
	for i := range t.Config.Joins {
		j := &t.Config.Joins[i]
		columns := printable.Clean(strings.Join(j.Columns, ", "))
		s.Printf("joined with sheet %q by %s: %s\n", printable.Clean(j.Sheet), printable.Clean(j.On), columns)
	}
	if len(t.Hidden) > 0 {
		s.Printf("hidden columns, which are read like the others: %s\n", printable.Clean(strings.Join(t.Hidden, ", ")))
	}
	if len(t.Others) > 0 {
		s.Printf("not read: %s; --sheet names another sheet\n", printable.Clean(printable.Names(t.Others)))
	}
	if len(p.Nameless) > 0 {
		names := make([]string, len(p.Nameless))
		for i, column := range p.Nameless {
			names[i] = schema.ColumnName(column)
		}
		s.Printf("columns without a header, which are not read: %s\n", printable.Names(names))
	}
	switch {
	case p.Source != "":
		s.Printf("the headers are those of %s\n", p.Source)
	case p.Near != "":
		s.Printf("the headers are nearly those of %s: eventbatch map show %s says what that expects\n", p.Near, p.Near)
	}
}

// MoreWords says what a mapping does besides: map knows 2 more columns (Max, City), would leave out
// 1 row ("CANCELLED" in "Status") and asks 1 question.
func MoreWords(sheets, columns []string, rows []match.OutRows, questions int) string {
	var parts, why []string
	if len(sheets) > 0 {
		parts = append(parts, "reads "+Count(len(sheets), "sheet")+" ("+briefly(sheets)+")")
	}
	if n := len(columns); n > 0 {
		parts = append(parts, "knows "+Count(n, "more column")+" ("+briefly(columns)+")")
	}
	n, does := 0, "would leave out "
	for _, r := range rows {
		n += r.Rows
		if r.What == "" && questions > 0 {
			does = "would leave out or ask about "
		}
		if r.What == "" {
			why = append(why, briefly(r.Values)+" in "+briefly([]string{r.Column}))
		} else {
			why = append(why, Count(r.Rows, r.What))
		}
	}
	if n > 0 {
		parts = append(parts, does+Count(n, "row")+" ("+strings.Join(why, "; ")+")")
	}
	if len(parts) > 0 && questions > 0 {
		parts = append(parts, "asks "+Count(questions, "question"))
	}
	if len(parts) == 0 {
		return ""
	}
	return "map " + spelling.Series(parts, "and")
}

// briefly lists texts of a file, the first of many, each between quotes.
func briefly(texts []string) string {
	const most = 6
	words := make([]string, 0, most+1)
	for _, text := range texts[:min(most, len(texts))] {
		if text = printable.Brief(text, 30); text == "" {
			words = append(words, "nothing")
			continue
		}
		words = append(words, `"`+text+`"`)
	}
	if more := len(texts) - most; more > 0 {
		words = append(words, Number(more)+" more")
	}
	return strings.Join(words, ", ")
}
