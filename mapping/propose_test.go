package mapping_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"eventbatch/mapping"
	"eventbatch/mapping/mapfile"
)

// What is proposed for a cell is the one thing that it can mean.
func TestProposals(t *testing.T) {
	const head = "version: 1\nkey: Ref\ntimezone: {default: Europe/Paris}\ncolumns:\n  name: What\n  start_at: When\n"
	for name, test := range map[string]struct {
		file, mapping string
		want          []string
	}{
		"a word for one value": {
			"key,name,visibility\na,Tea,Everyone\nb,Jazz,publc\nc,Chess,nobody\n", "",
			[]string{"C2 Everyone → public", "C3 publc → public", "C4 nobody → "},
		},
		"two values that are as near": {
			"key,name,font\na,Tea,ivy-pode\n", "", []string{"C2 ivy-pode → ivy-mode"},
		},
		"a word of the mapping": {
			"Ref,What,When,Who\na,Tea,2027-03-04 18:00,Ale\nb,Jazz,2027-03-04 19:00,Mitglied\nc,Chess,2027-03-04 20:00,Staff\n",
			head + "  visibility: {from: Who, values: {Alle: public, Mitglieder: members-only}}\n",
			[]string{"D2 Ale → Alle", "D3 Mitglied → Mitglieder", "D4 Staff → "},
		},
		"two words of the mapping that are as near": {
			"Ref,What,When,Who\na,Tea,2027-03-04 18:00,Saal C\n",
			head + "  visibility: {from: Who, values: {Saal A: public, Saal B: private}}\n",
			[]string{"D2 Saal C → "},
		},
		"a zone, and several": {
			"key,name,timezone\na,Tea,Europe/Pariss\nb,Jazz,Nowhere\nc,Chess,Vienna\nd,Go,CET\n", "",
			[]string{"C2 Europe/Pariss → Europe/Paris", "C3 Nowhere → ", "C4 Vienna → Europe/Vienna", "C5 CET → "},
		},
		"an address without its scheme": {
			"key,name,meeting_url\na,Tea,meet.example.com/tea\nb,Jazz,later\nc,Chess,ftp://example.com\n", "",
			[]string{"C2 meet.example.com/tea → https://meet.example.com/tea", "C3 later → ", "C4 ftp://example.com → "},
		},
		"a color without its sign": {
			"key,name,tint_color\na,Tea,ff8800\nb,Jazz,red\n", "", []string{"C2 ff8800 → #ff8800", "C3 red → "},
		},
		"a slug": {"key,name,slug\na,Tea,Tea Time\n", "", []string{"C2 Tea Time → tea-time"}},
		"slugs that are too short, of names that differ": {
			"key,name,slug\na,Tea Time,!\nb,Jazz Night,!\n", "", []string{"C2 ! → tea-time", "C3 ! → jazz-night"},
		},
		"the same mistake in two columns and two kinds of field": {
			"key,name,timezone,visibility\na,Tea,publc,publc\nb,Jazz,publc,publc\n", "",
			[]string{"C2 publc → ", "D2 publc → public", "C3 publc → ", "D3 publc → public"},
		},
		"a date that lost its format": {
			"key,name,start_at,timezone\na,Tea,46085.75,Europe/Paris\nb,Jazz,46085,Europe/Paris\nc,Chess,tomorrow,Europe/Paris\n", "",
			[]string{"C2 46085.75 → 2026-03-04T18:00:00", "C3 46085 → ", "C4 tomorrow → "},
		},
		"a number among words that are known": {
			"key,name,max_capacity\na,Tea,25 Pers.\nb,Jazz,ca. 30\nc,Chess,1.200\nd,Go,unbegrenzt\ne,Talk,25 oder 30\n", "",
			[]string{"C2 25 Pers. → 25", "C3 ca. 30 → 30", "C4 1.200 → ", "C5 unbegrenzt → ", "C6 25 oder 30 → "},
		},
		"a cell that is joined to others": {
			"Ref,What,When,Street,Town\na,Tea,2027-03-04 18:00,Everyone,\n",
			head + "  visibility: {from: [Street, Town]}\n",
			[]string{"D2 Everyone → "},
		},
		"a text of the mapping": {
			"Ref,What,When\na,Tea,2027-03-04 18:00\n",
			head + "  visibility: {from: Ref, values: {'*': Everyone}}\n",
			[]string{"A2 Everyone → "},
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.csv")
			if err := os.WriteFile(path, []byte(test.file), 0o600); err != nil {
				t.Fatal(err)
			}
			config := mapping.Config{Files: []string{path}}
			if test.mapping != "" {
				var err error
				if config.Mapping, err = mapfile.Decode([]byte(test.mapping), "a.map.yaml"); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(test.want, proposals(t, config)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// proposals reads the file and returns a line an error of a cell.
func proposals(t *testing.T, config mapping.Config) (lines []string) {
	t.Helper()
	reading, err := mapping.Read(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer reading.Close()
	for result, err := range reading.Results(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range result.Problems {
			if p.Severity.String() == "error" && p.Value != "" {
				lines = append(lines, fmt.Sprintf("%s %s → %s", p.Place.Cell(), p.Value, p.Proposal))
			}
		}
	}
	return lines
}
