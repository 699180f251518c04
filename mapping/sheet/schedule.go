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
	s, err := openNDJSON(ctx, in, o)
	if err != nil {
		return nil, err
	}
	lines := s.(*ndjsonSource)
	raw, err := in.whole(lines.chars, o.Limits)
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
		return nil, in.refuse(schema.CodeMissingPart, "export it again", "the schedule has no events")
	}
	lines.lines, err = linesOf(talks, []any{zone})
	return lines, err
}

// talksOf reads the events of a schedule: each element of an event is a column.
func talksOf(ctx context.Context, raw []byte) (talks []any, zone string, err error) {
	d := xml.NewDecoder(bytes.NewReader(raw))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it is UTF-8 by now
	var path []string
	var event map[string]any
	var day, change string
	var persons []any
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
			if len(path) > 64 {
				return nil, "", errors.New("elements in each other, more than 64 deep")
			}
			path = append(path, token.Name.Local)
			text.Reset()
			if token.Name.Local == "day" {
				for _, a := range token.Attr {
					if a.Name.Local == "date" {
						day = a.Value
					}
				}
			}
			if token.Name.Local == "event" {
				event, persons = map[string]any{}, nil
				for _, a := range token.Attr {
					event[a.Name.Local] = a.Value
				}
			}
		case xml.CharData:
			text.Write(token)
		case xml.EndElement:
			word := strings.TrimSpace(text.String())
			text.Reset()
			switch depth := len(path); {
			case token.Name.Local == "event" && event != nil:
				if len(persons) > 0 {
					event["persons"] = persons
				}
				if event["date"] == nil {
					dayOf(event, day, change)
				}
				talks, event = append(talks, event), nil
			case event != nil && token.Name.Local == "person":
				persons = append(persons, map[string]any{"name": word})
			case event != nil && path[depth-2] == "event" && word != "":
				event[token.Name.Local] = word
			case event == nil && token.Name.Local == "time_zone_name":
				zone = word
			case event == nil && token.Name.Local == "day_change":
				change = word
			}
			path = path[:len(path)-1]
		}
	}
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
