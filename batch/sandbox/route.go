package sandbox

import (
	"net/http"
	"strings"
)

// route is one operation under one of its paths.
type route struct {
	path    string // the new path, also where the old one was called
	method  string
	scoped  bool // an organization has to select a calendar
	legacy  bool // called by its old path: nested answers with deprecated fields
	perform func(*Service, *call) answer
}

// operations lists what the service does, with the old path of each (service:
// Other operations named).
var operations = []struct {
	route
	old string
}{
	{route{path: "/v1/events/create", method: http.MethodPost, scoped: true, perform: (*Service).create}, "/v1/event/create"},
	{route{path: "/v1/events/update", method: http.MethodPost, perform: (*Service).update}, "/v1/event/update"},
	{route{path: "/v1/events/get", method: http.MethodGet, perform: (*Service).get}, "/v1/event/get"},
	{route{path: "/v1/events/cancel/request", method: http.MethodPost, perform: (*Service).requestCancel}, "/v1/event/cancel/request"},
	{route{path: "/v1/events/cancel", method: http.MethodPost, perform: (*Service).cancel}, "/v1/event/cancel"},
	{route{path: "/v1/calendars/events/list", method: http.MethodGet, scoped: true, perform: (*Service).list}, "/v1/calendar/list-events"},
	{route{path: "/v1/calendars/get", method: http.MethodGet, scoped: true, perform: (*Service).calendar}, "/v1/calendar/get"},
	{route{path: "/v1/entities/lookup", method: http.MethodGet, perform: (*Service).lookup}, "/v1/entity/lookup"},
	{route{path: "/v1/users/get-self", method: http.MethodGet, perform: (*Service).self}, "/v1/user/get-self"},
	{route{path: "/v1/images/create-upload-url", method: http.MethodPost, perform: (*Service).createUpload}, ""},
}

var routes = func() map[string]route {
	byPath := make(map[string]route, 2*len(operations))
	for _, o := range operations {
		byPath[o.path] = o.route
		if o.old != "" {
			o.legacy = true
			byPath[o.old] = o.route
		}
	}
	return byPath
}()

// split takes off what a base URL has before the version.
func split(path string) (prefix, rest string) {
	for _, version := range []string{"/v1/", uploadPath} {
		if at := strings.Index(path, version); at >= 0 {
			return path[:at], path[at:]
		}
	}
	return "", path
}
