package plan

import (
	"encoding/json"
	"strconv"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// sides are the three values of one field, and what comparing them has shown.
type sides struct {
	field      *schema.Field
	base       Agreement // what the two said when they last agreed
	live, mine json.RawMessage
	said, told bool // the row says mine, the platform tells live
	based      bool // it is known what the two last agreed on
	movement
	// cell is what the cell says, where mine is told or sent in another form: a picture, or a
	// list that was merged with the platform's.
	cell   json.RawMessage
	merged bool
	// why says why the field stays as it is, and reason what that means for its row: empty where it stays
	// only because somebody has changed it on the platform.
	why, reason string
	fate        Decision // what becomes of the field; empty where there is nothing to say of it
}

// movement is what comparing the values of one field has shown.
type movement struct {
	same      bool // mine is live
	mineMoved bool // mine is not what the cell said
	liveMoved bool // live is not what the platform showed
	// unread means that what was sent was not read back yet, in the form that the platform
	// has given it.
	unread bool
}

// compare fills in what the values show.
func (s *sides) compare() {
	s.same = s.agree()
	s.mineMoved = s.said && !(s.based && value.Compare(s.field, s.mine, s.base.Mine) == value.Alike)
	if s.told && s.based {
		was := value.Compare(s.field, s.base.Live, s.live)
		s.liveMoved, s.unread = was == value.Unlike, was == value.Unclear
		if s.liveMoved && s.field.Wanes && less(s.live, s.base.Live) {
			s.liveMoved, s.unread = false, true // it was used
		}
	}
}

// known returns what the two last agreed on, as a person is told of it: nil where it is not known.
func (s *sides) known() json.RawMessage {
	if s.base.Mine != nil {
		return s.base.Mine
	}
	return s.base.Live
}

// change returns the field with what becomes of it.
func (s *sides) change(fate Decision) Change {
	return Change{Field: s.field.Path, Base: s.known(), Live: s.live, Mine: s.mine, Decision: fate}
}

func (s *sides) agree() bool {
	return s.said && s.told && value.Compare(s.field, s.mine, s.live) == value.Alike
}

// contested reports whether the field has a part in a conflict of those that stand together: one that differs as was agreed
// before has none.
func (s *sides) contested() bool {
	return s.said && !s.same && (!s.based || s.mineMoved || s.liveMoved)
}

// shown writes a value of the field for a message, a time in a zone, or else in the offset of the file's.
func (s *sides) shown(raw json.RawMessage, zone string) string {
	if s.field.Kind == schema.List {
		return strconv.Quote(value.Shown(s.field, raw))
	}
	return shown(beside(raw, s.mine, zone))
}

// less reports whether a number is less than another.
func less(a, b json.RawMessage) bool {
	var x, y float64
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && x < y
}
