package feed

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
)

const (
	canary = "opensesame-3f9a1c77"
	rows   = "key,name\na,Tea\n"
)

// server answers as a handler does.
func server(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func addressOf(t *testing.T, text string) secret.Address {
	t.Helper()
	a, err := secret.ParseAddress(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// at is the reading of an address.
func at(t *testing.T, text string) Config {
	t.Helper()
	return Config{
		Source: Source{Address: addressOf(t, text)}, Transport: &http.Transport{DisableCompression: true}, Folder: t.TempDir(),
		UserAgent: "test",
	}
}

// content returns what a feed holds, and makes sure that nothing of it is left behind.
func content(t *testing.T, f *Feed) string {
	t.Helper()
	data, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(f.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	path := f.Path
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("%s is left behind: %v", path, err)
	}
	return string(data)
}

func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAddressIsReadWhole(t *testing.T) {
	packed, inParts := zipped(t, rows), append(zipped(t, rows[:5]), zipped(t, rows[5:])...)
	for name, c := range map[string]struct {
		path   string
		header map[string]string
		body   []byte
		ending string
	}{
		"as it is":            {"/events.csv", nil, []byte(rows), ".csv"},
		"type before name":    {"/events.txt", map[string]string{"Content-Type": "text/calendar; charset=utf-8"}, []byte(rows), ".ics"},
		"saved under a name":  {"/get", map[string]string{"Content-Disposition": `attachment; filename="May.XLSX"`}, []byte(rows), ".xlsx"},
		"nothing says":        {"/get", map[string]string{"Content-Type": "text/plain"}, []byte(rows), ""},
		"packed on its way":   {"/events.csv", map[string]string{"Content-Encoding": "gzip"}, packed, ".csv"},
		"packed as a file":    {"/events.csv.gz", map[string]string{"Content-Type": "application/gzip"}, packed, ".csv"},
		"packed twice":        {"/events.csv.gz", map[string]string{"Content-Encoding": "gzip"}, zipped(t, string(packed)), ".csv"},
		"packed in two parts": {"/e.csv", map[string]string{"Content-Encoding": "gzip"}, inParts, ".csv"},
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t, func(w http.ResponseWriter, _ *http.Request) {
				for name, value := range c.header {
					w.Header().Set(name, value)
				}
				w.Header().Set("ETag", `"7"`)
				_, _ = w.Write(c.body)
			})
			f, err := Open(t.Context(), at(t, s.URL+c.path))
			if err != nil {
				t.Fatal(err)
			}
			if got := filepath.Ext(f.Path); got != c.ending {
				t.Errorf("the name ends in %q, want %q", got, c.ending)
			}
			if f.State.ETag != `"7"` || len(f.State.SHA256) != 64 || f.Unchanged {
				t.Errorf("%+v", f)
			}
			if got := content(t, f); got != rows {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestWhatHasNotChangedIsNotGotAgain(t *testing.T) {
	const changed = "Wed, 21 Oct 2026 07:28:00 GMT"
	for name, tags := range map[string][2]string{"by its tag": {`W/"1"`, ""}, "by its day": {"", changed}, "by its bytes": {}} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			s := server(t, func(w http.ResponseWriter, r *http.Request) {
				asked++
				if asked > 1 && (tags[0] != "" && r.Header.Get("If-None-Match") == tags[0] ||
					tags[1] != "" && r.Header.Get("If-Modified-Since") == tags[1]) {
					w.WriteHeader(http.StatusNotModified)
					return
				}
				w.Header().Set("ETag", tags[0])
				w.Header().Set("Last-Modified", tags[1])
				_, _ = io.WriteString(w, rows)
			})
			c := at(t, s.URL+"/e.csv")
			f, err := Open(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			first := f.State
			content(t, f)
			c.Known = first
			f, err = Open(t.Context(), c)
			if err != nil || !f.Unchanged || f.Path != "" {
				t.Fatalf("%+v, %v", f, err)
			}
			if diff := cmp.Diff(first, f.State); diff != "" {
				t.Error(diff)
			}
			if left, _ := os.ReadDir(c.Folder); len(left) > 0 {
				t.Errorf("%v is left behind", left)
			}
		})
	}
}

// The tag of one address says nothing about another: who moves a feed gets its rows.
func TestTagIsOfOneAddress(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("ETag", `"1"`)
		_, _ = io.WriteString(w, rows+r.URL.Path)
	})
	c := at(t, s.URL+"/old.csv")
	f, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	c.Known = f.State
	content(t, f)
	c.Address = addressOf(t, s.URL+"/new.csv")
	f, err = Open(t.Context(), c)
	if err != nil || f.Unchanged {
		t.Fatalf("%+v, %v", f, err)
	}
	if got := content(t, f); got != rows+"/new.csv" {
		t.Errorf("%q", got)
	}
}

// Each is refused, with nothing left behind, and without the address in the error.
func TestWhatIsNoFeedIsRefused(t *testing.T) {
	packed := zipped(t, strings.Repeat(rows, 100))
	for name, c := range map[string]struct {
		answer     http.HandlerFunc
		kind       failure.Kind
		want, hint string
	}{
		"a page": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "\ufeff\n <!-- log in --><html>")
		}, failure.Invalid, "the answer is HTML or XML, and not rows", "browser"},
		"too large": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte("a"), 101))
		}, failure.Invalid, "it has more than 100 bytes", "allow more"},
		"too large when unpacked": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed)
		}, failure.Invalid, "it has more than 100 bytes", "allow more"},
		"cut before its length": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "50")
			_, _ = io.WriteString(w, rows)
		}, failure.Away, "the answer ends before its end", "again"},
		"cut between chunks": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, rows)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, failure.Away, "the answer ends before its end", "again"},
		"cut when packed": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(zipped(t, rows)[:30])
		}, failure.Away, "the answer ends before its end", "again"},
		"not packed as it says": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, rows)
		}, failure.Away, "unpacking it", "again"},
		"packed in another way": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
		}, failure.Away, "packed as \"br\"", "again"},
		"gone": {
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(410) }, failure.Away, "it answers 410 Gone", "still holds",
		},
		"of no rights": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, failure.Away, "it answers 401", "headers"},
		"busy":         {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, failure.Away, "it answers 503", "later"},
		"a part":       {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(206) }, failure.Away, "it answers 206", "later"},
		"unchanged, though nobody asked": {
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(304) }, failure.Away, "it answers 304", "later",
		},
		"no answer": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, failure.Away, "EOF", "again"},
		"echoed": {func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, "HTTP/1.1 "+r.URL.Query().Get("token")+" "+r.Header.Get("X-Key")+"\r\n\r\n")
				_ = conn.Close()
			}
		}, failure.Away, "[redacted]", "again"},
		"sent nowhere": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(302) }, failure.Away, "does not say where", "again"},
		"sent about": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.String(), http.StatusFound)
		}, failure.Away, "it was sent on more than 5 times", "again"},
		"sent to plain http": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://feeds.example/"+canary)
			w.WriteHeader(307)
		}, failure.Away, "not https", "again"},
		"sent to a file": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(307)
		}, failure.Away, "not https", "again"},
		"sent with a password": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://me:"+canary+"@feeds.example/")
			w.WriteHeader(307)
		}, failure.Away, "user or password", "again"},
	} {
		t.Run(name, func(t *testing.T) {
			s := server(t, c.answer)
			config := at(t, s.URL+"/"+canary+"/events.csv?token="+canary)
			config.Bytes, config.Timeout = 100, pauses[0] // not long enough to ask again
			config.Headers = []Header{{"X-Key", secret.Ref{Scheme: "env", Value: "KEY"}}}
			config.Secrets.Lookup = func(string) (string, bool) { return "Bearer " + canary, true }
			f, err := Open(t.Context(), config)
			if err == nil {
				t.Fatalf("got %+v", f)
			}
			hint, _ := failure.HintOf(err)
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) || !strings.Contains(hint, c.hint) {
				t.Errorf("%v (%s), want %s: %s (%s)", err, hint, c.kind, c.want, c.hint)
			}
			if text := fmt.Sprintf("%v %+v %#v %s", err, err, errors.Unwrap(err), hint); strings.Contains(text, canary) {
				t.Errorf("the error shows the address: %s", text)
			}
			if !strings.Contains(err.Error(), config.Address.String()) {
				t.Errorf("the error does not say which: %v", err)
			}
			if left, _ := os.ReadDir(config.Folder); len(left) > 0 {
				t.Errorf("%v is left behind", left)
			}
		})
	}
}

