package batch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"eventbatch/batch/api"
	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// maxPicture is more than a cover needs; a larger file is more likely a mistake.
const maxPicture = 20 << 20

// pictures finds the pictures that rows name, each read once.
type pictures map[string]*plan.Cover

// find returns the picture that the draft names, nil where it names none, or what
// is wrong with it. A relative path starts at the folder of the file that names it.
func (p pictures) find(draft *schema.Draft) (*plan.Cover, *schema.Problem) {
	if draft == nil || draft.Text(schema.FieldCoverFile) == "" {
		return nil, nil
	}
	setting := draft.Get(schema.FieldCoverFile)
	path := setting.Text
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(draft.Place.File), path)
	}
	cover := p[path]
	if cover == nil {
		data, err := readPicture(path)
		if err != nil {
			place := draft.Place
			place.Column = setting.Column
			return nil, &schema.Problem{
				Severity: schema.Error, Code: schema.CodeBadPicture, Field: schema.Fields[schema.FieldCoverFile].Path,
				Place: place, Value: setting.Text, Message: err.Error(), Hint: "a cover is a JPEG or PNG file on this machine",
			}
		}
		abs, err := filepath.Abs(path)
		if err != nil {
			abs = path
		}
		sum := sha256.Sum256(data)
		cover = &plan.Cover{Path: abs, SHA256: hex.EncodeToString(sum[:]), Type: http.DetectContentType(data)}
		p[path] = cover
	}
	return cover, nil
}

func readPicture(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading picture: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("reading picture: %s is not a file", path)
	case info.Size() > maxPicture:
		return nil, fmt.Errorf("reading picture: %s is larger than %d MB", path, maxPicture>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading picture: %w", err)
	}
	switch kind := http.DetectContentType(data); kind {
	case "image/jpeg", "image/png":
		return data, nil
	default:
		return nil, fmt.Errorf("reading picture: %s is %s, neither JPEG nor PNG", path, kind)
	}
}

// gallery uploads pictures, each once for a calendar. It implements send.Covers.
type gallery struct {
	service *Service

	mu    sync.Mutex
	shown map[[2]string]*shown
}

// shown is one picture on the image host.
type shown struct {
	mu  sync.Mutex // held while it is uploaded
	url string
}

// URL uploads the picture unless it was uploaded before. A picture that is gone,
// or is no longer the one that was planned, is refused as the service would
// refuse it.
func (g *gallery) URL(ctx context.Context, calendar string, cover plan.Cover) (string, error) {
	g.mu.Lock()
	if g.shown == nil {
		g.shown = map[[2]string]*shown{}
	}
	key := [2]string{calendar, cover.SHA256}
	s := g.shown[key]
	if s == nil {
		s = &shown{}
		g.shown[key] = s
	}
	g.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.url != "" {
		return s.url, nil
	}
	data, err := readPicture(cover.Path)
	if err != nil {
		return "", &api.RejectedError{Message: err.Error()}
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != cover.SHA256 {
		return "", &api.RejectedError{Message: cover.Path + " has changed since it was planned"}
	}
	l, err := g.service.Line(ctx, calendar)
	if err != nil {
		return "", err
	}
	to, err := l.client.CreateUploadURL(ctx, cover.Type)
	if err != nil {
		return "", err
	}
	if err := l.client.Upload(ctx, to, data); err != nil {
		return "", failedUpload(err)
	}
	s.url = to.FileURL
	return s.url, nil
}

// failedUpload tells the failure of an upload as one of its row. The storage
// host is not the service: what it answers says nothing of the key, the address
// or the quota, and being out of its reach is not being out of the service's.
func failedUpload(err error) error {
	if passing(err) {
		return &api.UnknownOutcomeError{Err: errors.New(err.Error())}
	}
	return &api.RejectedError{Message: "the picture was not taken: " + err.Error()}
}
