//go:build unix

package journal

import "syscall"

// setUmask lets the modes show that the code asks for.
func setUmask(mask int) int { return syscall.Umask(mask) }
