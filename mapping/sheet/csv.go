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
	chars, err := findCharset(in, o.Encoding, unproven)
	if err != nil {
		return nil, err
	}
	lay, err := findLayout(in, chars, o.Delimiter)
	if err != nil {
		return nil, err
	}
	return &csvSource{in: in, chars: chars, layout: lay, limits: o.Limits}, nil
}

func (s *csvSource) sheets() []Info { return []Info{{}} }
func (s *csvSource) date1904() bool { return false }

func (s *csvSource) notes() []schema.Problem {
	if note := s.settled().note; note != nil {
		return append([]schema.Problem{*note}, s.seen...)
	}
	return s.seen
}

// settled returns the charset as all bytes prove it, which are looked at where that was not done.
func (s *csvSource) settled() charset {
	if s.chars.later {
		if c, err := proven(s.in); err == nil { // else reading on meets it
			s.chars = c
		}
	}
	return s.chars
}

func (s *csvSource) batches(ctx context.Context, _ string) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		s.seen = nil
		text, end, err := s.in.text(s.chars)
		if err != nil {
			yield(nil, err)
			return
		}
		defer end()
		scan := newCSVScan(newWindow(s.in, text, s.limits), s.layout)
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
		if u, ok := text.(*utf8Reader); ok && s.chars.later && u.turned == nil {
			s.in.isUTF8(u.wide)
		}
		s.seen = append(s.seen, scan.notes()...)
	}
}
