package sheet

import "strings"

// definedName looks for the names that say which sheets are ours and hold no rows.
func (w *workbook) definedName(x *xmlScanner) error {
	name, _ := x.attr("name")
	aside := string(name)
	if !x.is("definedName") || !strings.HasPrefix(aside, asidePrefix) {
		return x.skip()
	}
	target, err := x.content(nil)
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
			s.aside, s.Aside = aside, true
		}
	}
	return nil
}
