package sheet

import "testing"

func TestNormalHeader(t *testing.T) {
	for header, want := range map[string]string{
		"Start Date": "start date", " start_DATE ": "start date", "start \t__ date": "start date", "\ufeffname": "name",
		"Ti\u0301tulo": "título", "END\u00a0AT": "end at", "": "", "_": "", "coordinate.Latitude": "coordinate.latitude",
	} {
		if got := NormalHeader(header); got != want {
			t.Errorf("%q: got %q, want %q", header, got, want)
		}
	}
}

// A header of plain letters comes out as any other does.
func FuzzNormalHeader(f *testing.F) {
	for _, header := range []string{"", " ", "Start  Date", "_start_date_", "\t\nA\v\f\rB\x1c", "[Größe]`@{\x7f"} {
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if got, want := NormalHeader(header), normalUnicode(header); got != want {
			t.Errorf("%q is %q, and %q as any other is", header, got, want)
		}
	})
}

func TestFindColumn(t *testing.T) {
	headers := []string{"start date", "Start_Date", "Ende"}
	for name, want := range map[string]int{"Start_Date": 1, "START DATE": 0, "ende": 2, "end": -1, "": -1} {
		if got := FindColumn(headers, name); got != want {
			t.Errorf("%q: got %d, want %d", name, got, want)
		}
	}
}
