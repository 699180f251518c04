package postgres

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"eventbatch/batch/journal"
	"eventbatch/batch/plan"
)

// attachment is a row of attachments.
type attachment struct {
	Run      string
	Owner    string // empty of whoever had the whole run
	Attached int
	Turn     int
	Home     []byte
	Ended    string
	Undone   bool
	At       *time.Time
	journal.Made

	Commits int64
}

// attachments are those of one run: first that of the whole run, where there is one.
type attachments []attachment

const attachmentColumns = "run, owner, attached, turn, home, ended, undone, at, sent, reads, throttled, commits"

// attachmentsOf returns those for which a condition holds, by the ids of their runs.
func attachmentsOf(c *client, where string, args ...any) (map[string]attachments, error) {
	list, err := collect(c, pgx.RowToStructByPos[attachment],
		"select "+attachmentColumns+" from attachments where attached > 0 and "+where+" order by run, owner", args...)
	if err != nil {
		return nil, c.unusable("reading runs", err)
	}
	all := map[string]attachments{}
	for _, a := range list {
		all[a.Run] = append(all[a.Run], a)
	}
	return all, nil
}

// queueAttachments adds the reading of those that have to do with a run to what is asked together: of a share, those of
// whoever had its calendars; with what tells the database from its copies.
func (of *reading) queueAttachments(b *pgx.Batch, s *Store, run string) {
	where, args := "run = $1", []any{run}
	if s.lease != nil {
		// An array has each found by itself, and not all of the run be looked at.
		where += " and owner = any (array(select '' union all select unnest(owners) from parts where run = $1 and calendar = any ($2)))"
		args = append(args, s.calendars)
	}
	queue(b, (*[]attachment)(&of.said), func(row pgx.CollectableRow) (a attachment, err error) {
		err = row.Scan(&of.here, &a.Run, &a.Owner, &a.Attached, &a.Turn, &a.Home, &a.Ended, &a.Undone, &a.At,
			&a.Sent, &a.Reads, &a.Throttled, &a.Commits)
		return a, err
	}, "select "+tables+", coalesce(run, ''), coalesce(owner, ''), coalesce(attached, 0), coalesce(turn, 0), home, "+
		"coalesce(ended, ''), coalesce(undone, false), at, coalesce(sent, 0), coalesce(reads, 0), coalesce(throttled, 0), "+
		"coalesce(commits, 0) from (select) as one "+
		"left join (select * from attachments where attached > 0 and "+where+") as a on true order by owner", args...)
}

// whole returns that of the whole run, which may be empty, and shares those that were taken up since.
func (a attachments) whole() attachment {
	if len(a) > 0 && a[0].Owner == "" {
		return a[0]
	}
	return attachment{}
}

func (a attachments) shares() attachments {
	turn := a.whole().Turn
	return slices.DeleteFunc(slices.Clone(a), func(one attachment) bool { return one.Owner == "" || one.Turn < turn })
}

func (a attachments) started() bool { return len(a) > 0 }

// ended returns why the run came to its last end: empty where a process is at work or was killed, or where nobody
// has taken up what is open yet.
func (a attachments) ended(open func() int) string {
	shares := a.shares()
	if len(shares) == 0 {
		return a.whole().Ended
	}
	ended := "done"
	for _, one := range shares {
		if ended != "" && one.Ended != "done" {
			ended = one.Ended
		}
	}
	if ended == "done" && open() > 0 {
		return ""
	}
	return ended
}

// at returns when the run was last heard of.
func (a attachments) at() (at time.Time) {
	for _, one := range a {
		if one.At != nil && one.At.After(at) {
			at = *one.At
		}
	}
	return at
}

// turn returns the last one.
func (a attachments) turn() (turn int) {
	for _, one := range a {
		turn = max(turn, one.Turn)
	}
	return turn
}

// home returns where the run was when it was taken up; false where that was not noted.
func (a *attachment) home() (home plan.Home, noted bool) {
	return home, len(a.Home) > 0 && json.Unmarshal(a.Home, &home) == nil
}

// say adds to a state what the attachments say, of the whole run or of a share.
func (a attachments) say(s *journal.State, whole bool, here *plan.Home) {
	s.Started = a.started()
	for _, one := range a {
		s.Attached += one.Attached
		s.Undone = s.Undone || one.Undone
		s.Requests.Add(one.Made)
		if home, noted := one.home(); noted && one.Turn >= s.Turn {
			s.Home = home
		}
		s.Turn = max(s.Turn, one.Turn)
	}
	for _, one := range a.shares() {
		// What one share went on with after a restore says nothing of the others.
		if home, noted := one.home(); noted && whole && (home.Host != here.Host || home.Inode != here.Inode) {
			s.Home = home
		}
	}
	s.At = a.at()
	s.Ended = a.ended(func() int {
		if !whole {
			return 0 // other shares are not this one's
		}
		return s.Tally().Open()
	})
}
