package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"eventbatch/batch/report/month"
	"eventbatch/batch/sandbox"
)

// nightly is a cage with syncs that fail in every way, and those who are told of it.
type nightly struct {
	*cage

	feed, hook, mail, known string // secrets: of addresses, of the mail server, in the environment
	said                    string // that only a command knows, and says
	cell                    string // of a private column

	mu    sync.Mutex
	heard []string // notices
}

// badNights are the syncs, with what their configuration has besides who is told.
var badNights = map[string]string{
	"away":    "file: env:FEED_AWAY, headers: {authorization: env:ORGANIZATION_KEY}",
	"moved":   "file: env:FEED_MOVED, headers: {authorization: env:ORGANIZATION_KEY}",
	"busy":    "file: env:FEED_BUSY, timeout: 1s",
	"broken":  "file: env:FEED_BROKEN, timeout: 1s",
	"login":   "file: env:FEED_LOGIN",
	"unsafe":  "file: env:FEED_UNSAFE",
	"command": `file: {command: "cat given-said >&2; exit 3"}`,
	"header":  `file: env:FEED_ROWS, headers: {authorization: "cmd:sh given-header"}`,
	"invalid": "file: env:FEED_WRONG, format: csv",
	"made":    "file: env:FEED_ROWS, format: csv",
	"revoked": "file: env:FEED_ROWS, format: csv, profile: revoked",
	"failing": "file: env:FEED_ROWS, format: csv, profile: failing, max_duration: 300ms",
}

func newNightly(t *testing.T) *nightly {
	t.Helper()
	n := &nightly{cage: newCage(t, "http://127.0.0.1:1"), feed: canary(), hook: canary(), mail: canary(), known: canary()}
	n.said, n.cell = canary(), canary()
	n.more = []string{n.feed, n.hook, n.mail, n.known}
	web := httptest.NewServer(http.HandlerFunc(n.web))
	t.Cleanup(web.Close)
	unsafe := httptest.NewUnstartedServer(http.HandlerFunc(n.web))
	unsafe.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that fail
	unsafe.StartTLS()
	t.Cleanup(unsafe.Close)
	for _, kind := range []string{"away", "moved", "busy", "broken", "login", "rows", "wrong"} {
		n.env = append(n.env, "FEED_"+strings.ToUpper(kind)+"="+web.URL+"/"+n.feed+"/"+kind+"?token="+n.feed)
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(unsafe.URL, "https://"), ":")
	n.env = append(n.env,
		"FEED_UNSAFE=https://localhost:"+port+"/"+n.feed, // its certificate is of another name
		"HOOK_URL="+web.URL+"/hook/"+n.hook, "DEAF_URL="+web.URL+"/deaf/"+n.hook, "PING_URL="+web.URL+"/ping/"+n.hook,
		"SMTP_PASSWORD="+n.mail, "DB_PASSWORD="+n.known, "EVENTBATCH_CA_FILE=mail.pem",
	)
	_, post, certificate, closed, err := openPostOffice(filepath.Join(n.dir, "given-post"), n.mail)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closed)
	n.write(t, "mail.pem", string(certificate))
	n.write(t, "given-said", "FATAL: password "+n.said+", not "+n.known+"\n")
	n.write(t, "given-header", "echo "+n.said+" "+n.known+" >&2; exit 3\n")
	n.configure(t, post)
	return n
}

// configure writes the configuration.
func (n *nightly) configure(t *testing.T, post string) {
	t.Helper()
	service := serve(t, sandbox.Config{Keys: n.keys(), Limits: bigLimits})
	var text strings.Builder
	text.WriteString(service.profile())
	for name, status := range map[string]int{"revoked": 401, "failing": 500} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { echo(w, r, status) }))
		t.Cleanup(server.Close)
		_, profile, _ := strings.Cut(profileOf(server.URL, bigLimits), "  test:")
		text.WriteString("  " + name + ":" + profile)
	}
	text.WriteString(`default_profile: test
mail: {host: "` + post + `", from: eventbatch@example.org, user: "env:HOME", password: "env:SMTP_PASSWORD"}
syncs:
`)
	for name, said := range badNights {
		text.WriteString(fmt.Sprintf(`  %s: {%s, private: [name, timezone], metrics: %[1]s.prom, heartbeat: "env:PING_URL", notify: {
    on: [failed, refused, changed], to: [{webhook: "env:HOOK_URL"}, {webhook: "env:DEAF_URL"}, {mail: ops@example.org}], again_after: 1s}}
`, name, said))
	}
	n.write(t, "eventbatch.yaml", text.String())
}

