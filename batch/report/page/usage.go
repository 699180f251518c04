package page

import (
	"cmp"
	"slices"
	"time"

	"eventbatch/batch/report/finding"
)

// What is drawn of a run's requests.
const (
	mostOwners = 12
	chartSteps = 400 // of one chart
)

// usageJSON is one chart: the most requests that lay within one window, for each
// step of the time that the run took.
type usageJSON struct {
	Owner    string `json:"owner"`
	Limit    int    `json:"limit"`
	Window   int64  `json:"window"` // milliseconds
	From     int64  `json:"from"`   // Unix milliseconds
	Step     int64  `json:"step"`   // milliseconds
	Peak     []int  `json:"peak"`   // by step
	Requests int    `json:"requests"`
	Highest  int    `json:"highest"`
}

// charts returns the charts of a run, the busiest owners first, and the number of
// owners that are left out.
func charts(usage []finding.Usage) (list []usageJSON, left int) {
	usage = slices.DeleteFunc(slices.Clone(usage), func(u finding.Usage) bool { return len(u.Sent) == 0 || u.Window <= 0 })
	slices.SortStableFunc(usage, func(a, b finding.Usage) int {
		return cmp.Or(cmp.Compare(len(b.Sent), len(a.Sent)), cmp.Compare(a.Owner, b.Owner))
	})
	if len(usage) > mostOwners {
		usage, left = usage[:mostOwners], len(usage)-mostOwners
	}
	list = []usageJSON{}
	for _, u := range usage {
		list = append(list, chart(u))
	}
	return list, left
}

// chart slides the window over the requests. A request counts from the moment
// when it left until a window later.
func chart(u finding.Usage) usageJSON {
	from := u.Sent[0]
	span := max(u.Sent[len(u.Sent)-1].Sub(from), u.Window) + u.Window/8
	step := max((span+chartSteps-1)/chartSteps, time.Millisecond).Truncate(time.Millisecond) + time.Millisecond
	out := usageJSON{
		Owner: visible(cut(u.Owner, cellMost)), Limit: u.Limit, Window: u.Window.Milliseconds(), From: from.UnixMilli(),
		Step: step.Milliseconds(), Peak: make([]int, int(span/step)+1), Requests: len(u.Sent),
	}
	in, gone := 0, 0 // requests that have left, and that are a window old
	for i := range out.Peak {
		end := from.Add(time.Duration(i+1) * step)
		begin := end.Add(-step)
		for gone < in && !u.Sent[gone].Add(u.Window).After(begin) {
			gone++
		}
		out.Peak[i] = in - gone
		for in < len(u.Sent) && u.Sent[in].Before(end) {
			in++
			for !u.Sent[gone].Add(u.Window).After(u.Sent[in-1]) {
				gone++
			}
			out.Peak[i] = max(out.Peak[i], in-gone)
		}
		out.Highest = max(out.Highest, out.Peak[i])
	}
	return out
}
