package plan

// Memory knows what earlier runs of the workspace made of a key. The journals
// implement it.
type Memory interface {
	Recall(calendar, key string) (Known, bool)
	Event(id string) (Known, bool)
}

// Known is what the workspace remembers of a key or an event.
type Known struct {
	EventID   string `json:"event,omitempty"`
	Hash      string `json:"hash,omitempty"` // of the content last sent with success; without values where these are not certain
	Run       string `json:"run,omitempty"`  // the run that said so
	Cancelled bool   `json:"cancelled,omitempty"`
	// Made means that the service had the record after what a run did with success last, whether
	// or not that told its id, or sent anything that has a hash.
	Made bool `json:"-"` // a plan is for what else is known
	// Gone means that the service answered last that it has no such event, or
	// none that the key may touch.
	Gone bool `json:"missing,omitempty"`
	// Owed means that a run which has not ended may still have made, or may
	// yet make, the event: nothing may be planned for the key before it ends.
	Owed bool `json:"-"` // nothing that is planned then sends
	// Undone means that what was sent last, or made, was taken back by an undo: Hash still
	// names what the row had asked for.
	Undone bool `json:"undone,omitempty"`
	// Source is the source that made the event, empty where none did, or where the event
	// was cancelled since.
	Source string `json:"source,omitempty"`
	// Maker is the run whose create made the event, empty where none did. Run may be a later one that did not know of it.
	Maker string `json:"maker,omitempty"`
}

// Unsettled is the reason of a row about something that a run still owes, called so.
func (k *Known) Unsettled(what string) string {
	return "run " + k.Run + " has not settled " + what + ": finish it first"
}

// undone reports whether an undo has taken back what the row of that content hash still
// asks for.
func (k *Known) undone(hash string) bool {
	return k.Undone && hash != "" && Values(k.Hash) == Values(hash)
}

// there reports whether the service has a record, as far as runs know that have made it, changed it
// or met it.
func (k *Known) there() bool { return k.sent() || k.Run != "" && k.EventID != "" && !k.Cancelled }

// sent reports whether a run has made or changed a record with success, and none has taken it away.
func (k *Known) sent() bool { return k.Run != "" && (k.Made || k.Hash != "") && !k.Cancelled }

// Recollection returns what is remembered of the event that a row is about, by its
// key, or by the id that the row names where the key has nothing to say of that event.
func Recollection(m Memory, e *Event) Known {
	known, _ := m.Recall(e.Calendar, e.Key)
	if e.ID == "" || known.Owed || known.EventID != "" && (!known.Cancelled || known.EventID == e.ID) {
		return known
	}
	byID, met := m.Event(e.ID)
	if !met && known.EventID == "" {
		return known // of a record whose create was answered without an id
	}
	return byID
}
