package catalog

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

func TestListsHaveTheLengthsOfTheServiceDocument(t *testing.T) {
	for name, list := range map[string]struct {
		values []string
		want   int
	}{
		"fonts":                 {Fonts, 23},
		"themes":                {Themes, 37},
		"currencies":            {value.Currencies, 142},
		"question types":        {QuestionTypes, 15},
		"terms forms":           {TermsForms, 2},
		"address variants":      {GeoTypes, 3},
		"visibility":            {Visibilities, 3},
		"location_visibility":   {LocationVisibilities, 2},
		"waitlist_status":       {WaitlistStatuses, 2},
		"name_requirement":      {NameRequirements, 2},
		"phone_number":          {PhoneRequirements, 2},
		"create_meeting":        {Meetings, 2},
		"ticket types":          {TicketKinds, 2},
		"actions":               {schema.ActionNames, 7},
		"ticket type fields":    {memberNames(TicketType.Members), 12},
		"question fields":       {memberNames(Question.Members), 4},
		"question variants":     {variantNames(Question), 4},
		"terms form variants":   {variantNames(Terms), 2},
		"address variant rules": {variantNames(GeoAddress), 3},
	} {
		if len(list.values) != list.want {
			t.Errorf("%s: %d values, want %d", name, len(list.values), list.want)
		}
		sorted := slices.Sorted(slices.Values(list.values))
		if len(slices.Compact(sorted)) != len(list.values) {
			t.Errorf("%s: a value is there twice", name)
		}
		for _, v := range list.values {
			if strings.TrimSpace(v) != v || v == "" || strings.Contains(v, ",") {
				t.Errorf("%s: %q", name, v)
			}
		}
	}
}

func memberNames(members []schema.Member) (names []string) {
	for _, m := range members {
		names = append(names, m.Name)
	}
	return names
}

func variantNames(r schema.Record) (names []string) {
	for _, v := range r.Variants {
		names = append(names, v.Value)
	}
	return names
}

func TestLimitsAreThoseOfTheServiceDocument(t *testing.T) {
	if value.SlugMin != 3 || value.SlugMax != 50 || OptionsMax != 250 || value.DelayMax.Hours() != 168 ||
		CalendarLimit != 200 || OrganizationLimit != 500 || LimitWindow.Seconds() != 60 {
		t.Error("a limit differs from the service document")
	}
}

// Fields of the update operation in the service document's own table, those of
// its change history, and those that only create takes.
const (
	updateFields = `event_id can_register_for_multiple_tickets cover_url coordinate description_md end_at start_at font
		geo_address_json location_visibility max_capacity meeting_url name name_requirement phone_number_requirement registration_open
		registration_questions reminders_disabled feedback_email show_guest_list slug theme timezone tint_color visibility waitlist_status`
	laterFields = `suppress_email create_meeting tax_config confirmation_email_md pending_approval_email_md declined_email_md`
	createOnly  = `ticket_types`
)

func TestEveryFieldOfTheServiceIsInTheTable(t *testing.T) {
	want := strings.Fields(updateFields + " " + laterFields + " " + createOnly)
	if n := len(strings.Fields(updateFields)); n != 26 { // 27 in the document, one of them deprecated
		t.Fatalf("%d fields of the update table", n)
	}
	var have []string
	for _, f := range Events.Columns() {
		if !f.Local && !f.Deprecated && f.Of == schema.FieldCalendarID && f.On != schema.OnCancel && f.Each == nil {
			have = append(have, f.Path)
		}
	}
	slices.Sort(want)
	slices.Sort(have)
	if !slices.Equal(want, have) {
		t.Errorf("whole fields sent:\n have %v\n want %v", have, want)
	}
	for _, old := range []string{
		"api_id", "event_api_id", "suppress_notifications", "geo_latitude", "geo_longitude", "zoom_meeting_url", "custom_source",
	} {
		if f, ok := Events.ByPath(old); !ok || !f.Deprecated {
			t.Errorf("%s is not known as deprecated", old)
		}
	}
}

