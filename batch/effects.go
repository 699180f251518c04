package batch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"eventbatch/batch/live"
	"eventbatch/batch/plan"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// reach finds out how many people the ops of a plan reach. The service is asked about the
// events alone that are cancelled, or changed so that their guests hear of it.
type reach struct {
	live *live.Cache
	past *past
	all  bool // events of which it is not known whether guests would hear of the change too
	// refused reports whether the plan is refused as it is, so that nobody needs the number;
	// nil where that is not known.
	refused func(context.Context) bool
}

// count completes the effects of an op that sends. An event that the service does not show
// is left as it is: the row will fail, or find more than the plan knew.
func (r *reach) count(ctx context.Context, op *plan.Op) error {
	e := &op.Effects
	if len(e.Of) == 0 || e.Counted || !op.Action.Sends() {
		return nil
	}
	if op.Action == plan.Update && !r.tells(op) {
		return nil
	}
	if r.refused != nil && r.refused(ctx) {
		return nil
	}
	err := r.live.People(ctx, op)
	if err == nil || live.Withheld(err) {
		return nil
	}
	return fmt.Errorf("counting the guests of %s: %w", op.Event.Name, err)
}

// tells leaves out the effects of fields that are sent as they were, and reports whether
// the guests have to be counted.
func (r *reach) tells(op *plan.Op) bool {
	before, after, moved := r.past.before(op), fields(op.Operation, &op.Payload), false
	when := catalog.OperationNamed(op.Operation).When
	op.Effects.Keep(func(effect schema.Effect) bool {
		return when[effect] == nil || slices.ContainsFunc(when[effect], func(field string) bool {
			was, known := before[field]
			differs := after[field] != nil && (!known || !same(op.Of(), field, was, after[field]))
			moved = moved || known && differs
			return differs
		})
	})
	return op.Effects.Has(schema.Mails) || len(op.Effects.Of) > 0 && (moved || r.all)
}

// Leave returns an error where the run would do to people or money what nobody has given
// leave to: neither the words given now, nor whoever made the plan. Apply is the command that
// sends the plan.
func (p *Planned) Leave(given []schema.Effect, apply string) error {
	lacking := p.Lacking(given)
	allow := allowing(lacking)
	hint := "say" + allow + ", or take the rows out; the plan is kept: " + apply + allow
	if header := p.Run.Header(); header.Reverts != "" {
		hint = "say" + allow + ", or leave what the run has made with --keep-created: eventbatch undo " + header.Parent + " --keep-created"
	}
	return p.refusal(lacking, "which needs leave", hint)
}

// Within returns an error where the run would do to people or money what is not among these effects, whoever has given
// leave to it; why says what the others lack. Apply is the command by which a person sends the plan.
func (p *Planned) Within(bound []schema.Effect, why, apply string) error {
	beyond := p.Beyond(bound)
	return p.refusal(beyond, why, "a person may send it: "+apply+allowing(beyond))
}

// refusal returns why a run is not sent that has effects without leave; nil where it has none.
func (p *Planned) refusal(lacking []schema.Effect, why, hint string) error {
	if len(lacking) == 0 {
		return nil
	}
	words := make([]string, len(lacking))
	for i, e := range lacking {
		words[i] = p.Effects.Words(e, p.Resource)
	}
	return failure.New(failure.Refused, errors.New("nothing was sent: the plan "+strings.Join(words, " and ")+", "+why), hint)
}

// Lacking returns the effects of what is left to be sent to which neither whoever made the plan has
// given leave, nor the words given now.
func (p *Planned) Lacking(given []schema.Effect) []schema.Effect {
	if p.Run != nil { // nil of a plan that a guard has refused
		given = append(slices.Clone(given), p.Run.Header().Allow...)
	}
	return p.Beyond(given)
}

// Beyond returns the effects of what is left to be sent that are not among these.
func (p *Planned) Beyond(given []schema.Effect) (more []schema.Effect) {
	for _, e := range schema.Leaves {
		if p.needs[e] && !slices.Contains(given, e) {
			more = append(more, e)
		}
	}
	return more
}

// Allowing returns the flag that gives the leave which the run needs, after a blank; empty
// where it needs none.
func (p *Planned) Allowing() string { return allowing(p.Lacking(nil)) }

func allowing(effects []schema.Effect) string {
	if len(effects) == 0 {
		return ""
	}
	words := make([]string, len(effects))
	for i, e := range effects {
		words[i] = string(e)
	}
	return " --allow " + strings.Join(words, ",")
}
