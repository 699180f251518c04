package profile

import (
	"fmt"

	"eventbatch/batch/secret"
)

// First is what a first configuration says.
type First struct {
	BaseURL  string
	Kind     secret.Kind
	From     string // where the key is to be had
	Calendar string // whose key it is, or in which the sync makes events that name none
	Sync     string // the name of the sync; empty of none
	File     string // or the address, of its rows
}

// Text returns the file.
func (f *First) Text() string {
	who := fmt.Sprintf("calendar: %q", f.Calendar)
	if f.Kind == secret.Organization {
		who = "organization: main"
	}
	text := fmt.Sprintf(`# The connection to the service. A key never stands here, only where it is to be had.
default_profile: main
profiles:
  main:
    base_url: %q
    keys:
      - {kind: %s, %s, from: %q}
`, f.BaseURL, f.Kind, who, f.From)
	if f.Sync != "" {
		text += fmt.Sprintf(`# What is synced: eventbatch sync, every night as eventbatch sync install prints.
syncs:
  %s:
    file: %q
`, f.Sync, f.File)
		if f.Calendar != "" && f.Kind == secret.Organization {
			text += fmt.Sprintf("    calendar: %q\n", f.Calendar)
		}
	}
	return text
}
