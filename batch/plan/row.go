package plan

import (
	"cmp"

	"eventbatch/mapping/baseline"
	"eventbatch/mapping/schema"
)

// A Planner turns rows into ops in the order of the input.
type Planner struct {
	config Config
	buf    []byte
	keys   map[place]int // the row of each key, and of each record that was found

	renamed   map[string]bool // the old keys whose rows were met
	relatives relatives
	named     map[place]named    // the rows of what others name
	calendars map[string][]named // the rows of calendars, by their slugs and names in small letters
	added     map[place][]int    // the ops that add a record of a kind of which one has to stay: see outlast
}

// place is a key within its calendar.
type place struct{ calendar, key string }

// New returns a Planner without rows.
func New(config Config) *Planner {
	return &Planner{
		config: config, keys: map[place]int{}, renamed: map[string]bool{}, named: map[place]named{},
		calendars: map[string][]named{},
		added:     map[place][]int{},
	}
}

// row is the deciding of one row: which record it is about, what is known of that, and what the row asks for.
type row struct {
	p        *Planner
	op       *Op
	d        *schema.Draft
	made     string  // hash of what only a create takes
	known    Known   // what is remembered of the record
	live     *Listed // the record as lists show it; nil where none was asked, or none has it
	there    bool    // the service has the record, as far as that is known
	followed bool    // its event was asked for, and is on another calendar than a run was told
	found    bool    // the workspace did not know the record, which was found by its slug
}

// hold keeps the row back for a reason.
func (r *row) hold(reason string) { r.op.Action, r.op.Reason = Blocked, reason }

// unchanged has the row send nothing, for a reason.
func (r *row) unchanged(reason string) { r.op.Action, r.op.Reason = Unchanged, reason }

// says notes what the cells of a row say whose baseline the results carry on.
func (r *row) says() {
	if r.op.Base != "" || r.p.compares() {
		r.op.Says = baseline.Says(r.d)
	}
}

// compares reports whether rows are compared with what is live.
func (p *Planner) compares() bool { return p.config.Options.Compare == "live" && p.config.Live != nil }

// about has the row of a record that others belong to, or that belongs to one, count as such, though nothing is
// sent of it.
func (r *row) about() {
	if of := r.d.Resource; !of.Keyed() && of.Cell == nil {
		r.op.Resource, r.op.Event.Name = of.Name, cmp.Or(r.d.Name(), r.op.Event.Name)
	}
}
