package match

import (
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/reshape"
	"eventbatch/mapping/yamldoc"
)

// filled proposes the columns whose blank cells take the value above: those of merged cells, and
// where a person says so that of the day.
func (b rowStep) filled() {
	read := b.p.File.Inputs()
	start, _ := b.p.File.Columns.Get("start_at")
	b.completed(read)
	for i := range b.all.columns {
		c := &b.all.columns[i]
		blanks, down := b.all.rows-c.filled, b.all.down[i]
		if b.completes(c) || blanks == 0 || c.filled == 0 || c.header == "" || c.twice || b.joined(c) || !slices.Contains(read, c.header) {
			continue
		}
		line := Line{Basis: ByValues, Reason: quoted(c.header) + " has cells that are merged downwards"}
		switch nameless := b.nameless(c); {
		case down > 0 && blanks <= down:
		case down > 0, nameless > 0 && len(start.From) > 0 && start.From[0] == c.header:
			why := rowsOf(nameless) + " with a name and nothing under " + quoted(c.header)
			if down > 0 {
				why = strconv.Itoa(blanks) + " cells are blank, " + strconv.Itoa(min(down, blanks)) + " of them because they are merged"
			}
			answer, _ := b.ask(Question{
				ID: "fill:" + c.header, At: "fill", Default: reshape.FillDown, Why: why,
				Text:    "does a blank cell under " + quoted(c.header) + " mean the same as the cell above?",
				Choices: []Choice{{reshape.FillDown, "it takes the value above"}, {"blank", "it stays blank"}},
			})
			if answer != reshape.FillDown {
				continue
			}
			line = Line{Basis: ByAnswer, Reason: "answered"}
		default:
			continue
		}
		b.say("fill", line)
		fill := &b.p.File.Fill
		if at := slices.IndexFunc(*fill, func(item yamldoc.Item[string]) bool { return item.Key == c.header }); at >= 0 {
			if word := &(*fill)[at].Value; strings.HasPrefix(*word, reshape.FillMonth) {
				*word += reshape.AlsoDown
			} else {
				*word = reshape.FillBoth
			}
			continue
		}
		*fill = append(*fill, yamldoc.Item[string]{Key: c.header, Value: reshape.FillDown})
	}
}

// nameless counts the rows that have a name and nothing in a column.
func (b rowStep) nameless(c *column) int {
	name, _ := b.p.File.Columns.Get("name")
	from := slices.Concat(name.From, b.p.File.Grid.Columns)
	n := 0
	for row := range min(b.all.rows, mostRows) {
		named := func(other column) bool { return other.has.at(row) && slices.Contains(from, other.header) }
		if !c.has.at(row) && slices.ContainsFunc(b.all.columns, named) {
			n++
		}
	}
	return n
}

// completed proposes the columns whose dates stand in headings, as a whole or in part.
func (b rowStep) completed(read []string) {
	a := &b.all.above
	for _, i := range a.columns {
		c := &b.all.columns[i]
		word := reshape.FillHeading
		if a.blank[i] > 0 {
			word = reshape.FillBoth
		}
		beside := a.months.completed[i] > 0 && !b.all.columns[a.months.column].twice
		if a.completed[i]+a.blank[i] == 0 && !beside || c.twice || b.completes(c) || !slices.Contains(read, c.header) {
			continue
		}
		if a.back != "" {
			if _, yes := b.ask(Question{
				ID: "years", At: "fill", Text: "are all dates below a heading such as " + quoted(a.texts[0]) + " of that year?",
				Why:     quoted(a.back) + " stands below a later date",
				Choices: []Choice{{"yes", "they are, in whatever order"}},
				Free:    "else write the year into each date", check: func(string) bool { return false },
			}, c); !yes {
				continue
			}
		}
		stands, texts, months := "in headings", a.texts, []*column(nil)
		if beside {
			months, texts = append(months, &b.all.columns[a.months.column]), a.months.texts
			word, stands = reshape.FillMonth+months[0].header, "under "+quoted(months[0].header)
			if year := a.months.year; year >= 0 && !b.all.columns[year].twice {
				months = append(months, &b.all.columns[year])
				word, stands = word+reshape.FillYear+months[1].header, stands+" and "+quoted(months[1].header)
			}
			word += b.anew(months)
		}
		b.p.File.Fill = append(b.p.File.Fill, yamldoc.Item[string]{Key: c.header, Value: word})
		b.say("fill", Line{
			Basis:  ByValues,
			Reason: "what the dates under " + quoted(c.header) + " lack stands " + stands + ": " + strings.Join(texts, ", "),
		}, months...)
	}
}

// anew asks of which year months are that begin anew without one, and returns that as a fill says it.
func (b rowStep) anew(months []*column) (word string) {
	m := &b.all.above.months
	if len(m.anew) == 0 {
		return ""
	}
	q := Question{
		ID: "years", At: "fill", Text: "of which year are months that stand below a later one, without a year?",
		Why:     strings.Join(m.anew[:min(3, len(m.anew))], ", "),
		Choices: []Choice{{reshape.YearNext, "of the year after"}, {reshape.YearSame, "of the year above"}},
		Free:    "else write the year into each row", check: func(string) bool { return false },
	}
	if !m.sorted {
		q.Default = reshape.YearNext
	}
	if answer, ok := b.ask(q, months...); ok {
		return ", " + answer
	}
	return ""
}
