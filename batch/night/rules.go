package night

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Rules are what decides, besides the feed, what its rows say.
type Rules struct {
	Mapping []byte   // as its file has it; nil without one
	Key     []string // columns
	Set     []string // values for every row
	Reading []string // what else is said of how the feed is read
}

// Hashes returns the hashes of the rules, each under its word.
func (r *Rules) Hashes() map[string]string {
	return map[string]string{
		"the mapping": Hash(string(r.Mapping)), "the key column": Hash(strings.Join(r.Key, " ")), "the values set": Hash(r.Set...),
		"the reading": Hash(r.Reading...),
	}
}

// ColumnsRule is the word of the rule that the columns of a feed are: where nothing else does, they say
// which cell feeds which field.
const ColumnsRule = "the columns"

// Hash returns the hash of a list.
func Hash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// hashOf returns the hash of a list, which is empty where the list is.
func hashOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return Hash(list...)
}

// Leave notes the columns that nothing takes, and reports whether they are others than on the night before.
func (m *Memory) Leave(columns []string) (news bool) {
	was := m.LeftBehind
	m.LeftBehind = hashOf(columns)
	return m.LeftBehind != was
}

// Miss notes the keys whose events stay although they are gone, and reports whether there are any, and others than
// on the night before.
func (m *Memory) Miss(keys []string) (news bool) {
	was := m.Missing
	m.Missing = hashOf(slices.Sorted(slices.Values(keys)))
	return m.Missing != "" && m.Missing != was
}
