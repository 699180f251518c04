package value

import (
	"slices"
	"testing"

	"golang.org/x/text/currency"
)

func TestPricesAreInTheSmallestUnitOfTheirCurrency(t *testing.T) {
	for _, tt := range []struct{ price, currency, want string }{
		{"45.50", "usd", "4550"},
		{" 45.5 ", "EUR", "4550"},
		{"45", "eur", "4500"},
		{"0.05", "eur", "5"},
		{"0.00", "eur", "0"},
		{"", "eur", ""},
		{"3000", "jpy", "3000"},
		{"3000.00", "JPY", "3000"},
		{"300000", "idr", "30000000"},
		{"12.5", "kwd", "12500"},
		{"12.345", "tnd", "12345"},
		{"1", "std", "100"},
		{"1", "sle", "100"},
		{"12.50", "jpy", `"12.50" has more decimals than jpy, which has none`},
		{"12.505", "eur", `"12.505" can be read in two ways`},
		{"1.2345", "bhd", `"1.2345" has more decimals than bhd, which has three`},
		{"$15.00", "usd", "1500"},
		{"1,250.00", "usd", "125000"},
		{"$1,250.00", "cad", "125000"},
		{"25,00 €", "eur", "2500"},
		{"€ 25,5", "eur", "2550"},
		{"25,- €", "EUR", "2500"},
		{"1.250,00 €", "eur", "125000"},
		{"1 250,00\u00a0€", "eur", "125000"},
		{"CHF 1'250.50", "chf", "125050"},
		{"EUR 25", "eur", "2500"},
		{"1,250", "usd", "125000"},
		{"1.250.000", "eur", "125000000"},
		{"¥3,000", "jpy", "3000"},
		{"249 kr.", "dkk", "24900"},
		{"4,500", "kwd", `"4,500" can be read in two ways`},
		{"1.250", "eur", `"1.250" can be read in two ways`},
		{"3.000", "jpy", `"3.000" can be read in two ways`},
		{"25,00 €", "usd", `"25,00 €" is not in usd, which its currency is`},
		{"25 CHF", "eur", `"25 CHF" is not in eur, which its currency is`},
		{"$15 each", "usd", `"$15 each" is no price`},
		{"10-15 €", "eur", `"10-15 €" is no price`},
		{"1,25,00", "eur", `"1,25,00" is no price`},
		{"1,250.000,00", "eur", `"1,250.000,00" is no price`},
		{"0.125", "eur", `"0.125" has more decimals than eur, which has two`},
		{"-5", "usd", `"-5" is no price`},
		{"1e3", "usd", `"1e3" is no price`},
		{"5.", "usd", `"5." is no price`},
		{"25,00 €", "", "2500"},
		{"CHF 25", "", "2500"},
		{"¥3,000", "jpy", "3000"},
		{"¥3,000", "", `the price "¥3,000" has no currency`},
		{"$15", "", `the price "$15" has no currency`},
		{"19.99", "", `the price "19.99" has no currency`},
		{"15 each", "", `"15 each" is no price`},
		{"Free", "", "0"},
		{"0,00 €", "", "0"},
		{"0", "", "0"},
		{"0 left", "eur", `"0 left" is no price`},
		{"kostenlos", "eur", "0"},
		{"5", "solana_sol", "a price in solana_sol cannot be worked out: its smallest unit is published nowhere"},
	} {
		got, fault := MinorUnits(tt.price, tt.currency)
		if fault != nil {
			got = fault.Message
		}
		if got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.price, tt.currency, got, tt.want)
		}
	}
}

// Of the currencies that x/text writes otherwise than with two decimals, those are the exceptions of
// the standard that it has three of, and those of none, but for these.
func TestTableOfCurrenciesIsThatOfTheStandard(t *testing.T) {
	customary := []string{
		"afn", "all", "amd", "cop", "gyd", "idr", "lak", "lbp", "mga", "mmk", "mnt", "mur", "pkr", "rsd", "sos", "std", "tzs", "uzs",
		"yer",
	}
	var unknown []string
	for _, code := range Currencies {
		unit, err := currency.ParseISO(code)
		if err != nil {
			unknown = append(unknown, code)
			continue
		}
		want := 2
		switch {
		case slices.Contains(wholeCurrencies, code), slices.Contains(customary, code):
			want = 0
		case slices.Contains(thousandthCurrencies, code):
			want = 3
		}
		if decimals, _ := currency.Standard.Rounding(unit); decimals != want {
			t.Errorf("%s has %d decimals, want %d", code, decimals, want)
		}
	}
	if !slices.Equal(unknown, append(slices.Clone(strangeCurrencies), "sle")) {
		t.Errorf("unknown are %q", unknown)
	}
}
