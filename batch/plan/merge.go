package plan

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"eventbatch/mapping/schema"
)

// Decision says what becomes of a field that was compared with what is live.
type Decision string

// The decisions. What is the same on both sides, and was not changed by both, has none.
const (
	Send       Decision = "send"     // mine is sent
	Left       Decision = "leave"    // live stays: it was changed on the platform, and not in the file
	Same       Decision = "same"     // both sides have changed it to the same
	InConflict Decision = "conflict" // both have changed it, and nobody has said who is right
)

// Change is a field of a row on which the sides differ, or have both moved to the same
// value. A value that is not known is nil.
type Change struct {
	Field    string          `json:"field"`
	Base     json.RawMessage `json:"base,omitempty"`
	Live     json.RawMessage `json:"live,omitempty"`
	Mine     json.RawMessage `json:"mine,omitempty"`
	Decision Decision        `json:"decision"`
	Why      string          `json:"why,omitempty"` // of a decision that does not say it by itself
	// Currency is that of an amount in its smallest unit, empty where the row changes it too.
	Currency string `json:"currency,omitempty"`
}

// Base is what the two sides of a field said when they last agreed, as far as runs know, and
// when they did. What is not known is nil.
type Base struct {
	Agreement

	At    time.Time
	Other bool   // with rows of another source
	Sent  string // the run that has sent Live; empty where it was met on the platform
	// Undone is the run that has put the field back since, which is an undo; empty where none has.
	Undone string
	// Doubts are what was sent since, from new to old, of which nobody knows whether it has
	// arrived.
	Doubts []json.RawMessage
}

// given returns what the sides last agreed on, given what is live: where that is what was
// sent in doubt, it has arrived.
func (b Base) given(f *schema.Field, live json.RawMessage) Base {
	for _, sent := range b.Doubts {
		if f.Compare(b.Live, live) != schema.Alike && f.Compare(sent, live) != schema.Unlike {
			b.Agreement, b.Sent = Agreement{Mine: sent, Live: sent}, ""
			break
		}
	}
	return b
}

// Moved returns the fields that a record has otherwise on the platform than when it and its
// row last agreed, by their paths. live are its members as the service tells them.
func Moved(of *schema.Resource, base map[string]Base, live map[string]json.RawMessage) (paths []string) {
	for i := range of.Own {
		f := &of.Own[i]
		now := live[f.Read()]
		was := base[f.Path].given(f, now).Live
		if was == nil || now == nil || f.Local || f.Manner || f.Deprecated {
			continue
		}
		if f.Compare(was, now) == schema.Unlike {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// sides are the three values of one field, and what comparing them has shown.
type sides struct {
	field      *schema.Field
	base       Agreement // what the two said when they last agreed
	live, mine json.RawMessage
	said, told bool // the row says mine, the platform tells live
	based      bool // it is known what the two last agreed on
	same       bool // mine is live
	mineMoved  bool // mine is not what the cell said
	liveMoved  bool // live is not what the platform showed
	// unread means that what was sent was not read back yet, in the form that the platform
	// has given it.
	unread bool
	// cell is what the cell says, where mine is told or sent in another form: a picture, or a
	// list that was merged with the platform's.
	cell   json.RawMessage
	merged bool
	// unsent means that the request which has added the record could not say mine, and none has since.
	unsent bool
	// sent is the run by which the platform has live instead of what the export of the row, and its
	// cell, say; empty where it is not known of any.
	sent string
}

// compare fills in what the values show.
func (s *sides) compare() {
	s.same = s.agree()
	s.mineMoved = s.said && !(s.based && s.field.Compare(s.mine, s.base.Mine) == schema.Alike)
	if s.told && s.based {
		was := s.field.Compare(s.base.Live, s.live)
		s.liveMoved, s.unread = was == schema.Unlike, was == schema.Unclear
		if s.liveMoved && s.field.Wanes && less(s.live, s.base.Live) {
			s.liveMoved, s.unread = false, true // it was used
		}
	}
}

// less reports whether a number is less than another.
func less(a, b json.RawMessage) bool {
	var x, y float64
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && x < y
}

// known returns what the two last agreed on, as a person is told of it: nil where it is not known.
func (s *sides) known() json.RawMessage {
	if s.base.Mine != nil {
		return s.base.Mine
	}
	return s.base.Live
}

func (s *sides) agree() bool {
	return s.said && s.told && s.field.Compare(s.mine, s.live) == schema.Alike
}

// decide returns what becomes of fields that stand together: those among them on which
// the sides differ all have the same fate. What the platform does not tell has not moved
// there.
func decide(together []*sides, o *Options) Decision {
	differs, based, mine, live := false, true, false, false
	for _, s := range together {
		if s.same {
			continue
		}
		if s.said {
			differs, based, mine = true, based && s.based, mine || s.mineMoved
		}
		live = live || s.liveMoved
	}
	who := ""
	switch {
	case !differs:
		return Same
	case slices.ContainsFunc(together, func(s *sides) bool { return s.said && o.owns(s.field) }):
		who = Mine
	case !based:
		who = cmp.Or(o.First, Mine)
	case mine && live:
		who = o.OnConflict
	case mine:
		who = Mine
	case live:
		who = Theirs
	default:
		return Same
	}
	switch who {
	case Mine:
		return Send
	case Theirs:
		return Left
	}
	return InConflict
}

// merge makes mine the list of both sides, of which the file has changed at least its own. It
// returns what is in conflict: items of the list, or the list itself where it cannot be merged.
func (s *sides) merge(who string) (conflicts []*sides) {
	merged, conflicts, ok := s.mergeItems(who)
	switch {
	case !ok:
		return []*sides{s}
	case len(conflicts) > 0:
		return conflicts
	}
	switch {
	case s.field.Compare(merged, s.live) == schema.Alike:
		s.mineMoved, s.liveMoved = false, true // the platform has all of it
	case s.field.Compare(merged, s.mine) == schema.Alike:
		s.liveMoved = false
	default:
		s.cell, s.mine, s.merged, s.liveMoved = s.mine, merged, true, false
	}
	return nil
}

// owns reports whether the file is right about a field, whatever the platform has.
func (o *Options) owns(f *schema.Field) bool { return slices.Contains(o.Owns, f.Path) }

// The sides of [Options.First] and [Options.OnConflict].
const (
	Mine   = "mine"
	Theirs = "theirs"
	Fail   = "fail"
)

// groups puts the fields that stand together side by side, in the order of their first.
func groups(all []*sides) [][]*sides {
	var list [][]*sides
	at := map[string]int{}
	for _, s := range all {
		name := cmp.Or(s.field.With, s.field.Path)
		i, met := at[name]
		if !met {
			i, at[name] = len(list), len(list)
			list = append(list, nil)
		}
		list[i] = append(list[i], s)
	}
	return list
}
