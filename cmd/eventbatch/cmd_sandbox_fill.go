package main

import (
	"time"

	"github.com/spf13/cobra"

	"eventbatch/batch/report"
	"eventbatch/batch/sandbox"
)

// sandboxZones are the time zones of the sandbox's calendars.
var sandboxZones = []string{"America/New_York", "Europe/Berlin", "Asia/Kolkata"}

// sandboxFillCommand is the command sandbox fill.
type sandboxFillCommand struct {
	*app

	events int
}

func newSandboxFillCommand(a *app) *cobra.Command {
	c := &sandboxFillCommand{app: a}
	cmd := &cobra.Command{
		Use:   "fill",
		Short: "Put a season of events with guests into the calendars of --sandbox, so that there is something to export",
		Example: `  eventbatch sandbox fill
  eventbatch sandbox fill --events 20000`,
		Args: needNothing,
		RunE: func(*cobra.Command, []string) error {
			return c.run()
		},
	}
	cmd.Flags().IntVar(&c.events, "events", 60, "`NUMBER` of events, spread over the three calendars")
	return cmd
}

func (c *sandboxFillCommand) run() error {
	if c.events < 1 {
		return usagef("--events: %d is not a number from 1", c.events)
	}
	_, service, err := c.openSandbox()
	if err != nil {
		return err
	}
	defer service.Close()
	calendars := append([]string{sandboxCalendar}, sandboxOrgCalendars...)
	made, invited := 0, 0
	for i, calendar := range calendars {
		e, g, err := service.Fill(sandbox.Season{
			Calendar: calendar, Zone: sandboxZones[i], Events: (c.events + len(calendars) - 1 - i) / len(calendars),
			From: time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC),
		})
		if err != nil {
			return err
		}
		made, invited = made+e, invited+g
	}
	if c.global.json {
		return c.writeDoc(struct {
			Command   string      `json:"command"`
			Calendars []string    `json:"calendars"`
			Events    int         `json:"events"`
			Guests    int         `json:"guests"`
			Exit      report.Exit `json:"exit"`
		}{"sandbox fill", calendars, made, invited, c.exit(nil)})
	}
	c.say("%s with %s in %s\n", report.Count(made, "new event"), report.Count(invited, "guest"), report.Count(len(calendars), "calendar"))
	return nil
}
