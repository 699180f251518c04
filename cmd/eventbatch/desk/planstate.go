package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// planState is the plan as the page shows it, with the document of the command that has made it.
type planState struct {
	Format      string                     `json:"format"`
	Plan        map[string]json.RawMessage `json:"plan"`    // null where nothing was planned
	OfFile      bool                       `json:"of_file"` // and not of a run that there is
	Command     string                     `json:"command"`
	Apply       string                     `json:"apply"` // the command that sends it, without leave; empty where there is nothing to send
	Made        *time.Time                 `json:"made"`
	Moved       *moved                     `json:"moved"`   // null where it was not made anew
	Totals      string                     `json:"totals"`  // what becomes of the rows, in words
	Send        string                     `json:"send"`    // what sends it, in words
	Refusal     *finding.Exit              `json:"refusal"` // why nothing can be sent; null where nothing is left
	Reach       []reach                    `json:"reach"`
	Cancels     int                        `json:"cancels"` // the number to be typed; 0: none
	Told        []string                   `json:"told"`    // what the platform decides of new events, and what else has to be known
	Fields      []share                    `json:"fields"`
	Heads       []head                     `json:"heads"`     // of a plan that takes back: what becomes of what was done
	Conflicts   []conflict                 `json:"conflicts"` // the first of them
	Contested   int                        `json:"contested"` // all
	Decided     []titled                   `json:"decided"`
	Leave       []rowName                  `json:"leave"`
	SkipInvalid bool                       `json:"skip_invalid"`
	Ticks       bool                       `json:"ticks"`      // rows that are sent can be left out
	Fixed       string                     `json:"fixed"`      // why they cannot; empty where they can, or none is sent
	New         string                     `json:"new"`        // what says that the events of rows that are held back are new ones
	Needs       []offer                    `json:"needs"`      // what a plan that is refused can be made anew with
	Offers      []offer                    `json:"offers"`     // and any other
	Tab         string                     `json:"tab"`        // of a page that is opened anew: send, or plan where a run waits
	Unfinished  *unfinished                `json:"unfinished"` // null where nothing waits to be gone on with
}

// showPlan answers with the plan that the page shows.
func (d *outgoing) showPlan(w http.ResponseWriter, r *http.Request) error {
	s := planState{
		Format: "eventbatch/desk-plan/1", Fields: []share{}, Conflicts: []conflict{}, Leave: []rowName{},
		Decided: []titled{}, Heads: []head{}, Needs: []offer{}, Offers: []offer{},
		Told: []string{}, Reach: []reach{},
	}
	if d.busy() {
		s.Tab, s.Refusal = "send", &finding.Exit{Error: errSending.Error(), Hint: "see Send"}
	} else if s.Unfinished = d.unfinished(r.Context(), d.sentRun()); s.Unfinished != nil {
		s.Tab = "plan"
	}
	d.answering.Lock()
	s.SkipInvalid, s.Leave = d.skipInvalid, append(s.Leave, d.out(d.Editing.Edits)...)
	for _, one := range d.decided {
		s.Decided = append(s.Decided, titled{one, cmp.Or(d.titles[one.of()], one.Key)})
	}
	back, err := backIn(r.Context(), d.current, s.Leave)
	if d.renames.of == d.generation && len(d.renames.keys) > 0 {
		back = append(back, offer{"Ask again what is new", map[string]any{"rename": ""}})
	}
	if d.skipInvalid {
		back = append(back, offer{"Leave no rows with mistakes out", map[string]any{"skip_invalid": false}})
	}
	if d.remake {
		back = append(back, offer{"Make nothing anew that was taken back", map[string]any{"remake": false}})
	}
	generation, why, unread := d.generation, "", ""
	if d.current != nil {
		file := d.current.State()
		if unread = d.asked.unread(file.Sheets); s.Refusal == nil && file.Done {
			why = d.unanswered(r.Context(), file.Read)
		}
	}
	d.answering.Unlock()
	if err != nil {
		return err
	}
	d.showing.RLock()
	defer d.showing.RUnlock()
	switch h := d.plan; {
	case h != nil && (h.generation < 0 || h.generation == generation):
		d.tell(&s, h, back, unread)
	case why != "" && s.Unfinished == nil:
		s.Refusal = &finding.Exit{Error: why, Hint: "see Questions"}
	}
	return writeJSON(w, s)
}

