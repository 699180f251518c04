package schema

import (
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/spelling"
)

func checkGeo(text string) *Fault {
	fault := checkObject("geo_address_json", text, &GeoAddress)
	if fault != nil && strings.Contains(text, `"full_address"`) || fault != nil && strings.Contains(text, `"google_maps_place_id"`) {
		fault.Hint = `the service reads an address back in another shape than it takes: write {"type":"google","place_id":…} or ` +
			`{"type":"manual","address":…}`
	}
	return fault
}

func checkCoordinate(text string) *Fault {
	n, fault := decode(text)
	if fault != nil {
		return fault
	}
	if fault := n.match("coordinate", &Coordinate); fault != nil {
		return fault
	}
	latitude, _ := n.get("latitude")
	if fault := checkLatitude(latitude.text); fault != nil {
		fault.Message = "coordinate." + fault.Message
		return fault
	}
	longitude, _ := n.get("longitude")
	if fault := checkLongitude(longitude.text); fault != nil {
		fault.Message = "coordinate." + fault.Message
		return fault
	}
	return nil
}

func checkFeedback(text string) *Fault { return checkObject("feedback_email", text, &FeedbackEmail) }

func checkAnyObject(text string) *Fault {
	n, fault := decode(text)
	if fault != nil {
		return fault
	}
	return n.noDuplicates("tax_config")
}

func checkQuestions(text string) *Fault {
	n, fault := decode(text)
	if fault != nil {
		return fault
	}
	for i := range n.items {
		path := "registration_questions[" + strconv.Itoa(i) + "]"
		if fault := n.items[i].match(path, &Question); fault != nil {
			return fault
		}
	}
	return nil
}

func checkTicketTypes(text string) *Fault {
	n, fault := decode(text)
	if fault != nil {
		return fault
	}
	if len(n.items) == 0 {
		return &Fault{CodeBadObject, "ticket_types: the list is empty", "leave the cell blank for the one free ticket"}
	}
	for i := range n.items {
		path := "ticket_types[" + strconv.Itoa(i) + "]"
		ticket := &n.items[i]
		if fault := ticket.match(path, &TicketType); fault != nil {
			return fault
		}
		if fault := ticket.checkTicket(path); fault != nil {
			return fault
		}
	}
	return nil
}

func (n *node) checkTicket(path string) *Fault {
	kind, _ := n.get("type")
	for _, name := range []string{"cents", "min_cents", "max_capacity"} {
		amount, ok := n.get(name)
		if !ok || amount.kind == 'n' {
			continue
		}
		if amount.text[0] == '-' {
			return &Fault{CodeOutOfRange, path + "." + name + ": " + amount.text + " is negative", "write 0 or more"}
		}
		if name != "max_capacity" && kind.text == "free" && strings.Trim(amount.text, "0") != "" {
			return &Fault{
				CodeBadObject, path + "." + name + ": a free ticket has the price " + amount.text,
				`write "type":"paid", or leave the price out`,
			}
		}
	}
	cents, priced := n.get("cents")
	flexible, said := n.get("is_flexible")
	priced = priced && cents.kind != 'n' && strings.Trim(cents.text, "0") != ""
	if kind.text == "paid" && !priced && !(said && flexible.text == "true") {
		return &Fault{
			CodeBadObject, path + ".cents: a paid ticket has no price", `say what it costs in cents, or write "type":"free"`,
		}
	}
	start, ok1 := n.get("valid_start_at")
	end, ok2 := n.get("valid_end_at")
	if ok1 && ok2 && start.kind == '"' && end.kind == '"' {
		if end.text < start.text { // both are days
			return &Fault{
				CodeEndBeforeStart, path + ".valid_end_at: the ticket's time ends before it starts",
				"make valid_end_at later than valid_start_at",
			}
		}
	}
	return nil
}

func checkLatitude(number string) *Fault  { return within(number, "latitude", 90) }
func checkLongitude(number string) *Fault { return within(number, "longitude", 180) }

func within(number, name string, most int) *Fault {
	v, err := strconv.ParseFloat(number, 64)
	if err == nil && v >= -float64(most) && v <= float64(most) {
		return nil
	}
	hint := "write degrees between -" + strconv.Itoa(most) + " and " + strconv.Itoa(most)
	if name == "latitude" && v >= -180 && v <= 180 {
		hint += ": latitude and longitude may have changed places"
	}
	return &Fault{CodeOutOfRange, name + " " + number + " is out of range", hint}
}

func checkNotNegative(digits string) *Fault {
	if digits[0] != '-' || digits == "-0" {
		return nil
	}
	return &Fault{CodeOutOfRange, digits + " is negative", "write 0 or more"}
}

func checkObject(path, text string, r *Record) *Fault {
	n, fault := decode(text)
	if fault != nil {
		return fault
	}
	return n.match(path, r)
}

