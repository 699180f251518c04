package sheet

import (
	"bytes"
	"strconv"
	"strings"
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

func (s *sheetEdition) readNotes() (*notes, error) {
	n := &notes{gone: map[[2]int]bool{}}
	all, err := s.pack.links(s.part)
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		switch {
		case l.kind == "comments" && n.part == "":
			n.part = l.target
		case l.kind == "vmlDrawing" && l.id == s.facts.drawing:
			n.shapes = l.target
		}
	}
	for _, part := range []struct {
		name    string
		content *[]byte
	}{{n.part, &n.content}, {n.shapes, &n.drawing}} {
		if part.name == "" {
			continue
		}
		if *part.content, err = s.pack.read(part.name); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// clear takes our texts out, and tells whether there were any.
func (n *notes) clear() bool {
	list, prefix, ok := child(n.content, "commentList")
	if !ok || !bytes.Contains(n.content, []byte(noteBegin)) {
		return false
	}
	var edits []edit
	for _, c := range within(n.content, list, prefix) {
		text, runs := noteRuns(n.content, c, prefix)
		kept, had := withoutOurs(runs)
		switch {
		case !had:
		case len(kept) == 0:
			if column, row, ok := reference([]byte(attrOf(c.tag(n.content), "ref"))); ok {
				n.gone[[2]int{column, row}] = true
			}
			edits = append(edits, edit{c.from, c.to, ""})
		default:
			edits = append(edits, edit{text.from, text.to, textXML(kept, prefix)})
		}
	}
	n.content = edited(n.content, edits)
	return len(edits) > 0
}

// run is a stretch of a note's text in one look.
type run struct {
	look string // the element of its properties as it is; may be empty
	text string
}

// noteRuns reads the text of one note.
func noteRuns(content []byte, c node, prefix string) (text node, runs []run) {
	for _, n := range within(content, c, prefix) {
		if n.local != "text" {
			continue
		}
		text = n
		for _, r := range within(content, n, prefix) {
			switch r.local {
			case "t":
				runs = append(runs, run{text: textOf(content, r)})
			case "r":
				var one run
				for _, t := range within(content, r, prefix) {
					switch t.local {
					case "t":
						one.text += textOf(content, t)
					case "rPr":
						one.look = string(content[t.from:t.to])
					}
				}
				runs = append(runs, one)
			}
		}
	}
	return text, runs
}

func textOf(content []byte, n node) string {
	var b strings.Builder
	for m := markupOf(content[n.open:n.close]); m.next(); {
		if inner, ok := bytes.CutPrefix(m.raw, []byte("<![CDATA[")); ok {
			b.Write(bytes.TrimSuffix(inner, []byte("]]>")))
		} else if m.raw[0] != '<' {
			b.WriteString(resolved(m.raw))
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
	b.WriteString(prefixed("<text>", prefix))
	for _, r := range runs {
		b.WriteString(prefixed("<r>", prefix) + r.look + prefixed(`<t xml:space="preserve">`, prefix) + escapeText(r.text) + prefixed("</t></r>", prefix))
	}
	b.WriteString(prefixed("</text>", prefix))
	return b.String()
}

// notesOf puts the marks of each cell together.
func (s *sheetEdition) notesOf(marks []Mark) []note {
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
	if !hasRoot(n.content) {
		n.content = []byte(xmlStart + `<comments xmlns="` + n.space + `"><authors></authors><commentList></commentList></comments>`)
	}
	author := 0
	n.content, author = interned(n.content, "authors", "<author>"+noteAuthor+"</author>", commentOrder)
	list, prefix, ok := child(n.content, "commentList")
	if !ok {
		root, _ := rootOf(n.content)
		n.content = inserted(n.content, root, root.close, prefixed("<commentList></commentList>", prefix))
		list, _, _ = child(n.content, "commentList")
	}
	known := map[[2]int]node{}
	for _, c := range within(n.content, list, prefix) {
		if column, row, ok := reference([]byte(attrOf(c.tag(n.content), "ref"))); ok {
			known[[2]int{column, row}] = c
		}
	}
	var edits []edit
	var made strings.Builder
	for _, t := range texts {
		if runes := []rune(t.text); len(runes) > noteRunes {
			t.text = string(runes[:noteRunes]) + "…"
		}
		runs := []run{{prefixed(boldRun, prefix), noteBegin}, {prefixed(plainRun, prefix), "\n" + t.text + "\n"}, {prefixed(boldRun, prefix), noteEnd}}
		if c, ok := known[[2]int{t.column, t.row}]; ok {
			text, before := noteRuns(n.content, c, prefix)
			if len(before) > 0 {
				runs[0].text = "\n" + runs[0].text
			}
			if text.to > 0 {
				edits = append(edits, edit{text.from, text.to, textXML(append(before, runs...), prefix)})
			}
			continue
		}
		made.WriteString(prefixed(`<comment ref="`+cellRef(t.row, t.column)+`" authorId="`+strconv.Itoa(author)+`" shapeId="0">`, prefix) +
			textXML(runs, prefix) + prefixed("</comment>", prefix))
		n.fresh = append(n.fresh, t)
	}
	added := edit{list.close, list.close, made.String()}
	if list.empty() {
		tag := strings.TrimSuffix(string(list.tag(n.content)), "/>")
		added = edit{list.from, list.to, tag + ">" + made.String() + "</" + tagName([]byte(tag)) + ">"}
	}
	n.content = edited(n.content, append(edits, added))
}

var commentOrder = []string{"authors", "commentList", "extLst"}
