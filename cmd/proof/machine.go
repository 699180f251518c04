package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// machine is a kind of machine: nothing of it says which one it is.
type machine struct {
	Processors int
	CPU        string
	Memory     string
	Kernel     string
	Go         string
}

// thisMachine asks the system, and says of what it does not tell that it is unknown.
func thisMachine() machine {
	m := machine{Processors: runtime.NumCPU(), CPU: "unknown", Memory: "unknown", Kernel: runtime.GOOS, Go: runtime.Version()}
	if said := told("uname", "-sr"); said != "" {
		m.Kernel = said + " on " + runtime.GOARCH
	}
	bytes := told("sysctl", "-n", "hw.memsize") // of macOS
	if model := told("sysctl", "-n", "machdep.cpu.brand_string"); model != "" {
		m.CPU = model
	}
	if model := valueIn("/proc/cpuinfo", "model name"); model != "" {
		m.CPU = model
	}
	var size float64
	if _, err := fmt.Sscan(valueIn("/proc/meminfo", "MemTotal"), &size); err == nil {
		size *= 1 << 10
	} else {
		_, _ = fmt.Sscan(bytes, &size) // else it stays unknown
	}
	if size > 0 {
		m.Memory = fmt.Sprintf("%.0f GiB", size/(1<<30))
	}
	return m
}

// told returns what a program prints, and nothing where there is no such program.
func told(name string, args ...string) string {
	said, err := exec.Command(name, args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(said))
}

// valueIn returns what follows a name and a colon in a file of the system.
func valueIn(path, name string) string {
	text, _ := os.ReadFile(path) // another system has none
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
