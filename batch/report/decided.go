package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"eventbatch/batch/printable"
	"eventbatch/mapping/schema"
)

// DecidedWords says what the platform decides, empty where that is nothing.
func DecidedWords(d schema.Decided) string {
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

// Unpriced says that new events sell a free ticket though the input has prices, which nothing takes; empty where that is not so.
func Unpriced(d schema.Decided, left []schema.LeftBehind) []string {
	at := slices.IndexFunc(left, func(l schema.LeftBehind) bool { return l.What == "prices" && l.Cells > 0 })
	if d.NoTickets == 0 || at < 0 {
		return nil
	}
	columns := left[at].Columns
	return []string{fmt.Sprintf("%s %s a free ticket, though the %s %s %s prices: everybody registers for nothing; "+
		"to charge them, bring ticket types with the prices in cents, on a sheet of their own called Ticket types",
		Count(d.NoTickets, "new event"), printable.Pick(d.NoTickets, "sells", "sell"), printable.Pick(len(columns), "column", "columns"),
		printable.Names(quotedAll(columns)), printable.Pick(len(columns), "has", "have"))}
}

func quotedAll(names []string) (quoted []string) {
	for _, name := range names {
		quoted = append(quoted, strconv.Quote(name))
	}
	return quoted
}
