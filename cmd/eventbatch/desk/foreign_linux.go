package desk

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
)

// foreign reports whether a connection comes from another user of this machine. What is not known is let in, to the token.
func foreign(c net.Conn) bool {
	uid, known := peerUser(c)
	return known && stranger(uid, os.Geteuid())
}

// stranger reports whether a user is another one than the page is for. The system administrator is none: who may read
// everything, and whose tunnels bring others near. To a page of the system administrator everybody may be sent.
func stranger(uid, self int) bool { return self != 0 && uid != 0 && uid != self }

// peerUser returns the user whose socket is at the other end of a connection within this machine.
func peerUser(c net.Conn) (uid int, known bool) {
	from, ok := c.RemoteAddr().(*net.TCPAddr)
	to, also := c.LocalAddr().(*net.TCPAddr)
	if !ok || !also {
		return 0, false
	}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			continue
		}
		if uid, known := userIn(text, from.AddrPort(), to.AddrPort()); known {
			return uid, true
		}
	}
	return 0, false
}

// nobody is the user of a socket without one.
const nobody = -1

// userIn returns the user of the socket that has these two ends, in a table of the kernel's: a line for each socket, with its
// own end, the other one, and five columns on the user.
func userIn(table []byte, own, other netip.AddrPort) (uid int, known bool) {
	ends := [2][]byte{[]byte(inTable(own)), []byte(inTable(other))}
	mapped := [2][]byte{[]byte(inTable(mappedTo6(own))), []byte(inTable(mappedTo6(other)))}
	for line := range bytes.Lines(table) {
		words := bytes.Fields(line)
		if len(words) < 8 {
			continue
		}
		for _, of := range [][2][]byte{ends, mapped} {
			if bytes.Equal(words[1], of[0]) && bytes.Equal(words[2], of[1]) {
				if len(words) > 9 && string(words[9]) == "0" {
					return nobody, true // it is closed at that end: its user is not told any more
				}
				uid, err := strconv.Atoi(string(words[7]))
				return uid, err == nil
			}
		}
	}
	return 0, false
}

func mappedTo6(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom16(a.Addr().As16()), a.Port())
}

// inTable writes an end as the kernel does: each four bytes of the address as a number of the machine, then the port.
func inTable(a netip.AddrPort) string {
	bytes := a.Addr().AsSlice()
	for i := 0; i < len(bytes); i += 4 {
		binary.BigEndian.PutUint32(bytes[i:], binary.NativeEndian.Uint32(bytes[i:]))
	}
	return fmt.Sprintf("%X:%04X", bytes, a.Port())
}
