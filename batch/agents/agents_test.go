package agents

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eventbatch/batch/manual"
	found "eventbatch/batch/report/finding"
	"eventbatch/mapping/failure"
)

// A document that no answer holds says so.
func TestADocumentThatIsTooLongIsNoAnswer(t *testing.T) {
	for _, test := range []struct {
		bytes int
		fails bool
	}{{mostAnswered, false}, {mostAnswered + 1, true}} {
		s := &server{Config: Config{Run: func(_ context.Context, _ *Tool, _ func() ([]string, error), document io.Writer) found.Exit {
			_, _ = document.Write([]byte(`"` + strings.Repeat("x", test.bytes-2) + `"`))
			return found.Exit{}
		}}}
		result := s.answer(t.Context(), &Tool{Name: "check"}, nil)
		var doc struct {
			Command string
			Exit    found.Exit
		}
		_ = json.Unmarshal(result.StructuredContent.(json.RawMessage), &doc) // what is held is a text
		if fails := doc.Command == "check" && doc.Exit.Error != ""; fails != test.fails {
			t.Errorf("%d bytes: %+v", test.bytes, doc)
		}
	}
}

// What an agent names lies below the folder, and what it has written is new.
func TestPathsOfAgents(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"rows.csv", ".hidden/old.csv", "work/run.csv"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	s := &server{Config{Folder: dir, Workspace: filepath.Join(dir, "work")}, root}
	for _, test := range []struct {
		path Path
		text string
		may  bool
	}{
		{Input, "rows.csv", true},
		{Input, "none.csv", true}, // the command tells
		{Input, "-", false},
		{Input, "https://example.com/rows.csv", false},
		{Input, "../rows.csv", false},
		{Read, "/etc/passwd", false},
		{Joined, "venues=../venues.csv", false},
		{Joined, "venues=rows.csv", true},
		{Written, filepath.Join(dir, "new.csv"), true},
		{Written, filepath.Join(dir, "rows.csv"), false},
		{Written, filepath.Join(dir, ".hidden", "new.csv"), false},
		{Written, filepath.Join(dir, "work", "new.csv"), false},
		{NoPath, "../anything", true},
	} {
		err := s.mayUse(&Property{Flag: manual.Flag{Name: "x"}, Path: test.path}, test.text)
		if (err == nil) != test.may || err != nil && !errors.Is(err, failure.Usage) {
			t.Errorf("%s: %v", test.text, err)
		}
	}
}
