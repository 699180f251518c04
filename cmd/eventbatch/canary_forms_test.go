package main

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"

	found "eventbatch/batch/report/finding"
	"eventbatch/batch/sandbox"
)

// forms are the ways in which somebody may write a key down, by name. Those of
// base64 are what stays the same wherever in a longer text the key begins.
func forms(key string) map[string]string {
	all := map[string]string{
		"plain": key, "upper case": strings.ToUpper(key), "hex": hex.EncodeToString([]byte(key)), "upper hex": fmt.Sprintf("%X", key),
		"decimal": strings.Trim(fmt.Sprint([]byte(key)), "[]"),
	}
	for begin := range 3 {
		text := append(make([]byte, begin), key...)
		whole := len(text) - len(text)%3
		coded := base64.StdEncoding.EncodeToString(text[:whole])[(begin*8+5)/6:]
		all["base64 "+strconv.Itoa(begin)] = coded
		all["base64url "+strconv.Itoa(begin)] = strings.NewReplacer("+", "-", "/", "_").Replace(coded)
	}
	for name, form := range map[string]string{"percent": "%%%02X", "lower percent": "%%%02x", "entities": "&#%d;", "escapes": `\u%04x`} {
		var b strings.Builder
		for _, c := range []byte(key) {
			fmt.Fprintf(&b, form, c)
		}
		all[name] = b.String()
	}
	return all
}

// hidden puts characters that nobody sees between those of a text.
func hidden(text string) string {
	unseen := []string{"\u200b", "\u00ad", "\u202e", "\u2060", "\u034f", "\ufe0f", "\u180b", "\U000e0061"}
	var b strings.Builder
	for i, c := range text {
		b.WriteRune(c)
		b.WriteString(unseen[i%len(unseen)])
	}
	return b.String()
}

// seen is what a person sees of a text.
func seen(data []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r >= ' ' && r < unicode.MaxASCII {
			return r
		}
		if unicode.In(r, unicode.C, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, data)
}

// parts are a file, or what is packed in it where it is a workbook.
func parts(data []byte) map[string][]byte {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return map[string][]byte{"": data}
	}
	list := map[string][]byte{}
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			continue
		}
		list[f.Name], _ = io.ReadAll(r)
		_ = r.Close()
	}
	return list
}

// repeater is a service that says the key in one form after another.
type repeater struct {
	forms []string
	n     atomic.Int64
	names bool // in the names of good answers, not in its refusals
}

func newRepeater(key string) *repeater {
	r := &repeater{}
	all := forms(key)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		r.forms = append(r.forms, all[name], hidden(all[name]), "x"+all[name]+"y")
	}
	return r
}

func (r *repeater) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	_, _ = io.Copy(io.Discard, req.Body)
	form := r.forms[int(r.n.Add(1)-1)%len(r.forms)]
	answer := func(status int, body any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}
	switch {
	case strings.HasSuffix(req.URL.Path, "/list"):
		answer(200, map[string]any{"entries": []any{}})
	case strings.HasSuffix(req.URL.Path, "/create") && r.names:
		answer(400, map[string]any{"message": "Slug taken."})
	case strings.HasSuffix(req.URL.Path, "/create"):
		answer(400, map[string]any{"message": "Bad " + form + "\n- name: " + form, "code": form})
	case strings.HasSuffix(req.URL.Path, "/lookup"):
		calendar := map[string]any{"id": "c", "name": form, "slug": "s"}
		answer(200, map[string]any{"entity": map[string]any{"type": "calendar", "calendar": calendar}})
	case r.names:
		answer(200, map[string]any{"id": sandbox.CalendarID, "name": form, "email": form, "slug": "s"})
	default:
		w.WriteHeader(502)
		_, _ = io.WriteString(w, "<title>"+form+"</title>")
	}
}

// A service that repeats the key in many encodings, with characters in between
// that nobody sees: in its refusals, in the names of good answers, in its pages.
func TestKeyStaysInEveryEncoding(t *testing.T) {
	t.Parallel()
	c := newCage(t, "http://127.0.0.1:1")
	service := newRepeater(c.key)
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	c.write(t, "eventbatch.yaml", profileOf(server.URL, bigLimits))
	c.write(t, "rows.csv", newProgramme("row", len(service.forms)).text.String())
	calendar := []string{"--calendar", sandbox.CalendarID, "--pace", "0"}
	for _, args := range [][]string{
		append([]string{"import", "rows.csv", "--yes", "-v"}, calendar...),
		{"show", "latest", "--all"},
		{"show", "latest", "--all", "--json"},
		{"report", "latest", "-o", "r.html", "-o", "r.csv", "-o", "r.json", "-o", "r.md", "-o", "r.xml", "-o", "r.xlsx", "-o", "github"},
		{"doctor", "--json"},
	} {
		if e := c.sing(t, nil, args...); e.code == 1 || e.code == 2 {
			t.Errorf("%v: %v", args, e)
		}
	}
	if rows := c.show(t, "latest").Rows; rows[found.Failed] != len(service.forms) {
		t.Errorf("%d rows of %d met a refusal: the test proves nothing", rows[found.Failed], len(service.forms))
	}
	service.names = true
	c.write(t, "rows.csv", newProgramme("row", 1).text.String())
	for i := range service.forms {
		ends := []ended{c.run(t, append([]string{"import", "rows.csv", "--yes", "--workspace", "named"}, calendar...)...)}
		if i%2 == 0 { // it tries two keys
			ends = append(ends, c.run(t, "doctor", "--quiet"))
		}
		for _, e := range ends {
			c.examine(t, "output", []byte(e.stdout+e.stderr))
		}
	}
	c.search(t, "names of good answers")
}
