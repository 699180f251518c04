package feed

import (
	"context"
	"fmt"
	"io"
	"os"

	"eventbatch/batch/secret"
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

// Fetch gets those of some files that are given by their addresses, of each of which is told before. It returns where each file
// lies, what those that were got are called, and what removes them.
func Fetch(ctx context.Context, files []string, config Config, told func(secret.Address)) (
	paths []string, names map[string]string, done func(), err error,
) {
	var feeds []*Feed
	done = func() {
		for _, f := range feeds {
			_ = f.Close() // the rows were read, or are not wanted
		}
	}
	names = map[string]string{}
	for _, file := range files {
		if !secret.IsAddress(file) {
			paths = append(paths, file)
			continue
		}
		var f *Feed
		if config.Address, err = secret.ParseAddress(file); err == nil {
			told(config.Address)
			f, err = Open(ctx, config)
		}
		if err != nil {
			done()
			return nil, nil, nil, err
		}
		feeds = append(feeds, f)
		paths, names[f.Path] = append(paths, f.Path), f.Name
	}
	return paths, names, done, nil
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
