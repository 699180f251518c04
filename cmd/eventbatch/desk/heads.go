package desk

import (
	"slices"
	"strings"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
)

// head is what becomes of what a run has done, where it is taken back.
type head struct {
	Words string `json:"words"`
	Rows  int    `json:"rows"`
}

// The heads, in the order in which they are shown.
const (
	headBack = iota
	headKept
	headLost
	headDone
)

// undoHeads are those of a plan that takes a run back.
type undoHeads struct {
	list   [4]head
	partly int // rows below another head than that of what is lost, which lose a field
}

// newUndoHeads returns the heads without rows.
func newUndoHeads() *undoHeads {
	return &undoHeads{list: [...]head{
		headBack: {Words: "Goes back"}, headKept: {Words: "Kept, changed since"}, headLost: {Words: "Lost for good"},
		headDone: {Words: "Back already"},
	}}
}

// told returns the three heads, how many rows are back already, and of how many a field is lost that stand below another head;
// none of a plan that takes nothing back.
func (h *undoHeads) told() []head {
	if h == nil {
		return nil
	}
	told := slices.Clone(h.list[:headDone])
	if h.list[headDone].Rows > 0 {
		told = append(told, h.list[headDone])
	}
	if h.partly > 0 {
		told = append(told, head{"Of these, with a field lost for good", h.partly})
	}
	return told
}

// take counts a row, and returns below which of the heads it stands: one that goes back may keep or lose fields, which say so.
func (h *undoHeads) take(line *shownRow, of []finding.ChangeLine) (at int, words string) {
	lost := func(c finding.ChangeLine) bool { return c.Decision == "lost" } // nothing puts it back
	other := func(c finding.ChangeLine) bool { return !lost(c) }
	switch {
	case line.sends():
		at = headBack
	case strings.HasPrefix(line.Reason, "lost: "), len(of) > 0 && !slices.ContainsFunc(of, other):
		at = headLost
	case line.Action == string(plan.Unchanged) && len(of) == 0: // an earlier run took it away, say
		at = headDone
	default:
		at = headKept
	}
	h.list[at].Rows++
	if at != headLost && slices.ContainsFunc(of, lost) {
		h.partly++
	}
	return at, h.list[at].Words
}
