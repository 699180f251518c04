package defect

import "testing"

func TestPanicIsCaughtOnce(t *testing.T) {
	if p := Caught(nil); p != nil {
		t.Error(p)
	}
	p := Caught("a")
	if again := Caught(p); again != p {
		t.Error(again)
	}
}
