package feed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/printable"
	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/sheet"
)

// maxRedirects is more than a feed that has moved needs.
const maxRedirects = 5

// request is one reading of an address, through its redirects.
type request struct {
	*Config
	address secret.Address
	values  []secret.Secret // of the headers
	censor  secret.Censor
}

// get reads an address.
func (c *Config) get(ctx context.Context) (*Feed, error) {
	r := &request{Config: c, address: c.Address}
	bounded, cancel := context.WithTimeoutCause(ctx, c.Timeout, fmt.Errorf("no complete answer within %s", c.Timeout))
	defer cancel()
	if err := r.resolve(bounded); err != nil {
		return nil, err
	}
	of := r.address.String()
	if c.Known.Of != of {
		c.Known.ETag, c.Known.LastModified = "", "" // another address may have the same tag, or an older file
	}
	f, err := r.patiently(bounded)
	if err == nil {
		f.State.Of = of
	}
	if _, disk := errors.AsType[diskError](err); err == nil || disk || failure.Is[*failure.Error](err) {
		return f, err
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case bounded.Err() != nil:
		err = context.Cause(bounded)
	}
	return nil, r.away(err)
}

// patiently reads the address, and again after a pause where that may help. It does not
// begin a pause that its time would not outlast.
func (r *request) patiently(ctx context.Context) (*Feed, error) {
	for _, pause := range pauses {
		f, err := r.read(ctx)
		after, again := passes(err)
		pause = max(pause, after)
		if end, bounded := ctx.Deadline(); !again || bounded && time.Until(end) <= pause {
			return f, err
		}
		if r.Again != nil {
			r.Again(r.away(err))
			r.Again = nil
		}
		if err := api.Pause(ctx, pause); err != nil {
			return nil, err
		}
	}
	return r.read(ctx)
}

// pauses are those between the attempts to read an address. A gateway whose service is put up
// anew is well again after a minute or two.
var pauses = []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute}

// away returns an error as people may see it.
func (r *request) away(err error) error {
	if failure.Is[*failure.Error](err) {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the answer ends before its end")
	}
	if words := r.censor.Redact(printable.Clean(err.Error())); words != err.Error() {
		err = errors.New(words)
	}
	return unavailable(r.address.String(), err, "look whether the address still holds, then try again")
}

// resolve fetches what references name.
func (r *request) resolve(ctx context.Context) (err error) {
	if r.address.IsZero() {
		if r.address, err = r.Secrets.ReadAddress(ctx, r.From); err != nil {
			return err
		}
	}
	r.address.AddTo(&r.censor)
	for _, h := range r.Headers {
		value, err := r.Secrets.ReadPhrase(ctx, h.From)
		if err != nil {
			return fmt.Errorf("header %s: %w", h.Name, err)
		}
		r.censor.Add(value)
		r.values = append(r.values, value)
	}
	return nil
}

// read asks, as often as it is sent elsewhere, and stores the answer.
func (r *request) read(ctx context.Context) (*Feed, error) {
	at := r.address.URL()
	for range maxRedirects + 1 {
		res, err := r.Transport.RoundTrip(r.request(ctx, at))
		if err != nil {
			return nil, err
		}
		next, err := r.next(at, res)
		if next == nil && err == nil {
			return r.answered(at, res)
		}
		_ = res.Body.Close() // of a redirect nothing is read
		if err != nil {
			return nil, err
		}
		at = next
	}
	return nil, fmt.Errorf("it was sent on more than %d times", maxRedirects)
}

