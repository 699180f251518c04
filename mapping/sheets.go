package mapping

import (
	"context"
	"slices"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
)

// choose finds the sheets to read: those that a glob fits; in a workbook that is named after
// resources those of a resource; else the first that is visible. A hidden sheet is read only
// where it is named in full. Each glob has to fit one. What depends on others is read after them.
func (in *input) choose(o *options) error {
	sheets := in.file.Sheets()
	if len(sheets) == 1 && sheets[0].Name == "" { // a text file has one sheet, whatever it should be called
		in.names = []string{""}
		return nil
	}
	in.whole = o.whole(sheets)
	var names, left []string
	fitted := make([]bool, len(o.sheets))
	for _, s := range sheets {
		taken, meant := false, len(o.sheets) == 0 && !o.joinsSheet(s.Name)
		for i, glob := range o.sheets {
			fits := mapfile.FitsSheet(glob, s.Name)
			meant = meant || fits
			if s.Name == glob || fits && !s.Hidden && !s.Own {
				fitted[i], taken = true, true
			}
		}
		if !s.Hidden && !s.Own && len(o.sheets) == 0 {
			taken = in.whole && o.named(s.Name) || !in.whole && len(names) == 0
			if !taken && !o.joinsSheet(s.Name) {
				left = append(left, s.Name)
			}
		}
		if taken {
			names = append(names, s.Name)
		} else if meant && !s.Own {
			in.unread = append(in.unread, s.Name)
		}
	}
	at := slices.Index(fitted, false)
	if len(names) == 0 || at >= 0 {
		all := make([]string, len(sheets))
		for i, s := range sheets {
			all[i] = s.Name
		}
		message := "no sheet is visible"
		if at >= 0 {
			message = "no sheet fits " + quoted(o.sheets[at])
		}
		return &sheet.Error{Problem: schema.Problem{
			Code: schema.CodeNoSheet, Place: schema.Place{
				File: in.name(), Column: -1,
			}, Message: message, Hint: "the file has: " + strings.Join(all, ", "),
		}}
	}
	if !o.decided {
		slices.SortStableFunc(names, func(a, b string) int { return o.rank(a) - o.rank(b) })
	}
	in.names = names
	if in.whole && o.decided {
		return nil // the other sheets are about something else
	}
	if in.left = left; len(left) > 0 {
		in.notices = append(in.notices, in.leftOut())
	}
	return nil
}

// whole reports whether the sheets to read are those that are named after a resource: nobody has
// said which are read, and the first visible one, or one further behind that is called events,
// has such a name. Where it is said what the rows are about, one has to have that name.
func (o *options) whole(sheets []sheet.Info) bool {
	if len(o.sheets) > 0 || !o.decided && o.mapping != nil && len(o.mapping.Columns) > 0 {
		return false
	}
	first := !o.decided
	for _, s := range sheets {
		if s.Hidden || s.Own {
			continue
		}
		if r, ok := catalog.ResourceNamed(s.Name); ok && (first || r == o.Resource) {
			return true
		}
		first = false
	}
	return false
}

// named reports whether a sheet is named after a resource that its rows can be about.
func (o *options) named(sheet string) bool {
	r, ok := catalog.ResourceNamed(sheet)
	return ok && (!o.decided || r == o.Resource)
}

// rank returns the place of the rows of a sheet among all that are read.
func (in *input) rank(name string) int {
	if in.options.decided {
		return slices.Index(catalog.Resources, in.options.Resource)
	}
	return in.options.rank(name)
}

// rank returns the place of a sheet among those that are read: after all that its rows may
// belong to.
func (o *options) rank(name string) int {
	r, ok := catalog.ResourceNamed(name)
	if !ok {
		r = o.Resource
	}
	return slices.Index(catalog.Resources, r)
}

// leftOut names the visible sheets that are not read.
func (in *input) leftOut() schema.Problem {
	p := schema.Problem{
		Severity: schema.Warning, Code: schema.CodeSheetsLeftOut, Place: schema.Place{File: in.name(), Column: -1},
		Message: "only the first sheet, " + quoted(in.names[0]) + ", is read, and not: " + strings.Join(in.left, ", "),
		Hint:    `say --sheet with a name or a pattern; --sheet "*" reads all`,
	}
	names := in.left
	if !in.whole {
		names = slices.Concat(in.names, in.left)
	} else {
		p.Message = "only sheets named after a resource are read (" + strings.Join(in.names, ", ") + "), and not: " +
			strings.Join(in.left, ", ")
		p.Hint = "name a sheet after what its rows are (" + strings.Join(catalog.ResourceNames(), ", ") + "), or say --sheet"
	}
	var meant []string
	for _, name := range names {
		near := spelling.Nearest(name, catalog.ResourceNames())
		if r := catalog.ResourceMeant(name); r != nil {
			near = r.Name
		}
		if _, named := catalog.ResourceNamed(name); near != "" && !named {
			meant = append(meant, quoted(name)+": did you mean "+near+"?")
		}
	}
	if len(meant) > 0 {
		p.Hint = strings.Join(meant, " ") + " name a sheet so to have it read, or say --sheet"
	}
	return p
}

// passOver warns of visible sheets that a mapping does not name, although they have all columns that it reads.
func (in *input) passOver(ctx context.Context, o *options) {
	if o.mapping == nil || o.Sheet != "" || len(o.mapping.Sheet) == 0 || len(in.names) == len(in.file.Sheets()) {
		return
	}
	header := in.header(ctx, in.names[0])
	read := slices.DeleteFunc(slices.Concat(o.mapping.Inputs(), o.mapping.Grid.Columns), func(name string) bool {
		return sheet.FindColumn(header, name) < 0 // it is of a table that is joined, say
	})
	var passed []string
	for _, s := range in.file.Sheets() {
		if len(read) == 0 || s.Hidden || s.Own || o.joinsSheet(s.Name) || slices.Contains(in.names, s.Name) ||
			o.mapping.SkipsSheet(s.Name) {
			continue
		}
		header := in.header(ctx, s.Name)
		if !slices.ContainsFunc(read, func(name string) bool { return sheet.FindColumn(header, name) < 0 }) {
			passed = append(passed, s.Name)
		}
	}
	if len(passed) > 0 {
		in.notices = append(in.notices, schema.Problem{
			Severity: schema.Warning, Code: schema.CodeSheetsLeftOut, Place: schema.Place{File: in.name(), Column: -1},
			Message: "not read, though they have all columns that the mapping reads, are the sheets " + strings.Join(passed, ", "),
			Hint:    "list them under sheet in the mapping if their rows are meant to be read, else under skip_sheets",
		})
	}
}
