package desk

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// An edit has the whole file read at once, so that all counts are right soon; those that come meanwhile wait for one another.
func TestTheWholeFileIsReadAtOnceBehindASingleEdit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin, begun := time.Now(), []time.Duration(nil)
		d := &reading{ctx: t.Context(), Config: Config{Mapping: Mapping{Read: func(ctx context.Context, _ string) (*Session, error) {
			begun = append(begun, time.Since(begin))
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
			}
			return nil, errors.New("nothing is there to be read")
		}}}}
		for _, at := range []time.Duration{0, 30, 60, 1000, 1200} {
			time.Sleep(at*time.Millisecond - time.Since(begin))
			d.readBehind()
			synctest.Wait()
		}
		d.behinds.Wait()
		if want := []time.Duration{0, 60*time.Millisecond + together, time.Second, 1200 * time.Millisecond}; !slices.Equal(begun, want) {
			t.Errorf("the file is read at %v, want %v", begun, want)
		}
	})
}
