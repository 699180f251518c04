package schema

// Operation is a set of the operations that take an event's fields.
type Operation uint8

// The operations of this table.
const (
	OnCreate Operation = 1 << iota // POST /v1/events/create
	OnUpdate                       // POST /v1/events/update

	OnBoth = OnCreate | OnUpdate
)

// Has reports whether the set holds all of the other's operations.
func (o Operation) Has(other Operation) bool { return o&other == other && other != 0 }

// String gives create, update, or both joined by a comma.
func (o Operation) String() string {
	switch o {
	case OnCreate:
		return "create"
	case OnUpdate:
		return "update"
	case OnBoth:
		return "create,update"
	}
	return ""
}

// ParseOperation reads the word create or update; upsert is both.
func ParseOperation(word string) (Operation, bool) {
	switch word {
	case "create":
		return OnCreate, true
	case "update":
		return OnUpdate, true
	case "upsert":
		return OnBoth, true
	}
	return 0, false
}
