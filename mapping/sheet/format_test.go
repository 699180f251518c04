package sheet

import "testing"

func TestColumnsStayInTablesAndNotInObjects(t *testing.T) {
	columned := map[string]bool{
		"csv": true, "tsv": true, "xlsx": true,
		".csv": true, ".tsv": true, ".tab": true, ".txt": true, ".xlsx": true, ".xlsm": true,
	}
	for _, name := range FormatNames() {
		if got := Columned(name, ".csv"); got != columned[name] {
			t.Errorf("%s: %v", name, got)
		}
	}
	for _, ending := range append(Endings(), ".txt", "", ".php") {
		if got := Columned("", ending); got != columned[ending] {
			t.Errorf("%q: %v", ending, got)
		}
	}
	if Columned("json", ".txt") {
		t.Error("the ending counts where a format is asked for")
	}
}
