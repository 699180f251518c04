package source

import "testing"

// The copy of a file, and no other, is the source that the file is.
func TestAMendedCopyIsItsFile(t *testing.T) {
	for _, file := range []string{"/a/b.csv", "/a/b", "/a/b.c.xlsx", "/a.mended/b.csv", "b.csv"} {
		if copied := MendedCopy(file); Files([]string{copied}, nil) != Files([]string{file}, nil) {
			t.Errorf("%s and its copy %s are two sources", file, copied)
		}
	}
	for _, file := range []string{
		"/a/mended.csv", "/a/.mended.csv", "/a/b.mended.csv/c.csv", "/a/b mended.csv", "https://example.com/b.mended.csv",
	} {
		if known := Files([]string{file}, nil); known != file {
			t.Errorf("%s is known by %s", file, known)
		}
	}
}
