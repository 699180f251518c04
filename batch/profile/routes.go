package profile

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/spelling"
	"eventbatch/mapping/yamldoc"
)

// Routes say by which path each operation is called, and which are not called at all.
type Routes struct {
	Legacy bool // the older paths, where an operation has one
	// By has the paths of single operations, by their names; empty of one that is switched off.
	By map[string]string
}

// Of returns the path of an operation. An error says that it is switched off.
func (r *Routes) Of(op *schema.Operation) (string, error) {
	path, said := r.By[op.Name]
	switch {
	case said && path == "":
		return "", failure.New(
			failure.Config, fmt.Errorf("the profile switches %s off", op.Name), "take it out of the operations of the profile",
		)
	case said:
		return path, nil
	case r.Legacy && op.Legacy != "":
		return op.Legacy, nil
	}
	return op.Path, nil
}

type (
	generation string // of paths
	route      string // of one operation: off, legacy, or a path
)

// The words for routes.
const (
	off    = "off"
	legacy = "legacy"
)

func (g *generation) UnmarshalText(text []byte) error { return oneOf(g, text, "current", legacy) }

func (r *route) UnmarshalText(text []byte) error {
	word := string(text)
	if word != off && word != legacy && (!strings.HasPrefix(word, "/") || !plain(word) || strings.ContainsAny(word, "?#%") ||
		strings.Contains(word, "//") || strings.Contains(word, "/.")) {
		return errors.New("it is no path; write off, legacy, or a path such as /v1/events/create")
	}
	*r = route(word)
	return nil
}

// routes returns what is written of paths. The operations are known.
func (d *described) routes() Routes {
	r := Routes{Legacy: d.Paths == legacy}
	for _, item := range d.Operations {
		if r.By == nil {
			r.By = map[string]string{}
		}
		path := string(item.Value)
		switch path {
		case off:
			path = ""
		case legacy:
			path = catalog.OperationNamed(item.Key).Legacy
		}
		r.By[item.Key] = path
	}
	return r
}

// checkRoutes finds operations that there are not.
func (d *described) checkRoutes(path string, fail func(pos yamldoc.Pos, path, message, hint string)) {
	for _, item := range d.Operations {
		op, at := catalog.OperationNamed(item.Key), path+".operations."+item.Key
		switch {
		case op == nil:
			var names []string
			for i := range catalog.Operations {
				names = append(names, catalog.Operations[i].Name)
			}
			hint := cmp.Or(spelling.DidYouMean(item.Key, names), "eventbatch operations lists all")
			fail(item.Pos, at, "there is no such operation", hint)
		case item.Value == legacy && op.Legacy == "":
			fail(item.Pos, at, "the operation has no older path", "")
		case item.Value == "":
			fail(item.Pos, at, "nothing says what is to be done with it", "write off, legacy, or a path")
		}
	}
}
