package main

import (
	"context"
	"fmt"
	"net/url"

	"eventbatch/batch/live"
	"eventbatch/batch/printable"
	"eventbatch/batch/report"
	"eventbatch/mapping"
	"eventbatch/mapping/catalog"
	"eventbatch/mapping/fix"
)

// findPlaces asks the service for the places of the addresses of a file, once for each.
func (c *fixCommand) findPlaces(ctx context.Context, config mapping.Config) (map[string]fix.Place, error) {
	addresses, err := mapping.Addresses(ctx, config)
	if err != nil || len(addresses) == 0 {
		return nil, err
	}
	conn, err := c.connect(&sendFlags{paceFlags: oneByOne, fresh: live.Fresh})
	if err != nil {
		return nil, err
	}
	defer conn.close()
	if !c.global.json {
		n := len(addresses)
		c.say("%s to %s: for the places of %s\n",
			report.Count(n, "request"), printable.Clean(conn.BaseURL()), report.Count(n, "address"))
	}
	found := map[string]fix.Place{}
	for _, address := range addresses {
		body, err := live.Answer(ctx, conn.Service, catalog.OperationNamed("places/search"), url.Values{"query": {address}})
		if err != nil {
			return nil, fmt.Errorf("searching for %q: %w", address, err)
		}
		place := fix.PlaceOf(address, body)
		if found[address] = place; place.ID != "" && !c.global.json {
			c.say("  %s: %s\n", printable.Clean(address), printable.Clean(place.Why))
		}
	}
	return found, nil
}
