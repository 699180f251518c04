package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/plan"
)

// PlanWords is what a plan's summary is drawn from.
type PlanWords struct {
	Run      string
	Resumed  bool
	BaseURL  string
	Rows     Rows
	Requests int
	Mailing  int // updates and cancellations that may mail guests
	Now      time.Time
	Finish   time.Time // zero where nothing is sent
	// Reasons counts the rows that send nothing by reason.
	Reasons []ReasonCount
}

// ReasonCount is how many rows have one action for one reason.
type ReasonCount struct {
	Action plan.Action
	Reason string
	Rows   int
}

// Plan prints what a plan would do.
func (s *Screen) Plan(p PlanWords) {
	verb := "planned"
	if p.Resumed {
		verb = "resuming"
	}
	s.Printf("%s %s: %s read\n", s.bold(verb+" run"), p.Run, Count(p.Rows.Read, "row"))
	for _, line := range []struct {
		n     int
		paint func(string) string
		words string
	}{
		{p.Rows.Create, s.green, "to create"},
		{p.Rows.Update, s.yellow, "to update"},
		{p.Rows.Cancel, s.red, "to cancel"},
	} {
		if line.n > 0 {
			s.Printf("  %8s %s\n", Number(line.n), line.paint(line.words))
		}
	}
	for _, r := range p.Reasons {
		s.Printf("  %8s %s\n", Number(r.Rows), s.dim(string(r.Action)+": "+Clean(r.Reason)))
	}
	if p.Mailing > 0 {
		s.Printf("  %s\n", s.yellow(fmt.Sprintf("%s may e-mail guests; the field suppress_email keeps updates quiet", Count(p.Mailing, "row"))))
	}
	if p.Requests > 0 {
		s.Printf("  %s to %s, done %s\n", Count(p.Requests, "request"), p.BaseURL, finish(p.Now, p.Finish))
	}
}

// finish says when something ends: in how long, and at what time of day.
func finish(now, at time.Time) string {
	wait := at.Sub(now)
	switch {
	case wait < time.Second:
		return "at once"
	case wait < time.Minute:
		return fmt.Sprintf("in about %d s", int(wait.Round(time.Second)/time.Second))
	case wait < time.Hour:
		return fmt.Sprintf("in about %d min (%s)", int((wait+30*time.Second)/time.Minute), at.Format("15:04"))
	case wait < 48*time.Hour:
		return fmt.Sprintf("in about %s (%s)", hours(wait), at.Format("Mon 15:04"))
	}
	return fmt.Sprintf("in about %d days (%s)", int(wait/(24*time.Hour)), at.Format("2 Jan 15:04"))
}

func hours(d time.Duration) string {
	d = d.Round(time.Minute)
	return fmt.Sprintf("%d h %02d min", int(d/time.Hour), int(d%time.Hour/time.Minute))
}

// Done prints what became of a run.
func (s *Screen) Done(run Run, took time.Duration) {
	r := run.Rows
	var parts []string
	for _, part := range []struct {
		n     int
		paint func(string) string
		word  string
	}{
		{r.Created, s.green, "created"},
		{r.Updated, s.green, "updated"},
		{r.Cancelled, s.green, "cancelled"},
		{r.Unchanged, s.dim, "unchanged"},
		{r.Skipped, s.dim, "skipped"},
		{r.Invalid, s.red, "invalid"},
		{r.Failed, s.red, "failed"},
		{r.InDoubt, s.red, "in doubt"},
		{r.Blocked, s.red, "blocked"},
		{r.Pending, s.yellow, "pending"},
	} {
		if part.n > 0 {
			parts = append(parts, part.paint(Number(part.n)+" "+part.word))
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing to do"}
	}
	s.Printf("%s: %s\n", s.bold(Count(r.Read, "row")), strings.Join(parts, ", "))
	if sent := run.Requests.Sent + run.Requests.Reads; sent > 0 {
		throttled := ""
		if n := run.Requests.Throttled; n > 0 {
			throttled = s.yellow(fmt.Sprintf(", %d throttled", n))
		}
		s.Printf("%s in %s%s\n", Count(sent, "request"), spent(took), throttled)
	}
	if run.Files.Results != "" {
		s.Printf("results: %s\n", run.Files.Results)
	}
	if r.Pending+r.InDoubt+r.Blocked > 0 {
		s.Printf("to go on: eventbatch apply %s\n", run.Run)
	} else if r.Failed > 0 {
		s.Printf("to try the failed rows again: eventbatch retry %s\n", run.Run)
	}
}

func spent(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d/time.Minute), int(d%time.Minute/time.Second))
	}
	return hours(d)
}

// SortReasons puts reasons into a fixed order: by action, then the most rows first.
func SortReasons(list []ReasonCount) {
	slices.SortFunc(list, func(a, b ReasonCount) int {
		return cmp.Or(strings.Compare(string(a.Action), string(b.Action)), cmp.Compare(b.Rows, a.Rows), strings.Compare(a.Reason, b.Reason))
	})
}

// Verdict is what a check comes to where no row is invalid.
func (s *Screen) Verdict(rows Checked, warnings int) string {
	words := s.green(Count(rows.Valid, "row") + " can be imported")
	if warnings > 0 {
		words += ", " + s.yellow(Count(warnings, "warning"))
	}
	return words
}

// Finding prints one thing that was looked at.
func (s *Screen) Finding(ok bool, subject, detail, hint string) {
	mark := s.green("ok  ")
	if !ok {
		mark = s.red("fail")
	}
	s.Printf("%s %s: %s\n", mark, Clean(subject), Clean(detail))
	if hint != "" {
		s.Printf("     hint: %s\n", Clean(hint))
	}
}
