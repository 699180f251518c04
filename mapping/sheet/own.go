package sheet

import (
	"strings"

	"eventbatch/mapping/sheet/ooxml"
)

// The names by which a workbook says which of its sheets are ours and hold no
// rows. They go where the sheet goes, whatever it is called and by whichever
// program it is saved.
const (
	OwnPrefix       = "_eventbatch_"
	AnnotationSheet = OwnPrefix + "problems" // what was found in the other sheets
)

// AnnotationColumn is the header of the column of ours, which tells of each row of the
// user's what was found in it.
const AnnotationColumn = "_eventbatch"

// definedName looks for the names that say which sheets are ours and hold no rows.
func (w *workbook) definedName(x *ooxml.Scanner) error {
	name, _ := x.Attr("name")
	own := string(name)
	if !x.Is("definedName") || !strings.HasPrefix(own, OwnPrefix) {
		return x.Skip()
	}
	target, err := bareText(x, nil)
	if err != nil {
		return err
	}
	sheet, _, found := strings.Cut(string(target), "!")
	if n := len(sheet); n > 1 && sheet[0] == '\'' {
		// A quoted name may have the mark in it.
		end := strings.LastIndex(string(target), "'!")
		sheet = strings.ReplaceAll(string(target[1:max(end, 1)]), "''", "'")
	}
	for _, s := range w.entries {
		if found && s.Name == strings.TrimPrefix(sheet, "$") {
			s.own, s.Own = own, true
		}
	}
	return nil
}
