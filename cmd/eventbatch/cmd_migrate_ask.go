package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"eventbatch/batch"
	"eventbatch/batch/printable"
	found "eventbatch/batch/report/finding"
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// openQuestion is what files of a folder may leave open, all of them for the same answer.
type openQuestion struct {
	code schema.Code // of the problem that the lack is
	into *string     // the flag that answers it
	asks string
	read func(answer string) (string, error) // returns it as the flag has it, or why it is none
}

// ask asks a person once what the files leave open. Who answers nothing is told which flag would.
func (c *migrateCommand) ask(ctx context.Context) error {
	if !c.canAsk("") || c.send.yes && !c.dryRun {
		return nil
	}
	reading, err := c.session.read(&c.request)
	if err != nil {
		return err
	}
	var open found.Problems
	// Why the files cannot be read is told when they are planned.
	_, _ = batch.Check(ctx, batch.CheckConfig{
		Reading: reading, PictureConfig: c.reading.pictures(), Report: batch.Reporting{Sink: &open},
	})
	flags := &c.request.reading
	for _, q := range []openQuestion{
		{schema.CodeNoZone, &flags.timezone, "in which time zone are the times of %s? ", readZone},
		{schema.CodeAmbiguousDate, &flags.dateOrder, "are the dates of %s day first (dmy) or month first (mdy)? ", readOrder},
	} {
		if err := c.askFor(ctx, &q, open); err != nil {
			return err
		}
	}
	return nil
}

// askFor asks one question until it is answered, or declined, where a file leaves it open.
func (c *migrateCommand) askFor(ctx context.Context, q *openQuestion, open found.Problems) error {
	var files []string
	for i := range open {
		if p := &open[i]; p.Code == q.code && !slices.Contains(files, p.Place.File) {
			files = append(files, p.Place.File)
		}
	}
	if len(files) == 0 || *q.into != "" {
		return nil
	}
	err := c.person().Until(ctx, fmt.Sprintf(q.asks, printable.Names(files)), func(answer string) bool {
		if answer == "" {
			return true
		}
		value, wrong := q.read(answer)
		if wrong == nil {
			*q.into = value
			return true
		}
		c.screen.Printf("%s\n", printable.Clean(wrong.Error()))
		c.hint(cmp.Or(schema.HintOf(wrong), "return leaves it open"))
		return false
	})
	if err == io.EOF {
		return nil
	}
	return err
}

func readZone(answer string) (string, error) {
	zone, err := value.LoadZone(answer)
	return zone.String(), err
}

func readOrder(answer string) (string, error) {
	if _, ok := datetime.ParseOrder(answer); !ok {
		return "", wrongWord("order", answer, flagWords["date-order"])
	}
	return answer, nil
}
