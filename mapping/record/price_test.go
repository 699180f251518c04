package record_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/record"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// An amount goes out in cents and in units of its currency, and comes back as it was whichever of the two is read. What
// is edited of the two is the change, and two changes that differ are an error.
func TestAnAmountComesBackAsItWasOrWasEdited(t *testing.T) {
	dir, read := t.TempDir(), map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom([]*schema.Resource{catalog.TicketTypes, catalog.Coupons}).Draw(t, "resource")
		amount := map[*schema.Resource]string{catalog.TicketTypes: "cents", catalog.Coupons: "cents_off"}[r]
		price := map[string]string{"cents": "price", "cents_off": "price_off"}[amount]
		code := rapid.SampledFrom(value.Currencies).Draw(t, "currency")
		number := rapid.OneOf(rapid.SampledFrom([]int64{0, 1, 10, 1000, 1250, 100000, 123456789012345}), rapid.Int64Range(1, 1<<52))
		cents, edited := strconv.FormatInt(number.Draw(t, "cents"), 10), strconv.FormatInt(number.Draw(t, "edited"), 10)
		d := schema.NewDraft(r, schema.Place{})
		put := func(path, text string) {
			if f, ok := r.ByPath(path); ok && text != "" {
				d.Put(schema.Setting{Field: f.ID, State: schema.Set, Text: text})
			}
		}
		put("ticket_type_id", "tic-1")
		put("name", "Seat")
		put("code", "LATE")
		put("event", "evt-1")
		put("type", "paid")
		null := rapid.IntRange(0, 9).Draw(t, "null") == 0
		if null {
			cents = ""
		} else {
			put(amount, cents)
			put("currency", code)
		}
		table := record.NewTable(r, false)
		var out bytes.Buffer
		if _, err := record.Write(&out, "csv", record.Sheet{Table: table, Records: func(yield func(*record.Record, error) bool) {
			yield(&record.Record{Draft: d, ID: "tic-1", At: time.Unix(1_800_000_000, 0)}, nil)
		}}); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(out.Bytes(), []byte("\ufeff")))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		cell := func(path string) *string { return &rows[1][slices.Index(rows[0], path)] }
		units, _ := value.InUnits(edited, code)
		want, untouched, refused := cents, true, false
		edit := rapid.SampledFrom([]string{"none", "no cents", "no price", "cents", "price", "same", "both"}).Draw(t, "edit")
		if units == "" && edit != "no price" || null || *cell(price) == "" {
			edit = "none"
		}
		switch edit {
		case "no cents":
			*cell(amount) = ""
		case "no price":
			*cell(price) = ""
		case "cents":
			*cell(amount), want = edited, edited
		case "price":
			*cell(price), want = units, edited
		case "same":
			*cell(amount), *cell(price), want = edited, units, edited
		case "both":
			other := strconv.FormatInt(number.Draw(t, "other"), 10)
			*cell(amount), *cell(price), want = other, units, edited
			refused = other != edited && other != cents && edited != cents
			if other != edited && edited == cents {
				want = other
			}
		}
		untouched = want == cents
		var in bytes.Buffer
		if err := csv.NewWriter(&in).WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "in.csv")
		if err := os.WriteFile(path, in.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		reading, err := mapping.Read(t.Context(), mapping.Config{Files: []string{path}, Resource: r, Now: time.Unix(1_800_000_000, 0)})
		if err != nil {
			t.Fatal(err)
		}
		for result, err := range reading.Results(t.Context()) {
			at := slices.IndexFunc(result.Problems, func(p schema.Problem) bool { return p.Severity == schema.Error })
			switch {
			case err != nil:
				t.Fatal(err)
			case refused:
				if at < 0 || rows[0][result.Problems[at].Place.Column] != price {
					t.Fatalf("%v is no error at %s: %+v", rows, price, result.Problems)
				}
			case at >= 0:
				t.Fatalf("%v: %s", rows, result.Problems[at].Message)
			default:
				f, _ := r.ByPath(amount)
				s := result.Draft.Get(f.ID)
				if got := result.Draft.Text(f.ID); got != want || s != nil && s.Untouched != untouched {
					t.Fatalf("%v is read as %q, not %q: %+v", rows, got, want, s)
				}
			}
			read[edit]++
		}
	})
	t.Log(read)
}
