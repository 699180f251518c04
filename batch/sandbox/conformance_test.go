package sandbox_test

import (
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"eventbatch/batch/sandbox"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/richtext"
	"eventbatch/mapping/schema"
)

// Another double of the service is tried with
//
//	go test ./batch/sandbox -run TestConformance -service URL -key KEY -organization-key KEY
//
// Never the service itself: events are made and cancelled, and people are mailed.
var (
	serviceURL      = flag.String("service", "", "base `URL` of a double; without it the sandbox is tried")
	serviceKey      = flag.String("key", "one", "`KEY` of a calendar")
	organizationKey = flag.String("organization-key", "org", "`KEY` of the calendar's organization, empty for none")
	keyHeader       = flag.String("key-header", "x-service-api-key", "`NAME` of the header of the key")
	calendarHeader  = flag.String("calendar-header", "x-service-calendar-id", "`NAME` of the header that selects a calendar")
)

//go:embed testdata/conformance.txt
var conformance string

// double is the service that is tried.
type double struct {
	base  string
	rt    http.RoundTripper
	pause func(time.Duration)
	makes map[string]step // what makes the value of a name
	words int             // that were new
}

// step is one request, with what is wanted of its answer.
type step struct {
	text  string
	as    []string
	op    *schema.Operation
	body  string
	wants []string
	yield string // of what makes a value: where it is in the answer, or itself
}

// rule is a rule of the service while it is tried.
type rule struct {
	*testing.T
	*double
	values map[string]string
}

func TestConformance(t *testing.T) {
	var passed atomic.Int64 // the time of the sandbox is ours
	d := &double{base: *serviceURL, rt: http.DefaultTransport, pause: time.Sleep, makes: map[string]step{}}
	if d.base == "" {
		s, err := sandbox.New(sandbox.Config{
			Keys: []sandbox.Key{
				{Kind: sandbox.CalendarKey, Calendar: "cal-1", Organization: "org-1", Secret: *serviceKey},
				{Kind: sandbox.OrganizationKey, Organization: "org-1", Secret: *organizationKey},
			},
			Background: 2 * time.Second, CountedPages: true, ListLag: 2 * time.Second,
			Now: func() time.Time { return time.Now().Add(time.Duration(passed.Load())) },
		})
		if err != nil {
			t.Fatal(err)
		}
		d.base, d.rt, d.pause = "http://sandbox.test", s.Transport(), func(p time.Duration) { passed.Add(int64(p)) }
	}
	names, title, steps := map[string]bool{}, "", []step(nil)
	try := func() {
		if len(steps) == 0 {
			return
		}
		each := title == "every operation"
		for _, s := range steps {
			names[s.op.Name] = names[s.op.Name] || each
		}
		t.Run(title, func(t *testing.T) {
			if !each {
				r := d.rule(t)
				for _, s := range steps {
					r.carryOut(s)
				}
				return
			}
			for _, s := range steps {
				t.Run(s.op.Name, func(t *testing.T) { d.operation(t, s) })
			}
		})
		steps = nil
	}
	for line := range strings.Lines(strings.ReplaceAll(conformance, "\n\t", " ")) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if next, ok := strings.CutPrefix(line, "== "); ok {
			try()
			title = next
			continue
		}
		if made, ok := strings.CutPrefix(line, "let "); ok {
			name, made, _ := strings.Cut(made, " ")
			yield, request, _ := strings.Cut(made, " = ")
			s := readStep(t, request)
			s.yield = yield
			d.makes[name] = s
			continue
		}
		steps = append(steps, readStep(t, line))
	}
	try()
	for _, o := range catalog.Operations {
		if !names[o.Name] {
			t.Errorf("nothing says what %s does", o.Name)
		}
	}
}

// readStep reads [WORD…] OPERATION BODY => WANT….
func readStep(t *testing.T, line string) step {
	request, wants, _ := strings.Cut(line+" ", " =>")
	request, body, _ := strings.Cut(request, " {")
	s := step{text: line, as: strings.Fields(request)}
	if body != "" {
		s.body = "{" + body
	}
	last := len(s.as) - 1
	if s.op = catalog.OperationNamed(s.as[last]); s.op == nil {
		t.Fatalf("%s: no operation of the catalog", line)
	}
	s.as = s.as[:last]
	for want := range strings.FieldsSeq(wants) {
		before, rest, braced := strings.Cut(want, "{")
		if !braced {
			s.wants = append(s.wants, want)
			continue
		}
		for part := range strings.SplitSeq(strings.TrimSuffix(rest, "}"), ",") {
			s.wants = append(s.wants, before+part)
		}
	}
	return s
}

func (s step) has(word string) bool { return slices.Contains(s.as, word) }

