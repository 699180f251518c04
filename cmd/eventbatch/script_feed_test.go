package main

import (
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptFeeds serves the files of a folder on two addresses of this machine: FEED with TLS,
// whose certificate is feeds.pem, and PLAIN without. What follows the name of a file changes
// the answer: ?cut ends it before its end, ?page answers with HTML instead, ?to=ADDRESS sends
// elsewhere, ?status=N answers so: feeds DIR.
func scriptFeeds(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: feeds DIR")
	}
	folder := ts.MkAbs(args[0])
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(filepath.Base(r.URL.Path))))
		switch status, _ := strconv.Atoi(query.Get("status")); {
		case err != nil:
			http.NotFound(w, r)
		case status > 0:
			w.Header().Set("Retry-After", "3600") // longer than anybody waits
			w.WriteHeader(status)
		case query.Has("page"):
			_, _ = w.Write([]byte("\n<!DOCTYPE html><title>Log in</title>"))
		case query.Has("to"):
			http.Redirect(w, r, query.Get("to"), http.StatusFound)
		case query.Has("cut"):
			w.Header().Set("Content-Length", strconv.Itoa(len(data)))
			_, _ = w.Write(data[:len(data)/2])
		default:
			w.Header().Set("ETag", `"1"`)
			_, _ = w.Write(data)
		}
	})
	safe, plain := httptest.NewUnstartedServer(answer), httptest.NewServer(answer)
	safe.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that fail on purpose
	safe.StartTLS()
	ts.Defer(safe.Close)
	ts.Defer(plain.Close)
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: safe.Certificate().Raw})
	ts.Check(os.WriteFile(ts.MkAbs("feeds.pem"), certificate, 0o600))
	ts.Setenv("FEED", safe.URL)
	ts.Setenv("PLAIN", plain.URL)
}
