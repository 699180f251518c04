package batch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"eventbatch/batch/profile"
	"eventbatch/batch/report/finding"
	"eventbatch/batch/secret"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// slipping lets entries slip between the pages of a list: a listing lacks those whose text has what its
// turn says, and the last of the turns is that of all further listings.
type slipping struct {
	http.RoundTripper

	path     string // its end
	turns    []string
	listings int
}

func (s *slipping) RoundTrip(req *http.Request) (*http.Response, error) {
	answer, err := s.RoundTripper.RoundTrip(req)
	if err != nil || len(s.turns) == 0 || !strings.HasSuffix(req.URL.Path, s.path) {
		return answer, err
	}
	if !req.URL.Query().Has("pagination_cursor") {
		s.listings++
	}
	var page map[string]json.RawMessage
	var entries []json.RawMessage
	if err := json.NewDecoder(answer.Body).Decode(&page); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(page["entries"], &entries); err != nil {
		return nil, err
	}
	slip := s.turns[min(s.listings, len(s.turns))-1]
	if slip == "another each time" {
		slip = fmt.Sprintf(`"K%d"`, 1+s.listings)
	}
	entries = slices.DeleteFunc(entries, func(e json.RawMessage) bool { return slip != "" && strings.Contains(string(e), slip) })
	if page["entries"], err = json.Marshal(entries); err != nil {
		return nil, err
	}
	text, err := json.Marshal(page)
	answer.Body.Close()
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	answer.Header.Del("Content-Length")
	return answer, err
}

// slips makes a world in whose lists of a path entries slip between the pages.
func slips(t *testing.T, path string) (*world, *slipping) {
	t.Helper()
	w := newWorld(t)
	s := &slipping{RoundTripper: w.sandbox.Transport(), path: path}
	w.transport = s
	w.connect(map[string]string{"KEY_A": "key-a"}, []profile.Key{{Kind: secret.Calendar, From: secret.Ref{Scheme: "env", Value: "KEY_A"}}})
	return w, s
}

// TestWhatSlipsBetweenTwoPagesIsNotMadeOnceMore imports what another workspace has made, which was lost,
// where a record slips between the pages of a list.
func TestWhatSlipsBetweenTwoPagesIsNotMadeOnceMore(t *testing.T) {
	const rows = 130
	for _, tt := range []struct {
		name, slug, path string
		resource         *schema.Resource
		header, row      string
		anew             string // how the row says it now
		want             finding.Status
		read             int // how often the list is read where it has the record and does not shift
	}{
		{
			"events whose slugs are derived", "derive", "/events/list", catalog.Events, "key,name,start_at,timezone",
			"K%d,K%d,2027-05-01T18:00:00Z,Etc/UTC", "K%d,Renamed %d,2027-05-01T18:00:00Z,Etc/UTC", "update", 1,
		},
		{
			"events without slugs", "keep", "/events/list", catalog.Events, "key,name,start_at,timezone",
			"K%d,K%d,2027-05-01T18:00:00Z,Etc/UTC", "K%d,K%d,2027-05-01T18:00:00Z,Etc/UTC", finding.Blocked, 2,
		},
		{
			"coupons", "derive", "/coupons/list", catalog.Coupons, "code,percent_off,remaining_count",
			"K%d,10,%d", "K%d,10,%d", finding.Unchanged, 1,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, s := slips(t, tt.path)
			w.options.Slug = tt.slug
			plans := func(row string, numbers ...int) *Planned {
				lines := []string{tt.header}
				for _, n := range numbers {
					lines = append(lines, fmt.Sprintf(row, n, n))
				}
				config := w.planning(w.workspace, lines...)
				config.Reading.Resource = tt.resource
				planned, err := Plan(t.Context(), config)
				if err != nil {
					t.Fatal(err)
				}
				return planned
			}
			var all []int
			for n := range rows {
				all = append(all, 1+n)
			}
			w.mustApply(plans(tt.row, all...).Run)
			w.lose()
			for _, at := range []struct {
				name     string
				turns    []string
				row      int
				want     finding.Status
				listings int
			}{
				{"in its place", []string{""}, 120, tt.want, tt.read},
				{"slipped once", []string{`"K120"`, ""}, 120, tt.want, 2},
				{"new, beside others that are made meanwhile", []string{`"K119"`, `"K120"`, `"K120"`}, 999, "create", 3},
				{"new", []string{""}, 999, "create", 2},
				{"new, in a list that shifts each time", []string{"another each time"}, 999, finding.Blocked, 5},
			} {
				w.lose()
				s.turns, s.listings = at.turns, 0
				got := plans(tt.anew, at.row)
				if got.Rows[at.want] != 1 || s.listings != at.listings {
					t.Errorf("%s: %d listings, %v %v", at.name, s.listings, got.Rows, got.Reasons)
				}
				if why := "another one each of the 5 times"; at.listings == 5 && !strings.Contains(got.Reasons[0].Reason, why) {
					t.Errorf("%s: %v", at.name, got.Reasons)
				}
			}
		})
	}
}
