package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

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
		c.say("%s to %s: for the places of %s\n", report.Count(n, "request"), printable.Clean(conn.BaseURL()), addressesOf(n))
	}
	found := map[string]fix.Place{}
	for _, address := range addresses {
		body, err := live.Answer(ctx, conn.Service, catalog.OperationNamed("places/search"), url.Values{"query": {address}})
		if err != nil {
			return nil, fmt.Errorf("searching for %q: %w", address, err)
		}
		place := placeOf(address, body)
		if found[address] = place; place.ID != "" && !c.global.json {
			c.say("  %s: %s\n", printable.Clean(address), printable.Clean(place.Why))
		}
	}
	return found, nil
}

func addressesOf(n int) string {
	if n == 1 {
		return "1 address"
	}
	return report.Number(n) + " addresses"
}

// placeOf returns the place that an address means: the only one that was found, or the only one
// that is called so.
func placeOf(address string, body json.RawMessage) fix.Place {
	type place struct {
		ID      string `json:"place_id"`
		Name    string `json:"name"`
		Address string `json:"address"`
		Full    string `json:"full_address"`
	}
	var answer struct{ Entries []place }
	_ = json.Unmarshal(body, &answer) // what cannot be read has found nothing
	var all, alike []place
	for _, p := range answer.Entries {
		if p.ID == "" {
			continue
		}
		all = append(all, p)
		for _, name := range []string{p.Full, p.Address, p.Name} {
			if strings.EqualFold(name, address) {
				alike = append(alike, p)
				break
			}
		}
	}
	names := make([]string, 0, len(all))
	for _, p := range all {
		names = append(names, cmp.Or(p.Full, p.Address, p.Name, "a place without a name")+" ("+p.ID+")")
	}
	switch {
	case len(alike) == 1:
		return fix.Place{ID: alike[0].ID, Why: names[slices.Index(all, alike[0])]}
	case len(all) == 1:
		return fix.Place{ID: all[0].ID, Why: names[0]}
	case len(all) == 0:
		return fix.Place{Why: "no place was found"}
	}
	return fix.Place{Why: "several places may be meant: " + strings.Join(names, "; ")}
}
