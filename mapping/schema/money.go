package schema

import (
	"slices"
	"strings"
)

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

// MinorUnits returns a price as people write it, such as 12.50, 12,50 € or $1,250.00, in the smallest unit of its
// currency, in which requests say it: 1250 of eur, 12500 of kwd; of jpy 1250 is 1250. Nothing of a blank price is
// blank. What is no price, or none that the currency can have, is an error.
func MinorUnits(price, code string) (string, *Fault) {
	price = trim(price)
	if price == "" {
		return "", nil
	}
	if trim(code) == "" {
		return "", &Fault{CodeMissingValue, "the price " + quote(price) + " has no currency", "say the currency of the row, such as eur"}
	}
	code, fault := ParseEnum(trim(code), "currency", Currencies)
	if fault != nil {
		return "", fault
	}
	decimals := 2
	switch {
	case slices.Contains(wholeCurrencies, code):
		decimals = 0
	case slices.Contains(thousandthCurrencies, code):
		decimals = 3
	case slices.Contains(strangeCurrencies, code):
		return "", &Fault{
			CodeBadNumber, "a price in " + code + " cannot be worked out: its smallest unit is published nowhere",
			"give the price in cents",
		}
	}
	whole, part, fault := readPrice(price, code, decimals)
	if fault != nil {
		return "", fault
	}
	if cut := strings.TrimRight(part, "0"); len(cut) > decimals {
		has := [...]string{"none", "", "two", "three"}[decimals]
		return "", &Fault{
			CodeBadNumber, quote(price) + " has more decimals than " + code + ", which has " + has, "write a price that can be paid",
		}
	}
	part += strings.Repeat("0", 3)
	if units := strings.TrimLeft(whole+part[:decimals], "0"); units != "" {
		return units, nil
	}
	return "0", nil
}
