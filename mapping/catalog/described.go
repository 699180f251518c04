package catalog

import "eventbatch/mapping/schema"

// OperationNames returns the names of all operations.
func OperationNames() []string {
	names := make([]string, len(Operations))
	for i := range Operations {
		names[i] = Operations[i].Name
	}
	return names
}

// OperationInfo is one operation as a document has it.
type OperationInfo struct {
	Name       string          `json:"name"`
	Method     string          `json:"method"`
	Path       string          `json:"path"`
	LegacyPath string          `json:"legacy_path"`
	Resource   string          `json:"resource"`
	Effects    []schema.Effect `json:"effects"`
	Repeat     string          `json:"repeat"`
	Gathers    int             `json:"gathers"`
	Opposite   string          `json:"opposite"`
}

// Described returns an operation as a document has it.
func Described(o *schema.Operation) OperationInfo {
	info := OperationInfo{
		Name: o.Name, Method: o.Method, Path: o.Path, LegacyPath: o.Legacy, Effects: append([]schema.Effect{}, o.Effects...),
		Gathers: o.Most, Opposite: o.Opposite,
	}
	if o.Resource != nil {
		info.Resource = o.Resource.Name
	}
	if !o.Reads() {
		info.Repeat = o.Repeat.String()
	}
	return info
}
