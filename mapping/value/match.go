package value

import (
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
)

func CheckObject(path, text string, r *schema.Record) *schema.Fault {
	n, fault := Decode(text)
	if fault != nil {
		return fault
	}
	return n.Match(path, r)
}

// Match checks an object against its record, strictly: every member known and of
// its kind, every required one there.
func (n *Node) Match(path string, r *schema.Record) *schema.Fault {
	if n.Kind != '{' {
		return schema.CodeBadObject.Fault(path+": "+r.Name+" has to be an object, not "+nodeWords[n.Kind], "write it in braces")
	}
	if fault := n.NoDuplicates(path); fault != nil {
		return fault
	}
	members := r.Members
	if r.By != "" {
		if fault := n.matchMember(
			path, &members[slices.IndexFunc(members, func(m schema.Member) bool { return m.Name == r.By })],
		); fault != nil {
			return fault
		}
		by, _ := n.Get(r.By)
		if v := slices.IndexFunc(r.Variants, func(v schema.Variant) bool { return v.Value == by.Text }); v >= 0 {
			members = slices.Concat(members, r.Variants[v].Members)
		}
	}
	for i := range members {
		if fault := n.matchMember(path, &members[i]); fault != nil {
			return fault
		}
	}
	for _, name := range n.Names {
		if !slices.ContainsFunc(members, func(m schema.Member) bool { return m.Name == name }) {
			return unknownMember(path, name, members, n, r)
		}
	}
	return nil
}

func unknownMember(path, name string, members []schema.Member, n *Node, r *schema.Record) *schema.Fault {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.Name
	}
	hint := "known are " + strings.Join(names, ", ")
	if near := spelling.Nearest(name, names); near != "" {
		hint = didYouMean(near)
	}
	of := r.Name
	if by, ok := n.Get(r.By); ok {
		of += " of " + r.By + " " + by.Text
	}
	return schema.CodeBadObject.Fault(path+"."+name+": "+of+" has no such field", hint)
}

func (n *Node) matchMember(path string, m *schema.Member) *schema.Fault {
	path += "." + m.Name
	v, ok := n.Get(m.Name)
	switch {
	case !ok && m.Required:
		return schema.CodeBadObject.Fault(path+": is missing", memberHint(m))
	case !ok, v.Kind == 'n' && m.Nullable:
		return nil
	case v.Kind != nodeKind(m):
		return schema.CodeBadObject.Fault(path+": has to be "+nodeWords[nodeKind(m)]+", not "+nodeWords[v.Kind], memberHint(m))
	}
	if m.Record != nil {
		return v.Match(path, m.Record)
	}
	if fault := checkValue(m, v); fault != nil {
		fault.Message = path + ": " + fault.Message
		return fault
	}
	return nil
}

// nodeKind returns the kind of JSON value that a member takes.
func nodeKind(m *schema.Member) byte {
	switch m.Kind {
	case schema.Bool:
		return 't'
	case schema.Integer, schema.Number:
		return '0'
	case schema.Object:
		return '{'
	case schema.Array:
		return '['
	}
	return '"'
}

func memberHint(m *schema.Member) string {
	if m.Kind == schema.Enum {
		return "write one of " + some(m.Values)
	}
	return "write " + nodeWords[nodeKind(m)]
}

func checkValue(m *schema.Member, v *Node) *schema.Fault {
	switch m.Kind {
	case schema.Text, schema.Markdown:
		if !m.Blank && trim(v.Text) == "" {
			return schema.CodeBadObject.Fault("empty", "write a text that is not empty")
		}
	case schema.Enum:
		if !slices.Contains(m.Values, v.Text) {
			value, fault := ParseEnum(v.Text, "", m.Values)
			if fault == nil {
				fault = schema.CodeBadEnum.Fault(Quote(v.Text)+" is not one of the allowed values", didYouMean(value))
			}
			return fault
		}
	case schema.Integer:
		if !allDigits(strings.TrimPrefix(v.Text, "-")) {
			return schema.CodeBadNumber.Fault(v.Text+" is not a whole number", "write whole numbers in digits, prices in cents")
		}
	case schema.Timestamp:
		_, fault := ParseTimestamp(v.Text)
		return fault
	case schema.Day:
		return ParseDay(v.Text)
	case schema.Duration:
		_, fault := ParseDuration(v.Text)
		return fault
	case schema.URL:
		return ParseURL(v.Text)
	case schema.Array:
		return checkTexts(m, v)
	}
	return nil
}

func checkTexts(m *schema.Member, v *Node) *schema.Fault {
	if len(v.Items) > m.Most {
		return schema.CodeOutOfRange.Fault(
			strconv.Itoa(len(v.Items))+" items; at most "+strconv.Itoa(m.Most)+" are allowed",
			"shorten the list",
		)
	}
	for i := range v.Items {
		if v.Items[i].Kind != '"' {
			return schema.CodeBadObject.Fault(
				"item "+strconv.Itoa(i)+" has to be a text in quotes, not "+nodeWords[v.Items[i].Kind],
				"put every item in double quotes",
			)
		}
	}
	return nil
}

// NoDuplicates refuses a name that is there twice, at any depth: which of the two
// counts is decided differently by every reader.
func (n *Node) NoDuplicates(path string) *schema.Fault {
	for i, name := range n.Names {
		if slices.Contains(n.Names[:i], name) {
			return schema.CodeBadObject.Fault(path+"."+name+": given twice", "remove one of the two")
		}
	}
	for i := range n.Items {
		at := path
		if n.Kind == '{' {
			at += "." + n.Names[i]
		} else {
			at += "[" + strconv.Itoa(i) + "]"
		}
		if fault := n.Items[i].NoDuplicates(at); fault != nil {
			return fault
		}
	}
	return nil
}
