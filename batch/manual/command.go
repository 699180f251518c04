package manual

import (
	"fmt"
	"slices"
	"strings"
)

// Program is the commands with all that is told of them: by help, by pages of the manual, and by the list of commands.
type Program struct {
	Name    string
	Version string
	Forms   []string // in which it is called
	Groups  []Group
	Flags   []Flag // that every command takes
	Exits   []Exit
}

// Group is a part of the list of commands.
type Group struct {
	Title    string
	Commands []Command // each has those below it
}

// FlagGroups are the parts of a long list of flags, by their names. Those before the bar are used often: a help that has many
// flags shows these alone, unless it is asked for all.
var FlagGroups = []struct{ Title, Flags string }{
	{
		Title: "What is read",
		Flags: "mapping resource sheet timezone set | date-order operation rows limit join feed format encoding delimiter " +
			"header-row rows-at overlap recur-until covers-from covers-from-web body",
	},
	{
		Title: "What is compared",
		Flags: "compare on-conflict | decisions first slug source missing rename take-over rebind fresh forget-missing checksum",
	},
	{
		Title: "What may happen",
		Flags: "allow yes dry-run skip-invalid | accept replace-default keep-created adopt not-created fields " +
			"max-create max-update max-cancel max-mail min-rows",
	},
	{
		Title: "What is shown",
		Flags: "report output | results title logo for watch json quiet verbose log-format no-color no-progress detailed-exitcode",
	},
	{Title: "Limits", Flags: "| max-errors max-duration pace quota-share concurrency detach"},
	{
		Title: "Connection",
		Flags: "profile calendar sandbox key-file store workspace | config base-url key-kind key-command ca-file bad-day",
	},
}

// Command is what there is to know of a command before it is called.
type Command struct {
	Name      string     `json:"name"`  // behind the program's, such as runs prune
	Group     string     `json:"group"` // of the help
	About     string     `json:"about"`
	Usage     string     `json:"usage"`
	Arguments []Argument `json:"arguments"`
	Flags     []Flag     `json:"flags"`   // of its own
	Reaches   []string   `json:"reaches"` // effects that it may have on people and money, where there is leave
	Leave     string     `json:"leave"`   // what gives it; empty of a command that reaches nobody
	Repeat    Repeat     `json:"repeat"`
	Exits     []int      `json:"exits"`     // codes that it may end with
	Documents []string   `json:"documents"` // that --json prints, as schema names them; none where it refuses --json

	Below []Command `json:"-"`
}

// Argument is a word behind a command.
type Argument struct {
	Name     string   `json:"name"`
	Optional bool     `json:"optional"`
	Repeated bool     `json:"repeated"` // several may follow
	Words    []string `json:"words"`    // those that are known; none where it is free
}

// Flag is a flag.
type Flag struct {
	Name      string   `json:"name"`
	Shorthand string   `json:"shorthand,omitempty"`
	Variable  string   `json:"variable"` // of the environment, which says the same
	Type      string   `json:"type"`     // string, boolean, integer, number, duration or age
	Value     string   `json:"value"`    // what help calls it
	Default   string   `json:"default"`  // empty where nothing is said, or about says it
	Repeated  bool     `json:"repeated"` // it may be given several times
	List      bool     `json:"list"`     // its value may be several, with commas between them
	Words     []string `json:"words"`    // those that are known; none where it is free
	About     string   `json:"about"`
}

// Repeat says what a second call of the same command does.
type Repeat struct {
	Safe bool   `json:"safe"`
	Kind string `json:"kind"` // read-only, idempotent, resumable, exactly-once or by-operation
	Why  string `json:"why"`
}

// Exit is an exit code.
type Exit struct {
	Code    int    `json:"code"`
	Reason  string `json:"reason"`
	Meaning string `json:"meaning"`
	Next    string `json:"next"` // what a program does then
}

