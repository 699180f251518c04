package desk

import (
	"net"
	"net/http"
	"slices"
	"sync"
)

// limited is a listener with a bound of connections that are open at once. One on which nothing is asked gives way to a new
// one: whoever holds connections open keeps no tab out.
type limited struct {
	net.Listener
	most int
	warn func() // another user of this machine was turned away

	mu   sync.Mutex
	open []*limitedConn // as they came
}

// limitedConn is one of them.
type limitedConn struct {
	net.Conn
	from *limited
	busy bool // something is asked on it
}

// Accept closes what is too much at once, for a page needs six, and what comes from another user of this machine, who may
// have read the link of the page where the system lists the commands that run.
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		conn := &limitedConn{Conn: c, from: l}
		other := foreign(c)
		if !other && l.take(conn) {
			return conn, nil
		}
		_ = c.Close() // nothing was said
		if other && l.warn != nil {
			l.warn()
		}
	}
}

// take makes room for a connection, and reports whether there is any.
func (l *limited) take(c *limitedConn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) >= l.most {
		i := slices.IndexFunc(l.open, func(o *limitedConn) bool { return !o.busy })
		if i < 0 {
			return false
		}
		_ = l.open[i].Conn.Close() // nobody waits for an answer
		l.open = slices.Delete(l.open, i, i+1)
	}
	l.open = append(l.open, c)
	return true
}

// note takes from the server whether something is asked on a connection.
func (l *limited) note(c net.Conn, state http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known, ok := c.(*limitedConn); ok {
		known.busy = state == http.StateActive
	}
}

// Close makes room for another one.
func (c *limitedConn) Close() error {
	c.from.mu.Lock()
	c.from.open = slices.DeleteFunc(c.from.open, func(o *limitedConn) bool { return o == c })
	c.from.mu.Unlock()
	return c.Conn.Close()
}
