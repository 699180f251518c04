package batch

import (
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A picture is fetched from a public https address alone, bounded, and only where it is one.
func TestAPictureOfAnAddressIsFetchedWithinBounds(t *testing.T) {
	png, err := os.ReadFile("../samples/cover.png")
	if err != nil {
		png = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
	}
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/cover.png":
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write(png)
		case "/moved":
			http.Redirect(w, r, "/cover.png", http.StatusFound)
		case "/plain":
			http.Redirect(w, r, plain.URL, http.StatusFound)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write(png)
		case "/lies":
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write([]byte("<html>"))
		case "/large":
			w.Header().Set("Content-Type", "image/png")
			_, _ = w.Write(append(png, make([]byte, maxPicture)...))
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	folder := filepath.Join(t.TempDir(), "covers")
	loopback := &WebPictures{Folder: folder, roots: roots, public: func(netip.Addr) bool { return true }}
	for path, want := range map[string]string{
		"/cover.png": "", "/moved": "", "/plain": "without https", "/round": "from address to address", "/page": "no picture",
		"/lies": "neither JPEG nor PNG", "/large": "larger than 20 MiB", "/none": "404",
	} {
		cover, err := loopback.get(t.Context(), server.URL+path)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", path, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", path, err, want)
		case want == "":
			if data, err := os.ReadFile(cover.Path); err != nil || string(data) != string(png) || cover.Type != "image/png" {
				t.Errorf("%s: kept %v, %v", path, cover, err)
			}
		}
	}
	strict := &WebPictures{Folder: folder, roots: roots}
	for address, want := range map[string]string{
		server.URL + "/cover.png": "no public address", strings.Replace(server.URL, "127.0.0.1", "localhost", 1): "no public address",
		"http://example.org/a.png": "https addresses alone", "https://ann:pw@example.org/a.png": "without a user",
		"https://[::ffff:10.0.0.1]/a.png": "no public address", "https://169.254.169.254/latest": "no public address",
	} {
		if _, err := strict.get(t.Context(), address); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
	for text, want := range map[string]bool{
		"93.184.216.34": true, "2606:2800:220:1::": true, "10.1.2.3": false, "100.64.1.1": false, "::1": false, "fd00::1": false,
		"fe80::1": false, "64:ff9b::a00:1": false, "0.0.0.0": false, "224.0.0.1": false,
	} {
		if got := isPublic(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: public %v, want %v", text, got, want)
		}
	}
}
