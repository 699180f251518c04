package secret

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sourcegraph/conc/panics"
	"github.com/zalando/go-keyring"
)

// keyring asks the system's own store: Keychain, Credential Manager, or the
// Secret Service of a desktop.
func (s Sources) keyring(ctx context.Context, entry string) (value, hint string, err error) {
	return s.ask(ctx, keyring.Get, entry)
}

func (s Sources) ask(ctx context.Context, get func(service, user string) (string, error), entry string) (value, hint string, err error) {
	service, user, _ := strings.Cut(entry, "/")
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	type answer struct {
		value  string
		err    error
		defect *panics.Recovered
	}
	// The store takes no context and may wait for a person to unlock it, so this
	// one goroutine can outlive the call; it ends when the store answers.
	answers := make(chan answer, 1)
	go func() {
		var a answer
		a.defect = panics.Try(func() { a.value, a.err = get(service, user) })
		answers <- a
	}()
	select {
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return "", "", fmt.Errorf("the keyring gave no answer within %s", s.Timeout)
		}
		return "", "", ctx.Err()
	case a := <-answers:
		switch {
		case a.defect != nil:
			panic(a.defect)
		case errors.Is(a.err, keyring.ErrNotFound):
			return "", "store the key under this service and user first", errors.New("the keyring has no such entry")
		case a.err != nil:
			return "", "use a key file or a key command where there is no keyring", fmt.Errorf("asking the keyring: %w", a.err)
		}
		return trimNewline(a.value), "", nil
	}
}