func TestWhatEachOperationTakes(t *testing.T) {
	for op, want := range map[schema.Actions]string{
		schema.OnCreate: "name start_at timezone",
		schema.OnUpdate: "event_id",
	} {
		var required []string
		for _, f := range Events.Columns() {
			if f.Required.Has(op) {
				required = append(required, f.Path)
			}
		}
		if got := strings.Join(required, " "); got != want {
			t.Errorf("%s requires %q, want %q", op, got, want)
		}
	}
	var nullable, onlyUpdate, onlyCreate []string
	for _, f := range Events.Columns() {
		if f.Nullable {
			nullable = append(nullable, f.Path)
		}
		switch f.On {
		case schema.OnUpdate:
			onlyUpdate = append(onlyUpdate, f.Path)
		case schema.OnCreate:
			onlyCreate = append(onlyCreate, f.Path)
		}
	}
	if got := strings.Join(nullable, " "); got != "font tags geo_address_json.description max_capacity phone_number_requirement" {
		t.Errorf("nullable: %s", got)
	}
	if got := strings.Join(onlyUpdate, " "); got != "event_id suppress_email api_id event_api_id suppress_notifications" {
		t.Errorf("only update: %s", got)
	}
	if got := strings.Join(onlyCreate, " "); got != "ticket_types" {
		t.Errorf("only create: %s", got)
	}
}

// resourceOf returns the resource that a field is of, events for the columns of all.
func resourceOf(f *schema.Field) *schema.Resource {
	for _, r := range append([]*schema.Resource{Events}, slices.Concat(Resources, inner)...) {
		if r.Has(f.ID) {
			return r
		}
	}
	return nil
}

func TestCatalogIsSound(t *testing.T) {
	if len(Operations) != len(slices.Compact(slices.Sorted(func(yield func(string) bool) {
		for i := range Operations {
			yield(Operations[i].Name)
		}
	}))) {
		t.Error("two operations have one name")
	}
	for i := range Operations {
		o := &Operations[i]
		if OperationNamed(o.Name) != o {
			t.Errorf("%s is not found by its name", o.Name)
		}
		if !strings.HasSuffix(o.Path, "/"+o.Name) {
			t.Errorf("%s has the path %s", o.Name, o.Path)
		}
		if o.Opposite != "" && OperationNamed(o.Opposite) == nil || o.First != "" && OperationNamed(o.First) == nil {
			t.Errorf("%s names an operation that is none", o.Name)
		}
		if o.Does == schema.Upsert {
			continue
		}
		if !slices.Contains(slices.Collect(o.Resource.Operations(o.Does, o.Of == nil)), o) {
			t.Errorf("%s is not found by what it does", o.Name)
		}
		several := len(slices.Collect(o.Resource.Operations(o.Does, o.Of == nil))) > 1
		if several != (o.Only != nil) && o.Does != schema.Create && o.Resource != Events {
			t.Errorf("%s is one of several: %t, and takes only %v", o.Name, several, o.Only)
		}
		for _, path := range append(slices.Collect(maps.Keys(o.Means)), o.Only...) {
			if f, ok := o.Resource.ByPath(path); !ok || !f.On.Has(1<<o.Does) && !f.Local {
				t.Errorf("%s cannot have %s", o.Name, path)
			}
		}
		for _, path := range append(slices.Collect(maps.Keys(o.Names)), o.Each...) {
			if f, ok := o.Resource.ByPath(path); !ok || !o.Takes(f) {
				t.Errorf("%s does not take %s", o.Name, path)
			}
		}
	}
	for _, r := range Resources {
		for _, path := range []string{r.ID, r.Named, r.Parent} {
			if _, ok := r.ByPath(path); path != "" && path != r.ID && !ok {
				t.Errorf("%s has no field %s", r.Name, path)
			}
		}
		for _, name := range []string{r.Listed, r.ListedAlone} {
			if o := OperationNamed(name); name != "" && (o == nil || !o.Reads()) {
				t.Errorf("%s are not listed by %s", r.Name, name)
			}
		}
		for _, rule := range r.Rules {
			for _, path := range []string{rule.A, rule.B} {
				if _, ok := r.ByPath(path); !ok {
					t.Errorf("a rule of %s names %s", r.Name, path)
				}
			}
		}
		if by, ok := ResourceNamed(strings.ToUpper(r.Name)); !ok || by != r {
			t.Errorf("%s are not found by their name", r.Name)
		}
	}
}

