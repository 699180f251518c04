package api

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// BenchmarkDo measures one create against what net/http alone takes for it.
func BenchmarkDo(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"id":"evt-1"}`)
	}))
	defer server.Close()
	body := bytes.Repeat([]byte(" "), 500)
	body[0], body[499] = '{', '}'
	b.Run("bare", func(b *testing.B) {
		client := &http.Client{Transport: &http.Transport{}}
		defer client.CloseIdleConnections()
		for b.Loop() {
			res, err := client.Post(server.URL, "application/json", bytes.NewReader(body))
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
	})
	b.Run("api", func(b *testing.B) {
		client, g := testClient(b, server.URL)
		for b.Loop() {
			if _, err := create(b.Context(), client, body, nil); err != nil {
				b.Fatal(err)
			}
			g.ends, g.order = nil, nil
		}
	})
}
