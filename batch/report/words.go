package report

import (
	"fmt"
	"strings"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/printable"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Outlook is what a run has to do, and what it will not.
type Outlook struct {
	Rows     finding.Rows
	Of       finding.Resources
	Left     map[string]Kinds     // the rows that are left to be done, by action
	Found    int                  // of the updates left, those whose event was found again by its slug
	Effects  Effects              // of what is left
	Resource string               // what the rows are about that reach people; empty for events, [finding.Several] for several
	Reasons  []ReasonCount        // of the rows that send nothing
	Pictures []Picture            // that leave this machine
	Compared []finding.ChangeLine // the fields of rows that were compared with what is live
	Missing  []MissingLine        // the keys that are gone from their source
}

// Kinds are numbers of rows by what they are about.
type Kinds map[string]int

// Total returns the number of all rows.
func (k Kinds) Total() (n int) {
	for _, rows := range k {
		n += rows
	}
	return n
}

// words returns the numbers of several kinds, in the order of dependence; empty for one kind.
func (k Kinds) words() string {
	var words []string
	for _, r := range catalog.Resources {
		if n := k[r.Name]; n > 0 {
			words = append(words, Count(n, r.One))
		}
	}
	if len(words) < 2 {
		return ""
	}
	return ": " + strings.Join(words, ", ")
}

// Deeds says what is left to be done, such as "create 3 events, update 1 guest"; in short where that is much.
func (o *Outlook) Deeds() string {
	var deeds []string
	for _, action := range []string{"create", "update", "cancel"} {
		for _, r := range catalog.Resources {
			if n := o.Left[action][r.Name]; n > 0 {
				deeds = append(deeds, action+" "+Count(n, r.One))
			}
		}
	}
	if len(deeds) == 0 || len(deeds) > 3 {
		return "send " + Count(o.Rows.Open(), "row")
	}
	return strings.Join(deeds, ", ")
}

// PlanWords is what a plan's summary is drawn from.
type PlanWords struct {
	Outlook

	Run      string // empty of a plan that was refused
	Resumed  bool
	BaseURL  string
	Requests int // left
	Now      time.Time
	Finish   time.Time // zero where nothing is sent
	Changed  []Changed // the first rows that change something, at most shownChanges: see Add
	Dry      bool      // the plan is not kept
	Page     string    // the command that writes a report of all
}

// Plan prints what a plan would do.
func (s *Screen) Plan(p PlanWords) {
	read, left := Count(p.Rows[finding.Read], "row"), p.Rows.Open()
	switch {
	case p.Resumed && left == 0:
		s.Printf("%s %s is finished: nothing is left to send\n", s.Bold("run"), p.Run)
		return
	case p.Resumed:
		s.Printf("%s %s: %s read, %s left\n", s.Bold("resuming run"), p.Run, read, Number(left))
	case p.Run == "":
		s.Printf("%s: %s read\n", s.Bold("refused plan"), read)
	case p.Dry:
		s.Printf("%s: %s read\n", s.Bold("planned, and not kept"), read)
	default:
		s.Printf("%s %s: %s read\n", s.Bold("planned run"), p.Run, read)
	}
	found := ""
	if p.Found > 0 {
		found = ", " + Number(p.Found) + " found again by their slugs: " +
			"this workspace did not know them, what was agreed on, or their sources"
	}
	for _, line := range []struct {
		action string
		paint  func(string) string
		more   string
	}{{"create", s.green, ""}, {"update", s.yellow, found}, {"cancel", s.red, ""}} {
		if left := p.Left[line.action]; left.Total() > 0 {
			s.Printf("  %8s %s%s%s\n", Number(left.Total()), line.paint("to "+line.action), left.words(), line.more)
		}
	}
	for _, r := range p.Reasons {
		s.Printf("  %8s %s\n", Number(r.Rows), s.Dim(actionWords[r.Action]+": "+printable.Clean(r.Reason)))
	}
	planScreen{s}.parts(&p)
	if p.Requests > 0 {
		s.Printf("  %s to %s, done %s\n", Count(p.Requests, "request"), printable.Clean(p.BaseURL), finish(p.Now, p.Finish))
	}
}

// planScreen prints the parts of a plan that take a line each.
type planScreen struct{ *Screen }

func (s planScreen) parts(p *PlanWords) {
	s.missing(p.Missing)
	s.changes(p)
	s.left(p.Compared)
	s.effects(&p.Effects, p.Resource)
	s.pictures(p.Pictures)
}

// shownPictures is how many are named; the JSON has all.
const shownPictures = 10

// pictures names the files that are going to be published.
func (s planScreen) pictures(list []Picture) {
	if len(list) == 0 {
		return
	}
	whole := 0
	for _, p := range list {
		whole += p.Size
	}
	s.Printf("  %s to upload from this machine, %s:\n", s.yellow(Count(len(list), "picture")), Size(whole))
	for i, p := range list {
		if i == shownPictures {
			s.Printf("      and %s more\n", Number(len(list)-i))
			break
		}
		s.Printf("      %s, %s\n", s.Path(p.Path), Size(p.Size))
	}
}

// Size returns a number of bytes in the unit that suits it.
func Size(bytes int) string {
	switch {
	case bytes < 1000:
		return Count(bytes, "byte")
	case bytes < 1_000_000:
		return fmt.Sprintf("%d kB", (bytes+500)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}

// actionWords name the actions that send nothing.
var actionWords = map[string]string{
	"unchanged": "unchanged", "skip": "skipped", "conflict": "conflict", "blocked": "blocked", "invalid": "invalid",
}

// finish says when something ends: in how long, and at what time of day.
func finish(now, at time.Time) string {
	wait := at.Sub(now)
	at = at.Local()
	switch {
	case wait < time.Second:
		return "at once"
	case wait < time.Hour-30*time.Second && wait >= time.Minute-500*time.Millisecond:
		return fmt.Sprintf("in about %s (%s)", roughly(wait), at.Format("15:04"))
	case wait < time.Hour-30*time.Second:
		return "in about " + roughly(wait)
	case wait < 48*time.Hour:
		return fmt.Sprintf("in about %s (%s)", roughly(wait), at.Format("Mon 15:04"))
	case wait < year:
		return fmt.Sprintf("in about %s (%s)", roughly(wait), at.Format("2 Jan 15:04"))
	}
	return "in more than a year"
}

// left says how long something still takes, for a line with little room; nothing where that is no second.
func left(now, at time.Time) string {
	wait := at.Sub(now)
	switch {
	case wait < time.Second:
		return "" // what was foretold is over, or nearly: the rows that are settled say more
	case wait < time.Hour-30*time.Second:
		return roughly(wait) + " left"
	case wait < year:
		return roughly(wait) + " left, until " + at.Local().Format("15:04")
	}
	return "more than a year left"
}

// doneAbout says at what time something ends.
func doneAbout(now, at time.Time) string {
	wait, local := at.Sub(now), at.Local()
	switch {
	case wait >= year:
		return "done in more than a year"
	case wait >= 48*time.Hour:
		return "done about " + local.Format("2 Jan 15:04")
	case local.YearDay() != now.Local().YearDay():
		return "done about " + local.Format("Mon 15:04")
	}
	return "done about " + local.Format("15:04")
}

const year = 365 * 24 * time.Hour

// roughly gives a length of time to the unit that matters.
func roughly(d time.Duration) string {
	switch {
	case d < time.Minute-500*time.Millisecond:
		return fmt.Sprintf("%d s", int(d.Round(time.Second)/time.Second))
	case d < time.Hour-30*time.Second:
		return fmt.Sprintf("%d min", int((d+30*time.Second)/time.Minute))
	case d < 48*time.Hour:
		return hours(d)
	}
	return fmt.Sprintf("%d days", int(d/(24*time.Hour)))
}

func hours(d time.Duration) string {
	d = d.Round(time.Minute)
	return fmt.Sprintf("%d h %02d min", int(d/time.Hour), int(d%time.Hour/time.Minute))
}

// DoneWords is what the summary of a run is drawn from.
type DoneWords struct {
	Rows     finding.Rows
	Requests journal.Made
	Reached  *finding.Reached // nil where nobody was
	Took     time.Duration    // 0 where it is not known
	Results  string           // path; empty where there are none
	GoOn     string           // the command that goes on with the run, empty where nothing is open
	Retry    string           // the command that tries failed rows again, empty where none failed
}

// Done prints what became of a run.
func (s *Screen) Done(d DoneWords) {
	var parts []string
	for _, status := range finding.Statuses {
		if n := d.Rows[status]; n > 0 {
			parts = append(parts, s.statusPaint(status)(Number(n)+" "+status.Words()))
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing to do"}
	}
	s.Printf("%s: %s\n", s.Bold(Count(d.Rows[finding.Read], "row")), strings.Join(parts, ", "))
	for _, line := range d.Reached.Lines() {
		s.Printf("%s\n", s.yellow(line))
	}
	if sent := d.Requests.Sent + d.Requests.Reads; sent > 0 {
		words := Count(sent, "request")
		if d.Took > 0 {
			words += " in " + spent(d.Took)
		}
		if n := d.Requests.Throttled; n > 0 {
			words += ", " + s.yellow(Number(n)+" throttled")
		}
		s.Printf("%s\n", words)
	}
	if d.Results != "" {
		s.Printf("results: %s\n", s.Path(d.Results))
	}
	if d.GoOn != "" {
		s.Printf("to go on: %s\n", printable.Clean(d.GoOn))
	}
	if d.Retry != "" {
		s.Printf("to try the failed rows again: %s\n", printable.Clean(d.Retry))
	}
}

// statusPaint returns the colour of a status.
func (s *Screen) statusPaint(status finding.Status) func(string) string {
	switch status {
	case finding.Created, finding.Updated, finding.Cancelled:
		return s.green
	case finding.Unchanged, finding.Skipped:
		return s.Dim
	case finding.Pending:
		return s.yellow
	}
	return s.red
}

func spent(d time.Duration) string {
	switch d = d.Round(100 * time.Millisecond); {
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d/time.Minute), int(d%time.Minute/time.Second))
	}
	return hours(d)
}

// Verdict is what a check comes to where no row is invalid.
func (s *Screen) Verdict(rows Checked, warnings int) string {
	words := s.green(Count(rows.Valid-rows.Skipped, "row") + " can be imported")
	if rows.Skipped > 0 {
		words += ", " + Number(rows.Skipped) + " skipped"
	}
	if warnings > 0 {
		words += ", " + s.yellow(Count(warnings, "warning"))
	}
	return words
}

// Invalids says how many rows are invalid.
func Invalids(invalid, read int) string {
	switch {
	case read == 1:
		return "the only row is invalid"
	case invalid == read:
		return fmt.Sprintf("all %s rows are invalid", Number(read))
	case invalid == 1:
		return fmt.Sprintf("1 of %s rows is invalid", Number(read))
	}
	return fmt.Sprintf("%s of %s rows are invalid", Number(invalid), Number(read))
}

// Level is how good a finding is.
type Level string

// The levels of a finding. Only Bad fails.
const (
	Good Level = "ok"
	Note Level = "note"
	Bad  Level = "fail"
)

// Finding is one thing that was looked at.
type Finding struct {
	Subject string `json:"subject"`
	OK      bool   `json:"ok"`
	Level   Level  `json:"level"`
	Detail  string `json:"detail"`
	Hint    string `json:"hint,omitempty"`
	Err     error  `json:"-"` // why it failed
}

// Found returns the finding that something is as it should be.
func Found(subject, format string, args ...any) Finding {
	return Finding{Subject: subject, OK: true, Level: Good, Detail: fmt.Sprintf(format, args...)}
}

// Failing returns the finding that something is not.
func Failing(subject string, err error) Finding {
	return Finding{Subject: subject, Level: Bad, Detail: err.Error(), Err: err}
}

// Finding prints one thing that was looked at.
func (s *Screen) Finding(f *Finding) {
	paint := map[Level]func(string) string{Good: s.green, Note: s.yellow, Bad: s.red}[f.Level]
	for i, line := range strings.Split(f.Detail, "\n") {
		if i == 0 {
			s.Printf("%s %s: %s\n", paint(fmt.Sprintf("%-4s", f.Level)), printable.Clean(f.Subject), printable.Clean(line))
			continue
		}
		s.Printf("     %s\n", printable.Clean(line))
	}
	s.hint(f.Hint, "     ")
}

// Span gives a length of time in words: 60 s, 5 min, 1 h 30 min.
func Span(d time.Duration) string {
	switch {
	case d < 100*time.Second:
		return fmt.Sprintf("%d s", int((d+time.Second-1)/time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int((d+30*time.Second)/time.Minute))
	}
	return hours(d)
}

// Decided prints what the platform decides.
func (s *Screen) Decided(d schema.Decided) {
	if words := DecidedWords(d); words != "" {
		s.Printf("%s\n", s.Dim("the platform decides: "+words))
	}
}
