package sheet

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"time"

	"eventbatch/mapping/schema"
)

// beginsSchedule reports whether a file begins as the schedule of a conference in XML does.
func beginsSchedule(start []byte) bool {
	start = afterProlog(start)
	return bytes.HasPrefix(start, []byte("<schedule>")) || bytes.HasPrefix(start, []byte("<schedule "))
}

// afterProlog returns what stands behind declarations and comments of XML.
func afterProlog(start []byte) []byte {
	for _, skip := range []struct{ from, to string }{{"<?", "?>"}, {"<!--", "-->"}, {"<?", "?>"}, {"<!--", "-->"}} {
		if bytes.HasPrefix(start, []byte(skip.from)) {
			if i := bytes.Index(start, []byte(skip.to)); i >= 0 {
				start = bytes.TrimLeft(start[i+len(skip.to):], " \t\r\n")
			}
		}
	}
	return start
}

// openSchedule reads the schedule of a conference in XML, an event a row, as in JSON.
func openSchedule(ctx context.Context, in *input, o Options) (source, error) {
	lines, raw, err := openDocument(ctx, in, o)
	if err != nil {
		return nil, err
	}
	talks, zone, err := talksOf(ctx, raw)
	switch {
	case ctx.Err() != nil:
		return nil, err
	case err != nil:
		return nil, in.refuse(schema.CodeBadXML, "export it again", "the schedule is no XML: %w", err)
	case len(talks) == 0:
		return nil, in.refuse(schema.CodeMissingPart, "open any other XML in a spreadsheet and save it as .xlsx",
			"the file has no element <event>, of which the schedule of a conference is made")
	}
	lines.lines, err = linesOf(talks, []any{zone})
	return lines, err
}

// talksOf reads the events of a schedule: each element of an event is a column, and so are the elements in it.
func talksOf(ctx context.Context, raw []byte) (talks []any, zone string, err error) {
	d := xml.NewDecoder(bytes.NewReader(raw))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it is UTF-8 by now
	depth := 0
	var event *eventScan
	var day, change string
	var text strings.Builder
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, "", ctx.Err()
		}
		token, err := d.Token()
		if err == io.EOF {
			return talks, zone, nil
		}
		if err != nil {
			return nil, "", err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if depth++; depth > 64 {
				return nil, "", errors.New("elements in each other, more than 64 deep")
			}
			text.Reset()
			switch {
			case event != nil:
				event.start(&token)
			case token.Name.Local == "event":
				event = &eventScan{row: map[string]any{}, filled: map[string]bool{}}
				for _, a := range token.Attr {
					event.row[a.Name.Local] = a.Value
				}
			case token.Name.Local == "day":
				day = attribute(&token, "date")
			}
		case xml.CharData:
			if text.Write(token); event != nil {
				event.chars(token)
			}
		case xml.EndElement:
			depth--
			word := strings.TrimSpace(text.String())
			text.Reset()
			switch {
			case event != nil && len(event.path) > 0:
				event.end(word)
			case event != nil:
				talks, event = append(talks, event.talk(day, change)), nil
			case token.Name.Local == "time_zone_name":
				zone = word
			case token.Name.Local == "day_change":
				change = word
			}
		}
	}
}

// eventScan gathers the columns of an event.
type eventScan struct {
	row     map[string]any
	filled  map[string]bool // columns that an element has filled, and no attribute alone
	persons []any
	path    []string // from below the event to where the scan is
	href    string   // of the element that was begun last

	// Of the element below the event: its text with that of all in it; whether some is its own, as in a
	// description with markup; what the elements in it say, by the names of their columns.
	whole strings.Builder
	own   bool
	parts [][2]string
}

func (e *eventScan) start(element *xml.StartElement) {
	if len(e.path) == 0 {
		e.whole.Reset()
		e.own, e.parts = false, nil
	}
	e.path, e.href = append(e.path, element.Name.Local), attribute(element, "href")
}

func (e *eventScan) chars(text []byte) {
	e.own = e.own || len(e.path) == 1 && len(bytes.TrimSpace(text)) > 0
	e.whole.Write(text)
}

// end ends an element, given the text behind the last one in it.
func (e *eventScan) end(word string) {
	column := strings.Join(e.path, ".")
	if e.href != "" {
		word = strings.TrimSpace(word + " " + e.href)
	}
	switch {
	case column == "persons.person":
		e.persons = append(e.persons, map[string]any{"name": word})
	case len(e.path) > 1 && word != "":
		e.parts = append(e.parts, [2]string{column, word})
	case len(e.path) == 1 && e.own:
		e.put(column, strings.TrimSpace(e.whole.String()))
	case len(e.path) == 1:
		for _, part := range e.parts {
			e.put(part[0], part[1])
		}
	}
	e.path, e.href = e.path[:len(e.path)-1], ""
}

// put fills a column, which lists what stands more than once below an event. An element counts more than
// an attribute of its name.
func (e *eventScan) put(column, word string) {
	before, _ := e.row[column].(string)
	if e.filled[column] && before != "" && before != word {
		word = before + ", " + word
	}
	e.row[column], e.filled[column] = word, true
}

func (e *eventScan) talk(day, change string) map[string]any {
	if len(e.persons) > 0 {
		e.row["persons"] = e.persons
	}
	if e.row["date"] == nil {
		dayOf(e.row, day, change)
	}
	return e.row
}

func attribute(element *xml.StartElement, name string) string {
	for _, a := range element.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// dayOf gives an event the day of its section: the next one where it starts before the day changes.
func dayOf(event map[string]any, day, change string) {
	start, _ := event["start"].(string)
	date, err := time.Parse(time.DateOnly, day)
	if err != nil || len(start) != len("10:00") {
		return
	}
	if len(change) >= len(start) && start < change[:len(start)] {
		date = date.AddDate(0, 0, 1)
	}
	event["date"] = date.Format(time.DateOnly) + "T" + start
}
