package schema

import (
	"strconv"
	"strings"
	"testing"
)

func question(rest string) string {
	return `[{"id":"q","label":"L","required":true,"question_type":` + rest + `}]`
}

func options(n int) string {
	return `"options":[` + strings.TrimSuffix(strings.Repeat(`"o",`, n), ",") + `]`
}

func ticket(days string) string { return `[{"name":"A","type":"free",` + days + `}]` }

func TestJSONCells(t *testing.T) {
	good := map[ID][]string{
		FieldRegistrationQuestions: {
			`[]`, question(`"text"`), question(`"phone-number"`), question(`"company","collect_job_title":true,"job_title_label":null`),
			question(`"dropdown",` + options(250)), question(`"multi-select","options":[]`),
			question(`"terms","terms":{"content_type":"text","content_md":"be kind","collect_signature":true,"require_review":false}`),
			question(`"terms","terms":{"content_type":"link","url":"https://example.com/t","collect_signature":false}`),
		},
		FieldTicketTypes: {
			`[{"name":"A","type":"free"}]`, `[{"name":"A","type":"free","cents":0}]`,
			`[{"name":"A","type":"paid","cents":1500,"currency":"eur"},{"name":"B","type":"free"}]`,
			`[{"name":"A","type":"paid","is_flexible":true,"min_cents":0,"currency":"solana_sol","max_capacity":null,"description":""}]`,
			ticket(
				`"valid_start_at":"2025-09-01","valid_end_at":"2025-09-01"`,
			), ticket(`"valid_start_at":null,"valid_end_at":"2028-02-29"`),
		},
		FieldGeoAddress: {
			`{"type":"manual","address":"here"}`, `{"type":"google","place_id":"p"}`,
			`{"type":"google","place_id":"p","description":null}`, `{"type":"lookup","query":"hall"}`,
		},
		FieldCoordinate:    {`{"longitude":-180,"latitude":90}`, `{"latitude":0.0,"longitude":1e2}`},
		FieldFeedbackEmail: {`{"enabled":false}`, `{"enabled":true,"delay":"P7D"}`},
		FieldTaxConfig:     {`{}`, `{"anything":[{"goes":null}]}`, `{"a":"\ud83d\uDE00 \\ud800 \ufffd \\\ud83d\ude00"}`},
	}
	for id, texts := range good {
		for _, text := range texts {
			var s Setting
			if fault := id.Field().Parse(&s, text); fault != nil || s.Text != text {
				t.Errorf("%s %s: %v", id.Path(), text, fault)
			}
		}
	}
}

func TestJSONCellIsCompacted(t *testing.T) {
	var s Setting
	text := " { \"enabled\" : true,\n\t\"delay\": \"PT2H\" } "
	if fault := FieldFeedbackEmail.Field().Parse(&s, text); fault != nil || s.Text != `{"enabled":true,"delay":"PT2H"}` {
		t.Errorf("%q, %v", s.Text, fault)
	}
}

