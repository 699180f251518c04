package value_test

import (
	"strings"
	"testing"
	"time"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"

	"github.com/google/go-cmp/cmp"
)

func TestParseBool(t *testing.T) {
	for _, text := range []string{"true", "TRUE", "True", "yes", "YES", "y", "Y", "on", "1"} {
		if got, fault := value.ParseBool(text); fault != nil || !got {
			t.Errorf("%q is %t, %v", text, got, fault)
		}
	}
	for _, text := range []string{"false", "FALSE", "no", "No", "n", "off", "0"} {
		if got, fault := value.ParseBool(text); fault != nil || got {
			t.Errorf("%q is %t, %v", text, got, fault)
		}
	}
	for _, text := range []string{"", "2", "t", "maybe", "truee", "wahr", " true", "0.0", "-1"} {
		if _, fault := value.ParseBool(text); fault == nil || fault.Code != schema.CodeBadBool {
			t.Errorf("%q is a boolean", text)
		}
	}
}

func TestParseAction(t *testing.T) {
	for text, want := range map[string]schema.Action{
		"CREATE": schema.Create, "update": schema.Update, "Upsert": schema.Upsert, "cancel": schema.Cancel, "SKIP": schema.Skip,
	} {
		if got, fault := value.ParseAction(text, schema.ActionNames[:5]); fault != nil || got != want ||
			got.String() != strings.ToUpper(text) {
			t.Errorf("%s is %s, %v", text, got, fault)
		}
	}
	for text, hint := range map[string]string{
		"DELETE": "CANCEL", "add": "CREATE", "UPDAET": "UPDATE", "cancelled": "CANCEL", "xyz": "UPSERT, CREATE",
	} {
		if _, fault := value.ParseAction(text, schema.ActionNames[:5]); fault == nil || fault.Code != schema.CodeBadAction ||
			!strings.Contains(fault.Hint, hint) {
			t.Errorf("%s: %+v, want a hint at %s", text, fault, hint)
		}
	}
}

func TestParseColor(t *testing.T) {
	for _, text := range []string{"#fff", "#FF8800", "#0a0"} {
		if fault := value.ParseColor(text); fault != nil {
			t.Errorf("%s: %s", text, fault.Message)
		}
	}
	for text, hint := range map[string]string{
		"ff8800": "#ff8800", "fff": "#fff", "#ff88": "hexadecimal", "#ggg": "hexadecimal", "": "#f80", "orange": "#f80",
		"#ff88001": "#f80", "##fff": "#f80",
	} {
		if fault := value.ParseColor(text); fault == nil || fault.Code != schema.CodeBadColor || !strings.Contains(fault.Hint, hint) {
			t.Errorf("%q: %+v, want a hint at %s", text, fault, hint)
		}
	}
}

func TestParseEnum(t *testing.T) {
	for text, want := range map[string]string{
		"members-only": "members-only", "Members Only": "members-only", "PUBLIC": "public", "members_only": "members-only",
	} {
		if got, fault := value.ParseEnum(text, "visibility", catalog.Visibilities); fault != nil || got != want {
			t.Errorf("%q is %q, %v", text, got, fault)
		}
	}
	if got, fault := value.ParseEnum("SOLANA_SOL", "", value.Currencies); fault != nil || got != "solana_sol" {
		t.Errorf("SOLANA_SOL is %q, %v", got, fault)
	}
	for text, hint := range map[string]string{
		"privat": "did you mean private?", "everyone": "write one of public, members-only, private", "": "write one of",
	} {
		if _, fault := value.ParseEnum(
			text, "visibility", catalog.Visibilities,
		); fault == nil || fault.Code != schema.CodeBadEnum || !strings.Contains(fault.Hint, hint) {
			t.Errorf("%q: %+v, want %q", text, fault, hint)
		}
	}
}

func TestManyValuesAreNotAllNamed(t *testing.T) {
	_, fault := value.ParseEnum("wizardry", "theme", catalog.Themes)
	want := "write one of standard, cross, diamond, falling-leaves or 33 more (eventbatch fields theme lists them all)"
	if fault == nil || fault.Hint != want {
		t.Errorf("%+v, want %q", fault, want)
	}
	if _, fault := value.ParseEnum("snak", "theme", catalog.Themes); fault == nil || fault.Hint != "did you mean snake?" {
		t.Errorf("%+v", fault)
	}
	if _, fault := value.ParseEnum("gold", "", value.Currencies); fault == nil ||
		fault.Hint != "write one of solana_sol, solana_usdc, aed, afn or 138 more" {
		t.Errorf("%+v", fault)
	}
}

