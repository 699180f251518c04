package schema_test

import (
	"fmt"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

func ExampleAppendBody() {
	var d schema.Draft
	d.Reset(catalog.Events, schema.Place{Row: 2, Column: -1})
	for path, text := range map[string]string{"name": "Tea", "address": "1 High Street", "event_api_id": "evt-1"} {
		field, _ := catalog.Events.ByPath(path)
		var s schema.Setting
		if fault := value.Parse(field, &s, text); fault != nil {
			fmt.Println(fault)
			return
		}
		d.Put(s)
	}
	body, err := schema.AppendBody(nil, &d, catalog.Events.Operation(schema.Update, false))
	fmt.Println(string(body), err)
	// Output:
	// {"event_id":"evt-1","name":"Tea","geo_address_json":{"type":"manual","address":"1 High Street"}} <nil>
}