func TestWrongJSONCells(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70)
	for _, c := range []struct {
		id      ID
		text    string
		code    Code
		message string // part of it
		hint    string
	}{
		{FieldRegistrationQuestions, `{}`, CodeBadJSON, "is not JSON for registration_questions", "array"},
		{FieldRegistrationQuestions, `Diet?`, CodeBadJSON, "is not JSON", "brackets"},
		{
			FieldRegistrationQuestions, `[1]`, CodeBadObject,
			"registration_questions[0]: a registration question has to be an object, not a number", "",
		},
		{FieldRegistrationQuestions, `[{}]`, CodeBadObject, "registration_questions[0].question_type: is missing", "agree-check"},
		{
			FieldRegistrationQuestions, question(`"dropdwon"`), CodeBadEnum, "registration_questions[0].question_type: \"dropdwon\"",
			"did you mean dropdown?",
		},
		{FieldRegistrationQuestions, question(`"Text"`), CodeBadEnum, "registration_questions[0].question_type", "did you mean text?"},
		{FieldRegistrationQuestions, question(`"dropdown"`), CodeBadObject, "registration_questions[0].options: is missing", "array"},
		{
			FieldRegistrationQuestions, question(`"dropdown",` + options(251)), CodeOutOfRange,
			"registration_questions[0].options: 251 items; at most 250 are allowed", "",
		},
		{
			FieldRegistrationQuestions, question(`"multi-select","options":["a",2]`), CodeBadObject,
			"registration_questions[0].options: item 1 has to be a text", "",
		},
		{
			FieldRegistrationQuestions, question(`"multi-select","options":"a,b"`), CodeBadObject,
			"registration_questions[0].options: has to be an array, not a text", "",
		},
		{
			FieldRegistrationQuestions, question(`"text","options":["a"]`), CodeBadObject,
			"registration_questions[0].options: a registration question of question_type text has no such field", "",
		},
		{
			FieldRegistrationQuestions, question(`"company","colect_job_title":true`), CodeBadObject, ".colect_job_title:",
			"did you mean collect_job_title?",
		},
		{
			FieldRegistrationQuestions, question(`"company","collect_job_title":"yes"`), CodeBadObject,
			".collect_job_title: has to be true or false", "",
		},
		{FieldRegistrationQuestions, question(`"terms"`), CodeBadObject, "[0].terms: is missing", ""},
		{
			FieldRegistrationQuestions, question(`"terms","terms":{"content_type":"text","collect_signature":true}`), CodeBadObject,
			"[0].terms.content_md: is missing", "",
		},
		{
			FieldRegistrationQuestions, question(`"terms","terms":{"content_type":"link","url":"example","collect_signature":true}`),
			CodeBadURL, "[0].terms.url: ", "",
		},
		{
			FieldRegistrationQuestions,
			question(`"terms","terms":{"content_type":"link","url":"https://a.example/","require_review":true,"collect_signature":true}`),
			CodeBadObject, "[0].terms.require_review: the terms of content_type link has no such field", "",
		},
		{FieldRegistrationQuestions, `[{"id":"q","id":"r"}]`, CodeBadObject, "registration_questions[0].id: given twice", ""},
		{
			FieldRegistrationQuestions, `[{"id":1,"label":"L","required":true,"question_type":"text"}]`, CodeBadObject,
			"[0].id: has to be a text in quotes, not a number", "",
		},
		{
			FieldRegistrationQuestions, `[{"id":"a","label":"L","required":null,"question_type":"text"}]`, CodeBadObject,
			"[0].required: has to be true or false, not null", "",
		},
		{FieldTicketTypes, `[]`, CodeBadObject, "ticket_types: the list is empty", ""},
		{FieldTicketTypes, `[{"name":"","type":"free"}]`, CodeBadObject, "ticket_types[0].name: empty", ""},
		{FieldTicketTypes, `[{"name":"A","type":"donation"}]`, CodeBadEnum, "ticket_types[0].type", "free, paid"},
		{FieldTicketTypes, `[{"name":"A","type":"paid","cents":-1}]`, CodeOutOfRange, "ticket_types[0].cents: -1 is negative", ""},
		{FieldTicketTypes, `[{"name":"A","type":"paid","min_cents":-5}]`, CodeOutOfRange, "ticket_types[0].min_cents: -5 is negative", ""},
		{
			FieldTicketTypes, `[{"name":"A","type":"paid","cents":15.50}]`, CodeBadNumber,
			"ticket_types[0].cents: 15.50 is not a whole number", "cents",
		},
		{
			FieldTicketTypes, `[{"name":"A","type":"paid","cents":"1500"}]`, CodeBadObject,
			"ticket_types[0].cents: has to be a number, not a text", "",
		},
		{
			FieldTicketTypes, `[{"name":"A","type":"free","cents":100}]`, CodeBadObject,
			"ticket_types[0].cents: a free ticket has the price 100", "paid",
		},
		{FieldTicketTypes, `[{"name":"A","type":"paid"}]`, CodeBadObject, "ticket_types[0].cents: a paid ticket has no price", "free"},
		{
			FieldTicketTypes, `[{"name":"A","type":"paid","cents":0}]`, CodeBadObject,
			"ticket_types[0].cents: a paid ticket has no price", "",
		},
		{FieldTicketTypes, `[{"name":"A","type":"paid","currency":"EUR"}]`, CodeBadEnum, "ticket_types[0].currency", "did you mean eur?"},
		{FieldTicketTypes, ticket(`"valid_start_at":"2026-05-01T10:00Z"`), CodeBadDate, "is not a day", "such as 2025-09-01"},
		{FieldTicketTypes, ticket(`"valid_start_at":"1.9.2025"`), CodeBadDate, "[0].valid_start_at: \"1.9.2025\" is not a day", ""},
		{
			FieldTicketTypes, ticket(`"valid_end_at":"2026-02-29"`), CodeBadDate,
			`[0].valid_end_at: "2026-02-29" names a day that does not exist`, "",
		},
		{FieldTicketTypes, ticket(`"valid_end_at":""`), CodeBadDate, "ticket_types[0].valid_end_at: \"\" is not a day", ""},
		{FieldTicketTypes, ticket(`"valid_start_at":"2026-05-02","valid_end_at":"2026-05-01"`), CodeEndBeforeStart, "[0].valid_end_at", ""},
		{FieldGeoAddress, `{"address":"x"}`, CodeBadObject, "geo_address_json.type: is missing", "manual, google, lookup"},
		{FieldGeoAddress, `{"type":"manual"}`, CodeBadObject, "geo_address_json.address: is missing", ""},
		{
			FieldGeoAddress, `{"type":"manual","address":"x","place_id":"p"}`, CodeBadObject,
			"geo_address_json.place_id: a location of type manual has no such field", "",
		},
		{
			FieldGeoAddress, `{"address":"x","city":"Leeds","full_address":"x, Leeds","google_maps_place_id":"p"}`, CodeBadObject,
			"geo_address_json.type: is missing", "another shape",
		},
		{FieldCoordinate, `{"longitude":1}`, CodeBadObject, "coordinate.latitude: is missing", ""},
		{FieldCoordinate, `{"longitude":1,"latitude":"2"}`, CodeBadObject, "coordinate.latitude: has to be a number", ""},
		{FieldCoordinate, `{"longitude":1,"latitude":91}`, CodeOutOfRange, "coordinate.latitude 91 is out of range", "changed places"},
		{
			FieldCoordinate, `{"longitude":-181,"latitude":9}`, CodeOutOfRange, "coordinate.longitude -181 is out of range",
			"between -180 and 180",
		},
		{FieldCoordinate, `{"longitude":1,"latitude":1e999}`, CodeOutOfRange, "coordinate.latitude", ""},
		{FieldFeedbackEmail, `{"delay":"PT1H"}`, CodeBadObject, "feedback_email.enabled: is missing", ""},
		{FieldFeedbackEmail, `{"enabled":true,"delay":"P8D"}`, CodeBadDuration, "feedback_email.delay: \"P8D\" is longer", ""},
		{FieldFeedbackEmail, `{"enabled":true,}`, CodeBadJSON, "has a mistake at character 17, '}'", "comma"},
		{FieldFeedbackEmail, `{“enabled”: true}`, CodeBadJSON, "has a mistake at character 2", "curly"},
		{FieldFeedbackEmail, `{"enabled":true`, CodeBadJSON, "ends too early", ""},
		{FieldFeedbackEmail, `{"enabled":true} x`, CodeBadJSON, "has a mistake at character 18", ""},
		{FieldTaxConfig, `null`, CodeBadJSON, "cannot be null", ""},
		{FieldTaxConfig, `{"a":{"b":1,"b":2}}`, CodeBadObject, "tax_config.a.b: given twice", ""},
		{FieldTaxConfig, `{"a":[{"b":1,"b":2}]}`, CodeBadObject, "tax_config.a[0].b: given twice", ""},
		{FieldTaxConfig, deep, CodeBadJSON, "nested too deeply", ""},
		{FieldTaxConfig, "{\"a\":\"\xff\"}", CodeBadJSON, "not UTF-8", ""},
		{FieldTaxConfig, `{"a":"b\ud800"}`, CodeBadJSON, "half of a surrogate pair", `without the other half`},
		{FieldTaxConfig, `{"\uDC00":1}`, CodeBadJSON, "character 3", ""},
		{FieldTaxConfig, `{"a":"\ud83dx\ude00"}`, CodeBadJSON, "half of a surrogate pair", ""},
		{FieldTaxConfig, `{"a":"\ud83d\ud83d\ude00"}`, CodeBadJSON, "half of a surrogate pair", ""},
		{FieldTaxConfig, `{"a":"\ud83d\\ude00"}`, CodeBadJSON, "half of a surrogate pair", ""},
		{FieldTicketTypes, `[{"name":"\ud800","type":"free"}]`, CodeBadJSON, "half of a surrogate pair", ""},
		{FieldLatitude, "90.1", CodeOutOfRange, "latitude 90.1", "changed places"},
		{FieldLongitude, "-180.5", CodeOutOfRange, "longitude -180.5", ""},
		{FieldMaxCapacity, "-1", CodeOutOfRange, "-1 is negative", ""},
		{FieldMaxCapacity, "unlimited", CodeBadNumber, "not a number", ""},
		{FieldEventID, "1.2E+17", CodeLostDigits, "rounded", "text"},
		{FieldKey, "a\nb", CodeBadID, "line end", ""},
		{FieldName, "  ", CodeMissingValue, "name is blank", ""},
	} {
		var s Setting
		fault := c.id.Field().Parse(&s, c.text)
		if fault == nil || fault.Code != c.code || !strings.Contains(
			fault.Message, c.message,
		) || !strings.Contains(fault.Hint, c.hint) || s != (Setting{}) {
			t.Errorf("%s %s:\n have %+v\n want %s %q hint %q", c.id.Path(), c.text, fault, c.code, c.message, c.hint)
		}
	}
}

