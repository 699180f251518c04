package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// A mistake is a row with one thing wrong.
type mistake struct {
	cells map[string]string // by the paths of fields, over those of a good row
	field string            // whose cell is wrong
	code  schema.Code
}

// byKind is what no cell of the kind can hold, with what it is called.
var byKind = map[schema.Kind]mistake{
	schema.Identifier: {field: "1.2345E+17", code: schema.CodeLostDigits},
	schema.Verb:       {field: "MAYBE", code: schema.CodeBadAction},
	schema.LocalFile:  {field: "no-such-picture.png", code: schema.CodeBadPicture},
	schema.Bool:       {field: "perhaps", code: schema.CodeBadBool},
	schema.Integer:    {field: "a few", code: schema.CodeBadNumber},
	schema.Number:     {field: "a few", code: schema.CodeBadNumber},
	schema.Timestamp:  {field: "some evening", code: schema.CodeBadTime},
	schema.Day:        {field: "some day", code: schema.CodeBadDate},
	schema.Duration:   {field: "two hours", code: schema.CodeBadDuration},
	schema.Enum:       {field: "no such word", code: schema.CodeBadEnum},
	schema.URL:        {field: "gopher://example.org", code: schema.CodeBadURL},
	schema.Color:      {field: "no color", code: schema.CodeBadColor},
	schema.Slug:       {field: "two words", code: schema.CodeBadSlug},
	schema.Zone:       {field: "Mars/Olympus", code: schema.CodeBadZone},
	schema.Email:      {field: "nobody", code: schema.CodeBadEmail},
	schema.Object:     {field: "{", code: schema.CodeBadJSON},
	schema.Array:      {field: "[", code: schema.CodeBadJSON},
}

// beyond are values that their kind lets through and their field does not, by resource and path.
var beyond = map[string]map[string]schema.Code{
	"coupons.code":            {strings.Repeat("X", 21): schema.CodeOutOfRange, "TWO WORDS": schema.CodeOutOfRange},
	"coupons.percent_off":     {"0.5": schema.CodeOutOfRange, "101": schema.CodeOutOfRange},
	"coupons.remaining_count": {"1000001": schema.CodeOutOfRange, "-1": schema.CodeOutOfRange},
	"coupons.discount": {
		`{"discount_type":"percent"}`: schema.CodeBadObject, `{"discount_type":"gift","percent_off":5}`: schema.CodeBadEnum,
	},
	"events.max_capacity":         {"-1": schema.CodeOutOfRange},
	"events.coordinate.latitude":  {"91": schema.CodeOutOfRange},
	"events.coordinate.longitude": {"-181": schema.CodeOutOfRange},
	"events.coordinate":           {`{"latitude":1}`: schema.CodeBadObject},
	"events.feedback_email.delay": {"P8D": schema.CodeBadDuration},
	"events.geo_address_json":     {`{"type":"moon"}`: schema.CodeBadEnum},
	"events.registration_questions": {
		`[{"id":"q1","label":"Diet","required":false,"question_type":"dropdown"}]`: schema.CodeBadObject,
	},
	"events.ticket_types": {
		`[]`: schema.CodeBadObject, `[{"name":"A","type":"paid","cents":-1}]`: schema.CodeOutOfRange,
		`[{"name":"A","type":"free","cents":100}]`: schema.CodeBadObject,
	},
	"guests.message": {strings.Repeat("x", 201): schema.CodeOutOfRange},
}

// together are rows whose cells are right one by one and wrong beside each other.
var together = map[string][]mistake{
	"events": {
		{map[string]string{"end_at": "2027-05-12 18:00"}, "end_at", schema.CodeEndBeforeStart},
		{map[string]string{"start_at": "2027-03-28 02:30"}, "start_at", schema.CodeDSTGap},
		{map[string]string{"start_at": "2027-10-31 02:30"}, "start_at", schema.CodeDSTOverlap},
		{
			map[string]string{"event_id": "evt-1", "ticket_types": `[{"name":"A","type":"free"}]`},
			"ticket_types",
			schema.CodeWrongOperation,
		},
	},
}

