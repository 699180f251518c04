package secret

import (
	"fmt"
	"net/url"
	"path"
	"strings"
)

// refuseSheetPage refuses the page on which people see or edit a sheet, as browsers show its
// address: no rows come from there. It says what to write instead, without the part of the
// address that is as good as a password.
func refuseSheetPage(u *url.URL) error {
	if !strings.EqualFold(u.Hostname(), "docs.google.com") || !strings.HasPrefix(u.Path, "/spreadsheets/") {
		return nil
	}
	said, kind := path.Base(u.Path), "format"
	instead := "export"
	switch said {
	case "edit", "view", "preview", "htmlview", "copy":
	case "pubhtml":
		instead, kind = "pub", "output"
	default:
		return nil
	}
	inFragment, err := url.ParseQuery(u.Fragment)
	if err != nil {
		inFragment = nil // then it names no sheet
	}
	query := "xlsx" // all sheets
	if gid := firstDigits(inFragment.Get("gid"), u.Query().Get("gid")); gid != "" {
		query = "csv&gid=" + gid
		if instead == "pub" {
			query += "&single=true"
		}
	}
	return fmt.Errorf("it is a page that shows a sheet, not its rows; in place of %s and what follows it write %s?%s=%s",
		said, instead, kind, query)
}

// firstDigits returns the first of the texts that is digits.
func firstDigits(texts ...string) string {
	for _, text := range texts {
		if text != "" && strings.Trim(text, "0123456789") == "" {
			return text
		}
	}
	return ""
}
