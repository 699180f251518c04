package notify

import (
	"fmt"
	"strings"
	"time"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/durable"
)

// measure writes the file that Prometheus' node exporter reads, whole or not at all, where there is to be one.
func measure(c *Config, night *Night, success, now time.Time) error {
	if c.Metrics == "" {
		return nil
	}
	// Another user reads it.
	if err := durable.ReplaceText(c.Metrics, 0o644, []byte(metrics(c.Sync, night, success, now))); err != nil {
		return fmt.Errorf("writing metrics: %w", err)
	}
	return nil
}

// escaped writes the value of a label.
var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// metrics returns a night in the text format of Prometheus. What is not known is left out.
func metrics(sync string, night *Night, success, now time.Time) string {
	var b strings.Builder
	label := `sync="` + escaped.Replace(sync) + `"`
	family := func(name, help string) {
		fmt.Fprintf(&b, "# HELP eventbatch_sync_%[1]s %s\n# TYPE eventbatch_sync_%[1]s gauge\n", name, help)
	}
	gauge := func(name, help string, value float64) {
		family(name, help)
		fmt.Fprintf(&b, "eventbatch_sync_%s{%s} %s\n", name, label, number(value))
	}
	if night.Rows != nil {
		family("rows", "Rows of the last run, by what became of them.")
		for _, status := range finding.Statuses {
			fmt.Fprintf(&b, "eventbatch_sync_rows{%s,outcome=\"%s\"} %d\n", label, status, night.Rows[status])
		}
		gauge("requests", "Requests that the last run sent.", float64(night.Requests.Sent+night.Requests.Reads))
		gauge("requests_throttled", "Requests of the last run that the service answered with 429.", float64(night.Requests.Throttled))
	}
	if !night.Began.IsZero() {
		gauge("duration_seconds", "How long the last run took.", now.Sub(night.Began).Seconds())
	}
	gauge("exit_code", "Exit code of the last run; 0 is success.", float64(night.Exit.Code))
	gauge("last_run_timestamp_seconds", "When the last run ended.", float64(now.UnixMilli())/1000)
	if !success.IsZero() {
		gauge("last_success_timestamp_seconds", "When a run last ended well.", float64(success.UnixMilli())/1000)
	}
	return b.String()
}
