// Package desk serves the local page of the command open: one file, one process, any number of tabs.
//
// The page has rows, documents, answers and nothing else. A document is what a command prints under --json: the page shows
// what the command line says, and has no rule of its own. An answer is what map takes by --answer: the file is read anew by
// it, and the mapping is written where [Mapping] says, when a person asks for that. The rows are in a [Session]: what the
// strict reader gave, with what a check has said of them, in files that nobody else sees; a tab asks for the few hundred
// that it shows.
//
// Every request passes the guard (see wall) before anything else happens, and finds its handler in one table of routes.
// A test asks of each route in the table what it does without the token, under another name, from another page.
package desk

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/sourcegraph/conc/panics"
)

// Desk is a page that is served.
type Desk struct {
	outgoing

	access access
	routes []route
	static static
}

// New returns a page for a file, or for the runs alone.
func New(config Config) *Desk {
	d := &Desk{access: newAccess(), static: newStatic()}
	d.Config, d.looked, d.current, d.stop = config, time.Now(), config.Session, func() {}
	d.by, d.kept, d.saved = config.Mapping.Kept, config.Mapping.By != "", newMappingFile(&config.Mapping)
	if answers, found := config.recall(d.saved.text); found { // they are gone on with
		d.answers, d.kept, d.Mapping.Unread = answers, false, ""
	}
	d.ctx, d.end = context.WithCancel(context.Background())
	d.routes = d.table()
	return d
}

// Close ends the reading of the file, and gives back what was kept of it. What is being sent is stopped, as Ctrl-C does.
func (d *Desk) Close() error {
	d.end()
	d.behinds.Wait()
	plan, sending := d.now()
	if sending != nil {
		<-sending.done
	}
	if plan != nil {
		_ = plan.ops.file.Close() // it goes with the plan
	}
	d.reads.Lock()
	defer d.reads.Unlock()
	if d.Editing.Edits != nil {
		d.Editing.Edits.Close()
	}
	if d.current == nil {
		return nil
	}
	return d.current.Close()
}

// Link returns an address that opens the page once, within two minutes.
func (d *Desk) Link(listener net.Listener) string {
	return "http://" + listener.Addr().String() + "/#" + d.access.code()
}

// mostConnections is how many connections are open at once.
const mostConnections = 64

// Serve answers until the context ends, or nobody has looked for the time of the Config.
func (d *Desk) Serve(ctx context.Context, l net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	connections := &limited{Listener: l, most: mostConnections, warn: sync.OnceFunc(func() {
		d.warn("another user of this machine asks for the page, and is not answered")
	})}
	server := &http.Server{
		Handler: d.Handler(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     log.New(io.Discard, "", 0),
		BaseContext:                  func(net.Listener) context.Context { return ctx },
		ConnState:                    connections.note,
	}
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() { d.watch(ctx, stop) })
	var served error
	all.Go(func() {
		defer stop()
		if caught := panics.Try(func() { served = server.Serve(connections) }); caught != nil {
			served = caught.AsError()
		}
	})
	<-ctx.Done()
	err := server.Close() // what is read changes nothing: there is nothing to wait for
	all.Wait()
	if !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// watch ends the page at which nobody looks.
func (d *Desk) watch(ctx context.Context, stop func()) {
	if d.Idle == 0 {
		return
	}
	for {
		d.mu.Lock()
		left := time.Until(d.looked.Add(d.Idle))
		d.mu.Unlock()
		if left <= 0 {
			stop()
			return
		}
		select {
		case <-time.After(left):
		case <-ctx.Done():
			return
		}
	}
}

// writeJSON answers with a value.
func writeJSON(w http.ResponseWriter, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return writeText(w, text)
}

func writeText(w http.ResponseWriter, text []byte) error {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, err := w.Write(text)
	return err
}
