package mapping_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
)

// pieces are what time cells are made of at random: most of what comes of them is no
// time, and has to be refused.
var pieces = []string{
	"19:00", "21:00", "7", "9", "12", "18.30", "1930", "930", "24:00", "00:30", "7:15:30", "19h", "19h30", "20 Uhr", "7pm", "11:30 a.m.",
	"-", "–", " - ", " to ", " bis ", ":", ".", " ", ",", "pm", "am", "Uhr", "h", "noon", "mittags", "midnight", "Mitternacht",
	"+01:00", "+02:00", "-05:00", "-0500", "+14:30", "Z", " UTC", " GMT+1", " CET", "30", "5", "0", ".5", ".99999979",
}

var (
	zoneOffset  = regexp.MustCompile(`(gmt|utc)[+-](0?\d|1[0-4])(:?[0-5]\d)?\b|\+\d{1,2}(:?\d\d)?`)
	offsetOrEnd = regexp.MustCompile(`(utc|gmt)\s*-`) // 19:00 UTC-930: neither is wrong
	inUTC       = regexp.MustCompile(`z|(utc|gmt)([^+\d]|$)|\+00:?00`)
	wallTime    = regexp.MustCompile(`(noon|mittags|midnight|mitternacht)|(\d{3,4})|` +
		`(\d{1,2})(?:\s*(?:[:.h]|uhr)\s*(\d\d))?(?:\s*:\s*(\d\d))?([.,]\d+)?`)
)

// clockReading is what a part of a cell may mean, read by nothing but its digits.
type clockReading struct {
	hours          []int
	minute, second int
}

func (c clockReading) fits(at time.Time) bool {
	at = at.Round(time.Second) // a fraction was rounded up
	return slices.Contains(c.hours, at.Hour()) && at.Minute() == c.minute && (at.Second() == c.second || at.Second() == c.second+1)
}

// readings finds the times of day in a cell.
func readings(cell string) []clockReading {
	text := zoneOffset.ReplaceAllString(strings.ToLower(cell), "")
	var list []clockReading
	for _, m := range wallTime.FindAllStringSubmatch(text, -1) {
		number := func(i int) int {
			n, _ := strconv.Atoi(m[i])
			return n
		}
		var c clockReading
		hour := number(3)
		switch {
		case m[1] == "noon" || m[1] == "mittags":
			hour = 12
		case m[1] != "":
			hour = 0
		case m[2] != "":
			hour, c.minute = number(2)/100, number(2)%100
		default:
			c.minute, c.second = number(4), number(5)
		}
		c.hours = []int{hour % 24}
		if regexp.MustCompile(`[ap]\.?m`).MatchString(text) && hour <= 12 {
			c.hours = append(c.hours, hour%12, hour%12+12)
		}
		list = append(list, c)
	}
	return list
}

// Whatever a time cell holds, the instant sent is the wall time of the cell in the row's
// zone, or the cell has a problem.
func TestATimeCellIsItsWallTimeOrAProblem(t *testing.T) {
	zones := []string{"Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Kiritimati", "UTC"}
	days := []string{"2027-01-15", "2027-03-14", "2027-03-28", "2027-07-01", "2027-10-31", "2027-11-07"}
	path := filepath.Join(t.TempDir(), "in.ndjson")
	accepted := 0
	rapid.Check(t, func(rt *rapid.T) {
		var cells, dates, names []string
		var b strings.Builder
		for i := range 50 {
			cells = append(cells, strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 4).Draw(rt, "cell"), ""))
			dates, names = append(dates, rapid.SampledFrom(days).Draw(rt, "day")), append(names, rapid.SampledFrom(zones).Draw(rt, "zone"))
			line, err := json.Marshal(map[string]string{
				"key": fmt.Sprint(i), "name": "x", "Date": dates[i], "Time": cells[i], "timezone": names[i],
			})
			if err != nil {
				rt.Fatal(err)
			}
			b.Write(append(line, '\n'))
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			rt.Fatal(err)
		}
		r, err := mapping.Read(t.Context(), mapping.Config{Files: []string{path}, Now: now, Workers: 1})
		if err != nil {
			rt.Fatal(err)
		}
		i := -1
		for result, err := range r.Results(t.Context()) {
			if err != nil {
				rt.Fatal(err)
			}
			i++
			start, end := result.Draft.Get(catalog.FieldStartAt), result.Draft.Get(catalog.FieldEndAt)
			if result.Invalid() {
				continue
			}
			if start == nil {
				rt.Fatalf("%q has neither a start nor a problem", cells[i])
			}
			accepted++
			cell := strings.ToLower(cells[i])
			if offsetOrEnd.MatchString(cell) || inUTC.MatchString(cell) && zoneOffset.MatchString(cell) {
				continue // each end by an offset of its own
			}
			zone, _ := time.LoadLocation(names[i])
			if inUTC.MatchString(cell) {
				zone = time.UTC
			}
			meant := readings(cells[i])
			from := time.UnixMilli(start.Instant).In(zone)
			if len(meant) == 0 || !meant[0].fits(from) || from.Format(time.DateOnly) != dates[i] {
				rt.Fatalf("%s %q in %s starts at %s", dates[i], cells[i], names[i], from)
			}
			if end == nil {
				if len(meant) > 1 && !meant[len(meant)-1].fits(from) {
					rt.Fatalf("%q has two times, and starts at %s without an end", cells[i], from)
				}
				continue
			}
			to := time.UnixMilli(end.Instant).In(zone)
			if !meant[len(meant)-1].fits(to) || !to.After(from) || to.Sub(from) > 25*time.Hour {
				rt.Fatalf("%s %q in %s ends at %s, from %s on", dates[i], cells[i], names[i], to, from)
			}
		}
		if i != len(cells)-1 {
			rt.Fatalf("%d rows of %d", i+1, len(cells))
		}
	})
	if accepted == 0 {
		t.Error("no cell was read")
	}
	t.Logf("%d cells were read", accepted)
}
