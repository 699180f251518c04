package plan

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// Lacks reports whether a field may go back that the platform has not told, and would tell
// of the event alone.
func (r *Reversal) Lacks() bool {
	return r.Does == schema.Update && slices.ContainsFunc(r.Op.Of().Columns(), func(f *schema.Field) bool {
		_, said := r.Sent[f.Path]
		_, told := r.Live[f.Read()]
		_, imaged := r.Image[f.Path]
		_, sent := r.Was[f.Path]
		return said && !told && (imaged || sent) && r.returns(f) && !f.Local
	})
}

// returns reports whether the field is one that goes back.
func (r *Reversal) returns(f *schema.Field) bool {
	return !f.Manner && !f.Deprecated && !r.Op.Of().Names(f) && r.Wants(f)
}

// fields puts each field back to what it was, where the platform still has what the run sent. What the fields were is
// merged with what is live as the row of a file is: what the run sent is what the two last agreed on, and what has
// changed since is left.
func (r restoration) fields() {
	op := r.op
	r.image = r.imaged()
	c := &comparison{row: r.row, members: r.Live, whole: r.Whole, sides: r.sides()}
	for _, group := range groups(c.sides) {
		r.stay(group)
	}
	send := map[schema.ID]bool{}
	var left, lost []*sides
	for _, s := range c.sides {
		change := Change{Field: s.field.Path, Base: s.base.Live, Live: s.live, Mine: s.mine, Decision: Send, Why: s.why}
		switch {
		case s.liveMoved:
			change.Decision, left = Left, append(left, s)
		case !s.said:
			change.Decision, lost = Lost, append(lost, s)
		default:
			send[s.field.ID] = true
			for _, own := range r.says(s.field, s.mine) {
				r.d.Put(own)
			}
		}
		op.Changes = append(op.Changes, change)
	}
	r.locate()
	op.clocks(send, r.Live)
	switch {
	case len(c.sides) == 0:
		r.unchanged("it is as it was before run " + r.Run)
	case len(send) > 0:
		op.Reason += stays("left", left) + stays("lost", lost)
		r.update(c, send)
	case len(left) > 0:
		op.skip("left: " + left[0].why)
	default:
		op.skip("lost: " + lost[0].why)
	}
}

// stay leaves fields where they are that stand together with one that is left.
func (r restoration) stay(group []*sides) {
	if decide(group, &r.config.Options) != Left {
		return
	}
	with := ""
	for _, s := range group {
		if s.liveMoved {
			with = s.field.Path
		}
	}
	for _, s := range group {
		if s.said && !s.liveMoved {
			s.liveMoved, s.why = true, "it goes with "+with
		}
	}
}

// sides returns the three sides of the fields that the run has sent, and that are not as they were.
func (r restoration) sides() (all []*sides) {
	for _, f := range r.d.Resource.Columns() {
		sent, said := r.Sent[f.Path]
		back := r.d.Resource.Bringing(f, schema.Update, r.op.Event.Parent == "")
		if !said || !r.returns(f) || !f.Local && back == nil {
			continue
		}
		r.meant(f)
		if s := r.side(f, sent); s != nil {
			all = append(all, s)
		}
	}
	return all
}

// side returns the three sides of a field: nil where it is as it was. The row says what it was, unless nobody knows
// that or no request can say it.
func (r restoration) side(f *schema.Field, sent json.RawMessage) *sides {
	was, known := r.Image[f.Path]
	if !known {
		was, known = r.Was[f.Path]
	}
	s := &sides{field: f, base: Agreement{sent, sent}, mine: was, based: true}
	s.live, s.told = r.Live[f.Read()]
	now := value.Compare(f, sent, s.live)
	moved := func(why string) { s.liveMoved, s.why = true, why }
	switch {
	case f.Local:
		s.why = "nobody can tell whether the picture was changed since"
	case f.ID == catalog.FieldCreateMeeting:
		s.why = "a meeting that was made stays"
	case known && value.Compare(f, sent, was) == value.Alike, !s.told && r.Back[f.Path]:
		return nil
	case known && s.told && value.Compare(f, was, s.live) == value.Alike:
		return nil
	case r.Since[f.Path] != "":
		moved("run " + r.Since[f.Path] + " has sent it since")
	case s.told && now == value.Unlike:
		moved("changed on the platform since")
	case s.told && now == value.Unclear:
		moved("nobody can tell whether it was changed since")
	case !known:
		s.why = "nobody knows what it was before"
	case !r.d.Resource.Reaches(f, was):
		s.why = "it was " + strings.Trim(string(was), `"`) + ", which no request can say"
	case len(r.says(f, was)) == 0:
		s.why = "it was blank, which no request can say"
	default:
		s.said, s.mineMoved = true, true
	}
	return s
}