// tell tells a plan, which can be made anew with some offers where it is of the file.
func (d *outgoing) tell(s *planState, h *held, back []offer, unread string) {
	s.Plan, s.OfFile, s.Command, s.Made, s.Moved = h.head, h.generation >= 0, h.line, &h.made, h.moved
	if s.OfFile {
		s.Offers = append(s.Offers, back...)
		if n := h.ops.gone; n > 0 {
			words := "Make " + report.Number(n) + " anew that were taken back"
			s.Offers = append(s.Offers, offer{words, map[string]any{"remake": true}})
		}
		if h.Exit.Reason == "invalid" {
			s.Needs = append(s.Needs, offer{"Leave the rows with mistakes out", map[string]any{"skip_invalid": true}})
			for i := range h.Problems {
				s.Told = append(s.Told, mistake(&h.Problems[i]))
			}
		}
	} else {
		s.Leave, s.Decided = []rowName{}, []titled{}
	}
	s.Fields, s.Totals, s.Send = slices.Clip(h.ops.shares), h.totals(len(s.Leave)), h.sends()
	if s.New = areNew(h.ops.asked); h.anew() {
		s.Needs = append(s.Needs, offer{"They are new events", map[string]any{"rename": "none"}})
	}
	if words := report.DecidedWords(h.Decided); words != "" && h.ops.done["create"] == 0 { // else it counts more than is left
		s.Told = append(s.Told, "The platform decides: "+words)
	}
	s.Told = append(s.Told, h.Notes...)
	if s.OfFile && unread != "" {
		s.Told = append(s.Told, unread)
	}
	s.Reach, s.Heads = h.reach(&d.Sending), append(s.Heads, h.ops.heads.told()...)
	for _, g := range h.Guards {
		s.Fields = append(s.Fields, guarded(g))
	}
	s.Conflicts, s.Contested = h.ops.conflicts[:min(len(h.ops.conflicts), mostWindow)], len(h.ops.conflicts)
	switch {
	case h.Checksum == "" && h.Exit.Error != "":
		s.Refusal = &h.Exit
	case h.Checksum != "":
		s.Cancels = h.Effects.Cancel.Events
		s.Apply = d.Sending.Line(d.Sending.applies(h)...)
		if s.Ticks = s.OfFile && !d.Sending.Limit; s.OfFile && d.Sending.Limit {
			s.Fixed = begin(errLimit.Error())
		}
	}
}

// mostMistakes is how many mistakes a plan names that is refused for them. Rows has those that the file shows; that a row has
// no event to change, say, only the platform does.
const mostMistakes = 5

// mistake says of a mistake where it is, and what to do.
func mistake(p *schema.Problem) string {
	words := p.Message
	if p.Value != "" {
		words = strconv.Quote(p.Value) + ": " + words
	}
	if at := p.Place.Header; at != "" {
		words = at + ", " + words
	}
	if p.Place.Row > 0 {
		words = "row " + report.Number(p.Place.Row) + ": " + words
	}
	return begin(strings.TrimSuffix(words+": "+p.Hint, ": "))
}

// areNew says of some events that they are new ones.
func areNew(events int) string {
	return printable.Pick(events, "A new event", allOf(events)+" are new")
}

// allOf begins a sentence about several: Both, All 3.
func allOf(n int) string {
	if n == 2 {
		return "Both"
	}
	return "All " + report.Number(n)
}

// offer is what a plan can be made anew with, in words and as it is asked for.
type offer struct {
	Words string         `json:"words"`
	Asks  map[string]any `json:"asks"`
}

// guardWords are what stands between what a bound counts and the bound.
var guardWords = map[string]string{
	"max-create": "new, of at most", "max-update": "changed, of at most", "max-cancel": "cancelled, of at most",
	"min-rows": "rows, of at least", "max-mail": "people told, of at most",
}

// guarded returns how a plan keeps a bound, which is of no field.
func guarded(g report.Guard) share {
	broken := g.Name == "min-rows" && g.Rows < g.Limit || g.Name != "min-rows" && g.Rows > g.Limit
	return share{Words: report.Number(g.Rows) + " " + guardWords[g.Name] + " " + report.Number(g.Limit), Doubt: broken}
}

