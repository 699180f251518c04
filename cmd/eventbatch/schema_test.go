package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"eventbatch/batch/journal"
	"eventbatch/batch/night"
	"eventbatch/batch/notify"
	"eventbatch/batch/plan"
	"eventbatch/batch/report"
	"eventbatch/batch/report/file"
	found "eventbatch/batch/report/finding"
	"eventbatch/batch/report/month"
	"eventbatch/mapping/schema"
)

// documentTypes are the documents by the name in their format. The schemas below templates are made of them; -update
// writes them anew.
var documentTypes = map[string]struct {
	about string
	of    any
}{
	"answer":     {"what the service answers to a call that reads", answerDoc{}},
	"commands":   {"all commands, with their flags, and what is safe to repeat", commandsDoc{}},
	"check":      {"what a check has found", file.Document{}},
	"codes":      {"the codes of problems, by explain", codesDoc{}},
	"doctor":     {"what doctor has found", doctorDoc{}},
	"end":        {"how a command has ended that came to no other document", struct{}{}},
	"export":     {"what was exported", exportDoc{}},
	"fields":     {"the fields of a resource", fieldsDoc{}},
	"fill":       {"what was put into the sandbox", fillDoc{}},
	"fix":        {"what was mended in the copy of a file", report.Fixed{}},
	"init":       {"the configuration that was written", initDoc{}},
	"install":    {"what has a machine run a sync", installDoc{}},
	"log":        {"a line on standard error under --log-format json", logLine{}},
	"look":       {"what is in a file, and what to do next", lookDoc{}},
	"man":        {"the manual pages that were written", manDoc{}},
	"map":        {"which column of a file feeds which field", report.Proposed{}},
	"month":      {"what became of the nights of some time", month.Month{}},
	"notice":     {"what a webhook is told of a night", notify.Posted{}},
	"open":       {"the page that is served, written once it answers", openDoc{}},
	"operations": {"the operations of the service", operationsDoc{}},
	"outbox":     {"what people would have received from the sandbox", outboxDoc{}},
	"preset":     {"the mapping of a known program", presetDoc{}},
	"presets":    {"the programs whose files are known", presetsDoc{}},
	"prune":      {"which runs were removed", report.Pruned{}},
	"report":     {"what became of a run, as a report has it", file.Document{}},
	"run":        {"a plan, and what became of it: by plan, import, apply, retry, undo, sync, migrate and call", report.Run{}},
	"runs":       {"the runs of a workspace", runsDoc{}},
	"sandbox":    {"the sandbox that is served, written once it answers", sandboxDoc{}},
	"schema":     {"documents with their schemas", schemasDoc{}},
	"show":       {"what became of a run, row by row", report.Shown{}},
	"store":      {"what was done with the store", storeDoc{}},
	"template":   {"the workbook to fill in that was written", templateDoc{}},
	"tests":      {"how the tests of a mapping went", mapTestsDoc{}},
	"version":    {"the version", build{}},
}

// logLine is a line of a log, which slog writes.
type logLine struct {
	Time    time.Time `json:"time"`
	Level   string    `json:"level"` // DEBUG, INFO, WARN or ERROR
	Msg     string    `json:"msg"`
	Command string    `json:"command"`
	Sync    string    `json:"sync"`     // its name; empty where it is about none
	Run     string    `json:"run"`      // likewise
	Event   string    `json:"event"`    // row, progress, problem, change, gone, night or end; empty of words for people
	File    string    `json:"file"`     // of the row
	Sheet   string    `json:"sheet"`    // likewise
	Row     int       `json:"row"`      // as the spreadsheet shows it; 0 of no row
	Key     string    `json:"key"`      // of the event
	EventID string    `json:"event_id"` // of the service
	Code    string    `json:"code"`     // of a problem
	More    logMore   `json:"more"`     // what the event has besides; a line of work has others
}

// logMore is what events of a log have besides.
type logMore struct {
	Exit     *found.Exit   `json:"exit,omitempty"`     // of night and end
	Rows     found.Rows    `json:"rows,omitempty"`     // of night
	Requests *journal.Made `json:"requests,omitempty"` // of night
	Status   found.Status  `json:"status,omitempty"`   // of row: what became of it
	Cell     string        `json:"cell,omitempty"`     // of problem
	Hint     string        `json:"hint,omitempty"`     // of problem: what to do
	Field    string        `json:"field,omitempty"`    // of change
	Decision string        `json:"decision,omitempty"` // of change: send, leave, same, conflict, lost or follow
	Why      string        `json:"why,omitempty"`      // of change
	Name     string        `json:"name,omitempty"`     // of gone and row
	Settled  int           `json:"settled,omitempty"`  // of progress: rows that have come to their end
	Total    int           `json:"total,omitempty"`    // of progress: rows that are sent
	Failed   int           `json:"failed,omitempty"`   // of progress, among those that have come to their end
	InDoubt  int           `json:"in_doubt,omitempty"` // likewise
}

