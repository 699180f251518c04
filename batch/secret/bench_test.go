package secret

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkHolds looks for the keys of many calendars in an answer: how many there are does not
// matter.
func BenchmarkHolds(b *testing.B) {
	text := []byte(`{"entries":[` + strings.Repeat(`{"id":"evt-1","name":"An evening at the old mill"},`, 40) + `{}]}`)
	for _, n := range []int{1, 100, 2000} {
		b.Run(fmt.Sprint("keys=", n), func(b *testing.B) {
			var keys []string
			for i := range n {
				keys = append(keys, fmt.Sprintf("%s-%d", censored, i))
			}
			c := censorOf(b, keys...)
			for b.Loop() {
				if c.Holds(text) {
					b.Fatal("there is none in it")
				}
			}
		})
	}
}
