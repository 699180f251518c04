package datetime

import (
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"eventbatch/mapping/spelling"
)

// Rhythm is how often an event takes place.
type Rhythm struct {
	Days []time.Weekday // that are named; none: that of the first time
	Unit Unit
}

// Unit is from one time of an event to the next.
type Unit uint8

// The units.
const (
	Once Unit = iota + 1
	Day
	Week
	Fortnight
	OtherUnit // each month, each first Monday, each week until a day
)

// Repeats reports whether there is more than one time.
func (r *Rhythm) Repeats() bool { return r.Unit > Once }

// unitWords are the words of rhythms in the languages that dates are read in.
var unitWords = map[Unit]string{
	Once: `once, one-off, one off, one time, single, never, no, none, does not repeat, not repeated, einmalig, einmal, einzeltermin, nein,
nie, keine, keiner, nicht wiederholt, unique, une fois, une seule fois, ponctuel, aucune, non, jamais, una vez, una sola vez, único,
única, puntual, ninguna, nunca, unico, unica, una volta, una tantum, nessuna, mai, uma vez, pontual, não, nenhuma, eenmalig, één keer,
geen, nee, nooit, 0, false`,
	Day: `daily, every day, each day, täglich, taeglich, jeden tag, quotidien, quotidienne, chaque jour, tous les jours, diario, diaria,
diariamente, cada día, todos los días, quotidiano, giornaliero, ogni giorno, tutti i giorni, diário, diária, todos os dias, cada dia,
dagelijks, elke dag, iedere dag`,
	Week: `weekly, every week, each week, once a week, once weekly, wöchentlich, woechentlich, jede woche, einmal pro woche, 1x pro woche,
1x wöchentlich, hebdomadaire, chaque semaine, toutes les semaines, une fois par semaine, semanal, semanalmente, cada semana,
todas las semanas, una vez por semana, una vez a la semana, settimanale, settimanalmente, ogni settimana, tutte le settimane,
una volta a settimana, toda semana, todas as semanas, uma vez por semana, wekelijks, elke week, iedere week, een keer per week`,
	Fortnight: `fortnightly, every fortnight, every two weeks, every 2 weeks, every other week, every second week, 14-täglich, 14-tägig,
14-taegig, 14-taeglich, alle 14 tage, alle zwei wochen, alle 2 wochen, zweiwöchentlich, zweiwöchig, jede zweite woche,
toutes les deux semaines, toutes les 2 semaines, tous les quinze jours, tous les 15 jours, une semaine sur deux, cada dos semanas,
cada 2 semanas, cada quince días, cada 15 días, ogni due settimane, ogni 2 settimane, ogni quindici giorni, a settimane alterne,
a cada duas semanas, cada duas semanas, a cada 2 semanas, om de week, om de twee weken, elke twee weken, elke 2 weken, tweewekelijks`,
	OtherUnit: `monthly, yearly, annually, biweekly, bi-weekly, bimonthly, quarterly, weekdays, repeats, repeating, recurring,
monatlich, jährlich, vierteljährlich, werktags, regelmäßig, mensuel, mensuelle, annuel, annuelle, trimestriel, mensual, mensualmente,
anual, trimestral, bisemanal, quincenal, mensile, annuale, trimestrale, bisettimanale, quindicinale, mensal, mensalmente, anualmente,
quinzenal, maandelijks, jaarlijks, yes, ja, oui, sí, si, sì, sim, true`,
}

// eachWords begin a rhythm where a day or a unit follows; unitNames are those units.
const (
	eachWords = "every, each, jeden, jede, jedes, jeder, alle, chaque, tous, toutes, cada, todos, todas, todo, toda, ogni, tutti, tutte, " +
		"elke, iedere, ieder, elk, 2x, 3x, zweimal, twice, deux fois, dos veces, due volte, duas vezes, twee keer"
	unitNames = "week, weeks, month, months, day, days, woche, wochen, monat, monate, tag, tage, semaine, semaines, mois, jour, jours, " +
		"semana, semanas, mes, meses, día, días, settimana, settimane, mese, mesi, giorno, giorni, mês, dia, dias, weken, maand, " +
		"maanden, dag, dagen, wöchentlich, weekly"
	andWords = "and, und, et, y, e, en, the, les, los, las, le, i, os, as"
)

type rhythmTable struct {
	units           map[string]Unit
	each, unit, and []string
}

var rhythms = sync.OnceValue(func() *rhythmTable {
	list := func(text string) []string {
		words := strings.Split(strings.ReplaceAll(text, "\n", " "), ",")
		for i, word := range words {
			words[i] = spelling.Bare(word)
		}
		return words
	}
	t := &rhythmTable{units: map[string]Unit{}, each: list(eachWords), unit: list(unitNames), and: list(andWords)}
	for unit, words := range unitWords {
		for _, word := range list(words) {
			t.units[word] = unit
		}
	}
	return t
})

// ScanRhythm reads how often an event takes place, in the languages that dates are read in and as iCalendar writes it:
// weekly, jeden Dienstag, tous les lundis et jeudis. It reports false for any other text.
func ScanRhythm(text string) (r Rhythm, ok bool) {
	t, name := rhythms(), spelling.Bare(text)
	if unit, known := t.units[name]; known {
		return Rhythm{Unit: unit}, true
	}
	if strings.HasPrefix(strings.ToUpper(strings.TrimPrefix(strings.TrimSpace(text), "RRULE:")), "FREQ=") {
		return Rhythm{Unit: OtherUnit}, true
	}
	words := strings.Fields(name)
	at := slices.IndexFunc(words, func(w string) bool { return !slices.Contains(t.each, w) })
	if at < 1 || !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(t.unit, w) || pluralDay(w) >= 0 }) {
		return Rhythm{}, false
	}
	r.Unit = Week
	for _, w := range words[at:] {
		if day := pluralDay(w); day >= 0 {
			r.Days = append(r.Days, time.Weekday(day))
		} else if !slices.Contains(t.and, w) {
			return Rhythm{Unit: OtherUnit}, true
		}
	}
	return r, true
}

// pluralDay returns the day of the week that a word names, as one or as many; -1 where it names none.
func pluralDay(word string) int {
	for _, name := range []string{word, strings.TrimSuffix(word, "s")} {
		if day, ok := Weekday(name); ok && len(name) > 3 && strings.IndexFunc(name, unicode.IsLetter) == 0 {
			return int(day)
		}
	}
	return -1
}
