package sim

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	faulty  = flag.Int("sim.faults", 0, "have up to `N` histories happen with each of the deliberate faults in the code")
	without = flag.String("sim.fault", "", "have only the faults whose names contain `WORDS`")
)

// fault is a deliberate one in the code, which histories have to find.
type fault struct {
	name     string
	file     string // below batch
	old, new string
}

var faults = []fault{
	{
		"an intent is not synced before its request leaves", "send/attempt.go",
		"e.Journal.Commit(bounded, e.intent(tasks))", "e.Journal.Append(e.intent(tasks))",
	},
	{
		"an overtaken run is gone on with", "journal/memory.go",
		`case now.Run == "" || now.Run == r.ID():`, "case r != nil:",
	},
	{
		"nothing is owed by a run that has not ended", "journal/memory.go",
		"case tried || u.Held && s.Status.Open():", "case tried && u.Held && m == nil:",
	},
	{
		"a list is asked at once for what was just answered", "api/lag.go",
		"wait := l.Left(answered, time.Now())\n\tif wait <= 0 {", "wait := l.Left(answered, time.Now())\n\tif wait <= l.Whole() {",
	},
	{
		"a doubt is settled before the request has arrived", "send/link.go",
		"wait := l.Left(t.Tried, time.Now())", "wait := min(0, l.Left(t.Tried, time.Now()))",
	},
	{
		"a create without a slug is sent again unlooked", "send/lookup.go",
		"case keyed && op.Does == schema.Create:\n\t\treturn e.byLikeness", "case keyed && op.Does == schema.Create:\n\t\treturn nil",
	},
	{
		"a guest is added again unlooked", "send/lookup.go",
		"t.Op.Effects.Has(schema.Mails):\n\t\treturn e.byList", "t.Op.Effects.Has(schema.Mails):\n\t\treturn nil",
	},
	{
		"an id that nobody has heard of is believed", "send/claim.go",
		"if l.Unheard == nil || !t.Op.Of().Keyed() ||", "if l.Unheard != nil || !t.Op.Of().Keyed() ||",
	},
	{
		"which calendar a key is for is asked without its count", "service/own.go", "target.Calendar = m.Said", `target.Calendar = ""`,
	},
	{
		"the clock of the platform is taken for this machine's", "send/lookup.go",
		"if t.began.IsZero() && !e.Asked.IsZero() {\n\t\treturn e.Asked.Add(-skewedDate)\n\t}\n\there := cmp.Or(t.began, e.Planned) " +
			"// by this machine's clock\n\tif now.IsZero() {", "here := cmp.Or(t.began, e.Planned)\n\tif true {",
	},
	{
		"the id of another event is believed", "send/claim.go",
		"if has == nil && !c.doubly[id] && !known {", "if has == nil || known || !known {",
	},
	{
		"an answer of unknown outcome is one that nothing was done", "api/class.go",
		"{failure.Is[*UnknownOutcomeError], InDoubt},", "{failure.Is[*UnknownOutcomeError], NotDone},",
	},
	{
		"an intent without an outcome is none", "attached.go",
		"return s.Status == journal.Sent || s.Status == journal.InDoubt", "return s.Status == journal.InDoubt",
	},
	{
		"what is done is sent again by the next process", "attached.go",
		"if was.Status.Open() {", "if was.Status.Open() || was.Status == journal.Done {",
	},
	{
		"two processes take one run up", "journal/files/lock.go",
		"case !ok:\n\t\treturn nil, readHolder(path), nil\n\t}\n\tif err := writeHolder",
		"case ok && err != nil:\n\t\treturn nil, readHolder(path), nil\n\t}\n\tif err := writeHolder",
	},
	{
		"a torn tail is damage", "journal/files/replay.go",
		"ext.tail = true\n", "return ext, &journal.DamagedError{Path: path, Line: int(ext.lines), Reason: \"torn\"}\n",
	},
	{
		"the sum of a line is not checked, nor that it is whole", "journal/files/replay.go",
		"if !whole || !parseLine(line, &e) || e.N != ext.lines+1", "if !parseLine(line, &e) && !lastRecord(line, &e) || e.N != ext.lines+1",
	},
	{
		"a slot comes free a second early", "quota/ledger.go",
		"l.out(now, since, done, a.id, 1, l.window+l.margin)", "l.out(now, since, done, a.id, 1, l.window-1_000_000_000)",
	},
	{"one request more than the limit is let go", "quota/ledger.go", "case out.used >= limit:", "case out.used > limit:"},
	{
		"a slot under way comes free at once", "quota/ledger.go",
		"l.out(now, now, inFlight, id, 1, l.lease+l.window+l.margin)", "l.out(now, now, inFlight, id, 1, l.margin)",
	},
	{
		"after an answer of 429 a tenth of the time is waited", "quota/ledger.go",
		"return l.throttle(now, now+int64(d)) })", "return l.throttle(now, now+int64(d/10)) })",
	},
	{"a conflict is the row's", "plan/merge.go", "case mine && live:\n\t\twho = o.OnConflict", "case mine && live:\n\t\twho = Mine"},
	{"what has changed on the platform alone is sent", "plan/merge.go", "case live:\n\t\twho = Theirs", "case live:\n\t\twho = Mine"},
	{
		"what was changed since the plan is not looked at", "fresh.go",
		"if len(op.Before) == 0 || !adds && time.Since(f.read) < f.lasts {", "if len(op.Before) == 0 || adds || time.Since(f.read) >= 0 {",
	},
	{
		"an undo takes no notice of what a person has changed", "plan/restore.go",
		"case s.told && now == value.Unlike:", "case s.told && now == value.Unlike && !known:",
	},
	{
		"an undo leaves what was done", "undo.go",
		"(s.Status == journal.Done || inDoubt(s)) && u.config", "(s.Status == journal.Failed || inDoubt(s)) && u.config",
	},
	{
		"a retry sends what is done", "retry.go",
		"|| status == journal.Blocked {", "|| status == journal.Blocked || status == journal.Done {",
	},
	{
		"keys that were read are missing", "source/absence.go",
		"if r.read[o.Name] || r.read[eventName(o.EventID)] {", "if r.read[o.Name] == r.read[eventName(o.EventID)] && false {",
	},
	{"no event has a slug of its own", "plan/create.go", `c.config.Options.Slug != "keep" {`, `c.config.Options.Slug == "" {`},
	{
		"guests are mailed unasked", "plan/request.go",
		"f, quiets := v.d.Resource.ByPath(v.d.Resource.Quiet)", "f, quiets := v.d.Resource.ByPath(\"\")",
	},
	{
		"what was moved to another calendar is missed", "live/window.go", `} else if at != "" && at != calendar {`,
		"} else if at == calendar {",
	},
	{
		"the limit of a calendar is not counted under the key of its organization", "service/owner.go",
		"return []quota.Owner{calendar, organization}", "return []quota.Owner{organization}",
	},
	{
		"a description in other words is another one", "../mapping/value/compare.go",
		"return likely(f.Kind.Meant(x) == f.Kind.Meant(y))", "return likely(x == y)",
	},
	{
		"a host is not removed whom no list was asked for", "plan/choose.go",
		"case c.there && d.Action == schema.Delete:", "case c.there && d.Action == schema.Delete && c.live != nil:",
	},
	{
		"what one reading lacks is gone for long", "night/night.go",
		"long[key] = first.Reading != reading && at.Sub(first.Since) >= longGone",
		"long[key] = first.Reading != reading || at.Sub(first.Since) < longGone",
	},
}

