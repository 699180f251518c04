package profile

import "eventbatch/batch/secret"

// variables returns the names of the variables in which the file has secrets.
func (f *file) variables() []string {
	var names []string
	for _, ref := range f.references() {
		if ref.Scheme == "env" {
			names = append(names, ref.Value)
		}
	}
	return names
}

// references returns all references of the file.
func (f *file) references() []secret.Ref {
	var refs []secret.Ref
	for _, p := range f.Profiles {
		if p.Value == nil {
			continue
		}
		refs = append(refs, p.Value.Store.From)
		for _, k := range p.Value.Keys {
			refs = append(refs, k.From)
		}
	}
	for _, s := range f.Syncs {
		if s.Value == nil {
			continue
		}
		refs = append(refs, s.Value.File.from, s.Value.Heartbeat)
		for _, h := range s.Value.Headers {
			refs = append(refs, h.Value)
		}
		if s.Value.Notify == nil {
			continue
		}
		for _, to := range s.Value.Notify.To {
			refs = append(refs, to.Webhook)
		}
	}
	if f.Mail != nil {
		refs = append(refs, f.Mail.User, f.Mail.Password)
	}
	return refs
}
