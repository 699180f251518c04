package install

import (
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"testing"
)

// A sync runs as whom its workspace belongs to, who may have no name.
func TestTheUserOfASyncIsTheOwnerOfItsWorkspace(t *testing.T) {
	me, err := user.Current()
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for _, folder := range []string{dir, filepath.Join(dir, "none")} {
		if got := userOf(folder); got != me.Username {
			t.Errorf("%s: %s, want %s", folder, got, me.Username)
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("only the superuser gives files away")
	}
	const nobody = 54321
	if err := os.Chown(dir, nobody, -1); err != nil {
		t.Fatal(err)
	}
	if got := userOf(dir); got != strconv.Itoa(nobody) {
		t.Errorf("the owner of the folder is %s", got)
	}
}