// ArgumentsOf returns the words behind a command, as its help names them: the first is one of those that are known, if any are.
// One that not every way to call it has can be left out.
func ArgumentsOf(usage string, known []string) []Argument {
	list := []Argument{}
	ways := strings.Split(usage, " | ")
	for _, way := range ways {
		words := strings.Fields(way)[1:]
		for i, word := range words {
			if strings.HasPrefix(word, "-") {
				break // what follows are flags
			}
			name := strings.NewReplacer("…", "", "[", "", "]", "").Replace(word)
			argument := Argument{
				Name: name, Optional: strings.HasPrefix(word, "[") || len(ways) > 1, Repeated: strings.Contains(word, "…"),
				Words: []string{},
			}
			for choice := range strings.SplitSeq(name, "|") {
				if choice == strings.ToLower(choice) {
					argument.Words = append(argument.Words, choice)
				}
			}
			if i == 0 && len(known) > 0 {
				argument.Words = slices.Clone(known)
			}
			list = append(list, argument)
		}
	}
	return list
}

// All returns a command and all below it.
func (c *Command) All() []*Command {
	all := []*Command{c}
	for i := range c.Below {
		all = append(all, c.Below[i].All()...)
	}
	return all
}

// forms returns the forms in which a command is called.
func (p *Program) forms(c *Command) []string {
	if c.Below == nil {
		return []string{c.Usage}
	}
	return []string{c.Usage, p.Name + " " + c.Name + " COMMAND"}
}

// Overview returns how the program is called, and what its commands and topics are for.
func (p *Program) Overview() []Block {
	page, _ := commandText(p.Name)
	blocks := append(page.Blocks, Headed(2, "Usage"), Code{Lines: strings.Join(p.Forms, "\n")})
	for _, g := range p.Groups {
		blocks = append(blocks, Headed(2, g.Title), terms(g.Commands, Command.word))
	}
	return append(blocks,
		Headed(2, "Topics, by eventbatch help TOPIC"), topicTerms(func(name string) string { return name }),
		Paragraph{Text: Words("How a command is called: " + p.Name + " COMMAND --help")},
	)
}

// Help returns how a command is called, what is below it, and its flags: the whole of them, or the first.
func (p *Program) Help(c *Command, whole bool) []Block {
	page, examples := commandText(c.Name)
	blocks := append(page.Blocks, Headed(2, "Usage"), Code{Lines: strings.Join(p.forms(c), "\n")})
	if examples != nil {
		blocks = append(append(blocks, Headed(2, "Examples")), examples...)
	}
	if c.Below != nil {
		blocks = append(blocks, Headed(2, "Commands"), terms(c.Below, Command.word))
	}
	flags := p.grouped(c.Flags, whole, 2)
	shown := 0
	for _, block := range flags {
		if terms, ok := block.(Terms); ok {
			shown += len(terms)
		}
	}
	blocks = append(blocks, flags...)
	if more := len(c.Flags) - shown; more > 0 {
		blocks = append(blocks, Paragraph{Text: Words(fmt.Sprintf("%d more flags: %s %s --help --all", more, p.Name, c.Name))})
	}
	return append(blocks, Paragraph{Text: Words("Flags of every command: " + p.Name + " help flags")})
}

// Page returns the manual page of a command.
func (p *Program) Page(c *Command) *Page {
	page, examples := described(c.Name, p.forms(c))
	if c.Below != nil {
		page.add("Commands", terms(c.Below, Command.page))
	}
	if flags := p.grouped(c.Flags, true, 3); flags != nil {
		page.add("Options", flags...)
	}
	if examples != nil {
		page.add("Examples", examples...)
	}
	return page
}

// Front returns the manual page of the program itself.
func (p *Program) Front() *Page {
	page, _ := described(p.Name, p.Forms)
	page.add("Commands")
	for _, g := range p.Groups {
		page.Blocks = append(page.Blocks, Headed(3, g.Title), terms(g.Commands, Command.page))
	}
	page.add("Topics", topicTerms(func(name string) string { return "eventbatch-" + name + "(7)" }))
	page.add("Options", p.Topic("flags").Blocks...)
	var codes Terms
	for _, exit := range p.Exits {
		codes = append(codes, Term{Word: fmt.Sprintf("%d %s", exit.Code, exit.Reason), About: Words(exit.Meaning)})
	}
	page.add("Exit status", codes)
	return page
}

