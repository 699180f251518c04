package value

import (
	"net/url"
	"slices"
	"strings"
)

// meetingHosts are the parts of the names of hosts where people meet online.
var meetingHosts = []string{
	"zoom", "meet", "teams", "webex", "gotomeeting", "gotowebinar", "goto", "whereby", "jitsi", "jit", "bbb", "bigbluebutton", "bluejeans",
	"livestorm", "crowdcast", "streamyard", "hopin", "airmeet", "demio", "chime", "hangouts", "edudip",
}

// IsMeetingLink reports whether an address is one of a program for meetings, by its host.
func IsMeetingLink(address string) bool {
	u, err := url.Parse(strings.ToLower(address))
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && slices.ContainsFunc(
		strings.Split(u.Hostname(), "."), func(label string) bool { return slices.Contains(meetingHosts, label) })
}

// CutLink cuts the link to join by off a place: one that is nothing but a link which leads to no map, or the
// link of a program for meetings beside other words. The link is empty where there is none.
func CutLink(place string) (rest, link string) {
	before, _, ok := strings.Cut(place, "://")
	if !ok {
		return place, ""
	}
	from := strings.LastIndexAny(before, " \t\n,;|<(\"/") + 1
	length := strings.IndexAny(place[from:], " \t\n,;|>)\"")
	if length < 0 {
		length = len(place) - from
	}
	link = place[from : from+length]
	if scheme, _, _ := strings.Cut(strings.ToLower(link), "://"); scheme != "http" && scheme != "https" {
		return place, ""
	}
	const between = " \t\n,;|/-–—·()<>:\""
	before, behind := strings.TrimRight(place[:from], between), strings.TrimLeft(place[from+length:], between)
	switch {
	case before == "" && strings.Trim(behind, between) == "":
		if leadsToMap(link) {
			return place, ""
		}
		return "", link
	case !IsMeetingLink(link):
		return place, ""
	case before != "" && behind != "":
		before += ", "
	}
	return before + behind, link
}

// leadsToMap reports whether a link only says where a place is.
func leadsToMap(link string) bool {
	u, err := url.Parse(strings.ToLower(link))
	if err != nil {
		return false
	}
	labels := strings.FieldsFunc(u.Host+u.Path, func(r rune) bool { return r == '.' || r == '/' })
	return slices.ContainsFunc([]string{"map", "maps", "openstreetmap"}, func(word string) bool { return slices.Contains(labels, word) })
}