func (r *request) request(ctx context.Context, at *url.URL) *http.Request {
	header := http.Header{"Accept": {"*/*"}, "Accept-Encoding": {"gzip"}, "User-Agent": {r.UserAgent}}
	if first := r.address.URL(); at.Scheme == first.Scheme && at.Host == first.Host {
		for i, h := range r.Headers {
			header.Set(h.Name, r.values[i].Reveal())
		}
	}
	if r.Known.ETag != "" {
		header.Set("If-None-Match", r.Known.ETag)
	}
	if r.Known.LastModified != "" {
		header.Set("If-Modified-Since", r.Known.LastModified)
	}
	return (&http.Request{Method: http.MethodGet, URL: at, Host: at.Host, Header: header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).
		WithContext(ctx)
}

// next returns where an answer sends to; nil where it is the answer.
func (r *request) next(at *url.URL, res *http.Response) (*url.URL, error) {
	switch res.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, nil
	}
	to, err := at.Parse(res.Header.Get("Location"))
	switch {
	case err != nil || res.Header.Get("Location") == "":
		return nil, fmt.Errorf("it answers %d and does not say where to look instead", res.StatusCode)
	case to.User != nil:
		return nil, errors.New("it is sent on to an address with a user or password")
	case to.Scheme != "https" && (r.address.URL().Scheme == "https" || secret.MayTravel(to) != nil):
		return nil, errors.New("it is sent on to an address that is not https")
	}
	return to, nil
}

// advice says what to do about the status of an answer.
var advice = map[int]string{
	http.StatusUnauthorized: "look whether the address and the headers that are sent with it still hold",
	http.StatusForbidden:    "look whether the address and the headers that are sent with it still hold",
	http.StatusNotFound:     "look whether the address still holds",
	http.StatusGone:         "look whether the address still holds",
}

// answered stores an answer.
func (r *request) answered(at *url.URL, res *http.Response) (_ *Feed, err error) {
	defer res.Body.Close()
	name := r.address.String()
	switch asked := r.Known.ETag != "" || r.Known.LastModified != ""; {
	case res.StatusCode == http.StatusNotModified && asked:
		return &Feed{Name: name, State: r.Known, Unchanged: true}, nil
	case res.StatusCode != http.StatusOK:
		hint, known := advice[res.StatusCode]
		if !known {
			hint = "try again later"
		}
		words := strings.TrimSpace(fmt.Sprintf("it answers %d %s", res.StatusCode, http.StatusText(res.StatusCode)))
		err := unavailable(name, errors.New(words), hint)
		if slices.Contains(passing, res.StatusCode) {
			err = passingError{err, api.RetryAfter(res.Header, time.Now())}
		}
		return nil, err
	}
	packed, err := packing(res.Header)
	if err != nil {
		return nil, err
	}
	s, err := r.newStore(ending(at, res.Header))
	if err != nil {
		return nil, diskError{err}
	}
	defer func() {
		if err != nil {
			s.discard()
		}
	}()
	body, err := unpacked(res.Body, packed)
	if err == nil {
		_, err = io.Copy(s, body)
	}
	switch {
	case errors.Is(err, errTooLarge):
		return nil, refused(name, tooLarge(r.Bytes), "look whether it is the right address, or allow more bytes")
	case err != nil:
		return nil, err
	case s.page():
		return nil, refused(
			name, "the answer is HTML or XML, and not rows",
			"open the address in a browser where nobody is logged in: it may ask for a password, or be a page about the file",
		)
	}
	f, err := s.feed(name)
	if err != nil {
		return nil, err
	}
	f.State.ETag, f.State.LastModified = res.Header.Get("ETag"), res.Header.Get("Last-Modified")
	return f, nil
}

// packing reports whether an answer is packed with gzip, the only way that was offered.
func packing(h http.Header) (bool, error) {
	switch how := strings.ToLower(strings.TrimSpace(h.Get("Content-Encoding"))); how {
	case "", "identity":
		return false, nil
	case "gzip", "x-gzip":
		return true, nil
	default:
		return false, fmt.Errorf("it is packed as %.20q, which was not asked for", how)
	}
}

// ending returns how the name of a file should end that holds an answer: as its type says,
// else as the name does that it should be saved under, else as the address does. It is empty
// where none says anything: then the bytes do.
func ending(at *url.URL, h http.Header) string {
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	if kind == "application/json" {
		return ".json" // of which the bytes say what it is
	}
	if e := sheet.EndingOf(kind); e != "" {
		return e
	}
	_, saved, _ := mime.ParseMediaType(h.Get("Content-Disposition"))
	for _, name := range []string{saved["filename"], at.Path} {
		e := path.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz"))
		if e == ".json" || slices.Contains(sheet.Endings(), e) {
			return e
		}
	}
	return ""
}
