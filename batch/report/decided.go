package report

import (
	"strings"

	"eventbatch/mapping/schema"
)

// decidedWords says what the platform decides, empty where that is nothing.
func decidedWords(d schema.Decided) string {
	var words []string
	for _, each := range []struct {
		n         int
		one, many string
	}{
		{d.NoEnd, "lasts one hour, as it has no end", "last one hour, as they have no end"},
		{d.NoVisibility, "is public", "are public"},
		{d.NoTickets, "sells a free ticket", "sell a free ticket"},
	} {
		if each.n == 0 {
			continue
		}
		events, does := Number(each.n), each.many
		if len(words) == 0 {
			events = Count(each.n, "new event")
		}
		if each.n == 1 {
			does = each.one
		}
		words = append(words, events+" "+does)
	}
	return strings.Join(words, "; ")
}
