package plan

import (
	"encoding/json"
	"strings"
	"time"
	"unicode"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/check"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// timely reports whether the event still ends after it starts, where the row brings one of
// the two and the other stays as the platform has it. A row that is not right by itself is
// invalid; one that does not go with the platform waits, and no other row with it.
func (c conclusion) timely(send map[schema.ID]bool) bool {
	if !send[catalog.FieldStartAt] && !send[catalog.FieldEndAt] {
		return true
	}
	told, merged := new(schema.Draft), schema.NewDraft(c.d.Resource, c.d.Place)
	value.Fill(told, c.d.Resource, c.members)
	merged.Key = c.op.Event.Key
	for _, id := range []schema.ID{catalog.FieldStartAt, catalog.FieldEndAt} {
		s := told.Get(id)
		if send[id] {
			s = c.d.Get(id)
		}
		if s != nil {
			s := *s
			s.Untouched = !send[id]
			merged.Put(s)
		}
	}
	timely := true
	check.Row(merged, &check.Rules{}, func(p schema.Problem) {
		if p.Severity != schema.Error {
			return
		}
		timely = false
		stays, goes := catalog.Field(catalog.FieldEndAt), catalog.Field(catalog.FieldStartAt)
		if send[stays.ID] {
			stays, goes = goes, stays
		}
		if !send[stays.ID] {
			live := beside(c.members[stays.Read()], goes.JSON(c.d.Get(goes.ID)), c.op.Event.LiveZone())
			p.Message += ": the platform has " + stays.Path + " as " + shown(live)
		}
		c.op.Action, c.op.Reason = Invalid, p.Message
		if !send[stays.ID] {
			c.op.Action, p.Hint = Conflict, "fill in "+stays.Path+" too, or change it on the platform first"
			c.op.Reason += "; " + p.Hint // where no hint is shown, this is
		}
		c.op.Problems = append(c.op.Problems, p)
	})
	return timely
}

// follower returns what becomes of the end of an event that was given none, where its start is sent: the platform moves it
// with that. nil where it has one, or where nobody knows.
func (c conclusion) follower(send map[schema.ID]bool) *Change {
	start, end := catalog.Field(catalog.FieldStartAt), catalog.Field(catalog.FieldEndAt)
	if !send[start.ID] || c.d.Has(end.ID) || c.config.Base == nil {
		return nil
	}
	moved := Follower(c.config.Base(&c.op.Event, c.known), start.JSON(c.d.Get(start.ID)))
	live := c.members[end.Read()]
	if moved == nil || value.Compare(end, live, anHourAfter(c.members[start.Read()])) != value.Alike {
		return nil
	}
	moved.Base, moved.Live = nil, live
	return moved
}

// Follower returns what becomes of the end of an event that gets another start, by what was agreed about it: one that was given
// none ends an hour after its start. nil where it has one, or where nobody knows.
func Follower(agreed map[string]Base, start json.RawMessage) *Change {
	at, end := catalog.Path(catalog.FieldStartAt), catalog.Path(catalog.FieldEndAt)
	was, now := anHourAfter(agreed[at].Live), anHourAfter(start)
	made := agreed[catalog.Path(catalog.FieldName)].Sent != "" // else the run that has made the event is not known
	if _, ended := agreed[end]; ended || !made || was == nil || now == nil {
		return nil
	}
	return &Change{Field: end, Base: was, Mine: now, Decision: Follow, Why: "moved by the platform with the start, as it was given none"}
}

// anHourAfter returns a time as a request says it, an hour later; nil of what is no time.
func anHourAfter(text json.RawMessage) json.RawMessage {
	var at time.Time
	if json.Unmarshal(text, &at) != nil {
		return nil
	}
	later, _ := json.Marshal(at.Add(time.Hour)) // times of four-digit years always encode
	return later
}

// byZoneRules reports whether a time of the row has moved only because the rules of its zone
// have changed: it is the same by the clock on the wall.
func byZoneRules(s *sides) bool {
	if s.field.Kind != schema.Timestamp || !s.mineMoved {
		return false
	}
	clock := func(value json.RawMessage) (string, bool) {
		var text string
		if json.Unmarshal(value, &text) != nil {
			return "", false
		}
		at, err := time.Parse(time.RFC3339, text)
		return at.Format("2006-01-02T15:04:05"), err == nil
	}
	now, ok := clock(s.mine)
	was, known := clock(s.base.Mine)
	return ok && known && now == was
}

// embeds warns at the cell of a description that is about to replace one which has more in it
// than its Markdown says, such as an embedded event.
func (c conclusion) embeds() {
	var of struct {
		Text     string `json:"description"`
		Markdown string `json:"description_md"`
	}
	text, err := json.Marshal(c.members)
	if err != nil || json.Unmarshal(text, &of) != nil {
		return
	}
	words := func(text string) []string {
		return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	}
	has := map[string]bool{}
	for _, word := range words(of.Markdown) {
		has[word] = true
	}
	for _, word := range words(of.Text) {
		if !has[word] {
			c.report(catalog.Path(catalog.FieldDescriptionMD), schema.CodeEmbedLost,
				"the description on the platform has more in it than its Markdown says, such as \""+word+"\", which is lost",
				"leave the cell as it was, or embed it again on the event's page")
			return
		}
	}
}

// agree notes what the two sides of a field agree to differ on, or were found to agree on
// without a run that knows it, so that it is asked once. What somebody has changed on the
// platform alone is nobody's decision: should the row change too, that is a conflict.
func (c conclusion) agree(s *sides, decision Decision, asked bool) {
	moved := s.mineMoved || s.liveMoved
	switch {
	case s.same && (moved || !s.based), s.unread && !s.mineMoved:
	case decision == Left && asked && (moved || !s.based):
	case decision == Send && !s.said && moved: // it stays as it is beside what is sent
	case decision == Send && s.merged:
	default:
		return
	}
	if c.op.Agreed == nil {
		c.op.Agreed = map[string]Agreement{}
	}
	agreed := Agreement{Mine: s.mine, Live: s.live}
	switch {
	case s.merged && decision == Send:
		agreed = Agreement{Mine: s.cell, Live: s.mine}
	case s.cell != nil:
		agreed.Mine = s.cell
	}
	c.op.Agreed[s.field.Path] = agreed
}
