package sheet

import (
	"context"
	"io"
	"iter"

	"eventbatch/mapping/schema"
)

// csvSource reads CSV and TSV.
type csvSource struct {
	in     *input
	chars  charset
	layout layout
	limits Limits
	seen   []schema.Problem
}

func openTSV(ctx context.Context, in *input, o Options) (source, error) {
	if o.Delimiter == 0 {
		o.Delimiter = '\t'
	}
	return openCSV(ctx, in, o)
}

func openCSV(_ context.Context, in *input, o Options) (source, error) {
	chars, err := findCharset(in, o.Encoding)
	if err != nil {
		return nil, err
	}
	lay, err := findLayout(in, chars, o.Delimiter)
	if err != nil {
		return nil, err
	}
	return &csvSource{in: in, chars: chars, layout: lay, limits: o.Limits}, nil
}

func (s *csvSource) sheets() []Info          { return []Info{{}} }
func (s *csvSource) notes() []schema.Problem { return s.seen }
func (s *csvSource) date1904() bool          { return false }
func (s *csvSource) close() error            { return nil }

func (s *csvSource) batches(ctx context.Context, _ string) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		s.seen = nil
		if s.chars.note != nil {
			s.seen = append(s.seen, *s.chars.note)
		}
		text, end, err := s.in.text(s.chars)
		if err != nil {
			yield(nil, err)
			return
		}
		defer end()
		scan := newCSVScan(newWindow(s.in.name, text, s.limits), s.layout)
		for {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			slab := takeSlab()
			err := scan.next(slab)
			if len(slab.rows) > 0 {
				if !yield(slab.lend(), nil) {
					return
				}
			} else {
				slabs.Put(slab)
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
		s.seen = append(s.seen, scan.notes()...)
	}
}
