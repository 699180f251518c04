package datetime_test

import (
	"fmt"
	"testing"

	"eventbatch/mapping/datetime"
)

func TestRhythms(t *testing.T) {
	for text, want := range map[string]string{
		"weekly": "[] 3", "Wöchentlich": "[] 3", "hebdomadaire": "[] 3", "cada semana": "[] 3", "ogni settimana": "[] 3",
		"Semanal": "[] 3", "wekelijks": "[] 3", "täglich": "[] 2", "14-tägig": "[] 4", "tous les 15 jours": "[] 4", "einmalig": "[] 1",
		"every Tuesday": "[Tuesday] 3", "Jeden Dienstag": "[Tuesday] 3", "tous les mardis": "[Tuesday] 3", "cada martes": "[Tuesday] 3",
		"todos los martes y jueves": "[Tuesday Thursday] 3", "ogni martedì": "[Tuesday] 3", "elke dinsdag": "[Tuesday] 3",
		"todas as terças": "[Tuesday] 3", "every Tuesday and Thursday": "[Tuesday Thursday] 3",
		"monthly": "[] 5", "every first Monday": "[] 5", "cada semana hasta el 27/09/2027": "[] 5", "every Tuesday until 9/28/2027": "[] 5",
		"FREQ=WEEKLY;COUNT=4": "[] 5", "elke dinsdag t/m 28-09-2027": "[] 5",
		"": "", "Salsa": "", "tous publics": "", "todos los públicos": "", "alle 17": "", "dienstags": "", "Tuesday": "", "alle": "",
	} {
		got := ""
		if r, ok := datetime.ScanRhythm(text); ok {
			got = fmt.Sprint(r.Days, r.Unit)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
