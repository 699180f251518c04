package datetime_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"eventbatch/mapping/datetime"
)

// monthsOf are the months of each language, with the form of a date and its time.
var monthsOf = []struct {
	language, months, form, clock string
}{
	{"German", "Januar Februar März April Mai Juni Juli August September Oktober November Dezember", "%d. %s %d", "um %d:%02d Uhr"},
	{"German in short", "Jän Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez", "%d-%s-%d", "%d.%02d Uhr"},
	{"German of Austria", "Jänner Feber Maerz April Mai Juni Juli August Sept Oktober November Dezember", "%d. %s %d", "%d Uhr %02d"},
	{
		"Spanish", "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre", "%d de %s de %d",
		"a las %d:%02d",
	},
	{"Spanish in short", "ene feb mar abr may jun jul ago set oct nov dic", "%d-%s-%d", "%d:%02d h"},
	{"French", "janvier février mars avril mai juin juillet août septembre octobre novembre décembre", "%d %s %d", "à %dh%02d"},
	{
		"French without accents", "JANVIER FEVRIER MARS AVRIL MAI JUIN JUILLET AOUT SEPTEMBRE OCTOBRE NOVEMBRE DECEMBRE", "%d %s %d",
		"%d H %02d",
	},
	{"French in short", "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.", "%d %s %d", "%d:%02d"},
	{
		"Italian", "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre", "%d %s %d",
		"alle ore %d.%02d",
	},
	{"Italian in short", "gen feb mar apr mag giu lug ago set ott nov dic", "%d/%s/%d", "ore %d:%02d"},
	{
		"Portuguese", "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro", "%d de %s de %d",
		"às %dh%02d",
	},
	{"Portuguese in short", "jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.", "%d de %s de %d", "%d:%02d"},
	{"Dutch", "januari februari maart april mei juni juli augustus september oktober november december", "%d %s %d", "om %d.%02d uur"},
	{"Dutch in short", "jan feb mrt apr mei jun jul aug sep okt nov dec", "%d-%s-%d", "%d:%02d uur"},
}

func TestMonthsOfLanguages(t *testing.T) {
	for _, l := range monthsOf {
		months := strings.Fields(strings.ReplaceAll(l.months, "Jän ", "Jan "))
		if len(months) != 12 {
			t.Fatal(l.language, len(months))
		}
		for i, name := range months {
			if got := datetime.Month(strings.TrimSuffix(name, ".")); got != i+1 {
				t.Errorf("%s: %s is month %d", l.language, name, got)
			}
			for _, form := range []string{l.form, l.form + " " + l.clock, l.form + ", " + l.clock} {
				given := []any{15, name, 2027}
				want := fmt.Sprintf("2027-%02d-15", i+1)
				if form != l.form {
					given, want = append(given, 19, 5), want+"T19:05:00"
				}
				text := fmt.Sprintf(form, given...)
				for _, text := range []string{
					text, strings.ToUpper(text), norm.NFD.String(text), " " + strings.ReplaceAll(text, " ", "\u00a0"),
				} {
					m, fault := datetime.Scan(text, datetime.Unknown)
					if got := string(m.Append(nil)); fault != datetime.OK || got != want {
						t.Errorf("%s: %q is %s, fault %d", l.language, text, got, fault)
					}
				}
			}
		}
	}
}

