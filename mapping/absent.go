package mapping

import (
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/baseline"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// mostNamed is how many records are named that have no row.
const mostNamed = 20

// absence finds the records of an export that have no row in the workbook any more: those whose baselines it
// has, and whose rows nobody meets. It is the merge's alone.
type absence struct {
	records map[string]baseline.Record
	read    map[string]bool // the resources that have a sheet
	unsure  bool            // a row that nobody could name may be of any
}

// meet notes a row.
func (a *absence) meet(result *Result) {
	d := result.Draft
	if d == nil {
		a.unsure = true
		return
	}
	a.read[d.Resource.Name] = true
	id := baseline.ID(d)
	if a.unsure = a.unsure || id == "" && (result.Skipped != "" || result.Invalid()); id != "" {
		delete(a.records, id)
	}
}

// problems says which records have no row, a problem a resource.
func (a *absence) problems(file string) (list []schema.Problem) {
	if a.unsure {
		return nil
	}
	names := map[string][]string{}
	for _, r := range a.records {
		if a.read[r.Resource] {
			names[r.Resource] = append(names[r.Resource], r.Name)
		}
	}
	for _, r := range catalog.Resources {
		gone := names[r.Name]
		if len(gone) == 0 {
			continue
		}
		slices.Sort(gone)
		words := "1 " + r.One + " of the export is not in the file, and nothing is sent for it: "
		if n := len(gone); n > 1 {
			words = strconv.Itoa(n) + " " + r.One + "s of the export are not in the file, and nothing is sent for them: "
		}
		if more := len(gone) - mostNamed; more > 0 {
			gone = append(gone[:mostNamed], "and "+strconv.Itoa(more)+" more")
		}
		words += strings.Join(gone, ", ")
		list = append(list, schema.Problem{
			Severity: schema.Warning, Code: schema.CodeRowGone, Place: schema.Place{File: file, Column: -1},
			Message: words, Hint: a.hint(r),
		})
	}
	return list
}

// hint says how what has no row any more is taken away.
func (a *absence) hint(r *schema.Resource) string {
	for _, action := range []schema.Action{schema.Cancel, schema.Delete} {
		if r.Takes(action) {
			return "it stays; to take it away, put its row back with " + strings.ToUpper(action.Word()) + " in Action"
		}
	}
	return "it stays"
}
