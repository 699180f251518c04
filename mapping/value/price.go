package value

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"eventbatch/mapping/schema"
)

// signs are what people write beside a price for its currency, in lower case, with the currencies that each stands for.
var signs = map[string][]string{
	"€": {"eur"}, "euro": {"eur"}, "euros": {"eur"},
	"£": {"gbp", "egp", "fkp", "gip", "lbp", "shp"},
	"$": {
		"usd", "ars", "aud", "bbd", "bmd", "bnd", "bsd", "bzd", "cad", "clp", "cop", "dop", "fjd", "gyd", "hkd", "jmd", "kyd", "lrd",
		"mxn", "nad", "nio", "nzd", "sbd", "sgd", "srd", "ttd", "twd", "uyu", "xcd",
	},
	"us$": {"usd"}, "a$": {"aud"}, "au$": {"aud"}, "c$": {"cad", "nio"}, "ca$": {"cad"}, "nz$": {"nzd"}, "s$": {"sgd"},
	"hk$": {"hkd"}, "nt$": {"twd"}, "mx$": {"mxn"}, "r$": {"brl"},
	"¥": {"jpy", "cny"}, "￥": {"jpy", "cny"}, "円": {"jpy"}, "元": {"cny", "twd"}, "₩": {"krw"}, "₫": {"vnd"}, "₹": {"inr"},
	"fr": {"chf"}, "fr.": {"chf"}, "sfr": {"chf"}, "sfr.": {"chf"}, "kr": {"dkk", "isk", "nok", "sek"}, "kr.": {"dkk", "isk", "nok", "sek"},
	"zł": {"pln"}, "kč": {"czk"}, "ft": {"huf"}, "lei": {"ron"}, "₺": {"try"}, "₴": {"uah"}, "₪": {"ils"}, "฿": {"thb"}, "₱": {"php"},
	"₦": {"ngn"}, "₽": {"rub"},
}

// free are what people write in the place of a price of nothing.
var free = []string{
	"free", "free of charge", "no charge", "gratis", "frei", "kostenlos", "kostenfrei", "eintritt frei", "freier eintritt", "gratuit",
	"gratuite", "entrée libre", "entrée gratuite", "libre", "gratuito", "gratuita", "entrada libre", "entrada gratuita", "ingresso libero",
	"ingresso gratuito", "grátis", "entrada livre", "vrije toegang",
}

// saysFree reports whether a price says that nothing is paid, in a word or in digits.
func saysFree(price string) bool {
	if slices.Contains(free, strings.ToLower(price)) {
		return true
	}
	before, amount, behind := cutSigns(price)
	known := func(sign string) bool { return sign == "" || signs[sign] != nil || slices.Contains(Currencies, sign) }
	return amount != "" && strings.Trim(amount, "0.,") == "" && known(before) && known(behind)
}

// cutSigns parts a price into its amount, from the first digit to the last, and what stands before and behind it.
func cutSigns(price string) (before, amount, behind string) {
	isDigit := func(r rune) bool { return r >= '0' && r <= '9' }
	from, to := strings.IndexFunc(price, isDigit), strings.LastIndexFunc(price, isDigit)+1
	if from < 0 || len(price) > 40 {
		return price, "", ""
	}
	behind = price[to:]
	for _, dash := range []string{",-", ".-", ",–", ".–", ",—", ".—"} { // 25,- of people who leave the cents out
		if rest, cut := strings.CutPrefix(behind, dash); cut {
			behind = rest
			break
		}
	}
	sign := func(text string) string { return strings.ToLower(strings.TrimFunc(text, unicode.IsSpace)) }
	return sign(price[:from]), price[from:to], sign(behind)
}

// CurrenciesOf returns the currencies that a price may be in by its sign; none where it has no sign that is known.
func CurrenciesOf(price string) []string {
	before, amount, behind := cutSigns(price)
	sign := cmp.Or(before, behind)
	switch {
	case amount == "" || before != "" && behind != "":
		return nil
	case slices.Contains(Currencies, sign):
		return []string{sign}
	}
	return signs[sign]
}

// readPrice returns the digits of a price as people write it, before and behind its point: 1250 and 00 of
// $1,250.00, 25 and 00 of 25,00 €. The sign has to be one of the currency.
func readPrice(price, code string, decimals int) (whole, part string, fault *schema.Fault) {
	before, amount, behind := cutSigns(price)
	if amount == "" {
		return "", "", noPrice(price)
	}
	for _, sign := range []string{before, behind} {
		codes, known := signs[sign]
		switch {
		case sign == "" || sign == code || slices.Contains(codes, code):
		case known || slices.Contains(Currencies, sign):
			return "", "", schema.CodeBadNumber.Fault(
				Quote(price)+" is not in "+code+", which its currency is", "correct one of the two",
			)
		default:
			return "", "", noPrice(price)
		}
	}
	return readAmount(price, amount, decimals)
}

// readAmount parts an amount at its point. A mark before three digits is one of thousands where the
// currency cannot have as many decimals; a point is refused there, as programs write it before decimals too.
func readAmount(price, amount string, decimals int) (whole, part string, fault *schema.Fault) {
	var marks []rune
	groups := strings.FieldsFunc(amount, func(r rune) bool {
		digit := r >= '0' && r <= '9'
		switch {
		case digit:
		case unicode.IsSpace(r) || r == '’':
			marks = append(marks, '\'')
		default:
			marks = append(marks, r)
		}
		return !digit
	})
	if len(groups) != len(marks)+1 || slices.ContainsFunc(marks, func(r rune) bool { return !strings.ContainsRune(".,'", r) }) {
		return "", "", noPrice(price)
	}
	last := len(marks) - 1
	switch {
	case last < 0 || marks[last] == '\'':
	case last > 0 && marks[last] == marks[0]:
	case last > 0:
		part = groups[last+1]
	case len(groups[1]) != 3 || len(groups[0]) > 3 || groups[0][0] == '0' || marks[0] == '.' && decimals == 3:
		part = groups[1]
	case marks[0] == '.' || decimals == 3:
		return "", "", schema.CodeBadNumber.Fault(
			Quote(price)+" can be read in two ways",
			"write "+groups[0]+groups[1]+", or "+
				strings.TrimSuffix(strings.TrimRight(groups[0]+"."+groups[1], "0"), ".")+" if these are decimals",
		)
	}
	if part != "" {
		marks, groups = marks[:last], groups[:last+1]
	}
	for i, group := range groups[1:] {
		if len(group) != 3 || marks[i] != marks[0] || len(groups[0]) > 3 {
			return "", "", noPrice(price)
		}
	}
	return strings.Join(groups, ""), part, nil
}

func noPrice(price string) *schema.Fault {
	return schema.CodeBadNumber.Fault(Quote(price)+" is no price", "write it in digits, such as 45.50, or free")
}
