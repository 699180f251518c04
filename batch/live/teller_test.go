package live

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"eventbatch/batch/profile"
	"eventbatch/batch/secret"
	"eventbatch/batch/service"
	"eventbatch/mapping/catalog"
)

// answers gives one after another.
type answers []struct {
	status int
	body   string
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	next := (*a)[0]
	*a = (*a)[1:]
	return &http.Response{
		StatusCode: next.status, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(strings.NewReader(next.body)),
	}, nil
}

// Of a list that breaks off and moves meanwhile, an entry that comes twice is one record.
func TestAListOfRecordsThatBreaksOffTellsOfEachOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const first = `{"entries":[{"api_id":"c-1","code":"A"},{"api_id":"c-2","code":"B"}],"has_more":true,"next_cursor":"2"}`
		const second = `{"entries":[{"api_id":"c-2","code":"B"},{"api_id":"c-3","code":"C"}],"has_more":false}`
		backend := &answers{{200, first}, {503, `{}`}, {200, first}, {200, second}}
		p := profile.Default()
		p.BaseURL = "http://localhost/api"
		p.Keys = []profile.Key{{Kind: secret.Calendar, Calendar: "cal-a", From: secret.Ref{Scheme: "env", Value: "KEY"}}}
		s, err := service.Open(service.Config{
			Connection: profile.New(p, "", profile.Env{Lookup: func(string) (string, bool) { return "key-a", true }}),
			Transport:  backend, Concurrency: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		teller, err := Of(t.Context(), s, "cal-a")
		if err != nil {
			t.Fatal(err)
		}
		listed, err := teller.Records(t.Context(), catalog.Coupons, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range []string{"a", "b", "c"} {
			if found := listed.Find(catalog.Coupons, "", code); len(found) != 1 {
				t.Errorf("coupon %s is there %d times", code, len(found))
			}
		}
		if len(*backend) > 0 {
			t.Errorf("%d answers were not asked for", len(*backend))
		}
	})
}
