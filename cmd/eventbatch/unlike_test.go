package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
)

// unlike returns how a value differs from the one that is wanted, line by line, or nothing. Each start of the stand-in
// for the command pays for what this package links, so that go-cmp and rapid, which fill tables first, are not here.
func unlike[T any](t *testing.T, want, got T) string {
	t.Helper()
	if reflect.DeepEqual(want, got) {
		return ""
	}
	lines := func(v T) []byte {
		if text, ok := any(v).(string); ok {
			return []byte(text)
		}
		text, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		return bytes.ReplaceAll(text, []byte(`\n`), []byte("\n")) // of a text of several lines
	}
	return "unlike\n" + string(diff.Diff("want", lines(want), "got", lines(got)))
}
