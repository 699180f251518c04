package finding

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/schema"
)

// What a group names at most: so many different messages, and of the group and of
// each message so many cells.
const (
	firstMessages = 5
	firstPlaces   = 5
)

// HeaderCodes are the rules about headers: a sheet breaks them once a column.
var HeaderCodes = []schema.Code{
	schema.CodeUnmatchedColumn, schema.CodeDeprecatedName, schema.CodeEmptyHeader, schema.CodeDuplicateHeader,
}

// Groups counts problems by sheet, rule and column. What it keeps does not grow
// with the number of problems.
type Groups struct {
	// JoinHeaders makes one group of the headers of a sheet that break one rule.
	JoinHeaders bool
	All         []*Group // in the order in which they came
	index       map[groupKey]*Group
}

type groupKey struct {
	file, sheet string
	severity    schema.Severity
	code        schema.Code
	field       string
	column      int
}

// Group is the problems of one rule at one column.
type Group struct {
	Index    int            // in Groups.All
	First    schema.Problem // says the sheet and the rule
	Field    string
	Column   int // -1 where the problems are of several columns, or of none
	N        int
	Messages []Message      // the first few that differ
	Places   []schema.Place // of the first problems
	Hints    bool           // there are other hints than the first
	Values   bool           // there are other values than the first
	// Rest is what all messages say after the value that they begin with; it is
	// empty where they differ.
	Rest string
}

// Message is one of the messages of a group.
type Message struct {
	Text, Hint string
	N          int
	Value      string         // of the first
	Values     bool           // they have different values
	Places     []schema.Place // the first
}

// Add counts a problem and returns its group.
func (gs *Groups) Add(p *schema.Problem) *Group {
	key := groupKey{p.Place.File, p.Place.Sheet, p.Severity, p.Code, p.Field, p.Place.Column}
	if gs.JoinHeaders && slices.Contains(HeaderCodes, p.Code) {
		key.field, key.column = "", -1
	}
	if p.Place.Row <= 0 && p.Place.Header == "" && key.column == 0 {
		key.column = -1 // the zero Column of a problem that is at no cell
	}
	g := gs.index[key]
	if g == nil {
		g = &Group{Index: len(gs.All), First: *p, Field: key.field, Column: key.column, Rest: AfterValue(p.Message)}
		if gs.index == nil {
			gs.index = map[groupKey]*Group{}
		}
		gs.index[key] = g
		gs.All = append(gs.All, g)
	}
	g.add(p)
	return g
}

func (g *Group) add(p *schema.Problem) {
	g.N++
	g.Hints = g.Hints || p.Hint != g.First.Hint
	g.Values = g.Values || p.Value != g.First.Value
	if AfterValue(p.Message) != g.Rest {
		g.Rest = ""
	}
	if len(g.Places) < firstPlaces {
		g.Places = append(g.Places, p.Place)
	}
	i := slices.IndexFunc(g.Messages, func(m Message) bool { return m.Text == p.Message })
	if i < 0 {
		if len(g.Messages) == firstMessages {
			return
		}
		i = len(g.Messages)
		g.Messages = append(g.Messages, Message{Text: p.Message, Hint: p.Hint, Value: p.Value})
	}
	m := &g.Messages[i]
	m.N++
	m.Values = m.Values || p.Value != m.Value
	if len(m.Places) < firstPlaces {
		m.Places = append(m.Places, p.Place)
	}
}

// Alike reports whether all problems of the group have one message.
func (g *Group) Alike() bool { return g.Messages[0].N == g.N }

// Largest returns the groups of a severity, the largest first, and the number of
// their problems.
func (gs *Groups) Largest(severity schema.Severity) (list []*Group, problems int) {
	for _, g := range gs.All {
		if g.First.Severity == severity {
			list = append(list, g)
			problems += g.N
		}
	}
	slices.SortStableFunc(list, func(a, b *Group) int { return cmp.Compare(b.N, a.N) })
	return list, problems
}

// AfterValue returns what a message says after the quoted value that it begins
// with. It is empty where the message begins with none.
func AfterValue(message string) string {
	value, err := strconv.QuotedPrefix(message)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(message[len(value):], " ")
}

// GroupLine is a group as a document has it.
type GroupLine struct {
	File     string          `json:"file"`
	Sheet    string          `json:"sheet"`
	Column   string          `json:"column"` // letters; "" where the problems are at no cell
	Header   string          `json:"header"`
	Field    string          `json:"field"`
	Severity schema.Severity `json:"severity"`
	Code     schema.Code     `json:"code"`
	Count    int             `json:"count"`
	Messages []MessageLine   `json:"messages"` // the first few that differ
}

// MessageLine is one of the messages of a group.
type MessageLine struct {
	Message string   `json:"message"`
	Hint    string   `json:"hint"`
	Count   int      `json:"count"`
	Cells   []string `json:"cells"` // the first few
}

// Lines returns the groups as a document has them.
func (gs *Groups) Lines() []GroupLine {
	lines := make([]GroupLine, 0, len(gs.All))
	for _, g := range gs.All {
		at := g.First.Flat()
		line := GroupLine{
			File: at.File, Sheet: at.Sheet, Column: at.Column, Header: at.Header, Field: at.Field, Severity: g.First.Severity,
			Code: g.First.Code, Count: g.N,
		}
		for i := range g.Messages {
			m := &g.Messages[i]
			message := MessageLine{Message: m.Text, Hint: m.Hint, Count: m.N, Cells: []string{}}
			for _, place := range m.Places {
				if cell := place.Cell(); cell != "" {
					message.Cells = append(message.Cells, cell)
				}
			}
			line.Messages = append(line.Messages, message)
		}
		lines = append(lines, line)
	}
	return lines
}
