package plan

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

func TestDeriveSlug(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"Spring Tea", "spring-tea-"},
		{"  Café — d'été!  ", "cafe-dete-"},
		{"春のお茶会", "event-"},
		{"", "event-"},
		{"A very long name of an event that goes on and on", "a-very-long-name-of-an-event-that-go-"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbb", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-"},
	} {
		got := DeriveSlug(test.name, "cal-1", "K1")
		if len(got) < slugHashLength || got[:len(got)-slugHashLength] != test.want {
			t.Errorf("DeriveSlug(%q) = %q, want the form %q and a hash", test.name, got, test.want)
		}
	}
}

func TestDeriveSlugNamesCalendarAndKey(t *testing.T) {
	a := DeriveSlug("Tea", "cal-1", "1")
	if b := DeriveSlug("Tea", "cal-1", "1"); a != b {
		t.Errorf("the same row gives %q, then %q", a, b)
	}
	for _, b := range []string{DeriveSlug("Tea", "cal-1", "2"), DeriveSlug("Tea", "cal-2", "1")} {
		if a == b {
			t.Errorf("another key or calendar gives the same slug %q", a)
		}
	}
}

func TestDeriveSlugAlwaysFitsTheService(t *testing.T) {
	form := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	rapid.Check(t, func(t *rapid.T) {
		slug := DeriveSlug(rapid.String().Draw(t, "name"), rapid.String().Draw(t, "calendar"), rapid.String().Draw(t, "key"))
		if len(slug) < 3 || len(slug) > 50 || !form.MatchString(slug) {
			t.Fatalf("slug %q", slug)
		}
	})
}
