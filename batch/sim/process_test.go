package sim

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"eventbatch/batch/journal"
	"eventbatch/batch/journal/files"
	"eventbatch/batch/profile"
	"eventbatch/batch/sandbox"
	"eventbatch/batch/secret"
	"eventbatch/batch/service"
)

// process is one going of the command over a folder. It dies at a request, a write or a sync: from then on none of them
// has an effect, and what it waits for ends.
type process struct {
	w         *world
	on        *machine
	ctx       context.Context
	cancel    context.CancelCauseFunc
	workspace *files.Workspace
	service   *service.Service

	mu     sync.Mutex
	source *rand.Rand
	death  death
	run    *journal.Run // that it sends; nil for none
	sent   int          // requests
	dead   bool
}

// death says when a process dies, if it does.
type death struct {
	at    int  // its write, sync or request of that number, from 1; 0 for none
	when  fate // in the course of it
	power bool // that of the whole machine goes
}

// fate is what becomes of a request, a write or a sync.
type fate int

const (
	alive  fate = iota
	before      // the process dies before it has an effect
	midway      // a part is written; a request arrives when the process is gone
	after       // it has its effect, and the process dies before it knows
	gone        // the process is dead already
)

var errDead = errors.New("the process is dead")

// begin has a process begin over a machine's folder.
func (w *world) begin(m *machine, d death, seed uint64) (*process, error) {
	p := &process{w: w, on: m, death: d, source: rand.New(rand.NewPCG(seed, 0xdead))}
	p.ctx, p.cancel = context.WithCancelCause(w.t.Context())
	var err error
	if p.workspace, err = files.OpenWorkspaceOn(m.folder, disk{p}); err != nil {
		return nil, err
	}
	conf := profile.Default()
	conf.BaseURL, conf.Keys = "http://localhost/api", w.keys()
	conf.Limits.Calendar, conf.Limits.Organization = w.limits.Calendar, w.limits.Organization
	if p.service, err = service.Open(service.Config{
		Connection: profile.New(conf, "", profile.Env{Lookup: func(name string) (string, bool) {
			return strings.ToLower(strings.ReplaceAll(name, "_", "-")), true
		}}),
		Transport: link{p}, Concurrency: w.concurrency, Ledgers: w.ledgers(),
	}); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.processes = append(m.processes, p)
	return p, nil
}

// keys are those of the connection.
func (w *world) keys() []profile.Key {
	key := func(kind secret.Kind, calendar, of string) profile.Key {
		name := strings.ToUpper(strings.ReplaceAll(w.keyOf(of), "-", "_"))
		return profile.Key{Kind: kind, Calendar: calendar, From: secret.Ref{Scheme: "env", Value: name}}
	}
	switch {
	case w.organized:
		k := key(secret.Organization, "", "")
		k.Organization = "org-1"
		return []profile.Key{k}
	case len(w.calendars) == 1:
		return []profile.Key{key(secret.Calendar, "", w.calendars[0])} // which one, the platform is asked
	}
	var keys []profile.Key
	for _, calendar := range w.calendars {
		keys = append(keys, key(secret.Calendar, calendar, calendar))
	}
	return keys
}

// end ends a process that has done what it was to do, or is dead.
func (p *process) end() (died bool) {
	err := p.service.Close()
	p.on.mu.Lock()
	p.on.processes = slices.DeleteFunc(p.on.processes, func(other *process) bool { return other == p })
	p.on.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && !p.dead {
		p.w.fail("a process that lives cannot give its quota up: %v", err)
	}
	p.cancel(nil)
	return p.dead
}

// pass counts an event of the process, and returns what becomes of it.
func (p *process) pass() fate {
	p.mu.Lock()
	if p.dead {
		p.mu.Unlock()
		return gone
	}
	p.death.at--
	if p.death.at != 0 {
		p.mu.Unlock()
		return alive
	}
	p.mu.Unlock()
	if p.death.power {
		p.on.mu.Lock()
		others := slices.Clone(p.on.processes)
		p.on.mu.Unlock()
		for _, other := range others {
			other.die()
		}
	}
	p.die()
	return p.death.when
}

// dies takes the power away where the process has died of that, once the last that it did has had its effect.
func (p *process) dies(fate fate) {
	if fate == alive || fate == gone || !p.death.power {
		return
	}
	if err := p.on.crash(rand.New(rand.NewPCG(uint64(p.draw(1<<30)), 0xc7a5))); err != nil {
		p.w.fail("%v", err)
	}
}

