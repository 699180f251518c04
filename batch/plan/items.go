package plan

import (
	"encoding/json"
	"slices"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// items is a list whose items have ids, such as the questions of a registration.
type items struct {
	order []string
	of    map[string]json.RawMessage
}

// itemsOf reads a list. ok is false where an item has no id, or that of another.
func itemsOf(value json.RawMessage) (list items, ok bool) {
	var all []json.RawMessage
	if json.Unmarshal(value, &all) != nil {
		return items{}, false
	}
	list.of = map[string]json.RawMessage{}
	for _, item := range all {
		var named struct{ ID string }
		if json.Unmarshal(item, &named) != nil || named.ID == "" || list.of[named.ID] != nil {
			return items{}, false
		}
		list.order, list.of[named.ID] = append(list.order, named.ID), item
	}
	return list, true
}

// insert adds the ids that the order lacks, each behind the one that it follows in another
// order.
func insert(order, other []string) []string {
	order = slices.Clone(order)
	for i, id := range other {
		if slices.Contains(order, id) {
			continue
		}
		at := 0
		if i > 0 {
			at = slices.Index(order, other[i-1]) + 1
		}
		order = slices.Insert(order, at, id)
	}
	return order
}

// mergeItems merges a list that both sides have changed, each item by itself: one that only
// one side has changed, added or taken out is as that side has it. Where both have, who says
// which is right; in conflict are the items of which nobody says. ok is false of lists that
// cannot be merged.
func (s *sides) mergeItems(who string) (merged json.RawMessage, conflicts []*sides, ok bool) {
	var lists [4]items
	for i, value := range []json.RawMessage{s.base.Mine, s.base.Live, s.mine, s.live} {
		if lists[i], ok = itemsOf(value); !ok {
			return nil, nil, false
		}
	}
	cell, shown, mine, live := lists[0], lists[1], lists[2], lists[3]
	both := func(a, b items) []string {
		return slices.DeleteFunc(slices.Clone(a.order), func(id string) bool { return b.of[id] == nil })
	}
	order := insert(live.order, mine.order)
	if !slices.Equal(both(mine, cell), both(cell, mine)) { // the cell has them in another order now
		order = insert(mine.order, live.order)
	}
	all := []json.RawMessage{}
	for _, id := range order {
		item := sides{
			field: s.field, base: Agreement{cell.of[id], shown.of[id]}, mine: mine.of[id], live: live.of[id],
			said: true, told: true, based: true,
		}
		item.compare()
		value := item.live
		switch {
		case item.same, !item.mineMoved:
		case !item.liveMoved, who == Mine:
			value = item.mine
		case who != Theirs:
			conflicts = append(conflicts, &item)
		}
		if value != nil {
			all = append(all, value)
		}
	}
	merged, err := json.Marshal(all)
	return merged, conflicts, err == nil && value.Parse(s.field, new(schema.Setting), string(merged)) == nil
}
