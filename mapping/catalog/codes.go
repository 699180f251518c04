package catalog

import (
	"slices"
	"sync"

	"eventbatch/mapping/schema"
)

// CodeInfo explains a code to the person who meets it.
type CodeInfo struct {
	Code     schema.Code     `json:"code"`
	Severity schema.Severity `json:"severity"`
	Title    string          `json:"title"`
	Explain  string          `json:"explain"` // what it means, why it matters, what to do
	Example  string          `json:"example"` // what a file or a service shows when it happens
}

// Codes is the one table of problem codes, in the order of a row's way: file,
// row and cell, value, fields and rows together, plan and service.
var Codes = slices.Concat(fileCodes, cellCodes, valueCodes, ruleCodes, serviceCodes)

// Lookup returns what a code means.
func Lookup(code schema.Code) (CodeInfo, bool) {
	i, ok := codeIndex()[code]
	if !ok {
		return CodeInfo{}, false
	}
	return Codes[i], true
}

var codeIndex = sync.OnceValue(func() map[schema.Code]int {
	index := make(map[schema.Code]int, len(Codes))
	for i := range Codes {
		index[Codes[i].Code] = i
	}
	return index
})