// Topic returns a page that belongs to no command; that of flags has those of every command.
func (p *Program) Topic(name string) *Page {
	page := written(topicFile(name), name)
	if name == "flags" {
		page.Blocks = append(page.Blocks, p.grouped(p.Flags, true, 2)...)
	}
	return page
}

// Parts returns all pages: those of topics first, which a person reads, then those of commands.
func (p *Program) Parts() []Part {
	topics := Part{Title: "Topics"}
	for _, name := range Topics {
		topics.Pages = append(topics.Pages, p.Topic(name))
	}
	parts := []Part{topics, {Title: "Commands", Pages: []*Page{p.Front()}}}
	for _, g := range p.Groups {
		part := Part{Title: "Commands: " + g.Title}
		for i := range g.Commands {
			for _, c := range g.Commands[i].All() {
				part.Pages = append(part.Pages, p.Page(c))
			}
		}
		parts = append(parts, part)
	}
	return parts
}

// described returns the page of a command with what is written of it, and the examples, which end it.
func described(name string, forms []string) (page *Page, examples []Block) {
	page, examples = commandText(name)
	description := page.Blocks
	page.Blocks = nil
	page.add("Synopsis")
	for _, form := range forms {
		page.Blocks = append(page.Blocks, Paragraph{Text: Text{{Words: form, Style: Literal}}})
	}
	page.add("Description", description...)
	return page, examples
}

func (p *Page) add(title string, blocks ...Block) {
	p.Blocks = append(append(p.Blocks, Headed(2, title)), blocks...)
}

// word returns a command's name below the one above it, and page that of its page.
func (c Command) word() string { return c.Name[strings.LastIndexByte(c.Name, ' ')+1:] }

func (c Command) page() string { return "eventbatch-" + strings.ReplaceAll(c.Name, " ", "-") + "(1)" }

// terms returns commands with what they do.
func terms(commands []Command, called func(Command) string) (terms Terms) {
	for _, c := range commands {
		terms = append(terms, Term{Word: called(c), About: Words(c.About)})
	}
	return terms
}

func topicTerms(called func(string) string) (terms Terms) {
	for _, name := range Topics {
		terms = append(terms, Term{Word: called(name), About: Words(TopicTitle(name))})
	}
	return terms
}

// fewFlags is how many flags are shown as one list.
const fewFlags = 12

// grouped returns flags in their groups, or only those that are used often where there are many.
func (p *Program) grouped(flags []Flag, all bool, level int) []Block {
	left := slices.Clone(flags)
	if len(left) == 0 {
		return nil
	}
	if len(left) <= fewFlags {
		return []Block{Headed(level, "Flags"), flagTerms(left)}
	}
	var blocks []Block
	for _, g := range FlagGroups {
		often, seldom, _ := strings.Cut(g.Flags, "|")
		var in []Flag
		for _, name := range append(strings.Fields(often), strings.Fields(seldom)...) {
			i := slices.IndexFunc(left, func(f Flag) bool { return f.Name == name })
			if i < 0 {
				continue
			}
			if all || slices.Contains(strings.Fields(often), name) {
				in = append(in, left[i])
			}
			left = slices.Delete(left, i, i+1)
		}
		if len(in) > 0 {
			blocks = append(blocks, Headed(level, g.Title), flagTerms(in))
		}
	}
	if len(left) > 0 {
		blocks = append([]Block{Headed(level, "Flags of its own"), flagTerms(left)}, blocks...)
	}
	return blocks
}

func flagTerms(list []Flag) Terms {
	var terms Terms
	for _, f := range list {
		word := "--" + f.Name
		if f.Shorthand != "" {
			word = "-" + f.Shorthand + ", " + word
		}
		about := f.About
		if f.Value != "" {
			word += " " + f.Value
			about = strings.TrimPrefix(about, f.Value+" ") // which goes on where the name of the value ends
		}
		if unset := []string{"", "0", "0s", "false"}; !slices.Contains(unset, f.Default) && !strings.Contains(about, "(default") {
			about += " (default " + f.Default + ")"
		}
		terms = append(terms, Term{Word: word, About: Words(about)})
	}
	return terms
}
