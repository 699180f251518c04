package postgres

import "eventbatch/batch/journal"

// calendars are those of a share, in order.
type calendars []string

// part returns what a head says of them.
func (c calendars) part(head *journal.Head) *journal.Head {
	part := *head
	part.Header.Target.Calendars, part.Header.Known = map[string]string{}, map[string][]string{}
	for _, calendar := range c {
		if print, has := head.Header.Target.Calendars[calendar]; has {
			part.Header.Target.Calendars[calendar] = print
		}
		if ids, has := head.Header.Known[calendar]; has {
			part.Header.Known[calendar] = ids
		}
	}
	return &part
}

// within is the condition that an op is of one of them, and its parameter. One that may be several is not in the order
// of an index.
func (c calendars) within(of, parameter string) (condition string, value any) {
	if len(c) == 1 {
		return of + "calendar = " + parameter, c[0]
	}
	return of + "calendar = any (" + parameter + ")", c
}
