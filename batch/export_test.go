package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"eventbatch/batch/profile"
	"eventbatch/batch/secret"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// anyText is a text that people, programs and nobody would write.
func anyText(t *rapid.T, label string) string {
	text := rapid.OneOf(
		rapid.StringMatching(`[A-Za-z ,;"'.äöü-]{1,20}`),
		rapid.SampledFrom([]string{
			"=1+1", "'=1", "-5", "+49 30 1", "@home", "<clear>", "<empty>", "01.02.2027", "1,5", "TRUE", "a\nb", "\ttab", "#N/A", "12E5",
			"2027-03-03", "_x000D_", "&amp;", "=HYPERLINK(\"x\")", "1.2E+17", "\u2028", "''", "sep=;", "a\x00b",
		}),
		rapid.StringN(1, 12, 60),
	).Draw(t, label)
	text = strings.ToValidUTF8(text, "")
	return text + rapid.SampledFrom([]string{"", "", " ", "."}).Draw(t, "end of "+label)
}

var testedZones = []string{
	"America/New_York", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "Etc/UTC", "Pacific/Apia", "America/Asuncion",
}

// anyEvent is the body of a create that the service takes.
func anyEvent(t *rapid.T) map[string]any {
	zone := rapid.SampledFrom(testedZones).Draw(t, "zone")
	at := rapid.Int64Range(0, 365*24*3600*1000).Draw(t, "at")
	start := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(at) * time.Millisecond)
	if rapid.Bool().Draw(t, "overlap") { // where the clocks of some zones show an hour twice
		quarter := rapid.IntRange(0, 7*24*4).Draw(t, "quarter")
		start = time.Date(2027, 10, 31, 0, 30, 0, 0, time.UTC).Add(time.Duration(quarter) * 15 * time.Minute)
	}
	event := map[string]any{
		"name": anyText(t, "name") + "x", "timezone": zone, "start_at": start.Format("2006-01-02T15:04:05.999Z07:00"),
	}
	maybe := func(field string, value func() any) {
		if rapid.Bool().Draw(t, "has "+field) {
			event[field] = value()
		}
	}
	pick := func(values ...string) func() any {
		return func() any { return rapid.SampledFrom(values).Draw(t, "value") }
	}
	maybe("end_at", func() any {
		return start.Add(time.Duration(rapid.IntRange(1, 5000).Draw(t, "length")) * time.Minute).Format(time.RFC3339)
	})
	maybe("description_md", func() any { return anyText(t, "description") + "\n\n* " + anyText(t, "item") })
	maybe("visibility", pick(catalog.Visibilities...))
	maybe("max_capacity", func() any { return rapid.IntRange(0, 100000).Draw(t, "capacity") })
	maybe("waitlist_status", pick("disabled", "enabled"))
	maybe("registration_open", func() any { return rapid.Bool().Draw(t, "open") })
	maybe("theme", pick(catalog.Themes...))
	maybe("confirmation_email_md", func() any { return anyText(t, "mail") })
	maybe("tax_config", func() any { return map[string]any{"rate": 19.5, "on": []string{anyText(t, "tax")}} })
	maybe("coordinate", func() any {
		return map[string]any{
			"latitude": rapid.Float64Range(-90, 90).Draw(t, "lat"), "longitude": rapid.Float64Range(-180, 180).Draw(t, "long"),
		}
	})
	maybe("feedback_email", func() any { return map[string]any{"enabled": true, "delay": "PT30M"} })
	maybe("registration_questions", func() any {
		return []any{map[string]any{"id": "q1", "label": anyText(t, "label"), "required": true, "question_type": "text"}}
	})
	maybe("geo_address_json", func() any {
		return rapid.SampledFrom([]any{
			map[string]any{"type": "manual", "address": "1 " + anyText(t, "address")},
			map[string]any{"type": "google", "place_id": "ChIJ0abc", "description": "1 " + anyText(t, "floor")},
			map[string]any{"type": "lookup", "query": "Town Hall, Leeds"},
		}).Draw(t, "geo")
	})
	if event["geo_address_json"] == nil {
		maybe("meeting_url", pick("https://meet.example.com/tea?a=b&c=d"))
	}
	return event
}

