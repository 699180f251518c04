package catalog

import (
	"encoding/json"
	"strconv"
	"strings"

	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

func checkGeo(text string) *schema.Fault {
	fault := value.CheckObject("geo_address_json", text, &GeoAddress)
	if fault != nil && strings.Contains(text, `"full_address"`) || fault != nil && strings.Contains(text, `"google_maps_place_id"`) {
		fault.Hint = `the service reads an address back in another shape than it takes: write {"type":"google","place_id":…} or ` +
			`{"type":"manual","address":…}`
	}
	return fault
}

func checkCoordinate(text string) *schema.Fault {
	n, fault := value.Decode(text)
	if fault != nil {
		return fault
	}
	if fault := n.Match("coordinate", &Coordinate); fault != nil {
		return fault
	}
	latitude, _ := n.Get("latitude")
	if fault := checkLatitude(latitude.Text); fault != nil {
		fault.Message = "coordinate." + fault.Message
		return fault
	}
	longitude, _ := n.Get("longitude")
	if fault := checkLongitude(longitude.Text); fault != nil {
		fault.Message = "coordinate." + fault.Message
		return fault
	}
	return nil
}

func checkFeedback(text string) *schema.Fault {
	return value.CheckObject("feedback_email", text, &FeedbackEmail)
}

func checkAnyObject(text string) *schema.Fault {
	n, fault := value.Decode(text)
	if fault != nil {
		return fault
	}
	return n.NoDuplicates("tax_config")
}

func checkQuestions(text string) *schema.Fault {
	n, fault := value.Decode(text)
	if fault != nil {
		return fault
	}
	for i := range n.Items {
		path := "registration_questions[" + strconv.Itoa(i) + "]"
		if fault := n.Items[i].Match(path, &Question); fault != nil {
			return fault
		}
	}
	return nil
}

func checkTicketTypes(text string) *schema.Fault {
	n, fault := value.Decode(text)
	if fault != nil {
		return fault
	}
	if len(n.Items) == 0 {
		return schema.CodeBadObject.Fault("ticket_types: the list is empty", "leave the cell blank for the one free ticket")
	}
	for i := range n.Items {
		path := "ticket_types[" + strconv.Itoa(i) + "]"
		ticket := &n.Items[i]
		if fault := ticket.Match(path, &TicketType); fault != nil {
			return fault
		}
		if fault := checkTicket(ticket, path); fault != nil {
			return fault
		}
	}
	return nil
}

func checkTicket(n *value.Node, path string) *schema.Fault {
	kind, _ := n.Get("type")
	for _, name := range []string{"cents", "min_cents", "max_capacity"} {
		amount, ok := n.Get(name)
		if !ok || amount.Kind == 'n' {
			continue
		}
		if amount.Text[0] == '-' {
			return schema.CodeOutOfRange.Fault(path+"."+name+": "+amount.Text+" is negative", "write 0 or more")
		}
		if name != "max_capacity" && kind.Text == "free" && strings.Trim(amount.Text, "0") != "" {
			return schema.CodeBadObject.Fault(
				path+"."+name+": a free ticket has the price "+amount.Text,
				`write "type":"paid", or leave the price out`,
			)
		}
	}
	cents, priced := n.Get("cents")
	flexible, said := n.Get("is_flexible")
	priced = priced && cents.Kind != 'n' && strings.Trim(cents.Text, "0") != ""
	if kind.Text == "paid" && !priced && !(said && flexible.Text == "true") {
		return schema.CodeBadObject.Fault(
			path+".cents: a paid ticket has no price", `say what it costs in cents, or write "type":"free"`,
		)
	}
	start, ok1 := n.Get("valid_start_at")
	end, ok2 := n.Get("valid_end_at")
	if ok1 && ok2 && start.Kind == '"' && end.Kind == '"' {
		if end.Text < start.Text { // both are days
			return schema.CodeEndBeforeStart.Fault(
				path+".valid_end_at: the ticket's time ends before it starts",
				"make valid_end_at later than valid_start_at",
			)
		}
	}
	return nil
}

func checkLatitude(number string) *schema.Fault { return within(number, "latitude", 90) }

func checkLongitude(number string) *schema.Fault { return within(number, "longitude", 180) }

func within(number, name string, most int) *schema.Fault {
	v, err := strconv.ParseFloat(number, 64)
	if err == nil && v >= -float64(most) && v <= float64(most) {
		return nil
	}
	hint := "write degrees between -" + strconv.Itoa(most) + " and " + strconv.Itoa(most)
	if name == "latitude" && v >= -180 && v <= 180 {
		hint += ": latitude and longitude may have changed places"
	}
	return schema.CodeOutOfRange.Fault(name+" "+number+" is out of range", hint)
}

func checkNotNegative(digits string) *schema.Fault {
	if digits[0] != '-' || digits == "-0" {
		return nil
	}
	return schema.CodeOutOfRange.Fault(digits+" is negative", "write 0 or more")
}

func checkDiscount(text string) *schema.Fault {
	if fault := value.CheckObject("discount", text, &Discount); fault != nil {
		return fault
	}
	var d struct {
		Percent json.Number `json:"percent_off"`
	}
	if json.Unmarshal([]byte(text), &d) != nil || d.Percent == "" {
		return nil
	}
	return checkPercent(d.Percent.String())
}

// discountOf returns the discount that a cell says as people write it: 20 %, 5.00 EUR. A number alone may be either.
func discountOf(text string) string {
	if percent, ok := strings.CutSuffix(text, "%"); ok {
		if number, fault := value.ParseNumber(strings.TrimSpace(percent)); fault == nil {
			return `{"discount_type":"percent","percent_off":` + number + `}`
		}
	}
	if p, fault := value.ReadPrice(text, ""); fault == nil && p.Currency != "" {
		return `{"discount_type":"amount","cents_off":` + p.Units + `,"currency":"` + p.Currency + `"}`
	}
	return text
}

func checkCouponCode(code string) *schema.Fault {
	if n := len([]rune(code)); n > 20 || strings.ContainsAny(code, " \t\n") {
		return schema.CodeOutOfRange.Fault(value.Quote(code)+" is not a code", "write 1 to 20 characters without spaces")
	}
	return nil
}

func checkPercent(number string) *schema.Fault {
	if v, err := strconv.ParseFloat(number, 64); err == nil && 0 < v && v < 1 {
		return schema.CodeOutOfRange.Fault(number+" is less than one per cent", "write 20 for 20 %")
	}
	return value.Between(number, 0, 100, "write a number from 0 to 100")
}

func checkRemaining(number string) *schema.Fault {
	return value.Between(number, 0, 1_000_000, "write a whole number from 0 to 1000000")
}

func checkMessage(text string) *schema.Fault {
	if n := len([]rune(text)); n > 200 {
		return schema.CodeOutOfRange.Fault("the message is too long", "write at most 200 characters")
	}
	return nil
}

func checkZone(name string) *schema.Fault {
	_, fault := value.ParseZone(name)
	return fault
}
