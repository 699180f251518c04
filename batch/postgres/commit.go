package postgres

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"eventbatch/batch/journal"

	"github.com/jackc/pgx/v5"
)

// storeSQL stores what some journals have recorded. A journal whose run or owner another process has taken over stores
// nothing, and neither does one of a database in which less is stored than it knows of, since that was restored. Their
// rows of attachments and leases are locked for that moment: a successor begins when all that was under way before is
// stored, and nothing comes after. What is returned are the others. The row of a run changes with each who takes the whole
// of it up, for whoever is about to note that it has come to its end; shares of one that has have nothing to do.
var storeSQL = sync.OnceValue(func() string {
	return `
with said as (
	update attachments a set commits = a.commits + 1, attached = a.attached + (v.turn > 0)::int, turn = greatest(a.turn, v.turn),
		home = coalesce(v.home::jsonb, a.home), ended = case when v.ended <> '' then v.ended when v.turn > 0 then '' else a.ended end,
		undone = a.undone or v.ended = 'undone', at = greatest(a.at, v.at), failed = a.failed + v.failed, sent = a.sent + v.sent,
		reads = a.reads + v.reads, throttled = a.throttled + v.throttled
	from unnest($1::int[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::int[], $8::text[], $9::text[],
		$10::timestamptz[], $11::int[], $12::int[], $13::int[], $14::int[])
		as v (ord, run, owner, epoch, lease, commits, turn, home, ended, at, failed, sent, reads, throttled)
	where a.run = v.run and a.owner = v.owner and a.epoch = v.epoch and a.commits = v.commits
		and (v.owner = '' or exists (select from leases l where l.name = v.owner and l.epoch = v.lease for share))
	returning v.ord, a.run, a.owner, v.turn > 0 as attached
), reopened as (
	update runs set tally = null from said where said.attached and runs.id = said.run and (runs.tally is not null or said.owner = '')
), ops as (
	insert into outcomes as o (run, n, status, attempts, turn, http, operation, event, key, hash, code, error, fields, sent, at)
	select said.run, v.n, v.status::"char", v.attempts, v.turn, v.http, v.operation, v.event, v.key, v.hash, v.code, v.error,
		v.fields::jsonb, v.sent::timestamptz[], v.at
	from unnest($15::int[], $16::int[], $17::text[], $18::int[], $19::int[], $20::int[], $21::text[], $22::text[], $23::bytea[],
		$24::text[], $25::text[], $26::text[], $27::text[], $28::text[], $29::timestamptz[])
		as v (ord, n, status, attempts, turn, http, operation, event, key, hash, code, error, fields, sent, at)
		join said using (ord)
	on conflict (run, n) do update set status = excluded.status, attempts = excluded.attempts, turn = excluded.turn,
		http = excluded.http, operation = excluded.operation, event = excluded.event, key = excluded.key, hash = excluded.hash,
		code = excluded.code, error = excluded.error, fields = excluded.fields, at = excluded.at,
		sent = coalesce(o.sent || excluded.sent, o.sent, excluded.sent)
), memory as (` + keysSQL + `
	from unnest($30::int[], $31::text[], $32::text[], $33::bytea[], $34::int[], $35::int[], $36::int[], $37::bool[], $38::text[],
		$39::int[], $40::int[], $41::bool[], $42::int[], $43::int[], $44::text[], $45::bool[], $46::int[], $47::int[], $48::int[],
		$49::int[], $50::int[])
		as v (ord, service, kind, name, run, turn, op, gone, event, event_turn, event_op, cancelled, life_turn, life_op, hash, undone,
			hash_turn, hash_op, own_run, own_turn, own_op)
		join said using (ord) join services s on s.base_url = v.service` + keysConflict() + `
)
select ord from said`
})

