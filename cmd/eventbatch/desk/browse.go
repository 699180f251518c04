package desk

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// Browse opens an address in the person's browser, and reports whether there is one to be started.
func Browse(vars map[string]string, address string) bool {
	words := []string{"xdg-open"}
	switch browser := vars["BROWSER"]; {
	case browser != "":
		words = strings.Fields(browser)
	case runtime.GOOS == "darwin":
		words = []string{"open"}
	case runtime.GOOS == "windows":
		words = []string{"rundll32", "url.dll,FileProtocolHandler"}
	case vars["DISPLAY"] == "" && vars["WAYLAND_DISPLAY"] == "":
		return false
	}
	cmd := exec.Command(words[0], append(words[1:], address)...)
	cmd.Env = os.Environ()
	if cmd.Start() != nil {
		return false
	}
	go func() { _ = cmd.Wait() }() // it may be the browser itself, which stays
	return true
}