func TestEveryDocumentHasItsSchema(t *testing.T) {
	folder := filepath.Join("..", "..", "templates", "schemas")
	var names []string
	for name, document := range documentTypes {
		names = append(names, name)
		path := filepath.Join(folder, name+".json")
		want := append(encoded(t, schemaOfType(t, name, document.about, reflect.TypeOf(document.of))), '\n')
		if *update {
			if err := os.WriteFile(path, want, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is not what the document is now (%v): members may be added, by -update; others need another format", path, err)
		}
	}
	slices.Sort(names)
	if files, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(files) != len(names) {
		t.Errorf("%d schemas of %d documents: %v", len(files), len(names), err)
	}
}

func encoded(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	return indented.Bytes()
}

// schemaOfType returns the schema of a document. It allows members that a later version adds.
func schemaOfType(t *testing.T, name, about string, of reflect.Type) *jsonschema.Schema {
	t.Helper()
	m := schemaMaker{t: t, own: ownForms(t), defs: map[string]*jsonschema.Schema{"rows": rowsSchema()}}
	s := m.schema(of)
	s.Schema, s.Title, s.Description = "https://json-schema.org/draft/2020-12/schema", found.Format(name), about
	if s.Properties == nil {
		s.Properties = map[string]*jsonschema.Schema{}
	}
	if s.Properties["command"] == nil && s.Properties["exit"] == nil { // else the document has it, and its end, at places of its own
		s.Properties["command"], s.Properties["exit"] = &jsonschema.Schema{Type: "string"}, m.schema(reflect.TypeFor[found.Exit]())
		s.PropertyOrder = append(append([]string{"command"}, s.PropertyOrder...), "exit")
		s.Required = append(append([]string{"command"}, s.Required...), "exit")
	}
	s.Properties["format"] = &jsonschema.Schema{Const: jsonschema.Ptr[any](found.Format(name))}
	s.PropertyOrder = append([]string{"format"}, without(s.PropertyOrder, "format")...)
	s.Required = append([]string{"format"}, without(s.Required, "format")...)
	if text := string(encoded(t, []any{s, m.defs})); !strings.Contains(text, `"#/$defs/rows"`) {
		delete(m.defs, "rows")
	}
	if len(m.defs) > 0 {
		s.Defs = m.defs
	}
	return s
}

func without(list []string, word string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == word })
}

// sharedForms are the types that several documents have a member of, by what their schemas are called there: a fact has
// one shape.
var sharedForms = map[reflect.Type]string{
	reflect.TypeFor[found.Exit]():        "exit",
	reflect.TypeFor[found.Target]():      "target",
	reflect.TypeFor[found.Requests]():    "requests",
	reflect.TypeFor[journal.Made]():      "made",
	reflect.TypeFor[found.Reach]():       "reach",
	reflect.TypeFor[report.Effects]():    "effects",
	reflect.TypeFor[found.Effected]():    "effects",
	reflect.TypeFor[found.Reached]():     "reached",
	reflect.TypeFor[found.ChangeLine]():  "change",
	reflect.TypeFor[schema.Problem]():    "problem",
	reflect.TypeFor[schema.LeftBehind](): "left_behind",
	reflect.TypeFor[schema.Decided]():    "decided",
}

// rowWords are the words by which rows are counted. What is planned for them comes before what became of them.
func rowWords() []found.Status {
	words := []found.Status{found.Read, found.Missing, found.Valid}
	for _, action := range plan.Actions {
		words = append(words, found.Status(action))
	}
	for _, word := range found.Statuses {
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// rowsSchema returns the schema of numbers of rows.
func rowsSchema() *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{},
		Description: "how many rows were read, how many are planned to become what, and how many have become what; " +
			"a word means the same in every document, and missing counts keys that are gone, which are no rows",
	}
	for _, word := range rowWords() {
		s.Properties[string(word)] = &jsonschema.Schema{Type: "integer", Minimum: new(0.0)}
		s.PropertyOrder = append(s.PropertyOrder, string(word))
	}
	return s
}

// ownForms are the schemas of types that write themselves.
func ownForms(t *testing.T) map[reflect.Type]*jsonschema.Schema {
	t.Helper()
	rows := func(always ...string) *jsonschema.Schema {
		return &jsonschema.Schema{Ref: "#/$defs/rows", Required: always}
	}
	severity := &jsonschema.Schema{Type: "string", Enum: []any{"error", "warning"}}
	forms := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[schema.Severity](): severity,
		reflect.TypeFor[found.Rows]():      rows(members(t, found.Rows{})...),
		reflect.TypeFor[found.Totals]():    rows("read", "invalid"),
		reflect.TypeFor[plan.Counts]():     rows(members(t, plan.Counts{})...),
		reflect.TypeFor[report.Checked]():  rows(members(t, report.Checked{})...),
		reflect.TypeFor[night.Counts]():    rows(),
	}
	flat := reflect.TypeFor[schema.FlatProblem]()
	m := schemaMaker{t: t, own: forms}
	problem := m.schema(flat)
	problem.Properties["severity"] = severity // which is always there
	forms[reflect.TypeFor[schema.Problem]()] = problem
	return forms
}