func TestScanTranslates(t *testing.T) {
	for text, want := range map[string]string{
		"Samstag, 15. Mai 2027":               "2027-05-15",
		"Samstag 15.05.2027":                  "none 4",
		"19:30 Uhr":                           "19:30:00",
		"19 Uhr":                              "19:00:00",
		"9.05 UHR":                            "09:05:00",
		"um 19 Uhr":                           "none 1",
		"19:30 Uhr, 15. März 2027":            "2027-03-15T19:30:00",
		"15. März 2027 19 Uhr":                "2027-03-15T19:00:00",
		"15.Mär.27":                           "2027-03-15",
		"sábado, 15 de mayo del 2027":         "2027-05-15",
		"15 de mayo de 2027, 7:30 p. m.":      "2027-05-15T19:30:00",
		"15 de mayo de 2027, 7:30 a. m.":      "2027-05-15T07:30:00",
		"15 de mayo de 2027 7:30 PM":          "2027-05-15T19:30:00",
		"15 de mayo de 2027 a las 7:30 pm":    "2027-05-15T19:30:00",
		"1º de maio de 2027":                  "2027-05-01",
		"sábado, 15 de maio de 2027 às 19h":   "2027-05-15T19:00:00",
		"segunda-feira, 17 de maio de 2027":   "2027-05-17",
		"1er mai 2027":                        "2027-05-01",
		"samedi 1er mai 2027 à 19h30":         "2027-05-01T19:30:00",
		"1 mai 2027 19 h":                     "2027-05-01T19:00:00",
		"1° maggio 2027 ore 9":                "none 1",
		"sabato 15 maggio 2027, ore 19.30":    "2027-05-15T19:30:00",
		"zaterdag 15 mei 2027 om 19.30 uur":   "2027-05-15T19:30:00",
		"zaterdag 15 mei 2027 20 uur":         "2027-05-15T20:00:00",
		"15 mars 2027 19:30 +01:00":           "2027-03-15T19:30:00+01:00",
		"15 mars 2027T19:30Z":                 "2027-03-15T19:30:00Z",
		"31. Februar 2027":                    "none 2",
		"15. März 2027 25 Uhr":                "none 3",
		"Sonntag, 15. Mai 2027":               "none 6",
		"Montag, 03.05.2027":                  "none 4",
		"15 mars 2027 19:30 CET":              "none 1",
		"15 de März 2027":                     "none 1", // no language has both
		"1er Januar 2027":                     "none 1",
		"2er mai 2027":                        "none 1",
		"15. März 2027 à 19h30":               "none 1",
		"mar. 15 juin 2027":                   "2027-06-15", // a Tuesday of French, a month of others
		"mar 15/06/2027":                      "none 4",
		"mar 15 2027":                         "2027-03-15",
		"mar":                                 "none 1",
		"So, 2027-03-07":                      "2027-03-07",
		"Sa. 2027-03-07":                      "none 6",
		"lun 15 de marzo de 2027":             "2027-03-15",
		"mer. 1er sept. 2027, 20h":            "2027-09-01T20:00:00",
		"do 4 maart 2027":                     "2027-03-04",
		"Do, 4. März 2027, mittags":           "2027-03-04T12:00:00",
		"4 mars 2027 à midi":                  "2027-03-04T12:00:00",
		"4 mars 2027 à minuit":                "none 9",
		"4 de marzo de 2027 a mediodía":       "none 1",
		"So 19:30":                            "none 1",
		"März 2027":                           "none 1",
		"15. März":                            "none 1",
		"15 März 27":                          "none 1",
		"15. März 2027 vormittags":            "none 1",
		"de 15 marzo 2027":                    "none 1",
		"15 marzo de las 2027":                "none 1",
		"2 h":                                 "none 1", // a length
		"1:30 h":                              "none 1",
		"2 uur":                               "none 1",
		"Sunday, 15. März 2027":               "none 1",
		"15. März 2027 30 Uhr":                "none 3",
		"a 15 de mayo de 2027":                "none 1",
		"15. März 2027 um":                    "none 1",
		"Uhr":                                 "none 1",
		"125Uhr7":                             "none 1",
		"19:30Uhr7":                           "none 1",
		"\xff15. März 2027":                   "none 1",
		"15 марта 2027":                       "none 1",
		"15. März 2027 bis 16. März 2027":     "none 1",
		"15. März 2027 " + "15. April 2027":   "none 1",
		strings.Repeat(" ", 99) + "1 mai 202": "none 1",
	} {
		m, fault := datetime.Scan(text, datetime.Unknown)
		got := string(m.Append(nil))
		if fault != datetime.OK {
			got = fmt.Sprint("none ", fault)
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// FuzzScanTranslates writes a date in a language and reads it back.
func FuzzScanTranslates(f *testing.F) {
	for i := range monthsOf {
		f.Add(uint8(i), uint8(i), uint8(i), uint8(2*i), uint8(4*i), uint16(i), "")
	}
	f.Add(uint8(3), uint8(30), uint8(1), uint8(0), uint8(0), uint16(0), "de")
	f.Fuzz(func(t *testing.T, language, day, month, hour, minute uint8, year uint16, noise string) {
		l := monthsOf[int(language)%len(monthsOf)]
		name := strings.Fields(strings.ReplaceAll(l.months, "Jän ", "Jan "))[month%12]
		want := datetime.Moment{
			Year: 1000 + int(year)%9000, Month: int(month)%12 + 1, Day: int(day)%31 + 1, Hour: int(hour) % 24,
			Minute: int(minute) % 60, HasDate: true, HasTime: true,
		}
		text := fmt.Sprintf(l.form+" "+l.clock, want.Day, name, want.Year, want.Hour, want.Minute)
		switch got, fault := datetime.Scan(text, datetime.Unknown); {
		case fault == datetime.NoSuchDay && want.Day > 28:
		case fault != datetime.OK || got != want:
			t.Errorf("%q is %s, fault %d", text, got.Append(nil), fault)
		}
		m, fault := datetime.Scan(text+noise, datetime.Unknown)
		if fault == datetime.OK {
			if again, fault := datetime.Scan(string(m.Append(nil)), datetime.Unknown); fault != datetime.OK || again.Wall() != m.Wall() {
				t.Errorf("%q becomes %s, fault %d", text+noise, m.Append(nil), fault)
			}
		}
	})
}
