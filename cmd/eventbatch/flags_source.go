package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"eventbatch/batch"
	"eventbatch/batch/source"
)

// sourceFlags say which source the rows are of, and what becomes of those that are gone.
type sourceFlags struct {
	name, missing, takeOver string
	renames                 []string
	rebind                  bool
}

func (s *sourceFlags) register(f *pflag.FlagSet) {
	f.StringVar(&s.name, "source", "", "`NAME` of what feeds the same events again and again (default: the file's path)")
	f.StringVar(
		&s.missing, "missing", "report", "`WHAT` becomes of events that the source has made and no longer names: report tells them, "+
			"keep says nothing, cancel cancels those to come",
	)
	f.StringArrayVar(&s.renames, "rename", nil, "`OLD=NEW` key of an event, or none where new keys are new events (repeatable)")
	f.BoolVar(&s.rebind, "rebind", false, "let the source feed another address, calendar, resource or key column than before")
	f.StringVar(&s.takeOver, "take-over", "", "make the keys of another source this one's: its `NAME`, or the path of its file")
}

// config returns what the flags say. Flags that read only some of the rows do not go with
// those that count on all.
func (s *sourceFlags) config(r *readingFlags, guards *batch.Guards) (source.Config, error) {
	f := source.Config{Name: s.name, Missing: source.Missing(s.missing), TakeOver: s.takeOver, Rebind: s.rebind}
	if words := flagWords["missing"]; !slices.Contains(words, s.missing) {
		return f, wrongWord("--missing", s.missing, words)
	}
	if s.name != strings.TrimSpace(s.name) || strings.ContainsAny(s.name, `/\`) || s.name == "none" {
		return f, &usageError{
			err: fmt.Errorf("--source: %q is not a name", s.name), hint: "write a word such as members, without slashes",
		}
	}
	if f.Missing == source.Cancel {
		if s.name == "" {
			return f, &usageError{
				err:  errors.New("--missing cancel needs the name of the source"),
				hint: "say --source NAME, and the same name each time: what it has made is remembered under it",
			}
		}
		if flag := r.part(); flag != "" {
			return f, &usageError{
				err:  fmt.Errorf("--missing cancel and %s: only a reading of all rows tells which are gone", flag),
				hint: "leave one of the two out",
			}
		}
		guards.LimitCancels()
	}
	return f, s.parseRenames(&f)
}

// part returns a flag that has only some of the rows read, empty where none has.
func (r *readingFlags) part() string {
	switch {
	case r.rows != "":
		return "--rows"
	case r.limit != 0:
		return "--limit"
	case r.sheet != "":
		return "--sheet"
	}
	return ""
}

func (s *sourceFlags) parseRenames(f *source.Config) error {
	f.Renames = map[string]string{}
	for _, text := range s.renames {
		if text == "none" {
			f.NoRenames = true
			continue
		}
		old, key, ok := strings.Cut(text, "=")
		old, key = strings.TrimSpace(old), strings.TrimSpace(key)
		if !ok || old == "" || key == "" {
			return &usageError{
				err:  fmt.Errorf("--rename: %q names no two keys", text),
				hint: "write OLD=NEW, such as --rename tea-1=tea-2027-1, or none",
			}
		}
		f.Renames[old] = key
	}
	return nil
}
