// Package pgtest starts PostgreSQL for tests, in a temporary folder, without a port.
package pgtest

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
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

// watch runs the server for as long as somebody holds the other end of its input, and
// removes its folder then.
const watch = `"$1/postgres" -D "$2/data" -k "$2" -c listen_addresses= -c fsync=off -c max_connections=200 >"$2/log" 2>&1 & server=$!
read -r end; kill -QUIT $server; wait $server; rm -rf "$2"`

// start starts the server as a user who is not root.
func start() (missing string, err error) {
	programs := binaries()
	if programs == "" {
		return "PostgreSQL is not installed: there is no initdb", nil
	}
	folder, err := os.MkdirTemp("", "pg")
	if err != nil {
		return "", err
	}
	as := &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		nobody, err := user.Lookup("nobody")
		if err != nil {
			return "", err
		}
		uid, _ := strconv.ParseUint(nobody.Uid, 10, 32) // as the system writes them
		gid, _ := strconv.ParseUint(nobody.Gid, 10, 32)
		as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(folder, int(uid), int(gid)); err != nil {
			return "", err
		}
	}
	init := exec.Command(filepath.Join(programs, "initdb"), "-D", folder+"/data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	init.SysProcAttr, init.Dir = as, folder
	if out, err := init.CombinedOutput(); err != nil {
		return "", fmt.Errorf("initdb: %w\n%s", err, out)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return "", err
	}
	server := exec.Command("sh", "-c", watch, "sh", programs, folder)
	server.SysProcAttr, server.Dir, server.Stdin = as, folder, reader
	if err := server.Start(); err != nil {
		return "", err
	}
	_ = reader.Close() // the server has its own
	cluster.folder, cluster.stdin = folder, writer
	go func() { _ = server.Wait() }() // it ends after this process
	return "", answers()
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
