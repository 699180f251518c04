package schema

// Decided counts the new events about which the platform decides, as nothing of theirs does.
type Decided struct {
	NoEnd        int `json:"one_hour"`    // they last an hour
	NoVisibility int `json:"public"`      // they are seen by everybody
	NoTickets    int `json:"free_ticket"` // they sell a free ticket
}
