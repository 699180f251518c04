package sheet

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/maphash"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/sourcegraph/conc/panics"

	"eventbatch/mapping/regular"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet/codepage"
	"eventbatch/mapping/spelling"
)

// headBytes is how much of a file is looked at to find out what it is.
const headBytes = 64 << 10

// input is the bytes of a file, opened once for all readings of them. Those of a stream are in
// a temporary file, those of a file in memory stay there. Goroutines share it.
type input struct {
	name    string
	ending  string // of the path, in small letters, before .gz
	head    []byte // the first headBytes
	headAll bool   // there are no more
	size    int64
	at      io.ReaderAt
	file    *os.File      // at, where that is one
	spooled bool          // it is a temporary file
	packed  bool          // it was compressed
	seed    *maphash.Seed // of the hash by which passes are compared; nil: it is SHA-256, and asked for

	mu      sync.Mutex
	sum     string          // of the complete passes so far, which are all the same
	guessed *codepage.Guess // what the bytes of a text without a mark say of its encoding
}

func openInput(ctx context.Context, path string, o Options) (*input, error) {
	in := &input{name: cmp.Or(o.Name, path), sum: o.SHA256}
	if o.Unsummed && o.SHA256 == "" {
		in.seed = new(maphash.MakeSeed())
	}
	in.ending = filepath.Ext(strings.TrimSuffix(strings.ToLower(path), ".gz"))
	if path == "-" {
		in.name = "stdin"
		if o.Stdin == nil {
			return nil, in.refuse(schema.CodeUnreadableFile, "", "no standard input to read")
		}
		if o.Format == "" {
			return nil, in.refuse(
				schema.CodeUnknownFormat, "say it with --format "+spelling.Series(FormatNames(), "or"),
				"standard input has no name to tell its format by",
			)
		}
	}
	if err := in.take(ctx, path, o); err != nil {
		return nil, err
	}
	in.head = make([]byte, min(headBytes, in.block()))
	n, err := in.at.ReadAt(in.head, 0)
	in.head, in.headAll = in.head[:n], err != nil
	if err == io.EOF {
		err = nil
	} else if err != nil {
		err = in.failed(err)
	}
	if err == nil && o.SHA256 != "" {
		_, err = in.read(ctx)
	}
	if err != nil {
		_ = in.close() // nothing was written to it
		return nil, err
	}
	return in, nil
}

