package sheet

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"

	"eventbatch/mapping/schema"
)

// newsletter is a page as a word processor saves it.
const newsletter = `<html xmlns:o="urn:schemas-microsoft-com:office:office">
<head><meta http-equiv=Content-Type content="text/html; charset=windows-1252">
<style><!-- p.MsoNormal {margin:0cm} --></style></head>
<body lang=FR><div class=WordSection1>
<p class=MsoNormal>Paroisse Saint-Étienne – programme</p>
<table class=MsoNormalTable border=1 cellspacing=0>
 <tr style='mso-yfti-irow:0'>
  <td width=119 valign=top style='width:89.4pt'>
  <p class=MsoNormal><b><span style='font-size:12.0pt'>Date<o:p></o:p></span></b></p>
  </td>
  <td><p class=MsoNormal>Heure</p></td><td><p class=MsoNormal>Fête
  ou réunion</p></td>
 </tr>
 <tr>
  <td rowspan=2><p class=MsoNormal>Samedi 3&nbsp;avril</p></td>
  <td><p class=MsoNormal>18h</p></td>
  <td><p class=MsoNormal>Veillée</p><p class=MsoNormal>avec les enfants</p></td>
 </tr>
 <tr><td><p>20h</p></td><td><p><s>Concert annulé</s></p></td></tr>
 <tr><td colspan=3><p class=MsoNormal>&nbsp;</p></td></tr>
 <tr><td colspan=2><p>Dimanche 4 avril – 10h</p></td><td>Messe<br>de Pâques</td></tr>
</table></div></body></html>`

func readHTML(t *testing.T, page string, o Options) (f *File, sheets map[string][]string, err error) {
	t.Helper()
	if f, err = Open(t.Context(), writeTemp(t, "f.htm", page), o); err != nil {
		return nil, nil, err
	}
	t.Cleanup(func() { _ = f.Close() })
	sheets = map[string][]string{}
	for _, s := range f.Sheets() {
		for row, err := range f.Rows(t.Context(), s.Name) {
			if err != nil {
				return f, sheets, err
			}
			var cells []string
			for _, c := range row.Cells {
				cells = append(cells, c.Text)
			}
			sheets[s.Name] = append(sheets[s.Name], fmt.Sprintf("%d: %s", row.Number, strings.Join(cells, "|")))
		}
	}
	return f, sheets, nil
}

func TestAPageOfAWordProcessor(t *testing.T) {
	page, err := charmap.Windows1252.NewEncoder().String(newsletter)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"Table 1": {
		"1: Date|Heure|Fête ou réunion", "2: Samedi 3 avril|18h|Veillée\navec les enfants", "3: |20h|Concert annulé",
		"5: Dimanche 4 avril – 10h||Messe\nde Pâques",
	}}
	f, got, err := readHTML(t, page, Options{})
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff([]Merge{{0, 2, 0, 3}, {0, 4, 2, 4}, {0, 5, 1, 5}}, f.Merges("Table 1")); diff != "" {
		t.Error(diff)
	}
	var notes []string
	for _, p := range f.Notes() {
		notes = append(notes, p.Message)
	}
	if diff := cmp.Diff([]string{
		"rows that are struck through are read like the others: 3", "cells that are blank because they are merged with another: 4",
	}, notes); diff != "" {
		t.Error(diff)
	}
	// Without a word of its encoding the page is read by what its bytes say.
	bare := strings.Replace(page, "charset=windows-1252", "", 1)
	if _, got, err = readHTML(t, bare, Options{}); err != nil || got["Table 1"][0] != want["Table 1"][0] {
		t.Errorf("%v, %v", got, err)
	}
	if _, got, err = readHTML(t, newsletter, Options{}); err != nil || got["Table 1"][0] != want["Table 1"][0] { // saved again as UTF-8
		t.Errorf("%v, %v", got, err)
	}
}

func TestTablesOfPages(t *testing.T) {
	for name, tc := range map[string]struct {
		page string
		want map[string][]string
	}{
		"ends left away": {
			"<table><tr><th>a<th>b<tr><td>1<td>2</table>",
			map[string][]string{"Table 1": {"1: a|b", "2: 1|2"}},
		},
		"layout around": {
			"<table><tr><td>Menu</td></tr><tr><td>" +
				"<table><caption>Spring  2027</caption><tr><td>a<td>b<tr><td>1<td>2</table></td></tr></table>",
			map[string][]string{"Spring 2027": {"1: a|b", "2: 1|2"}},
		},
		"layout within": {
			"<table><tr><td>a<td>b</tr><tr><td>1<td>x<table><tr><td>y<td>z</table>w</table>",
			map[string][]string{"Table 1": {"1: a|b", "2: 1|x\ny z\nw"}},
		},
		"two of one name": {
			strings.Repeat("<table><caption>May</caption><tr><td>a<td>b<tr><td>1<td>2</table>", 2),
			map[string][]string{"May": {"1: a|b", "2: 1|2"}, "Table 2": {"1: a|b", "2: 1|2"}},
		},
		"what is not shown": {
			"<title><table></title><table><tr><td>a<!-- no --><style>td{}</style><script>'<td>'</script><td>b<tr><td>&lt;1&amp;<td>2",
			map[string][]string{"Table 1": {"1: a|b", "2: <1&|2"}},
		},
		"cells over rows": {
			"<table><tr><td>a<td rowspan=99>b<td>c<tr><td>1<td>2<tr><td colspan=0>3<td colspan=x>4</table>",
			map[string][]string{"Table 1": {"1: a|b|c", "2: 1||2", "3: 3||4"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, got, err := readHTML(t, tc.page, Options{})
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestPagesAreBounded(t *testing.T) {
	row := "<tr><td>a<td>b"
	for name, tc := range map[string]struct {
		page string
		code schema.Code
	}{
		"no table":  {"<html><p>Tea</p>", schema.CodeMissingPart},
		"one line":  {"<table>" + row + "</table>", schema.CodeMissingPart},
		"too wide":  {"<table>" + row + strings.Repeat("<td colspan=1000>", 20), schema.CodeTooManyColumns},
		"too long":  {"<table>" + strings.Repeat(row, 101), schema.CodeTooManyRows},
		"too deep":  {strings.Repeat("<table><tr><td>", 70), schema.CodeUnsupportedFeature},
		"long cell": {"<table>" + row + strings.Repeat("x", 5000), schema.CodeTooLongCell},
		"long text": {"<table>" + row + "<!--" + strings.Repeat("x", 50_000), schema.CodeTooLongRow},
		"no UTF-8":  {"<meta charset=utf-8><table>" + row + "\xff", schema.CodeBadEncoding},
	} {
		_, _, err := readHTML(t, tc.page, Options{Limits: Limits{CellBytes: 4000, RowBytes: 20_000, Rows: 100}})
		if e, ok := errors.AsType[*Error](err); !ok || e.Code != tc.code || e.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// No page makes the reader do anything but read it or refuse it.
func FuzzHTML(f *testing.F) {
	f.Add(newsletter)
	f.Add("<table><tr><td colspan=3 rowspan=2>a<table><td></table></tr><tbody><td hidden>b<del>c</table>")
	f.Fuzz(func(t *testing.T, page string) {
		opened, _, err := readHTML(t, page, Options{Format: "html", Limits: Limits{Rows: 1000, Columns: 100}})
		if _, ours := errors.AsType[*Error](err); err != nil && !ours {
			t.Fatalf("%T: %v", err, err)
		}
		if err == nil {
			for _, s := range opened.Sheets() {
				_, _ = opened.Merges(s.Name), opened.HiddenColumns(s.Name)
			}
		}
	})
}
