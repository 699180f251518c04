package batch

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"eventbatch/batch/plan"
	"eventbatch/mapping/own"
)

// WebPictures gets the pictures that rows name by an https address, and keeps them in a folder, from
// which they are uploaded like any other. A file from elsewhere could name any address that this
// machine reaches, so that none is asked but those of the public Internet: every connection is
// looked at when its address is known, those of redirects too.
type WebPictures struct {
	Folder string // of the workspace; it is made

	public func(netip.Addr) bool // of tests
	roots  *x509.CertPool        // likewise
	client *http.Client
}

const (
	webPictureTime = 30 * time.Second // for one, with its redirects
	mostRedirects  = 5
)

// get returns the picture at an address.
func (w *WebPictures) get(ctx context.Context, address string) (*plan.Cover, error) {
	to, err := url.Parse(address)
	if err != nil || to.Scheme != "https" || to.Host == "" || to.User != nil {
		return nil, errors.New("pictures are fetched from https addresses alone, without a user")
	}
	if w.client == nil {
		w.client = w.newClient()
	}
	ctx, stop := context.WithTimeout(ctx, webPictureTime)
	defer stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "image/jpeg, image/png")
	answer, err := w.client.Do(request)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err // the cell has the address
		}
		return nil, fmt.Errorf("fetching it: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("fetching it: the answer is %s", answer.Status)
	}
	media, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")) // what is none is no picture
	if !strings.HasPrefix(media, "image/") && media != "application/octet-stream" {
		return nil, fmt.Errorf("fetching it: the answer is %q, and no picture", media)
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxPicture+1))
	if err == nil && len(data) > maxPicture {
		err = fmt.Errorf("it is larger than %d MiB", maxPicture>>20)
	}
	data, kind, err := picture(data, err)
	if err != nil {
		return nil, fmt.Errorf("fetching it: %w", err)
	}
	return w.keep(data, kind)
}

// keep puts a picture into the folder, called after its content.
func (w *WebPictures) keep(data []byte, kind string) (*plan.Cover, error) {
	sum := sha256.Sum256(data)
	cover := &plan.Cover{Size: len(data), SHA256: hex.EncodeToString(sum[:]), Type: kind}
	folder, err := filepath.Abs(w.Folder)
	if err == nil {
		err = os.MkdirAll(folder, 0o700)
	}
	if err != nil {
		return nil, err
	}
	cover.Path = filepath.Join(folder, cover.SHA256+"."+strings.TrimPrefix(kind, "image/"))
	return cover, own.ReplaceText(cover.Path, data)
}

func (w *WebPictures) newClient() *http.Client {
	public := w.public
	if public == nil {
		public = isPublic
	}
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err == nil && !public(at.Addr().Unmap()) {
			err = fmt.Errorf("%s is no public address, and pictures come from the public Internet alone", at.Addr())
		}
		return err
	}}
	return &http.Client{
		Transport: &http.Transport{ // without a proxy, which would reach what this machine does not
			DialContext: dialer.DialContext, TLSHandshakeTimeout: 10 * time.Second, MaxIdleConnsPerHost: 2,
			IdleConnTimeout: 10 * time.Second, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: w.roots},
			MaxResponseHeaderBytes: 1 << 16,
		},
		CheckRedirect: func(next *http.Request, before []*http.Request) error {
			switch {
			case next.URL.Scheme != "https":
				return errors.New("it leads to an address without https")
			case len(before) > mostRedirects:
				return errors.New("it leads from address to address")
			}
			return nil
		},
	}
}

// special are the ranges that are not private by name, and are not of the public Internet either.
var special = func() (list []netip.Prefix) {
	for _, text := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "fec0::/10",
	} {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}()

// isPublic reports whether an address is one of the public Internet.
func isPublic(at netip.Addr) bool {
	if !at.IsGlobalUnicast() || at.IsPrivate() {
		return false
	}
	for _, prefix := range special {
		if prefix.Contains(at) {
			return false
		}
	}
	return true
}