// members returns the names of the members of an object, in order.
func members(t *testing.T, object any) (names []string) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(encoded(t, object)))
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			t.Fatal(err)
		}
		if name, is := token.(string); is {
			names = append(names, name)
		}
	}
	return names
}

// schemaMaker makes the schema of one document.
type schemaMaker struct {
	t    *testing.T
	own  map[reflect.Type]*jsonschema.Schema // of types that write themselves
	defs map[string]*jsonschema.Schema       // of the shared types that it has
}

// schema returns the schema of a type, with what its fields' comments say.
func (m *schemaMaker) schema(of reflect.Type) *jsonschema.Schema {
	m.t.Helper()
	s, err := jsonschema.ForType(of, &jsonschema.ForOptions{TypeSchemas: m.own})
	if err != nil {
		m.t.Fatal(err)
	}
	m.refine(of, s)
	return s
}

// refine says in the schema of a type what ForType does not: comments, that a list is never null, fields that are
// embedded under a name of their own, and where a shared type is.
func (m *schemaMaker) refine(of reflect.Type, s *jsonschema.Schema) {
	m.t.Helper()
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	nullable := slices.Contains(s.Types, "null")
	defer func() {
		if name := sharedForms[of]; name != "" && m.defs != nil {
			m.share(name, s, nullable)
		}
	}()
	if own := m.own[of]; own != nil {
		if nullable && own.Ref != "" {
			*s = jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "null"}, own}, Description: s.Description}
		}
		return
	}
	switch of.Kind() {
	case reflect.Slice:
		s.Type, s.Types = "array", nil
		m.refine(of.Elem(), s.Items)
	case reflect.Map:
		m.refine(of.Elem(), s.AdditionalProperties)
	case reflect.Struct:
		s.AdditionalProperties = nil
		for _, field := range reflect.VisibleFields(of) {
			m.field(of, field, s)
		}
	}
}

// field refines the member that a field of a type is.
func (m *schemaMaker) field(of reflect.Type, field reflect.StructField, s *jsonschema.Schema) {
	name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	always := !strings.Contains(options, "omit")
	if field.Anonymous && name != "" {
		s.Properties[name] = m.schema(field.Type)
		s.PropertyOrder = append(s.PropertyOrder, name)
		if always {
			s.Required = append(s.Required, name)
		}
		return
	}
	property := s.Properties[name]
	if property == nil {
		return
	}
	if property.Description == "" {
		property.Description = commentOf(m.t, of, field)
	}
	if !always && len(property.Types) == 2 { // left out where it would be null
		property.Type, property.Types = property.Types[1], nil
	}
	m.refine(field.Type, property)
}

// share puts the schema of a shared type where all its members find it.
func (m *schemaMaker) share(name string, s *jsonschema.Schema, nullable bool) {
	shared := *s
	about := shared.Description
	shared.Description = ""
	if nullable {
		shared.Type, shared.Types = "object", nil
	}
	if was := m.defs[name]; was != nil && !bytes.Equal(encoded(m.t, was), encoded(m.t, &shared)) {
		m.t.Errorf("%s has two shapes", name)
	}
	m.defs[name] = &shared
	ref := &jsonschema.Schema{Ref: "#/$defs/" + name}
	if nullable {
		ref = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "null"}, ref}}
	}
	ref.Description = about
	*s = *ref
}

// commentOf returns what the source says of a field.
func commentOf(t *testing.T, of reflect.Type, field reflect.StructField) string {
	t.Helper()
	if len(field.Index) > 1 {
		of = of.FieldByIndex(field.Index[:len(field.Index)-1]).Type
		for of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
	}
	folder, ours := strings.CutPrefix(of.PkgPath(), "eventbatch/")
	if !ours {
		return ""
	}
	return comments(t, folder)[of.Name()+"."+field.Name]
}

var commented sync.Map // the comments of a folder's fields, by Type.Field

func comments(t *testing.T, folder string) map[string]string {
	t.Helper()
	if known, ok := commented.Load(folder); ok {
		return known.(map[string]string)
	}
	all := map[string]string{}
	files, err := filepath.Glob(filepath.Join("..", "..", folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, is := n.(*ast.TypeSpec)
			if !is {
				return true
			}
			if of, is := spec.Type.(*ast.StructType); is {
				for _, field := range of.Fields.List {
					words := field.Doc.Text() + field.Comment.Text()
					for _, name := range field.Names {
						all[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(words), " ")
					}
				}
			}
			return true
		})
	}
	commented.Store(folder, all)
	return all
}
