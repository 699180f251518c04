package file

import (
	"bufio"
	"io"

	"eventbatch/batch/report/finding"
	"eventbatch/mapping/durable"
	"eventbatch/mapping/own"
)

// kept makes the report of a sink that writes as it goes: what it wrote takes
// the place of the file at the end, whole.
func kept(begin func(io.Writer, string) finding.Sink) func(string, *Config) (finding.Sink, error) {
	return func(path string, config *Config) (finding.Sink, error) {
		r := &replacing{path: path}
		r.Sink = begin(r, config.Command)
		return r, nil
	}
}

// replacing keeps what a sink writes in a temporary file until its end.
type replacing struct {
	finding.Sink
	path string
	text *own.Temp // nil before the first byte
	out  *bufio.Writer
}

func (r *replacing) Write(text []byte) (int, error) {
	if r.text == nil {
		file, err := own.NewTemp("report")
		if err != nil {
			return 0, err
		}
		r.text, r.out = file, bufio.NewWriter(file)
	}
	return r.out.Write(text)
}

// reportMode is for its owner's eyes: a report holds rows of people's files.
const reportMode = 0o600

// End puts the whole report in place.
func (r *replacing) End(summary *finding.Summary) error {
	err := r.Sink.End(summary)
	if r.text == nil {
		return err
	}
	defer r.text.Close() // it has been copied
	if err == nil {
		err = r.out.Flush()
	}
	if err == nil {
		_, err = r.text.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	return durable.Replace(r.path, reportMode, func(w io.Writer) error {
		_, err := io.Copy(w, r.text)
		return err
	})
}