func (d *double) rule(t *testing.T) *rule {
	d.words++
	now := time.Now()
	at := time.Date(2031, 1, 1, 0, 0, int(now.Unix()%1e8), 0, time.UTC).AddDate(0, 0, d.words)
	return &rule{t, d, map[string]string{
		"new": fmt.Sprintf("%x%d", now.UnixMilli()&0xffffff, d.words), "at": at.Format(time.RFC3339),
		"earlier": at.Add(-time.Second).Format(time.RFC3339), "later": at.Add(time.Second).Format(time.RFC3339),
	}}
}

var valuePattern = regexp.MustCompile(`\$[a-z]+\d*`)

// fill puts the values of names in, and makes those that are not there yet.
func (r *rule) fill(text string) string {
	return valuePattern.ReplaceAllStringFunc(text, func(name string) string {
		name = name[1:]
		if length, err := strconv.Atoi(strings.TrimPrefix(name, "x")); err == nil {
			return strings.Repeat("x", length)
		}
		if value, made := r.values[name]; made {
			return value
		}
		s, known := r.makes[name]
		if !known {
			r.Fatalf("nothing makes $%s", name)
		}
		value := s.yield
		if path, ok := strings.CutPrefix(value, "."); ok {
			s.wants = append(slices.Clone(s.wants), path) // a list may lag
			value = r.mustAt(r.carryOut(s), path)
		} else {
			r.carryOut(s)
		}
		r.values[name] = r.fill(value)
		return r.values[name]
	})
}

func (r *rule) mustAt(v any, path string) string {
	found, ok := at(v, path)
	if !ok {
		r.Fatalf("no %s in %v", path, v)
	}
	return word(found)
}

// called is an answer with its body decoded.
type called struct {
	status int
	header http.Header
	says   any
	text   string
}

// send sends a request as the words say, and waits where the limit wants it unless the
// answer is to be a 429.
func (r *rule) send(s step, body map[string]any, patient bool) called {
	r.Helper()
	for {
		got := r.sendOnce(s, body)
		after, _ := strconv.Atoi(got.header.Get("Retry-After"))
		if got.status != http.StatusTooManyRequests || !patient {
			r.judge(s, got)
			return got
		}
		r.pause(time.Duration(max(after, 1)) * time.Second)
	}
}

func (r *rule) sendOnce(s step, body map[string]any) called {
	path, method, key, calendar := s.op.Path, s.op.Method, *serviceKey, ""
	for _, as := range s.as {
		in, selects := strings.CutPrefix(as, "in:")
		switch {
		case as == "none":
			key = ""
		case as == "wrong":
			key = "wrong"
		case as == "organization":
			key = *organizationKey
		case selects:
			key, calendar = *organizationKey, r.fill(in)
		case as == "older":
			path = s.op.Legacy
		case as == "other method":
			method = map[string]string{"GET": "POST", "POST": "GET"}[method]
		}
	}
	if key == "" && !slices.Contains(s.as, "none") {
		r.Skip("without the key of an organization")
	}
	sent := ""
	if s.op.Reads() {
		q := url.Values{}
		for name, value := range body {
			list, many := value.([]any)
			if !many {
				list = []any{value}
			}
			for _, one := range list {
				q.Add(name, word(one))
			}
		}
		path += "?" + q.Encode()
	} else {
		data, _ := json.Marshal(body) // what was decoded
		sent = string(data)
	}
	req, err := http.NewRequestWithContext(r.Context(), method, strings.TrimSuffix(r.base, "/")+path, strings.NewReader(sent))
	if err != nil {
		r.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range map[string]string{*keyHeader: key, *calendarHeader: calendar} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	res, err := r.rt.RoundTrip(req)
	if err != nil {
		r.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		r.Fatal(err)
	}
	got := called{status: res.StatusCode, header: res.Header, text: string(data)}
	if err := json.Unmarshal(data, &got.says); err != nil {
		r.Errorf("%s: %v in %q", s.text, err, data)
	}
	return got
}

// judge checks what holds for every answer: errors have a message and a code, waits are told
// with a 429 only, and new paths have no deprecated member.
func (r *rule) judge(s step, got called) {
	r.Helper()
	code, coded := at(got.says, "code")
	_, isText := code.(string)
	message, _ := at(got.says, "message")
	if _, told := message.(string); got.status != 200 && (!told || !coded || code != nil && !isText) {
		r.Errorf("%s: %d %s, want a message and a code", s.text, got.status, got.text)
	}
	if got.status != http.StatusTooManyRequests && got.header.Get("Retry-After") != "" {
		r.Errorf("%s: %d with a Retry-After", s.text, got.status)
	}
	for _, old := range []string{"api_id", "user_api_id", "calendar_api_id", "zoom_meeting_url", "geo_latitude", "geo_longitude"} {
		if !s.has("older") && strings.Contains(got.text, `"`+old+`":`) {
			r.Errorf("%s: the deprecated %s in %s", s.text, old, got.text)
		}
	}
}

// carryOut sends a request and checks its answer. A question is asked again for a while
// where its answer is not yet as wanted, and so is what finds nothing yet: some things are
// done in the background.
func (r *rule) carryOut(s step) any {
	r.Helper()
	for _, as := range s.as {
		if as[0] == '$' {
			r.fill(as)
		}
	}
	body, _ := r.body(s, "")
	tries := 5
	if s.has("until") {
		tries = 1000
	}
	for try := 1; ; try++ {
		got := r.send(s, body, !slices.Contains(s.wants, "429"))
		wrong := r.compare(s.wants, got)
		switch {
		case wrong == "":
			return got.says
		case try == tries || !s.has("until") && !s.op.Reads() && got.status != http.StatusNotFound:
			r.Errorf("%s:\n%d %.2000s\n%s", s.text, got.status, got.text, wrong)
			return got.says
		case !s.has("until"):
			r.pause(time.Second)
		}
	}
}

// body returns the members of a request without the one that is to be left out, and the
// paths of those that have a star.
func (r *rule) body(s step, without string) (body map[string]any, starred []string) {
	if s.body == "" {
		return map[string]any{}, nil
	}
	var v any
	if err := json.Unmarshal([]byte(r.fill(s.body)), &v); err != nil {
		r.Fatalf("%s: %v", s.text, err)
	}
	v, starred = plain(v, "", without)
	return v.(map[string]any), starred
}

// plain takes the stars off the names of members.
func plain(v any, under, without string) (_ any, starred []string) {
	switch v := v.(type) {
	case map[string]any:
		object := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			bare, star := strings.CutSuffix(name, "*")
			path := under + bare
			if star {
				starred = append(starred, path)
			}
			value, inner := plain(v[name], path+".", without)
			starred = append(starred, inner...)
			if path != without {
				object[bare] = value
			}
		}
		return object, starred
	case []any:
		for i := range v {
			var inner []string
			v[i], inner = plain(v[i], under+strconv.Itoa(i)+".", without)
			starred = append(starred, inner...)
		}
	}
	return v, starred
}

