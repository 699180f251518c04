// Package pgtest starts PostgreSQL for tests, in a temporary folder, without a port.
package pgtest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Server is a server of tests.
type Server struct {
	port   string // its port by TCP, empty where it has none
	folder string // where its socket lies
	data   string // as this process finds it
	made   int    // databases
	watch  int    // the process that runs it …
	input  *os.File
	ended  chan struct{} // … and is closed once that has ended
}

// setting is what a server has besides.
type setting struct {
	ready   func(data string, uid, gid int) error // readies the folder of its data for its user; nil where nothing is to be done
	port    string
	options []string
}

// shared is the server that the tests of a process share.
var shared struct {
	sync.Mutex

	started bool
	server  *Server
	missing string // why there is none
	err     error
}

// Database returns the address of an empty database. Where PostgreSQL is not installed the
// test is skipped, or fails where CI is set.
func Database(t testing.TB) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if !shared.started {
		shared.started = true
		shared.server, shared.missing, shared.err = start(setting{})
	}
	need(t, shared.missing, shared.err)
	return shared.server.Database(t)
}

// Begin starts a server for one test, which may break it.
func Begin(t testing.TB) *Server {
	t.Helper()
	return begin(t, setting{})
}

func begin(t testing.TB, set setting) *Server {
	t.Helper()
	s, missing, err := start(set)
	need(t, missing, err)
	t.Cleanup(func() { _ = s.input.Close() })
	return s
}

// Durable returns the address of an empty database of a server for one test, whose commits wait for the
// disk as those of any server but the tests' do.
func Durable(t testing.TB) string {
	t.Helper()
	return begin(t, setting{options: []string{"-c", "fsync=on"}}).Database(t)
}

// TCP returns the address of an empty database of a server for one test, which is reached by TCP.
func TCP(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	_ = listener.Close() // nobody has come
	s := begin(t, setting{port: port, options: []string{"-c", "listen_addresses=127.0.0.1", "-c", "port=" + port}})
	return s.Database(t)
}

func need(t testing.TB, missing string, err error) {
	t.Helper()
	switch {
	case err != nil:
		t.Fatal(err)
	case missing != "" && os.Getenv("CI") != "":
		t.Fatal(missing)
	case missing != "":
		t.Skip(missing)
	}
}

// Database returns the address of an empty database of the server.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	s.made++
	name := "test" + strconv.Itoa(s.made)
	Exec(t, s.address("postgres", "postgres"), "create database "+name+" owner plain")
	return s.address("plain", name)
}

// Crash ends the server without warning, where it has not ended, and waits until it has begun anew.
func (s *Server) Crash(t testing.TB) {
	t.Helper()
	s.Stop(t, "QUIT", 0)()
}

// Stop ends the server by a signal, where it has not ended, for it to begin anew after a while; back waits for that.
func (s *Server) Stop(t testing.TB, signal string, away time.Duration) (back func()) {
	t.Helper()
	before := s.pid()
	if _, err := fmt.Fprintln(s.input, signal, away.Seconds()); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		for now := before; now == "" || now == before; now = s.pid() {
			if ctx.Err() != nil {
				t.Fatalf("PostgreSQL, process %s, does not begin anew after a %s\n%s", before, signal, s.log())
			}
			time.Sleep(10 * time.Millisecond)
		}
		conn, err := s.answers(ctx)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close(ctx)
	}
}

// pid returns the process of the server, empty where there is none.
func (s *Server) pid() string {
	text, _ := os.ReadFile(filepath.Join(s.data, "postmaster.pid"))
	pid, _, _ := strings.Cut(string(text), "\n")
	return pid
}

func (s *Server) address(user, database string) string {
	if s.port != "" {
		return "postgres://" + user + "@127.0.0.1:" + s.port + "/" + database
	}
	return "postgres://" + user + "@/" + database + "?host=" + url.QueryEscape(s.folder)
}

// Exec gives a database statements.
func Exec(t testing.TB, address, sql string, args ...any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql, args...); err != nil {
		t.Fatal(err)
	}
}

// missingServer is why there is no server where PostgreSQL is not installed.
const missingServer = "PostgreSQL is not installed: there is no initdb"

// binaries returns the folder of the server's programs, empty where there is none: that of
// PG_BIN, else of the newest version.
func binaries() string {
	if folder := os.Getenv("PG_BIN"); folder != "" {
		return folder
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is well formed
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, path)
	}
	if len(found) == 0 {
		return ""
	}
	return filepath.Dir(slices.Max(found))
}

// firstAnswer waits until the server answers, and makes the user of the tests.
func (s *Server) firstAnswer() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := s.answers(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "create role plain login")
	return err
}

// log returns what the server has said.
func (s *Server) log() []byte {
	text, _ := os.ReadFile(filepath.Join(s.folder, "log")) // which is empty where it has said nothing
	return bytes.TrimSpace(text)
}

// answers waits until the server does.
func (s *Server) answers(ctx context.Context) (*pgx.Conn, error) {
	for {
		conn, err := pgx.Connect(ctx, s.address("postgres", "postgres"))
		if err == nil {
			return conn, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("PostgreSQL does not answer: %w\n%s", err, s.log())
		}
		time.Sleep(20 * time.Millisecond)
	}
}
