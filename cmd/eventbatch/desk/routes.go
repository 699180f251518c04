package desk

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventbatch/batch/report/finding"
	"eventbatch/templates"
)

// route is what one path answers to one method.
type route struct {
	method, path string
	open         bool // without the token: there is nothing to be had
	answer       func(w http.ResponseWriter, r *http.Request) error
}

// table returns all routes. What changes something is posted: the code that is used, an answer, the mapping that is
// saved, an edit, a plan that is made, and what is sent of it. A page that only shows has but the first of these.
func (d *Desk) table() []route {
	routes := []route{
		{http.MethodGet, "/", true, d.static.shell},
		{http.MethodPost, "/api/session", true, d.session},
		{http.MethodGet, "/api/state", false, d.state},
		{http.MethodGet, "/api/runs", false, d.runs},
		{http.MethodGet, "/api/run", false, d.run},
		{http.MethodGet, "/api/nights", false, d.nights},
		{http.MethodGet, "/api/files/report", false, d.handOut("report")},
		{http.MethodGet, "/api/files/results", false, d.handOut("results")},
	}
	if d.Session != nil {
		routes = append(routes,
			route{http.MethodGet, "/api/columns", false, d.columns},
			route{http.MethodGet, "/api/problems", false, d.problems},
			route{http.MethodGet, "/api/rows", false, d.rows},
			route{http.MethodGet, "/api/files/marked", false, d.handOut("marked")},
		)
	}
	if d.Session != nil && d.Mapping.Save != "" {
		routes = append(routes,
			route{http.MethodPost, "/api/mapping", false, d.answerQuestions},
			route{http.MethodPost, "/api/mapping/save", false, d.save},
			route{http.MethodGet, "/api/files/mapping", false, d.handOut("mapping")},
			route{http.MethodGet, "/api/forecast", false, d.forecast},
		)
	}
	if d.Session != nil && d.Editing.Edits != nil {
		routes = append(routes,
			route{http.MethodGet, "/api/edits", false, d.history},
			route{http.MethodPost, "/api/edits", false, d.edit},
			route{http.MethodPost, "/api/edits/undo", false, d.undo},
			route{http.MethodPost, "/api/mended", false, d.mend},
			route{http.MethodGet, "/api/saved", false, d.savedSince},
			route{http.MethodPost, "/api/reread", false, d.readAnew},
		)
	}
	if d.Sending.Plan != nil {
		routes = append(routes,
			route{http.MethodPost, "/api/undo", false, d.planOf("undo", "--dry-run")},
			route{http.MethodPost, "/api/retry", false, d.planOf("retry")},
			route{http.MethodPost, "/api/plan", false, d.makePlan},
			route{http.MethodGet, "/api/plan", false, d.showPlan},
			route{http.MethodGet, "/api/plan/ops", false, d.planOps},
			route{http.MethodPost, "/api/apply", false, d.apply},
			route{http.MethodGet, "/api/send", false, d.sendState},
			route{http.MethodGet, "/api/watch", false, d.watchSending},
			route{http.MethodPost, "/api/stop", false, d.stopSending},
		)
	}
	for name := range d.static.files {
		routes = append(routes, route{http.MethodGet, d.static.folder + name, true, d.static.file(name)})
	}
	return routes
}

// Handler answers requests.
func (d *Desk) Handler() http.Handler {
	return http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		w := prompt{to}
		_ = http.NewResponseController(to).SetWriteDeadline(time.Time{}) // that of an earlier answer, where there is a connection
		w.Header().Set("Content-Security-Policy", d.static.policy)
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		if err := d.answer(w, r); err != nil {
			status, words := http.StatusInternalServerError, "the page cannot be shown"
			if refused, ok := errors.AsType[*refusal](err); ok {
				status, words = refused.status, refused.words
			}
			if w.Header().Get("Connection") == "close" {
				limitBody(w, r, refusedTime)
			}
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, words+"\n") // nobody is left to tell
		}
	})
}

func (d *Desk) answer(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Connection", "close") // until it is known who asks: nobody else keeps one
	limitBody(w, r, bodyTime)
	if err := wall(r); err != nil {
		return err
	}
	known := slices.ContainsFunc(d.routes, func(t route) bool { return t.path == r.URL.Path })
	i := slices.IndexFunc(d.routes, func(t route) bool { return t.path == r.URL.Path && t.method == r.Method })
	good, holds := d.access.holds(r)
	switch {
	case !known || r.URL.RawPath != "":
		return refuse(http.StatusNotFound, "there is no such page")
	case i < 0:
		return refuse(http.StatusMethodNotAllowed, "that cannot be asked for so")
	case !d.routes[i].open && !holds:
		return refuse(http.StatusUnauthorized, "the page is not open here: press Enter in the terminal, and open the link that it prints")
	}
	if err := posts(r); err != nil {
		return err
	}
	w.Header().Del("Connection")
	if !d.routes[i].open {
		d.look()
		ctx, end := context.WithCancel(r.Context())
		defer end()
		defer context.AfterFunc(good, end)()
		r = r.WithContext(ctx)
	}
	if err := takeBody(w, r); err != nil {
		return err
	}
	return d.routes[i].answer(w, r)
}