// compare returns what an answer does not have that is wanted.
func (r *rule) compare(wants []string, got called) string {
	status, wrong := http.StatusOK, []string{}
	for _, want := range wants {
		if n, err := strconv.Atoi(want); err == nil {
			status = n
			continue
		}
		want = r.fill(want)
		if line, ok := strings.CutPrefix(want, "-"); ok {
			if message, _ := at(got.says, "message"); !strings.Contains(word(message), "\n- "+line+": ") {
				wrong = append(wrong, "no line for "+line)
			}
			continue
		}
		if list, ok := strings.CutPrefix(want, "only:"); ok {
			members, _ := got.says.(map[string]any)
			if has := strings.Join(slices.Sorted(maps.Keys(members)), ","); has != list {
				wrong = append(wrong, "members "+has+", want only "+list)
			}
			continue
		}
		if path, ok := strings.CutPrefix(want, "!"); ok {
			if value, there := at(got.says, path); there {
				wrong = append(wrong, path+" is "+word(value)+", want none")
			}
			continue
		}
		path, value, compared := strings.Cut(want, "=")
		path, name, kept := strings.Cut(path, ">")
		found, there := at(got.says, path)
		if text, ok := found.(string); ok && strings.HasSuffix(path, "_md") {
			found = strings.TrimSpace(richtext.Visible(text)) // it may come back in another dress
		}
		switch {
		case !there:
			wrong = append(wrong, "no "+path)
		case compared && word(found) != value:
			wrong = append(wrong, path+" is "+word(found)+", want "+value)
		case kept:
			r.values[name] = word(found)
		}
	}
	if got.status != status {
		wrong = append(wrong, fmt.Sprintf("status %d, want %d", got.status, status))
	}
	return strings.Join(wrong, "\n")
}

