package api

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestComplaints(t *testing.T) {
	many := strings.Repeat("- a: b\n", 1000)
	for name, c := range map[string]struct {
		body string
		want complaint
	}{
		"as on the wire": {`{"message":"Slug taken.","code":null}`, complaint{"Slug taken.", nil}},
		"with a code":    {`{"message":"Slug taken.","code":"slug_taken"}`, complaint{"Slug taken.", nil}},
		"number as code": {`{"message":"No","code":40012}`, complaint{"No", nil}},
		"problem lines": {
			`{"message":"Invalid request.\n- start_at: Invalid input: x\n- a.b[0]: y"}`,
			complaint{"Invalid request.", []Problem{{"start_at", "Invalid input: x"}, {"a.b[0]", "y"}}},
		},
		"lines that go on": {
			`{"message":"Invalid\nrequest\n- a: one of\n  x, y\n\n- b: z"}`,
			complaint{"Invalid request", []Problem{{"a", "one of x, y"}, {"b", "z"}}},
		},
		"CRLF":               {`{"message":"I.\r\n- a: b\r\n"}`, complaint{"I.", []Problem{{"a", "b"}}}},
		"no path":            {`{"message":"I.\n- either this: or that\n- x"}`, complaint{"I. - either this: or that - x", nil}},
		"only problems":      {`{"message":"- a: b"}`, complaint{"", []Problem{{"a", "b"}}}},
		"no reason":          {`{"message":"- a:"}`, complaint{"", []Problem{{"a", ""}}}},
		"error":              {`{"error":"No."}`, complaint{"No.", nil}},
		"detail":             {`{"detail":"No."}`, complaint{"No.", nil}},
		"nested error":       {`{"error":{"message":"No.","code":"x"}}`, complaint{"No.", nil}},
		"nested message":     {`{"message":{"message":"No."}}`, complaint{"No.", nil}},
		"message goes first": {`{"error":"Bad Request","message":"No.","statusCode":400}`, complaint{"No.", nil}},
		"message is empty":   {`{"message":"","error":"Bad Request"}`, complaint{"Bad Request", nil}},
		"list of texts":      {`{"message":["- a: b","c"]}`, complaint{"", []Problem{{"a", "b c"}}}},
		"list of errors": {
			`{"message":"Invalid.","errors":[{"path":["a","b",0],"message":"x"},{"field":"c","message":"y"}]}`,
			complaint{"Invalid.", []Problem{{"a.b.0", "x"}, {"c", "y"}}},
		},
		"detail as list": {
			`{"detail":[{"loc":["body","start_at"],"msg":"bad","type":"t"}]}`, complaint{"", []Problem{{"start_at", "bad"}}},
		},
		"just a text":    {`"No."`, complaint{"No.", nil}},
		"no text at all": {`{"a":1}`, complaint{}},
		"null":           {`null`, complaint{}},
		"nothing":        {" \n", complaint{}},
		"raw text": {
			"upstream connect error\n- not: a list\n", complaint{"upstream connect error", []Problem{{"not", "a list"}}},
		},
		"cut JSON": {`{"message":"No`, complaint{}},
		"web page": {
			"<html><head>\n<TITLE lang=en>502 Bad\n Gateway &amp; more</TITLE>", complaint{"502 Bad Gateway & more", nil},
		},
		"page without title": {"<html><body>secret</body></html>", complaint{}},
		"cut title":          {"<html><title>502", complaint{}},
		"hostile characters": {
			`{"message":"a\u0000b\u001b[31mc\u202Ed\u2066e\u200Bf\uFEFFg\u0085h","code":"x\u202e"}`,
			complaint{"ab[31mcdefg h", nil},
		},
		"invalid UTF-8":      {"a\xff\xfeb", complaint{"ab", nil}},
		"long":               {strings.Repeat("é", 2000), complaint{strings.Repeat("é", maxMessage) + "…", nil}},
		"deep":               {strings.Repeat(`{"error":`, 5000) + `"x"` + strings.Repeat("}", 5000), complaint{}},
		"many problems":      {many, complaint{"", slicesRepeat(Problem{"a", "b"}, maxProblems)}},
		"in prototype words": {`{"message":"No.","code":{"a":1}}`, complaint{"No.", nil}},
	} {
		if diff := cmp.Diff(c.want, parseComplaint([]byte(c.body), func(s string) string { return s })); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func slicesRepeat(p Problem, n int) []Problem {
	list := make([]Problem, n)
	for i := range list {
		list[i] = p
	}
	return list
}

func FuzzComplaint(f *testing.F) {
	for _, seed := range []string{
		`{"message":"Invalid request.\n- start_at: Invalid input: x","code":null}`, `{"error":{"message":"x"}}`,
		`{"detail":[{"loc":["body",1],"msg":"x"}]}`,
		"<title>x</title>", "text\n- a: b", `"x"`, "\xff\u202e", `{"errors":[{"path":["a"],"message":"b"}],"message":["x",{"msg":"y"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		said := parseComplaint(body, func(s string) string { return s })
		tame := func(text string, limit int) {
			if !utf8.ValidString(text) || utf8.RuneCountInString(text) > limit+1 {
				t.Errorf("%q", text)
			}
			for _, r := range text {
				if r != ' ' && (unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
					t.Errorf("%q holds %U", text, r)
				}
			}
		}
		tame(said.Message, maxMessage)
		if len(said.Problems) > maxProblems {
			t.Errorf("%d problems", len(said.Problems))
		}
		for _, p := range said.Problems {
			tame(p.Reason, maxMessage)
			if tame(p.Path, 200); p.Path == "" {
				t.Error("a problem without a path")
			}
		}
	})
}
