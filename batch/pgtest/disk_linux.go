package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// BeginOnDisk starts a server for one test, on a disk of its own of so many megabytes. why is
// why there cannot be such a disk: then the server has that of the tests, which nobody fills.
func BeginOnDisk(t testing.TB, megabytes int) (s *Server, why string) {
	t.Helper()
	if os.Getuid() != 0 {
		return Begin(t), "only root mounts a disk"
	}
	begun := make(chan struct{})
	var missing string
	var err error
	go func() {
		defer close(begun)
		// The disk is seen by the server alone, and goes with it. So the thread ends with this function.
		runtime.LockOSThread()
		if err = syscall.Unshare(syscall.CLONE_NEWNS); err == nil {
			err = syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "")
		}
		if err != nil {
			return
		}
		s, missing, err = start(setting{
			ready: func(data string, uid, gid int) error {
				return syscall.Mount("tests", data, "tmpfs", 0, fmt.Sprintf("size=%dm,mode=700,uid=%d,gid=%d", megabytes, uid, gid))
			},
			options: []string{"-c", "max_wal_size=64MB", "-c", "min_wal_size=32MB"},
		})
	}()
	<-begun
	if errors.Is(err, syscall.EPERM) && os.Getenv("CI") == "" {
		return Begin(t), "this root may not mount a disk"
	}
	need(t, missing, err)
	s.data = fmt.Sprintf("/proc/%d/root%s", s.watch, s.data)
	t.Cleanup(func() {
		_ = s.input.Close()
		<-s.ended
		_ = os.RemoveAll(s.folder) // the server could not remove where its disk was
	})
	return s, ""
}

// Fill fills the disk of the server.
func (s *Server) Fill(t testing.TB) {
	t.Helper()
	f, err := os.Create(s.ballast())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for piece := make([]byte, 1<<16); ; {
		if _, err := f.Write(piece); errors.Is(err, syscall.ENOSPC) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// FillLog has the server write to its log until that has no room either. Then it ends, tries to
// begin anew, and gives up.
func (s *Server) FillLog(t testing.TB) {
	t.Helper()
	s.Fill(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := s.answers(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for err == nil {
		_, err = conn.Exec(ctx, "select pg_logical_emit_message(false, 'tests', repeat('x', 1000000))")
	}
	if !conn.IsClosed() {
		t.Fatal(err)
	}
}

// Free removes what fills the disk.
func (s *Server) Free(t testing.TB) {
	t.Helper()
	if err := os.Remove(s.ballast()); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) ballast() string { return filepath.Join(s.data, "ballast") }
