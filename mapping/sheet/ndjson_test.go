package sheet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestNDJSON(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       reading
	}{
		{"keys make the header in order of appearance", "{\"name\":\"Tea\",\"id\":1}\n\n{\"end\":\"x\",\"id\":2}\n", reading{
			Rows: []string{"1@1: name|id|end", "2@1: Tea|1", "4@3: |2|x"},
		}},
		{"numbers keep their digits, null clears, nothing is blank", "" +
			`{"a":12345678901234567890.10,"b":null,"c":"","d":true,"e":1E+5}`, reading{
			Rows: []string{"1@1: a|b|c|d|e", "2@1: 12345678901234567890.10|<clear>||true|1E+5"},
		}},
		{"nested values stay JSON", `{"a": {"x": [1.0, "}"], "y": "\u00e9"}, "b": [ ]}`, reading{
			Rows: []string{"1@1: a|b", `2@1: {"x":[1.0,"}"],"y":"\u00e9"}|[]`},
		}},
		{"escapes are undone, line ends are one", "\ufeff" + `{"a\tb":"x\r\ny\\\"z","'k":"'=1"}`, reading{
			Rows: []string{"1@1: a\tb|'k", "2@1: x\ny\\\"z|'=1"},
		}},
		{"an object without a value is a blank row", "{}\n{\"a\":\"\"}\n{\"a\":1}", reading{Rows: []string{"1@1: a", "4@3: 1"}}},
		{"no object", "\n \n", reading{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, readFile(t, writeTemp(t, "f.ndjson", tc.text), Options{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNDJSONRefusals(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{
			"an object over several lines", "{\"a\":1}\n{\n\"a\":2}\n",
			"bad-record: f:2:3: the line is not a JSON object: unexpected end of JSON input, at byte 1",
		},
		{
			"two objects in a line", `{"a":1}{"a":2}`,
			"bad-record: f:1:2: the line is not a JSON object: invalid character '{' after top-level value, at byte 8",
		},
		{"an array", "[1]\n", "bad-record: f:1:2: the line holds an array, not an object"},
		{"a key twice", `{"a":1,"b":2,"a":3}`, `bad-record: f:1:A2: the key "a" stands twice in one object`},
		{"half a surrogate pair", `{"a":"\ud800x"}`, "bad-record: f:1:A2: half of a surrogate pair is escaped without the other half"},
		{"an escaped NUL", `{"a":"\u0000"}`, `bad-record: f:1:A2: \u0000 stands for no character that can be sent`},
		{"no UTF-8", "{\"a\":1}\n{\"a\":\"\xff\"}", "bad-encoding: f:2:3: byte 0xFF is not UTF-8, at byte 7 of line 2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := readFile(t, writeTemp(t, "f.ndjson", tc.text), Options{}); got.Error != tc.want {
				t.Errorf("got  %s\nwant %s", got.Error, tc.want)
			}
		})
	}
}

// A key that first comes up far down is a column.
func TestNDJSONLateKey(t *testing.T) {
	text := strings.Repeat("{\"a\":1}\n", 3000) + "{\"a\":1,\"late\":2}\n"
	for path, o := range map[string]Options{
		writeTemp(t, "f.ndjson", text): {},
		"-":                            {Format: "ndjson", Stdin: strings.NewReader(text)},
	} {
		got := readFile(t, path, o)
		if len(got.Rows) != 3002 || got.Rows[0] != "1@1: a|late" || got.Rows[3001] != "3002@3001: 1|2" {
			t.Errorf("%s: got %d rows, %s", path, len(got.Rows), got.Error)
		}
	}
}

// FuzzNDJSON holds the reader against encoding/json: a line is read just when it
// is one object without surprises, and then with the same keys and values.
func FuzzNDJSON(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":1}`, "{\"a\":1}\n{\"b\":\"x\"}\n", `{"a":{"b":[1,2,{"c":"}"}]},"d":null}`, `[1]`, `"x"`, `nul`, `{"a":1,"a":2}`,
		`{"\u0061":"\ud83d\ude00\\"}`, `{"a":"\ud800"}`, ` { "a" : -0.5e+10 , "b" : true } `, `{"a":"�\ufffd"}`, "{\"a\":\"\\\\ufffd\"}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
			t.Skip()
		}
		text = strings.TrimPrefix(text, utf8BOM)
		want, fine := decodeLines(text)
		w := newWindow(&input{name: "f"}, newUTF8(strings.NewReader(text)), Limits{}.withDefaults())
		scan := &ndjsonScan{window: w, columns: map[string]int{}}
		var got []map[string]string
		for {
			slab := takeSlab()
			err := scan.next(t.Context(), slab)
			for _, row := range slab.rows {
				object := map[string]string{}
				for i, c := range row.Cells {
					if c.Kind != Blank {
						object[scan.header[i]] = c.Text
					}
				}
				got = append(got, object)
			}
			slabs.Put(slab)
			if err == io.EOF {
				break
			}
			if err != nil {
				if fine {
					t.Fatalf("%q: refused: %v", text, err)
				}
				return
			}
		}
		if !fine {
			t.Fatalf("%q: read as %v", text, got)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: (-encoding/json +ours):\n%s", text, diff)
		}
	})
}

// decodeLines is the same reading done with a json.Decoder, token by token.
func decodeLines(text string) (objects []map[string]string, fine bool) {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Trim(line, " \t\r") == "" {
			continue
		}
		object, err := decodeObject(line)
		if err != nil {
			return nil, false
		}
		maps.DeleteFunc(object, func(_, v string) bool { return v == "" })
		if len(object) > 0 {
			objects = append(objects, object)
		}
	}
	return objects, true
}

func decodeObject(line string) (map[string]string, error) {
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("no object")
	}
	object := map[string]string{}
	for d.More() {
		before := d.InputOffset()
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name := key.(string)
		if halves(line[before:d.InputOffset()]) || strings.IndexByte(name, 0) >= 0 {
			return nil, errors.New("half a character")
		}
		name = unixLines(name)
		if _, twice := object[name]; twice {
			return nil, errors.New("twice")
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, err
		}
		var value any
		if err := json.Unmarshal(raw, &value); err != nil {
			return nil, err
		}
		switch v := value.(type) {
		case nil:
			object[name] = "<clear>"
		case string:
			if halves(string(raw)) || strings.IndexByte(v, 0) >= 0 {
				return nil, errors.New("half a character")
			}
			object[name] = unixLines(v)
		case bool, float64:
			object[name] = string(raw)
		default:
			var b bytes.Buffer
			if err := json.Compact(&b, raw); err != nil {
				return nil, err
			}
			object[name] = b.String()
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("more in the line: %w", err)
	}
	return object, nil
}

// halves reports whether decoding makes a replacement character that is not
// there: encoding/json does so for half a surrogate pair.
func halves(raw string) bool {
	i, j := strings.IndexByte(raw, '"'), strings.LastIndexByte(raw, '"')
	marked := strings.NewReplacer("\uFFFD", "", `\\`, "", `\ufffd`, "", `\uFFFD`, "", `\ufffD`, "", `\uffFd`, "", `\ufFfd`, "",
		`\uFffd`, "",
		`\uFFfd`, "", `\uFfFd`, "", `\uFffD`, "", `\ufFFd`, "", `\ufFfD`, "", `\uffFD`, "", `\uFFFd`, "", `\uFFfD`, "", `\uFfFD`, "",
		`\ufFFD`, "").Replace(raw[i : j+1])
	var text string
	return json.Unmarshal([]byte(marked), &text) == nil && strings.Contains(text, "\uFFFD")
}
