//go:build unix

package main

import (
	"os"
	"syscall"
	"testing"
)

// The first signal ends a command that waits for a pipe: for somebody to open it for
// writing, or for what is written into it.
func TestSignalEndsTheWaitForAPipe(t *testing.T) {
	const rows = "key,name,start_at,timezone\na,Tea,2027-03-20 18:00,Europe/Paris\n"
	for _, command := range [][]string{{"check"}, {"plan", "--sandbox"}, {"import", "--sandbox", "--yes"}} {
		for _, test := range []struct {
			waits  string
			signal os.Signal
			code   int
		}{{"opening", syscall.SIGINT, 130}, {"reading", syscall.SIGINT, 130}, {"opening", syscall.SIGTERM, 143}} {
			t.Run(command[0]+" "+test.waits+" "+test.signal.String(), func(t *testing.T) {
				t.Parallel()
				h := newHome(t, "")
				for _, name := range []string{"first.csv", "second.csv"} {
					if err := syscall.Mkfifo(h.path(name), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				p := h.start(t, append(command, "first.csv", "second.csv")...)
				first, err := os.OpenFile(h.path("first.csv"), os.O_WRONLY, 0) // returns once the command is there
				if err != nil {
					t.Fatal(err)
				}
				defer first.Close()
				if _, err := first.WriteString(rows); err != nil {
					t.Fatal(err)
				}
				if test.waits == "opening" {
					if err := first.Close(); err != nil {
						t.Fatal(err)
					}
				}
				if err := p.Process.Signal(test.signal); err != nil {
					t.Fatal(err)
				}
				if e := p.end(t); e.code != test.code {
					t.Errorf("want exit %d: %v", test.code, e)
				}
			})
		}
	}
}
