package sheet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"eventbatch/mapping/value"
)

// clearCell is what a cell holds to send null.
const clearCell = "<clear>"

// member is one key of an object with its value as JSON.
type member struct {
	key   string
	value string
}

// membersOf parts the members of the object in a line. The line is checked by
// encoding/json first, so that parting it needs only to find where strings,
// brackets and values end.
func membersOf(line string) iter.Seq2[member, error] {
	return func(yield func(member, error) bool) {
		if !json.Valid([]byte(line)) {
			yield(member{}, explainJSON(line))
			return
		}
		if line[0] != '{' {
			yield(member{}, fmt.Errorf("the line holds %s, not an object", jsonKind(line[0])))
			return
		}
		for pos := skipSpace(line, 1); line[pos] != '}'; {
			end := valueEnd(line, pos)
			key, err := jsonText(line[pos:end])
			pos = skipSpace(line, skipSpace(line, end)+1) // past the colon
			end = valueEnd(line, pos)
			if !yield(member{key, line[pos:end]}, err) || err != nil {
				return
			}
			if pos = skipSpace(line, end); line[pos] == ',' {
				pos = skipSpace(line, pos+1)
			}
		}
	}
}

// cell is the value as a cell: null is "<clear>", a text is itself, a number keeps its digits,
// an object or array is compact JSON, and what is empty is blank.
func (m member) cell() (c Cell, err error) {
	switch m.value[0] {
	case 'n':
		return Cell{Text: clearCell, Kind: Null}, nil
	case '"':
		c.Text, err = jsonText(m.value)
	case '{', '[':
		var b bytes.Buffer
		err = json.Compact(&b, []byte(m.value))
		return Cell{Text: b.String(), Kind: JSON}, err
	default:
		c.Text = m.value
	}
	if c.Text != "" {
		c.Kind = Text
	}
	return c, err
}

// jsonText is a JSON string's text with lines parted by "\n".
func jsonText(quoted string) (string, error) {
	inside := quoted[1 : len(quoted)-1]
	if strings.IndexByte(inside, '\\') < 0 {
		return inside, nil
	}
	var text string
	if err := json.Unmarshal([]byte(quoted), &text); err != nil {
		return "", err
	}
	if value.LoneSurrogate(inside) >= 0 {
		return "", errors.New("half of a surrogate pair is escaped without the other half")
	}
	if strings.IndexByte(text, 0) >= 0 {
		return "", errors.New(`\u0000 stands for no character that can be sent`)
	}
	return unixLines(text), nil
}

// valueEnd is where the value at pos ends in valid JSON.
func valueEnd(s string, pos int) int {
	depth := 0
	for {
		switch s[pos] {
		case '"':
			pos = stringEnd(s, pos)
		case '{', '[':
			depth++
			pos++
		case '}', ']':
			depth--
			pos++
		case ',', ':', ' ', '\t', '\n', '\r':
			pos++
		default:
			for pos < len(s) && strings.IndexByte(",:}] \t\r\n", s[pos]) < 0 {
				pos++
			}
		}
		if depth == 0 {
			return pos
		}
	}
}

func stringEnd(s string, pos int) int {
	for pos++; s[pos] != '"'; pos++ {
		if s[pos] == '\\' {
			pos++
		}
	}
	return pos + 1
}

func skipSpace(s string, pos int) int {
	for pos < len(s) && strings.IndexByte(" \t\r\n", s[pos]) >= 0 {
		pos++
	}
	return pos
}

// explainJSON says what is wrong with a line that is no JSON.
func explainJSON(line string) error {
	var raw json.RawMessage
	err := json.Unmarshal([]byte(line), &raw)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("the line is not a JSON object: %w, at byte %d", err, syntax.Offset)
	}
	return fmt.Errorf("the line is not a JSON object: %w", err)
}

func jsonKind(c byte) string {
	switch c {
	case '[':
		return "an array"
	case '"':
		return "a text"
	case 'n':
		return "null"
	case 't', 'f':
		return "true or false"
	}
	return "a number"
}
