package value

import (
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/schema"
)

// Currencies are lower case (service: Currency).
var Currencies = []string{
	"solana_sol", "solana_usdc", "aed", "afn", "all", "amd", "ang", "aoa", "ars", "aud", "awg", "azn",
	"bam", "bbd", "bdt", "bgn", "bhd", "bif", "bmd", "bnd", "bob", "brl", "bsd", "bwp", "byn", "bzd",
	"cad", "cdf", "chf", "clp", "cny", "cop", "crc", "cve", "czk", "djf", "dkk", "dop", "dzd", "egp",
	"etb", "eur", "fjd", "fkp", "gbp", "gel", "ghs", "gip", "gmd", "gnf", "gtq", "gyd", "hkd", "hnl",
	"htg", "huf", "idr", "ils", "inr", "isk", "jmd", "jod", "jpy", "kes", "kgs", "khr", "kmf", "krw",
	"kwd", "kyd", "kzt", "lak", "lbp", "lkr", "lrd", "lsl", "mad", "mdl", "mga", "mkd", "mmk", "mnt",
	"mop", "mur", "mvr", "mwk", "mxn", "myr", "mzn", "nad", "ngn", "nio", "nok", "npr", "nzd", "omr",
	"pab", "pen", "pgk", "php", "pkr", "pln", "pyg", "qar", "ron", "rsd", "rub", "rwf", "sar", "sbd",
	"scr", "sek", "sgd", "shp", "sle", "sos", "srd", "std", "szl", "thb", "tjs", "tnd", "top", "try",
	"ttd", "twd", "tzs", "uah", "ugx", "usd", "uyu", "uzs", "vnd", "vuv", "wst", "xaf", "xcd", "xof",
	"xpf", "yer", "zar", "zmw",
}

// The currencies whose smallest unit is not a hundredth, by ISO 4217. What x/text knows of currencies
// is how many decimals people write, which are none of the rupiah and the Colombian peso, say, though the
// standard has two. That of the two of Solana is published nowhere.
var (
	wholeCurrencies = []string{
		"bif", "clp", "djf", "gnf", "isk", "jpy", "kmf", "krw", "pyg", "rwf", "ugx", "vnd", "vuv", "xaf", "xof", "xpf",
	}
	thousandthCurrencies = []string{"bhd", "jod", "kwd", "omr", "tnd"}
	strangeCurrencies    = []string{"solana_sol", "solana_usdc"}
)

// Price is what something costs.
type Price struct {
	Units    string // whole, in the smallest unit of the currency; blank of a blank price
	Currency string // empty of what costs nothing and names none
}

// Free reports whether nothing is paid.
func (p *Price) Free() bool { return p.Units == "0" }

// MinorUnits returns a price in the smallest unit of its currency: see [ReadPrice].
func MinorUnits(price, code string) (string, *schema.Fault) {
	p, fault := ReadPrice(price, code)
	return p.Units, fault
}

// ReadPrice reads a price as people write it, such as 12.50, 12,50 € or $1,250.00. Its units are the smallest of
// its currency, in which requests say it: 1250 of eur, 12500 of kwd; of jpy 1250 is 1250. Where no currency is
// given, the sign has to be one of a single currency. What is no price, or none that the currency can have, is an error.
func ReadPrice(price, code string) (p Price, fault *schema.Fault) {
	if price, code = trim(price), trim(code); price == "" {
		return p, nil
	}
	if p.Currency = code; code != "" {
		if p.Currency, fault = ParseEnum(code, "currency", Currencies); fault != nil {
			return Price{}, fault
		}
	}
	if saysFree(price) {
		p.Units = "0"
		return p, nil
	}
	if p.Currency == "" {
		of := CurrenciesOf(price)
		before, _, behind := cutSigns(price)
		switch {
		case len(of) == 0 && before+behind != "":
			return p, noPrice(price)
		case len(of) != 1:
			return p, schema.CodeMissingValue.Fault(
				"the price "+Quote(price)+" has no currency",
				"say it in a column currency, or for all rows by --set currency=eur",
			)
		}
		p.Currency = of[0]
	}
	p.Units, fault = unitsOf(price, p.Currency)
	return p, fault
}

// unitsOf returns a price of a currency in its smallest unit.
func unitsOf(price, code string) (string, *schema.Fault) {
	decimals := decimalsOf(code)
	if slices.Contains(strangeCurrencies, code) {
		return "", schema.CodeBadNumber.Fault(
			"a price in "+code+" cannot be worked out: its smallest unit is published nowhere",
			"give the price in cents",
		)
	}
	whole, part, fault := readPrice(price, code, decimals)
	if fault != nil {
		return "", fault
	}
	if cut := strings.TrimRight(part, "0"); len(cut) > decimals {
		has := [...]string{"none", "", "two", "three"}[decimals]
		return "", schema.CodeBadNumber.Fault(
			Quote(price)+" has more decimals than "+code+", which has "+has, "write a price that can be paid",
		)
	}
	part += strings.Repeat("0", 3)
	if units := strings.TrimLeft(whole+part[:decimals], "0"); units != "" {
		return units, nil
	}
	return "0", nil
}

func decimalsOf(code string) int {
	switch {
	case slices.Contains(wholeCurrencies, code):
		return 0
	case slices.Contains(thousandthCurrencies, code):
		return 3
	}
	return 2
}

// MoneyWords returns an amount in the smallest unit of a currency as people write it: 12.50 EUR.
func MoneyWords(units int64, code string) string {
	sign := ""
	if units < 0 {
		sign, units = "-", -units
	}
	return sign + pointed(strconv.FormatInt(units, 10), decimalsOf(code)) + " " + strings.ToUpper(code)
}

// InUnits returns an amount in the smallest unit of a currency as [ReadPrice] reads it, and how many decimals it has;
// empty where the currency is not known, or its unit.
func InUnits(cents, code string) (text string, decimals int) {
	_, err := strconv.ParseUint(cents, 10, 63)
	if err != nil || !slices.Contains(Currencies, code) || slices.Contains(strangeCurrencies, code) {
		return "", 0
	}
	decimals = decimalsOf(code)
	return pointed(cents, decimals), decimals
}

// pointed puts the point before the last digits.
func pointed(digits string, decimals int) string {
	if decimals == 0 {
		return digits
	}
	if short := decimals + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	at := len(digits) - decimals
	return digits[:at] + "." + digits[at:]
}
