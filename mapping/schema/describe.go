package schema

// FieldInfo is one field as the fields command prints it.
type FieldInfo struct {
	Path       string   `json:"path"`
	Kind       string   `json:"kind"`
	Operations []string `json:"operations"` // that take it; empty for what is never sent
	Required   []string `json:"required"`   // operations that cannot do without it
	Nullable   bool     `json:"nullable"`   // <clear> is allowed
	Empty      bool     `json:"empty"`      // <empty> is allowed
	Local      bool     `json:"local"`      // steers this tool, is never sent
	Object     string   `json:"object,omitempty"`
	Deprecated bool     `json:"deprecated"`
	Instead    string   `json:"instead,omitempty"`
	Values     []string `json:"values,omitempty"`
	Rule       string   `json:"rule,omitempty"`
	Default    string   `json:"default,omitempty"`
	Example    string   `json:"example,omitempty"`
	Doc        string   `json:"doc"`
	Section    string   `json:"section,omitempty"`
}

// Describe lists the fields that the operation takes, and the local columns that
// go with every operation, in table order. OnBoth lists every field there is.
func Describe(op Operation) []FieldInfo {
	var infos []FieldInfo
	for i := range Fields {
		if f := &Fields[i]; f.Local || f.On&op != 0 {
			infos = append(infos, f.describe())
		}
	}
	return infos
}

func (f *Field) describe() FieldInfo {
	info := FieldInfo{
		Path: f.Path, Kind: f.Kind.String(), Operations: f.On.Names(), Required: f.Required.Names(),
		Nullable: f.Nullable, Empty: f.Empty, Local: f.Local, Deprecated: f.Deprecated, Values: f.Values,
		Rule: f.Rule, Default: f.Default, Example: f.Example, Doc: f.Doc, Section: f.Section,
	}
	if whole, ok := f.Object(); ok {
		info.Object = whole.Path
	}
	if f.Canonical() != f {
		info.Instead = f.Canonical().Path
	}
	return info
}

// Names lists the words of the set, empty and not nil for none.
func (o Operation) Names() []string {
	names := []string{}
	if o&OnCreate != 0 {
		names = append(names, OnCreate.String())
	}
	if o&OnUpdate != 0 {
		names = append(names, OnUpdate.String())
	}
	return names
}
