package service

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"eventbatch/batch/api"
	"eventbatch/batch/plan"
	"eventbatch/batch/profile"
	"eventbatch/batch/secret"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
)

// Resolve returns the id of the calendar that a word means: an id, or the slug or the name of a calendar
// of an organization whose key there is; "" is a row that names none.
func (s *Service) Resolve(ctx context.Context, word string) (string, error) {
	return s.ResolveIn(ctx, word, func(organization string) (*api.Listed, error) {
		l, err := s.Across(ctx, organization)
		if err != nil {
			return nil, err
		}
		return l.Records(ctx, catalog.Calendars, "")
	})
}

// ResolveIn does so by the lists of the organizations' calendars.
func (s *Service) ResolveIn(ctx context.Context, word string, list func(organization string) (*api.Listed, error)) (string, error) {
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
		case RefusesKey(err) || api.ClassOf(err) == api.Refused: // what cannot be listed is known by its id alone
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
			if catalog.Calendars.Called(record.Values, word) {
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
	if serves, err := s.Serves(ctx, word); serves || err != nil {
		return word, err
	}
	return "", failure.New(failure.Config, fmt.Errorf("no calendar of the organization has the id, the slug or the name %q", word),
		profile.Known(known))
}

// DefaultOrganization returns where calendars are made whose rows name none: in the only organization whose key there
// is, unless the calendar that is meant where none is named is of one.
func (s *Service) DefaultOrganization() string {
	targets := s.config.Connection.Targets
	if target, err := targets.For(""); err == nil && target.Kind == secret.Organization {
		return ""
	}
	if all := targets.Organizations(); len(all) == 1 {
		return all[0]
	}
	return ""
}

// Organized reports whether a key reaches several calendars, between which events may move.
func (s *Service) Organized() bool { return len(s.config.Connection.Targets.Organizations()) > 0 }

// Calendars returns the ids of the calendars that a user means, and whether rows can
// name them.
func (s *Service) Calendars(ctx context.Context, words []string) (ids []string, named bool, err error) {
	if slices.Contains(words, AllCalendars) {
		ids, err = s.Reached(ctx)
		return ids, true, err
	}
	if len(words) == 0 {
		words = []string{""}
	}
	for _, word := range words {
		id, err := s.Resolve(ctx, word)
		if err != nil {
			return nil, false, err
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		target, err := s.config.Connection.Targets.For(word)
		named = err == nil && target.Calendar != ""
	}
	return ids, named, nil
}

// Reached returns the calendars that the keys reach: those that keys are for, and those
// of the organizations.
func (s *Service) Reached(ctx context.Context) (ids []string, err error) {
	add := func(id string) {
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, target := range s.config.Connection.Targets.All() {
		if target.Kind != secret.Organization {
			id, err := s.Resolve(ctx, target.Calendar)
			if err != nil {
				return nil, err
			}
			add(id)
			continue
		}
		if target.Calendar != "" {
			add(target.Calendar)
			continue
		}
		l, err := s.open(ctx, target)
		if err != nil {
			return nil, err
		}
		calendars, err := l.calendars(ctx, target.Organization)
		if err != nil {
			return nil, err
		}
		for i := range calendars {
			add(calendars[i].ID)
		}
	}
	return ids, nil
}

// AllCalendars stands for every calendar that the keys reach.
const AllCalendars = "all"