// session gives the token for a code.
func (d *Desk) session(w http.ResponseWriter, r *http.Request) error {
	var said struct{ Code string }
	if err := body(r, &said); err != nil {
		return err
	}
	token, stolen, err := d.access.exchange(said.Code)
	if stolen {
		d.warn("somebody else has used the link: the page is closed in every tab")
	}
	if err != nil {
		return err
	}
	d.look()
	return writeJSON(w, map[string]string{"token": token})
}

// problems answers with the document of check.
func (d *Desk) problems(w http.ResponseWriter, r *http.Request) error {
	if err := d.settled(r.Context()); err != nil {
		return err
	}
	return d.read(r, func(s *Session) error {
		text, err := s.Checked(r.Context())
		if err != nil {
			return err
		}
		return writeText(w, text)
	})
}

// rows answers with a window of the rows.
func (d *Desk) rows(w http.ResponseWriter, r *http.Request) error {
	q, view := r.URL.Query(), View{}
	number := func(name string, preset, most int) int { return numberIn(q.Get(name), preset, most) }
	view.Sheet, view.Of, view.Group = number("sheet", 0, 1<<20), q.Get("view"), number("group", -1, 1<<30)
	view.Text, view.But, view.In, view.Also = strings.ToLower(q.Get("q")), strings.ToLower(q.Get("but")), q.Get("in"), q.Get("also")
	var failed []shownRow
	if view.Of == "failed" {
		var err error
		if failed, err = d.failed(r); err != nil {
			return err
		}
		rows := make([]string, len(failed))
		for i := range failed {
			rows[i] = failed[i].Sheet + "\x00" + strconv.Itoa(failed[i].Row)
		}
		view.Text = strings.Join(rows, "\n")
	}
	return d.read(r, func(s *Session) error {
		from := number("from", 0, 1<<30)
		if step := map[string]int{"next": 1, "last": -1}[q.Get("mistake")]; step != 0 {
			var err error
			if from, err = s.mistake(r.Context(), view, from, step); err != nil {
				return err
			}
		}
		window, err := s.Window(r.Context(), view, from, number("n", mostWindow, mostWindow))
		if err != nil {
			return err
		}
		if len(failed) > 0 {
			window.failed(s.sources[view.Sheet].Sheet, failed)
		}
		return writeJSON(w, window)
	})
}

// failed returns the rows of a run that were not done.
func (d *Desk) failed(r *http.Request) ([]shownRow, error) {
	id, err := runOf(r)
	if err != nil {
		return nil, err
	}
	var doc struct{ Lines []shownRow }
	if err := json.Unmarshal(d.Document(r.Context(), "show", "--", id), &doc); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(doc.Lines, func(l shownRow) bool { return !d.ours(l.File) || !finding.Status(l.Status).Bad() }), nil
}

// static are the files that the page is made of, below a folder that is named after them. Its style is part of it: it is painted
// before anything else has come.
type static struct {
	folder string
	files  map[string][]byte
	page   []byte
	policy string
}

func newStatic() static {
	s := static{files: map[string][]byte{}}
	sum := sha256.New()
	for _, name := range templates.DeskFiles() {
		s.files[name] = templates.DeskFile(name)
		sum.Write(s.files[name])
	}
	page, style := string(s.files["desk.html"]), string(s.files["desk.css"])
	delete(s.files, "desk.html")
	delete(s.files, "desk.css")
	s.folder = "/" + hex.EncodeToString(sum.Sum(nil))[:16] + "/"
	s.page = []byte(strings.NewReplacer("{{folder}}", s.folder, "{{style}}", style).Replace(page))
	of := sha256.Sum256([]byte(style))
	s.policy = fmt.Sprintf(policy, base64.StdEncoding.EncodeToString(of[:]))
	return s
}

func (s *static) shell(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, err := w.Write(s.page)
	return err
}

// media are the types of the files, whatever the machine says.
var media = map[string]string{".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

func (s *static) file(name string) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, _ *http.Request) error {
		text, ok := s.files[name]
		if !ok {
			return fs.ErrNotExist
		}
		w.Header().Set("Content-Type", media[path.Ext(name)])
		_, err := w.Write(text)
		return err
	}
}