// TestEveryMistakeOfASeasonIsAtItsCell makes a workbook with every mistake that the table of fields
// knows, in a row of its own, and has each told at its cell by one check.
func TestEveryMistakeOfASeasonIsAtItsCell(t *testing.T) {
	f := excelize.NewFile()
	defer f.Close()
	dir, want := t.TempDir(), []string(nil)
	for i, r := range catalog.Resources {
		name := r.Title()
		if i == 0 {
			if err := f.SetSheetName("Sheet1", name); err != nil {
				t.Fatal(err)
			}
		} else if _, err := f.NewSheet(name); err != nil {
			t.Fatal(err)
		}
		s := seasonSheet{t: t, dir: dir, file: f, resource: r, name: name}
		want = append(want, s.fill()...)
	}
	path := filepath.Join(dir, "season.xlsx")
	if err := f.SaveAs(path); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if code := invoke(t, nil, &stdout, &stderr, "check", path, "--json"); code != exitInvalid {
		t.Fatalf("exit %d\n%s", code, &stderr)
	}
	var doc struct {
		Problems []struct {
			Sheet, Column, Severity, Code, Message string
			Row                                    int
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range doc.Problems {
		if p.Severity == "error" || p.Code == string(schema.CodeUnknownEvent) || p.Code == string(schema.CodeEventLeftOut) {
			got = append(got, fmt.Sprintf("%s!%s%d %s", p.Sheet, p.Column, p.Row, p.Code))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := difference(t, want, got); diff != "" {
		t.Errorf("(-made +told)\n%s", diff)
	}
	t.Logf("%d mistakes on %d sheets", len(want), len(catalog.Resources))
}

// seasonSheet is a sheet of a resource in the making.
type seasonSheet struct {
	t        *testing.T
	dir      string // of the workbook
	file     *excelize.File
	resource *schema.Resource
	name     string
	fields   []*schema.Field
	rows     int
	want     []string
}

// fill writes the sheet, and returns its mistakes.
func (s *seasonSheet) fill() []string {
	r := s.resource
	for _, f := range r.Columns() {
		if !f.Deprecated {
			s.fields = append(s.fields, f)
		}
	}
	for i, f := range s.fields {
		s.set(1, i, f.Path)
	}
	s.rows = 1
	good := s.row(nil)
	if r == catalog.Events {
		s.row(map[string]string{"key": "skipped-1", "action": "SKIP"})
		s.row(map[string]string{"key": "called-off-1", "action": "CANCEL"})
	}
	for _, f := range s.fields {
		s.wrong(f)
	}
	for _, m := range together[r.Name] {
		s.mistake(m)
	}
	for i := range r.Rules {
		s.rule(&r.Rules[i])
	}
	if r == catalog.Events {
		s.mistake(mistake{map[string]string{"key": good["key"]}, "key", schema.CodeDuplicateKey})
	} else if r.Named != "" {
		s.mistake(mistake{map[string]string{r.Named: strings.ToUpper(good[r.Named])}, r.Named, schema.CodeDuplicateKey})
	}
	if r.Parent != "" {
		s.mistake(mistake{map[string]string{r.Parent: "spring-9"}, r.Parent, schema.CodeUnknownEvent})
		s.mistake(mistake{map[string]string{r.Parent: "skipped-1"}, r.Parent, schema.CodeEventLeftOut})
		s.mistake(mistake{map[string]string{r.Parent: "called-off-1"}, r.Parent, schema.CodeEventCancelled})
		s.row(map[string]string{r.Parent: "evt-of-another-day"})
		s.row(map[string]string{r.Parent: "some-slug"})
	}
	return s.want
}

// wrong makes the mistakes that a single cell can have.
func (s *seasonSheet) wrong(f *schema.Field) {
	text := map[string]schema.Code{}
	if m, ok := byKind[f.Kind]; ok {
		text[m.field] = m.code
	}
	if !f.Nullable {
		text["<clear>"] = schema.CodeNotNullable
	}
	if !f.Empty {
		text["<empty>"] = schema.CodeNotEmptyable
	}
	maps.Copy(text, beyond[s.resource.Name+"."+f.Path])
	for _, value := range slices.Sorted(maps.Keys(text)) {
		s.mistake(mistake{map[string]string{f.Path: value}, f.Path, text[value]})
	}
	if f.Required.Has(schema.OnBoth) { // an action keeps the row from being blank
		s.mistake(mistake{map[string]string{f.Path: "", "action": "UPSERT"}, f.Path, schema.CodeMissingValue})
	}
}

// rule makes a row that breaks a rule of the resource.
func (s *seasonSheet) rule(r *schema.Rule) {
	a, _ := s.resource.ByPath(r.A)
	b, _ := s.resource.ByPath(r.B)
	cells := map[string]string{r.A: a.Example, r.B: b.Example}
	for _, f := range []*schema.Field{a, b} {
		if f.Kind == schema.LocalFile {
			s.picture(f.Example)
		}
	}
	switch r.Kind {
	case schema.Exclusive:
		s.mistake(mistake{cells, r.B, schema.CodeExclusiveFields})
	case schema.Needs:
		code := r.Code
		if code == "" {
			code = schema.CodeIncompleteObject
		}
		s.mistake(mistake{map[string]string{r.A: a.Example}, r.A, code})
	case schema.Before:
		s.mistake(mistake{map[string]string{r.A: b.Example, r.B: a.Example}, r.B, schema.CodeEndBeforeStart})
	case schema.Unless:
		s.mistake(mistake{map[string]string{r.A: a.Example, r.B: r.Is}, r.A, schema.CodeExclusiveFields})
	}
}

// picture makes the picture that a cell names.
func (s *seasonSheet) picture(name string) {
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	var made bytes.Buffer
	err := png.Encode(&made, image.NewGray(image.Rect(0, 0, 1, 1)))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = os.WriteFile(path, made.Bytes(), 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *seasonSheet) mistake(m mistake) {
	s.row(m.cells)
	at := slices.IndexFunc(s.fields, func(f *schema.Field) bool { return f.Path == m.field })
	s.want = append(s.want, fmt.Sprintf("%s!%s%d %s", s.name, schema.ColumnName(at), s.rows, m.code))
}

// row writes a good row with some cells in place of its own, and returns it.
func (s *seasonSheet) row(over map[string]string) map[string]string {
	s.rows++
	cells := map[string]string{}
	for _, f := range s.fields {
		if f.Path == s.resource.Named || f.Required.Has(schema.OnBoth) && f.Path != s.resource.Parent {
			cells[f.Path] = f.Example
		}
	}
	switch r := s.resource; {
	case r == catalog.Events:
		cells["key"], cells["name"] = fmt.Sprintf("spring-%d", s.rows), "Tea"
		cells["start_at"], cells["timezone"] = "2027-05-12 18:30", "Europe/Berlin"
		if s.rows == 2 {
			cells["key"] = "spring-2"
		}
	case r.Named == "email":
		cells["email"] = fmt.Sprintf("guest-%d@example.org", s.rows)
	case r.Named != "":
		cells[r.Named] = strings.TrimRight(cells[r.Named], "0123456789") + fmt.Sprint(s.rows)
	}
	if p := s.resource.Parent; p != "" {
		cells[p] = "spring-2"
	}
	maps.Copy(cells, over)
	for i, f := range s.fields {
		if cells[f.Path] != "" {
			s.set(s.rows, i, cells[f.Path])
		}
	}
	return cells
}

func (s *seasonSheet) set(row, column int, value string) {
	if err := s.file.SetCellStr(s.name, fmt.Sprint(schema.ColumnName(column), row), value); err != nil {
		s.t.Fatal(err)
	}
}
