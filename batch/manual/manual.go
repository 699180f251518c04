// Package manual lays out the pages of help: on a terminal or in a pipe, for man, and all of them as one HTML file.
//
// A [Page] is a topic, which [Read] makes of a Markdown file, or the page of a command of a [Program], with its flags.
// The same page is written by [Write] in lines of a width, by [Page.Roff] as man reads it, and by [WriteHTML] with all
// others. What Markdown can say and no page does, such as a picture, is refused by Read: a test reads every topic.
package manual

import (
	"strconv"
	"strings"
)

// Page is a page of help.
type Page struct {
	Name    string // as help calls it, such as nights or map show; eventbatch is the program itself
	Title   string // what it is about, in some words
	Section int    // of the manual: 1 has commands, 7 has topics
	Blocks  []Block
}

// ID returns the page's name as it stands in an address.
func (p *Page) ID() string { return strings.ReplaceAll(p.Name, " ", "-") }

// File returns the name of the page's file for man, such as eventbatch-map-show.1.
func (p *Page) File() string { return p.manName() + "." + strconv.Itoa(p.Section) }

// manName returns the name by which man finds the page.
func (p *Page) manName() string {
	if p.Name == "eventbatch" {
		return p.Name
	}
	return "eventbatch-" + p.ID()
}

// Block is a part of a page: a Heading, Paragraph, Code, Table, List or Terms.
type Block any

type (
	// Heading begins a section, or with Level 3 a part of one.
	Heading struct {
		Level int
		Text  Text
	}
	Paragraph struct{ Text Text }
	// Code is lines that stay as they are: what is typed, what is printed, what a file holds.
	Code struct{ Lines string }
	// Table has a head, and rows of as many cells.
	Table struct {
		Head []Text
		Rows [][]Text
	}
	List struct {
		Numbered bool
		Items    []Text
	}
	// Terms are words with what they mean, such as flags.
	Terms []Term
)

// Term is a word, and what it means.
type Term struct {
	Word  string
	About Text
}

// Text is words in which some stand out.
type Text []Span

// Span is words of one style.
type Span struct {
	Words string
	Style Style
	To    string // the address that a link leads to, or the page of a topic
}

// Style is how words stand out.
type Style int

const (
	Plain Style = iota
	Strong
	Literal // what is typed, or stands in a file
)

// Headed returns a heading of some words.
func Headed(level int, words string) Heading { return Heading{Level: level, Text: Words(words)} }

// Words returns a text in which nothing stands out.
func Words(words string) Text { return Text{{Words: words}} }

// String returns the words alone.
func (t Text) String() string {
	var b strings.Builder
	for _, span := range t {
		b.WriteString(span.Words)
	}
	return b.String()
}

// mark returns what stands before an item of a list.
func (l List) mark(n int) string {
	if l.Numbered {
		return strconv.Itoa(n+1) + "."
	}
	return "-"
}

// away returns the address of a link out of the manual, where its words do not say it.
func (s Span) away() string {
	if strings.HasPrefix(s.To, "#") || s.To == s.Words {
		return ""
	}
	return s.To
}