func TestPlainKeyIsKept(t *testing.T) {
	for _, key := range []string{"12E5", "007", "123456789012345678901234567890", "a b", "A-1/ü", "1.5", strconv.Itoa(1 << 40)} {
		var s Setting
		if fault := FieldKey.Field().Parse(&s, key); fault != nil || s.Text != key {
			t.Errorf("%q becomes %q, %v", key, s.Text, fault)
		}
	}
}

func TestClearAndEmpty(t *testing.T) {
	for i := range Fields {
		f := &Fields[i]
		s := Setting{Column: 7}
		switch fault := f.Clear(&s); {
		case f.Nullable && (fault != nil || s != Setting{Field: f.ID, State: Clear, Column: 7}):
			t.Errorf("%s cleared: %+v, %v", f.Path, s, fault)
		case !f.Nullable && (fault == nil || fault.Code != CodeNotNullable || s != Setting{Column: 7}):
			t.Errorf("%s cleared: %+v, %v", f.Path, s, fault)
		}
		s = Setting{Column: 7}
		switch fault := f.SetEmpty(&s); {
		case f.Empty && (fault != nil || s != Setting{Field: f.ID, State: Set, Column: 7}):
			t.Errorf("%s emptied: %+v, %v", f.Path, s, fault)
		case !f.Empty && (fault == nil || fault.Code != CodeNotEmptyable || s != Setting{Column: 7}):
			t.Errorf("%s emptied: %+v, %v", f.Path, s, fault)
		}
	}
	for _, path := range []string{"confirmation_email_md", "pending_approval_email_md", "declined_email_md", "description_md"} {
		if f, _ := Events.ByPath(path); !f.Empty {
			t.Errorf("%s cannot be emptied", path)
		}
	}
}
