package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"eventbatch/batch"
	"eventbatch/batch/night"
	"eventbatch/batch/profile"
	"eventbatch/batch/secret"
	"eventbatch/mapping/durable"
	"eventbatch/mapping/failure"
)

// configurationName is the configuration of a folder.
const configurationName = "eventbatch.yaml"

// initCommand is the command init; what they do not say is asked for.
type initCommand struct {
	*env

	from, feed string
}

func newInitCommand(a *env) *cobra.Command {
	c := &initCommand{env: a}
	cmd := newBareCommand("init", c.run)
	f := cmd.Flags()
	f.StringVar(&c.from, "key-from", "", "`WHERE` the key is to be had: env:NAME, file:PATH, cmd:PROGRAM or keyring:SERVICE/USER")
	f.StringVar(&c.feed, "feed", "", "first `FILE` or address to sync events from, which is tried in the sandbox")
	return cmd
}

type initDoc struct {
	File string `json:"file"`
}

func (c *initCommand) run(ctx context.Context) error {
	if _, err := os.Lstat(configurationName); !errors.Is(err, fs.ErrNotExist) {
		return failure.New(
			failure.Refused, errors.New(configurationName+" is there already and is left alone"), "eventbatch doctor tries it",
		)
	}
	if err := lookAt([]string{cmp.Or(c.feed, "-")}); err != nil {
		return err
	}
	text, err := c.configuration(ctx)
	if err != nil {
		return err
	}
	if err := durable.New(configurationName, 0o600, text); err != nil {
		return failure.New(failure.Output, err, "")
	}
	if c.global.json {
		return c.writeDoc("init", initDoc{configurationName}, nil)
	}
	c.say("%s: written\n", configurationName)
	c.global.BaseURL, c.global.Calendar, c.global.KeyKind = "", "", "" // the file says them
	unwell := (&doctorCommand{env: c.env}).run(ctx)
	if err := c.firstSync(ctx, c.feed); err != nil {
		return err
	}
	if unwell == nil && c.feed != "" {
		c.say("next: eventbatch sync %s --dry-run plans it for the service; eventbatch sync install --help has it run every night\n",
			syncNameOf(c.feed))
	}
	return unwell
}

// configuration returns the text of the file, of what the flags and a person say.
func (c *initCommand) configuration(ctx context.Context) (string, error) {
	if c.canAsk("") {
		c.screen.Printf("This writes %s into this folder, once all is answered. Ctrl-C stops.\n", configurationName)
	}
	base, err := c.answer(ctx, question{"--base-url", "address of the service, such as https://api.example.com", parses(secret.ParseBase)},
		cmp.Or(c.global.BaseURL, c.vars["EVENTBATCH_BASE_URL"]))
	if err != nil {
		return "", err
	}
	from, err := c.answer(ctx, question{
		"--key-from", "where the key is to be had, not the key itself: env:VARIABLE, file:PATH, cmd:PROGRAM or keyring:SERVICE/USER",
		parses(secret.ParseRef),
	}, c.from)
	if err != nil {
		return "", err
	}
	kind, calendar, err := c.keyOwner(ctx)
	if err != nil {
		return "", err
	}
	if c.feed == "" && c.canAsk("") {
		there := func(file string) error { return lookAt([]string{file}) }
		c.feed, err = c.answer(ctx, question{"--feed", "file or address of the events to sync (Return: none)", orNothing(there)}, "")
		if err != nil {
			return "", err
		}
	}
	first := profile.First{BaseURL: base, Kind: kind, Calendar: calendar, From: from}
	if c.feed != "" {
		first.Sync, first.File = syncNameOf(c.feed), c.feed
		first.Calendar = cmp.Or(calendar, c.global.Calendar, c.vars["EVENTBATCH_CALENDAR"])
	}
	return first.Text(), nil
}

// keyOwner returns the kind of the key, and the calendar that it is for where it is not an organization's.
func (c *initCommand) keyOwner(ctx context.Context) (kind secret.Kind, calendar string, err error) {
	said := cmp.Or(c.global.KeyKind, c.vars["EVENTBATCH_KEY_KIND"])
	kind, err = secret.ParseKind(said)
	if err != nil {
		return "", "", usagef("--key-kind: %w", err)
	}
	if kind == secret.Organization {
		return kind, "", nil
	}
	q := question{"--calendar", "id of the calendar that the key is for", isID}
	if said == "" {
		q.words, q.check = q.words+" (Return: it is the key of an organization)", orNothing(isID)
	}
	calendar, err = c.answer(ctx, q, cmp.Or(c.global.Calendar, c.vars["EVENTBATCH_CALENDAR"]))
	if err == nil && calendar == "" {
		kind = secret.Organization
	}
	return kind, calendar, err
}

// syncNameOf returns the name of the sync of a file, or of an address, which may be as good as a password.
func syncNameOf(file string) string {
	if secret.IsAddress(file) {
		file = ""
	}
	return night.NameFor(file)
}

// question is something that init has to know.
type question struct {
	flag, words string
	check       func(answer string) error
}

// answer returns what a flag says, else what a person does, who is asked until it can be used.
func (c *initCommand) answer(ctx context.Context, q question, given string) (string, error) {
	if given != "" || !c.canAsk("") {
		err := q.check(given)
		if given == "" {
			err = errors.New("it is not given, and there is nobody to ask")
		}
		if err != nil {
			return "", usagef("%s: %w", q.flag, err)
		}
		return given, nil
	}
	err := c.person().Until(ctx, q.words+": ", func(answer string) bool {
		given = answer
		wrong := q.check(answer)
		if wrong != nil {
			c.screen.Printf("  %s\n", wrong)
		}
		return wrong == nil
	})
	if err == io.EOF {
		err = failure.New(failure.Refused, errors.New("no answer: nothing is written"), "")
	}
	return given, err
}

// parses checks an answer that something else parses.
func parses[T any](parse func(text string) (T, error)) func(string) error {
	return func(text string) error {
		_, err := parse(text)
		return err
	}
}

func isID(text string) error {
	if text == "" {
		return errors.New("the key of a calendar needs one; for that of an organization say --key-kind organization")
	}
	return profile.CheckID(text)
}

// orNothing checks an answer unless there is none.
func orNothing(check func(string) error) func(string) error {
	return func(text string) error {
		if text == "" {
			return nil
		}
		return check(text)
	}
}

// firstSync goes through a sync of the file in the sandbox, where the person agrees.
func (c *initCommand) firstSync(ctx context.Context, feed string) error {
	if feed == "" {
		return nil
	}
	if c.canAsk("") {
		if yes, err := c.person().Yes(ctx, true, "sync it into the sandbox now, which is on this machine?"); err != nil || !yes {
			return err
		}
	}
	opts, err := syncOptionsOf(c.env)
	if err != nil {
		return err
	}
	name := syncNameOf(feed)
	c.say("eventbatch sync %s --sandbox:\n", name)
	c.global.sandbox = true
	err = (&syncCommand{c.env, *opts}).run(ctx, []string{name})
	if failure.Is[*batch.InvalidError](err) {
		c.hint("what a flag would say stands in eventbatch.yaml below " + name + ":, such as timezone: Europe/Berlin; " +
			"then: eventbatch sync " + name + " --sandbox")
	}
	return err
}
