package schema_test

import (
	"fmt"

	"eventbatch/mapping/schema"
)

func ExampleField_Parse() {
	visibility, _ := schema.Events.ByPath("visibility")
	var s schema.Setting
	fmt.Println(visibility.Parse(&s, "Members Only"), s.Text)
	fault := visibility.Parse(&s, "privat")
	fmt.Println(fault.Code, "|", fault.Message, "|", fault.Hint)
	// Output:
	// <nil> members-only
	// bad-enum | "privat" is not one of the allowed values | did you mean private?
}