// match checks an object against its record, strictly: every member known and of
// its kind, every required one there.
func (n *node) match(path string, r *Record) *Fault {
	if n.kind != '{' {
		return &Fault{CodeBadObject, path + ": " + r.Name + " has to be an object, not " + nodeWords[n.kind], "write it in braces"}
	}
	if fault := n.noDuplicates(path); fault != nil {
		return fault
	}
	members := r.Members
	if r.By != "" {
		if fault := n.matchMember(path, members[slices.IndexFunc(members, func(m Member) bool { return m.Name == r.By })]); fault != nil {
			return fault
		}
		by, _ := n.get(r.By)
		if v := slices.IndexFunc(r.Variants, func(v Variant) bool { return v.Value == by.text }); v >= 0 {
			members = slices.Concat(members, r.Variants[v].Members)
		}
	}
	for _, m := range members {
		if fault := n.matchMember(path, m); fault != nil {
			return fault
		}
	}
	for _, name := range n.names {
		if !slices.ContainsFunc(members, func(m Member) bool { return m.Name == name }) {
			return unknownMember(path, name, members, n, r)
		}
	}
	return nil
}

func unknownMember(path, name string, members []Member, n *node, r *Record) *Fault {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.Name
	}
	hint := "known are " + strings.Join(names, ", ")
	if near := spelling.Nearest(name, names); near != "" {
		hint = didYouMean(near)
	}
	of := r.Name
	if by, ok := n.get(r.By); ok {
		of += " of " + r.By + " " + by.text
	}
	return &Fault{CodeBadObject, path + "." + name + ": " + of + " has no such field", hint}
}

func (n *node) matchMember(path string, m Member) *Fault {
	path += "." + m.Name
	v, ok := n.get(m.Name)
	switch {
	case !ok && m.Required:
		return &Fault{CodeBadObject, path + ": is missing", m.hint()}
	case !ok, v.kind == 'n' && m.Nullable:
		return nil
	case v.kind != m.nodeKind():
		return &Fault{CodeBadObject, path + ": has to be " + nodeWords[m.nodeKind()] + ", not " + nodeWords[v.kind], m.hint()}
	}
	if m.Record != nil {
		return v.match(path, m.Record)
	}
	if fault := m.checkValue(v); fault != nil {
		fault.Message = path + ": " + fault.Message
		return fault
	}
	return nil
}

// nodeKind returns the kind of JSON value that a member takes.
func (m *Member) nodeKind() byte {
	switch m.Kind {
	case Bool:
		return 't'
	case Integer, Number:
		return '0'
	case Object:
		return '{'
	case Array:
		return '['
	}
	return '"'
}

func (m *Member) hint() string {
	if m.Kind == Enum {
		return "write one of " + some(m.Values)
	}
	return "write " + nodeWords[m.nodeKind()]
}

func (m *Member) checkValue(v *node) *Fault {
	switch m.Kind {
	case Text, Markdown:
		if !m.Blank && trim(v.text) == "" {
			return &Fault{CodeBadObject, "empty", "write a text that is not empty"}
		}
	case Enum:
		if !slices.Contains(m.Values, v.text) {
			value, fault := ParseEnum(v.text, "", m.Values)
			if fault == nil {
				fault = &Fault{CodeBadEnum, quote(v.text) + " is not one of the allowed values", didYouMean(value)}
			}
			return fault
		}
	case Integer:
		if !allDigits(strings.TrimPrefix(v.text, "-")) {
			return &Fault{CodeBadNumber, v.text + " is not a whole number", "write whole numbers in digits, prices in cents"}
		}
	case Timestamp:
		_, fault := ParseTimestamp(v.text)
		return fault
	case Day:
		return ParseDay(v.text)
	case Duration:
		_, fault := ParseDuration(v.text)
		return fault
	case URL:
		return ParseURL(v.text)
	case Array:
		return m.checkTexts(v)
	}
	return nil
}

func (m *Member) checkTexts(v *node) *Fault {
	if len(v.items) > m.Most {
		return &Fault{
			CodeOutOfRange, strconv.Itoa(len(v.items)) + " items; at most " + strconv.Itoa(m.Most) + " are allowed",
			"shorten the list",
		}
	}
	for i := range v.items {
		if v.items[i].kind != '"' {
			return &Fault{
				CodeBadObject, "item " + strconv.Itoa(i) + " has to be a text in quotes, not " + nodeWords[v.items[i].kind],
				"put every item in double quotes",
			}
		}
	}
	return nil
}

// noDuplicates refuses a name that is there twice, at any depth: which of the two
// counts is decided differently by every reader.
func (n *node) noDuplicates(path string) *Fault {
	for i, name := range n.names {
		if slices.Contains(n.names[:i], name) {
			return &Fault{CodeBadObject, path + "." + name + ": given twice", "remove one of the two"}
		}
	}
	for i := range n.items {
		at := path
		if n.kind == '{' {
			at += "." + n.names[i]
		} else {
			at += "[" + strconv.Itoa(i) + "]"
		}
		if fault := n.items[i].noDuplicates(at); fault != nil {
			return fault
		}
	}
	return nil
}
