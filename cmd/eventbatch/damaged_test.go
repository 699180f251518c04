package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// A workbook that is damaged is the input's fault (65), wherever in it, and also where a report
// of it is asked for: no disk has failed.
func TestDamagedWorkbookIsInvalid(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile("../../samples/spring.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	broken := func(part string) string { // its local header's length, or its first bytes
		b := bytes.Clone(whole)
		at := bytes.Index(b, []byte(part)) + len(part)
		copy(b[at+20:], "\xff\xff\xff\xff\xff\xff")
		return string(b)
	}
	h := newHome(t, "")
	for name, c := range map[string]struct {
		text    string
		check   int
		listed  bool // in a workbook of its own
		because string
	}{
		"misplaced.xlsx": {"PK\x03\x04" + string(whole[1004:]), 65, true, "the archive's directory points to no part"},
		"rows.xlsx":      {broken("xl/worksheets/sheet1.xml"), 65, true, "the compressed data is damaged or cut"},
		"types.xlsx":     {broken("[Content_Types].xml"), 0, false, "types.xlsx is damaged: reading [content_types].xml: "},
	} {
		h.write(t, name, c.text)
		h.must(t, c.check, "check", name)
		e := h.must(t, 65, "check", name, "--report", "of-"+name)
		if !strings.Contains(e.stdout+e.stderr, c.because) {
			t.Errorf("%s: %v", name, e)
		}
		if _, err := os.Stat(h.path("of-" + name)); (err == nil) != c.listed {
			t.Errorf("%s: the report: %v", name, err)
		}
	}
}