// keysSQL begins the statement that adds facts to the memory of keys, from rows that are called v with their services
// s.
const keysSQL = `
	insert into keys as k (service, kind, name, run, turn, op, gone, event, event_turn, event_op, cancelled, life_turn, life_op, hash,
		undone, hash_turn, hash_op, own_run, own_turn, own_op)
	select s.id, v.kind::"char", v.name, v.run, v.turn, v.op, v.gone, v.event, v.event_turn, v.event_op, v.cancelled, v.life_turn,
		v.life_op, v.hash, v.undone, v.hash_turn, v.hash_op, v.own_run, v.own_turn, v.own_op`

// keysConflict ends it: of each part of a fact that is kept which was said last. What an op says takes the place of all
// that it has said before, for it may have been answered with the id of another one's event.
var keysConflict = sync.OnceValue(func() string {
	var set []string
	for _, part := range []struct {
		by      string // the columns that say who has said it
		columns []string
	}{
		{"turn, op", []string{"run", "gone"}},
		{"event_turn, event_op", []string{"event"}},
		{"life_turn, life_op", []string{"cancelled"}},
		{"hash_turn, hash_op", []string{"hash", "undone"}},
		{"own_turn, own_op", []string{"own_run"}},
	} {
		by := strings.Split(part.by, ", ")
		for _, column := range append(part.columns, by...) {
			set = append(set, fmt.Sprintf(
				"%[1]s = case when (excluded.%[2]s, excluded.%[3]s) >= (k.%[2]s, k.%[3]s) "+
					"or excluded.turn > 0 and (excluded.turn, excluded.op) = (k.%[2]s, k.%[3]s) then excluded.%[1]s else k.%[1]s end",
				column, by[0], by[1],
			))
		}
	}
	return " on conflict (service, kind, name) do update set " + strings.Join(set, ", ")
})

// part is what one journal has to store.
type part struct {
	journal *rowJournal
	round   *round
	attach  *journal.Record
	end     *journal.Record
	failed  int
	at      time.Time
	ops     []journal.Outcome
	sent    map[int][]time.Time // by ops: when requests left of which each is the first, since it was stored last
	keys    []journal.Entry
	stored  bool  // else another process has taken over
	err     error // why nothing of it is stored, where that is its own fault
}

// deadlock is the code of the error that a statement waited for another one which waited for it: it has stored nothing.
const deadlock = "40P01"

// storeParts stores what some journals have recorded, and notes with each whether it is stored. After an error it may
// be stored or not.
func (c *committer) storeParts(parts []*part) error {
	if len(parts) > 1 && alike(parts) {
		return c.singly(parts) // one statement cannot say something of a key twice
	}
	err := c.storeOnce(parts)
	for tries := 0; codeOf(err) == deadlock && tries < 5; tries++ {
		err = c.storeOnce(parts)
	}
	if code := codeOf(err); len(parts) > 1 && len(code) == 5 && (code[:2] == "22" || code[:2] == "23") {
		return c.singly(parts) // what one of them has recorded cannot be stored: the others are not to blame
	}
	return err
}

// singly stores parts one after another. One that fails does not keep the others.
func (c *committer) singly(parts []*part) error {
	for _, p := range parts {
		p.err = c.storeParts([]*part{p})
	}
	return nil
}

// alike reports whether two parts say something of the same key.
func alike(parts []*part) bool {
	type name struct {
		service string
		journal.Subject
	}
	met := map[name]bool{}
	for _, p := range parts {
		service := p.journal.run.Header().Target.BaseURL
		for i := range p.keys {
			n := name{service, p.keys[i].Subject}
			if met[n] {
				return true
			}
			met[n] = true
		}
	}
	return false
}

func (c *committer) storeOnce(parts []*part) error {
	var a attachmentColumnsOf
	var o opColumnsOf
	var k keyColumnsOf
	for i, p := range parts {
		a.add(i, p)
		for n := range p.ops {
			if err := o.add(i, &p.ops[n], p.sent[p.ops[n].Op]); err != nil {
				return err
			}
		}
		for n := range p.keys {
			k.add(i, p.journal.run, &p.keys[n])
		}
	}
	stored, err := collect(c.client, pgx.RowTo[int], storeSQL(), append(append(a.args(), o.args()...), k.args()...)...)
	if err != nil {
		return err
	}
	for _, i := range stored {
		parts[i].stored = true
		parts[i].journal.held.commits++
	}
	if len(stored) > 0 {
		c.client.stored()
	}
	return nil
}

