package notify

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"pgregory.net/rapid"

	"eventbatch/batch/journal"
	"eventbatch/batch/report/finding"
)

// parsed reads metrics by Prometheus' own parser, a line a sample.
func parsed(t interface{ Fatal(...any) }, text string) (samples []string) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(families)) {
		f := families[name]
		if f.GetType() != dto.MetricType_GAUGE || f.GetHelp() == "" {
			t.Fatal(name, "is no gauge, or says nothing of itself")
		}
		for _, m := range f.GetMetric() {
			var labels strings.Builder
			for _, l := range m.GetLabel() {
				labels.WriteString(" " + l.GetName() + "=" + l.GetValue())
			}
			samples = append(samples, strings.TrimPrefix(name, "eventbatch_sync_")+labels.String()+" "+number(m.GetGauge().GetValue()))
		}
	}
	return samples
}

func TestPrometheusReadsTheMetrics(t *testing.T) {
	teller := telling(t, &sink{})
	teller.config.Metrics = filepath.Join(t.TempDir(), "eventbatch.prom")
	n := changed()
	n.Began = time.Now().Add(-90 * time.Second)
	n.Rows = finding.Rows{finding.Read: 5, finding.Created: 2, finding.Unchanged: 3}
	n.Requests = finding.Requests{Made: journal.Made{Sent: 2, Reads: 7, Throttled: 1}}
	if err := teller.End(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	read := func() []string {
		data, err := os.ReadFile(teller.config.Metrics)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(teller.config.Metrics); err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		return parsed(t, string(data))
	}
	first := read()
	for _, want := range []string{
		"rows outcome=created sync=members 2", "rows outcome=failed sync=members 0", "rows outcome=unchanged sync=members 3",
		"requests sync=members 9", "requests_throttled sync=members 1", "exit_code sync=members 0",
	} {
		if !slices.ContainsFunc(first, func(s string) bool { return normal(s) == normal(want) }) {
			t.Errorf("there is no %q in %q", want, first)
		}
	}
	sum := func(samples []string, name string) string {
		i := slices.IndexFunc(samples, func(s string) bool { return strings.HasPrefix(s, name+" ") })
		if i < 0 {
			return ""
		}
		return samples[i]
	}
	if !strings.HasPrefix(sum(first, "duration_seconds"), "duration_seconds sync=members 90") {
		t.Errorf("%q", first)
	}
	// A failure keeps when it last went well, and the rows of no run are not told.
	if err := teller.End(t.Context(), night(69, "unavailable")); err != nil {
		t.Fatal(err)
	}
	second := read()
	if diff := cmp.Diff(sum(first, "last_success_timestamp_seconds"), sum(second, "last_success_timestamp_seconds")); diff != "" {
		t.Error(diff)
	}
	if sum(second, "rows") != "" || sum(second, "exit_code") != "exit_code sync=members 69" {
		t.Errorf("%q", second)
	}
	teller.config.Metrics = filepath.Join(t.TempDir(), "none", "x.prom")
	if err := teller.End(t.Context(), night(0, "done")); err == nil || !strings.Contains(err.Error(), "writing metrics") {
		t.Errorf("%v", err)
	}
}

// normal sorts the words of a sample.
func normal(sample string) string {
	words := strings.Fields(sample)
	slices.Sort(words)
	return strings.Join(words, " ")
}

func TestMetricsHaveAForm(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := Night{Began: time.Unix(rapid.Int64Range(-1<<40, 1<<40).Draw(rt, "began"), 0), Rows: finding.Rows{}}
		for _, s := range finding.Statuses {
			n.Rows[s] = rapid.IntRange(0, 1<<40).Draw(rt, "rows")
		}
		name := rapid.StringN(1, 20, -1).Draw(rt, "sync")
		text := metrics(name, &n, time.Time{}, time.Now())
		for _, sample := range parsed(rt, text) {
			if !strings.Contains(sample, "sync="+name) {
				rt.Fatalf("%q", sample)
			}
		}
	})
}
