package feed

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"

	"eventbatch/batch/printable"
)

// store is a temporary file in the making.
type store struct {
	file *os.File
	seen *digest
	left int64 // bytes that may still come
	head []byte
}

// headBytes is how much of a feed is looked at to see what it is.
const headBytes = 512

// temporary is how the names of temporary files begin.
const temporary = "eventbatch-feed-"

// Sweep removes what processes that were killed have left of feeds in a folder, which nobody
// else uses now.
func Sweep(folder string) error {
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), temporary) {
			err = errors.Join(err, os.Remove(filepath.Join(folder, entry.Name())))
		}
	}
	if err != nil {
		return fmt.Errorf("removing what is left of earlier feeds: %w", err)
	}
	return nil
}

// newStore makes a temporary file, for its owner only. Its ending tells the readers what
// it is.
func (c *Config) newStore(ending string) (*store, error) {
	file, err := os.CreateTemp(c.Folder, temporary+"*"+ending)
	if err != nil {
		return nil, fmt.Errorf("storing the feed: %w", err)
	}
	return &store{file: file, seen: newDigest(), left: c.Bytes}, nil
}

// tooLarge says that a feed has more bytes than it may have.
func tooLarge(most int64) string { return "it has more than " + printable.Number(int(most)) + " bytes" }

// diskError says that it is the temporary file that fails.
type diskError struct{ error }

func (e diskError) Unwrap() error { return e.error }

// Write stores more bytes.
func (s *store) Write(p []byte) (int, error) {
	if s.left -= int64(len(p)); s.left < 0 {
		return 0, errTooLarge
	}
	if room := headBytes - len(s.head); room > 0 {
		s.head = append(s.head, p[:min(room, len(p))]...)
	}
	s.seen.Write(p)
	n, err := s.file.Write(p)
	if err != nil {
		err = diskError{fmt.Errorf("storing the feed: %w", err)}
	}
	return n, err
}

var errTooLarge = errors.New("too large")

// page reports whether what was stored is a page or other markup: no feed begins so.
func (s *store) page() bool {
	start := bytes.TrimLeft(bytes.TrimPrefix(s.head, []byte("\xef\xbb\xbf")), " \t\r\n")
	return len(start) > 0 && start[0] == '<'
}

// feed completes the file.
func (s *store) feed(name string) (*Feed, error) {
	if err := s.file.Close(); err != nil {
		_ = os.Remove(s.file.Name()) // it may lack bytes
		return nil, diskError{fmt.Errorf("storing the feed: %w", err)}
	}
	return &Feed{Path: s.file.Name(), Name: name, State: s.seen.state(), stored: true}, nil
}

// discard gives the file up.
func (s *store) discard() {
	_ = s.file.Close()
	_ = os.Remove(s.file.Name()) // whoever gives it up has an error that matters more
}

// unpacked is a body without the gzip that it may be packed with: on its way, as the
// server says, or as a file, as its first bytes say.
func unpacked(body io.Reader, onItsWay bool) (io.Reader, error) {
	if onItsWay {
		unzipped, err := gzip.NewReader(body)
		if err != nil {
			return nil, fmt.Errorf("unpacking it: %w", err)
		}
		body = unzipped
	}
	buffered := bufio.NewReader(body)
	magic, err := buffered.Peek(2)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if string(magic) != "\x1f\x8b" {
		return buffered, nil
	}
	unzipped, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, fmt.Errorf("unpacking it: %w", err)
	}
	return unzipped, nil
}

// digest is a writer that knows what is remembered of what it was given.
type digest struct {
	hash.Hash

	last [2]byte // bytes
}

func newDigest() *digest { return &digest{Hash: sha256.New()} }

func (d *digest) Write(p []byte) (int, error) {
	for _, b := range p[max(0, len(p)-2):] {
		d.last = [2]byte{d.last[1], b}
	}
	return d.Hash.Write(p)
}

func (d *digest) state() State {
	end := d.last[1]
	if end == 0 { // of UTF-16 with its small bytes first
		end = d.last[0]
	}
	return State{SHA256: hex.EncodeToString(d.Sum(nil)), LineEnd: end == '\n' || end == '\r'}
}
