package mapfile

import (
	"path"
	"strings"

	"eventbatch/mapping/sheet"
)

// Names is one header or several.
type Names []string

// UnmarshalText reads a single header.
func (n *Names) UnmarshalText(text []byte) error {
	*n = Names{string(text)}
	return nil
}

// MarshalText writes a single header without a list.
func (n Names) MarshalText() ([]byte, error) {
	if len(n) == 1 {
		return []byte(n[0]), nil
	}
	return nil, nil
}

// FitsSheet reports whether a glob is for a sheet, or is its name.
func FitsSheet(glob, name string) bool {
	fits, err := path.Match(glob, name)
	return err == nil && fits || glob == name
}

// fits reports whether a header fits a glob, in which a slash is a letter like any other.
func fits(glob, header string) bool {
	plain := strings.NewReplacer("/", "\x00")
	ok, err := path.Match(plain.Replace(sheet.NormalHeader(glob)), plain.Replace(sheet.NormalHeader(header)))
	return err == nil && ok || glob == header
}
