package value

import (
	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
)

const timestampHint = "write a date, a time and an offset, such as 2026-05-01T18:30:00+02:00 or 2026-05-01T16:30Z"

// ParseTimestamp reads a timestamp in the service's form (service: Conventions), as [datetime.Moment.ScanTimestamp] does.
func ParseTimestamp(text string) (unixMilli int64, fault *schema.Fault) {
	var m datetime.Moment
	if !m.ScanTimestamp(text) {
		at, why := datetime.Scan(text, datetime.Unknown)
		return 0, timestampFault(text, &at, why)
	}
	return m.Instant(), nil
}

// ParseDay reads a day such as 2025-09-01.
func ParseDay(text string) *schema.Fault {
	var written [32]byte
	m, why := datetime.Scan(text, datetime.Unknown)
	switch {
	case why == datetime.NoSuchDay && len(text) == len("2025-09-01"):
		return timestampFault(text, &m, why)
	case why != datetime.OK || m.HasTime || string(m.Append(written[:0])) != text:
		return schema.CodeBadDate.Fault(Quote(text)+" is not a day", "write a day without a time, such as 2025-09-01")
	}
	return nil
}

// readTimestamp reads a cell: what means one instant and is written otherwise is
// rewritten as the service takes it, with seconds and at most three digits behind them.
func readTimestamp(text string) (string, int64, *schema.Fault) {
	m, why := datetime.Scan(text, datetime.Unknown)
	switch {
	case why != datetime.OK || !m.HasDate || !m.HasTime || !m.HasOffset:
		return "", 0, timestampFault(text, &m, why)
	case !m.Exact:
		text = string(m.AppendTimestamp(nil, m.Offset))
	}
	return text, m.Instant(), nil
}

// timestampFault words why a text is no timestamp: m is what it says of when.
func timestampFault(text string, m *datetime.Moment, why datetime.Fault) *schema.Fault {
	switch {
	case why == datetime.NoSuchDay:
		return schema.CodeBadDate.Fault(Quote(text)+" names a day that does not exist: "+datetime.NoSuch(text), timestampHint)
	case why == datetime.NoSuchTime:
		return schema.CodeBadTime.Fault(
			Quote(text)+" names a time of day that does not exist",
			"hours go from 00 to 23, minutes and seconds from 00 to 59",
		)
	case why == datetime.OK && m.HasDate && !m.HasTime:
		return schema.CodeBadTime.Fault("there is a date but no time", timestampHint)
	case why == datetime.OK && m.HasDate && !m.HasOffset:
		return schema.CodeNoZone.Fault(
			"the time has no offset from UTC",
			"add an offset ("+text+"Z, "+text+"+02:00), fill the timezone column, or give --timezone",
		)
	}
	return schema.CodeBadTime.Fault(Quote(text)+" is not a date with a time", timestampHint)
}
