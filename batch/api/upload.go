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

// UploadSlot is where a picture goes and what it will be called.
type UploadSlot struct {
	UploadURL   string `json:"upload_url"`
	FileURL     string `json:"file_url"` // to be used as cover_url
	ContentType string `json:"-"`        // that the upload has to repeat
}

// CreateUploadURL asks where to put a picture of type image/jpeg or image/png.
func (c *Client) CreateUploadURL(ctx context.Context, contentType string) (UploadSlot, error) {
	const path = "/v1/images/create-upload-url"
	answer, err := c.post(ctx, path, map[string]string{"content_type": contentType}, nil)
	if err != nil {
		return UploadSlot{}, err
	}
	got := UploadSlot{}
	if err := decode(answer, path, &got); err != nil {
		return UploadSlot{}, err
	}
	if got.UploadURL == "" || got.FileURL == "" {
		return UploadSlot{}, &WrongAddressError{Status: answer.Status, Reason: "its answer has no upload address"}
	}
	got.ContentType = contentType
	return got, nil
}

// Upload puts a picture where CreateUploadURL said. It goes to a storage host:
// without the key, and outside the quota. It may be repeated at will. Errors are
// typed as those of Do, but for *RateLimitedError, which concerns no quota of ours.
func (c *Client) Upload(ctx context.Context, to UploadSlot, picture []byte) error {
	u, err := url.Parse(to.UploadURL)
	if err != nil || u.Host == "" || u.User != nil {
		return errors.New("uploading: the address to upload to is no URL")
	}
	if err := secret.MayTravel(u); err != nil {
		return fmt.Errorf("uploading: %w", err)
	}
	req := &http.Request{
		Method: http.MethodPut, URL: u, Host: u.Host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {to.ContentType}, "User-Agent": {c.userAgent}},
		Body:   once(picture), ContentLength: int64(len(picture)),
	}
	// A picture takes longer than a row: a second for each 256 KiB on top.
	timeout := c.timeout + time.Duration(len(picture)>>18)*time.Second
	start := time.Now()
	x, err := c.room.exchange(ctx, start, timeout, c.bare, req, maxError)
	c.log.LogAttrs(ctx, slog.LevelDebug, "upload",
		slog.String("host", u.Host), slog.Int("status", x.status), slog.Duration("duration", time.Since(start)))
	switch {
	case err != nil && !x.sent:
		return &NotSentError{Err: c.clean(err)}
	case x.status/100 == 2: // storage says nothing of interest in its body
		return nil
	case err != nil && x.status == 0:
		return &UnknownOutcomeError{Err: c.clean(err)}
	case x.status == http.StatusTooManyRequests:
		after, ok := retryAfter(x.header, time.Now())
		return &RateLimitedError{RetryAfter: after, Bare: !ok}
	}
	return c.judge(x)
}
