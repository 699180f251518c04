// Package feed gets the rows that come from elsewhere: from an https address or from a
// command.
//
// What is got is stored whole in a temporary file before a row of it is read, so that
// a connection that breaks off costs a reading and never half of the rows. A [Feed] says
// where that file is, and its [State] lets the next reading ask for no more than what has
// changed since. Feeds that say where they end have to reach it: Content-Length and the
// end of the chunks, the check sum of gzip, the exit code 0 of a command; the end of a
// calendar and the directory of a workbook are the readers' own.
//
// An address that a gateway or a broken connection keeps from its answer is asked again, a
// few times, as long as its time lasts.
//
// An address is as good as a password, and so are the headers that are sent to it: in the
// name of a feed and in every error it shows as scheme, host and six hex digits of its
// hash, and the headers go to no other host. A path is left as it is, only hashed.
package feed

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
)

// What holds where a Source says nothing else.
const (
	DefaultTimeout = 10 * time.Minute
	defaultBytes   = 256 << 20
)

// Source says where rows come from. One of Path, Address, From and Command is set.
type Source struct {
	Path    string         // of a file; - is standard input
	Address secret.Address // to ask
	From    secret.Ref     // gives the address
	Command string         // a line for the shell, which writes the rows to its standard output
	Headers []Header       // of the request
	Timeout time.Duration  // of the whole reading; 0 means 10 minutes
	Bytes   int64          // that are read at most, unpacked; 0 means 256 MiB
}

// Header is a header of a request, and where its value is to be had.
type Header struct {
	Name string
	From secret.Ref
}

// State is what is known of a feed that was read before.
type State struct {
	Of           string `json:"of,omitempty"` // the address that its tags are of, in its short form
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
	SHA256       string `json:"sha256,omitempty"`
	LineEnd      bool   `json:"line_end,omitempty"` // it ends with the end of a line
}

// Config is a Source with what it takes to read it.
type Config struct {
	Source
	// Known is the state after an earlier reading: what has not changed since is not
	// got again. The zero State asks without a condition.
	Known State
	// Transport carries requests; it follows no redirects itself and unpacks nothing.
	Transport http.RoundTripper
	UserAgent string
	Secrets   secret.Sources // what references are resolved against, and where commands run
	Folder    string         // of the temporary file; empty: the system's own
	// Again is called once, with the reason, before an address is asked again; nil where
	// nobody wants to know.
	Again func(error)
}

// Feed is what was read.
type Feed struct {
	// Path is where the rows are to be read from: the source's own, or a temporary file,
	// which is removed by Close. It is empty where nothing has changed.
	Path string
	// Name is what people are shown, and what names the feed for good.
	Name      string
	State     State // of a pipe or standard input nothing is known
	Unchanged bool  // since Known

	stored bool
}

// Close removes what was stored.
func (f *Feed) Close() error {
	if !f.stored {
		return nil
	}
	f.stored = false
	if err := os.Remove(f.Path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing what was stored of %s: %w", f.Name, err)
	}
	return nil
}

// compared drops a feed whose bytes are those that are known: not every server knows what
// has changed.
func (f *Feed) compared(known State) (*Feed, error) {
	if f.Unchanged || f.State.SHA256 == "" || f.State.SHA256 != known.SHA256 {
		return f, nil
	}
	f.Unchanged = true
	err := f.Close()
	f.Path = ""
	return f, err
}

// unavailable returns why a feed cannot be got.
func unavailable(name string, err error, advice string) error {
	return failure.New(failure.Away, fmt.Errorf("%s: %w", name, err), advice)
}

// refused returns why what was got is no feed.
func refused(name, fault, advice string) error {
	return failure.New(failure.Invalid, errors.New(name+": "+fault), advice)
}
