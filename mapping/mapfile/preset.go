package mapfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"eventbatch/mapping/catalog"
	"eventbatch/mapping/failure"
	"eventbatch/mapping/regular"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/sheet"
	"eventbatch/mapping/spelling"
	"eventbatch/mapping/yamldoc"
	"eventbatch/templates"
)

// AutoName stands for the preset that a file's header fits.
const AutoName = "auto"

// Preset is a mapping that is built in.
type Preset struct {
	Name string // as --mapping takes it
	File *File
	Text string // the mapping as it is written, with its comments
}

// Presets lists the mappings that are built in, by name. They are shared: whoever
// changes one copies it.
func Presets() []Preset {
	list := make([]Preset, len(presets()))
	for i, b := range presets() {
		list[i] = b.whole()
	}
	return list
}

// builtIn is a preset of which no more is read than is asked for: the whole of all of them takes longer than all else that
// most commands do.
type builtIn struct {
	name  string
	text  []byte
	whole func() Preset
	head  func() *File // of which only source and aliases are read: what the columns of a file are found by
}

var presets = sync.OnceValue(func() []*builtIn {
	names, err := fs.Glob(templates.Presets, "presets/*"+Ending)
	if err != nil {
		panic(err) // the pattern is a constant
	}
	list := make([]*builtIn, len(names))
	for i, name := range names {
		text, err := templates.Presets.ReadFile(name)
		if err != nil {
			panic(err) // the file is built in
		}
		b := &builtIn{name: strings.TrimSuffix(strings.TrimPrefix(name, "presets/"), Ending), text: text}
		b.whole, b.head = sync.OnceValue(b.read), sync.OnceValue(b.readHead)
		list[i] = b
	}
	return list
})

func (b *builtIn) read() Preset {
	f, err := Decode(b.text, b.name)
	if err != nil {
		panic("preset " + err.Error()) // a test decodes them all
	}
	f.preset = b.name
	return Preset{b.name, f, string(b.text)}
}

func (b *builtIn) readHead() *File {
	var head []byte
	kept := false
	for line := range bytes.Lines(b.text) {
		if !bytes.ContainsAny(line[:1], " #\n") { // a member of the mapping begins
			kept = bytes.HasPrefix(line, []byte("source:")) || bytes.HasPrefix(line, []byte("aliases:"))
		}
		if kept {
			head = append(head, line...)
		}
	}
	f := &File{}
	if err := yamldoc.Decode(head, b.name, Version, f); err != nil {
		panic("preset " + err.Error()) // a test compares it with the whole
	}
	return f
}

// FindPreset returns a preset; the error is [fs.ErrNotExist] where there is none.
func FindPreset(name string) (Preset, error) {
	for _, b := range presets() {
		if strings.EqualFold(b.name, name) {
			return b.whole(), nil
		}
	}
	return Preset{}, unknown(name)
}

// unknown returns the error of a mapping that is neither a file nor a preset, with
// the presets, the nearest first.
func unknown(name string) error {
	var names []string
	for _, b := range presets() {
		names = append(names, b.name)
	}
	advice := "the presets are " + strings.Join(names, ", ") + "; " + AutoName + " takes the one that the columns fit"
	if near := spelling.Nearest(name, append(names, AutoName)); near != "" {
		advice = "did you mean " + near + "? " + advice
	}
	return failure.New(fs.ErrNotExist, fmt.Errorf("reading mapping %s: there is no file and no preset of that name", name), advice)
}

// Load reads a mapping: a preset by its name, [Auto] by the word auto, else a
// file. A file that is called as a preset is read by a path with a folder: ./outlook.
// The error is [fs.ErrNotExist] where there is none, another of the file system, or joins a
// *[yamldoc.Error] for each mistake.
func Load(name string) (*File, error) {
	if strings.EqualFold(name, AutoName) {
		return Auto(), nil
	}
	if p, err := FindPreset(name); err == nil {
		f := *p.File
		return &f, nil
	}
	data, err := regular.Read(name, regular.MiB)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, `/\.`) {
		return nil, unknown(name)
	}
	if err != nil {
		return nil, fmt.Errorf("reading mapping: %w", err)
	}
	return Decode(data, name)
}

// Auto returns a mapping that reads each sheet by the preset that its header fits
// exactly, and a sheet that fits none by what its headers say.
func Auto() *File { return &File{Version: Version, auto: true} }

