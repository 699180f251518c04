package desk

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// Whose a connection is stands in a table of the kernel's.
func TestWhoseAConnectionIs(t *testing.T) {
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:A391 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1129 1 0 100 0 0 10 0
   1: 0100007F:D431 0100007F:A391 01 00000000:00000000 00:00000000 00000000  1001        0 1130 1 0 20 0 0 10 -1
   2: 0100007F:A391 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 1131 1 0 20 0 0 10 -1
   3: 0000000000000000FFFF00000100007F:D432 0000000000000000FFFF00000100007F:A391 01 0:0 00:0 0  1002  0 1132 1 0
   4: 0100007F:D434 0100007F:A391 06 00000000:00000000 00:00000000 00000000     0        0 0 3 0
   5: short
`
	page := netip.MustParseAddrPort("127.0.0.1:41873")
	const unknown = -2
	for port, want := range map[uint16]int{54321: 1001, 54322: 1002, 54323: unknown, 54324: nobody} {
		uid, known := userIn([]byte(table), netip.AddrPortFrom(page.Addr(), port), page)
		if !known {
			uid = unknown
		}
		if uid != want {
			t.Errorf("port %d is of the user %d, want %d", port, uid, want)
		}
	}
}

// A connection of our own is let in, and one of another user is not.
func TestAnotherUserOfTheMachineIsNotAnswered(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken := func(begin func()) net.Conn {
		t.Helper()
		begin()
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() }) // nothing was said
		return c
	}
	own := taken(func() {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() }) // nothing was said
	})
	if uid, known := peerUser(own); !known || uid != os.Geteuid() || foreign(own) {
		t.Errorf("our own connection is of the user %d, %t", uid, known)
	}
	if os.Geteuid() != 0 {
		t.Skip("only root has another user connect")
	}
	const nobody = 65534
	ask := exec.Command("/bin/bash", "-c", fmt.Sprintf("exec 3<>/dev/tcp/127.0.0.1/%d; cat", l.Addr().(*net.TCPAddr).Port))
	ask.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	ask.Dir = "/"
	in, err := ask.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	other := taken(func() {
		if err := ask.Start(); err != nil {
			t.Fatal(err)
		}
	})
	uid, known := peerUser(other)
	if !known || uid != nobody {
		t.Errorf("that of another user is of the user %d, %t", uid, known)
	}
	if !stranger(uid, 1000) || stranger(uid, nobody) || stranger(uid, 0) || stranger(0, 1000) {
		t.Error("who is let in is not whom the page is for")
	}
	_ = in.Close() // it ends
	if err := ask.Wait(); err != nil {
		t.Error(err)
	}
	_, _ = io.Copy(io.Discard, other) // its end
}
