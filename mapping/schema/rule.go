package schema

// Rule is what two fields of a row keep together.
type Rule struct {
	Kind RuleKind
	A, B string // paths
	Is   string // of Unless and Wants: a value of B
	Why  string // of fields that exclude each other: what is added to the message
	Code Code   // of a field that needs another, where it is not incomplete-object
	Hint string // likewise, where there is more to say than to fill it in
	But  string // of Wants: the path of a field of yes and no that lifts it
	Ours bool   // the service takes a row that breaks it, and does not do what the row says

	a, b   *Field
	broken ID // the one of the two that a row cannot break it without
}

// RuleKind says how two fields belong together.
type RuleKind uint8

// The kinds of rules.
const (
	// Exclusive fields are not both filled in.
	Exclusive RuleKind = iota
	// Needs means that A is not filled in without B.
	Needs
	// Before means that A is earlier than B where both are filled in.
	Before
	// Unless means that A is not filled in, or only with 0, where B says Is.
	Unless
	// Wants means that a record is not created without A, or with 0 in it, where B says Is.
	Wants
)
