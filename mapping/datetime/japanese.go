package datetime

import (
	"cmp"
	"strings"

	"eventbatch/mapping/pattern"
	"eventbatch/mapping/spelling"
)

// japanese is a date with its day of the week, a time of day, or both: 2027年9月3日（金） 午後6時30分.
var japanese = pattern.New(
	`^(?:(\d{4})年 ?(\d{1,2})月 ?(\d{1,2})日)? ?(?:\(([日月火水木金土])(?:曜日?)?\))? ?(?:(午前|午後)? ?(\d{1,2})(?:時(半)?|:)(?:(\d{1,2})分?)?)?$`,
)

// scanJapanese reads what only the words of Japanese keep from being a time.
func (m *Moment) scanJapanese(text string, order Order, where Where) Fault {
	if len(text) > 100 || !strings.ContainsAny(text, "年時午") {
		return NotATime
	}
	p := japanese().FindStringSubmatch(spelling.Narrow(strings.TrimSpace(text)))
	if p == nil {
		return NotATime
	}
	var words []string
	if p[4] != "" {
		words = append(words, weekdayNames[strings.Index("日月火水木金土", p[4])/len("日")]+",")
	}
	if p[1] != "" {
		words = append(words, p[1]+"-"+twoDigits(p[2])+"-"+twoDigits(p[3]))
	}
	if p[6] != "" {
		minute := cmp.Or(p[8], "00")
		if p[7] != "" {
			minute = "30"
		}
		words = append(words, p[6]+":"+twoDigits(minute), map[string]string{"午前": "am", "午後": "pm"}[p[5]])
	}
	return m.scanAny(strings.TrimSpace(strings.Join(words, " ")), order, where)
}

// twoDigits writes a number of one or two digits with two.
func twoDigits(number string) string { return ("0" + number)[len(number)-1:] }
