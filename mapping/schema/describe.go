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

// Describe lists the fields that the actions' operations take, and the local columns
// that go with every one, in table order.
func (r *Resource) Describe(actions Actions) []FieldInfo {
	var infos []FieldInfo
	for _, f := range r.all {
		if f.Local || f.On&actions != 0 {
			info := f.describe()
			if f.Kind == Verb {
				info.Values = r.Verbs()
			}
			infos = append(infos, info)
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
