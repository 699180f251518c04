package schema

import "strings"

// Member is one field of an object inside a JSON cell.
type Member struct {
	Name     string
	Kind     Kind
	Required bool
	Nullable bool
	Values   []string // of an Enum
	Most     int      // items of an Array of texts; 0 for no limit
	Blank    bool     // a text may be empty
	Record   *Record  // of an Object
}

// Record is the shape of an object: the members of every variant, and those of
// the variant that the member By chooses. A record without By has one variant.
type Record struct {
	Name     string
	Members  []Member
	By       string
	Variants []Variant
	Why      string // two variants exclude each other: what is added to the message
}

// Variant is one form of a record.
type Variant struct {
	Value   string // of the member By
	Members []Member
}

// variant returns the variant of that value of the member By, or nil.
func (r *Record) variant(value string) *Variant {
	for i := range r.Variants {
		if r.Variants[i].Value == value {
			return &r.Variants[i]
		}
	}
	return nil
}

// needs returns how many members the variant cannot do without.
func (v *Variant) needs() (n int) {
	for i := range v.Members {
		if v.Members[i].Required {
			n++
		}
	}
	return n
}

// noun takes the article off the name of a record.
func noun(name string) string {
	_, n, _ := strings.Cut(name, " ")
	return n
}
