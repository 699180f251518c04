package live

import (
	"context"
	"errors"
	"strings"
	"time"

	"eventbatch/batch/api"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
)

// meant is the calendar that a word means, or why it means none.
type meant struct {
	id  string
	err error
}

// Resolve returns the calendar that a row means. The lists are asked again for one that a run has made so
// shortly before that they may lack it.
func (c *Cache) Resolve(ctx context.Context, word string) (string, error) {
	if m, known := c.words[word]; known {
		return m.id, m.err
	}
	var m meant
	for _, answered := range []time.Time{{}, c.memory.Heard("")} {
		m.id, m.err = c.service.ResolveIn(ctx, word, func(organization string) (*api.Listed, error) {
			records, err := c.All(ctx, catalog.Calendars, organization, "", answered)
			if err != nil {
				return nil, err
			}
			return records.Listed, nil
		})
		if !errors.Is(m.err, failure.Config) {
			break
		}
	}
	if c.words == nil {
		c.words = map[string]meant{}
	}
	c.words[strings.Clone(word)] = m
	return m.id, m.err
}
