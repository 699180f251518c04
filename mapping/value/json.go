package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"eventbatch/mapping/schema"
)

// readJSON returns the cell's JSON without white space between its tokens.
func readJSON(f *schema.Field, text string) (string, *schema.Fault) {
	open, word := "{", "an object in braces"
	if f.Kind == schema.Array {
		open, word = "[", "an array in brackets"
	}
	if !utf8.ValidString(text) {
		return "", schema.CodeBadJSON.Fault(f.Path+" holds bytes that are not UTF-8", "save the file as UTF-8")
	}
	if text == "null" {
		return "", schema.CodeBadJSON.Fault(f.Path+" cannot be null", "leave the cell blank to keep the field as it is")
	}
	if f.Brief != nil {
		text = f.Brief(text)
	}
	if !strings.HasPrefix(text, open) {
		whole := word + ", such as " + f.Example
		if f.Brief != nil {
			return "", schema.CodeBadJSON.Fault(Quote(text)+" says no "+f.Path, "write "+f.Rule)
		}
		if parts := f.PartFields(); f.Kind == schema.Object && len(parts) > 0 {
			whole = "its parts into columns of their own, such as " + parts[0].Path + "; or " + whole
		}
		return "", schema.CodeBadJSON.Fault(Quote(text)+" is not JSON for "+f.Path, "write "+whole)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		var raw json.RawMessage // Compact does not tell where it stopped
		return "", jsonFault(text, json.Unmarshal([]byte(text), &raw))
	}
	if at := LoneSurrogate(text); at >= 0 {
		return "", schema.CodeBadJSON.Fault(
			"half of a surrogate pair is escaped at character "+position(text, at),
			"without the other half it stands for no character: write the character itself",
		)
	}
	if compact.Len() == len(text) {
		return text, nil
	}
	return compact.String(), nil
}

// LoneSurrogate returns where valid JSON, or what stands between the quotes of one of
// its strings, escapes half of a surrogate pair without the other half; -1 for nowhere.
func LoneSurrogate(text string) int {
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		at, r := i, escaped(text[i:])
		i++ // the character escaped, which may be a backslash
		if !utf16.IsSurrogate(r) {
			continue
		}
		const escape = len(`\uD83D`)
		if utf16.DecodeRune(r, escaped(text[at+escape:])) == utf8.RuneError {
			return at
		}
		i = at + 2*escape - 1
	}
	return -1
}

// escaped reads the \uXXXX that a text begins with; 0 where it begins with none.
func escaped(text string) rune {
	if len(text) < 6 || text[:2] != `\u` {
		return 0
	}
	n, err := strconv.ParseUint(text[2:6], 16, 16)
	if err != nil {
		return 0
	}
	return rune(n)
}

func jsonFault(text string, err error) *schema.Fault {
	const hint = "JSON takes straight double quotes around names and texts, and no comma before a closing bracket"
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok || errors.Is(err, io.ErrUnexpectedEOF) || syntax.Offset > int64(len(text)) || strings.Contains(err.Error(), "unexpected end") {
		return schema.CodeBadJSON.Fault("the JSON ends too early", "close every bracket and every quote")
	}
	at := max(0, int(syntax.Offset)-1)
	if strings.ContainsAny(text, "“”„«»‘’") {
		return schema.CodeBadJSON.Fault(
			"the JSON has a mistake at character "+position(text, at), "replace curly quotes with straight ones",
		)
	}
	return schema.CodeBadJSON.Fault("the JSON has a mistake at character "+position(text, at), hint)
}

// position counts characters from 1 and shows what stands there.
func position(text string, at int) string {
	for at > 0 && text[at]&0xC0 == 0x80 {
		at--
	}
	r, _ := utf8.DecodeRuneInString(text[at:])
	return strconv.Itoa(utf8.RuneCountInString(text[:at])+1) + ", " + strconv.QuoteRune(r)
}

// Node is one value of a JSON cell; unlike maps it keeps order and duplicates.
type Node struct {
	Kind  byte   // { [ " 0 t n for object, array, string, number, boolean, null
	Text  string // of a string, a number or a boolean
	Names []string
	Items []Node // of an array, or the values of an object's names
}

var nodeWords = map[byte]string{
	'{': "an object", '[': "an array", '"': "a text in quotes", '0': "a number", 't': "true or false", 'n': "null",
}

// deepest is far below what a cell of this service needs.
const deepest = 64

// Decode reads JSON that Compact has passed.
func Decode(text string) (Node, *schema.Fault) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	n, err := decodeNode(d, 0)
	if err != nil {
		if fault, ok := errors.AsType[*schema.Fault](err); ok {
			return n, fault
		}
		return n, jsonFault(text, err)
	}
	return n, nil
}

func decodeNode(d *json.Decoder, depth int) (Node, error) {
	token, err := d.Token()
	if err != nil {
		return Node{}, err
	}
	switch v := token.(type) {
	case string:
		return Node{Kind: '"', Text: v}, nil
	case json.Number:
		return Node{Kind: '0', Text: v.String()}, nil
	case bool:
		return Node{Kind: 't', Text: strconv.FormatBool(v)}, nil
	case json.Delim:
		if depth == deepest {
			return Node{}, schema.CodeBadJSON.Fault(
				"the JSON is nested too deeply", "nothing here needs more than "+strconv.Itoa(deepest)+" levels",
			)
		}
		return decodeList(d, byte(v), depth)
	}
	return Node{Kind: 'n'}, nil
}

func decodeList(d *json.Decoder, open byte, depth int) (Node, error) {
	n := Node{Kind: open}
	for d.More() {
		if open == '{' {
			name, err := d.Token()
			if err != nil {
				return n, err
			}
			n.Names = append(n.Names, name.(string))
		}
		item, err := decodeNode(d, depth+1)
		if err != nil {
			return n, err
		}
		n.Items = append(n.Items, item)
	}
	_, err := d.Token()
	return n, err
}

// Get finds a member of an object.
func (n *Node) Get(name string) (*Node, bool) {
	for i, have := range n.Names {
		if have == name {
			return &n.Items[i], true
		}
	}
	return nil, false
}
