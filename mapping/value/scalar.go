package value

import (
	"slices"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
)

// ParseBool reads true, yes, y, on, 1 and false, no, n, off, 0 in any letter case.
func ParseBool(text string) (value bool, fault *schema.Fault) {
	is := func(word string) bool { return foldEqual(text, word) }
	switch {
	case slices.ContainsFunc([]string{"true", "yes", "y", "on", "1"}, is):
		return true, nil
	case slices.ContainsFunc([]string{"false", "no", "n", "off", "0"}, is):
		return false, nil
	}
	return false, schema.CodeBadBool.Fault(
		Quote(text)+" is neither true nor false", "write true or false (yes, no, 1 and 0 are understood too)",
	)
}

// ParseAction reads a verb of the action column, one of those allowed, in any letter case.
func ParseAction(text string, allowed []string) (schema.Action, *schema.Fault) {
	for i, name := range schema.ActionNames {
		if foldEqual(text, name) && slices.Contains(allowed, name) {
			return schema.Action(i), nil
		}
	}
	hint := "write one of " + strings.Join(allowed, ", ")
	if near := spelling.Nearest(text, allowed); near != "" {
		hint = didYouMean(near)
	} else if near, ok := actionSynonyms[strings.ToUpper(text)]; ok && slices.Contains(allowed, near) {
		hint = didYouMean(near)
	} else if ok && slices.Contains(allowed, "DELETE") {
		hint = didYouMean("DELETE")
	}
	return schema.Upsert, schema.CodeBadAction.Fault(Quote(text)+" is not an action", hint)
}

// actionSynonyms are verbs that people write. They are offered, not taken: an
// action may cancel an event for good.
var actionSynonyms = map[string]string{
	"ADD": "CREATE", "NEW": "CREATE", "INSERT": "CREATE", "EDIT": "UPDATE", "CHANGE": "UPDATE", "MODIFY": "UPDATE",
	"MERGE": "UPSERT", "SYNC": "UPSERT", "DELETE": "CANCEL", "REMOVE": "CANCEL", "IGNORE": "SKIP", "NONE": "SKIP",
}

// ParseColor reads # followed by three or six hexadecimal digits (service:
// Event update input fields, tint_color).
func ParseColor(text string) *schema.Fault {
	if (len(text) == 4 || len(text) == 7) && text[0] == '#' && allHex(text[1:]) {
		return nil
	}
	hint := "write a # and three or six hexadecimal digits, such as #f80 or #ff8800"
	if (len(text) == 3 || len(text) == 6) && allHex(text) {
		hint = didYouMean("#" + text)
	}
	return schema.CodeBadColor.Fault(Quote(text)+" is not a color", hint)
}

// ParseEnum finds the word among the values. Letter case, and spaces or
// underscores in the place of hyphens, are forgiven: what comes back is the value
// as the service writes it. path is the field whose values they are, empty where
// no field has them to itself.
func ParseEnum(text, path string, values []string) (value string, fault *schema.Fault) {
	for _, v := range values {
		if v == text {
			return v, nil
		}
	}
	for _, v := range values {
		if len(v) == len(text) && looseEqual(text, v) {
			return v, nil
		}
	}
	hint := "write one of " + some(values)
	if len(values) > fewValues && path != "" {
		hint += " (eventbatch fields " + path + " lists them all)"
	}
	if near := spelling.Nearest(text, values); near != "" {
		hint = didYouMean(near)
	}
	return "", schema.CodeBadEnum.Fault(Quote(text)+" is not one of the allowed values", hint)
}
