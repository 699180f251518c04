//go:build unix

package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

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
	init := exec.Command(
		filepath.Join(programs, "initdb"), "-D", folder+"/data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync",
	)
	init.SysProcAttr, init.Dir = as, folder
	if out, err := init.CombinedOutput(); err != nil {
		return "", errors.Join(fmt.Errorf("initdb: %w\n%s", err, out), os.RemoveAll(folder))
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
