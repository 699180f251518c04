package desk

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/batch/report"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/schema"
)

// held is the plan that the page shows, whichever command has made it: what is sent is that, and no other.
type held struct {
	document
	ops        *ops
	line       string // that has planned it
	command    []string
	generation int // of the file as it was read; -1 of a plan that is about no reading
	made       time.Time
	moved      *moved // since one that was shown before it, and that was too old
}

// document is the document of a command that plans or sends, but for its long lists.
type document struct {
	Run      string
	Checksum string
	Rows     map[string]int
	Needs    []string
	Effects  finding.Effects
	Changes  []finding.ChangeLine
	Guards   []report.Guard
	Decided  schema.Decided
	Notes    []string
	Problems finding.Problems
	Requests finding.Requests
	FinishAt *time.Time `json:"finish_at"`
	Exit     finding.Exit

	head map[string]json.RawMessage
}

// readDocument reads the document of a command that plans or sends, without its lists.
func readDocument(text []byte) (doc document, err error) {
	doc.head, err = membersOf(text, &doc, "changes", "problems", "missing")
	return doc, err
}

// membersOf reads the document of a command, and returns its members but for some long lists.
func membersOf(text []byte, into any, lists ...string) (head map[string]json.RawMessage, err error) {
	if err := cmp.Or(json.Unmarshal(text, &head), json.Unmarshal(text, into)); err != nil {
		return nil, fmt.Errorf("reading the document of a command: %w", err)
	}
	maps.DeleteFunc(head, func(name string, _ json.RawMessage) bool { return slices.Contains(lists, name) })
	return head, nil
}

// newKeys is what --rename takes where new keys are those of new events.
const newKeys = "none"

// anew reports whether a plan is refused, unless new keys are those of new events.
func (h *held) anew() bool {
	return h.Checksum == "" && strings.Contains(h.Exit.Hint, "--rename "+newKeys)
}

// errOld refuses a plan that is too old to be sent as it was shown: the page makes it anew.
var errOld = refuse(http.StatusPreconditionRequired, "the plan is older than ten minutes: see what has moved since")

// errNoPlan refuses what is about another plan than the one that is shown: another tab has made one since.
var errNoPlan = refuse(http.StatusPreconditionFailed, "that is not the plan that is shown now: look at it again")

// agreed is what a person agrees to: one plan, with the effects that were ticked and the number that was typed.
type agreed struct {
	Generation int      `json:"generation"`
	Run        string   `json:"run"`
	Checksum   string   `json:"checksum"`
	Allow      []string `json:"allow"`
	Typed      string   `json:"typed"`
}

// may refuses what nobody may send so. The caller has d.showing.
func (h *held) may(said *agreed, generation int, bound []string) error {
	switch {
	case h == nil || h.Checksum == "" || said.Run != h.Run || said.Checksum != h.Checksum:
		return errNoPlan
	case h.generation >= 0 && (h.generation != generation || said.Generation != generation):
		return errMoved
	}
	for _, effect := range said.leave() {
		if !slices.Contains(bound, effect) {
			return refuse(http.StatusForbidden, "leave to "+effect+" is not given here: open the file with --allow "+effect)
		}
	}
	for _, effect := range h.Needs {
		if !slices.Contains(said.Allow, effect) {
			return refuse(http.StatusForbidden, "nothing is sent: leave to "+effect+" was not ticked")
		}
	}
	if h.pushes() && !slices.Contains(said.Allow, string(schema.Pushes)) {
		return refuse(http.StatusForbidden, "nothing is sent: that guests may be told of a new time or place was not ticked")
	}
	if n := h.Effects.Cancel.Events; n > 0 && said.Typed != strconv.Itoa(n) {
		return refuse(http.StatusForbidden, "nothing is sent: the number of the events that are cancelled was not typed")
	}
	return nil
}

// pushes reports whether guests may be told of a new time or place. No command asks for leave to that, and a person at the page
// ticks it like all that reaches people.
func (h *held) pushes() bool { return h.Effects.Push.Guests+h.Effects.Push.Uncounted > 0 }

// leave is what was ticked that commands ask leave for.
func (a *agreed) leave() []string {
	return slices.DeleteFunc(slices.Clone(a.Allow), func(effect string) bool { return effect == string(schema.Pushes) })
}

// contested returns a decision with the values that the page has shown, and with it that about each field that is decided
// together with its own.
func (h *held) contested(one *decision) (all []titled, err error) {
	if !slices.Contains([]string{"mine", "theirs", "leave"}, one.Decision) {
		return nil, refuse(http.StatusBadRequest, "that is no decision")
	}
	if h != nil {
		for i := range h.ops.conflicts {
			if shown := &h.ops.conflicts[i]; shown.of() == one.of() {
				for _, field := range append([]decision{shown.decision}, shown.with...) {
					field.Decision = one.Decision
					all = append(all, titled{field, shown.Title})
				}
				return all, nil
			}
		}
	}
	return nil, refuse(http.StatusConflict, "that is not in conflict: look at the plan again")
}
