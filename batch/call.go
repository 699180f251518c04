package batch

import (
	"context"
	"fmt"
	"strings"

	"eventbatch/batch/journal"
	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/batch/service"
	"eventbatch/batch/source"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/record"
	"eventbatch/mapping/schema"
)

// Call is one request of the service that changes something, as the rows that lead to it: it is checked, planned, sent and
// taken back as they are.
type Call struct {
	operation *schema.Operation
	rows      [][]record.Member
}

// NewCall returns the call of an operation that says this. What cannot be said so is a [record.RequestError].
func NewCall(op *schema.Operation, said []record.Member) (*Call, error) {
	rows, err := record.Rows(op, said)
	return &Call{op, rows}, err
}

// File is what places in the rows are told in: there is no file.
func (c *Call) File() string { return "call " + c.operation.Name }

// Into has a plan that was asked for as one of the File, in NDJSON, be that of the call.
func (c *Call) Into(ctx context.Context, config *PlanConfig) error {
	if err := c.named(ctx, config.Service); err != nil {
		return err
	}
	r := c.operation.Resource // which rows of a file cannot name, of some operations
	config.Call, config.Source.Missing = c, source.Keep
	config.Reading.Resource, config.Reading.Held = r, map[string][]byte{c.File(): record.Lines(c.rows)}
	config.Choices = append(config.Choices, "resource="+r.Name)
	o := &config.Options
	if r.Keyed() && c.operation.Does == schema.Update {
		// It is known then what the event was before, and the word of who calls holds.
		o.Compare, o.First, o.OnConflict = "live", plan.Mine, plan.Mine
	}
	if c.operation.Name == catalog.Transfer {
		o.Owns = []string{catalog.Path(schema.FieldCalendarID)}
	}
	return nil
}

// named puts names in the place of the ids by which rows name their records, where a request
// takes either and a row is known by the name: the guest gst-1a2b is one of an e-mail address.
func (c *Call) named(ctx context.Context, s *service.Service) error {
	r := c.operation.Resource
	if f, ok := r.ByPath(r.Named); !ok || f.Kind != schema.Email || r.ID == "" || r.IDField() != nil {
		return nil
	}
	for _, row := range c.rows {
		event := ""
		for i := range row {
			if row[i].Name == r.Parent {
				event = row[i].Text()
			}
		}
		for i := range row {
			if row[i].Name != r.Named || strings.Contains(row[i].Text(), "@") {
				continue
			}
			name, err := live.NameOf(ctx, s, r, event, row[i].Text())
			if err != nil {
				return err
			}
			row[i].Value = record.Text(name)
		}
	}
	return nil
}

// Leads returns an error unless what a run sends is the operation that was called: a row may lead to another one.
func (c *Call) Leads(run *journal.Run) error {
	for planned, err := range run.Sends() {
		if err != nil {
			return err
		}
		if planned.Operation != c.operation.Name {
			r, err := c.operation.Resource, fmt.Errorf("what was said leads to %s, and not to %s", planned.Operation, c.operation.Name)
			return failure.New(failure.Refused, fmt.Errorf("nothing was sent: %w", err),
				"import a row of "+r.Name+" that says how the "+r.One+" should be")
		}
	}
	return nil
}
