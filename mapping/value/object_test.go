package value_test

import (
	"strconv"
	"strings"
	"testing"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

func question(rest string) string {
	return `[{"id":"q","label":"L","required":true,"question_type":` + rest + `}]`
}

func options(n int) string {
	return `"options":[` + strings.TrimSuffix(strings.Repeat(`"o",`, n), ",") + `]`
}

func ticket(days string) string { return `[{"name":"A","type":"free",` + days + `}]` }

func TestJSONCells(t *testing.T) {
	good := map[schema.ID][]string{
		catalog.FieldRegistrationQuestions: {
			`[]`, question(`"text"`), question(`"phone-number"`), question(`"company","collect_job_title":true,"job_title_label":null`),
			question(`"dropdown",` + options(250)), question(`"multi-select","options":[]`),
			question(`"terms","terms":{"content_type":"text","content_md":"be kind","collect_signature":true,"require_review":false}`),
			question(`"terms","terms":{"content_type":"link","url":"https://example.com/t","collect_signature":false}`),
		},
		catalog.FieldTicketTypes: {
			`[{"name":"A","type":"free"}]`, `[{"name":"A","type":"free","cents":0}]`,
			`[{"name":"A","type":"paid","cents":1500,"currency":"eur"},{"name":"B","type":"free"}]`,
			`[{"name":"A","type":"paid","is_flexible":true,"min_cents":0,"currency":"solana_sol","max_capacity":null,"description":""}]`,
			ticket(
				`"valid_start_at":"2025-09-01","valid_end_at":"2025-09-01"`,
			), ticket(`"valid_start_at":null,"valid_end_at":"2028-02-29"`),
		},
		catalog.FieldGeoAddress: {
			`{"type":"manual","address":"here"}`, `{"type":"google","place_id":"p"}`,
			`{"type":"google","place_id":"p","description":null}`, `{"type":"lookup","query":"hall"}`,
		},
		catalog.FieldCoordinate:    {`{"longitude":-180,"latitude":90}`, `{"latitude":0.0,"longitude":1e2}`},
		catalog.FieldFeedbackEmail: {`{"enabled":false}`, `{"enabled":true,"delay":"P7D"}`},
		catalog.FieldTaxConfig:     {`{}`, `{"anything":[{"goes":null}]}`, `{"a":"\ud83d\uDE00 \\ud800 \ufffd \\\ud83d\ude00"}`},
	}
	for id, texts := range good {
		for _, text := range texts {
			var s schema.Setting
			if fault := value.Parse(catalog.Field(id), &s, text); fault != nil || s.Text != text {
				t.Errorf("%s %s: %v", catalog.Path(id), text, fault)
			}
		}
	}
}

func TestJSONCellIsCompacted(t *testing.T) {
	var s schema.Setting
	text := " { \"enabled\" : true,\n\t\"delay\": \"PT2H\" } "
	if fault := value.Parse(catalog.Field(catalog.FieldFeedbackEmail), &s, text); fault != nil ||
		s.Text != `{"enabled":true,"delay":"PT2H"}` {
		t.Errorf("%q, %v", s.Text, fault)
	}
}

func TestWrongJSONCells(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70)
	for _, c := range []struct {
		id      schema.ID
		text    string
		code    schema.Code
		message string // part of it
		hint    string
	}{
		{catalog.FieldRegistrationQuestions, `{}`, schema.CodeBadJSON, "is not JSON for registration_questions", "array"},
		{catalog.FieldRegistrationQuestions, `Diet?`, schema.CodeBadJSON, "is not JSON", "brackets"},
		{
			catalog.FieldRegistrationQuestions, `[1]`, schema.CodeBadObject,
			"registration_questions[0]: a registration question has to be an object, not a number", "",
		},
		{
			catalog.FieldRegistrationQuestions, `[{}]`, schema.CodeBadObject, "registration_questions[0].question_type: is missing",
			"agree-check",
		},
		{
			catalog.FieldRegistrationQuestions, question(`"dropdwon"`), schema.CodeBadEnum,
			"registration_questions[0].question_type: \"dropdwon\"",
			"did you mean dropdown?",
		},
		{
			catalog.FieldRegistrationQuestions, question(`"Text"`), schema.CodeBadEnum, "registration_questions[0].question_type",
			"did you mean text?",
		},
		{
			catalog.FieldRegistrationQuestions, question(`"dropdown"`), schema.CodeBadObject,
			"registration_questions[0].options: is missing", "array",
		},
		{
			catalog.FieldRegistrationQuestions, question(`"dropdown",` + options(251)), schema.CodeOutOfRange,
			"registration_questions[0].options: 251 items; at most 250 are allowed", "",
		},
		{
			catalog.FieldRegistrationQuestions, question(`"multi-select","options":["a",2]`), schema.CodeBadObject,
			"registration_questions[0].options: item 1 has to be a text", "",
		},
		{
			catalog.FieldRegistrationQuestions, question(`"multi-select","options":"a,b"`), schema.CodeBadObject,
			"registration_questions[0].options: has to be an array, not a text", "",
		},
		{
			catalog.FieldRegistrationQuestions, question(`"text","options":["a"]`), schema.CodeBadObject,
			"registration_questions[0].options: a registration question of question_type text has no such field", "",
		},
		{
			catalog.FieldRegistrationQuestions, question(`"company","colect_job_title":true`), schema.CodeBadObject, ".colect_job_title:",
			"did you mean collect_job_title?",
		},
		{
			catalog.FieldRegistrationQuestions, question(`"company","collect_job_title":"yes"`), schema.CodeBadObject,
			".collect_job_title: has to be true or false", "",
		},
		{catalog.FieldRegistrationQuestions, question(`"terms"`), schema.CodeBadObject, "[0].terms: is missing", ""},
		{
			catalog.FieldRegistrationQuestions, question(`"terms","terms":{"content_type":"text","collect_signature":true}`),
			schema.CodeBadObject,
			"[0].terms.content_md: is missing", "",
		},
		{
			catalog.FieldRegistrationQuestions,
			question(`"terms","terms":{"content_type":"link","url":"example","collect_signature":true}`),
			schema.CodeBadURL, "[0].terms.url: ", "",
		},
		{
			catalog.FieldRegistrationQuestions,
			question(`"terms","terms":{"content_type":"link","url":"https://a.example/","require_review":true,"collect_signature":true}`),
			schema.CodeBadObject, "[0].terms.require_review: the terms of content_type link has no such field", "",
		},
		{
			catalog.FieldRegistrationQuestions, `[{"id":"q","id":"r"}]`, schema.CodeBadObject, "registration_questions[0].id: given twice",
			"",
		},
		{
			catalog.FieldRegistrationQuestions, `[{"id":1,"label":"L","required":true,"question_type":"text"}]`, schema.CodeBadObject,
			"[0].id: has to be a text in quotes, not a number", "",
		},
		{
			catalog.FieldRegistrationQuestions, `[{"id":"a","label":"L","required":null,"question_type":"text"}]`, schema.CodeBadObject,
			"[0].required: has to be true or false, not null", "",
		},
		{catalog.FieldTicketTypes, `[]`, schema.CodeBadObject, "ticket_types: the list is empty", ""},
		{catalog.FieldTicketTypes, `[{"name":"","type":"free"}]`, schema.CodeBadObject, "ticket_types[0].name: empty", ""},
		{catalog.FieldTicketTypes, `[{"name":"A","type":"donation"}]`, schema.CodeBadEnum, "ticket_types[0].type", "free, paid"},
		{
			catalog.FieldTicketTypes, `[{"name":"A","type":"paid","cents":-1}]`, schema.CodeOutOfRange,
			"ticket_types[0].cents: -1 is negative", "",
		},
		{
			catalog.FieldTicketTypes, `[{"name":"A","type":"paid","min_cents":-5}]`, schema.CodeOutOfRange,
			"ticket_types[0].min_cents: -5 is negative", "",
		},
		{
			catalog.FieldTicketTypes, `[{"name":"A","type":"paid","cents":15.50}]`, schema.CodeBadNumber,
			"ticket_types[0].cents: 15.50 is not a whole number", "cents",
		},
		{
			catalog.FieldTicketTypes, `[{"name":"A","type":"paid","cents":"1500"}]`, schema.CodeBadObject,
			"ticket_types[0].cents: has to be a number, not a text", "",
		},
		{
			catalog.FieldTicketTypes, `[{"name":"A","type":"free","cents":100}]`, schema.CodeBadObject,
			"ticket_types[0].cents: a free ticket has the price 100", "paid",
		},
		{
			catalog.FieldTicketTypes, `[{"name":"A","type":"paid"}]`, schema.CodeBadObject,
			"ticket_types[0].cents: a paid ticket has no price", "free",
		},
		{
			catalog.FieldTicketTypes, `[{"name":"A","type":"paid","cents":0}]`, schema.CodeBadObject,
			"ticket_types[0].cents: a paid ticket has no price", "",
		},
		{
			catalog.FieldTicketTypes, `[{"name":"A","type":"paid","currency":"EUR"}]`, schema.CodeBadEnum, "ticket_types[0].currency",
			"did you mean eur?",
		},
		{
			catalog.FieldTicketTypes, ticket(`"valid_start_at":"2026-05-01T10:00Z"`), schema.CodeBadDate, "is not a day",
			"such as 2025-09-01",
		},
		{
			catalog.FieldTicketTypes, ticket(`"valid_start_at":"1.9.2025"`), schema.CodeBadDate,
			"[0].valid_start_at: \"1.9.2025\" is not a day", "",
		},
		{
			catalog.FieldTicketTypes, ticket(`"valid_end_at":"2026-02-29"`), schema.CodeBadDate,
			`[0].valid_end_at: "2026-02-29" names a day that does not exist`, "",
		},
		{catalog.FieldTicketTypes, ticket(`"valid_end_at":""`), schema.CodeBadDate, "ticket_types[0].valid_end_at: \"\" is not a day", ""},
		{
			catalog.FieldTicketTypes, ticket(`"valid_start_at":"2026-05-02","valid_end_at":"2026-05-01"`), schema.CodeEndBeforeStart,
			"[0].valid_end_at", "",
		},
		{catalog.FieldGeoAddress, `{"address":"x"}`, schema.CodeBadObject, "geo_address_json.type: is missing", "manual, google, lookup"},
		{catalog.FieldGeoAddress, `{"type":"manual"}`, schema.CodeBadObject, "geo_address_json.address: is missing", ""},
		{
			catalog.FieldGeoAddress, `{"type":"manual","address":"x","place_id":"p"}`, schema.CodeBadObject,
			"geo_address_json.place_id: a location of type manual has no such field", "",
		},
		{
			catalog.FieldGeoAddress, `{"address":"x","city":"Leeds","full_address":"x, Leeds","google_maps_place_id":"p"}`,
			schema.CodeBadObject,
			"geo_address_json.type: is missing", "another shape",
		},
		{catalog.FieldCoordinate, `{"longitude":1}`, schema.CodeBadObject, "coordinate.latitude: is missing", ""},
		{catalog.FieldCoordinate, `{"longitude":1,"latitude":"2"}`, schema.CodeBadObject, "coordinate.latitude: has to be a number", ""},
		{
			catalog.FieldCoordinate, `{"longitude":1,"latitude":91}`, schema.CodeOutOfRange, "coordinate.latitude 91 is out of range",
			"changed places",
		},
		{
			catalog.FieldCoordinate, `{"longitude":-181,"latitude":9}`, schema.CodeOutOfRange, "coordinate.longitude -181 is out of range",
			"between -180 and 180",
		},
		{catalog.FieldCoordinate, `{"longitude":1,"latitude":1e999}`, schema.CodeOutOfRange, "coordinate.latitude", ""},
		{catalog.FieldFeedbackEmail, `{"delay":"PT1H"}`, schema.CodeBadObject, "feedback_email.enabled: is missing", ""},
		{
			catalog.FieldFeedbackEmail, `{"enabled":true,"delay":"P8D"}`, schema.CodeBadDuration, "feedback_email.delay: \"P8D\" is longer",
			"",
		},
		{catalog.FieldFeedbackEmail, `{"enabled":true,}`, schema.CodeBadJSON, "has a mistake at character 17, '}'", "comma"},
		{catalog.FieldFeedbackEmail, `{“enabled”: true}`, schema.CodeBadJSON, "has a mistake at character 2", "curly"},
		{catalog.FieldFeedbackEmail, `{"enabled":true`, schema.CodeBadJSON, "ends too early", ""},
		{catalog.FieldFeedbackEmail, `{"enabled":true} x`, schema.CodeBadJSON, "has a mistake at character 18", ""},
		{catalog.FieldTaxConfig, `null`, schema.CodeBadJSON, "cannot be null", ""},
		{catalog.FieldTaxConfig, `{"a":{"b":1,"b":2}}`, schema.CodeBadObject, "tax_config.a.b: given twice", ""},
		{catalog.FieldTaxConfig, `{"a":[{"b":1,"b":2}]}`, schema.CodeBadObject, "tax_config.a[0].b: given twice", ""},
		{catalog.FieldTaxConfig, deep, schema.CodeBadJSON, "nested too deeply", ""},
		{catalog.FieldTaxConfig, "{\"a\":\"\xff\"}", schema.CodeBadJSON, "not UTF-8", ""},
		{catalog.FieldTaxConfig, `{"a":"b\ud800"}`, schema.CodeBadJSON, "half of a surrogate pair", `without the other half`},
		{catalog.FieldTaxConfig, `{"\uDC00":1}`, schema.CodeBadJSON, "character 3", ""},
		{catalog.FieldTaxConfig, `{"a":"\ud83dx\ude00"}`, schema.CodeBadJSON, "half of a surrogate pair", ""},
		{catalog.FieldTaxConfig, `{"a":"\ud83d\ud83d\ude00"}`, schema.CodeBadJSON, "half of a surrogate pair", ""},
		{catalog.FieldTaxConfig, `{"a":"\ud83d\\ude00"}`, schema.CodeBadJSON, "half of a surrogate pair", ""},
		{catalog.FieldTicketTypes, `[{"name":"\ud800","type":"free"}]`, schema.CodeBadJSON, "half of a surrogate pair", ""},
		{catalog.FieldLatitude, "90.1", schema.CodeOutOfRange, "latitude 90.1", "changed places"},
		{catalog.FieldLongitude, "-180.5", schema.CodeOutOfRange, "longitude -180.5", ""},
		{catalog.FieldMaxCapacity, "-1", schema.CodeOutOfRange, "-1 is negative", ""},
		{catalog.FieldMaxCapacity, "unlimited", schema.CodeBadNumber, "not a number", ""},
		{catalog.FieldEventID, "1.2E+17", schema.CodeLostDigits, "rounded", "text"},
		{schema.FieldKey, "a\nb", schema.CodeBadID, "line end", ""},
		{catalog.FieldName, "  ", schema.CodeMissingValue, "name is blank", ""},
	} {
		var s schema.Setting
		fault := value.Parse(catalog.Field(c.id), &s, c.text)
		if fault == nil || fault.Code != c.code || !strings.Contains(
			fault.Message, c.message,
		) || !strings.Contains(fault.Hint, c.hint) || s != (schema.Setting{}) {
			t.Errorf("%s %s:\n have %+v\n want %s %q hint %q", catalog.Path(c.id), c.text, fault, c.code, c.message, c.hint)
		}
	}
}