// attachmentColumnsOf are the columns of attachments as they are stored.
type attachmentColumnsOf struct {
	ord, turn, failed, sent, reads, throttled []int32
	run, owner, ended                         []string
	epoch, lease, commits                     []int64
	home                                      []*string
	at                                        []time.Time
}

func (c *attachmentColumnsOf) add(ord int, p *part) {
	h := p.journal.held
	lease := int64(0)
	if h.lease != nil {
		lease = h.lease.epoch
	}
	turn, ended, requests := 0, "", journal.Made{}
	if p.attach != nil {
		turn = p.attach.Turn
	}
	if p.end != nil {
		ended, requests = p.end.Code, p.end.Requests
	}
	c.ord, c.run, c.owner = append(c.ord, int32(ord)), append(c.run, h.run), append(c.owner, h.owner())
	c.epoch, c.lease, c.commits = append(c.epoch, h.epoch), append(c.lease, lease), append(c.commits, h.commits)
	c.turn, c.home = append(c.turn, int32(turn)), append(c.home, homeText(p.attach))
	c.ended, c.at = append(c.ended, ended), append(c.at, p.at)
	c.failed, c.sent = append(c.failed, int32(p.failed)), append(c.sent, int32(requests.Sent))
	c.reads, c.throttled = append(c.reads, int32(requests.Reads)), append(c.throttled, int32(requests.Throttled))
}

func (c *attachmentColumnsOf) args() []any {
	return []any{
		c.ord, c.run, c.owner, c.epoch, c.lease, c.commits, c.turn, c.home, c.ended, c.at, c.failed, c.sent, c.reads, c.throttled,
	}
}

// opColumnsOf are the columns of outcomes as they are stored.
type opColumnsOf struct {
	ord, n, attempts, turn, http               []int32
	status, operation, event, hash, code, text []string
	key                                        [][]byte
	fields, sent                               []*string
	at                                         []time.Time
}

func (c *opColumnsOf) add(ord int, o *journal.Outcome, sent []time.Time) error {
	key, why, fields, err := storedOf(o)
	if err != nil {
		return err
	}
	var left *string
	if len(sent) > 0 {
		times := make([]string, len(sent))
		for i, at := range sent {
			times[i] = at.UTC().Format(time.RFC3339Nano)
		}
		left = new("{" + strings.Join(times, ",") + "}")
	}
	c.ord, c.n, c.attempts = append(c.ord, int32(ord)), append(c.n, int32(o.Op)), append(c.attempts, int32(attemptsOf(o)))
	c.turn, c.http = append(c.turn, int32(o.Turn)), append(c.http, int32(o.HTTP))
	c.status, c.operation = append(c.status, letters[o.Status:o.Status+1]), append(c.operation, o.Operation)
	c.event, c.hash = append(c.event, o.EventID), append(c.hash, o.Hash)
	c.code, c.text = append(c.code, why.Code), append(c.text, why.Error)
	c.key, c.fields, c.sent = append(c.key, key), append(c.fields, fields), append(c.sent, left)
	c.at = append(c.at, o.At)
	return nil
}

func (c *opColumnsOf) args() []any {
	return []any{
		c.ord, c.n, c.status, c.attempts, c.turn, c.http, c.operation, c.event, c.key, c.hash, c.code, c.text, c.fields, c.sent, c.at,
	}
}

// storedOf returns what a row has of an outcome in another form: the key, nil before one was told, and why, with texts
// that PostgreSQL takes, of which the fields are a column of their own.
func storedOf(o *journal.Outcome) (key []byte, why journal.Why, fields *string, err error) {
	if o.Key != (journal.Name{}) {
		key = bytes.Clone(o.Key[:])
	}
	if o.Why != nil {
		why = *o.Why
	}
	why.Error = storable(why.Error)
	fields, err = fieldsText(why.Fields)
	return key, why, fields, err
}

