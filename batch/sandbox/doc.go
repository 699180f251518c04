// Package sandbox is the service in miniature, for trying things without it.
package sandbox
