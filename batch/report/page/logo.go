package page

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"

	"eventbatch/mapping/failure"
	"eventbatch/mapping/regular"
)

// Logo is a picture as the page has it: its text, in an address. The page shows it as an
// image, in which no script runs and which loads nothing.
type Logo = template.URL

// logoMost bounds a logo, which every copy of the page carries.
const logoMost = 256 << 10

// LoadLogo reads a PNG, JPEG or SVG picture.
func LoadLogo(path string) (Logo, error) {
	content, err := regular.Read(path, logoMost)
	switch {
	case errors.Is(err, regular.ErrTooLarge):
		return "", logoError(path, fmt.Sprintf("a logo has at most %d kB", logoMost>>10), "save it smaller, such as 400 pixels wide")
	case err != nil:
		return "", fmt.Errorf("reading the logo: %w", err)
	}
	kind := logoKind(content)
	if kind == "" {
		return "", logoError(path, "it is no PNG, JPEG or SVG picture", "save the logo as one of them")
	}
	return Logo("data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(content)), nil
}

func logoError(path, reason, advice string) error {
	return failure.New(failure.Usage, errors.New(path+": "+reason), advice)
}

// logoKind returns the media type of a picture, empty for what a page cannot show.
func logoKind(content []byte) string {
	switch {
	case bytes.HasPrefix(content, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(content, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	}
	for d := xml.NewDecoder(bytes.NewReader(content)); ; {
		token, err := d.Token()
		if err != nil {
			return ""
		}
		if root, ok := token.(xml.StartElement); ok {
			if root.Name == (xml.Name{Space: "http://www.w3.org/2000/svg", Local: "svg"}) {
				return "image/svg+xml"
			}
			return ""
		}
	}
}
