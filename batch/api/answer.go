package api

import (
	"cmp"
	"encoding/json"
	"net/http"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
)

// Answer is a success: its body is a JSON object, or empty. What it holds is read by
// functions that take what [Client.Read] and [Client.Write] return, error and all:
//
//	event, err := EventOf(client.Read(ctx, op, query))
type Answer struct {
	Op   *schema.Operation
	Body []byte
	At   time.Time // when it was given, by the platform's clock; zero where it does not say
}

// odd refuses an answer that did not come from the service.
func odd(reason string) error { return &WrongAddressError{Status: http.StatusOK, Reason: reason} }

// decode reads an answer tolerantly. What does not fit at all did not come from the
// service.
func (a Answer) decode(into any) error {
	if json.Unmarshal(a.Body, into) != nil {
		return odd("its answer to " + a.Op.Path + " is not what was expected")
	}
	return nil
}

// NewID returns the id that an answer gives a new record. It is empty where none is
// told: for rows that were gathered, and maybe for a record that is known by its name.
func NewID(a Answer, err error) (string, error) {
	if err != nil || a.Op.Gathers() {
		return "", err
	}
	of := a.Op.Resource
	id := membersOf(a.Body).within(of.Nested()).id(of)
	if id == "" && (of.ID == "" || of.Among != "") {
		return "", nil
	}
	return id, answerID("the new "+of.One, id)
}

// NewName returns the name that an answer gives a new record, in small letters; empty where none is told.
func NewName(a Answer) string {
	if a.Op == nil || a.Op.Gathers() {
		return ""
	}
	return a.Op.Resource.NameIn(membersOf(a.Body).within(a.Op.Resource.Nested()))
}

// Skipped returns the e-mail addresses that a request which gathers people passed over.
func Skipped(a Answer) []string {
	var got struct {
		Skipped []struct {
			Email string `json:"email"`
		} `json:"skipped"`
	}
	_ = json.Unmarshal(a.Body, &got) // what cannot be read names nobody
	var emails []string
	for _, s := range got.Skipped {
		emails = append(emails, s.Email)
	}
	return emails
}

// User is whom a key belongs to.
type User struct{ ID, Name, Email string }

// Calendar is a calendar (service: Calendar). Zone is empty where none is told.
type Calendar struct{ ID, Name, Zone string }

// UserOf returns the user of an answer.
func UserOf(a Answer, err error) (User, error) {
	m, id, err := recordOf(a, err, "user")
	return User{id, m.text("name"), m.text("email")}, err
}

// CalendarOf returns the calendar of an answer.
func CalendarOf(a Answer, err error) (Calendar, error) {
	m, id, err := recordOf(a, err, "calendar")
	return Calendar{id, m.text("name"), membersOf(m["location"]).text("timezone")}, err
}

// recordOf returns the members and the id of the record that an answer is.
func recordOf(a Answer, err error, name string) (m members, id string, _ error) {
	if err == nil {
		err = a.decode(&m)
	}
	if err != nil {
		return nil, "", err
	}
	m = m.within(name)
	id = m.text("id", "api_id")
	return m, id, answerID("the "+name, id)
}

// Cancellation is what the first step of a cancellation tells.
type Cancellation struct {
	Token  string `json:"cancellation_token"` // good for 15 minutes
	Paid   bool   `json:"is_paid"`            // whether the second step has to say if guests are refunded
	Guests int    `json:"guest_count"`
}

// Count takes the event as it was read, to count all of its guests: every one is told, and the first step may count those
// alone who come. Of an event that is not shown, what the first step has told stays.
func (c *Cancellation) Count(event Record, err error) error {
	if Unshown(err) {
		return nil
	}
	c.Guests = max(c.Guests, event.Guests())
	return err
}

// CancellationOf returns what the answer to the first step of a cancellation tells.
func CancellationOf(a Answer, err error) (got Cancellation, _ error) {
	if err == nil {
		err = a.decode(&got)
	}
	if err == nil && got.Token == "" {
		err = odd("its answer to a cancellation has no token")
	}
	return got, err
}

// Entity is what holds a slug. The zero Entity means that the slug is free.
type Entity struct {
	Taken    bool
	Type     string // event or calendar
	ID       string
	Name     string
	Calendar string    // of an event, empty where it is not told
	StartAt  time.Time // of an event
}

// EntityOf returns what an answer says of a slug. `{"entity":null}` means free; an
// answer without that word never does.
func EntityOf(a Answer, err error) (Entity, error) {
	if err != nil {
		return Entity{}, err
	}
	raw, told := membersOf(a.Body)["entity"]
	switch {
	case !told, !isObject(raw) && string(raw) != "null":
		return Entity{}, odd("its answer to a look-up has no entity")
	case !isObject(raw):
		return Entity{}, nil
	}
	m := membersOf(raw)
	kind, inner := m.text("type"), raw // flat, unless wrapped in its type
	for _, name := range []string{"event", "calendar"} {
		if isObject(m[name]) {
			kind, inner = cmp.Or(kind, name), m[name]
			break
		}
	}
	event := recordIn(membersOf(inner), catalog.Events) // a calendar has an id and a name too
	entity := Entity{true, kind, event.ID, event.Name(), event.Calendar(), event.Start()}
	if kind != "event" && event.ID == "" {
		return entity, nil // it is in the way all the same
	}
	what := "the entity"
	if kind == "event" || kind == "calendar" {
		what = "the " + kind
	}
	return entity, answerID(what, event.ID)
}
