package file

import (
	"bufio"
	"fmt"
	"io"
	"os"
)

// spoolMemory is how much text is kept in memory before a file takes over.
const spoolMemory = 4 << 20

// spool keeps text until it is known that it is wanted. Long text lies in a
// temporary file that has no name any more, where the system allows that.
type spool struct {
	memory []byte
	file   *os.File
	out    *bufio.Writer
}

func (s *spool) Write(text []byte) (int, error) {
	if s.file == nil && len(s.memory)+len(text) <= spoolMemory {
		s.memory = append(s.memory, text...)
		return len(text), nil
	}
	if s.file == nil {
		if err := s.overflow(); err != nil {
			return 0, err
		}
	}
	return s.out.Write(text)
}

func (s *spool) overflow() error {
	file, err := os.CreateTemp("", "eventbatch-report-*")
	if err != nil {
		return fmt.Errorf("keeping a long report: %w", err)
	}
	_ = os.Remove(file.Name()) // a system that does not allow it yet has close do it
	s.file, s.out = file, bufio.NewWriterSize(file, 64<<10)
	return nil
}

// copyTo writes the whole text.
func (s *spool) copyTo(w io.Writer) error {
	if _, err := w.Write(s.memory); err != nil || s.file == nil {
		return err
	}
	if err := s.out.Flush(); err != nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(w, s.file)
	return err
}

// close gives back what is kept.
func (s *spool) close() {
	if s.file != nil {
		// What was worth keeping has been copied.
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
	*s = spool{}
}
