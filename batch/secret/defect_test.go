package secret

import (
	"strings"
	"testing"
	"time"
)

func TestPanicOfTheKeyringIsRaisedWhereItIsAsked(t *testing.T) {
	defer func() {
		if d, ok := recover().(*defect); !ok || d.value != "no bus" || !strings.Contains(d.Error(), "defect_test.go") {
			t.Errorf("recovered %v", d)
		}
	}()
	_, _, err := Sources{Timeout: time.Minute}.ask(t.Context(), func(string, string) (string, error) { panic("no bus") }, "a/b")
	t.Errorf("no panic, but %v", err)
}

func TestPanicWhileACommandIsReadIsKept(t *testing.T) {
	var l limited
	l.buf.Write(make([]byte, maxLength+3)) // more than it ever keeps
	if _, err := l.Write([]byte("x")); err == nil || l.defect == nil || !strings.Contains(l.defect.Error(), "out of range") {
		t.Errorf("error %v", err)
	}
}
