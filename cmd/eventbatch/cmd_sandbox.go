package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch/report"
	"eventbatch/batch/sandbox"
	"eventbatch/mapping/spelling"
)

// sandboxDoc is the document of sandbox. It is written as soon as the service
// answers, and so without the command's end.
type sandboxDoc struct {
	Command string       `json:"command"`
	BaseURL string       `json:"base_url"`
	Keys    []sandboxKey `json:"keys"`
}

// sandboxKey is a key of the double, no secret to anybody.
type sandboxKey struct {
	Kind      string   `json:"kind"`
	Calendars []string `json:"calendars"`
	Key       string   `json:"key"`
}

// announce prints the address of the service, alone on its line for a script.
func (c *sandboxCommand) announce(address string) error {
	if !c.global.json {
		_, err := fmt.Fprintln(c.stdout, address)
		return err
	}
	return report.WriteJSON(c.stdout, "sandbox", sandboxDoc{"sandbox", address, []sandboxKey{
		{"calendar", []string{sandbox.CalendarID}, sandbox.CalendarSecret},
		{"organization", sandbox.OrganizationCalendars, sandbox.OrganizationSecret},
	}})
}

type sandboxCommand struct {
	*env

	addr   string
	faults []string
	config sandbox.Config
}

func newSandboxCommand(a *env) *cobra.Command {
	c := &sandboxCommand{env: a}
	cmd := newBareCommand("sandbox", c.run)
	f := cmd.Flags()
	f.StringVar(&c.addr, "addr", "127.0.0.1:8787", "loopback `ADDRESS` to listen on; port 0 takes a free one")
	f.StringVar(&c.config.Dir, "dir", "", "`FOLDER` to keep the data in (default: in memory)")
	f.IntVar(&c.config.Limits.Calendar, "limit", 200, "requests `N` of a calendar in any window; -1 for no limit")
	f.IntVar(&c.config.Limits.Organization, "organization-limit", 500, "requests `N` of an organization in any window; -1 for no limit")
	f.DurationVar(&c.config.Limits.Window, "window", time.Minute, "window of the limits: a `TIME` such as 5s")
	f.DurationVar(&c.config.Latency, "latency", 0, "`TIME` that a request travels")
	f.DurationVar(&c.config.ListLag, "list-lag", 0, "`TIME` after a change for which lists still show what was before it")
	f.DurationVar(&c.config.Background, "background", 0, "`TIME` after the answer at which guests and contacts who were added are there")
	f.BoolVar(&c.config.CountedPages, "counted-pages", false, "have pages skip and repeat records where some come, go or move meanwhile")
	f.Float64Var(&c.config.EditRate, "edits", 0, "`SHARE` of requests, such as 0.1, before which a person changes something by hand")
	f.StringArrayVar(&c.faults, "fault", nil, "how often what goes wrong: `KIND:RATE`, repeatable; kinds are "+faultWords())
	f.Uint64Var(&c.config.Seed, "seed", 1, "`N` that faults and ids are drawn from")
	cmd.AddCommand(newSandboxFillCommand(a), newSandboxOutboxCommand(a))
	return cmd
}

// faultWords returns the kinds of faults as words of a sentence.
func faultWords() string {
	kinds := sandbox.FaultKinds()
	words := make([]string, 0, len(kinds))
	for _, kind := range kinds {
		words = append(words, string(kind))
	}
	return strings.Join(words, ", ")
}

// wrongFault returns the error of a fault that cannot be read.
func wrongFault(text string, err error) error {
	wrong := usagef("reading --fault: %w", err)
	kind, _, _ := strings.Cut(text, ":")
	if words := strings.Split(faultWords(), ", "); !slices.Contains(words, kind) {
		wrong.hint = cmp.Or(spelling.DidYouMean(kind, words), "kinds are "+faultWords())
	}
	return wrong
}

// verify refuses what the double would take for its own default.
func (c *sandboxCommand) verify() error {
	config := &c.config
	switch {
	case config.Limits.Calendar == 0 || config.Limits.Organization == 0:
		return usagef("--limit and --organization-limit: no request at all could be answered").
			hinted("write a number from 1, or -1 for no limit")
	case config.Limits.Window <= 0:
		return usagef("--window: %s is not a time to count in", config.Limits.Window)
	}
	if !(config.EditRate >= 0 && config.EditRate <= 1) {
		return usagef("--edits: %v is not a share between 0 and 1", config.EditRate)
	}
	for name, time := range map[string]time.Duration{
		"latency": config.Latency, "list-lag": config.ListLag, "background": config.Background,
	} {
		if time < 0 {
			return usagef("--%s: %s is not a time to take", name, time)
		}
	}
	return nil
}

func (c *sandboxCommand) run(ctx context.Context) error {
	addr, err := netip.ParseAddrPort(c.addr)
	if err != nil || !addr.Addr().IsLoopback() {
		return usagef("--addr: %q is not a loopback address with a port, such as 127.0.0.1:8787", c.addr)
	}
	if err := c.verify(); err != nil {
		return err
	}
	config, known := c.config, sandbox.BuiltIn("")
	config.Keys, config.Calendars, config.Existing = known.Keys, known.Calendars, known.Existing
	for _, text := range c.faults {
		fault, err := sandbox.ParseFault(text)
		if err != nil {
			return wrongFault(text, err)
		}
		config.Faults = append(config.Faults, fault)
	}
	if c.global.badDay > 0 {
		config.BadDay(uint64(c.global.badDay))
	}
	service, err := sandbox.New(config)
	if err != nil {
		return err
	}
	defer service.Close()
	listener, err := net.Listen("tcp", addr.String())
	if err != nil {
		return fmt.Errorf("listening on %s: %w", addr, err)
	}
	if err := c.announce("http://" + listener.Addr().String()); err != nil {
		return errors.Join(err, listener.Close())
	}
	c.say("a double of the service, for trying things and for tests; stop it with Ctrl-C\n")
	c.say("  calendar %s: EVENTBATCH_API_KEY=%s\n", sandbox.CalendarID, sandbox.CalendarSecret)
	c.say("  organization %s with %s: EVENTBATCH_API_KEY=%s EVENTBATCH_KEY_KIND=organization\n",
		sandbox.OrganizationID, strings.Join(sandbox.OrganizationCalendars, ", "), sandbox.OrganizationSecret)
	before := service.Stats().Created // what it held already
	if err := service.Serve(ctx, listener); err != nil {
		return err
	}
	stats := service.Stats()
	requests := 0
	for _, n := range stats.Requests {
		requests += n
	}
	c.say(
		"%s, %s created, %d answered with 429\n", report.Count(requests, "request"), report.Count(stats.Created-before, "event"),
		stats.Throttled,
	)
	return nil
}
