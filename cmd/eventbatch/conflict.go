package main

import (
	"context"
	"io"
	"strings"

	"eventbatch/batch"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
)

// conflicts asks a person who is right where a row and the platform differ.
type conflicts struct {
	*app

	all string // the answer that was given for all that follow
}

// leave is the answer that holds a row back for now.
const leave = "leave"

// who asks one question a conflict. Return and the end of the input leave the row for now.
func (c *conflicts) who(ctx context.Context, conflict batch.Conflict) (string, error) {
	if c.all != "" {
		return c.all, nil
	}
	event := strings.TrimSpace(conflict.Event.Key + " " + conflict.Event.Name)
	c.screen.Conflict(conflict.File+", row "+report.Number(conflict.Row), event, conflict.Fields)
	for {
		c.screen.Printf("who is right? mine (the file), theirs (the platform), leave for now; with all, for the others too [leave] ")
		answer, err := c.line(ctx)
		if err == io.EOF {
			c.all = leave
			return leave, nil
		}
		if err != nil {
			return "", err
		}
		word, all := strings.CutSuffix(strings.ToLower(answer), " all")
		for _, who := range []string{plan.Mine, plan.Theirs, leave} {
			if word == who || word == who[:1] || word == "" && who == leave {
				if all {
					c.all = who
				}
				return who, nil
			}
		}
	}
}
