package sandbox

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// dressed returns a value as the service keeps it: its Markdown comes back in other words, in a field
// and in the members of objects alike.
func dressed(kind schema.Kind, r *schema.Record, value json.RawMessage) json.RawMessage {
	switch {
	case len(value) == 0:
		return value
	case kind == schema.Markdown && value[0] == '"':
		value, _ = json.Marshal(dress(unquote(value))) // texts always encode
	case r != nil && value[0] == '[':
		items := arrayOf(value)
		for i := range items {
			items[i] = dressed(schema.Object, r, items[i])
		}
		value, _ = json.Marshal(items) // what was sent as JSON is JSON
	case r != nil && value[0] == '{':
		var object map[string]json.RawMessage
		_ = json.Unmarshal(value, &object)
		for _, v := range append(slices.Clone(r.Variants), schema.Variant{Members: r.Members}) {
			for _, m := range v.Members {
				if object[m.Name] != nil && (m.Kind == schema.Markdown || m.Record != nil) {
					object[m.Name] = dressed(m.Kind, m.Record, object[m.Name])
				}
			}
		}
		value, _ = json.Marshal(object)
	}
	return value
}

// dress returns the same document as the service tells it: with other marks of rules and lists, three blank
// lines for one, a zero-width space where a paragraph begins, no blanks at the ends of lines and a line
// end at the end. Where a line may be code, or HTML, it stays.
func dress(md string) string {
	md = strings.TrimRight(strings.ReplaceAll(md, "\r\n", "\n"), "\n")
	if md == "" {
		return ""
	}
	blank, bullet := "\n\n\n", "- "
	if strings.Contains(md, "<") {
		blank = "" // as many as there are
	}
	if strings.Contains("\n"+md, "\n- ") {
		bullet = "* " // or two lists would become one
	}
	var b strings.Builder
	lines, fence := strings.Split(md, "\n"), ""
	for i, line := range lines {
		begins, ends := i == 0 || lines[i-1] == "", i == len(lines)-1 || lines[i+1] == ""
		marks := strings.TrimLeft(line, " >-*+.)0123456789")
		run := marks[:len(marks)-len(strings.TrimLeft(marks, "`~"))]
		first, _ := utf8.DecodeRuneInString(line)
		switch item, isItem := strings.CutPrefix(line, "* "); {
		case fence != "":
			if len(run) >= len(fence) && run[0] == fence[0] && strings.TrimSpace(marks) == run {
				fence = ""
			}
		case len(run) >= 3:
			fence = run
		case line == "" && blank != "" && !indented(lines[i:]):
			if lines[i+1] != "" {
				b.WriteString(blank)
			}
			continue
		case begins && (line == "---" || line == "***" || line == "___"):
			line = "* * *"
		case isItem && strings.TrimSpace(item) != "" && !strings.HasPrefix(strings.ReplaceAll(line, " ", ""), "***"):
			line = bullet + strings.TrimRight(item, " ")
		case begins && unicode.IsLetter(first):
			line = "\u200b" + line
		}
		if ends && fence == "" {
			line = strings.TrimRight(line, " ")
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// indented reports whether the first line that is not blank begins with white space.
func indented(lines []string) bool {
	for _, line := range lines {
		if line != "" {
			return line[0] == ' ' || line[0] == '\t'
		}
	}
	return false
}

// assumed returns the value that the table says is assumed for a field, nil where it
// says none or says it in words.
func assumed(f *schema.Field) json.RawMessage {
	word, _, _ := strings.Cut(f.Default, ",")
	var set schema.Setting
	switch f.Kind {
	case schema.Bool, schema.Integer, schema.Number:
		if word != "" && value.Parse(f, &set, word) == nil {
			return json.RawMessage(set.Text)
		}
	case schema.Enum:
		if slices.Contains(f.Values, word) {
			return quote(word)
		}
	}
	return nil
}
