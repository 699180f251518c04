package batch

import (
	"context"
	"errors"
	"slices"

	"eventbatch/batch/plan"
	"eventbatch/mapping"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
)

// readRows reads the input row by row and calls each for every row, with all
// problems that can be found offline, and with the local picture that the row
// names (nil without one). Check and Plan share it, so that both call the same
// rows invalid. It stops at the first error of each.
func readRows(ctx context.Context, reading *mapping.Reading, from PictureConfig, each func(*mapping.Result, *plan.Cover) error) error {
	pictures := pictures{PictureConfig: from}
	for row, err := range reading.Results(ctx) {
		if err != nil {
			return err
		}
		if err := each(row, pictures.of(ctx, reading, row)); err != nil {
			return err
		}
	}
	return nil
}

// of returns the picture that a row names; nil without one. What is wrong with it is added to the row's problems.
func (p *pictures) of(ctx context.Context, reading *mapping.Reading, row *mapping.Result) *plan.Cover {
	if row.Skipped != "" || row.Draft.Action == schema.Skip {
		return nil
	}
	cover, problem := p.find(ctx, row.Draft)
	if problem != nil {
		reading.Locate(problem, row.Source, row.Cells)
		row.Problems = append(row.Problems, *problem)
	}
	return cover
}

// wholeProblems returns the problems that belong to no row: those of whole files,
// or those that ended the reading with err. The reading is nil where the input could
// not be opened.
func wholeProblems(reading *mapping.Reading, err error) []schema.Problem {
	if header, ok := errors.AsType[*mapping.HeaderError](err); ok {
		return slices.Concat(reading.Problems(), header.Problems)
	}
	if unread, ok := errors.AsType[*sheet.Error](err); ok {
		return []schema.Problem{unread.Problem}
	}
	if err != nil {
		return nil
	}
	return reading.Problems()
}
