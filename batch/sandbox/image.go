package sandbox

import (
	"io"
	"net/http"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/pattern"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// uploadPath is where pictures go, outside the versioned interface.
const uploadPath = "/upload/"

// pictureMax bounds a picture, in bytes.
const pictureMax = 32 << 20

// createUpload returns the address to put a picture to, with the address that it has
// afterwards (service: POST /v1/images/create-upload-url).
func createUpload(c *call) answer {
	b := c.fields()
	media := b.values.text("content_type")
	return c.write(b, "", func(d *data, _ *item) (*record, any, *answer) {
		r := &record{Type: "image", Media: media}
		r.ID = d.issue(r, "", "image", 20) + pictureEndings[media]
		return r, map[string]string{"upload_url": baseURL(c) + uploadPath + r.ID, "file_url": c.fileURL(r.ID)}, nil
	})
}

func (b *backend) fileURL(id string) string { return b.config.ImageBase + "/uploads/" + id }

// baseURL is the base address by which the client has reached the service, with
// what a handler around this one has stripped off the path.
func baseURL(c *call) string {
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
func (b *backend) receive(r *http.Request, id string) answer {
	picture := b.store.get(pictures, id)
	switch {
	case picture == nil:
		return *refuse(http.StatusForbidden, "This upload address is not valid.")
	case r.Method != http.MethodPut:
		return *refuse(http.StatusMethodNotAllowed, "Method not allowed: "+r.Method)
	case r.Header.Get(b.config.Headers.Key) != "" || r.Header.Get("Authorization") != "":
		return *refuse(http.StatusBadRequest, "A key has no place in an upload.")
	case picture.text("media") != "" && r.Header.Get("Content-Type") != picture.text("media"):
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
	b.store.mu.Lock()
	defer b.store.mu.Unlock()
	if b.store.commit(&record{Type: "upload", ID: id}) != nil {
		return *broken("the picture was not saved")
	}
	return done(nothing)
}

// uploaded reports whether an address can be used as a cover: one that this service
// has announced needs its picture, others are taken on trust.
func (b *backend) uploaded(address string) bool {
	id, ours := strings.CutPrefix(address, b.fileURL(""))
	picture := b.store.get(pictures, id)
	return !ours || picture == nil || picture.says("uploaded", "true")
}

// checkImages refuses pictures of an event that are not on the image host.
func checkImages(c *call, b *body) {
	if cover := b.values.text("cover_url"); cover != "" && (!value.OnHost(c.config.ImageBase, cover) || !c.uploaded(cover)) {
		b.refuse("cover_url", "Has to be an image uploaded to "+c.config.ImageBase+"/.")
	}
	for _, image := range imagePattern().FindAllStringSubmatch(b.values.text("description_md"), -1) {
		if !value.OnHost(c.config.ImageBase, image[1]) {
			b.refuse("description_md", "The image "+image[1]+" is not on "+c.config.ImageBase+"/.")
		}
	}
}

// imagePattern finds the addresses of Markdown images.
var imagePattern = pattern.New(`!\[[^\]]*\]\(\s*<?([^\s)>]+)`)

// shapes are the records of objects whose fields do not name them.
var shapes = map[schema.ID]*schema.Record{
	catalog.FieldCoordinate: &catalog.Coordinate, catalog.FieldFeedbackEmail: &catalog.FeedbackEmail,
}
