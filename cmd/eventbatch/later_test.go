package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eventbatch/batch/journal"
)

// Each file of a later version is refused before anything is done, with what to do.
func TestALaterVersionIsRefused(t *testing.T) {
	const rows = "key,name,start_at,timezone\na,Tea,2027-03-20 18:00,Europe/Paris\n"
	later := func(text []byte, was, is string) []byte {
		if bytes.Count(text, []byte(was)) != 1 {
			t.Errorf("%q is not once in %.300s", was, text)
		}
		return bytes.Replace(text, []byte(was), []byte(is), 1)
	}
	sum := func(text []byte) string { return fmt.Sprintf("%08x", journal.Sum(text)) }
	for name, test := range map[string]struct {
		before []string // what has to be done before
		file   string   // a pattern
		is     func(text []byte) []byte
		then   []string
		says   string
		todo   string // empty: use the version that wrote it
	}{
		"plan": {
			[]string{"plan events.csv"},
			"w/runs/*/plan.jsonl",
			func(text []byte) []byte { return later(text, `"version":2,`, `"version":3,`) },
			[]string{"apply latest --yes", "show latest"},
			"plan.jsonl is of version 3, and this program knows 2", "",
		},
		"journal": {
			[]string{"import events.csv --yes"},
			"w/runs/*/journal.jsonl",
			func(text []byte) []byte {
				line, _, _ := bytes.Cut(text, []byte("\n")) // the first of a chain
				line = later(line[len("00000000 "):], `"version":1,`, `"version":2,`)
				return []byte(sum(line) + " " + string(line) + "\n")
			},
			[]string{"apply latest --yes", "show latest", "undo latest --yes --allow cancel"},
			"journal.jsonl is of version 2, and this program knows 1", "",
		},
		"memory of keys": {
			[]string{"import events.csv --yes", "runs prune --keep 0d"},
			"w/keys-????????????",
			func(text []byte) []byte {
				text = later(text, `"version":2,`, `"version":3,`)
				end := len(text) - len("00000000\n")
				return append(text[:end:end], sum(text[:end])+"\n"...)
			},
			[]string{"import events.csv --yes", "plan events.csv"},
			"is of version 3, and this program knows 2", "",
		},
		"memory of nights": {
			[]string{"sync events.csv"},
			"w/syncs/*/memory.json",
			func(text []byte) []byte { return later(text, `"version":1,`, `"version":2,`) },
			[]string{"sync events.csv"},
			"memory.json is of version 2, and this program knows 1", "",
		},
		"sandbox": {
			[]string{"import events.csv --yes"},
			"w/sandbox/sandbox.jsonl",
			func(text []byte) []byte { return later(text, `"version":1}`, `"version":2}`) },
			[]string{"import events.csv --yes"},
			"sandbox.jsonl: line 1: not the log of a sandbox of this version",
			"hint: remove ",
		},
		"mapping": {
			nil, "events.map.yaml",
			func(text []byte) []byte { return later(text, "version: 1", "version: 2\nmeaning: another") },
			[]string{"check events.csv --mapping events.map.yaml", "import events.csv --mapping events.map.yaml --yes"},
			"events.map.yaml:1: version: the file is of version 2, and this program knows 1", "",
		},
		"configuration": {
			nil, "eventbatch.yaml",
			func(text []byte) []byte { return later(text, "version: 1", "version: 2\nmeaning: another") },
			[]string{"import events.csv --yes", "plan events.csv", "sync"},
			"eventbatch.yaml:1: version: the file is of version 2, and this program knows 1", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{
				"events.csv": rows, "events.map.yaml": "version: 1\nkey: key\n", "eventbatch.yaml": "version: 1\nprofiles: {}\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			command := func(line string) (int, string) {
				args := strings.Fields(line)
				for i, arg := range args {
					if strings.HasPrefix(arg, "events.") {
						args[i] = filepath.Join(dir, arg)
					}
				}
				args = append(args, "--workspace", filepath.Join(dir, "w"), "--config", filepath.Join(dir, "eventbatch.yaml"))
				if name := args[0]; name != "runs" && name != "show" && name != "check" {
					args = append(args, "--sandbox")
				}
				var stdout, stderr bytes.Buffer
				code := run(t.Context(), []string{"HOME=" + dir, "XDG_STATE_HOME=" + dir}, args, strings.NewReader(""), &stdout, &stderr)
				return code, stderr.String()
			}
			for _, line := range test.before {
				if code, words := command(line); code != exitDone {
					t.Fatalf("%s: exit %d: %s", line, code, words)
				}
			}
			paths, err := filepath.Glob(filepath.Join(dir, test.file))
			if err != nil || len(paths) != 1 {
				t.Fatal(paths, err)
			}
			text, err := os.ReadFile(paths[0])
			if err != nil {
				t.Fatal(err)
			}
			text = test.is(text)
			if err := os.WriteFile(paths[0], text, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, line := range test.then {
				code, words := command(line)
				todo := cmp.Or(test.todo, "use the version of eventbatch that")
				if code != exitConfig || !strings.Contains(words, test.says) || !strings.Contains(words, todo) {
					t.Errorf("%s: exit %d: %s", line, code, words)
				}
			}
			if now, err := os.ReadFile(paths[0]); err != nil || !bytes.Equal(now, text) {
				t.Errorf("the file is another now: %v", err)
			}
		})
	}
}