// hold puts an event into the calendar.
func (w *world) hold(t *rapid.T, event map[string]any) {
	body, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	l, err := w.service.Line(w.t.Context(), "cal-a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Client.Write(w.t.Context(), catalog.OperationNamed("events/create"), body, nil); err != nil {
		t.Fatalf("creating %s: %v", body, err)
	}
}

// killing ends a process of an export behind so many answers, and counts the requests.
type killing struct {
	next  http.RoundTripper
	kill  func()
	mu    sync.Mutex
	after int
	asked map[string]int
}

func (k *killing) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := k.next.RoundTrip(r)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked[r.URL.RequestURI()]++
	if k.after--; k.after == 0 {
		k.kill()
	}
	return answer, err
}

// An export that is killed again and again, with a line of its log half written, reads no
// page and no event twice but those that were under way.
func TestAKilledExportReadsNothingTwiceButWhatWasUnderWay(t *testing.T) {
	const events, kills = 950, 10
	w := newWorldWith(t, t.TempDir(), "")
	l, err := w.service.Line(t.Context(), "cal-a")
	if err != nil {
		t.Fatal(err)
	}
	for i := range events {
		body := fmt.Sprintf(`{"name":"Tea %d","start_at":"2027-01-01T00:%02d:00Z","timezone":"Europe/Berlin"}`, i, i%60)
		if _, err := l.Client.Write(t.Context(), catalog.OperationNamed("events/create"), []byte(body), nil); err != nil {
			t.Fatal(err)
		}
	}
	k := &killing{next: w.sandbox.Transport(), asked: map[string]int{}}
	w.transport = k
	random := rand.New(rand.NewPCG(1, 2))
	for run := 0; ; run++ {
		ctx, cancel := context.WithCancel(t.Context())
		k.kill, k.after = cancel, 1+random.IntN(90)
		if run == kills {
			k.after = -1
		}
		w.connect(map[string]string{"KEY_A": "key-a"}, []profile.Key{
			{Kind: secret.Calendar, Calendar: "cal-a", From: secret.Ref{Scheme: "env", Value: "KEY_A"}},
		})
		e, err := Export(ctx, ExportConfig{
			Service: w.service, Workspace: w.workspace, Resources: []*schema.Resource{catalog.Events}, Reads: Reads{Concurrency: 4},
		})
		if err == nil {
			if err = e.Read(ctx, nil); err == nil {
				err = w.complete(e, events)
				cancel()
				if err != nil {
					t.Fatal(err)
				}
				break
			}
			_ = e.Close()
		}
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		w.tear(random)
	}
	again := 0
	for uri, n := range k.asked {
		if again += n - 1; n > 1+kills {
			t.Errorf("%s was asked for %d times", uri, n)
		}
	}
	// A torn line costs its answer, and each kill what four readers had under way.
	if most := kills * (4 + 1); again > most {
		t.Errorf("%d of %d requests were made again, %d at most", again, len(k.asked), most)
	}
	if len(k.asked) > events+10+1 {
		t.Errorf("%d requests for %d events", len(k.asked), events)
	}
}

// complete checks that the export has each event once, with what only its own read gives.
func (w *world) complete(e *Exported, events int) error {
	seen := map[string]bool{}
	for r, err := range e.Records(catalog.Events) {
		if err != nil {
			return err
		}
		seen[r.ID] = true
	}
	if len(seen) != events || e.Gone() > 0 {
		return fmt.Errorf("%d events of %d, %d gone", len(seen), events, e.Gone())
	}
	return e.Done()
}

// tear cuts off a part of the last line of each log, as a kill may.
func (w *world) tear(random *rand.Rand) {
	logs, err := filepath.Glob(filepath.Join(w.dir, "workspace", "exports", "*", "*.jsonl"))
	for _, path := range logs {
		info, failed := os.Stat(path)
		if failed == nil && info.Size() > 20 {
			failed = os.Truncate(path, info.Size()-random.Int64N(20))
		}
		err = errors.Join(err, failed)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}