func TestNobodyThere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free := listener.Addr().String()
	listener.Close()
	_, err = Open(t.Context(), at(t, "http://"+free+"/"+canary))
	if !errors.Is(err, failure.Away) || strings.Contains(err.Error(), canary) || !strings.Contains(err.Error(), "refused") {
		t.Error(err)
	}
}

func TestHeadersStayWithTheirHost(t *testing.T) {
	seen := map[string]string{}
	other := server(t, func(w http.ResponseWriter, r *http.Request) {
		seen["other"] = r.Header.Get("Authorization")
		_, _ = io.WriteString(w, rows)
	})
	own := server(t, func(w http.ResponseWriter, r *http.Request) {
		seen[r.URL.Path] = r.Header.Get("Authorization") + r.Header.Get("User-Agent")
		to := map[string]string{"/a": "/b", "/b": other.URL + "/c"}
		http.Redirect(w, r, to[r.URL.Path], http.StatusMovedPermanently)
	})
	c := at(t, own.URL+"/a")
	c.Headers = []Header{{"Authorization", secret.Ref{Scheme: "env", Value: "AUTH"}}}
	c.Secrets.Lookup = func(name string) (string, bool) { return "Bearer " + canary, name == "AUTH" }
	f, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	content(t, f)
	want := map[string]string{"/a": "Bearer " + canary + "test", "/b": "Bearer " + canary + "test", "other": ""}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
	c.Headers[0].From.Value = "NONE"
	if _, err := Open(t.Context(), c); !errors.Is(err, failure.NoKey) || !strings.Contains(err.Error(), "header Authorization") {
		t.Errorf("a header without a value: %v", err)
	}
}