func TestPlainKeyIsKept(t *testing.T) {
	for _, key := range []string{"12E5", "007", "123456789012345678901234567890", "a b", "A-1/ü", "1.5", strconv.Itoa(1 << 40)} {
		var s schema.Setting
		if fault := value.Parse(catalog.Field(schema.FieldKey), &s, key); fault != nil || s.Text != key {
			t.Errorf("%q becomes %q, %v", key, s.Text, fault)
		}
	}
}

func TestClearAndEmpty(t *testing.T) {
	for i := range catalog.Fields {
		f := &catalog.Fields[i]
		s := schema.Setting{Column: 7}
		switch fault := f.Clear(&s); {
		case f.Nullable && (fault != nil || s != schema.Setting{Field: f.ID, State: schema.Clear, Column: 7}):
			t.Errorf("%s cleared: %+v, %v", f.Path, s, fault)
		case !f.Nullable && (fault == nil || fault.Code != schema.CodeNotNullable || s != schema.Setting{Column: 7}):
			t.Errorf("%s cleared: %+v, %v", f.Path, s, fault)
		}
		s = schema.Setting{Column: 7}
		switch fault := f.SetEmpty(&s); {
		case f.Empty && (fault != nil || s != schema.Setting{Field: f.ID, State: schema.Set, Column: 7}):
			t.Errorf("%s emptied: %+v, %v", f.Path, s, fault)
		case !f.Empty && (fault == nil || fault.Code != schema.CodeNotEmptyable || s != schema.Setting{Column: 7}):
			t.Errorf("%s emptied: %+v, %v", f.Path, s, fault)
		}
	}
	for _, path := range []string{"confirmation_email_md", "pending_approval_email_md", "declined_email_md", "description_md"} {
		if f, _ := catalog.Events.ByPath(path); !f.Empty {
			t.Errorf("%s cannot be emptied", path)
		}
	}
}
