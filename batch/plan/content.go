package plan

import (
	"crypto/sha256"
	"encoding/hex"

	"eventbatch/mapping/schema"
)

// content is the naming of the content that a row asks for.
type content struct{ *row }

// describe names it, and where it came from. It reports whether the row goes further.
func (c content) describe() (further bool) {
	if c.d.Resource.Cell != nil {
		c.op.Hash = shortHash(c.op.Event.Name)
		return true
	}
	err := c.hash()
	if err != nil {
		c.unsound(err)
	}
	return err == nil
}

// hash fills in the hash of the content, and the columns that it came from.
func (c content) hash() error {
	c.op.From = c.d.Columns()
	text, err := schema.AppendContent((*c.buf)[:0], c.d)
	if err != nil {
		return err
	}
	if c.d.Action == schema.Delete {
		text = append(text, "deleted"...) // a row that asks for the same and is no more to go is another
	}
	if string(text) != "{}" {
		if c.op.Cover != nil {
			text = append(text, c.op.Cover.SHA256...)
		}
		sum := sha256.Sum256(text)
		c.op.Hash = hex.EncodeToString(sum[:16])
	}
	c.made = ""
	if text, err = schema.AppendCreateOnly(text[:0], c.d); err != nil {
		return err
	}
	if string(text) != "{}" {
		sum := sha256.Sum256(text)
		c.made = hex.EncodeToString(sum[:8])
	}
	*c.buf = text
	c.op.Hash = contentHash(c.op.Hash, c.made)
	return nil
}
