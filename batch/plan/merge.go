package plan

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// Decision says what becomes of a field that was compared with what is live.
type Decision string

// The decisions. What is the same on both sides, and was not changed by both, has none.
const (
	Send       Decision = "send"     // mine is sent
	Left       Decision = "leave"    // live stays: it was changed on the platform, and not in the file
	Same       Decision = "same"     // both sides have changed it to the same
	InConflict Decision = "conflict" // both have changed it, and nobody has said who is right
	Follow     Decision = "follow"   // the platform changes it by itself, with one that is sent
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

// Sure reports whether Live is what the platform was told last, whatever became of what was sent in doubt.
func (b *Base) Sure() bool {
	return !slices.ContainsFunc(b.Doubts, func(sent json.RawMessage) bool { return !bytes.Equal(sent, b.Live) })
}

// given returns what the sides last agreed on, given what is live: where that is what was
// sent in doubt, it has arrived.
func (b Base) given(f *schema.Field, live json.RawMessage) Base {
	for _, sent := range b.Doubts {
		if value.Compare(f, b.Live, live) != value.Alike && value.Compare(f, sent, live) != value.Unlike {
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
		if value.Compare(f, was, now) == value.Unlike {
			paths = append(paths, f.Path)
		}
	}
	return paths
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
	case value.Compare(s.field, merged, s.live) == value.Alike:
		s.mineMoved, s.liveMoved = false, true // the platform has all of it
	case value.Compare(s.field, merged, s.mine) == value.Alike:
		s.liveMoved = false
	default:
		s.cell, s.mine, s.merged, s.liveMoved = s.mine, merged, true, false
	}
	return nil
}

// Together reports whether two fields, by their paths, are decided together.
func Together(a, b string) bool {
	return slices.ContainsFunc(catalog.Resources, func(r *schema.Resource) bool {
		one, _ := r.ByPath(a)
		other, _ := r.ByPath(b)
		return one != nil && other != nil && one.With != "" && one.With == other.With
	})
}

// Called is what a person calls the field of a path; the path where it is of none.
func Called(path string) string {
	for _, f := range catalog.FieldsNamed(path) {
		return strings.ToLower(f.Title())
	}
	return path
}

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