// source returns a file of the module, whose folder is two up.
func (f *fault) source(t *testing.T) (path string, text []byte) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", f.file))
	if err == nil {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path, text
}

// Each fault is one of the code as it is now.
func TestEachFaultCanBeMade(t *testing.T) {
	for _, f := range faults {
		if _, text := f.source(t); bytes.Count(text, []byte(f.old)) != 1 {
			t.Errorf("%s: %q is there %d times in %s", f.name, f.old, bytes.Count(text, []byte(f.old)), f.file)
		}
	}
}

// TestEachFaultIsFound has histories happen with one fault in the code each, until one fails. It takes a minute a fault.
func TestEachFaultIsFound(t *testing.T) {
	if *faulty == 0 {
		t.Skip("see -sim.faults")
	}
	for _, f := range faults {
		if strings.Contains(f.name, *without) {
			t.Run(f.name, func(t *testing.T) { f.isFound(t) })
		}
	}
}

var foundAfter = regexp.MustCompile(`(?m)^\s*sim_test.go:\d+: (\d+) histories\n(.*\n.*\n)`)

func (f *fault) isFound(t *testing.T) {
	path, text := f.source(t)
	dir := t.TempDir()
	spoiled, overlay, program := filepath.Join(dir, "spoiled.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "sim.test")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: spoiled}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{spoiled: bytes.Replace(text, []byte(f.old), []byte(f.new), 1), overlay: replace} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", program, ".")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the fault cannot be made: %v\n%s", err, said)
	}
	run := exec.CommandContext(t.Context(), program, "-test.run=^TestHistories$", fmt.Sprint("-sim.histories=", *faulty), "-sim.first")
	said, err := run.CombinedOutput()
	if err == nil {
		t.Errorf("%d histories do not find it", *faulty)
		return
	}
	if found := foundAfter.FindSubmatch(said); found != nil {
		t.Logf("found by %s histories: %s", found[1], found[2])
	} else {
		t.Logf("found: %.2000s", said)
	}
}
