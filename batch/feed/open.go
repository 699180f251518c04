package feed

import (
	"context"
	"fmt"
	"io"
	"os"
)

// Open gets a feed. What cannot be got is an error of the kind [failure.Away], and
// what was got and is no feed one of the kind [failure.Invalid].
func Open(ctx context.Context, c Config) (*Feed, error) {
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Bytes <= 0 {
		c.Bytes = defaultBytes
	}
	var f *Feed
	var err error
	switch {
	case c.Command != "":
		f, err = c.run(ctx)
	case !c.Address.IsZero(), !c.From.IsZero():
		f, err = c.get(ctx)
	default:
		return c.local(ctx)
	}
	if err != nil {
		return nil, err
	}
	return f.compared(c.Known)
}

// local hashes a file. What cannot be read twice, or not at all, is left to whoever reads rows.
func (c *Config) local(ctx context.Context) (*Feed, error) {
	f := &Feed{Path: c.Path, Name: c.Path}
	if c.Path == "-" {
		f.Name = "stdin"
		return f, nil
	}
	if info, err := os.Stat(c.Path); err != nil || !info.Mode().IsRegular() {
		return f, nil
	}
	file, err := os.Open(c.Path)
	if err != nil {
		return f, nil
	}
	defer file.Close()
	seen := newDigest()
	if _, err := io.Copy(seen, interruptible{ctx, file}); err != nil {
		return nil, fmt.Errorf("reading %s: %w", c.Path, err)
	}
	f.State = seen.state()
	return f.compared(c.Known)
}

// interruptible is a reader that ends with its context.
type interruptible struct {
	ctx  context.Context
	from io.Reader
}

func (r interruptible) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(p)
}
