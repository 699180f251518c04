package desk

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/mapping/own"
)

// answersFile has the answers that a mapping was made by, in a folder that is called by the sum of its text.
const answersFile = "answers.json"

// remember keeps the answers that a mapping was made by, so that they can be gone on with where the page is opened again.
func (d *reading) remember(mapping string) {
	e := d.Editing.Edits
	if e == nil || d.kept {
		return
	}
	text, err := json.Marshal(d.answers)
	if err == nil {
		var folder string
		if folder, err = MakeFolder(e.folder, sumOfText(mapping)); err == nil {
			err = own.ReplaceText(filepath.Join(folder, answersFile), text)
		}
	}
	if err != nil { // the mapping is there, and says the same
		d.warn("the answers are not kept for the next time: " + err.Error())
	}
}

// questions are what map has said of the file so far.
type questions struct {
	texts  map[string]string // of its questions, by their ids
	fields map[string]string // that a column may feed, in words, by their paths
	sheets []string          // that it does not read
}

// unread says which sheets are not read, but for those that the page reads; empty where there are none, or map was not asked.
func (q *questions) unread(read []Sheet) string {
	left := slices.DeleteFunc(slices.Clone(q.sheets), func(name string) bool {
		return slices.ContainsFunc(read, func(s Sheet) bool { return s.Name == name })
	})
	if len(left) == 0 {
		return ""
	}
	return "Not read: the " + printable.Pick(len(left), "sheet ", "sheets ") + printable.Names(left) +
		". Another one is chosen under Columns."
}

// learn takes what a document of map says.
func (q *questions) learn(document []byte) {
	var doc report.Proposed
	if json.Unmarshal(document, &doc) != nil { // it tells of a defect
		return
	}
	if q.texts == nil {
		q.texts, q.fields = map[string]string{}, map[string]string{}
	}
	for _, asked := range slices.Concat(doc.Questions, doc.Settled) {
		q.texts[asked.ID] = asked.Text
	}
	for i := range doc.Columns {
		if c := &doc.Columns[i]; c.Question != "" {
			q.texts[c.Question] = "what " + cmp.Or(c.Header, c.Letter) + " becomes"
		}
	}
	for _, f := range doc.Fields {
		q.fields[f.Value] = f.Text
	}
	q.sheets = nil
	for _, s := range doc.Sheets {
		if !s.Read && !s.Joined {
			q.sheets = append(q.sheets, s.Name)
		}
	}
}

// toldAnswer is an answer in words.
type toldAnswer struct {
	Answer

	Text string `json:"text"` // of the question
	Said string `json:"said"`
}

// told puts answers into words.
func (q *questions) told(answers []Answer) []toldAnswer {
	told := make([]toldAnswer, len(answers))
	for i, a := range answers {
		told[i] = toldAnswer{a, cmp.Or(q.texts[a.ID], strings.Replace(a.ID, ":", ": ", 1)), a.Value}
		if strings.HasPrefix(a.ID, "column:") {
			told[i].Said = cmp.Or(q.fields[a.Value], a.Value)
		}
	}
	return told
}

// recall returns the answers that a mapping was made by; not found where the page did not make it.
func (c *Config) recall(mapping string) (answers []Answer, found bool) {
	if c.Editing.Edits == nil || mapping == "" {
		return nil, false
	}
	text, err := own.Read(filepath.Join(c.Editing.Edits.folder, sumOfText(mapping), answersFile))
	return answers, err == nil && json.Unmarshal(text, &answers) == nil && len(answers) <= mostAnswers
}

func sumOfText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
