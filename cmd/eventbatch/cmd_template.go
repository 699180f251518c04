package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/durable"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/template"
)

func newTemplateCommand(a *env) *cobra.Command {
	var output string
	const use = "template create|update|upsert|season|RESOURCE -o FILE"
	cmd := newCommand(use, needOneOf("a word: what it is for"), func(ctx context.Context, args []string) error {
		return writeTemplate(ctx, a, args[0], output)
	})
	cmd.ValidArgs = template.Names()
	cmd.Flags().StringVarP(&output, "output", "o", "", "the `FILE` to write: .xlsx or .csv; one that exists is left alone")
	return cmd
}

type templateDoc struct {
	Operation string `json:"operation"`
	File      string `json:"file"`
	Columns   int    `json:"columns"`
	Examples  int    `json:"examples"`
}

func writeTemplate(ctx context.Context, a *env, word, output string) error {
	t := template.Named(word)
	season := word == template.OfSeason
	write := func(w io.Writer) error { return t.WriteXLSX(ctx, w) }
	switch strings.ToLower(filepath.Ext(output)) {
	case ".xlsx":
	case ".csv":
		if season {
			return usagef("a season has a sheet for each resource, and a text file has one").hinted("say -o season.xlsx")
		}
		write = func(w io.Writer) error { return t.WriteCSV(w) }
	default:
		return usagef("a template needs a name to be written to that ends in .xlsx or .csv").hinted("say -o events.xlsx")
	}
	if _, err := os.Lstat(output); !errors.Is(err, fs.ErrNotExist) {
		return usagef("%s is there already, and may have been filled in", output).hinted("give the template another name")
	}
	if err := durable.Replace(output, 0o644, write); err != nil {
		return failure.New(failure.Output, err, "")
	}
	columns, examples := t.Size()
	if a.global.json {
		return a.writeDoc("template", templateDoc{word, output, columns, examples}, nil)
	}
	of := ""
	if season {
		of = report.Count(len(catalog.Resources), "sheet") + " with "
	}
	a.say("%s: %s%s and %s, which %s left out when it is imported\n", output, of,
		report.Count(columns, "column"), report.Count(examples, "example row"), printable.Pick(examples, "is", "are"))
	return nil
}
