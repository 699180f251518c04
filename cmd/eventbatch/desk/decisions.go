package desk

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"

	"eventbatch/batch/plan"
	"eventbatch/batch/report/finding"
	"eventbatch/mapping/own"
)

// decision is what was decided about a field, as --decisions has it.
type decision struct {
	Key      string  `json:"key"`
	EventID  string  `json:"event_id"`
	Field    string  `json:"field"`
	Live     *string `json:"live,omitempty"`
	Mine     *string `json:"mine,omitempty"`
	Decision string  `json:"decision"`
}

// titled is a decision about an event as the page names it: by its key where it was made before the page was opened.
type titled struct {
	decision

	Title string `json:"title"`
}

// of names what it is about.
func (d *decision) of() [3]string { return [3]string{d.Key, d.EventID, d.Field} }

// decides reports whether another decision is about the same, or about what is decided together with it.
func (d *decision) decides(other decision) bool {
	return d.Key == other.Key && d.EventID == other.EventID && (d.Field == other.Field || plan.Together(d.Field, other.Field))
}

// mostDecisions is how many decisions a page keeps.
const mostDecisions = 10_000

// decide adds decisions to those before and returns the file that has them, empty where there are none. What a page
// decides are conflicts of the plan that it shows, with the values that were shown.
func (c *choices) decide(folder string, more []decision, shown *held) (string, error) {
	file := filepath.Join(folder, "decisions.ndjson")
	if c.decided == nil {
		var err error
		if c.decided, err = readDecisions(file); err != nil {
			return "", err
		}
	}
	all := slices.Clone(c.decided)
	for i := range more {
		one := &more[i]
		if one.Decision == "" {
			all = slices.DeleteFunc(all, one.decides)
			continue
		}
		shown, err := shown.contested(one)
		if err != nil {
			return "", err
		}
		if c.titles == nil {
			c.titles = map[[3]string]string{}
		}
		for _, field := range shown {
			c.titles[field.of()] = field.Title
			if at := slices.IndexFunc(all, func(o decision) bool { return o.of() == field.of() }); at >= 0 {
				all[at] = field.decision
			} else {
				all = append(all, field.decision)
			}
		}
	}
	if len(all) > mostDecisions {
		return "", refuse(http.StatusBadRequest, "more decisions than a page keeps: say --on-conflict mine or theirs, for all of them")
	}
	if len(more) > 0 {
		if err := writeDecisions(file, all); err != nil {
			return "", err
		}
		c.decided = all
	}
	if len(all) == 0 {
		return "", nil
	}
	return file, nil
}

func readDecisions(file string) ([]decision, error) {
	list := []decision{}
	text, err := own.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return nil, refuse(http.StatusConflict, "what was decided is not read: "+err.Error())
	}
	for line := range bytes.Lines(text) {
		var one decision
		if err := finding.DecodeOne(bytes.NewReader(line), &one); err != nil {
			return nil, refuse(http.StatusConflict, file+" is not as this page wrote it: "+err.Error())
		}
		list = append(list, one)
	}
	return list, nil
}

func writeDecisions(file string, list []decision) error {
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	for i := range list {
		if err := to.Encode(list[i]); err != nil {
			return err
		}
	}
	if err := own.ReplaceText(file, text.Bytes()); err != nil {
		return refuse(http.StatusInsufficientStorage, "writing what was decided: "+err.Error())
	}
	return nil
}
