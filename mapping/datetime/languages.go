package datetime

import "strings"

// languages is a set of languages, in which a word means one thing.
type languages uint8

const (
	german languages = 1 << iota
	spanish
	french
	italian
	portuguese
	dutch
)

// role is what a word of another language does in a date.
type role uint8

const (
	monthName   role = iota + 1 // März
	weekdayName                 // samedi, Sa
	clockName                   // mittags
	ofMonth                     // 15 de marzo de 2027
	ordinal                     // 1er mai
	beforeClock                 // um 19:30, a las 19:30
	afterClock                  // 19 Uhr
	// afterHours is a word behind hours that may be a length as well: 2 h.
	afterHours
)

// word is what a word means in some languages.
type word struct {
	role    role
	n       int // of a month from 1, of a weekday from 0 for Sunday, of a name of a time in clockNames
	article string
	in      languages
}

// Month tells which month, from 1, a word names in English or one of the other
// languages that Scan reads; 0 where it names none.
func Month(name string) int {
	if n := monthOf(name); n > 0 {
		return n
	}
	if w := words[composed(name)]; w.role == monthName {
		return w.n
	}
	return 0
}

// clockNames are the names of times in English, by the n of a word.
var clockNames = [...]string{"noon", "midnight"}

// words are the words of all languages, in lower case. Names and their usual
// abbreviations are there, with accents and in the spelling of those who have none.
var words = func() map[string]word {
	table := map[string]word{}
	add := func(name string, w word) {
		known, twice := table[name]
		if twice && (known.role != w.role || known.n != w.n) {
			panic("datetime: " + name + " has two meanings") // a test reads the table
		}
		w.in |= known.in
		table[name] = w
	}
	for _, line := range []struct {
		in             languages
		months, days   string
		short          string // days again, as far as no month is called the same
		noon, midnight string
		of, at, clocks string
	}{
		{
			in: german,
			months: "januar jänner jaenner jan, februar feber feb, märz maerz mär mrz, april apr, mai, juni jun, juli jul, august " +
				"aug, september sept sep, oktober okt, november nov, dezember dez",
			days:  "sonntag, montag, dienstag, mittwoch, donnerstag, freitag, samstag sonnabend",
			short: "so, mo, di, mi, do, fr, sa",
			noon:  "mittags mittag", midnight: "mitternacht mitternachts",
			at: "um", clocks: "uhr",
		},
		{
			in: spanish,
			months: "enero ene, febrero feb, marzo mar, abril abr, mayo may, junio jun, julio jul, agosto ago, septiembre setiembre " +
				"sept sep set, octubre oct, noviembre nov, diciembre dic",
			days:  "domingo, lunes, martes, miércoles miercoles, jueves, viernes, sábado sabado",
			short: "dom, lun, , mié mie, jue, vie, sáb sab",
			noon:  "mediodía mediodia", midnight: "medianoche",
			of: "de del",
		},
		{
			in: french,
			months: "janvier janv jan, février fevrier févr fevr fév fev, mars, avril avr, mai, juin, juillet juil, août aout, " +
				"septembre sept sep, octobre oct, novembre nov, décembre decembre déc dec",
			days:  "dimanche, lundi, mardi, mercredi, jeudi, vendredi, samedi",
			short: "dim, lun, , mer, jeu, ven, sam",
			noon:  "midi", midnight: "minuit",
			at: "à",
		},
		{
			in: italian,
			months: "gennaio genn gen, febbraio febbr feb, marzo mar, aprile apr, maggio magg mag, giugno giu, luglio lug, agosto ago, " +
				"settembre sett set, ottobre ott, novembre nov, dicembre dic",
			days:  "domenica, lunedì lunedi, martedì martedi, mercoledì mercoledi, giovedì giovedi, venerdì venerdi, sabato",
			short: "dom, lun, , mer, gio, ven, sab",
			noon:  "mezzogiorno", midnight: "mezzanotte",
			at: "alle ore",
		},
		{
			in: portuguese,
			months: "janeiro jan, fevereiro fev, março marco mar, abril abr, maio mai, junho jun, julho jul, agosto ago, setembro set, " +
				"outubro out, novembro nov, dezembro dez",
			days:  "domingo, segunda-feira, terça-feira terca-feira, quarta-feira, quinta-feira, sexta-feira, sábado sabado",
			short: "dom, seg, ter, qua, qui, sex, sáb sab",
			noon:  "meio-dia", midnight: "meia-noite",
			of: "de", at: "às à",
		},
		{
			in: dutch,
			months: "januari jan, februari feb, maart mrt, april apr, mei, juni jun, juli jul, augustus aug, " +
				"september sept sep, oktober okt, november nov, december dec",
			days:     "zondag, maandag, dinsdag, woensdag, donderdag, vrijdag, zaterdag",
			short:    "zo, ma, di, wo, do, vr, za",
			midnight: "middernacht",
			at:       "om",
		},
	} {
		for i, names := range strings.Split(line.months, ", ") {
			for name := range strings.FieldsSeq(names) {
				add(name, word{role: monthName, n: i + 1, in: line.in})
			}
		}
		for _, days := range []string{line.days, line.short} {
			for i, names := range strings.Split(days, ", ") {
				for name := range strings.FieldsSeq(names) {
					add(name, word{role: weekdayName, n: i, in: line.in})
				}
			}
		}
		for i, names := range []string{line.noon, line.midnight} {
			for name := range strings.FieldsSeq(names) {
				add(name, word{role: clockName, n: i, in: line.in})
			}
		}
		for name := range strings.FieldsSeq(line.of) {
			add(name, word{role: ofMonth, in: line.in})
		}
		for name := range strings.FieldsSeq(line.at) {
			add(name, word{role: beforeClock, in: line.in})
		}
		for name := range strings.FieldsSeq(line.clocks) {
			add(name, word{role: afterClock, in: line.in})
		}
	}
	add("er", word{role: ordinal, in: french})
	add("º", word{role: ordinal, in: spanish | italian | portuguese})
	add("°", word{role: ordinal, in: italian})
	add("a", word{role: beforeClock, article: "las", in: spanish})
	add("uur", word{role: afterHours, in: dutch})
	add("h", word{role: afterHours, in: spanish | french | portuguese})
	return table
}()
