// Package pgtest starts PostgreSQL for tests, in a temporary folder, without a port.
package pgtest

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// cluster is the one that the tests of a process share.
var cluster struct {
	sync.Mutex

	started bool
	folder  string
	missing string // why there is none
	err     error
	made    int
	stdin   *os.File // its end stops the server
}

// Database returns the address of an empty database. Where PostgreSQL is not installed the
// test is skipped, or fails where CI is set.
func Database(t testing.TB) string {
	t.Helper()
	cluster.Lock()
	defer cluster.Unlock()
	if !cluster.started {
		cluster.started = true
		cluster.missing, cluster.err = start()
	}
	switch {
	case cluster.err != nil:
		t.Fatal(cluster.err)
	case cluster.missing != "" && os.Getenv("CI") != "":
		t.Fatal(cluster.missing)
	case cluster.missing != "":
		t.Skip(cluster.missing)
	}
	cluster.made++
	name := "test" + strconv.Itoa(cluster.made)
	Exec(t, address("postgres", "postgres"), "create database "+name+" owner plain")
	return address("plain", name)
}

func address(user, database string) string {
	return "postgres://" + user + "@/" + database + "?host=" + url.QueryEscape(cluster.folder)
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

// answers waits until the server does, and makes the user of the tests.
func answers() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, address("postgres", "postgres"))
		if err == nil {
			defer conn.Close(ctx)
			_, err = conn.Exec(ctx, "create role plain login")
			return err
		}
		if ctx.Err() != nil {
			log, _ := os.ReadFile(filepath.Join(cluster.folder, "log"))
			return fmt.Errorf("PostgreSQL does not answer: %w\n%s", err, bytes.TrimSpace(log))
		}
		time.Sleep(20 * time.Millisecond)
	}
}
