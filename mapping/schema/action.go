package schema

import "strings"

// Action is what a row asks for, as the user writes it in the action column: not what becomes of it.
type Action uint8

// The actions of a row. Upsert is the default.
const (
	Upsert Action = iota
	Create
	Update
	Cancel
	Skip
	Delete
	Invite
)

// String returns the word of the action column.
func (a Action) String() string { return ActionNames[a] }

// Word returns the word in small letters.
func (a Action) Word() string { return actionWords[a] }

var actionWords = [...]string{"upsert", "create", "update", "cancel", "skip", "delete", "invite"}

// Actions is a set of the actions that make requests: those whose operations take a
// field, or those that rows may ask for.
type Actions uint8

// The actions of a set.
const (
	OnCreate Actions = 1 << Create
	OnUpdate Actions = 1 << Update
	OnDelete Actions = 1 << Delete
	OnCancel Actions = 1 << Cancel
	OnInvite Actions = 1 << Invite

	OnBoth = OnCreate | OnUpdate
)

// Has reports whether the set holds all of the other's actions.
func (a Actions) Has(other Actions) bool { return a&other == other && other != 0 }

// String returns the words of the set, joined by commas.
func (a Actions) String() string { return strings.Join(a.Names(), ",") }

// Names returns the words of the set, empty and not nil for none.
func (a Actions) Names() []string {
	names := []string{}
	for _, action := range []Action{Create, Update, Invite, Cancel, Delete} {
		if a&(1<<action) != 0 {
			names = append(names, action.Word())
		}
	}
	return names
}

// ParseActions reads create or update; upsert is both.
func ParseActions(word string) (Actions, bool) {
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
