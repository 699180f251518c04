package batch

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// TestWhateverARowSaysIsSentLeftOrRefused imports rows that say something of each field in the catalog, alone and
// beside each that is no part of the same request, of records that are there and that are not, from plain files
// and from exports, whatever they are compared with. The service then has what the cell says, or the row's
// result says why not. A field that is new in the catalog is looked at as well.
func TestWhateverARowSaysIsSentLeftOrRefused(t *testing.T) {
	t.Parallel()
	compared := []string{"live", "sent", "none"}
	if testing.Short() {
		compared = compared[:1]
	}
	files := func(_ *testing.T, workspace *files.Workspace) journal.Store { return workspace }
	for _, r := range catalog.Resources {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { newTelling(t, r, files).hold(t, compared...) })
		})
	}
}

// So it is in a database, where no clock goes faster than it does: of the resources about which few rows say all.
func TestWhateverARowSaysIsSentLeftOrRefusedInADatabase(t *testing.T) {
	for _, r := range []*schema.Resource{
		catalog.Guests, catalog.Contacts, catalog.Members, catalog.Listings, catalog.Coupons, catalog.TicketTypes, catalog.Hosts,
	} {
		t.Run(r.Name, func(t *testing.T) { newTelling(t, r, database).hold(t, "live") })
	}
}

// hold imports rows that say something of each field, and checks what has become of them.
func (w *telling) hold(t *testing.T, compared ...string) {
	type way struct {
		compare, form string
		rows          []*saying
	}
	var ways []way
	var all []*saying
	for _, form := range []string{"plain", "exported"} {
		for _, compare := range compared {
			from := len(all)
			all = sayings(t, w.r, compare, all)
			ways = append(ways, way{compare, form, all[from:]})
		}
	}
	var was []map[string]string
	for _, s := range all {
		if s.was != nil {
			was = append(was, s.was)
		}
	}
	if len(all) == 0 {
		return // there is nothing to say but who it is
	}
	if len(was) == 0 {
		was = append(was, all[0].cells) // so that there is something to export
	}
	for i, row := range w.imports("sent", w.file(nil, was)) {
		if row.Status != finding.Created {
			t.Fatalf("%v: %s %s %v", was[i], row.Status, row.Why(), row.Problems)
		}
	}
	head, rows := w.exported()
	for _, way := range ways {
		var now []map[string]string
		columns := head
		if way.form == "plain" {
			columns = nil
		}
		for _, s := range way.rows {
			cells := maps.Clone(s.cells)
			if s.was != nil && columns != nil {
				cells = maps.Clone(rows[s.was[handle(w.r)]])
				said := maps.Clone(s.cells)
				delete(said, "key")
				delete(said, w.r.Parent)
				maps.Copy(cells, said)
			} else if s.was != nil && w.r.IDField() != nil {
				cells[w.r.ID] = rows[s.was[handle(w.r)]][w.r.ID]
			}
			if s.was != nil && rows[s.was[handle(w.r)]] == nil {
				t.Fatalf("the export lacks %v", s.was)
			}
			now = append(now, cells)
		}
		for i, row := range w.imports(way.compare, w.file(columns, now)) {
			w.check(t, way.form+" "+way.compare, way.rows[i], &row)
		}
	}
}

// explains reports whether the result of a row says what became of a field that the service does not have so: a
// problem at that very field, a change that stays with its reason, or a reason that says why the field is not sent.
// Of a row of which nothing was sent, what is said of another of its fields explains it.
func (w *telling) explains(s *saying, row *told, f *schema.Field) bool {
	about := []*schema.Field{f}
	refused := !slices.Contains([]finding.Status{finding.Created, finding.Updated, finding.Unchanged}, row.Status)
	if refused {
		about = slices.Clone(s.fields)
		for _, f := range s.fields {
			if other, ok := w.r.ByPath(beside[f.Path]); ok {
				about = append(about, other)
			}
		}
	}
	return slices.ContainsFunc(about, func(f *schema.Field) bool {
		whole, part := f.Object()
		names := func(path string) bool { return path == f.Path || path == f.Sent().Path || part && path == whole.Path }
		return slices.ContainsFunc(row.Changes, func(c finding.Change) bool { return names(c.Field) && c.Stays() != "" }) ||
			slices.ContainsFunc(row.Problems, func(p schema.Problem) bool {
				return names(p.Field) || refused && slices.ContainsFunc(strings.FieldsFunc(p.Message+" "+p.Hint, between), names)
			}) ||
			names(row.Field) && row.Error != "" || strings.Contains(row.Reason, "what its "+f.Path+" is ")
	})
}

// between reports whether a letter of a message stands between the paths of fields.
func between(r rune) bool { return r == ' ' || r == ',' || r == ';' || r == ':' }

// check holds what became of a row against what it says.
func (w *telling) check(t *testing.T, how string, s *saying, row *told) {
	t.Helper()
	tell := func(message string) {
		var text strings.Builder
		for _, op := range row.ops {
			fmt.Fprintf(&text, "%s %s\n", op.Operation, op.Body)
		}
		t.Errorf("%s %s: %s: %s, %s; problems %v; changes %+v\n%s",
			how, s, message, row.Status, row.Why(), row.Problems, row.Changes, text.String())
	}
	for _, f := range s.fields {
		if f.Manner {
			if !w.goes(row, f, s.cells[f.Path]) && !w.explains(s, row, f) {
				tell(f.Path + " does not go with each request that takes it")
			}
			continue
		}
		if has, sent := w.explains(s, row, f), false; !has {
			if has, sent = w.has(row, f, s.cells[f.Path]); !has && !sent {
				tell(f.Path + " is lost")
			}
		}
	}
}

// goes reports whether a word that says how a request is made goes with those requests of the row that take it. Where
// none does it goes with nothing that is sent, or asks for what is so anyway.
func (w *telling) goes(row *told, f *schema.Field, cell string) bool {
	sends, taken, mails := false, false, false
	for _, op := range row.ops {
		o := catalog.OperationNamed(op.Operation)
		sends, mails = sends || op.Action.Sends(), mails || op.Effects.Has(schema.Mails)
		if o == nil || !o.Takes(f.Sent()) {
			continue
		}
		one := *row
		one.ops = []*plan.Op{op}
		if has, _ := w.has(&one, f, cell); !has {
			return false
		}
		taken = true
	}
	if f.Path == w.r.Quiet {
		return taken || !sends || cell == w.r.Silence && !mails
	}
	return taken || !sends || cell == "false"
}
