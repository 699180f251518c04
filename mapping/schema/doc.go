// Package schema holds the service's words as tables.
package schema
