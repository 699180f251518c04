package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"eventbatch/batch/balance"
	"eventbatch/batch/printable"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// shownLeft is how many of what is left out are named below one line.
const shownLeft = 20

// Balance prints what a source holds beside what is made of it, and who or what is left out. What
// a ticket is left out for is not said of its price again.
func Balance(w io.Writer, lines []balance.Line) error {
	rows := [][]string{{"balance", "source", "made", "left out"}}
	var below [][]string // of the rows, but for the first
	add := func(name string, amount func(int64) string, l *balance.Line, left []balance.Left) {
		rows = append(rows, []string{printable.Clean(name), amount(l.Source), amount(l.Made), amount(l.Left())})
		words := leftWords(l.What, amount, left)
		if n := l.Unexplained(); n != 0 {
			words = append(words, amount(n)+" neither made nor left out: this is a defect of eventbatch")
		}
		below = append(below, words)
	}
	tickets := total(lines)
	for i := range lines {
		l := &lines[i]
		switch l.What {
		case balance.Tickets:
			if tickets != nil {
				add(l.What, plain, tickets, nil)
				tickets = nil
			}
			add("  "+l.Of, plain, l, l.LeftOut)
		case balance.Money:
			own := slices.DeleteFunc(slices.Clone(l.LeftOut), func(left balance.Left) bool { return ticketLess(lines, &left) })
			add(l.What, func(n int64) string { return value.MoneyWords(n, l.Of) }, l, own)
		default:
			add(strings.ReplaceAll(l.What, "-", " "), plain, l, l.LeftOut)
		}
	}
	var b strings.Builder
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], Width(cell))
		}
	}
	for n, row := range rows {
		b.WriteString(row[0] + strings.Repeat(" ", widths[0]-Width(row[0])))
		for i := 1; i < len(row); i++ {
			b.WriteString(strings.Repeat(" ", 2+widths[i]-Width(row[i])) + row[i])
		}
		b.WriteString("\n")
		if n > 0 {
			for _, words := range below[n-1] {
				b.WriteString("    " + words + "\n")
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func plain(n int64) string { return Number(int(n)) }

// total returns the line of all tickets, nil where there are none.
func total(lines []balance.Line) *balance.Line {
	var sum *balance.Line
	for i := range lines {
		if l := &lines[i]; l.What == balance.Tickets {
			if sum == nil {
				sum = &balance.Line{What: l.What}
			}
			sum.Source, sum.Made = sum.Source+l.Source, sum.Made+l.Made
			sum.LeftOut = append(sum.LeftOut, l.LeftOut...)
		}
	}
	return sum
}

// ticketLess reports whether the ticket is left out, too, whose price is.
func ticketLess(lines []balance.Line, left *balance.Left) bool {
	return slices.ContainsFunc(lines, func(l balance.Line) bool {
		return l.What == balance.Tickets && slices.ContainsFunc(l.LeftOut, func(t balance.Left) bool {
			return t.Row == left.Row && t.File == left.File && t.Sheet == left.Sheet && t.Why == left.Why
		})
	})
}

// leftWords returns a line for each that is left out, as far as they are shown.
func leftWords(what string, amount func(int64) string, list []balance.Left) (words []string) {
	for i := range list {
		if left := len(list) - i; i >= shownLeft && left > 1 {
			return append(words, "and "+Number(left)+" more: --json names every one")
		}
		left := &list[i]
		count := ""
		if what == balance.Tickets && left.Count > 1 || what == balance.Money {
			count = amount(left.Count) + " of "
		}
		at := schema.Place{File: left.File, Sheet: left.Sheet, Row: left.Row, Column: -1}
		words = append(words, printable.Clean(fmt.Sprintf("%s%s: %s (%s)", count, left.Who, left.Why, at)))
	}
	return words
}