// reach is what a plan does to people or money.
type reach struct {
	Effect string `json:"effect"`
	Words  string `json:"words"`
	Needs  bool   `json:"needs"` // leave, which is ticked
	May    bool   `json:"may"`   // be ticked
	Note   string `json:"note"`  // why it may not
	Open   string `json:"open"`  // the command line that opens a page on which it may
}

// reach returns what a plan does to people and money, in the words of the terminal.
func (h *held) reach(to *Sending) []reach {
	e := report.Effects{Effects: h.Effects, Asked: h.Effects.Mail}
	e.Asked.Events, e.Asked.Guests = max(0, e.Asked.Events-e.Cancel.Events), max(0, e.Asked.Guests-e.Cancel.Guests)
	list := []reach{}
	for _, effect := range schema.Leaves {
		of, needs := e.Of(effect), slices.Contains(h.Needs, string(effect))
		if effect == schema.Mails {
			of = &e.Asked
		}
		if needs || of.Any() {
			one := reach{Effect: string(effect), Words: begin(e.Words(effect, "")), Needs: needs}
			one.May = slices.Contains(to.Allow, string(effect))
			if needs && !one.May {
				one.Note, one.Open = "It may not be ticked here: close the page, and open it again by", to.Open(to.lacks(h.Needs)...)
			}
			list = append(list, one)
		}
	}
	if h.pushes() {
		words := "May push a new time or place to " + e.Push.People("")
		list = append(list, reach{Effect: string(schema.Pushes), Words: words, Needs: true, May: true})
	}
	return list
}

// counted are the members of a document's rows that a plan tells, in their order.
var counted = []struct{ member, words string }{
	{"create", "to create"},
	{"update", "to change"},
	{"cancel", "to cancel"},
	{"unchanged", "as they are"},
	{"conflict", "in conflict"},
	{"blocked", "held back"},
	{"invalid", "with mistakes, left out"},
	{"skip", "left out"},
}

// sends says what sends the plan: so many rows.
func (h *held) sends() string {
	n := 0
	for action, rows := range h.Rows {
		if plan.Action(action).Sends() {
			n += rows - h.ops.done[action]
		}
	}
	if h.ops.heads != nil {
		return "Take back " + report.Count(n, "change")
	}
	return "Send " + report.Count(n, "change")
}

// totals says how many rows become what, and when that is done. So many of the file were left out on the page.
func (h *held) totals(out int) string {
	var words []string
	done := 0
	for _, c := range counted {
		n := h.Rows[c.member] - h.ops.done[c.member]
		done += h.ops.done[c.member]
		if c.member == "unchanged" && h.ops.undone > 0 {
			n -= h.ops.undone
			words = append(words, report.Number(h.ops.undone)+" taken back, and not asked for again")
		}
		if n > 0 {
			said := c.words
			if c.member == "invalid" && h.Exit.Reason == "invalid" {
				said = "with mistakes" // which is why nothing is sent
			}
			words = append(words, report.Number(n)+" "+said)
		}
	}
	if done > 0 {
		words = append(words, report.Number(done)+" done already")
	}
	if len(words) == 0 {
		words = []string{"nothing to do"}
	}
	if out > 0 {
		words = append(words, report.Number(out)+" left out here")
	}
	if n := h.Requests.Planned; n > 0 && h.Run != "" { // which a plan that was refused has not
		requests := report.Count(n, "request")
		if h.FinishAt != nil {
			requests += ", about " + report.Span(max(time.Second, h.FinishAt.Sub(h.made))) // begun whenever
		}
		words = append(words, requests)
	}
	return strings.Join(words, " · ")
}

// backIn offers to take rows back in that are left out, each by its number and name.
func backIn(ctx context.Context, s *Session, out []rowName) (offers []offer, err error) {
	for i, row := range out[:min(len(out), mostBack)] {
		if err := s.wait(ctx); err != nil {
			return nil, err
		}
		name, err := s.title(row)
		if err != nil {
			return nil, err
		}
		rest := slices.Delete(slices.Clone(out), i, i+1)
		offers = append(offers, offer{"Take " + name + " back in", map[string]any{"leave": rest}})
	}
	if len(out) > 1 {
		offers = append(offers, offer{"Take " + strings.ToLower(allOf(len(out))) + " back in", map[string]any{"leave": []rowName{}}})
	}
	return offers, nil
}

// mostBack is how many rows are offered one by one.
const mostBack = 9
