package api

import (
	"bytes"
	"encoding/json"
	"html"
	"strconv"
	"strings"

	"eventbatch/batch/printable"
)

// What is kept of an error's text.
const (
	maxMessage  = 500 // runes of a message or reason
	maxTitle    = 200 // of a web page
	maxProblems = 100
)

// complaint is what an answer says went wrong.
type complaint struct {
	Message  string
	Problems []Problem
}

func (c *Client) complaint(x exchanged) complaint {
	return parseComplaint(x.body, c.config.Censor.Redact)
}

// parseComplaint reads the body of an error: {"message","code"} as seen on the
// wire, its kin of other frameworks, text, or a web page. It never fails; what
// cannot be understood gives an empty message.
func parseComplaint(body []byte, redact func(string) string) complaint {
	body = body[:min(len(body), maxError)]
	var said complaint
	var text string
	var value any
	switch trimmed := bytes.TrimSpace(body); {
	case len(trimmed) == 0:
		return said
	case trimmed[0] == '<':
		text = title(body)
	case json.Unmarshal(body, &value) == nil:
		text = message(value, 0)
	case trimmed[0] == '{' || trimmed[0] == '[':
		text = "" // cut short: better nothing than brackets
	case len(body) == maxError:
		// What was cut may end in half a key, which is no key to the censor.
		text = string(body[:bytes.LastIndexAny(body, " \t\r\n")+1])
	default:
		text = string(body)
	}
	said.Message, said.Problems = splitProblems(redact(text))
	return said
}

// message finds the words in a decoded body: the first of the usual names, then
// what is listed beside it, each item of a list on its own line.
func message(v any, depth int) string {
	if depth > 8 {
		return ""
	}
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var lines []string
		for _, item := range v[:min(len(v), maxProblems)] {
			if line := message(item, depth+1); line != "" {
				lines = append(lines, line)
			}
		}
		return strings.Join(lines, "\n")
	case map[string]any:
		var text string
		for _, key := range []string{"message", "error", "detail", "title", "msg", "reason", "description"} {
			if text = message(v[key], depth+1); text != "" {
				break
			}
		}
		if path := pathOf(v); path != "" && text != "" {
			return "- " + path + ": " + text
		}
		for _, key := range []string{"errors", "issues", "problems", "details"} {
			if list := message(v[key], depth+1); list != "" {
				return strings.TrimPrefix(text+"\n"+list, "\n")
			}
		}
		return text
	}
	return ""
}

// pathOf returns the field that a listed problem is about: a text, or a list of
// names and indexes.
func pathOf(v map[string]any) string {
	for _, key := range []string{"path", "field", "loc"} {
		switch path := v[key].(type) {
		case string:
			return path
		case []any:
			var parts []string
			for _, part := range path {
				switch part := part.(type) {
				case string:
					if part != "body" {
						parts = append(parts, part)
					}
				case float64:
					parts = append(parts, strconv.Itoa(int(part)))
				}
			}
			return strings.Join(parts, ".")
		}
	}
	return ""
}

// splitProblems takes the `- path: reason` lines out of a message. A line that
// belongs to none of them goes on with the one before it.
func splitProblems(text string) (message string, problems []Problem) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if path, reason, ok := problemLine(line); ok {
			if len(problems) < maxProblems {
				problems = append(problems, Problem{Path: path, Reason: printable.Brief(reason, maxMessage)})
			}
			continue
		}
		if n := len(problems); n > 0 && line != "" {
			problems[n-1].Reason = printable.Brief(problems[n-1].Reason+" "+line, maxMessage)
		} else if n == 0 {
			message += " " + line
		}
	}
	return printable.Brief(message, maxMessage), problems
}

// problemLine reads "- coordinate.latitude: reason". A path is letters, digits
// and _ . [ ] -, so that a sentence with a colon is not taken for one.
func problemLine(line string) (path, reason string, ok bool) {
	rest, ok := strings.CutPrefix(line, "-")
	if !ok {
		return "", "", false
	}
	path, reason, ok = strings.Cut(strings.TrimSpace(rest), ":")
	path = strings.TrimSpace(path)
	if !ok || path == "" || len(path) > 200 {
		return "", "", false
	}
	for i := range len(path) {
		switch c := path[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("_.[]-", c) >= 0:
		default:
			return "", "", false
		}
	}
	return path, strings.TrimSpace(reason), true
}

// title is what a web page calls itself, the only thing worth showing of one.
func title(page []byte) string {
	lower := bytes.ToLower(page)
	from := bytes.Index(lower, []byte("<title"))
	if from < 0 {
		return ""
	}
	open := bytes.IndexByte(lower[from:], '>')
	if open < 0 {
		return ""
	}
	from += open + 1
	end := bytes.Index(lower[from:], []byte("</title"))
	if end < 0 || from+end > len(page) {
		return ""
	}
	return html.UnescapeString(string(page[from : from+end]))
}
