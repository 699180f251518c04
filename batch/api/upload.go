package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"eventbatch/batch/secret"
)

// Upload is where a picture goes and what it will be called.
type Upload struct {
	URL     string `json:"upload_url"`
	FileURL string `json:"file_url"` // to be used as cover_url
}

// UploadOf returns the addresses of an answer.
func UploadOf(a Answer, err error) (got Upload, _ error) {
	if err == nil {
		err = a.decode(&got)
	}
	if err == nil && (got.URL == "" || got.FileURL == "") {
		err = odd("its answer has no upload address")
	}
	return got, err
}

// Upload puts a picture of type image/jpeg or image/png where the service said. It goes to a storage host:
// without the key, and outside the quota. It may be repeated at will. Errors are
// typed as those of Read, but for *RateLimitedError, which concerns no quota of ours.
func (c *Client) Upload(ctx context.Context, to Upload, kind string, picture []byte) error {
	u, err := url.Parse(to.URL)
	if err != nil || u.Host == "" || u.User != nil {
		return errors.New("uploading: the address to upload to is no URL")
	}
	if err := secret.MayTravel(u); err != nil {
		return fmt.Errorf("uploading: %w", err)
	}
	req := &http.Request{
		Method: http.MethodPut, URL: u, Host: u.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {kind}, "User-Agent": {c.config.UserAgent}},
		Body:   once(picture), ContentLength: int64(len(picture)),
	}
	// A picture takes longer than a row: a second for each 256 KiB on top.
	timeout := c.config.Timeout + time.Duration(len(picture)>>18)*time.Second
	start := time.Now()
	x, err := c.config.Room.exchange(ctx, bounds{start, timeout, timeout}, c.config.Transport, req, maxError)
	c.config.Log.LogAttrs(ctx, slog.LevelDebug, "upload",
		slog.String("host", u.Host), slog.Int("http_status", x.status), slog.Duration("duration", time.Since(start)))
	switch {
	case err != nil && !x.sent:
		return &NotSentError{Err: c.clean(err)}
	case x.status/100 == 2: // storage says nothing of interest in its body
		return nil
	case err != nil && x.status == 0:
		return &UnknownOutcomeError{Err: c.clean(err)}
	case x.status == http.StatusTooManyRequests:
		return &RateLimitedError{RetryAfter: RetryAfter(x.header, time.Now())}
	}
	return c.failure(x)
}
