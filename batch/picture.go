package batch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sync/semaphore"

	"eventbatch/batch/api"
	"eventbatch/batch/plan"
	"eventbatch/batch/secret"
	"eventbatch/batch/service"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/regular"
	"eventbatch/mapping/schema"
)

// maxPicture is more than a cover needs; a larger file is more likely a mistake.
const maxPicture = 20 << 20

// PictureConfig says where the pictures lie that rows name.
type PictureConfig struct {
	CoversFrom string // the folder that they are below; empty: that of the file that names them
	// Web gets those that are addresses; nil where there is no leave for that.
	Web *WebPictures
	// Unfetched takes addresses, where there is leave, without fetching what is there: a check downloads nothing.
	Unfetched bool
}

// pictures finds the pictures that rows name, each read once.
type pictures struct {
	PictureConfig

	found map[string]*plan.Cover
}

// find returns the picture that the draft names, nil where it names none, or what
// is wrong with it. A path starts at the folder that pictures come from, and leads to
// a place below it: a file from elsewhere could otherwise have any picture of the
// machine published.
func (p *pictures) find(ctx context.Context, draft *schema.Draft) (*plan.Cover, *schema.Problem) {
	if draft == nil || draft.Text(catalog.FieldCoverFile) == "" {
		return nil, nil
	}
	setting := draft.Get(catalog.FieldCoverFile)
	if secret.IsAddress(setting.Text) {
		return p.fromWeb(ctx, draft, setting)
	}
	folder, path := p.CoversFrom, setting.Text
	if folder == "" {
		folder = filepath.Dir(draft.Place.File)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	if cover := p.found[path]; cover != nil {
		return cover, nil
	}
	cover, err := coverBelow(folder, path)
	if p.CoversFrom == "" && secret.IsAddress(draft.Place.File) {
		err = &outsideError{setting.Text, "of an address, which has none"}
	}
	if err != nil {
		hint := "a cover is a JPEG or PNG file on this machine"
		if _, outside := errors.AsType[*outsideError](err); outside {
			hint = "put it below that folder, or name the folder that pictures come from with --covers-from"
		}
		return nil, badPicture(draft, setting, "reading picture: "+err.Error(), hint)
	}
	p.keep(path, cover)
	return cover, nil
}

func (p *pictures) keep(path string, cover *plan.Cover) {
	if p.found == nil {
		p.found = map[string]*plan.Cover{}
	}
	p.found[path] = cover
}

// fromWeb returns the picture of an address, where there is leave to fetch it.
func (p *pictures) fromWeb(ctx context.Context, draft *schema.Draft, setting *schema.Setting) (*plan.Cover, *schema.Problem) {
	switch cover := p.found[setting.Text]; {
	case p.Web == nil && !p.Unfetched:
		return nil, badPicture(draft, setting, "the picture is an address, and nothing is fetched from the web without leave",
			"say --covers-from-web, or save it below the folder of the file")
	case cover != nil || p.Unfetched:
		return cover, nil
	}
	cover, err := p.Web.get(ctx, setting.Text)
	if err != nil {
		return nil, badPicture(draft, setting, "the picture of the address is not taken: "+err.Error(),
			"a cover is a JPEG or PNG at a public https address, of 20 MiB at most")
	}
	p.keep(setting.Text, cover)
	return cover, nil
}

func badPicture(draft *schema.Draft, setting *schema.Setting, message, hint string) *schema.Problem {
	place := draft.Place
	place.Column = setting.Column
	return &schema.Problem{
		Severity: schema.Error, Code: schema.CodeBadPicture, Field: catalog.Fields[catalog.FieldCoverFile].Path,
		Place: place, Value: setting.Text, Message: message, Hint: hint,
	}
}

// outsideError says that a picture is not where pictures come from.
type outsideError struct{ path, folder string }

func (e *outsideError) Error() string { return e.path + " is not below the folder " + e.folder }

// coverBelow describes a picture below a folder, links followed.
func coverBelow(folder, path string) (*plan.Cover, error) {
	from, rel, err := regular.Below(folder, path)
	if errors.Is(err, regular.ErrOutside) {
		return nil, &outsideError{path, folder}
	}
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(from)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(rel, regular.Flags, 0) // a link that was put there since leads nowhere else
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, kind, err := picture(regular.From(f, maxPicture))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	sum := sha256.Sum256(data)
	return &plan.Cover{Path: filepath.Join(from, rel), Size: len(data), SHA256: hex.EncodeToString(sum[:]), Type: kind}, nil
}

// picture returns the content of a file with its media type, or why it is no picture.
func picture(data []byte, err error) ([]byte, string, error) {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err // who asks names the path
	}
	if err != nil {
		return nil, "", err
	}
	kind := http.DetectContentType(data)
	if kind != "image/jpeg" && kind != "image/png" {
		return nil, "", fmt.Errorf("it is %s, neither JPEG nor PNG", kind)
	}
	return data, kind, nil
}

// uploader uploads pictures, each once for a calendar. It implements send.Covers.
type uploader struct {
	service *service.Service

	mu    sync.Mutex
	shown map[[2]string]*shown
}

// shown is a picture on the image host.
type shown struct {
	turn *semaphore.Weighted // of who uploads it
	url  string
}

// URL uploads the picture unless it was uploaded before. A picture that is gone,
// or is no longer the one that was planned, is refused as the service would
// refuse it.
func (u *uploader) URL(ctx context.Context, calendar string, cover plan.Cover) (string, error) {
	u.mu.Lock()
	if u.shown == nil {
		u.shown = map[[2]string]*shown{}
	}
	key := [2]string{calendar, cover.SHA256}
	s := u.shown[key]
	if s == nil {
		s = &shown{turn: semaphore.NewWeighted(1)}
		u.shown[key] = s
	}
	u.mu.Unlock()
	if err := s.turn.Acquire(ctx, 1); err != nil {
		return "", err
	}
	defer s.turn.Release(1)
	if s.url != "" {
		return s.url, nil
	}
	data, _, err := picture(regular.Read(cover.Path, maxPicture))
	if err != nil {
		return "", &api.RejectedError{Message: "reading picture: " + cover.Path + ": " + err.Error()}
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != cover.SHA256 {
		return "", &api.RejectedError{Message: cover.Path + " has changed since it was planned"}
	}
	l, err := u.service.Line(ctx, calendar)
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(map[string]string{"content_type": cover.Type})
	if err != nil {
		return "", err
	}
	to, err := api.UploadOf(l.Client.Write(ctx, catalog.OperationNamed("images/create-upload-url"), body, nil))
	if err != nil {
		return "", err
	}
	if err := l.Client.Upload(ctx, to, cover.Type, data); err != nil {
		return "", failedUpload(err)
	}
	s.url = to.FileURL
	return s.url, nil
}

// failedUpload returns the failure of an upload as a failure of its row. The storage host
// is not the service: its answer says nothing of the key, the address or the quota, and
// where it cannot be reached the service may be.
func failedUpload(err error) error {
	if service.Unanswered(err) {
		return &api.UnknownOutcomeError{Err: errors.New(err.Error())}
	}
	return &api.RejectedError{Message: "the picture was not taken: " + err.Error()}
}
