package feed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"eventbatch/mapping/failure"
)

// reset is how a connection ends that the other side has dropped.
var reset = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}

// asks is a server that gives one answer after the other, the last one again and again. An
// answer is a status, an error, or a status with a wait.
type asks struct {
	answers []any
	n       int
}

type wait struct {
	status int
	after  string
}

// broken is a body that ends in an error.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, reset }

func (a *asks) RoundTrip(*http.Request) (*http.Response, error) {
	answer := a.answers[min(a.n, len(a.answers)-1)]
	a.n++
	res := &http.Response{Header: http.Header{}, Body: io.NopCloser(strings.NewReader(rows))}
	switch answer := answer.(type) {
	case int:
		res.StatusCode = answer
	case wait:
		res.StatusCode = answer.status
		res.Header.Set("Retry-After", answer.after)
	case io.Reader:
		res.StatusCode, res.Body = 200, io.NopCloser(answer)
	case error:
		return nil, answer
	}
	return res, nil
}

func TestWhatPassesIsWaitedFor(t *testing.T) {
	for name, c := range map[string]struct {
		answers []any
		timeout time.Duration
		asked   int
		took    time.Duration
		want    string // of the error
		again   string // what is said
	}{
		"at once":                     {[]any{200}, 0, 1, 0, "", ""},
		"a gateway":                   {[]any{502, 200}, 0, 2, 5 * time.Second, "", "it answers 502 Bad Gateway"},
		"a service put up anew":       {[]any{502, 503, 504, 200}, 0, 4, 155 * time.Second, "", "it answers 502 Bad Gateway"},
		"a connection dropped":        {[]any{reset, 200}, 0, 2, 5 * time.Second, "", "connection reset"},
		"dropped in the middle":       {[]any{broken{}, 200}, 0, 2, 5 * time.Second, "", "connection reset"},
		"no answer":                   {[]any{io.EOF, 200}, 0, 2, 5 * time.Second, "", "EOF"},
		"too often":                   {[]any{wait{429, "60"}, 200}, 0, 2, time.Minute, "", "it answers 429"},
		"a wait shorter than ours":    {[]any{wait{503, "1"}, 200}, 0, 2, 5 * time.Second, "", "it answers 503"},
		"never":                       {[]any{503}, 0, 4, 155 * time.Second, "it answers 503", "it answers 503"},
		"a wait longer than its time": {[]any{wait{503, "600"}}, 0, 1, 0, "it answers 503", ""},
		"little time":                 {[]any{503}, 30 * time.Second, 2, 5 * time.Second, "it answers 503", "it answers 503"},
		"not there":                   {[]any{404}, 0, 1, 0, "it answers 404", ""},
		"no rights":                   {[]any{401}, 0, 1, 0, "it answers 401", ""},
		"forbidden":                   {[]any{403}, 0, 1, 0, "it answers 403", ""},
		"forbidden in the end":        {[]any{502, 403}, 0, 2, 5 * time.Second, "it answers 403", "it answers 502"},
		"a defect":                    {[]any{500}, 0, 1, 0, "it answers 500", ""},
		"a certificate":               {[]any{errors.New("tls: bad certificate")}, 0, 1, 0, "bad certificate", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &asks{answers: c.answers}
				config := at(t, "https://feeds.example/"+canary)
				config.Transport, config.Timeout = server, c.timeout
				var said []string
				config.Again = func(err error) { said = append(said, err.Error()) }
				begin := time.Now()
				f, err := Open(t.Context(), config)
				if took := time.Since(begin); took != c.took || server.n != c.asked {
					t.Errorf("asked %d times in %s, want %d in %s", server.n, took, c.asked, c.took)
				}
				if c.want == "" && (err != nil || content(t, f) != rows) || c.want != "" && !strings.Contains(fmt.Sprint(err), c.want) {
					t.Errorf("%v, want %q", err, c.want)
				}
				if err != nil && (!errors.Is(err, failure.Away) || strings.Contains(err.Error(), canary)) {
					t.Error(err)
				}
				words := strings.Join(said, "; ")
				if (words == "") != (c.again == "") || !strings.Contains(words, c.again) || len(said) > 1 ||
					strings.Contains(words, canary) {
					t.Errorf("said %q, want %q", said, c.again)
				}
				if left, _ := os.ReadDir(config.Folder); len(left) > 0 {
					t.Errorf("%v is left behind", left)
				}
			})
		})
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		config := at(t, "https://feeds.example/")
		config.Transport = &asks{answers: []any{503}}
		begin := time.Now()
		if _, err := Open(ctx, config); !errors.Is(err, context.Canceled) || time.Since(begin) != time.Second {
			t.Errorf("%v after %s", err, time.Since(begin))
		}
	})
}
