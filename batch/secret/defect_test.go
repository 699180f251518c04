package secret

import (
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/conc/panics"
)

func TestPanicOfTheKeyringIsRaisedWhereItIsAsked(t *testing.T) {
	defer func() {
		if d, ok := recover().(*panics.Recovered); !ok || d.Value != "no bus" || !strings.Contains(string(d.Stack), "defect_test.go") {
			t.Errorf("recovered %v", d)
		}
	}()
	_, _, err := Sources{Timeout: time.Minute}.ask(t.Context(), func(string, string) (string, error) { panic("no bus") }, "a/b")
	t.Errorf("no panic, but %v", err)
}

func TestPanicWhileACommandIsReadIsKept(t *testing.T) {
	var l limited
	l.buf.Write(make([]byte, maxLength+3)) // more than it ever keeps
	_, err := l.Write([]byte("x"))
	if caught := l.caught.Recovered(); caught == nil || !strings.Contains(caught.String(), "out of range") {
		t.Errorf("caught %v, error %v", caught, err)
	}
}
