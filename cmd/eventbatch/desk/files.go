package desk

import (
	"context"
	"io"
	"mime"
	"net/http"
	"path/filepath"
	"strings"
)

// Wanted is a file that a command makes, and that the page hands out.
type Wanted struct {
	Kind    string // report or results of a run, or marked: what check says of each cell
	Name    string // as it is called on the page
	Run     string
	Mapping string // that the rows are read by, where nothing is marked but by it
}

// handOut returns what answers with a file. It is an attachment: the browser keeps it, beside what is there already.
func (d *Desk) handOut(kind string) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		name, body, err := d.wanted(r, kind)
		if err != nil {
			return err
		}
		defer func() { _ = body.Close() }() // it was read
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
		_, err = io.Copy(w, body)
		return err
	}
}

// wanted returns what a request asks for, under the name that it has on the page.
func (d *Desk) wanted(r *http.Request, kind string) (name string, body io.ReadCloser, err error) {
	if kind == "mapping" {
		d.answering.Lock()
		defer d.answering.Unlock()
		text := d.mapped(r.Context()).Text
		if text == "" {
			return "", nil, refuse(http.StatusConflict, "there are no answers")
		}
		return filepath.Base(d.Mapping.Save), io.NopCloser(strings.NewReader(text)), nil
	}
	want := Wanted{Kind: kind, Name: d.Marked}
	if kind == "marked" {
		if d.Editing.Edits != nil && d.Editing.Edits.Any() {
			return "", nil, refuse(http.StatusConflict, "cells were changed here: write the mended copy, and have that checked")
		}
		d.reads.RLock()
		want.Mapping = d.by
		d.reads.RUnlock()
	} else {
		if want.Run, err = runOf(r); err != nil {
			return "", nil, err
		}
		want.Name = kind + "-" + want.Run + map[string]string{"report": ".html", "results": ".csv"}[kind]
	}
	body, err = d.Make(r.Context(), want)
	return want.Name, body, err
}

// Make is how a file is made. The error may be a [Refused].
type Make func(ctx context.Context, want Wanted) (io.ReadCloser, error)

// Refused returns the error that says in words why there is no such file.
func Refused(words string) error { return refuse(http.StatusConflict, words) }
