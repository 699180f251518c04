package value_test

import (
	"fmt"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

func ExampleParse() {
	visibility, _ := catalog.Events.ByPath("visibility")
	var s schema.Setting
	fmt.Println(value.Parse(visibility, &s, "Members Only"), s.Text)
	fault := value.Parse(visibility, &s, "privat")
	fmt.Println(fault.Code, "|", fault.Message, "|", fault.Hint)
	// Output:
	// <nil> members-only
	// bad-enum | "privat" is not one of the allowed values | did you mean private?
}
