package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// What a check was told of a file holds for the map that it offers.
func TestMapIsOfferedWithTheFlagsOfReading(t *testing.T) {
	var reading readingFlags
	var want mapOptions
	of, ofMap := pflag.NewFlagSet("check", pflag.ContinueOnError), pflag.NewFlagSet("map", pflag.ContinueOnError)
	reading.register(of)
	want.register(ofMap)
	for _, name := range mapFlags {
		value := map[string]string{"header-row": "2", "format": "csv", "encoding": "utf-8", "date-order": "dmy", "resource": "guests"}[name]
		if value == "" {
			value = "x"
		}
		for _, f := range []*pflag.FlagSet{of, ofMap} {
			if err := f.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	if diff := cmp.Diff(want, mapOptionsOf(&reading), cmp.AllowUnexported(mapOptions{})); diff != "" {
		t.Error(diff)
	}
}
