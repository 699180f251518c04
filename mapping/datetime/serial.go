package datetime

import (
	"math"
	"strconv"
	"strings"
)

// A serial below this is a date before 1 March 1900, which spreadsheets count
// wrongly: their year 1900 has a February 29.
const firstSafeSerial = 61

// Serial reads a spreadsheet's date: the days since its epoch, the fraction
// being the time of day, rounded to milliseconds. A serial below 1 is a time
// without a date, a whole one a date without a time.
func Serial(text string, date1904 bool) (Moment, Fault) {
	whole, milli, ok := splitSerial(text)
	if !ok {
		return Moment{}, NotATime
	}
	var m Moment
	m.Hour, m.Minute = milli/3_600_000, milli/60_000%60
	m.Second, m.Milli = milli/1000%60, milli%1000
	m.HasTime = milli != 0 || whole == 0
	switch {
	case whole == 0:
		return m, OK
	case whole < firstSafeSerial:
		return m, EarlySerial
	}
	epoch := days(1899, 12, 30)
	if date1904 {
		epoch = days(1904, 1, 1)
	}
	m.Year, m.Month, m.Day = civil(epoch + int64(whole))
	m.HasDate = true
	return m, m.validDate()
}

// ShownSerial returns a spreadsheet's date as a person would write it; a text that is none as it is.
func ShownSerial(text string, date1904 bool) string {
	m, fault := Serial(text, date1904)
	if fault != OK {
		return text
	}
	return strings.Replace(string(m.Append(nil)), "T", " ", 1)
}

// splitSerial returns the days and the milliseconds of the day. Eleven decimals
// fit the arithmetic and are a microsecond.
func splitSerial(text string) (whole, milli int, ok bool) {
	const day = 86_400_000
	i := 0
	for ; i < len(text) && i < 7 && isDigit(text[i]); i++ {
		whole = whole*10 + int(text[i]-'0')
	}
	if i == 0 || i < len(text) && text[i] != '.' {
		return floatSerial(text)
	}
	if i == len(text) {
		return whole, 0, true
	}
	fraction, scale := uint64(0), uint64(1)
	for _, c := range []byte(text[i+1:]) {
		if !isDigit(c) {
			return floatSerial(text)
		}
		if scale < 1e11 {
			fraction, scale = fraction*10+uint64(c-'0'), scale*10
		}
	}
	milli = int((fraction*day + scale/2) / scale)
	if milli == day {
		return whole + 1, 0, true
	}
	return whole, milli, true
}

// floatSerial reads what is not written as plain decimals: 4.6089E4.
func floatSerial(text string) (whole, milli int, ok bool) {
	if strings.ContainsAny(text, "xXpP_nN") {
		return 0, 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f < 0 || f >= 1e7 {
		return 0, 0, false
	}
	days, fraction := math.Modf(f)
	milli = int(math.Round(fraction * 86_400_000))
	if milli == 86_400_000 {
		return int(days) + 1, 0, true
	}
	return int(days), milli, true
}
