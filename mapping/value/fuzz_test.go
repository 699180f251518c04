package value

import (
	"encoding/json"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

var timestampShape = regexp.MustCompile(`^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):\d\d(:\d\d(\.\d+)?)?(Z|[+-](0\d|1[0-3]):[0-5]\d|[+-]14:00)$`)

func FuzzParseTimestamp(f *testing.F) {
	for _, seed := range []string{
		"2026-05-01T18:30:00+02:00", "2026-05-01T18:30Z", "2024-02-29T23:59:59.999Z", "1900-02-29T00:00Z", "0000-01-01T00:00:00-23:59",
		"2026-05-01", "2026-05-01T18:30:00", "9999-12-31T23:59:59.99999999999999Z",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		layout := "2006-01-02T15:04:05Z07:00"
		if len(text) > 16 && text[16] != ':' {
			layout = "2006-01-02T15:04Z07:00"
		}
		want, err := time.Parse(layout, text)
		want = want.Round(time.Millisecond)
		ok := err == nil && timestampShape.MatchString(text) && want.Year() >= 1 && want.Year() <= 9999
		got, fault := ParseTimestamp(text)
		if ok != (fault == nil) || (ok && got != want.UnixMilli()) {
			t.Fatalf("%q: %d, %v; the standard library says %v, %v", text, got, fault, want, err)
		}
	})
}

var durationShape = regexp.MustCompile(
	`^P(?:(\d+(?:[.,]\d+)?)W|(?:(\d+(?:[.,]\d+)?)D)?(?:T(?:(\d+(?:[.,]\d+)?)H)?(?:(\d+(?:[.,]\d+)?)M)?(?:(\d+(?:[.,]\d+)?)S)?)?)$`,
)

// durationOracle reads a duration by its grammar, in float seconds.
func durationOracle(text string) (seconds float64, ok bool) {
	m := durationShape.FindStringSubmatch(text)
	if m == nil || strings.HasSuffix(text, "T") || text == "P" {
		return 0, false
	}
	if i := strings.IndexAny(text, ".,"); i >= 0 && strings.Trim(text[i+1:], "0123456789") != text[len(text)-1:] {
		return 0, false // only the last part may have a fraction
	}
	for i, size := range []float64{7 * 86400, 86400, 3600, 60, 1} {
		if m[i+1] != "" {
			v, _ := strconv.ParseFloat(strings.Replace(m[i+1], ",", ".", 1), 64)
			seconds += v * size
		}
	}
	return seconds, true
}

func FuzzParseDuration(f *testing.F) {
	for _, seed := range []string{
		"PT0M", "P7D", "P1W", "P1DT12H", "PT1.5H", "PT1H30M15S", "P1M", "PT", "P99999999999999999999D", "P6DT23H59M59.999S",
		"P7DT0.1S",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, ok := durationOracle(text)
		got, fault := ParseDuration(text)
		if math.Abs(want-DelayMax.Seconds()) < 1e-6 {
			return // at the limit, the oracle's rounding decides
		}
		ok = ok && want <= DelayMax.Seconds()
		if ok != (fault == nil) || (ok && math.Abs(got.Seconds()-want) > 1e-6) {
			t.Fatalf("%q: %s, %v; want %v s, %t", text, got, fault, want, ok)
		}
	})
}

func FuzzParseNumber(f *testing.F) {
	for _, seed := range []string{
		"0", "-1.50", "+5", ".5", "5.", "1e3", "007", "1_000", "0x1p-2", "Inf", "1e999", "-.0E+0", "100.0", "10.000", ".000",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, err := strconv.ParseFloat(text, 64)
		ok := err == nil && strings.Trim(text, "0123456789+-.eE") == ""
		got, fault := ParseNumber(text)
		if ok != (fault == nil) {
			t.Fatalf("%q: %q, %v; the standard library says %v, %v", text, got, fault, want, err)
		}
		whole, wholeFault := ParseInteger(text)
		if !ok {
			if wholeFault == nil {
				t.Fatalf("%q is the whole number %q", text, whole)
			}
			return
		}
		if back, err := strconv.ParseFloat(got, 64); err != nil || back != want || !json.Valid([]byte(got)) {
			t.Fatalf("%q becomes %q", text, got)
		}
		if back, err := strconv.ParseFloat(whole, 64); wholeFault == nil && (err != nil || back != want ||
			strings.Trim(whole, "-0123456789") != "" || !json.Valid([]byte(whole))) {
			t.Fatalf("%q becomes the whole number %q", text, whole)
		}
		// Three digits behind the point may be thousands.
		_, behind, _ := strings.Cut(text, ".")
		if wholeFault != nil && want == math.Trunc(want) && math.Abs(want) < 1<<53 && len(behind) != 3 {
			t.Fatalf("%q is whole: %s", text, wholeFault.Message)
		}
	})
}

func FuzzParseURL(f *testing.F) {
	for _, seed := range []string{
		"https://example.com/a?b#c", "http://a.b:80", "https://[::1]/", "https://é.example/", "https://a b/", "//x/", "https:x",
		"http://a:99999999/", "https://a@b/", "https://-/#?#",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		fault := ParseURL(text)
		u, err := url.Parse(text)
		if fault == nil && (err != nil || u.Hostname() == "" || u.User != nil || (u.Scheme != "http" && u.Scheme != "https")) {
			t.Fatalf("%q passes; the standard library says %v, %v", text, u, err)
		}
		if scanURL(text) != (scanURL(text) && slowURL(text) == nil) {
			t.Fatalf("%q: the quick way passes what the slow one refuses", text)
		}
		if OnHost(
			"https://images.example.com/up", text,
		) && (err == nil && (!strings.EqualFold(u.Host, "images.example.com") || !strings.HasPrefix(u.Path, "/up/"))) {
			t.Fatalf("%q lies on the host", text)
		}
	})
}

func FuzzSlug(f *testing.F) {
	for _, seed := range []string{"Spring Tea", "a/b", "été", "日本", "--", strings.Repeat("ab ", 40), "Æ’s"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if ParseSlug(text) == nil && (!utf8.ValidString(text) || url.PathEscape(text) == "" || strings.ContainsAny(text, " /?#%") ||
			utf8.RuneCountInString(text) > SlugMax) {
			t.Fatalf("%q passes", text)
		}
		slug := Slugify(text, SlugMax)
		if len(slug) >= SlugMin && ParseSlug(slug) != nil || strings.Trim(
			slug, "abcdefghijklmnopqrstuvwxyz0123456789-",
		) != "" || strings.Contains(slug, "--") || strings.Trim(slug, "-") != slug {
			t.Fatalf("%q becomes %q", text, slug)
		}
		if again := Slugify(slug, SlugMax); again != slug {
			t.Fatalf("%q becomes %q", slug, again)
		}
	})
}