// take opens the file, and reads a stream to its end. Another goroutine waits for
// that, and it ends with the stream, or with the process: neither the opening nor the
// reading of a pipe can be called back.
func (in *input) take(ctx context.Context, path string, o Options) error {
	var err error
	done := make(chan *panics.Recovered, 1)
	go func() {
		done <- panics.Try(func() {
			if err = in.open(path, o); err == nil {
				err = in.unpack(o.Limits.FileBytes)
			}
		})
	}()
	select {
	case defect := <-done:
		if defect != nil {
			panic(defect)
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	return err
}

func (in *input) open(path string, o Options) error {
	switch {
	case o.Bytes != nil:
		in.at, in.size = bytes.NewReader(o.Bytes), int64(len(o.Bytes))
		return nil
	case path == "-":
		return in.spool(o.Stdin, o.Limits.FileBytes)
	}
	file, err := os.Open(path)
	if err != nil {
		return in.failed(err)
	}
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() {
		in.at, in.file, in.size = file, file, info.Size()
		return nil
	}
	defer file.Close()
	stream := io.Reader(file)
	switch {
	case err != nil:
	case info.Mode()&os.ModeDevice != 0:
		err = fmt.Errorf("a device is %w", regular.ErrNotRegular)
	case info.IsDir() && strings.EqualFold(o.Format, "webhook"):
		stream, err = payloadsIn(path, o.Limits.FileBytes)
	case info.IsDir():
		err = syscall.EISDIR // or the copy of it says so, by the name of a call
	}
	if err != nil {
		return in.failed(err)
	}
	return in.spool(stream, o.Limits.FileBytes)
}

// spool puts a stream into a temporary file, which goes with the process.
func (in *input) spool(stream io.Reader, most int64) error {
	file, err := os.CreateTemp("", "eventbatch-stream-*")
	if err != nil {
		return in.refuse(schema.CodeUnreadableFile, "save it to a file first", "keeping what comes from a stream: %w", err)
	}
	_ = os.Remove(file.Name()) // Windows does so once it is closed
	in.at, in.file, in.spooled = file, file, true
	switch in.size, err = io.Copy(file, io.LimitReader(stream, most+1)); {
	case err != nil:
		err = in.failed(err)
	case in.size > most && in.packed:
		err = in.refuse(schema.CodeUnreadableFile, "unpack it, and give the file itself", "it unpacks to more than %d bytes", most)
	case in.size > most:
		err = in.refuse(schema.CodeUnreadableFile, "save it to a file first", "more than %d bytes from a stream", most)
	default:
		return nil
	}
	_ = in.close() // nobody reads it
	return err
}

// block is how many bytes are read at a time: of a small file all, and the end.
func (in *input) block() int { return int(min(blockBytes, in.size+1)) }

// pass begins a reading of the bytes from the first to the last. Whoever begins
// it ends it.
func (in *input) pass() *pass {
	return newPass(in, io.NewSectionReader(in.at, 0, math.MaxInt64))
}

// complete takes the hash of a complete pass, which has to be that of those before:
// two readings that differ would pair the rows of one file with what was found in another.
func (in *input) complete(sum string) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.sum != "" && in.sum != sum {
		return in.refuse(schema.CodeUnreadableFile, changedHint, changed)
	}
	in.sum = sum
	return nil
}

const (
	changed     = "the file changed while it was being read"
	changedHint = "run again when nothing writes to it"
)

// sha256 is the hash of the complete passes, empty before the first, and where it is not asked for.
func (in *input) sha256() string {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.seed != nil {
		return ""
	}
	return in.sum
}

// hash begins the hash of a pass.
func (in *input) hash() hash.Hash {
	if in.seed == nil {
		return sha256.New()
	}
	h := new(maphash.Hash)
	h.SetSeed(*in.seed)
	return h
}

// read reads the bytes once for their hash and their number.
func (in *input) read(ctx context.Context) (size int64, err error) {
	p := in.pass()
	defer p.end()
	for block := make([]byte, in.block()); err == nil; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		var n int
		n, err = p.Read(block)
		size += int64(n)
	}
	if err != io.EOF {
		return 0, err
	}
	return size, nil
}

func (in *input) close() error {
	if in.file == nil {
		return nil
	}
	err := in.file.Close()
	if in.spooled {
		_ = os.Remove(in.file.Name()) // where it could not be removed before
	}
	return err
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
	doing, hint := "reading", ""
	if in.packed {
		doing, hint = "unpacking", "get the file again from where it came"
	}
	e := in.refuse(schema.CodeUnreadableFile, hint, "%s the file: %s", doing, cause)
	e.Err = err
	return e
}

// pass is one reading of an input. It hashes what it reads.
type pass struct {
	in    *input
	sum   hash.Hash
	ahead *readAhead
	block []byte // what is read and not given out yet
	err   error  // what comes after it
}

func newPass(in *input, from io.Reader) *pass {
	p := &pass{in: in, sum: in.hash()}
	p.ahead = startReading(from, p.sum, in.block())
	return p
}

// Read gives the next bytes. At the end it compares the hash with that of the
// passes before.
func (p *pass) Read(b []byte) (int, error) {
	for len(p.block) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		p.next()
	}
	n := copy(b, p.block)
	p.block = p.block[n:]
	return n, nil
}

func (p *pass) next() {
	var err error
	p.block, err = p.ahead.next()
	switch {
	case err == io.EOF:
		p.end()
		if p.err = p.in.complete(hex.EncodeToString(p.sum.Sum(nil))); p.err == nil {
			p.err = io.EOF
		}
	case err != nil:
		p.err = p.in.failed(err)
	}
}

// end gives up what the pass holds, whether it was read to its end or not.
func (p *pass) end() { p.ahead.end() }
