package journal

import (
	"errors"
	"slices"
	"testing"
)

// The header of a run is read once, however many of its shares a process carries.
func TestHeadersAreReadOnce(t *testing.T) {
	damaged := errors.New("damaged")
	var asked []string
	read := func(ids []string) (map[string]readHeader, error) {
		found := map[string]readHeader{}
		for _, id := range ids {
			switch asked = append(asked, id); id {
			case "gone":
			case "damaged":
				found[id] = readHeader{err: damaged}
			case "large":
				found[id] = readHeader{sealedHeader: &sealedHeader{}, line: make([]byte, headersKept)}
			default:
				found[id] = readHeader{sealedHeader: &sealedHeader{}, line: []byte(id)}
			}
		}
		return found, nil
	}
	var c headerCache
	for _, step := range []struct{ ids, asks []string }{
		{[]string{"a", "b"}, []string{"a", "b"}},
		{[]string{"b", "c", "a"}, []string{"c"}},
		{[]string{"gone", "damaged", "c"}, []string{"gone", "damaged"}},
		{[]string{"gone", "damaged"}, []string{"gone", "damaged"}},
		{[]string{"large", "a"}, []string{"large"}}, // and all others are left out for it
		{[]string{"large", "a"}, []string{"a"}},
	} {
		asked = nil
		found, err := c.of(step.ids, read)
		if err != nil || !slices.Equal(asked, step.asks) {
			t.Errorf("%v: asked for %v, want %v: %v", step.ids, asked, step.asks, err)
		}
		for _, id := range step.ids {
			one, there := found[id]
			if there != (id != "gone") || there && (one.sealedHeader == nil) != (id == "damaged") {
				t.Errorf("%v: %s is %v", step.ids, id, one)
			}
		}
	}
	broken := errors.New("away")
	if _, err := c.of([]string{"d"}, func([]string) (map[string]readHeader, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
}
