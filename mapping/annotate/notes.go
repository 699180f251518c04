package annotate

import (
	"bytes"
	"strconv"
	"strings"

	"eventbatch/mapping/sheet/ooxml"
)

// What a note of ours begins and ends with. What stands before and after it in
// the same note is the user's.
const (
	noteBegin  = "── eventbatch ──"
	noteEnd    = "────────────"
	noteAuthor = "eventbatch"
)

// Notes of a sheet beyond maxNotes are left out, as programs open thousands of
// them slowly: colour, verdict and the list of problems say the same. A note is
// cut at noteRunes.
const (
	maxNotes  = 10_000
	noteRunes = 2_000
)

// notes is the part of a sheet that holds the notes at its cells, and that of
// their shapes. Threads of comments have parts of their own, which stay as they
// are; the note that stands for one in older programs is a note like any other.
type notes struct {
	part    string // empty for none
	content []byte
	space   string // the namespace of a new part
	shapes  string // the part; empty for none
	drawing []byte

	added bool
	gone  map[[2]int]bool // column and row of notes that are taken out
	fresh []note          // that need a shape
}

// note is what is to be said at a cell.
type note struct {
	column, row int
	text        string
}

// noteEdit reads the notes of a sheet, and puts them back.
type noteEdit struct{ *sheetEdit }

