package desk

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"

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
