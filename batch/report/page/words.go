package page

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/pattern"
	"eventbatch/mapping/schema"
)

// Audience is who reads the page.
type Audience string

// The audiences.
const (
	Customer Audience = "customer" // knows the file; "" is the same
	Engineer Audience = "engineer" // knows the command, the run and the service as well
)

// Audiences are all of them.
var Audiences = []Audience{Customer, Engineer}

var engineerWords = map[string]string{"upsert": "create or update"}

func (s *Sink) words() map[string]string {
	if s.For == Engineer {
		return engineerWords
	}
	return finding.Plain
}

// plain returns a word as its reader says it.
func (s *Sink) plain(word string) string {
	if said := s.words()[word]; said != "" {
		return said
	}
	return visible(strings.ReplaceAll(word, "_", " "))
}

// message returns what is wrong as its reader says it: a customer reads the titles of fields.
func (s *Sink) message(text string) string {
	if s.For == Engineer {
		return text
	}
	return catalog.Titled(strings.ReplaceAll(text, "values of the mapping", "values that are known"))
}

// hint returns what to do as its reader can do it: of several ways those that need no
// command are left to a customer, and where there is none, to speak to who has it.
func (s *Sink) hint(severity schema.Severity, text string) string {
	if s.For == Engineer || text == "" {
		return text
	}
	var kept []string
	for part := range strings.SplitSeq(aside().ReplaceAllString(text, ""), "; ") {
		var ways []string
		for way := range strings.SplitSeq(strings.TrimPrefix(part, "or "), ", or ") {
			if !inner().MatchString(way) {
				ways = append(ways, way)
			}
		}
		if len(ways) > 0 {
			kept = append(kept, strings.Join(ways, ", or "))
		}
	}
	switch {
	case len(kept) > 0:
		return catalog.Titled(strings.Join(kept, "; "))
	case severity == schema.Warning:
		return "tell those who import the file if that is not right"
	}
	return "mend it, or tell those who import the file what is meant"
}

// change returns a changed field with its values as the reader says them: a customer reads
// local times, and of a location what it holds.
func (s *Sink) change(c finding.Change) (field, before, after string) {
	if s.For == Engineer {
		return c.Field, c.Before, c.After
	}
	c = c.Priced()
	field, before, after = capital(strings.TrimSuffix(catalog.Titled(c.Field), " (JSON)")), members(c.Before), members(c.After)
	from, zone := wall(before)
	to, other := wall(after)
	if from != "" && to != "" && (zone == other || !c.Known) {
		return field, from, to
	}
	return field, before, after
}

// wall splits a timestamp into its local time and its offset; both are empty for what is none.
func wall(text string) (local, zone string) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "", ""
	}
	return t.Format("2006-01-02 15:04"), t.Format("-07:00")
}

// members returns the texts in a flat object of JSON but that of its type, or the text itself.
func members(text string) string {
	var object map[string]string
	if json.Unmarshal([]byte(text), &object) != nil || len(object) == 0 {
		return text
	}
	delete(object, "type")
	var list []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		list = append(list, object[name])
	}
	return strings.Join(list, ", ")
}

var (
	inner = pattern.New(`(^|[ (])--[a-z]|\beventbatch\b|\b[Rr]un 2[0-9]{7}-|\b(mapping|profile)\b|^plan looks`)
	aside = pattern.New(` \([^()]*\beventbatch [^()]*\)`)
)

// reason returns why a row has its status. A customer knows what a good status means.
func (s *Sink) reason(row *finding.Row) string {
	if s.For != Engineer && !row.Status.Bad() && row.Status != finding.Skipped && row.Action != "skip" {
		return ""
	}
	return s.message(row.Why())
}
