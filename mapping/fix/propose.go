package fix

import (
	"net/mail"
	"strconv"
	"strings"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/reads"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
	"eventbatch/mapping/value"
	"eventbatch/mapping/yamldoc"
)

// Unread is a cell that could not be read, with what is known around it.
type Unread struct {
	Problem *schema.Problem
	Field   *schema.Field
	Kind    sheet.CellKind
	Words   []string // that the mapping translates for the field; nil where it translates none
	Name    string   // of the row's event
	Part    Part     // of a time
	Order   datetime.Order
	// Date1904 tells that dates of the workbook count from 1904.
	Date1904 bool
	// Meaning knows synonyms; nil knows none.
	Meaning func(field schema.ID, text string) (value string, ok bool)
}

// Part is what a cell has to say of a time.
type Part uint8

// The parts of a time.
const (
	WholeTime Part = iota
	DatePart
	ClockPart
)

// longestProposal bounds the text of a cell for which something is proposed: a person reads
// both in one line.
const longestProposal = 120

// Propose returns what the cell should hold, where there is one answer; empty where there
// is none. What it returns can be read.
func (u *Unread) Propose() string {
	word := trimmed(u.Problem.Value)
	if word == "" || len(word) > longestProposal || strings.HasPrefix(word, "<") || strings.ContainsAny(word, "\n\r\t") {
		return ""
	}
	if u.Problem.Code == schema.CodeUnmappedValue {
		if near := spelling.Only(word, u.Words); near != "" {
			return near
		}
		return u.read(u.meant(word))
	}
	if !u.offers() {
		return ""
	}
	switch u.Field.Kind {
	case schema.Timestamp:
		return u.time(word)
	case schema.Enum, schema.Bool:
		return u.read(u.meant(word))
	case schema.Verb:
		return u.read(spelling.Only(word, u.Field.Values))
	case schema.Slug:
		return u.read(u.slug(word))
	case schema.Zone:
		if zones, _ := datetime.FindZones(word); len(zones) == 1 {
			return u.read(zones[0])
		}
	case schema.Integer, schema.Number:
		return u.read(u.certain(word))
	case schema.URL:
		if strings.Contains(word, ".") && !strings.Contains(word, ":/") {
			return u.read("https://" + word)
		}
	case schema.Color:
		return u.read("#" + word)
	case schema.Email:
		if address, err := mail.ParseAddress(strings.TrimPrefix(word, "mailto:")); err == nil {
			return u.read(address.Address)
		}
	}
	return ""
}

// offers reports whether the problem is that the text is none of the field's kind.
func (u *Unread) offers() bool {
	switch u.Problem.Code {
	case schema.CodeBadEnum, schema.CodeBadBool, schema.CodeBadAction, schema.CodeBadSlug, schema.CodeBadZone, schema.CodeBadURL,
		schema.CodeBadColor, schema.CodeBadEmail, schema.CodeBadNumber, schema.CodeBadDate, schema.CodeBadTime:
		return true
	}
	return false
}

// certain returns a text as the words for numbers and times read it, where they have one
// reading: 25 of 25 Pers.
func (u *Unread) certain(word string) string {
	p, ok := reads.Propose(u.Field, word, reads.Evidence{})
	if !ok || !p.Certain {
		return ""
	}
	return reads.New(yamldoc.Map[string]{{Key: p.Example, Value: p.Reading}}, nil).Apply(word)
}

// read returns the text, or nothing where the field does not take it.
func (u *Unread) read(text string) string {
	var s schema.Setting
	if text == "" || text == u.Problem.Value || value.Parse(u.Field, &s, text) != nil {
		return ""
	}
	return text
}

// meant returns the value that a word means, or nothing: a synonym, else the one that is near.
func (u *Unread) meant(word string) string {
	if u.Meaning != nil {
		if value, ok := u.Meaning(u.Field.ID, word); ok {
			return value
		}
	}
	if u.Field.Kind == schema.Bool {
		return spelling.Only(word, []string{"true", "false"})
	}
	return spelling.Only(word, u.Field.Values)
}

// slug makes a slug of a text that is none, else of the event's name.
func (u *Unread) slug(word string) string {
	slug := value.Slugify(word, value.SlugMax)
	if len(slug) < value.SlugMin {
		slug = value.Slugify(u.Name, value.SlugMax)
	}
	return slug
}

// time returns a time that cannot be read but can mean one thing only.
func (u *Unread) time(word string) string {
	at, ok := u.meantTime(word)
	if !ok {
		fault := datetime.NotATime
		if at, fault = datetime.Scan(u.certain(word), datetime.Unknown); fault != datetime.OK {
			return ""
		}
	}
	if u.Part != ClockPart && !at.HasDate || u.Part != DatePart && !at.HasTime {
		return ""
	}
	return string(at.Append(nil))
}

// The days that a bare number may stand for, as spreadsheets count them: the years
// from 2000 to 2099.
const firstSerial, endSerial = 36526, 73051

// meantTime reads what a cell can only mean: the number that a date becomes when it
// loses its format, or a date that is in another order than the others.
func (u *Unread) meantTime(word string) (at datetime.Moment, ok bool) {
	if number, err := strconv.ParseFloat(word, 64); err == nil {
		if number <= 0 || number >= 1 && number < firstSerial || number >= endSerial {
			return at, false
		}
		at, fault := datetime.Serial(word, u.Date1904)
		return at, fault == datetime.OK
	}
	if u.Kind != sheet.Text || u.Order == datetime.Unknown {
		return at, false
	}
	at, fault := datetime.Scan(word, u.Order)
	if fault != datetime.WrongOrder {
		return at, false
	}
	at, fault = datetime.Scan(word, at.Proof)
	return at, fault == datetime.OK
}