// attemptsOf returns how often an op was tried, as far as its column counts.
func attemptsOf(o *journal.Outcome) int16 { return int16(min(o.Attempts, math.MaxInt16)) }

// storable returns a text that PostgreSQL takes: it has no character 0 in texts.
func storable(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFFFD")
}

// fieldsText returns the reasons about fields as they are stored, nil for none.
func fieldsText(fields []journal.FieldError) (*string, error) {
	if len(fields) == 0 {
		return nil, nil
	}
	kept := make([]journal.FieldError, len(fields))
	for i, f := range fields {
		kept[i] = journal.FieldError{Path: storable(f.Path), Reason: storable(f.Reason)}
	}
	text, err := json.Marshal(kept)
	s := string(text)
	return &s, err
}

// inOrder compares facts by what they are about.
func inOrder(a, b journal.Entry) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), bytes.Compare(a.Name[:], b.Name[:]))
}

// kindLetters are the kinds of facts as they are stored, in their order.
const kindLetters = "ke"

// keyColumnsOf are the columns of keys as they are stored.
type keyColumnsOf struct {
	ord, run, turn, op, eventTurn, eventOp, lifeTurn, lifeOp, hashTurn, hashOp, ownRun, ownTurn, ownOp []int32
	service, kind, event, hash                                                                         []string
	name                                                                                               [][]byte
	gone, cancelled, undone                                                                            []bool
}

func (c *keyColumnsOf) add(ord int, r *run, k *journal.Entry) {
	own := int32(0)
	if k.Fact.OwnBy != journal.Nobody {
		own = int32(r.number)
	}
	c.put(ord, r.Header().Target.BaseURL, k, int32(r.number), own)
}

// put adds the row of a fact, given the numbers of the runs that have had the last word and that made its event.
func (c *keyColumnsOf) put(ord int, service string, k *journal.Entry, last, own int32) {
	f := k.Fact
	c.ord, c.service = append(c.ord, int32(ord)), append(c.service, service)
	c.kind, c.name = append(c.kind, kindLetters[k.Kind:k.Kind+1]), append(c.name, bytes.Clone(k.Name[:]))
	c.run, c.turn, c.op, c.gone = append(c.run, last), append(c.turn, f.Last.Turn), append(c.op, f.Last.Op), append(c.gone, f.Gone)
	c.event, c.eventTurn, c.eventOp = append(c.event, f.ID), append(c.eventTurn, f.IDBy.Turn), append(c.eventOp, f.IDBy.Op)
	c.cancelled = append(c.cancelled, f.Cancelled)
	c.lifeTurn, c.lifeOp = append(c.lifeTurn, f.LifeBy.Turn), append(c.lifeOp, f.LifeBy.Op)
	c.hash, c.undone = append(c.hash, f.Values), append(c.undone, f.Undone)
	c.hashTurn, c.hashOp = append(c.hashTurn, f.ValuesBy.Turn), append(c.hashOp, f.ValuesBy.Op)
	c.ownRun, c.ownTurn, c.ownOp = append(c.ownRun, own), append(c.ownTurn, f.OwnBy.Turn), append(c.ownOp, f.OwnBy.Op)
}

func (c *keyColumnsOf) args() []any {
	return []any{
		c.ord, c.service, c.kind, c.name, c.run, c.turn, c.op, c.gone, c.event, c.eventTurn, c.eventOp, c.cancelled, c.lifeTurn, c.lifeOp,
		c.hash, c.undone, c.hashTurn, c.hashOp, c.ownRun, c.ownTurn, c.ownOp,
	}
}

// homeText returns a place as it is stored, nil for none.
func homeText(r *journal.Record) *string {
	if r == nil || r.Home == nil {
		return nil
	}
	text, err := json.Marshal(r.Home)
	if err != nil {
		return nil
	}
	s := string(text)
	return &s
}