// Headers returns the set of the headers that the mapping knows, normalised: of [Auto],
// those of all presets.
func (f *File) Headers() map[string]bool {
	set := map[string]bool{}
	if f.auto {
		for _, p := range Presets() {
			maps.Copy(set, p.File.Headers())
			for _, name := range slices.Concat(p.File.Source.Headers, p.File.Source.Also) {
				set[sheet.NormalHeader(name)] = true
			}
		}
	}
	for _, name := range f.Grid.Columns {
		set[sheet.NormalHeader(name)] = true
	}
	for _, name := range f.Inputs() {
		set[sheet.NormalHeader(name)] = true
		if others, ok := f.Aliases.Get(name); ok {
			for _, other := range others {
				set[sheet.NormalHeader(other)] = true
			}
		}
	}
	return set
}

// MatchPreset finds the preset whose headers these are: all that it is made for
// are there, and no other beside those that may be; of several, the one that knows most of them. Letter case, white space,
// underscores and a byte-order mark make no difference, the order does not
// either; columns of a results file and blank headers do not count. It is not ok
// where none fits or more than one.
func MatchPreset(header []string) (name string, ok bool) {
	have := map[string]bool{}
	for _, h := range header {
		if n := sheet.NormalHeader(h); n != "" && !sheet.OwnColumn(h) {
			have[n] = true
		}
	}
	least := len(have) + 1
	for _, b := range presets() {
		switch unknown, fits := b.head().fits(have); {
		case !fits || unknown > least:
		case unknown == least:
			name, ok = "", false
		default:
			name, ok, least = b.name, true, unknown
		}
	}
	return name, ok
}

// fits reports whether normalised headers are those of the mapping's source, and counts those that it does not know.
func (f *File) fits(have map[string]bool) (unknown int, ok bool) {
	if len(f.Source.Headers) == 0 {
		return 0, false
	}
	known := 0
	has := func(name string) bool {
		found := have[sheet.NormalHeader(name)]
		if found {
			known++
		}
		if others, ok := f.Aliases.Get(name); ok {
			for _, other := range others {
				if sheet.NormalHeader(other) != sheet.NormalHeader(name) && have[sheet.NormalHeader(other)] {
					known++
					found = true
				}
			}
		}
		return found
	}
	if slices.ContainsFunc(f.Source.Headers, func(name string) bool { return !has(name) }) {
		return 0, false
	}
	for _, name := range f.Source.Also {
		has(name)
	}
	unknown = len(have) - known
	return unknown, unknown == 0 || f.Source.More
}

// NearPreset finds the preset whose headers these nearly are: most of its own are there, and
// four at least. It returns which of the preset's the file lacks, and which the preset does
// not know; no name where none is near.
func NearPreset(header []string) (name string, lacks, more []string) {
	most := 0
	normal := make([]string, len(header))
	for i, h := range header {
		normal[i] = sheet.NormalHeader(h)
	}
	for _, b := range presets() {
		lacking, unknown := b.head().compare(header, normal)
		all := len(b.head().Source.Headers)
		if found := all - len(lacking); found >= 4 && found*3 >= all*2 && found > most {
			name, lacks, more, most = b.name, lacking, unknown, found
		}
	}
	return name, lacks, more
}

// Takes reports whether a file that is nearly the mapping's is read by it all the same: it is of the resource, and lacks
// only what a file may lack. Guests without addresses are named in the balance of a migration, each by itself.
func (f *File) Takes(r *schema.Resource, lacks, more []string) bool {
	of, said := catalog.ResourceNamed(f.Resource)
	return said && of == r &&
		(len(more) == 0 || f.Source.More) && !slices.ContainsFunc(lacks, func(name string) bool { return !f.May(name) })
}

// compare returns the headers of the mapping's source that are not among those of a file, which come in their normal form
// too, and those of the file that the source does not have.
func (f *File) compare(header, normal []string) (lacks, more []string) {
	known := map[string]bool{}
	for _, name := range slices.Concat(f.Source.Headers, f.Source.Also) {
		others, _ := f.Aliases.Get(name)
		names := append(Names{name}, others...)
		found := false
		for _, n := range names {
			n = sheet.NormalHeader(n)
			known[n] = true
			found = found || slices.Contains(normal, n)
		}
		if !found && slices.Contains(f.Source.Headers, name) {
			lacks = append(lacks, name)
		}
	}
	for i, h := range header {
		if n := normal[i]; n != "" && !known[n] && !sheet.OwnColumn(h) {
			more = append(more, h)
		}
	}
	return lacks, more
}
