package finding

import (
	"encoding/json"
	"errors"
	"io"
)

// DecodeOne decodes what is one value of JSON with no member but those of its type: a member that is passed over may be a
// misspelt one that decides.
func DecodeOne(from io.Reader, value any) error {
	decoder := json.NewDecoder(from)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(value); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one object stands there")
	}
	return nil
}