func (p *process) die() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
	p.cancel(errDead)
}

func (p *process) isDead() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

func (p *process) draw(n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.source.IntN(n)
}

// link carries the requests of a process to the platform. One that was sent arrives after a while, whatever becomes of the
// process.
type link struct{ by *process }

var errReset = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}

func (l link) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := drain(req)
	if err != nil {
		return nil, err
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	fate := l.by.pass()
	defer l.by.dies(fate) // with after it is dead already, and does not hear the answer
	if fate == gone || fate == before {
		return nil, errReset
	}
	l.by.w.heeds(req)
	l.by.counts()
	sandbox.Leaves(req)
	if err := req.Context().Err(); err != nil { // a hook has kept it back
		return nil, err
	}
	answers := make(chan answer, 1)
	l.by.w.flying.Go(func() { answers <- l.by.w.arrive(req, body, l.by) })
	if fate == midway {
		<-answers // what the process has of the quota is not given back before, as it would be where it lived
		return nil, errReset
	}
	select {
	case a := <-answers:
		if l.by.isDead() {
			return nil, errReset
		}
		l.by.w.hears(req, a.res)
		return a.res, a.err
	case <-req.Context().Done():
		if l.by.isDead() {
			<-answers
		}
		return nil, req.Context().Err()
	}
}

// answer is what the platform says.
type answer struct {
	res *http.Response
	err error
}

func drain(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(req.Body)
	return body, errors.Join(err, req.Body.Close())
}

// counts counts a request that leaves, and requests returns how many have.
func (p *process) counts() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent++
}

func (p *process) requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent
}

// pause is the time in which whoever counts requests for an owner waits, as an answer has asked for.
type pause struct{ heard, until time.Time }

// hears notes until when the platform asks to wait. What one process hears all do, whose count is one.
func (w *world) hears(req *http.Request, res *http.Response) {
	if res == nil || res.StatusCode != http.StatusTooManyRequests {
		return
	}
	wait := time.Minute // the window
	if text := res.Header.Get("Retry-After"); text != "" {
		if d, err := time.ParseDuration(text + "s"); err == nil {
			wait = d
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, owner := range owners(req) {
		w.asked[owner] = append(w.asked[owner], pause{time.Now(), time.Now().Add(wait)})
	}
}

// heeds fails the history where a request leaves though it was asked to wait. What leaves at the moment of the answer has not heard it.
func (w *world) heeds(req *http.Request) {
	w.mu.Lock()
	var until time.Time
	for _, owner := range owners(req) {
		for _, p := range w.asked[owner] {
			if now := time.Now(); now.After(p.heard) && now.Before(p.until) {
				until = p.until
			}
		}
	}
	w.mu.Unlock()
	if !until.IsZero() {
		w.fail("%s left %v before the end of the wait that was asked for", req.URL.Path, time.Until(until))
	}
}

// owners returns whose quotas a request is counted for: that of its key and, where this is the key of an organization, that of the
// calendar which it names.
func owners(req *http.Request) []string {
	key := req.Header.Get("x-service-api-key")
	if calendar := req.Header.Get("x-service-calendar-id"); calendar != "" {
		return []string{calendar, key}
	}
	return []string{key}
}

// refusal returns an answer that nothing was done, for a reason that no rule tells of.
func refusal(req *http.Request) *http.Response {
	const text = `{"message":"Not today.","code":null}`
	return &http.Response{
		Status: "400 Bad Request", StatusCode: http.StatusBadRequest, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(text)),
	}
}

// arrive has a request arrive that a process has sent.
func (w *world) arrive(req *http.Request, body []byte, by *process) answer {
	time.Sleep(w.travels(req.URL.Path, body))
	r := req.Clone(context.Background())
	r.Body = io.NopCloser(bytes.NewReader(body))
	if req.Body == nil {
		r.Body = nil
	}
	w.meddles(by)
	w.watch(req, body, by)
	if w.refuses.Load() && strings.Contains(req.URL.Path, "/events/") && req.Method == http.MethodPost && by.draw(2) == 0 {
		return answer{refusal(req), nil}
	}
	res, err := w.platform.Transport().RoundTrip(r)
	if w.untold && err == nil {
		maps.DeleteFunc(res.Header, func(name string, _ []string) bool { return strings.HasPrefix(name, "X-Ratelimit-") })
	}
	w.made(body, by)
	return answer{res, err}
}
