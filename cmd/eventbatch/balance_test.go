package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"eventbatch/batch/balance"
	"eventbatch/mapping/schema"
)

// orderColumns are those of an orders report that rows differ in.
var orderColumns = []string{
	"Order ID", "Order date", "Attendee first name", "Attendee last name", "Attendee email", "Phone number", "Purchaser city",
	"Purchaser state", "Purchaser country", "Event name", "Event ID", "Event start date", "Event start time", "Event timezone",
	"Event location", "Ticket quantity", "Ticket tier", "Ticket type", "Currency", "Ticket price", "Buyer first name",
	"Buyer last name", "Buyer email", "Seating location 1", "Seating location 2", "Seating location 3", "Barcode number",
}

// orderCells are the cells of these columns: those that are right, and those that are not.
var orderCells = map[string][]string{
	"Attendee first name": {"Ann", "Bob", "bob", ""},
	"Attendee email":      {"a@example.org", "b@example.org", "A@example.org", "c@example.org", "", "nobody"},
	"Event ID":            {"11", "12", "13"},
	"Event start date":    {"2027-04-17", "2027-04-17", "someday"},
	"Ticket quantity":     {"1", "1", "", "3", "0", "two", "250"},
	"Ticket type":         {"Standard", "Gold", "standard", ""},
	"Currency":            {"GBP", "GBP", "JPY", ""},
	"Ticket price":        {"15.00", "12", "0.00", "", "free"},
}

var rightCells = map[string]string{"Event name": "Tea", "Event start time": "10:00:00", "Event timezone": "Europe/London"}

// Whatever the rows hold, it is made or left out: of the balance nothing is unexplained, the source is
// what its rows say, and what is made is what the plan makes.
func TestABalanceIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		events, people := map[string]bool{}, map[string]bool{}
		for _, name := range []string{"one.csv", "two.csv"}[:rapid.IntRange(1, 2).Draw(rt, "files")] {
			var text bytes.Buffer
			w := csv.NewWriter(&text)
			rows := [][]string{orderColumns}
			for range rapid.IntRange(1, 8).Draw(rt, "rows") {
				var row []string
				for _, column := range orderColumns {
					cell := rightCells[column]
					if cells := orderCells[column]; cells != nil {
						cell = rapid.SampledFrom(cells).Draw(rt, column)
					}
					row = append(row, cell)
				}
				rows = append(rows, row)
				event, who, mail := row[10], strings.ToLower(row[2]), strings.ToLower(row[4])
				events[event] = true
				if mail == "nobody" { // no address
					mail = ""
				}
				if who == "" && mail == "" {
					who = name + strconv.Itoa(len(rows))
				}
				people[event+"\x00"+who+"\x00"+mail] = true
			}
			if err := w.WriteAll(rows); err != nil {
				rt.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Join(dir, "shop"), 0o700); err != nil {
				rt.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "shop", name), text.Bytes(), 0o600); err != nil {
				rt.Fatal(err)
			}
		}
		var out, log bytes.Buffer
		args := []string{
			"migrate", filepath.Join(dir, "shop"), "--workspace", filepath.Join(dir, "work"), "--sandbox", "--dry-run", "--json",
		}
		if code := run(t.Context(), nil, args, strings.NewReader(""), &out, &log); code != exitDone && code != exitPartial {
			rt.Fatalf("exit %d\n%s%s", code, &out, &log)
		}
		var doc struct {
			Resources map[string]map[string]int64 `json:"resources"`
			Balance   []balance.Line              `json:"balance"`
		}
		if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
			rt.Fatal(err)
		}
		for _, l := range doc.Balance {
			if n := l.Unexplained(); n != 0 {
				rt.Errorf("%s %s: %d of %d are neither made nor left out", l.What, l.Of, n, l.Source)
			}
			for _, left := range l.LeftOut {
				if left.Why == "" || left.Row == 0 {
					rt.Errorf("%s %s: left out without a reason: %+v", l.What, l.Of, left)
				}
			}
			switch l.What {
			case schema.Events.Name:
				same(rt, "events", l.Source, int64(len(events)))
				same(rt, "events made", l.Made, doc.Resources["events"]["create"])
			case balance.People:
				same(rt, "people", l.Source, int64(len(people)))
				same(rt, "people made", l.Made, doc.Resources["guests"]["create"])
			}
		}
	})
}

func same(t *rapid.T, what string, got, want int64) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d, want %d", what, got, want)
	}
}