func TestParseSlug(t *testing.T) {
	for _, text := range []string{
		"abc", "spring-tea-2026", "Spring_Tea", strings.Repeat("a", 50), "frühling", strings.Repeat("é", 50), "a.b~c",
	} {
		if fault := value.ParseSlug(text); fault != nil {
			t.Errorf("%s: %s", text, fault.Message)
		}
	}
	for text, hint := range map[string]string{
		"ab": "make it longer", strings.Repeat("a", 51): strings.Repeat("a", 50), "Spring Tea!": "spring-tea", "a/b/c": "a-b-c",
		"tea?x":          "tea-x",
		"tea\u200bparty": "tea", "éé": "make it longer", "日本 語": "hyphens", "tea\xff": "hyphens", "50%off": "50-off",
	} {
		if fault := value.ParseSlug(text); fault == nil || fault.Code != schema.CodeBadSlug ||
			(!strings.Contains(fault.Hint, hint) && text != "tea\xff") {
			t.Errorf("%q: %+v, want a hint at %s", text, fault, hint)
		}
	}
}

func TestSlugify(t *testing.T) {
	for text, want := range map[string]string{
		"Spring Tea 2026": "spring-tea-2026", "  Café  Frühstück — Straße  ": "cafe-fruhstuck-strasse", "Åse's “Œuvre”": "ases-oeuvre",
		"Cafe\u0301": "cafe", "日本": "", "a--b__c": "a-b-c", "!!": "", "Łódź": "lodz",
	} {
		if got := value.Slugify(text, value.SlugMax); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	if got := value.Slugify("spring tea party", 11); got != "spring-tea" {
		t.Errorf("cut to %q", got)
	}
}

func TestParseURL(t *testing.T) {
	for _, text := range []string{
		"https://example.com", "http://example.com/a?b=c#d", "https://example.com:8443/x", "HTTPS://EXAMPLE.com/x",
		"https://exämple.com/ü", "https://[::1]:80/x",
		"https://meet.example.com/j/123?pwd=a%20b", "https://example.com?x",
	} {
		if fault := value.ParseURL(text); fault != nil {
			t.Errorf("%s: %s", text, fault.Message)
		}
	}
	for text, hint := range map[string]string{
		"": "example.com", "meet.example.com/tea": "https://meet.example.com/tea", "https://": "whole address",
		"https:///x": "whole address", "ftp://example.com/x": "whole address",
		"mailto:a@example.com": "whole address", "javascript:alert(1)": "whole address", "https://example.com/a b": "%20",
		"https://exam\nple.com":          "%20",
		"https://me:secret@example.com/": "@", "https://example.com/%zz": "whole address", "https://a.example/ https://b.example/": "%20",
		"tea": "whole address", "https://:80/": "whole address",
	} {
		if fault := value.ParseURL(text); fault == nil || fault.Code != schema.CodeBadURL || !strings.Contains(fault.Hint, hint) {
			t.Errorf("%q: %+v, want a hint at %s", text, fault, hint)
		}
	}
	if fault := value.ParseURL("https://me:secret@example.com/"); strings.Contains(fault.Message, "secret") {
		t.Error("the message repeats a password")
	}
}

func TestOnHost(t *testing.T) {
	for _, base := range []string{"https://images.example.com/up", "https://images.example.com/up/"} {
		for address, want := range map[string]bool{
			"https://images.example.com/up/tea.jpg":        true,
			"HTTPS://Images.Example.com/up/tea.jpg":        true,
			"https://images.example.com/up/a/b.png?w=2":    true,
			"https://images.example.com/up/":               false,
			"https://images.example.com/up":                false,
			"https://images.example.com/upper/tea.jpg":     false,
			"https://images.example.com/UP/tea.jpg":        false,
			"http://images.example.com/up/tea.jpg":         false,
			"https://images.example.com.evil.com/up/x.jpg": false,
			"https://images.example.com@evil.com/up/x.jpg": false,
			"https://images.example.com/up/../x.jpg":       false,
			"https://images.example.com/up/%2e%2E/x.jpg":   false,
			"https://images.example.com/up/..\\x.jpg":      false,
			"https://other.example.com/up/tea.jpg":         false,
			"":                                             false,
		} {
			if got := value.OnHost(base, address); got != want {
				t.Errorf("%s on %s: %t", address, base, got)
			}
		}
	}
	if !value.OnHost("https://images.example.com", "https://images.example.com/x.jpg") || value.OnHost(
		"https://images.example.com", "https://images.example.community/x.jpg",
	) {
		t.Error("a base without a path")
	}
	if value.OnHost("", "/x") || value.OnHost("nonsense", "nonsense/x") {
		t.Error("a base without a host holds addresses")
	}
}

func TestLocation(t *testing.T) {
	winter := time.Date(2027, 1, 15, 12, 0, 0, 0, time.UTC)
	for zone, want := range map[string]string{
		"Europe/Zurich": "13:00 +01:00", "+02:00": "14:00 +02:00", "-05:30": "06:30 -05:30", "": "", "+2": "", "-": "", "Nowhere/Else": "",
	} {
		got := ""
		if at := value.Location(zone); at != nil {
			got = winter.In(at).Format("15:04 -07:00")
		}
		if got != want {
			t.Errorf("in %q it is %q, want %q", zone, got, want)
		}
	}
}

func TestLoadZone(t *testing.T) {
	for _, name := range []string{"UTC", "Europe/Berlin", "America/New_York", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "US/Eastern"} {
		if zone, err := value.LoadZone(name); err != nil || zone.String() != name {
			t.Errorf("%s: %v, %v", name, zone, err)
		}
	}
	for name, want := range map[string]string{
		"eastern standard time": "America/New_York", "europe/berlin": "Europe/Berlin", "UTC+2": "Etc/GMT-2", "+02:00": "Etc/GMT-2",
	} {
		var s schema.Setting
		if zone, err := value.LoadZone(name); err != nil || zone.String() != want {
			t.Errorf("%s: %v, %v", name, zone, err)
		}
		if fault := value.Parse(catalog.Field(catalog.FieldTimezone), &s, name); fault != nil || s.Text != want {
			t.Errorf("%s: %s, %v", name, s.Text, fault)
		}
	}
	for name, hint := range map[string]string{
		"": "IANA", "Local": "IANA", "EST5EDT": "America/New_York", "GMT": "UTC",
		"Europe/Berlim": "Europe/Berlin", "Berlin": "Europe/Berlin", "New York": "America/New_York",
		"../../etc/passwd": "IANA",
		"America/":         "IANA", "posix/Europe/Berlin": "Europe/Berlin", "/etc/localtime": "IANA",
		"+5": "IANA", "+05:30": "Asia/Kolkata",
		"CET": "Europe/Berlin", "Japan": "Asia/Tokyo", "Europe/Berlin\x00": "Europe/Berlin",
	} {
		zone, err := value.LoadZone(name)
		fault, ok := err.(*schema.Fault)
		if !ok || fault.Code != schema.CodeBadZone || !strings.Contains(fault.Hint, hint) {
			t.Errorf("%q: %v, %+v, want a hint at %s", name, zone, err, hint)
		}
	}
}

func TestInterval(t *testing.T) {
	tests := map[time.Duration]string{
		0: "PT0S", time.Hour: "PT1H", 90 * time.Minute: "PT1H30M", 24 * time.Hour: "P1D", 49*time.Hour + time.Second: "P2DT1H1S",
		1500 * time.Millisecond: "PT1.5S", 30 * 24 * time.Hour: "P30D",
	}
	for d, want := range tests {
		if got := schema.Interval(d); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
		if back, ok := value.ParseInterval(want); !ok || back != d {
			t.Errorf("%s: %s, want %s", want, back, d)
		}
	}
}

func TestPricesAreWholeCents(t *testing.T) {
	for _, test := range []struct{ resource, field, text, want, message string }{
		{"ticket-types", "cents", "5000", "5000", ""},
		{"ticket-types", "cents", "50.00", "", `"50.00" has decimals, and cents is in whole cents`},
		{"ticket-types", "min_cents", "5,00", "", `"5,00" has decimals, and min_cents is in whole cents`},
		{"coupons", "cents_off", "5.0", "", `"5.0" has decimals, and cents_off is in whole cents`},
		{"coupons", "percent_off", "20 %", "20", ""},
		{"coupons", "percent_off", "20%", "20", ""},
		{"coupons", "percent_off", "0.2", "", "0.2 is less than one per cent"},
		{"coupons", "percent_off", "%", "", `"" is not a number`},
	} {
		r, _ := catalog.ResourceNamed(test.resource)
		f, _ := r.ByPath(test.field)
		var set schema.Setting
		fault := value.Parse(f, &set, test.text)
		switch {
		case fault == nil && (test.message != "" || set.Text != test.want):
			t.Errorf("%s %q is %q, want %q %s", test.field, test.text, set.Text, test.want, test.message)
		case fault != nil && fault.Message != test.message:
			t.Errorf("%s %q: %s, want %s", test.field, test.text, fault.Message, test.message)
		}
	}
}

func TestFaultSaysWhatIsMeant(t *testing.T) {
	f, _ := catalog.Events.ByPath("visibility")
	var s schema.Setting
	want := &schema.Fault{Code: schema.CodeBadEnum, Message: `"publik" is not one of the allowed values`, Hint: "did you mean public?"}
	if diff := cmp.Diff(want, value.Parse(f, &s, "publik")); diff != "" {
		t.Error(diff)
	}
}
