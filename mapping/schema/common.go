package schema

// ID is a field's index in the table of all fields. Each resource has a range of its own; the columns
// that every resource has come first.
type ID uint16

// The columns that every resource has.
const (
	FieldCalendarID ID = iota // selects the calendar and its key
	FieldKey                  // names the row for good
	FieldAction               // what the row asks for
	FirstOwn                  // the first of the main resource's own
)

// commonFields are the columns that the rows of every resource have.
var commonFields = []Field{
	{
		ID: FieldCalendarID, Path: "calendar_id", Label: "Calendar", Kind: Identifier, Local: true,
		About: About{
			Doc:     "calendar that the event belongs to; chooses the key that sends the row",
			Rule:    "its id; of a calendar of the organization also its slug or its name",
			Default: "the profile's only calendar", Example: "cal-1",
		},
	},
	{
		ID: FieldKey, Path: "key", Kind: Identifier, Local: true,
		About: About{Doc: "names the row for good, so that the same row finds its event again", Example: "spring-017"},
	},
	{
		ID: FieldAction, Path: "action", Kind: Verb, Local: true, Values: ActionNames,
		About: About{
			Doc:     "what the row asks for: CREATE fails on an existing key, UPDATE on a missing one",
			Default: "UPSERT", Example: "UPDATE",
		},
	},
}

// ActionNames are the words of the action column, indexed by Action.
var ActionNames = []string{"UPSERT", "CREATE", "UPDATE", "CANCEL", "SKIP", "DELETE", "INVITE"}
