package match

import (
	"slices"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// columnID begins the ids of the questions about what a column feeds. None of them is ever open: the file answers each in one
// way or the other, and a person may say it otherwise.
const columnID = "column:"

// Column is one column of a file, with what a mapping reads from it.
type Column struct {
	Letter   string   `json:"letter"` // empty for one of a joined sheet
	Header   string   `json:"header"`
	Filled   int      `json:"filled"` // cells
	Examples []string `json:"examples"`
	Feeds    []string `json:"feeds"` // lines of the mapping that read it
	Why      string   `json:"why"`
	Doubt    string   `json:"doubt,omitempty"`
	Question string   `json:"question,omitempty"` // id of that about what it feeds; empty where an answer changes nothing
}

// Columns returns the columns of the file that it is about, as it reads them.
func (p *Proposal) Columns(of *Table) []Column {
	list := make([]Column, len(of.columns))
	for i := range of.columns {
		known, l := &of.columns[i], &list[i]
		*l = Column{Header: known.header, Filled: known.filled, Examples: known.examples, Feeds: []string{}}
		if i < of.Config.Width || len(of.Config.Joins) == 0 {
			l.Letter = schema.ColumnName(i)
		}
		var why, doubts []string
		add := func(list *[]string, text string) {
			if text != "" && !slices.Contains(*list, text) {
				*list = append(*list, text)
			}
		}
		for k := range p.Lines {
			if line := &p.Lines[k]; slices.Contains(line.Columns, known.header) && known.header != "" {
				add(&l.Feeds, line.At)
				add(&why, line.Reason)
				add(&doubts, line.Doubt)
			}
		}
		for _, ignored := range p.Ignored {
			if ignored.Header == known.header && len(l.Feeds) == 0 {
				add(&why, ignored.Reason)
			}
		}
		l.Why, l.Doubt = strings.Join(why, "; "), strings.Join(doubts, "; ")
		id := columnID + flat(known.header)
		if slices.ContainsFunc(p.Settled, func(q Question) bool { return q.ID == id }) {
			l.Question = id
		}
	}
	return list
}

// Feedable returns the fields of a resource that a column may feed, as answers.
func Feedable(r *schema.Resource) []Choice {
	choices := []Choice{{None, "it is left behind"}}
	for _, f := range r.Columns() {
		if !f.Canonical().Deprecated && f == f.Canonical() && f.Kind != schema.Object {
			choices = append(choices, Choice{f.Path, f.Title()})
		}
	}
	return choices
}

// OfColumn reports whether a question is about what a column feeds.
func (q *Question) OfColumn() bool { return strings.HasPrefix(q.ID, columnID) }

// told takes what a person says that a column feeds, as if its header were the name of the field. It reports whether a
// person says something.
func (i *inquiry) told(c *column) (path string, ok bool) {
	given, ok := i.config.Answers[columnID+flat(c.header)]
	if !ok || !i.mayTell(c) {
		return "", false
	}
	q := i.columnQuestion(c, Feedable(i.resource()))
	if path, ok = q.Accepts(given); !ok {
		return "", false
	}
	i.taken[q.ID] = true
	if path == None {
		i.ignore(c, "answered: it is left behind")
	}
	return path, true
}

// mayTell reports whether a person may say what a column feeds.
func (i *inquiry) mayTell(c *column) bool {
	return c.header != "" && !c.twice && !sheet.OwnColumn(c.header)
}

func (i *inquiry) columnQuestion(c *column, choices []Choice) Question {
	return Question{
		ID: columnID + flat(c.header), At: "ignore", Text: "which field does " + quoted(c.header) + " feed?", Why: examples([]*column{c}),
		Columns: []string{c.header}, Choices: choices, Default: None,
	}
}

// columns notes what each column feeds as a question that is settled.
func (i *inquiry) columns() {
	choices := Feedable(i.resource())
	for k := range i.all.columns {
		c := &i.all.columns[k]
		if !i.mayTell(c) {
			continue
		}
		q := i.columnQuestion(c, choices)
		for _, l := range i.p.Lines {
			if slices.Contains(l.Columns, c.header) && !l.AboutRows() && q.Default == None {
				q.At = l.At
				if slices.ContainsFunc(choices, func(c Choice) bool { return c.Value == l.At }) {
					q.Default = l.At
				}
			}
		}
		i.p.Settled = append(i.p.Settled, q)
	}
}