// web answers for feeds, and hears what is told.
func (n *nightly) web(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // what is lacking is missed below
	row := "key,name,start_at,timezone,calendar\nn," + n.cell + ",2027-04-03T18:00:00,%s," + sandbox.CalendarID + "\n"
	switch parts := strings.Split(r.URL.Path, "/"); parts[len(parts)-1] {
	case "away":
		http.NotFound(w, r)
	case "moved":
		http.Redirect(w, r, "http://feeds.example/"+n.feed, http.StatusFound)
	case "busy":
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, r.URL.String()+r.Header.Get("Authorization"))
	case "broken":
		panic(http.ErrAbortHandler)
	case "login":
		_, _ = io.WriteString(w, "<!DOCTYPE html><title>"+r.URL.String()+"</title>")
	case "rows":
		fmt.Fprintf(w, row, "Etc/UTC")
	case "wrong":
		fmt.Fprintf(w, row, n.cell)
	default:
		if strings.HasPrefix(r.URL.Path, "/hook/") {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.heard = append(n.heard, string(body))
			return
		}
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, r.URL.String()+r.Header.Get("Authorization"))
	}
}

// Nights that fail in every way, with secrets wherever one can be: none is in what the night
// says, sends or leaves, and none of private cells, nor of what a command has said, in what
// others are told or shown.
func TestSecretsStayInNights(t *testing.T) {
	t.Parallel()
	n := newNightly(t)
	names := slices.Sorted(maps.Keys(badNights))
	quick := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "failing" })
	if testing.Short() {
		names = quick // what answers 500 is asked again for some seconds
	} else {
		n.sing(t, nil, "sync", "failing", "-v")
	}
	for _, also := range [][]string{{"-v"}, {"--json"}, {"--log-format", "json", "-v"}} {
		e := n.sing(t, nil, slices.Concat([]string{"sync"}, quick, also)...)
		if e.code == 0 || e.code == 1 || e.code == 2 || e.code == exitConfig {
			t.Errorf("%v: %v", also, e)
		}
	}
	right := slices.Clone(n.env)
	n.env = append(n.env, "SMTP_PASSWORD="+n.known) // the server repeats it
	n.sing(t, nil, "sync", "away", "-v")
	n.env = right
	month := n.month(t)
	post, err := os.ReadFile(n.path("given-post"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.Contains(strings.Join(n.heard, "\n"), `"`+name+" ") || !strings.Contains(string(post), "eventbatch: "+name+" ") {
			t.Errorf("nobody was told of %s", name)
		}
		if !slices.Contains(month, name) {
			t.Errorf("%s is not in the month", name)
		}
	}
	mails := strings.ReplaceAll(string(post), "=\n", "") // lines that are too long are parted so
	others := append([]string{n.said, n.cell}, n.secrets()...)
	examine(t, "notices", []byte(strings.Join(n.heard, "\n")), others)
	examine(t, "mail", []byte(mails), others)
	for _, pattern := range []string{"*.prom", "month.*", ".eventbatch/syncs/*/*"} {
		files, err := filepath.Glob(n.path(pattern))
		if err != nil || len(files) < 3 {
			t.Fatal(files, err)
		}
		for _, path := range files {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			examine(t, path, data, others)
		}
	}
}

// month has the reports of the nights made, and returns which sources are in them.
func (n *nightly) month(t *testing.T) []string {
	t.Helper()
	e := n.sing(t, nil, "report", "--since", "1d", "--json", "-o", "month.html", "-o", "month.md", "-o", "month.json")
	var m month.Month
	if err := json.Unmarshal([]byte(e.stdout), &m); err != nil || e.code != 0 {
		t.Fatal(e, err)
	}
	var names []string
	for i := range m.Sources {
		names = append(names, m.Sources[i].Name)
	}
	return names
}
