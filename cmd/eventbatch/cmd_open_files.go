package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	found "eventbatch/batch/report/finding"
	"eventbatch/cmd/eventbatch/desk"
)

// makeFile makes a file that the page hands out: by the commands report and check, and by show where it is there already.
func (c *openCommand) makeFile(files []string) desk.Make {
	return func(ctx context.Context, want desk.Wanted) (io.ReadCloser, error) {
		if want.Kind == "results" {
			return c.results(ctx, want.Run)
		}
		folder, err := os.MkdirTemp("", "eventbatch-page-*")
		if err != nil {
			return nil, err
		}
		made, err := c.makeIn(ctx, folder, files, want)
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(folder))
		}
		return made, nil
	}
}

// madeFile is a file in a folder of its own.
type madeFile struct {
	*os.File
	folder string
}

// Close removes both.
func (f *madeFile) Close() error { return errors.Join(f.File.Close(), os.RemoveAll(f.folder)) }

func (c *openCommand) makeIn(ctx context.Context, folder string, files []string, want desk.Wanted) (*madeFile, error) {
	name, said := filepath.Join(folder, want.Name), []byte(nil)
	if want.Kind == "report" {
		said = c.document(ctx, "report", "--output="+name, "--", want.Run)
	} else {
		reading, err := c.readBy(want.Mapping, mappingName(files[0]))
		if err != nil {
			return nil, err
		}
		said = c.check(ctx, files[0], nil, &checkCommand{reading: reading, reports: []string{name}})
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, refusedBy(said)
	}
	return &madeFile{file, folder}, nil
}

// results opens the file of what became of the rows of a run.
func (c *openCommand) results(ctx context.Context, run string) (io.ReadCloser, error) {
	said := c.document(ctx, "show", "--", run)
	var doc struct{ Files struct{ Results string } }
	if err := json.Unmarshal(said, &doc); err != nil {
		return nil, err
	}
	file, err := os.Open(doc.Files.Results)
	switch {
	case doc.Files.Results == "":
		return nil, refusedBy(said)
	case errors.Is(err, fs.ErrNotExist):
		return nil, desk.Refused("run " + run + " has no results yet")
	}
	return file, err
}

// refusedBy returns the error that a document of a command ends with.
func refusedBy(said []byte) error {
	var doc struct{ Exit found.Exit }
	if err := json.Unmarshal(said, &doc); err != nil {
		return err
	}
	return desk.Refused(doc.Exit.Error)
}
