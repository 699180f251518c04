package plan

import (
	"encoding/json"
	"slices"
	"strings"

	"eventbatch/mapping/schema"
)

// returning is one field on its way back.
type returning struct {
	field     *schema.Field
	sent, was json.RawMessage
	live      json.RawMessage
	known     bool // was is known
	settings  []schema.Setting
	decision  Decision // Send where it goes back
	why       string
}

// decide fills in what becomes of one field; no decision means that it is as it was.
func (r *Reversal) decide(b *returning, image *schema.Draft) {
	f := b.field
	var told, imaged bool
	b.live, told = r.Live[f.Read()]
	if b.was, imaged = r.Image[f.Path]; imaged {
		b.known = true
	} else {
		b.was, b.known = r.Was[f.Path]
	}
	switch {
	case f.Local:
		b.decision, b.why = Lost, "nobody can tell whether the picture was changed since"
		return
	case f.ID == schema.FieldCreateMeeting:
		b.decision, b.why = Lost, "a meeting that was made stays"
		return
	case b.known && f.Compare(b.sent, b.was) == schema.Alike:
		return
	case b.known && told && f.Compare(b.was, b.live) == schema.Alike, !told && r.Back[f.Path]:
		return
	case r.Since[f.Path] != "":
		b.decision, b.why = Left, "run "+r.Since[f.Path]+" has sent it since"
		return
	case told && f.Compare(b.sent, b.live) == schema.Unlike:
		b.decision, b.why = Left, "changed on the platform since"
		return
	case told && f.Compare(b.sent, b.live) == schema.Unclear:
		b.decision, b.why = Left, "nobody can tell whether it was changed since"
		return
	case !b.known:
		b.decision, b.why = Lost, "nobody knows what it was before"
		return
	case !r.Op.Of().Reaches(f, b.was):
		b.decision, b.why = Lost, "it was "+strings.Trim(string(b.was), `"`)+", which no request can say"
		return
	}
	b.decision, b.why = Lost, "it was blank, which no request can say"
	s := schema.Setting{Column: -1}
	switch {
	case blank(b.was) && (string(b.was) != `""` && f.Clear(&s) == nil || f.SetEmpty(&s) == nil):
		b.settings = []schema.Setting{s}
	case blank(b.was):
		return
	case imaged:
		for _, s := range image.Settings {
			if whole(&s) == f {
				b.settings = append(b.settings, s)
			}
		}
	default:
		if s, ok := settingOf(f, b.was); ok {
			b.settings = []schema.Setting{s}
		}
	}
	if len(b.settings) > 0 {
		b.decision, b.why = Send, ""
	}
}

// blank reports whether a value says that there is none.
func blank(value json.RawMessage) bool {
	return slices.Contains([]string{"", "null", `""`}, string(value))
}

// settingOf returns a value as it was sent as a row would say it.
func settingOf(f *schema.Field, value json.RawMessage) (s schema.Setting, ok bool) {
	var text string
	switch {
	case string(value) == "null":
		ok = f.Clear(&s) == nil
	case json.Unmarshal(value, &text) != nil:
		ok = f.Parse(&s, string(value)) == nil
	case text == "":
		ok = f.SetEmpty(&s) == nil
	default:
		ok = f.Parse(&s, text) == nil
	}
	s.Column = -1
	return s, ok
}

// stay leaves fields where they are that stand together with one that is left.
func stay(all []*returning) {
	left := map[string]string{}
	for _, b := range all {
		if name := b.field.With; name != "" && b.decision == Left {
			left[name] = b.field.Path
		}
	}
	for _, b := range all {
		if with := left[b.field.With]; with != "" && b.decision == Send {
			b.decision, b.why, b.settings = Left, "it goes with "+with, nil
		}
	}
}
