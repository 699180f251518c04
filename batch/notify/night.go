package notify

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/printable"
	"eventbatch/batch/report/finding"
)

// Night is how a run of the sync ended.
type Night struct {
	Run      string
	Began    time.Time
	Exit     finding.Exit
	Err      error // that the exit is about
	Changed  bool  // something was written
	Rows     finding.Rows
	Requests finding.Requests
	Troubles Troubles
	Report   string // path of the full report; empty where there is none
}

// words returns what is told of a night.
func (night *Night) words(c *Config, state State, since, now time.Time) *words {
	began := night.Began
	if began.IsZero() {
		began = now
	}
	w := &words{
		Sync: c.Sync, State: state, Reason: night.Exit.Reason, Exit: night.Exit.Code, At: moment(began), Since: moment(since),
		Run: night.Run, Rows: rowWords(night.Rows), Report: oneLine(night.Report),
	}
	why, hint := Words(night.Exit, night.Err, len(c.Private) > 0)
	w.Error, w.Hint = unmarked.Replace(why), unmarked.Replace(hint)
	w.Problems = night.Troubles.Words(c.Private)
	w.More = night.Troubles.N - len(night.Troubles.First)
	return w
}

// discreet is an error that has words for others than those who are at the machine.
type discreet interface {
	error
	Told() string
}

// internal is the exit code of a defect, the only error whose words may be anything.
const internal = 1

// Words returns what may be told of how a night ended, each on one line: nothing of what the command
// of a feed has printed and, with private columns, nothing of a defect. What is wrong with rows is
// told by [Troubles], so that no other error quotes a cell.
func Words(exit finding.Exit, err error, private bool) (why, hint string) {
	if private && exit.Code == internal {
		return "", ""
	}
	if e, ok := errors.AsType[discreet](err); ok {
		exit.Error = e.Told()
	}
	return oneLine(exit.Error), oneLine(exit.Hint)
}

// rowWords counts rows: 20 rows: 3 created, 17 unchanged.
func rowWords(rows finding.Rows) string {
	if rows == nil {
		return ""
	}
	return strings.TrimSuffix(printable.Count(rows[finding.Read], "row")+": "+rows.Words(), ": ")
}

// causesOf names why a night did not go well, or is to be looked at, as hashes, which stay the same while that does: the rows with
// what is wrong with them; the error where it is about none, without its numbers.
func causesOf(n *Night, state State) (causes []string) {
	var list []string
	if state.bad() {
		list = n.Troubles.causes
	}
	if state.bad() && (len(list) == 0 || state == Refused) {
		why, _ := Words(n.Exit, n.Err, false)
		words := slices.DeleteFunc(strings.Fields(why), func(w string) bool { return strings.ContainsAny(w, "0123456789") })
		list = append(slices.Clone(list), strings.Join(words, " "))
	}
	for i := range n.Troubles.news {
		list = append(slices.Clip(list), n.Troubles.news[i].Message)
	}
	for _, cause := range list {
		sum := sha256.Sum256([]byte(string(state) + " " + n.Exit.Reason + " " + cause))
		causes = append(causes, hex.EncodeToString(sum[:6]))
	}
	return causes
}
