package journal

import (
	v1 "encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"eventbatch/batch/plan"
	"eventbatch/mapping/schema"
)

// reads is how lines are read: as encoding/json does it, in half of the time.
var reads = json.JoinOptions(
	jsonv1.DefaultOptionsV1(),
	jsonv1.ReportErrorsWithLegacySemantics(false), // which reads a line twice for the words of its errors
)

// writes is how lines of a plan are written: as [reads], but for texts. Those without a
// quotation mark, a backslash or a control character stand as they are; what is rare is
// written by encoding/json, which escapes what would have a meaning in HTML.
var writes = json.JoinOptions(
	reads,
	jsontext.EscapeForHTML(false), jsontext.EscapeForJS(false), // a body stands as it is
	json.WithMarshalers(json.JoinMarshalers(
		json.MarshalToFunc(writeText),
		json.MarshalToFunc(writeProblem),
		json.MarshalToFunc(writeNumbers),
		escaped[plan.Cover](),
		escaped[map[string]plan.Agreement](),
		escaped[[]plan.Change](),
	)),
)

func writeText(to *jsontext.Encoder, text string) error {
	plain := utf8.ValidString(text)
	for i := range len(text) {
		plain = plain && text[i] != '"' && text[i] != '\\' && text[i] >= ' '
	}
	if plain {
		return to.WriteToken(jsontext.String(text))
	}
	return writeEscaped(to, text)
}

// writeNumbers writes the members in the order of their names, as encoding/json does. Every row has some.
func writeNumbers(to *jsontext.Encoder, numbers map[string]int) error {
	err := to.WriteToken(jsontext.BeginObject)
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		write := writeText
		if strings.ContainsAny(name, "<>&\u2028\u2029") {
			write = writeEscaped
		}
		err = errors.Join(err, write(to, name), to.WriteToken(jsontext.Int(int64(numbers[name]))))
	}
	return errors.Join(err, to.WriteToken(jsontext.EndObject))
}

// writeProblem leaves out what is zero.
func writeProblem(to *jsontext.Encoder, p schema.Problem) error {
	return json.MarshalEncode(to, p.Flat(), json.OmitZeroStructFields(true))
}

func escaped[T any]() *json.Marshalers { return json.MarshalToFunc(writeEscaped[T]) }

// writeEscaped writes a value as encoding/json does.
func writeEscaped[T any](to *jsontext.Encoder, value T) error {
	text, err := v1.Marshal(value)
	if err != nil {
		return err
	}
	return to.WriteValue(text)
}

// ParseRecord reads a value as encoding/json does, in half of the time.
func ParseRecord(text []byte, into any) error { return json.Unmarshal(text, into, reads) }
