package main

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"eventbatch/batch"
	"eventbatch/batch/live"
	"eventbatch/batch/profile"
	"eventbatch/batch/quota"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
)

// sendFlags say how a plan is carried out.
type sendFlags struct {
	paceFlags

	yes         bool
	allow       []string
	maxErrors   string
	maxDuration time.Duration
	results     string
	fresh       time.Duration
	detach      bool
	unasked     error // no flag: why nobody can be asked who has to agree
	leased      bool  // no flag: whoever sends has the leases
	answered    func(*schema.Operation, []byte)
	concluded   func(*batch.Applied) // no flag: told once it is known what became of the run
	// detailedExit is a flag of planning: exit with 2 where there are changes.
	detailedExit bool
}

func (s *sendFlags) register(f *pflag.FlagSet) {
	s.fresh = live.Fresh
	f.BoolVar(&s.yes, "yes", false, "send without asking")
	s.registerAllow(f)
	f.StringVar(&s.results, "results", "", "write the results to this `FILE` too: CSV, or a workbook with the sheets of the input (.xlsx)")
	f.StringVar(&s.maxErrors, "max-errors", "", "stop when so many rows have failed: a `NUMBER` or a share such as 5%")
	f.DurationVar(&s.maxDuration, "max-duration", 0, "stop after this `TIME`, such as 90m; the run can be gone on with")
	s.registerPace(f)
}

// registerDetach registers the flag of commands that need not see the end.
func (s *sendFlags) registerDetach(f *pflag.FlagSet) {
	f.BoolVar(&s.detach, "detach", false, "leave the run to the workers of the store, and print its id (see worker)")
}

// mustAsk reports whether a person is asked, who has to see the plan first.
func (s *sendFlags) mustAsk() bool { return !s.yes && s.unasked == nil }

// verify refuses flags that do not go together.
func (s *sendFlags) verify() error {
	if _, _, err := s.pacing(); err != nil {
		return err
	}
	if s.maxDuration < 0 {
		return usagef("--max-duration: %s is not a time to take", s.maxDuration)
	}
	_, err := s.errorLimit(1)
	return err
}

// errorLimit reads --max-errors for a plan of so many rows that are sent; 0
// sets no limit.
func (s *sendFlags) errorLimit(rows int) (int, error) {
	if s.maxErrors == "" {
		return 0, nil
	}
	if strings.HasSuffix(s.maxErrors, "%") {
		share, ok := fraction(s.maxErrors)
		if !ok {
			return 0, usagef("--max-errors: %q is not a share; write a percentage above 0%% up to 100%%", s.maxErrors)
		}
		return max(1, int(math.Ceil(share*float64(rows)))), nil
	}
	n, err := strconv.Atoi(s.maxErrors)
	if err != nil || n < 1 {
		return 0, usagef("--max-errors: %q is neither a number from 1 nor a share such as 5%%", s.maxErrors)
	}
	return n, nil
}

// fraction reads a part of a whole, such as 0.25 or 25%: some of it, and no more than all.
func fraction(text string) (part float64, ok bool) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	part, err := strconv.ParseFloat(digits, 64)
	if percent {
		part /= 100
	}
	return part, err == nil && part > 0 && part <= 1
}

// registerAllow registers the leave to do something to people and money.
func (s *sendFlags) registerAllow(f *pflag.FlagSet) {
	f.StringSliceVar(&s.allow, "allow", nil,
		"give leave to what reaches people or money, in a list of `EFFECTS`: "+strings.Join(flagWords["allow"], ", "))
}

// leave returns the effects that the command line and the profile give leave to.
func (s *sendFlags) leave(of *profile.Connection) ([]schema.Effect, error) {
	given := slices.Clone(of.Allow)
	for _, word := range s.allow {
		if !slices.Contains(flagWords["allow"], word) {
			return nil, usagef("--allow: %q is not an effect", word).
				hinted(cmp.Or(spelling.DidYouMean(word, flagWords["allow"]), "write "+strings.Join(flagWords["allow"], ", ")))
		}
		given = append(given, schema.Effect(word))
	}
	slices.Sort(given)
	return slices.Compact(given), nil
}

// paceFlags say how fast requests leave.
type paceFlags struct {
	concurrency int
	pace        string
	share       string
	impatient   bool // no flag: what is throttled is told, not waited for
}

// registerPace registers what decides how fast requests leave.
func (p *paceFlags) registerPace(f *pflag.FlagSet) {
	f.IntVar(&p.concurrency, "concurrency", 10, "`REQUESTS` of one calendar under way at once")
	f.StringVar(&p.pace, "pace", autoPace, "most requests a second: auto, a `RATE` such as 20/s, or 0 for no bound but the quota; "+
		"auto is 50/s, or five times what the limits allow where that is more")
	f.StringVar(&p.share, "quota-share", "100%", "`PART` of the quota that may be used")
}

// autoPace has the pace follow the limits.
const autoPace = "auto"

// oneByOne is the pace of single requests.
var oneByOne = paceFlags{pace: autoPace, share: "100%", concurrency: 1}

// pacing reads --pace and --quota-share.
func (p *paceFlags) pacing() (pace, share float64, err error) {
	if pace, err = p.rate(); err != nil {
		return 0, 0, err
	}
	share, ok := fraction(p.share)
	if !ok {
		return 0, 0, usagef("--quota-share: %q is not a share; write a number above 0 up to 1, or a percentage", p.share)
	}
	if p.concurrency < 1 || p.concurrency > 1000 {
		return 0, 0, usagef("--concurrency: %d is not between 1 and 1000", p.concurrency)
	}
	return pace, share, nil
}

// rate reads --pace.
func (p *paceFlags) rate() (float64, error) {
	if strings.EqualFold(strings.TrimSpace(p.pace), autoPace) {
		return quota.AutoPace, nil
	}
	pace, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(p.pace), "/s"), 64)
	if err != nil || pace < 0 || math.IsInf(pace, 0) || math.IsNaN(pace) {
		return 0, usagef("--pace: %q is not a rate; write auto, or a number a second, such as 50/s", p.pace)
	}
	return pace, nil
}