func (s noteEdit) read() (*notes, error) {
	n := &notes{gone: map[[2]int]bool{}}
	all, err := s.Links(s.entry.Part)
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		switch {
		case l.Kind == "comments" && n.part == "":
			n.part = l.Target
		case l.Kind == "vmlDrawing" && l.ID == s.facts.drawing:
			n.shapes = l.Target
		}
	}
	for _, part := range []struct {
		name    string
		content *[]byte
	}{{n.part, &n.content}, {n.shapes, &n.drawing}} {
		if part.name == "" {
			continue
		}
		if *part.content, err = s.Read(part.name); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// clear takes our texts out, and reports whether there were any.
func (n *notes) clear() bool {
	list, prefix, ok := ooxml.Child(n.content, "commentList")
	if !ok || !bytes.Contains(n.content, []byte(noteBegin)) {
		return false
	}
	var edits []ooxml.Edit
	for _, c := range ooxml.Within(n.content, list, prefix) {
		text, runs := noteRuns(n.content, c, prefix)
		kept, had := withoutOurs(runs)
		switch {
		case !had:
		case len(kept) == 0:
			if column, row, ok := ooxml.ParseRef([]byte(ooxml.AttrOf(c.Tag(n.content), "ref"))); ok {
				n.gone[[2]int{column, row}] = true
			}
			edits = append(edits, ooxml.Edit{From: c.From, To: c.To})
		default:
			edits = append(edits, ooxml.Edit{From: text.From, To: text.To, Text: textXML(kept, prefix)})
		}
	}
	n.content = ooxml.Edited(n.content, edits)
	return len(edits) > 0
}

// run is a stretch of a note's text in one look.
type run struct {
	look string // the element of its properties as it is; may be empty
	text string
}

// noteRuns reads the text of one note.
func noteRuns(content []byte, c ooxml.Node, prefix string) (text ooxml.Node, runs []run) {
	for _, n := range ooxml.Within(content, c, prefix) {
		if n.Local != "text" {
			continue
		}
		text = n
		for _, r := range ooxml.Within(content, n, prefix) {
			switch r.Local {
			case "t":
				runs = append(runs, run{text: textOf(content, r)})
			case "r":
				var one run
				for _, t := range ooxml.Within(content, r, prefix) {
					switch t.Local {
					case "t":
						one.text += textOf(content, t)
					case "rPr":
						one.look = string(content[t.From:t.To])
					}
				}
				runs = append(runs, one)
			}
		}
	}
	return text, runs
}

func textOf(content []byte, n ooxml.Node) string {
	var b strings.Builder
	for m := ooxml.MarkupOf(content[n.Open:n.Close]); m.Next(); {
		if inner, ok := bytes.CutPrefix(m.Raw, []byte("<![CDATA[")); ok {
			b.Write(bytes.TrimSuffix(inner, []byte("]]>")))
		} else if m.Raw[0] != '<' {
			b.WriteString(ooxml.Resolved(m.Raw))
		}
	}
	return b.String()
}

// withoutOurs cuts our text out of a note, with the line break before it.
func withoutOurs(runs []run) (kept []run, had bool) {
	var all strings.Builder
	for _, r := range runs {
		all.WriteString(r.text)
	}
	whole := all.String()
	from := strings.Index(whole, noteBegin)
	if from < 0 {
		return runs, false
	}
	to := len(whole)
	if end := strings.Index(whole[from+len(noteBegin):], noteEnd); end >= 0 {
		to = from + len(noteBegin) + end + len(noteEnd)
	}
	if from > 0 && whole[from-1] == '\n' {
		from--
	}
	at := 0
	for _, r := range runs {
		begin, end := at, at+len(r.text)
		at = end
		head, tail := r.text[:min(max(from-begin, 0), len(r.text))], r.text[min(max(to-begin, 0), len(r.text)):]
		if end > from && begin < to {
			r.text = head + tail
		}
		if r.text != "" {
			kept = append(kept, r)
		}
	}
	if strings.TrimSpace(whole[:from]+whole[to:]) == "" {
		kept = nil
	}
	return kept, true
}

func textXML(runs []run, prefix string) string {
	var b strings.Builder
	b.WriteString(ooxml.Prefixed("<text>", prefix))
	for _, r := range runs {
		b.WriteString(ooxml.Prefixed("<r>", prefix) + r.look + ooxml.Prefixed(
			`<t xml:space="preserve">`, prefix,
		) + ooxml.EscapeText(r.text) + ooxml.Prefixed("</t></r>", prefix))
	}
	b.WriteString(ooxml.Prefixed("</text>", prefix))
	return b.String()
}

// of puts the marks of each cell together.
func (s noteEdit) of(marks []Mark) []note {
	var all []note
	for _, m := range s.sorted(marks) {
		text := m.Severity.String() + ": " + strings.TrimSpace(m.Text)
		if last := len(all) - 1; last >= 0 && all[last].row == m.Row && all[last].column == m.Column {
			if !strings.Contains(all[last].text, text) {
				all[last].text += "\n" + text
			}
			continue
		}
		all = append(all, note{m.Column, m.Row, text})
	}
	return all[:min(len(all), maxNotes)]
}

const (
	boldRun  = `<rPr><b/><sz val="9"/><color rgb="FF5F5F5F"/><rFont val="Calibri"/><family val="2"/></rPr>`
	plainRun = `<rPr><sz val="9"/><color rgb="FF000000"/><rFont val="Calibri"/><family val="2"/></rPr>`
)

// add puts texts of ours at cells, behind what their notes say already.
func (n *notes) add(texts []note) {
	if len(texts) == 0 {
		return
	}
	n.added = true
	if !ooxml.HasRoot(n.content) {
		n.content = []byte(ooxml.Prolog + `<comments xmlns="` + n.space + `"><authors></authors><commentList></commentList></comments>`)
	}
	author := 0
	n.content, author = ooxml.Interned(n.content, "authors", "<author>"+noteAuthor+"</author>", commentOrder)
	list, prefix, ok := ooxml.Child(n.content, "commentList")
	if !ok {
		root, _ := ooxml.RootOf(n.content)
		n.content = ooxml.Inserted(n.content, root, root.Close, ooxml.Prefixed("<commentList></commentList>", prefix))
		list, _, _ = ooxml.Child(n.content, "commentList")
	}
	known := map[[2]int]ooxml.Node{}
	for _, c := range ooxml.Within(n.content, list, prefix) {
		if column, row, ok := ooxml.ParseRef([]byte(ooxml.AttrOf(c.Tag(n.content), "ref"))); ok {
			known[[2]int{column, row}] = c
		}
	}
	var edits []ooxml.Edit
	var made strings.Builder
	for _, t := range texts {
		if runes := []rune(t.text); len(runes) > noteRunes {
			t.text = string(runes[:noteRunes]) + "…"
		}
		runs := []run{
			{ooxml.Prefixed(boldRun, prefix), noteBegin},
			{ooxml.Prefixed(plainRun, prefix), "\n" + t.text + "\n"},
			{ooxml.Prefixed(boldRun, prefix), noteEnd},
		}
		if c, ok := known[[2]int{t.column, t.row}]; ok {
			text, before := noteRuns(n.content, c, prefix)
			if len(before) > 0 {
				runs[0].text = "\n" + runs[0].text
			}
			if text.To > 0 {
				edits = append(edits, ooxml.Edit{From: text.From, To: text.To, Text: textXML(append(before, runs...), prefix)})
			}
			continue
		}
		made.WriteString(ooxml.Prefixed(
			`<comment ref="`+ooxml.CellRef(t.row, t.column)+`" authorId="`+strconv.Itoa(author)+`" shapeId="0">`, prefix,
		) +
			textXML(runs, prefix) + ooxml.Prefixed("</comment>", prefix))
		n.fresh = append(n.fresh, t)
	}
	added := ooxml.Edit{From: list.Close, To: list.Close, Text: made.String()}
	if list.Empty() {
		tag := strings.TrimSuffix(string(list.Tag(n.content)), "/>")
		added = ooxml.Edit{From: list.From, To: list.To, Text: tag + ">" + made.String() + "</" + ooxml.TagName([]byte(tag)) + ">"}
	}
	n.content = ooxml.Edited(n.content, append(edits, added))
}

var commentOrder = []string{"authors", "commentList", "extLst"}
