package ooxml

import (
	"errors"
	"fmt"

	"eventbatch/mapping/schema"
)

// What a user can do about a workbook that is refused.
const (
	HintDamaged = "get the file again from where it came; if it opens in a spreadsheet program, save it anew as .xlsx"
	HintResave  = "open it in a spreadsheet program and save it as .xlsx"
	HintSmaller = "split it into smaller files, or save it as CSV"
)

// Flaw is what is wrong with a workbook before it is known where: whoever knows the
// sheet, the row or the cell adds it.
type Flaw struct {
	Code    schema.Code
	Message string
	Hint    string
	Err     error // the cause, where another package found it; may be nil
}

// Error gives the message alone.
func (f *Flaw) Error() string { return f.Message }

// Unwrap gives the cause.
func (f *Flaw) Unwrap() error { return f.Err }

// Flawf makes a flaw without a cause.
func Flawf(code schema.Code, hint, format string, args ...any) *Flaw {
	return &Flaw{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// InPart says in which part something is wrong: a flaw stays one, with the name
// before its message.
func InPart(name string, err error) error {
	f, ok := errors.AsType[*Flaw](err)
	if !ok {
		return fmt.Errorf("%s: %w", name, err)
	}
	return &Flaw{f.Code, name + ": " + f.Message, f.Hint, f.Err}
}
