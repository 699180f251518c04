package journal

import (
	"fmt"
	"sync"
)

// readHeader is the header of a run as a database has it, or why it cannot be read.
type readHeader struct {
	*sealedHeader

	line []byte
	err  error
}

// read returns the headers of runs by their ids, without those of runs that were removed just now.
func (s *Shared) read(ids []string) (map[string]readHeader, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	lines, err := s.db.Headers(ids)
	if err != nil {
		return nil, s.unusable("reading runs", err)
	}
	read := map[string]readHeader{}
	for i, line := range lines {
		if line == nil {
			continue
		}
		h, err := parseHeader(s.in("plan", ids[i]), line)
		if err == nil && h.Run != ids[i] {
			err = &DamagedError{Path: s.in("plan", ids[i]), Line: 1, Reason: fmt.Sprintf("it is the plan of run %q", h.Run)}
		}
		read[ids[i]] = readHeader{h, line, err}
	}
	return read, nil
}

// headersKept is how many bytes of headers are kept, as they were stored.
const headersKept = 16 << 20

// headerCache keeps headers for shares: each is about all calendars of its run, of which a process
// may carry thousands, one after another. Headers never change.
type headerCache struct {
	mu      sync.Mutex
	headers map[string]*sealedHeader
	bytes   int
}

// of returns the headers of runs as [Shared.read] does, with the lines of those alone that it reads.
func (c *headerCache) of(ids []string, read func(ids []string) (map[string]readHeader, error)) (map[string]readHeader, error) {
	c.mu.Lock()
	defer c.mu.Unlock() // also while it is read: whoever comes meanwhile wants the same
	found, missing := map[string]readHeader{}, []string{}
	for _, id := range ids {
		if h := c.headers[id]; h != nil {
			found[id] = readHeader{sealedHeader: h}
		} else {
			missing = append(missing, id)
		}
	}
	all, err := read(missing)
	if err != nil {
		return nil, err
	}
	for id, one := range all {
		if found[id] = one; one.err != nil {
			continue
		}
		if c.bytes += len(one.line); c.headers == nil || c.bytes > headersKept {
			c.headers, c.bytes = map[string]*sealedHeader{}, len(one.line)
		}
		c.headers[id] = one.sealedHeader
	}
	return found, nil
}
