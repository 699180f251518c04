package file

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/printable"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/report/month"
	"eventbatch/batch/report/page"
	"eventbatch/mapping/durable"
)

// monthEndings are those of the files that a month can be written into.
var monthEndings = []string{".html", ".md", ".json"}

// MonthConfig is how a month is written.
type MonthConfig struct {
	Zone    *time.Location
	Version string
	Page    page.Options
	JSON    func(io.Writer) error // writes the document
}

// CheckMonth looks whether a month can be written into files of those names. The error is
// of the kind [failure.Usage].
func CheckMonth(names []string) error {
	for i, name := range names {
		if !slices.Contains(monthEndings, strings.ToLower(filepath.Ext(name))) {
			return nameError(name, "nights are not written so", "let it end in "+strings.Join(monthEndings, ", "))
		}
		if sameFile(name, names[:i]) != "" {
			return nameError(name, "two reports would go to this file", "give each report a name of its own")
		}
	}
	return nil
}

// WriteMonth writes a month into a file, in the form that the ending of its name says.
func WriteMonth(name string, m *month.Month, c *MonthConfig) error {
	folder, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return err
	}
	return durable.Replace(name, reportMode, func(w io.Writer) error {
		switch strings.ToLower(filepath.Ext(name)) {
		case ".md":
			return MonthMarkdown(w, m, c.Zone)
		case ".json":
			return c.JSON(w)
		}
		return page.WriteMonth(w, m, c.Zone, folder, c.Version, c.Page)
	})
}

// MonthMarkdown writes a month as a table of its sources, and what did not go well.
func MonthMarkdown(w io.Writer, m *month.Month, zone *time.Location) error {
	b := monthText{zone: zone}
	fmt.Fprintf(&b, "## Nights from %s to %s\n\n", b.moment(m.From), b.moment(m.To))
	b.sources(m)
	b.told(m)
	for i := range m.Sources {
		b.troubles(&m.Sources[i])
	}
	if m.Unread > 0 {
		fmt.Fprintf(&b, "\n%s of the record cannot be read.\n", printable.Count(m.Unread, "line"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// monthText is a month in Markdown, as far as it is written.
type monthText struct {
	strings.Builder
	zone *time.Location
}

func (b *monthText) moment(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.In(b.zone).Format("2 Jan 2006 15:04")
}

// sources writes a row for each source.
func (b *monthText) sources(m *month.Month) {
	if len(m.Sources) == 0 {
		b.WriteString("No night is on record in this time.\n")
	} else {
		b.WriteString(tableRow(
			"Source", "Nights", "Well", "Created", "Updated", "Cancelled", "Failed", "In doubt", "Requests", "429", "Last success",
		))
		b.WriteString("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n")
	}
	for i := range m.Sources {
		s := &m.Sources[i]
		cells := []string{markdownText(s.Name, nameMost)}
		for _, n := range []int{
			s.Totals.Nights, s.Totals.Well(), s.Totals.Rows[finding.Created], s.Totals.Rows[finding.Updated],
			s.Totals.Rows[finding.Cancelled], s.Totals.Rows[finding.Failed], s.Totals.Rows[finding.InDoubt],
			s.Totals.Requests.Total(), s.Totals.Requests.Throttled,
		} {
			cells = append(cells, printable.Number(n))
		}
		b.WriteString(tableRow(append(cells, b.moment(s.Success))...))
	}
}

// told writes who was told of each night on which somebody was.
func (b *monthText) told(m *month.Month) {
	told := false
	for i := range m.Sources {
		for j := range m.Sources[i].Nights {
			n := &m.Sources[i].Nights[j]
			if n.Reached == nil {
				continue
			}
			if !told {
				told = true
				b.WriteString("\n### Who was told\n\n")
			}
			fmt.Fprintf(
				b, "- %s, %s, run %s: **%s**\n", b.moment(n.Began), markdownText(m.Sources[i].Name, nameMost),
				markdownText(n.Run, nameMost), markdownText(n.Reached.Words(), messageMost),
			)
		}
	}
}

// troubles writes what did not go well with a source.
func (b *monthText) troubles(s *month.Source) {
	for i, t := range s.Troubles() {
		if i == 0 {
			fmt.Fprintf(b, "\n### %s\n\n", markdownText(s.Name, nameMost))
		}
		when := b.moment(t.Began)
		if t.N > 1 {
			when = fmt.Sprintf("%d times, %s to %s", t.N, when, b.moment(t.Until))
		}
		fmt.Fprintf(b, "- %s: **%s** %s\n", when, t.Outcome(), markdownText(cmp.Or(t.Exit.Error, t.Exit.Reason), messageMost))
		for _, line := range t.Problems {
			fmt.Fprintf(b, "  - %s\n", markdownText(line, messageMost))
		}
		if t.Exit.Hint != "" {
			fmt.Fprintf(b, "  - to do: %s\n", markdownText(t.Exit.Hint, messageMost))
		}
	}
}
