package plan

import (
	"crypto/sha256"
	"encoding/hex"

	"eventbatch/mapping/schema"
)

// describe names the content that the row asks for and where it came from. It reports whether the row goes further.
func (r *row) describe() (further bool) {
	if r.d.Resource.Cell != nil {
		r.op.Hash = shortHash(r.op.Event.Name)
		return true
	}
	err := r.content()
	if err != nil {
		r.unsound(err)
	}
	return err == nil
}

func (r *row) content() error {
	r.op.From = r.d.Columns()
	content, err := schema.AppendContent(r.p.buf[:0], r.d)
	if err != nil {
		return err
	}
	if r.d.Action == schema.Delete {
		content = append(content, "deleted"...) // a row that asks for the same and is no more to go is another
	}
	if string(content) != "{}" {
		if r.op.Cover != nil {
			content = append(content, r.op.Cover.SHA256...)
		}
		sum := sha256.Sum256(content)
		r.op.Hash = hex.EncodeToString(sum[:16])
	}
	r.made = ""
	if content, err = schema.AppendCreateOnly(content[:0], r.d); err != nil {
		return err
	}
	if string(content) != "{}" {
		sum := sha256.Sum256(content)
		r.made = hex.EncodeToString(sum[:8])
	}
	r.p.buf = content
	r.op.Hash = contentHash(r.op.Hash, r.made)
	return nil
}
