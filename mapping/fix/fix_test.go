package fix_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/fix"
	"eventbatch/mapping/mapfile"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// find gives what becomes of a file, a line an edit.
func find(t *testing.T, content string, rules fix.Rules, change func(*mapping.Config)) ([]string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	config := mapping.Config{Files: []string{path}, Now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)}
	if change != nil {
		change(&config)
	}
	found, err := mapping.Mend(t.Context(), config, rules)
	if err != nil {
		return nil, err
	}
	return lines(found), nil
}

func lines(found *mapping.Mended) []string {
	list := []string{}
	for _, e := range found.Edits {
		line := fmt.Sprintf("%s %s: %q → %q", e.Place.Cell(), e.Rule, e.Before, e.After)
		if e.Reason != "" {
			line += ": " + e.Reason
		}
		list = append(list, line)
	}
	return list
}

func mustFill(t *testing.T, text string) []fix.Fill {
	t.Helper()
	f, err := fix.ParseFill(text)
	if err != nil {
		t.Fatal(err)
	}
	return []fix.Fill{f}
}

func TestEachRuleMendsWhatItSays(t *testing.T) {
	paris := func(c *mapping.Config) { c.Timezone = "Europe/Paris" }
	american := func(c *mapping.Config) { c.Timezone, c.DateOrder = "America/New_York", "mdy" }
	for name, test := range map[string]struct {
		file   string
		rules  fix.Rules
		config func(*mapping.Config)
		want   []string
	}{
		"no rule touches nothing": {"key,name\n a , Tea \n", fix.Rules{}, nil, nil},
		"trim leaves Markdown and other blanks": {
			"key,name,description_md,notes\na,\u00a0Tea  Time\u200b,  kept , x\n",
			fix.Rules{Trim: true},
			nil,
			[]string{`B2 trim: "\u00a0Tea  Time\u200b" → "Tea  Time"`, `D2 trim: " x" → "x"`},
		},
		"dates that lost their format, and those in another order": {
			"key,name,start_at,end_at\na,Tea,46085.75,13/04/2027 6 PM\nb,Jazz,4/3/2027 6 PM,2027\nc,Chess,46085,31/06/2027 6 PM\n",
			fix.Rules{Dates: fix.ISODates},
			american,
			[]string{
				`C2 coerce-dates: "46085.75" → "2026-03-04T18:00:00"`, `D2 coerce-dates: "13/04/2027 6 PM" → "2027-04-13T18:00:00"`,
			},
		},
		"a date and its time keep their cells, and one date of two times is mended once": {
			"key,name,Start Date,Start Time,End Time\na,Tea,13/04/2027,0.75,8 pm\n" +
				"b,Jazz,46085,6 pm,46086.0625\nc,Chess,46085.5,18:00,46085\n",
			fix.Rules{Dates: fix.ISODates},
			american,
			[]string{
				`C2 coerce-dates: "13/04/2027" → "2027-04-13"`, `D2 coerce-dates: "0.75" → "18:00:00"`,
				`C3 coerce-dates: "46085" → "2026-03-04"`, `E3 coerce-dates: "46086.0625" → "2026-03-05T01:30:00"`,
				`C4 coerce-dates: "46085.5" → "2026-03-04T12:00:00"`,
			},
		},
		"what is not proven stays": {
			"key,name,start_at\na,Tea,3/4/2027 6 PM\nb,Jazz,31/06/2027 6 PM\nc,Chess,7\n",
			fix.Rules{Dates: fix.ISODates},
			paris, nil,
		},
		"what is read rightly stays": {
			"key,name,Start Date,Start Time,visibility,theme\na,Tea,04.03.2027,6:30 pm,PUBLIC,snow dark\n" +
				"b,Jazz,\"March 4, 2027\",18:30,Private,\n",
			fix.Rules{Dates: fix.ISODates, Enums: true},
			american,
			nil,
		},
		"a range keeps both of its ends": {
			"key,name,Date,Time,End Time\na,Tea,2027-03-04,19:00-21:00,\nb,Jazz,2027-03-04,7-9 pm,21:00\n",
			fix.Rules{Dates: fix.ISODates},
			paris,
			nil,
		},
		"a range with its date, too": {
			"key,name,start_at,end_at\na,Tea,2027-03-04 19:00 – 21:00,\n", fix.Rules{Dates: fix.ISODates}, paris, nil,
		},
		"fill follows the start": {
			"key,name,start_at,end_at\na,Tea,2027-03-04T18:00:00+01:00,\nb,Jazz,2027-03-04T18:00:00+01:00," +
				"2027-03-04T19:00:00+01:00\nc,Chess,,\n",
			fix.Rules{Fills: mustFill(t, "end_at=start_at+90m")},
			nil,
			[]string{`D2 fill: "" → "2027-03-04T19:30:00+01:00"`},
		},
		"fill goes past a clock change by the instant": {
			"key,name,start_at,end_at,timezone\na,Tea,2027-03-28 01:30,,Europe/Paris\n",
			fix.Rules{Fills: mustFill(t, "end_at = start_at + 2h")},
			nil,
			[]string{`D2 fill: "" → "2027-03-28T04:30:00+02:00"`},
		},
		"fill makes a column where there is none": {
			"key,name,start_at\na,Tea,2027-03-04T18:00:00+01:00\n",
			fix.Rules{Fills: mustFill(t, "end_at=start_at+1d")},
			nil,
			[]string{`D1 fill: "" → "end_at"`, `D2 fill: "" → "2027-03-05T18:00:00+01:00"`},
		},
		"fill writes a constant": {
			"key,name,timezone\na,Tea,\nb,Jazz,Europe/Paris\n",
			fix.Rules{Fills: mustFill(t, "timezone=Asia/Tokyo")},
			nil,
			[]string{`C2 fill: "" → "Asia/Tokyo"`},
		},
		"a borrowed date is written where it is another": {
			"key,name,Date,Start Time,End Time,timezone\na,Tea,2027-03-04,18:00,,Europe/Paris\nb,Late,2027-03-04,23:00,,Europe/Paris\n",
			fix.Rules{Fills: mustFill(t, "end_at=start_at+2h")},
			nil,
			[]string{`E2 fill: "" → "20:00"`, `E3 fill: "" → "2027-03-05 01:00"`},
		},
		"a date that stands already keeps its cell": {
			"key,name,Start Date,Start Time,End Date,End Time,timezone\na,Tea,2027-03-04,18:00,4 March 2027,,Europe/Paris\n" +
				"b,Jazz,2027-03-04,18:00,,\" \",Europe/Paris\n" +
				"c,Late,2027-03-04,23:00,2027-03-04,,Europe/Paris\n",
			fix.Rules{Fills: mustFill(t, "end_at=start_at+2h")},
			nil,
			[]string{`F2 fill: "" → "20:00"`, `E3 fill: "" → "2027-03-04"`, `F3 fill: " " → "20:00"`},
		},
		"a date that a mapping gives to both": {
			"Ref,What,Datum,Beginn,Ende\na,Tea,3/4/2027,18:00,\nb,Jazz,3/4/2027,23:00,\nc,Chess,13/04/2027,18:00,21:00\n",
			fix.Rules{Fills: mustFill(t, "end_at=start_at+2h"), Dates: fix.ISODates},
			func(c *mapping.Config) {
				american(c)
				c.Mapping = mapped(t, "name: What\n  start_at: {from: [Datum, Beginn]}\n  end_at: {from: [Datum, Ende]}")
			},
			[]string{
				`E2 fill: "" → "20:00"`, `E3 fill: "" → "2027-03-05 01:00"`, `C4 coerce-dates: "13/04/2027" → "2027-04-13"`,
			},
		},
		"a blank cell is blank with spaces in it": {
			"key,name,start_at,end_at\na,Tea,2027-03-04T18:00:00+01:00,\"  \"\n",
			fix.Rules{Fills: mustFill(t, "end_at=start_at+2h")},
			nil,
			[]string{`D2 fill: "  " → "2027-03-04T20:00:00+01:00"`},
		},
		"a row that is skipped or cancelled is not filled": {
			"key,name,start_at,end_at,action\na,Tea,2027-03-04T18:00:00+01:00,,SKIP\nb,Jazz,2027-03-04T18:00:00+01:00,,CANCEL\n",
			fix.Rules{Fills: mustFill(t, "end_at=start_at+2h")},
			nil, nil,
		},
		"enum knows synonyms and near words": {
			"key,name,visibility,theme,registration_open\na,Tea,Everyone,snow " +
				"dark,nonsense\nb,Jazz,PUBLIC,holiday_pie,yes\nc,Chess,,warpp,\n",
			fix.Rules{Enums: true},
			nil,
			[]string{`C2 enum: "Everyone" → "public"`, `D4 enum: "warpp" → "warp"`},
		},
		"slugs stay apart": {
			"key,name,slug\na,Tea,Tea Time\nb,Jazz,tea-time\nc,Chess,tea/time!\nd,Tango,?\ne,Été,ok-slug\n",
			fix.Rules{Slugs: true},
			nil,
			[]string{`C2 slug: "Tea Time" → "tea-time-2"`, `C4 slug: "tea/time!" → "tea-time-3"`, `C5 slug: "?" → "tango"`},
		},
		"equal rows are skipped by a new column": {
			"key,name\na,Tea\na,Tea\na,Other\na,Tea\n",
			fix.Rules{Dedupe: fix.EqualRows},
			nil,
			[]string{
				`C1 dedupe: "" → "action"`, `C3 dedupe: "" → "SKIP": every cell is that of row 2`,
				`C5 dedupe: "" → "SKIP": every cell is that of row 2`,
			},
		},
		"equal keys are skipped too, of one calendar": {
			"action,key,name,calendar_id\n,a,Tea,x\nUPDATE,a,Other,x\n,a,Third,y\n",
			fix.Rules{Dedupe: fix.EqualKeys},
			nil,
			[]string{`A3 dedupe: "UPDATE" → "SKIP": the key "a" is that of row 2`},
		},
		"a row that is skipped already is no first and no second": {
			"key,name,action\na,Tea,SKIP\na,Tea,\na,Tea,SKIP\n",
			fix.Rules{Dedupe: fix.EqualKeys},
			nil, nil,
		},
		"a new action stands behind what is filled": {
			"key,name,start_at\na,Tea,2027-03-04T18:00:00+01:00\na,Tea,2027-03-04T18:00:00+01:00\n",
			fix.Rules{Dedupe: fix.EqualRows, Fills: mustFill(t, "end_at=start_at+2h")},
			nil,
			[]string{
				`D1 fill: "" → "end_at"`, `D2 fill: "" → "2027-03-04T20:00:00+01:00"`,
				`E1 dedupe: "" → "action"`, `E3 dedupe: "" → "SKIP": every cell is that of row 2`,
			},
		},
		"two rules meet in a cell": {
			"key,name,visibility\na,Tea, everyone \n",
			fix.Rules{Trim: true, Enums: true},
			nil,
			[]string{`C2 trim, enum: " everyone " → "public"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := find(t, test.file, test.rules, test.config)
			if err != nil {
				t.Fatal(err)
			}
			if test.want == nil {
				test.want = []string{}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Mending what was mended changes nothing more.
func TestACopyNeedsNoMending(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.csv")
	content := "key,name,Start,End,slug,visibility\na, Tea ,3/4/2027 6 PM,13/4/2027 6 PM,Tea Time,member-only\n" +
		"b,Jazz,3/5/2027 6 PM,,tea-time,Public\nb,Jazz,3/5/2027 6 PM,,tea-time,Public\n"
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	rules := fix.Rules{
		Trim: true, Dates: fix.ISODates, Enums: true, Slugs: true, Dedupe: fix.EqualKeys, Fills: mustFill(t, "end_at=start_at+2h"),
	}
	config := mapping.Config{Files: []string{path}, DateOrder: "mdy", Timezone: "Europe/Paris"}
	found, err := mapping.Mend(t.Context(), config, rules)
	if err != nil || len(found.Edits) == 0 || found.Edits[len(found.Edits)-1].After != "SKIP" {
		t.Fatalf("%v: %v", found, err)
	}
	var b strings.Builder
	if err := found.Copy().Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := mapping.Mend(t.Context(), config, rules)
	if err != nil || len(again.Edits) > 0 {
		t.Errorf("%v: %v, in\n%s", lines(again), err, b.String())
	}
}

// mapped is a mapping file with these columns.
func mapped(t *testing.T, columns string) *mapfile.File {
	t.Helper()
	f, err := mapfile.Decode([]byte("version: 1\nkey: Ref\ncolumns:\n  "+columns+"\n"), "m.map.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestAnActionThatCannotBeWrittenIsRefused(t *testing.T) {
	const twice = "Ref,What,Do\na,Tea,\na,Tea,\n"
	dedupe := func(columns string) ([]string, error) {
		return find(t, twice, fix.Rules{Dedupe: fix.EqualRows}, func(c *mapping.Config) { c.Mapping = mapped(t, "name: What\n"+columns) })
	}
	for _, columns := range []string{"", "  action: {from: Do, values: {later: SKIP}}"} {
		_, err := dedupe(columns)
		if e, ok := errors.AsType[*failure.Error](err); !ok || e.Hint() == "" {
			t.Errorf("%s: %v", columns, err)
		}
	}
	got, err := dedupe("  action: Do")
	if want := []string{`C3 dedupe: "" → "SKIP": every cell is that of row 2`}; err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestObjectsAreNotMended(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.ndjson")
	if err := os.WriteFile(path, []byte(`{"key":"a","name":" Tea"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := mapping.Mend(t.Context(), mapping.Config{Files: []string{path}}, fix.Rules{Trim: true})
	if e, ok := errors.AsType[*sheet.Error](err); !ok || e.Code != schema.CodeUnknownFormat || e.Hint == "" {
		t.Error(err)
	}
}

func TestAFillThatCannotBeFollowedIsRefused(t *testing.T) {
	for _, text := range []string{
		"", "end_at", "end_at=", "nothing=x", "end_at=soon", "end_at=end_at+2h", "end_at=name+2h", "end_at=start_at+2x",
		"end_at=start_at+-2h", "visibility=loud",
	} {
		if f, err := fix.ParseFill(text); err == nil {
			t.Errorf("%q became %+v", text, f)
		} else if !errors.Is(err, failure.Usage) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, want := range map[string]time.Duration{
		"90m": 90 * time.Minute, "1d": 24 * time.Hour, "1d2h": 26 * time.Hour, "1h30m": 90 * time.Minute,
	} {
		if f, err := fix.ParseFill("end_at=start_at+" + text); err != nil || f.After != want {
			t.Errorf("%q is %v: %v", text, f.After, err)
		}
	}
	if f, err := fix.ParseFill("start_at=end_at-2h"); err != nil || f.After != -2*time.Hour || f.From.Path != "end_at" {
		t.Errorf("%+v: %v", f, err)
	}
}

func FuzzParseFill(f *testing.F) {
	for _, text := range []string{
		"end_at=start_at+2h", "end_at=start_at-1d2h", "timezone=Europe/Paris", "=", "end_at=start_at+9999999999999d",
		"end_at=start_at+9999999h",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fill, err := fix.ParseFill(text)
		if err != nil {
			return
		}
		if fill.Field == nil || fill.From == nil && fill.Value == "" || fill.After > 20_001*24*time.Hour ||
			fill.After < -20_001*24*time.Hour {
			t.Fatalf("%q became %+v", text, fill)
		}
	})
}
