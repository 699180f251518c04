package sandbox

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"eventbatch/mapping/failure"
	"eventbatch/mapping/own"
)

// disk is the append-only log: a line of JSON a record, the first one naming the
// form. A line counts once its line end is there.
type disk struct {
	file   *os.File
	lock   *flock.Flock // of the folder; it dies with its process
	end    int64        // of the last whole line
	line   bytes.Buffer
	failed error // once the end of the file is no longer known
}

// ErrInUse means that another process holds the folder.
var ErrInUse = errors.New("the sandbox's folder is in use by another process")

const (
	logName = "sandbox.jsonl"
	logForm = "{\"t\":\"sandbox\",\"version\":1}\n"
)

// openDisk replays the log of the folder. A torn last line, left by a process
// that was killed while it wrote, is cut off: its answer never left.
func openDisk(dir string, apply func(*record) error) (*disk, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("opening sandbox: %w", err)
	}
	file, err := own.OpenFile(filepath.Join(dir, logName), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, fmt.Errorf("opening sandbox: %w", err)
	}
	d := &disk{file: file, lock: own.Lock(filepath.Join(dir, "lock"))}
	if err := d.open(apply); err != nil {
		return nil, errors.Join(fmt.Errorf("opening sandbox %s: %w", file.Name(), err), d.close())
	}
	return d, nil
}

func (d *disk) open(apply func(*record) error) error {
	switch ok, err := d.lock.TryLock(); {
	case err != nil:
		return err
	case !ok:
		return ErrInUse
	}
	if err := d.replay(apply); err != nil {
		return err
	}
	if err := d.cut(); err != nil {
		return err
	}
	if d.end > 0 {
		return nil
	}
	return d.write([]byte(logForm))
}

func (d *disk) replay(apply func(*record) error) error {
	in := bufio.NewReaderSize(d.file, 1<<16)
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if number == 1 {
			if string(line) != logForm {
				err := errors.New("line 1: not the log of a sandbox of this version")
				if strings.HasPrefix(string(line), logForm[:strings.LastIndexByte(logForm, ':')]) {
					err = failure.New(failure.Config, err, "")
				}
				return err
			}
		} else if err := replayLine(line, apply); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		d.end += int64(len(line))
	}
}

func replayLine(line []byte, apply func(*record) error) error {
	var r record
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	return apply(&r)
}

// append hands a record to the operating system. A record that was written in
// part is taken back; where even that fails nothing is written any more.
func (d *disk) append(r *record) error {
	d.line.Reset()
	encoder := json.NewEncoder(&d.line)
	encoder.SetEscapeHTML(false) // values stay as they were sent
	if err := encoder.Encode(r); err != nil {
		return err
	}
	return d.write(d.line.Bytes())
}

func (d *disk) write(line []byte) error {
	if d.failed != nil {
		return d.failed
	}
	if _, err := d.file.Write(line); err != nil {
		d.failed = d.cut()
		return fmt.Errorf("writing sandbox: %w", err)
	}
	d.end += int64(len(line))
	return nil
}

// cut makes the last whole line the end of the file.
func (d *disk) cut() error {
	if err := d.file.Truncate(d.end); err != nil {
		return fmt.Errorf("cutting sandbox: %w", err)
	}
	if _, err := d.file.Seek(d.end, io.SeekStart); err != nil {
		return fmt.Errorf("cutting sandbox: %w", err)
	}
	return nil
}

// close releases the lock too.
func (d *disk) close() error { return errors.Join(d.file.Close(), d.lock.Unlock()) }
