package sheet

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"syscall"

	"eventbatch/mapping/schema"
)

// headBytes is how much of a file is looked at to find out what it is.
const headBytes = 64 << 10

// input is the bytes of a file: on disk, where each pass reads them anew, or
// from a stream, which has a single pass.
type input struct {
	name       string
	head       []byte // the first headBytes
	headAll    bool   // there are no more
	rereadable bool
	size       int64 // of a rereadable file

	file   *os.File  // nil for standard input
	stream io.Reader // what follows head, nil where the file is rereadable
	sum    string    // of the last complete pass
}

func openInput(path string, o Options) (*input, error) {
	in := &input{name: path}
	var from io.Reader
	if path == "-" {
		in.name = "stdin"
		if o.Stdin == nil {
			return nil, in.refuse(schema.CodeUnreadableFile, "", "no standard input to read")
		}
		if o.Format == "" {
			return nil, in.refuse(schema.CodeUnknownFormat, "say it with --format csv, tsv, xlsx, ndjson or ics", "standard input has no name to tell its format by")
		}
		from, in.stream = o.Stdin, o.Stdin
	} else {
		file, err := os.Open(path)
		if err != nil {
			return nil, in.failed(err)
		}
		info, err := file.Stat()
		if err == nil && info.IsDir() {
			err = syscall.EISDIR
		}
		if err != nil {
			_ = file.Close() // nothing was read from it
			return nil, in.failed(err)
		}
		from, in.file = file, file
		if in.rereadable = info.Mode().IsRegular(); in.rereadable {
			in.size = info.Size()
		} else {
			in.stream = file
		}
	}
	in.head = make([]byte, headBytes)
	n, err := io.ReadFull(from, in.head)
	in.head = in.head[:n]
	in.headAll = err != nil
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		_ = in.close()
		return nil, in.failed(err)
	}
	return in, nil
}

// pass begins a reading of the bytes from the first to the last. Whoever begins
// it ends it.
func (in *input) pass() (*pass, error) {
	if in.stream == nil {
		return newPass(in, io.NewSectionReader(in.file, 0, math.MaxInt64)), nil
	}
	if in.head == nil {
		return nil, in.refuse(schema.CodeUnreadableFile, "save it to a file first", "a stream can be read only once")
	}
	from := io.MultiReader(bytes.NewReader(in.head), in.stream)
	in.head = nil
	return newPass(in, from), nil
}

// sha256 is the hash of the last complete pass, empty before.
func (in *input) sha256() string { return in.sum }

// whole gives random access to the input's bytes, which a stream has to be held
// in memory for.
func (in *input) whole(ctx context.Context, limit int64) (at io.ReaderAt, size int64, sum string, err error) {
	p, err := in.pass()
	if err != nil {
		return nil, 0, "", err
	}
	defer p.end()
	var held []byte
	for block := make([]byte, blockBytes); err == nil; {
		if err := ctx.Err(); err != nil {
			return nil, 0, "", err
		}
		var n int
		n, err = p.Read(block)
		if size += int64(n); in.stream == nil {
			continue
		}
		if held = append(held, block[:n]...); size > limit {
			return nil, 0, "", in.refuse(schema.CodeUnreadableFile, "save it to a file first", "more than %d bytes from a stream", limit)
		}
	}
	if err != io.EOF {
		return nil, 0, "", err
	}
	if in.stream == nil {
		return in.file, size, in.sum, nil
	}
	in.rereadable = true
	return bytes.NewReader(held), size, in.sum, nil
}

func (in *input) close() error {
	if in.file == nil {
		return nil
	}
	return in.file.Close()
}

func (in *input) refuse(code schema.Code, hint, format string, args ...any) *Error {
	return refuse(code, schema.Place{File: in.name}, hint, format, args...)
}

// failed wraps an error of the operating system.
func (in *input) failed(err error) *Error {
	cause := err
	if path, ok := errors.AsType[*os.PathError](err); ok {
		cause = path.Err // the place names the path already
	}
	e := in.refuse(schema.CodeUnreadableFile, "", "reading the file: %s", cause)
	e.Err = err
	return e
}
