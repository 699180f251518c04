package main

import (
	"errors"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// door is a way to a database that can be shut, and on which what is on its way can be held up.
type door struct {
	from, to string // an address of TCP, and the file of a socket

	mu    sync.Mutex
	moves *sync.Cond
	open  net.Listener
	conns map[*net.TCPConn]net.Conn // by who came: the way on
	mute  [2]bool                   // what goes in, and what comes out, stays on its way
	delay func() time.Duration      // of each piece, nil for none
}

// The ways through a door.
const (
	inwards = iota
	outwards
)

// newDoor returns a door to the database at an address, and the address of the door.
func newDoor(t *testing.T, address string) (*door, string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	d := &door{
		from: "127.0.0.1:0", to: filepath.Join(u.Query().Get("host"), ".s.PGSQL.5432"),
		conns: map[*net.TCPConn]net.Conn{},
	}
	d.moves = sync.NewCond(&d.mu)
	d.set(t, true)
	t.Cleanup(func() { d.set(t, false) })
	u.Host, u.RawQuery = d.from, ""
	return d, u.String()
}

// set opens the door, or shuts it: then nobody gets in, and whoever was is thrown out.
func (d *door) set(t *testing.T, open bool) {
	t.Helper()
	if !open {
		d.mu.Lock()
		_ = d.open.Close()
		d.mu.Unlock()
		d.reset()
		return
	}
	listener, err := net.Listen("tcp", d.from)
	if err != nil {
		t.Fatal(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open, d.from = listener, listener.Addr().String()
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("unix", d.to)
			if err != nil {
				_ = in.Close()
				continue
			}
			d.mu.Lock()
			d.conns[in.(*net.TCPConn)] = out
			d.mu.Unlock()
			go d.pass(inwards, out, in)
			go d.pass(outwards, in, out)
		}
	}()
}

// pass takes what comes from one side to the other one, until one of them has enough.
func (d *door) pass(way int, to, from net.Conn) {
	defer to.Close()
	for piece := make([]byte, 1<<16); ; {
		n, err := from.Read(piece)
		d.mu.Lock()
		for d.mute[way] { // an end is on its way as well
			d.moves.Wait()
		}
		delay := d.delay
		d.mu.Unlock()
		if delay != nil && n > 0 {
			time.Sleep(delay())
		}
		if n > 0 {
			if _, err := to.Write(piece[:n]); err != nil {
				_ = from.Close()
				return
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				_ = from.Close()
			}
			return
		}
	}
}

// hold has what goes these ways stay on its way until free is called.
func (d *door) hold(ways ...int) (free func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, way := range ways {
		d.mute[way] = true
	}
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, way := range ways {
			d.mute[way] = false
		}
		d.moves.Broadcast()
	}
}

// slow delays each piece that is on its way, nil no longer.
func (d *door) slow(delay func() time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.delay = delay
}

// reset throws out whoever is in, as somebody on the way does who has lost sight of them.
func (d *door) reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for in, out := range d.conns {
		_ = in.SetLinger(0)
		_ = in.Close()
		_ = out.Close()
	}
	clear(d.conns)
}
