package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"eventbatch/batch/printable"
)

// failure returns what a complete answer other than 429 means, nil for a success.
func (c *Client) failure(x exchanged) error {
	switch {
	case x.status/100 == 2:
		return c.checkSuccess(x)
	case x.status/100 == 3:
		return &WrongAddressError{Status: x.status, Reason: "it redirects" + c.destination(x.header)}
	case x.status < 200:
		return &WrongAddressError{Status: x.status, Reason: "the status is none of the service's"}
	case x.status == http.StatusRequestTimeout || x.status >= 500:
		said := c.complaint(x)
		if said.Message == "" {
			said.Message = strings.ToLower(http.StatusText(x.status))
		}
		return &UnknownOutcomeError{Status: x.status, Err: errors.New(said.Message)}
	case (x.status == http.StatusNotFound || x.status == http.StatusMethodNotAllowed) && !looksJSON(x.body):
		// The service answers in JSON, to what it does not find too. A page means
		// that the path is not the service's: every other row would meet the same.
		return &WrongAddressError{Status: x.status, Reason: "nothing is there" + quoted(c.said(title(x.body), maxTitle))}
	case x.status == http.StatusUnauthorized:
		return &UnauthorizedError{Message: c.complaint(x).Message}
	case x.status == http.StatusForbidden:
		return &ForbiddenError{Message: c.complaint(x).Message}
	}
	said := c.complaint(x)
	return &RejectedError{Status: x.status, Message: said.Message, Problems: said.Problems}
}

// checkSuccess wants one JSON object. An object that merely ends too early is an
// answer cut short, not a wrong address: the request may have been carried out.
func (c *Client) checkSuccess(x exchanged) error {
	body := bytes.TrimSpace(x.body)
	if len(body) == 0 {
		if x.length == 0 || x.status == http.StatusNoContent {
			return nil // the document calls the answer of an update empty
		}
		return &UnknownOutcomeError{Status: x.status, Err: errors.New("reading answer: it ends before its body")}
	}
	wrong := func(reason string) error { return &WrongAddressError{Status: x.status, Reason: reason} }
	if body[0] != '{' {
		if body[0] == '<' {
			return wrong("it is a web page" + quoted(c.said(title(body), maxTitle)))
		}
		return wrong("it is no JSON object")
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	var object json.RawMessage
	switch err := dec.Decode(&object); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &UnknownOutcomeError{Status: x.status, Err: errors.New("reading answer: it is cut short")}
	case err != nil, int(dec.InputOffset()) != len(body):
		return wrong("it is no JSON object")
	case c.config.Censor.Holds(object):
		// Its ids and names would be remembered and shown; and no service gives a key
		// back, only something that mirrors what it is sent.
		return wrong("it repeats the key")
	}
	return nil
}

func looksJSON(body []byte) bool {
	body = bytes.TrimSpace(body)
	return len(body) > 0 && (body[0] == '{' || body[0] == '[' || body[0] == '"')
}

// destination names where a redirect leads, without its query.
func (c *Client) destination(h http.Header) string {
	u, err := url.Parse(h.Get("Location"))
	if err != nil || u.Host == "" {
		return ""
	}
	return " to " + c.said(u.Host+u.Path, maxTitle)
}

func quoted(s string) string {
	if s == "" {
		return ""
	}
	return ` "` + s + `"`
}

// said makes text from outside fit to be shown and kept: whatever the service, a
// proxy or the network says goes through here, or through complaint. A server may
// well repeat the key that it was sent, so that is found first, before anything is
// taken out or cut off that hides it.
func (c *Client) said(text string, most int) string {
	return printable.Brief(c.config.Censor.Redact(text), most)
}

// cleaned is an error whose text is safe to show; the cause stays reachable.
type cleaned struct {
	text string
	err  error
}

func (e *cleaned) Error() string { return e.text }
func (e *cleaned) Unwrap() error { return e.err }

func (c *Client) clean(err error) error {
	text := c.said(err.Error(), maxMessage)
	if text == err.Error() {
		return err
	}
	return &cleaned{text, err}
}