// says returns what a row says by which a field becomes a value: nothing where no row can say that.
func (r restoration) says(f *schema.Field, raw json.RawMessage) (list []schema.Setting) {
	s := schema.Setting{Column: -1}
	_, imaged := r.Image[f.Path]
	switch {
	case value.Blank(raw) && (string(raw) != `""` && f.Clear(&s) == nil || f.SetEmpty(&s) == nil):
		return []schema.Setting{s}
	case value.Blank(raw):
	case imaged:
		for _, own := range r.image.Settings {
			if whole(&own) == f {
				list = append(list, own)
			}
		}
	default:
		if s, ok := settingOf(f, raw); ok {
			list = append(list, s)
		}
	}
	return list
}

// imaged returns the before-image as a row would say it.
func (r restoration) imaged() *schema.Draft {
	members := map[string]json.RawMessage{}
	for path, value := range r.Image {
		if f, ok := r.d.Resource.ByPath(path); ok {
			members[f.Read()] = value
		}
	}
	d := new(schema.Draft)
	value.Fill(d, r.d.Resource, members)
	return d
}

// settingOf returns a value as it was sent as a row would say it.
func settingOf(f *schema.Field, raw json.RawMessage) (s schema.Setting, ok bool) {
	var text string
	switch {
	case string(raw) == "null":
		ok = f.Clear(&s) == nil
	case json.Unmarshal(raw, &text) != nil:
		ok = value.Parse(f, &s, string(raw)) == nil
	case text == "":
		ok = f.SetEmpty(&s) == nil
	default:
		ok = value.Parse(f, &s, text) == nil
	}
	s.Column = -1
	return s, ok
}

// meant takes what the opposite of the op makes of a field for what it was, where the op
// itself has made something of it and nobody knows better, and what the table says for what it
// was, where no request can say that.
func (r *Reversal) meant(f *schema.Field) {
	done := r.done()
	if back, image := done.Back[f.Path], r.Image[f.Path]; back != "" && image != nil && !r.Op.Of().Reaches(f, image) {
		delete(r.Image, f.Path)
		r.Was[f.Path] = asked(f, back)
	}
	if _, known := r.Was[f.Path]; known || done.Means[f.Path] == "" || done.Opposite == "" {
		return
	}
	if was := catalog.OperationNamed(done.Opposite).Means[f.Path]; was != "" {
		r.Was[f.Path] = asked(f, was)
	}
}

// locate writes the times of the event in its zone, as people know them.
func (r restoration) locate() {
	r.op.Event.locate(r.d, r.Live)
	zone := value.Location(r.op.Event.Zone)
	for i := range r.d.Settings {
		if s := &r.d.Settings[i]; zone != nil && catalog.Field(s.Field).Kind == schema.Timestamp {
			s.Text = time.UnixMilli(s.Instant).In(zone).Format("2006-01-02T15:04:05.999Z07:00")
		}
	}
}

// stays names the fields that do not go back.
func stays(word string, list []*sides) string {
	if len(list) == 0 {
		return ""
	}
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = s.field.Path + " (" + s.why + ")"
	}
	return "; " + word + ": " + strings.Join(names, ", ")
}

// update gives the op the request that puts the fields back, and their image as they are.
func (r restoration) update(c *comparison, send map[schema.ID]bool) {
	op, d := r.op, r.d
	if start := d.Get(catalog.FieldStartAt); start != nil {
		op.Event.StartAt, op.Event.Zone = start.Instant, cmp.Or(op.Event.Zone, offsetOf(start))
	}
	if of := d.Resource; of.Keyed() {
		op.Event.Slug = cmp.Or(d.Value(of.Slug), op.Event.Slug)
	}
	operation := r.operation(schema.Update)
	r.send(operation)
	if f := differing(operation); f != nil && op.Action == Update {
		want, imaged := r.Image[f.Path]
		if !imaged {
			want = f.JSON(d.Get(f.ID))
		}
		r.differ(f, want, nil, r.Live[f.Read()])
	}
	if op.Action != Update { // its parts make no whole
		op.skip("lost: " + op.Reason)
		op.Problems = nil
		return
	}
	conclusion{c}.keep(send)
}
