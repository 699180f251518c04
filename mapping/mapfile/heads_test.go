package mapfile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"eventbatch/mapping/yamldoc"
)

// What the columns of a file are found by is of each preset what its whole says.
func TestHeadsOfPresetsAreThoseOfTheWhole(t *testing.T) {
	for _, b := range presets() {
		type head struct {
			Source  Origin
			Aliases yamldoc.Map[Names]
		}
		whole, part := b.whole().File, b.head()
		anyPlace := cmpopts.IgnoreTypes(yamldoc.Pos{})
		if d := cmp.Diff(head{whole.Source, whole.Aliases}, head{part.Source, part.Aliases}, anyPlace); d != "" {
			t.Errorf("%s (-whole +head):\n%s", b.name, d)
		}
	}
}
