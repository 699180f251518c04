package match

import (
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/reads"
)

// split asks of the columns of the start whether cells that list several times or dates are an event for each.
func (b timeStep) split(columns []*column) {
	for _, c := range columns {
		rows, first := 0, ""
		for _, text := range c.distinct {
			if parts := datetime.List(text); parts != nil && reads.Beginning(text, c.header) == "" {
				if rows += c.times[text]; first == "" {
					first = text
				}
			}
		}
		if rows == 0 || b.p.File.Grid.Cell != "" {
			continue
		}
		parts := datetime.List(first)
		q := Question{
			ID: "split:" + c.header, At: "split",
			Text: "are cells such as " + quoted(first) + " of " + quoted(c.header) + " an event each?",
			Why:  rowsOf(rows) + " " + say(rows) + " more than one time",
			Choices: []Choice{
				{"each", "an event at " + strings.Join(parts, ", one at ")}, {"no", "what such cells mean is asked one by one"},
			},
		}
		if !mayBeOne(parts) && (isDate(parts[0]) || !strings.Contains(first, "/")) { // 19:00/20:00 may be the doors and the beginning
			q.Default = "each"
		}
		if answer, answered := b.ask(q, c); answered && answer == "no" {
			continue
		}
		b.p.File.Split = append(b.p.File.Split, c.header)
	}
}

// mayBeOne reports whether two of some dates are days beside each other, on which one event may take place.
func mayBeOne(parts []string) bool {
	for i := range len(parts) - 1 {
		a, ok := scan(parts[i])
		b, also := scan(parts[i+1])
		if ok && also && a.HasDate && b.HasDate && b.Wall()/86400-a.Wall()/86400 == 1 {
			return true
		}
	}
	return false
}

// split returns the cells with the parts of lists in the place of those.
func (k *cells) split() *cells {
	parts := &cells{kind: k.kind, count: k.count, times: map[string]int{}}
	for _, text := range k.texts {
		list := datetime.List(text)
		if list == nil {
			list = []string{text}
		}
		for _, part := range list {
			if parts.times[part] == 0 {
				parts.texts = append(parts.texts, part)
			}
			parts.times[part] += k.times[text]
		}
		parts.count += (len(list) - 1) * k.times[text]
	}
	return parts
}
