package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"eventbatch/batch/api"
	"eventbatch/batch/plan"
	"eventbatch/batch/profile"
	"eventbatch/batch/secret"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
)

// Resolve returns the id of the calendar that a word means: an id, or the slug or the name of a calendar
// of an organization whose key there is; "" is a row that names none.
func (s *Service) Resolve(ctx context.Context, word string) (string, error) {
	return s.resolve(ctx, word, func(organization string) (*api.Listed, error) {
		l, err := s.across(ctx, organization)
		if err != nil {
			return nil, err
		}
		return l.records(ctx, schema.Calendars, "")
	})
}

// resolve does so by the lists of the organizations' calendars.
func (s *Service) resolve(ctx context.Context, word string, list func(organization string) (*api.Listed, error)) (string, error) {
	targets := s.config.Connection.Targets
	target, unserved := targets.For(word)
	if unserved == nil && target.Calendar == "" && target.Kind != secret.Organization {
		return s.own(ctx, target)
	}
	word = cmp.Or(target.Calendar, word)
	organizations := targets.Organizations()
	if word == "" || unserved == nil && target.Named() || len(organizations) == 0 {
		return word, unserved
	}
	var found, known []string
	for _, organization := range organizations {
		listed, err := list(organization)
		switch {
		case err == nil:
		case refusesKey(err) || api.ClassOf(err) == api.Refused: // what cannot be listed is known by its id alone
			return word, unserved
		default:
			return "", err
		}
		if _, there := listed.Of(word); there {
			found = []string{word}
			break
		}
		for id := range listed.IDs() {
			record, _ := listed.Of(id)
			if schema.Calendars.Called(record.Values, word) {
				found = append(found, id)
			}
			var slug string
			_ = json.Unmarshal(record.Values["slug"], &slug) // who has none is known by its id
			known = append(known, cmp.Or(slug, id))
		}
	}
	switch slices.Sort(found); {
	case len(found) > 1:
		return "", failure.New(failure.Config, fmt.Errorf("several calendars are called %q: %w", word, &plan.SeveralError{IDs: found}),
			"write the id of the one that is meant")
	case len(found) == 1:
		_, err := targets.For(found[0])
		return found[0], err
	case unserved != nil:
		return "", unserved
	}
	if serves, err := s.serves(ctx, word); serves || err != nil {
		return word, err
	}
	return "", failure.New(failure.Config, fmt.Errorf("no calendar of the organization has the id, the slug or the name %q", word),
		profile.Known(known))
}

// organization returns where calendars are made whose rows name none: in the only organization whose key there
// is, unless the calendar that is meant where none is named is of one.
func (s *Service) organization() string {
	targets := s.config.Connection.Targets
	if target, err := targets.For(""); err == nil && target.Kind == secret.Organization {
		return ""
	}
	if all := targets.Organizations(); len(all) == 1 {
		return all[0]
	}
	return ""
}

// anyOf returns a calendar of the organization: requests about calendars name one of them, whichever it is.
// Where none can be told, they name none.
func (s *Service) anyOf(ctx context.Context, target profile.Target) (calendar string) {
	target.Calendar = ""
	l, err := s.open(ctx, target)
	if err != nil {
		return "" // who sends is told
	}
	all, _ := l.calendars(ctx, target.Organization)
	for i := range all {
		if id := all[i].ID; calendar == "" || id < calendar {
			calendar = id
		}
	}
	return calendar
}

// meant is the calendar that a word means, or why it means none.
type meant struct {
	id  string
	err error
}

// resolve returns the calendar that a row means. The lists are asked again for one that a run has made so
// shortly before that they may lack it.
func (e *earlier) resolve(ctx context.Context, word string) (string, error) {
	if m, known := e.words[word]; known {
		return m.id, m.err
	}
	var m meant
	for _, answered := range []time.Time{{}, e.memory.Heard("")} {
		m.id, m.err = e.service.resolve(ctx, word, func(organization string) (*api.Listed, error) {
			records, err := e.steady(ctx, schema.Calendars, organization, "", answered)
			if err != nil {
				return nil, err
			}
			return records.Listed, nil
		})
		if !errors.Is(m.err, failure.Config) {
			break
		}
	}
	if e.words == nil {
		e.words = map[string]meant{}
	}
	e.words[strings.Clone(word)] = m
	return m.id, m.err
}
