package sandbox

import (
	"io"
	"net/http"
	"strings"
)

// uploadPath is where pictures go, outside the versioned interface.
const uploadPath = "/upload/"

// pictureMax bounds a picture, in bytes.
const pictureMax = 32 << 20

// pictureEndings are the endings of file names by media type.
var pictureEndings = map[string]string{"image/jpeg": ".jpg", "image/png": ".png"}

// createUpload returns the address to put a picture to, with the address that it has
// afterwards (service: POST /v1/images/create-upload-url).
func (s *Service) createUpload(c *call) answer {
	b := s.fields(c)
	media := unquote(b.values["content_type"])
	return s.write(c, b, "", func(*Event) (*record, any, *answer) {
		issued := s.data.issued + 1
		r := &record{Type: "image", Issued: issued, ID: s.data.word("image", issued, 20) + pictureEndings[media], Media: media}
		return r, map[string]string{"upload_url": c.origin() + uploadPath + r.ID, "file_url": s.fileURL(r.ID)}, nil
	})
}

func (s *Service) fileURL(id string) string { return s.config.ImageBase + "/uploads/" + id }

// origin is the base address by which the client has reached the service, with
// what a handler around this one has stripped off the path.
func (c *call) origin() string {
	scheme := c.r.URL.Scheme
	switch {
	case scheme != "": // in process, where the client's own URL arrives
	case c.r.TLS != nil:
		scheme = "https"
	default:
		scheme = "http"
	}
	whole, _, _ := strings.Cut(c.r.RequestURI, "?")
	mount, ok := strings.CutSuffix(whole, c.r.URL.Path)
	if !ok || !strings.HasPrefix(mount, "/") {
		mount = ""
	}
	return scheme + "://" + c.r.Host + mount + c.prefix
}

// receive takes a picture. Its address is secret enough: no key belongs here, and
// no quota is used.
func (s *Service) receive(r *http.Request, id string) answer {
	s.mu.RLock()
	picture, known := s.data.images[id]
	s.mu.RUnlock()
	switch {
	case !known:
		return *refuse(http.StatusForbidden, "This upload address is not valid.")
	case r.Method != http.MethodPut:
		return *refuse(http.StatusMethodNotAllowed, "Method not allowed: "+r.Method)
	case r.Header.Get(s.config.Headers.Key) != "" || r.Header.Get("Authorization") != "":
		return *refuse(http.StatusBadRequest, "A key has no place in an upload.")
	case picture.media != "" && r.Header.Get("Content-Type") != picture.media:
		return *refuse(http.StatusForbidden, "The Content-Type is not the one announced.")
	}
	size, err := io.Copy(io.Discard, io.LimitReader(r.Body, pictureMax+1))
	switch {
	case err != nil:
		return *refuse(http.StatusBadRequest, "The picture ends too early.")
	case size == 0:
		return *refuse(http.StatusBadRequest, "The picture is empty.")
	case size > pictureMax:
		return *refuse(http.StatusRequestEntityTooLarge, "The picture is too large.")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.commit(&record{Type: "upload", ID: id}); err != nil {
		return *broken("the picture was not saved")
	}
	return done(nothing)
}

// uploaded reports whether an address can be used as a cover: one that this service
// has announced needs its picture, others are taken on trust.
func (s *Service) uploaded(address string) bool {
	id, ours := strings.CutPrefix(address, s.fileURL(""))
	if !ours {
		return true
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	picture, announced := s.data.images[id]
	return !announced || picture.uploaded
}
