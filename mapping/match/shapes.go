package match

import (
	"eventbatch/mapping/reads"
	"eventbatch/mapping/sheet"
)

// The bounds of the shapes that are kept of a column.
const (
	mostShapes  = 40
	mostTexts   = 20 // different ones of a shape
	longestText = 60 // of a cell that has a shape
)

// Shape is cells of one column that are read alike.
type Shape struct {
	Field   string   `json:"field"`  // path of the first field that the column feeds
	Column  string   `json:"column"` // header
	Example string   `json:"example"`
	Count   int      `json:"count"`
	Becomes string   `json:"becomes"`           // what the example is read as, in words; empty where it stands for itself or cannot be read
	Reading string   `json:"reading,omitempty"` // of the mapping, or of the default of the question; empty where the cells need none
	Asked   string   `json:"asked,omitempty"`   // id of the question that decides about it; empty where none is open
	Refused bool     `json:"refused,omitempty"` // the cells cannot be read, and check will say so
	Settled string   `json:"settled,omitempty"` // id of that by whose answer it may be read otherwise; empty where there is none
	Also    []string `json:"also,omitempty"`    // two further texts at most
	Weekday bool     `json:"-"`                 // the cells name a day of the week, which is that of their date
	Stored  bool     `json:"-"`                 // the spreadsheet has them as dates or times
}

// shapes are the shapes of a column's cells, in the order of the file.
type shapes struct {
	kinds []cells
	at    map[string]int
	more  int // cells that are of none of them
}

// cells are those of a column that have one shape.
type cells struct {
	kind  sheet.CellKind
	count int
	texts []string // different ones
	times map[string]int
}

func (s *shapes) add(kind sheet.CellKind, text string) {
	if len(text) > longestText {
		s.more++
		return
	}
	key := string(rune('0'+kind)) + reads.Shape(text)
	at, known := s.at[key]
	switch {
	case known:
	case len(s.kinds) == mostShapes:
		s.more++
		return
	default:
		if s.at == nil {
			s.at = map[string]int{}
		}
		at = len(s.kinds)
		s.at[key] = at
		s.kinds = append(s.kinds, cells{kind: kind, times: map[string]int{}})
	}
	s.kinds[at].add(text)
}

func (c *cells) add(text string) {
	c.count++
	if c.times[text] == 0 {
		if len(c.texts) == mostTexts {
			return
		}
		c.texts = append(c.texts, text)
	}
	c.times[text]++
}
