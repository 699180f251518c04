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
// removes its folder then. Each line has the server end by a signal, and begin anew after a while. A server that ends
// waits for whoever has connected and not yet said who they are, which one behind a closed door never does.
const watch = `programs=$1 folder=$2; shift 2
serve() {
	"$programs/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= -c fsync=off -c max_connections=200 \
		-c authentication_timeout=5s "$@" >>"$folder/log" 2>&1 &
	server=$!
}
serve "$@"
while read -r signal away; do kill -$signal $server; wait $server; sleep "$away"; serve "$@"; done
kill -QUIT $server; wait $server; rm -rf "$folder"`

// account is whose a server is; below zero that of this process.
type account struct{ uid, gid int }

// unprivileged returns somebody who is not root.
func unprivileged() (account, error) {
	if os.Getuid() != 0 {
		return account{-1, -1}, nil
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		return account{}, err
	}
	uid, _ := strconv.Atoi(nobody.Uid) // as the system writes them
	gid, _ := strconv.Atoi(nobody.Gid)
	return account{uid, gid}, nil
}

// own has the account own a folder.
func (a account) own(folder string) error {
	if a.uid < 0 {
		return nil
	}
	return os.Chown(folder, a.uid, a.gid)
}

// attributes has the account run a process, in a group of its own.
func (a account) attributes() *syscall.SysProcAttr {
	as := &syscall.SysProcAttr{Setpgid: true}
	if a.uid >= 0 {
		as.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return as
}

// start starts the server as a user who is not root.
func start(set setting) (s *Server, missing string, err error) {
	programs := binaries()
	if programs == "" {
		return nil, missingServer, nil
	}
	folder, err := os.MkdirTemp("", "pg")
	if err != nil {
		return nil, "", err
	}
	owner, err := unprivileged()
	if err == nil {
		err = owner.own(folder)
	}
	if err != nil {
		return nil, "", err
	}
	data := filepath.Join(folder, "data")
	if set.ready != nil {
		if err := errors.Join(os.Mkdir(data, 0o700), owner.own(data), set.ready(data, owner.uid, owner.gid)); err != nil {
			return nil, "", errors.Join(err, os.RemoveAll(folder))
		}
	}
	as := owner.attributes()
	init := exec.Command(
		filepath.Join(programs, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync",
	)
	init.SysProcAttr, init.Dir = as, folder
	if out, err := init.CombinedOutput(); err != nil {
		return nil, "", errors.Join(fmt.Errorf("initdb: %w\n%s", err, out), os.RemoveAll(folder))
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, "", err
	}
	server := exec.Command("sh", append([]string{"-c", watch, "sh", programs, folder}, set.options...)...)
	server.SysProcAttr, server.Dir, server.Stdin = as, folder, reader
	if err := server.Start(); err != nil {
		return nil, "", err
	}
	_ = reader.Close() // the server has its own
	s = &Server{port: set.port, folder: folder, data: data, watch: server.Process.Pid, input: writer, ended: make(chan struct{})}
	go func() { // it ends after this process
		defer close(s.ended)
		_ = server.Wait()
	}()
	return s, "", s.firstAnswer()
}