// at finds a value in an answer.
func at(v any, path string) (any, bool) {
	for name := range strings.SplitSeq(path, "/") {
		switch whole := v.(type) {
		case map[string]any:
			member, there := whole[name]
			if !there {
				return nil, false
			}
			v = member
		case []any:
			i, err := strconv.Atoi(name)
			if key, value, found := strings.Cut(name, ":"); found {
				i = slices.IndexFunc(whole, func(item any) bool {
					object, _ := item.(map[string]any)
					return word(object[key]) == value
				})
			} else if name == "#" {
				return float64(len(whole)), true
			} else if err != nil {
				return nil, false
			}
			if i < 0 || i >= len(whole) {
				return nil, false
			}
			v = whole[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// word returns a value as the rules write it.
func word(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	data, _ := json.Marshal(v) // what was decoded
	return string(data)
}

// operation tries what every operation promises.
func (d *double) operation(t *testing.T, s step) {
	r := d.rule(t)
	for _, as := range s.as {
		if as[0] == '$' {
			r.fill(as)
		}
	}
	body, starred := r.body(s, "")
	refused := func(what string, body map[string]any, statuses []int, line string, as ...string) {
		t.Helper()
		other := s
		other.as = append(slices.Clone(s.as), as...)
		got := r.send(other, body, true)
		if !slices.Contains(statuses, got.status) || line != "" && !strings.Contains(got.text, `\n- `+line+": ") {
			t.Errorf("%s: %d %.500s, want %v and a line for %q", what, got.status, got.text, statuses, line)
		}
	}
	refused("without a key", body, []int{400}, "", "none")
	refused("with a wrong key", body, []int{401}, "", "wrong")
	refused("by the other method", body, []int{404, 405}, "", "other method")
	for _, path := range starred {
		less, _ := r.body(s, path)
		refused("without "+path, less, []int{400}, path)
	}
	more := maps.Clone(body)
	more["surprise"] = "x"
	refused("with a member too many", more, []int{400}, "surprise")
	if slices.Contains(starred, "event_id") {
		foreign := maps.Clone(body)
		foreign["event_id"] = "evt-nobodys"
		refused("for a foreign event", foreign, []int{403}, "")
	}

	if s.op.Does == schema.Create {
		r.pause(5 * time.Second) // what was made before may be added in the background, and lists lag
	}
	before := r.count(s)
	first := r.carryOut(s)
	r.again(s, before, first)
	if s.op.Paged() {
		first, _ := at(r.send(s, with(body, "pagination_limit", "1"), true).says, "entries/#")
		if n, _ := first.(float64); n > 1 {
			t.Errorf("a page of 1 has %v entries", n)
		}
	}
	if s.op.Legacy == "" {
		return
	}
	t.Run("older", func(t *testing.T) {
		older := s
		older.as, older.wants = append(slices.Clone(s.as), "older"), nil
		_, told := at(first, "id")
		if got := d.rule(t).carryOut(older); told && !strings.Contains(word(got), `"api_id":`) {
			t.Errorf("the older path tells no api_id: %v", got)
		}
	})
}

func with(body map[string]any, name string, value any) map[string]any {
	body = maps.Clone(body)
	body[name] = value
	return body
}

// again sends the request a second time, and checks that it does what the catalog says.
func (r *rule) again(s step, before int, first any) {
	if s.op.Reads() || s.has("once") {
		return
	}
	body, _ := r.body(s, "")
	got := r.send(s, body, true)
	statuses, more := []int{200}, 0
	switch s.op.Repeat {
	case schema.Refused:
		statuses = []int{400, 409}
	case schema.Gone:
		statuses = []int{400, 403, 404}
	case schema.Twice:
		more = 1
		if id, told := at(got.says, "id"); told {
			if old, _ := at(first, "id"); id == old {
				r.Errorf("again: the same id %v", id)
			}
		}
	case schema.Same, schema.Skips:
	}
	if !slices.Contains(statuses, got.status) {
		r.Errorf("again: %d %s, want %v", got.status, got.text, statuses)
	}
	if s.op.Does != schema.Create || s.op.Resource == nil || before < 0 {
		return
	}
	for range 5 {
		if r.count(s) == before+1+more {
			return
		}
		r.pause(time.Second)
	}
	r.Errorf("%d records after two requests, want %d and %d more", r.count(s), before, 1+more)
}

// count returns how many records of the operation's resource are there, -1 where no list
// tells on one page.
func (r *rule) count(s step) int {
	if s.op.Does != schema.Create || s.op.Resource == nil || s.has("once") {
		return -1
	}
	listed, body := s.op.Resource.ListedAlone, map[string]any{}
	if s.op.Of != nil {
		listed = s.op.Resource.Listed
		body["event_id"] = r.fill("$event")
	}
	list := catalog.OperationNamed(listed)
	if list == nil {
		return -1
	}
	if list.Paged() {
		body["pagination_limit"] = "100"
	}
	got := r.send(step{text: listed, op: list, as: s.as}, body, true)
	if more, _ := at(got.says, "has_more"); more == true {
		return -1
	}
	n, _ := at(got.says, s.op.Resource.Entries+"/#")
	count, ok := n.(float64)
	if !ok {
		r.Fatalf("%s has no %s: %s", listed, s.op.Resource.Entries, got.text)
	}
	return int(count)
}