func TestTableIsSound(t *testing.T) {
	if Events.Own[len(Events.Own)-1].ID+1 != endOfEvents {
		t.Fatalf("%d fields of events, %d ids", len(Events.Columns()), endOfEvents)
	}
	for i := range Fields {
		f := &Fields[i]
		if int(f.ID) != i {
			t.Errorf("%s has id %d at index %d", f.Path, f.ID, i)
		}
		of := resourceOf(f)
		if by, ok := of.ByPath(f.Path); !ok || by.ID != f.ID || Field(f.ID) != f || Path(f.ID) != f.Path || !of.Has(f.ID) {
			t.Errorf("%s is not found by its path and id", f.Path)
		}
		if f.Local != (f.On == 0) {
			t.Errorf("%s: local %t, operations %q", f.Path, f.Local, f.On)
		}
		if (f.Kind == schema.Enum) != (f.Values != nil && f.Kind != schema.Verb && f.Kind != schema.List) {
			t.Errorf("%s: kind %s with %d values", f.Path, f.Kind, len(f.Values))
		}
		if f.Doc == "" || f.Example == "" || (f.Section == "" && !f.Local) || strings.Contains(f.Doc, "\n") ||
			strings.HasSuffix(f.Doc, ".") {
			t.Errorf("%s: its words are incomplete: %+v", f.Path, f.About)
		}
		var s schema.Setting
		if fault := value.Parse(f, &s, f.Example); fault != nil {
			t.Errorf("%s: its example is wrong: %s", f.Path, fault.Message)
		} else if s.Field != f.ID || s.State != schema.Set || value.Cell(f, s.Text) != f.Example {
			t.Errorf("%s: its example reads as %+v", f.Path, s)
		}
		if whole, ok := f.Object(); ok && whole.Kind != schema.Object {
			t.Errorf("%s is a part of %s, which is no object", f.Path, whole.Path)
		}
		if f.Instead != schema.FieldCalendarID && (!f.Deprecated || f.Canonical().Kind != f.Kind || f.Canonical().On != f.On ||
			f.Canonical().Empty != f.Empty) {
			t.Errorf("%s stands for %s, which is another kind of field", f.Path, f.Canonical().Path)
		}
	}
}

// Parts of an object follow it, which the assembly of bodies relies on.
func TestPartsFollowTheirObject(t *testing.T) {
	for i := range Fields {
		f := &Fields[i]
		whole, ok := f.Object()
		if !ok || f.Deprecated || f.Sent() != f {
			continue
		}
		if !strings.HasPrefix(f.Member(), whole.Path+".") {
			t.Errorf("%s is a part of %s", f.Path, whole.Path)
		}
		for id := whole.ID + 1; id < f.ID; id++ {
			if Fields[id].Of != whole.ID {
				t.Errorf("%s lies between %s and its part %s", Fields[id].Path, whole.Path, f.Path)
			}
		}
	}
}

func TestDescribeIsTheTable(t *testing.T) {
	paths := func(op schema.Actions) map[string]schema.FieldInfo {
		m := map[string]schema.FieldInfo{}
		for _, info := range Events.Describe(op) {
			m[info.Path] = info
		}
		return m
	}
	create, update, all := paths(schema.OnCreate), paths(schema.OnUpdate), paths(schema.OnBoth|schema.OnCancel)
	if len(all) != len(Events.Columns()) {
		t.Errorf("%d of %d fields", len(all), len(Events.Columns()))
	}
	if _, ok := create["suppress_email"]; ok {
		t.Error("create lists suppress_email")
	}
	if _, ok := update["ticket_types"]; ok {
		t.Error("update lists ticket_types")
	}
	if _, ok := create["calendar_id"]; !ok {
		t.Error("create does not list calendar_id")
	}
	text, err := json.Marshal(all["geo_latitude"])
	if err != nil {
		t.Fatal(err)
	}
	want := `{"path":"geo_latitude","kind":"number","operations":["create","update"],"required":[],"nullable":false,"empty":false,` +
		`"local":false,` +
		`"object":"coordinate","deprecated":true,"instead":"coordinate.latitude","rule":"-90 to 90","example":"53.8008",` +
		`"doc":"old name of coordinate.latitude","section":"Rules from the change history"}`
	if string(text) != want {
		t.Errorf("geo_latitude:\n %s\n want %s", text, want)
	}
}
