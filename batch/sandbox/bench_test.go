package sandbox

import (
	"strconv"
	"testing"
)

func BenchmarkUpdate(b *testing.B) {
	for _, kind := range []string{"memory", "disk"} {
		b.Run(kind, func(b *testing.B) {
			dir := ""
			if kind == "disk" {
				dir = b.TempDir()
			}
			c := clientOf(b, newService(b, Config{Dir: dir, Limits: Limits{Calendar: -1}}))
			id := c.create("Tea", "")
			for i := 0; b.Loop(); i++ {
				c.must(`POST /v1/events/update {"event_id":"` + id + `","name":"Tea ` + strconv.Itoa(i) + `","visibility":"private"}`)
			}
		})
	}
}

func BenchmarkCreate(b *testing.B) {
	c := clientOf(b, newService(b, Config{Dir: b.TempDir(), Limits: Limits{Calendar: -1}}))
	for i := 0; b.Loop(); i++ {
		c.create("Tea", `"slug":"tea-`+strconv.Itoa(i)+`"`)
	}
}

func BenchmarkLookup(b *testing.B) {
	c := clientOf(b, newService(b, Config{Limits: Limits{Calendar: -1}}))
	c.create("Tea", `"slug":"tea"`)
	for b.Loop() {
		c.must("GET /v1/entities/lookup?slug=tea")
	}
}
