//go:build unix

package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// pooling is how a pooler is set: by a socket, and whoever comes is let in. It knows nothing of
// what a connection wants to be set, as is its default.
const pooling = `[databases]
* = host=%[1]s
[pgbouncer]
listen_addr =
unix_socket_dir = %[2]s
auth_type = trust
auth_file = %[2]s/users
pool_mode = %[3]s
`

// Pooler returns the address of a database behind a pooler of some mode: session, transaction
// or statement. Where PgBouncer is not installed the test is skipped, or fails where CI is set.
func Pooler(t testing.TB, address, mode string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		if program = "/usr/sbin/pgbouncer"; !executable(program) {
			program = ""
		}
	}
	switch {
	case program == "" && os.Getenv("CI") != "":
		t.Fatal("PgBouncer is not installed")
	case program == "":
		t.Skip("PgBouncer is not installed")
	}
	as, err := unprivileged()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "pool")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	files := map[string]string{"ini": fmt.Sprintf(pooling, shared.server.folder, folder, mode), "users": `"plain" ""` + "\n"}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := as.own(folder); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	cmd := exec.Command(program, filepath.Join(folder, "ini"))
	cmd.SysProcAttr, cmd.Stderr = as.attributes(), &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	pooled := strings.Replace(address, url.QueryEscape(shared.server.folder), url.QueryEscape(folder)+"&port=6432", 1)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, pooled)
		if err == nil {
			_ = conn.Close(ctx)
			return pooled
		}
		if ctx.Err() != nil {
			t.Fatalf("PgBouncer does not answer: %v\n%s", err, log.String())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&0o111 != 0
}
