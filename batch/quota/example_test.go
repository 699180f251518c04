package quota_test

import (
	"context"
	"fmt"
	"time"

	"eventbatch/batch/quota"
)

func Example() {
	s, err := quota.New(quota.Config{Window: time.Minute})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	lane := s.Lane(quota.LaneConfig{Owners: []quota.Owner{
		{Kind: "calendar", ID: "cal-1", Limit: 200},
		{Kind: "organization", ID: "org-1", Limit: 500},
	}})
	slot, err := lane.Take(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	// Here the request is sent, and its answer read to the end.
	slot.Done(quota.Seen{Limit: -1, Remaining: 180})
	for _, u := range s.Usage() {
		fmt.Println(u.Owner.Kind, u.Left, "of", u.Limit)
	}
	// Output:
	// calendar 199 of 200
	// organization 180 of 500
}

func ExampleForecast() {
	calendar := quota.Owner{Kind: "calendar", ID: "cal-1", Limit: 200}
	lanes := []quota.LaneForecast{{Owners: []quota.Owner{calendar}, Requests: 2000}}
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	finish := quota.Forecast(lanes, now, time.Minute, 50, nil)
	fmt.Println(finish.Sub(now).Round(time.Second))
	// Output: 9m5s
}
