package report

import (
	"time"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// Ahead says what is left to do of a run, which takes so many requests and so long.
func (o *Outlook) Ahead(requests int, takes time.Duration) *finding.Ahead {
	ahead := &finding.Ahead{Requests: Count(requests, "request") + ", done at once"}
	if takes >= time.Second {
		ahead.Requests = Count(requests, "request") + ", done about " + roughly(takes) + " after the first"
	}
	for _, line := range o.Effects.lines(o.Resource) {
		ahead.Effects = append(ahead.Effects, line.words)
	}
	for _, r := range o.Reasons {
		ahead.Stays = append(ahead.Stays, Number(r.Rows)+" "+actionWords[r.Action]+": "+r.Reason)
	}
	return ahead
}

// effectLine says one thing that a run does to people or money.
type effectLine struct {
	words string
	final bool // it cannot be taken back, or is about money
	plain bool // nobody may hear of it
}

// lines returns what a run does to people and money, the gravest first.
func (e *Effects) lines(resource string) []effectLine {
	var list []effectLine
	if n := e.Cancel.Events; n > 0 {
		words := Count(n, "event") + " cancelled: " + e.told(resource) + ", cannot be undone"
		list = append(list, effectLine{words: words, final: true})
	}
	if e.Cancel.Events == 0 && e.Cancel.Any() {
		list = append(list, effectLine{words: e.Words(schema.Cancels, resource), final: true})
	}
	for _, money := range []schema.Effect{schema.Refunds, schema.Charges} {
		if e.Of(money).Any() {
			list = append(list, effectLine{words: e.Words(money, resource), final: true})
		}
	}
	if e.Asked.Any() {
		list = append(list, effectLine{words: e.Words(schema.Mails, resource)})
	}
	if n := e.Push.Events; n > 0 && e.Push.Uncounted == n {
		words := "may push a new time or place to the guests of " + Count(n, "event") + ", who were not counted"
		list = append(list, effectLine{words: words, plain: true})
	} else if n > 0 && (e.Push.Guests > 0 || e.Push.Uncounted > 0) {
		list = append(list, effectLine{words: "may push a new time or place to " + e.Push.People("")})
	}
	return list
}