func TestAddressMayBeSaidElsewhere(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, rows) })
	c := at(t, s.URL)
	c.Address, c.From = secret.Address{}, secret.Ref{Scheme: "env", Value: "FEED"}
	value := s.URL + "/e.csv?" + canary
	c.Secrets.Lookup = func(string) (string, bool) { return value, true }
	f, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if f.Name != addressOf(t, value).String() || content(t, f) != rows {
		t.Errorf("%+v", f)
	}
	value = "http://feeds.example/" + canary
	if _, err := Open(t.Context(), c); !errors.Is(err, failure.NoKey) || strings.Contains(err.Error(), canary) {
		t.Error(err)
	}
}

// hanging answers once its request is given up.
type hanging struct{}

func (hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// dripping sends a byte a minute.
type dripping struct{ ctx context.Context }

func (d dripping) Read(p []byte) (int, error) {
	select {
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	case <-time.After(time.Minute):
		p[0] = 'a'
		return 1, nil
	}
}

func (dripping) Close() error { return nil }

type slow struct{}

func (slow) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: dripping{r.Context()}}, nil
}

func TestReadingEndsInTime(t *testing.T) {
	for name, transport := range map[string]http.RoundTripper{"hanging": hanging{}, "slow": slow{}} {
		for want, timeout := range map[time.Duration]time.Duration{10 * time.Minute: 0, 90 * time.Second: 90 * time.Second} {
			synctest.Test(t, func(t *testing.T) {
				c := at(t, "https://feeds.example/"+canary)
				c.Transport, c.Timeout = transport, timeout
				begin := time.Now()
				_, err := Open(t.Context(), c)
				if !errors.Is(err, failure.Away) || !strings.Contains(err.Error(), "no complete answer within "+want.String()) {
					t.Errorf("%s: %v", name, err)
				}
				if took := time.Since(begin); took != want {
					t.Errorf("%s: took %s, want %s", name, took, want)
				}
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, cancel)
				if _, err := Open(ctx, c); !errors.Is(err, context.Canceled) {
					t.Errorf("%s, called off: %v", name, err)
				}
			})
		}
	}
}

func TestFileIsLeftWhereItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "e.csv")
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), Config{Source: Source{Path: path}})
	if err != nil || f.Path != path || f.Name != path || f.Unchanged {
		t.Fatalf("%+v, %v", f, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	f, err = Open(t.Context(), Config{Source: Source{Path: path}, Known: f.State})
	if err != nil || !f.Unchanged {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the user's file is gone: %v", err)
	}
	for path, name := range map[string]string{"-": "stdin", filepath.Join(t.TempDir(), "none"): ""} {
		f, err := Open(t.Context(), Config{Source: Source{Path: path}})
		if err != nil || f.Path != path || name != "" && f.Name != name {
			t.Errorf("%+v, %v", f, err)
		}
	}
}

func FuzzEnding(f *testing.F) {
	f.Add("/a.csv", "text/csv", `attachment; filename="x.xlsx"`)
	f.Add("/a.csv.gz", "", `filename*=UTF-8''%2e%2e%2fx.ics`)
	f.Fuzz(func(t *testing.T, path, kind, disposition string) {
		a, err := secret.ParseAddress("https://feeds.example/")
		if err != nil {
			t.Fatal(err)
		}
		u := a.URL()
		u.Path = path
		got := ending(u, http.Header{"Content-Type": {kind}, "Content-Disposition": {disposition}})
		if strings.ContainsAny(got, `/\*`) || len(got) > 7 {
			t.Errorf("%q", got)
		}
	})
}

func TestALineEndsInUTF16Too(t *testing.T) {
	for text, want := range map[string]bool{
		"a\n": true, "a\r": true, "a": false, "": false, "\n": true,
		"\xff\xfea\x00\n\x00": true, "\xff\xfea\x00": false, "\xfe\xff\x00a\x00\n": true, "\xfe\xff\x00a": false,
	} {
		whole, parts := newDigest(), newDigest()
		_, _ = whole.Write([]byte(text))
		for i := range len(text) {
			_, _ = parts.Write([]byte(text[i : i+1]))
		}
		if whole.state() != parts.state() || whole.state().LineEnd != want {
			t.Errorf("%q: %+v, %+v", text, whole.state(), parts.state())
		}
	}
}
