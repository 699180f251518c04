//go:build unix

package profile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The command of a configuration that was found, not named, is run only where nobody
// else can have written it.
func TestCommandOfAConfigurationThatOthersMayWrite(t *testing.T) {
	const text = "profiles:\n  p:\n    base_url: https://api.example.com\n    keys: [{kind: calendar, calendar: c, from: 'cmd:touch " +
		"ran'}]\n"
	tests := []struct {
		name, want string
		change     func(folder, file string) error
	}{
		{"nobody else", "", func(string, string) error { return nil }},
		{"group file", "others may write the file", func(_, file string) error { return os.Chmod(file, 0o620) }},
		{"world file", "others may write the file", func(_, file string) error { return os.Chmod(file, 0o602) }},
		{"group folder", "others may write the folder", func(folder, _ string) error { return os.Chmod(folder, 0o770) }},
		{"sticky folder", "", func(folder, _ string) error { return os.Chmod(folder, 0o777|os.ModeSticky) }},
		{"other owner", "belongs to somebody else", func(_, file string) error {
			if os.Geteuid() != 0 {
				t.Skip("only the superuser gives files away")
			}
			return os.Chown(file, 12345, -1)
		}},
		{"link to a file of others", "others may write the file", func(_, file string) error {
			other := file + ".other"
			if err := os.Rename(file, other); err != nil {
				return err
			}
			if err := os.Chmod(other, 0o666); err != nil {
				return err
			}
			return os.Symlink(other, file)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env := world(t, map[string]string{"eventbatch.yaml": text}, nil)
			file := filepath.Join(env.Dir, "eventbatch.yaml")
			if err := tt.change(env.Dir, file); err != nil {
				t.Fatal(err)
			}
			conn, err := Load(Flags{}, env)
			if err != nil {
				t.Fatal(err)
			}
			switch err := conn.Ready(); {
			case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want %q", err, tt.want)
			case err != nil && !strings.HasPrefix(err.Error(), "eventbatch.yaml:4: the command"):
				t.Errorf("%v does not name the line", err)
			}
			named, err := Load(Flags{Config: "eventbatch.yaml"}, env)
			if err != nil || named.Ready() != nil {
				t.Errorf("a file that is named: %v", err)
			}
		})
	}
}
