package sheet

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"eventbatch/mapping/sheet/ooxml"
)

// dropping takes rows out of the sheets of a workbook in one pass over its parts:
// what refers to the rows below is moved up with them, what refers to the rows
// themselves goes or becomes an error, as in a spreadsheet program. The library's
// own way takes a pass a row, and leaves notes behind.
type dropping struct {
	pack *ooxml.Pack
	gone map[string][]int // by sheet, ascending
	text bool             // some formula reads otherwise now
	lost bool             // the last formula has lost some of its cells
}

// dropRows writes a workbook without some of its rows.
func dropRows(ctx context.Context, book *Book, drop []RowRef, w io.Writer) error {
	p, err := book.Pack()
	if err != nil {
		return err
	}
	d := &dropping{pack: p, gone: map[string][]int{}}
	for _, row := range drop {
		d.gone[row.Sheet] = append(d.gone[row.Sheet], row.Row)
	}
	for _, rows := range d.gone {
		slices.Sort(rows)
	}
	for _, entry := range book.Entries() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if entry.HasRows {
			if err := d.worksheet(entry.Name, entry.Part); err != nil {
				return err
			}
		}
	}
	if err := d.workbook(); err != nil {
		return err
	}
	return p.Write(ctx, w)
}

// workbook moves what names cells beside the sheets: defined names, and the order
// of computing, which is found anew.
func (d *dropping) workbook() error {
	roots, err := d.pack.Links("")
	if err != nil {
		return err
	}
	for _, l := range roots {
		if l.Kind != "officeDocument" {
			continue
		}
		if chain, ok, err := d.pack.Linked(l.Target, "calcChain"); err != nil {
			return err
		} else if ok {
			if err := d.pack.Forget(l.Target, chain.Target); err != nil {
				return err
			}
		}
		content, err := d.pack.Read(l.Target)
		if err != nil {
			return err
		}
		content = d.formulas(content, "", definedNames)
		if d.text {
			content = computedAnew(content)
		}
		d.pack.Set(l.Target, content)
	}
	return nil
}

// computedAnew asks for all results to be computed on opening: those of formulas
// over rows that are gone are those of before.
func computedAnew(book []byte) []byte {
	n, prefix, ok := ooxml.Child(book, "calcPr")
	if !ok {
		root, _ := ooxml.RootOf(book)
		return ooxml.Inserted(book, root, ooxml.PlaceOf(book, root, prefix, "calcPr", ooxml.BookOrder), ooxml.Prefixed(`<calcPr fullCalcOnLoad="1"/>`, prefix))
	}
	return ooxml.Splice(book, n.From, n.From+len(n.Tag(book)), string(ooxml.WithAttr(n.Tag(book), "fullCalcOnLoad", "1")))
}

// row gives the number that a row has afterwards, and whether it is still there.
// A row that is gone has the number of the next one that is not.
func (d *dropping) row(sheet string, row int) (number int, kept bool) {
	i, gone := slices.BinarySearch(d.gone[sheet], row)
	return row - i, !gone
}

// area gives what is left of an area.
func (d *dropping) area(sheet string, a area) (left area, ok bool) {
	if a.single {
		a.rows[0], ok = d.row(sheet, a.rows[0])
		return a, ok
	}
	first, last := min(a.rows[0], a.rows[1]), max(a.rows[0], a.rows[1])
	from, _ := d.row(sheet, first)
	to, kept := d.row(sheet, last)
	if !kept {
		to--
	}
	ok = from <= to
	if a.rows[0] > a.rows[1] {
		from, to = to, from
	}
	a.rows = [2]int{from, to}
	return a, ok
}

// formula gives a formula of a sheet as it reads afterwards.
func (d *dropping) formula(own, text string) string {
	changed := mapAreas(text, func(sheet string, a area) string {
		if sheet == "" {
			sheet = own
		}
		if len(d.gone[sheet]) == 0 {
			return a.String()
		}
		left, ok := d.area(sheet, a)
		d.lost = d.lost || !ok || left.rows[1]-left.rows[0] != a.rows[1]-a.rows[0]
		if !ok {
			return noArea
		}
		return left.String()
	})
	d.text = d.text || changed != text
	return changed
}

var (
	definedNames = regexp.MustCompile(`(<(?:\w+:)?definedName\b[^>]*>)([^<]*)`)
	// Formulas of conditional formats, of rules for what may be entered, of charts.
	asideFormulas = regexp.MustCompile(`(<(?:\w+:)?(?:formula[12]?|f)\b[^>]*[^/>]>|<(?:\w+:)?(?:formula[12]?|f)>)([^<]*)`)
)

// formulas rewrites the formulas of a part that an expression finds: what comes
// before one, and the formula.
func (d *dropping) formulas(content []byte, own string, each *regexp.Regexp) []byte {
	return each.ReplaceAllFunc(content, func(found []byte) []byte {
		m := each.FindSubmatch(found)
		return append(bytes.Clone(m[1]), ooxml.EscapeText(d.formula(own, ooxml.Resolved(m[2])))...)
	})
}

var (
	attrArea = regexp.MustCompile(` (ref|sqref|activeCell|topLeftCell)="([^"]*)"`)
	// What goes where its cells are gone.
	bound = eachElement("mergeCell", "hyperlink", "protectedRange", "ignoredError", "conditionalFormatting", "dataValidation", "comment", "threadedComment")
	// A list of nothing is a damage to spreadsheet programs.
	emptied    = regexp.MustCompile(`<(?:\w+:)?(?:mergeCells|hyperlinks|protectedRanges|ignoredErrors|dataValidations)\b[^>]*>\s*</[^>]*>`)
	countAttr  = regexp.MustCompile(`(<(?:\w+:)?(?:mergeCells|dataValidations)\b[^>]*?) count="[0-9]+"`)
	mergeTag   = regexp.MustCompile(`^<(?:\w+:)?mergeCell\s`)
	extraAreas = regexp.MustCompile(`(<xm:sqref>)([^<]*)`)
)

// eachElement finds the elements of these names.
func eachElement(names ...string) []*regexp.Regexp {
	var each []*regexp.Regexp
	for _, name := range names {
		each = append(each, regexp.MustCompile(`(?s)<(?:\w+:)?`+name+`(?:\s[^>]*)?/>|<(?:\w+:)?`+name+`(?:\s[^>]*)?>.*?</(?:\w+:)?`+name+`>`))
	}
	return each
}

// areas moves all that a part says of cells of a sheet in attributes.
func (d *dropping) areas(content []byte, sheet string) []byte {
	for _, each := range bound {
		content = each.ReplaceAllFunc(content, func(found []byte) []byte {
			m := attrArea.FindSubmatch(found)
			if m == nil {
				return found
			}
			left, whole := d.list(sheet, string(m[2]))
			if left == "" || whole && mergeTag.Match(found) && !strings.Contains(left, ":") {
				return nil
			}
			return found
		})
	}
	content = emptied.ReplaceAll(content, nil)
	content = countAttr.ReplaceAll(content, []byte("$1"))
	content = extraAreas.ReplaceAllFunc(content, func(found []byte) []byte {
		m := extraAreas.FindSubmatch(found)
		left, _ := d.list(sheet, string(m[2]))
		return append(bytes.Clone(m[1]), left...)
	})
	return attrArea.ReplaceAllFunc(content, func(found []byte) []byte {
		m := attrArea.FindSubmatch(found)
		left, _ := d.list(sheet, string(m[2]))
		if left == "" {
			left = "A1"
		}
		return []byte(" " + string(m[1]) + `="` + left + `"`)
	})
}

// list gives what is left of a list of areas, and whether all of it was areas.
func (d *dropping) list(sheet, areas string) (left string, whole bool) {
	var kept []string
	for text := range strings.FieldsSeq(areas) {
		first, second, ranged := strings.Cut(text, ":")
		a := area{single: !ranged}
		if !a.takeCorner(0, first) || ranged && !a.takeCorner(1, second) {
			return areas, false
		}
		if a, ok := d.area(sheet, a); ok {
			if a.columns[0] == a.columns[1] && a.rows[0] == a.rows[1] {
				a.single = true
			}
			kept = append(kept, a.String())
		}
	}
	return strings.Join(kept, " "), true
}

// aside moves what belongs to a sheet and lies in parts of its own: notes, tables,
// pictures and charts.
func (d *dropping) aside(sheet, part string) error {
	links, err := d.pack.Links(part)
	if err != nil {
		return err
	}
	for _, l := range links {
		if l.Target == "" || !d.pack.Has(l.Target) {
			continue
		}
		content, err := d.pack.Read(l.Target)
		if err != nil {
			return err
		}
		moving := len(d.gone[sheet]) > 0
		switch {
		case l.Kind == "drawing":
			if err := d.aside(sheet, l.Target); err != nil {
				return err
			}
			if moving {
				content = d.anchors(sheet, content)
			}
		case l.Kind == "chart":
			content = d.formulas(content, sheet, asideFormulas)
		case !moving:
			continue
		case l.Kind == "comments" || l.Kind == "threadedComment" || l.Kind == "table":
			content = d.areas(content, sheet)
		case l.Kind == "vmlDrawing":
			content = d.shapes(sheet, content)
		default:
			continue
		}
		d.pack.Set(l.Target, content)
	}
	return nil
}

var (
	anchorRow = regexp.MustCompile(`(<(?:\w+:)?row>)([0-9]+)`)
	shape     = regexp.MustCompile(`(?s)<v:shape\b.*?</v:shape>`)
	shapeLine = regexp.MustCompile(`(<x:Row>\s*)([0-9]+)`)
	shapeAt   = regexp.MustCompile(`(<x:Anchor>)([^<]*)`)
)

// anchors moves pictures and charts. Their rows count from 0.
func (d *dropping) anchors(sheet string, content []byte) []byte {
	return anchorRow.ReplaceAllFunc(content, func(found []byte) []byte {
		m := anchorRow.FindSubmatch(found)
		row, _ := strconv.Atoi(string(m[2]))
		row, _ = d.row(sheet, row+1)
		return strconv.AppendInt(bytes.Clone(m[1]), int64(row-1), 10)
	})
}

// shapes moves the boxes of notes, and takes those of rows that are gone out.
func (d *dropping) shapes(sheet string, content []byte) []byte {
	return shape.ReplaceAllFunc(content, func(found []byte) []byte {
		m := shapeLine.FindSubmatch(found)
		if m == nil {
			return found
		}
		old, _ := strconv.Atoi(string(m[2]))
		row, kept := d.row(sheet, old+1)
		if !kept {
			return nil
		}
		up := old + 1 - row
		found = shapeLine.ReplaceAll(found, []byte("${1}"+strconv.Itoa(row-1)))
		return shapeAt.ReplaceAllFunc(found, func(anchor []byte) []byte {
			m := shapeAt.FindSubmatch(anchor)
			numbers := strings.Split(string(m[2]), ",")
			for _, i := range []int{2, 6} { // of its upper and its lower edge
				if i < len(numbers) {
					n, _ := strconv.Atoi(strings.TrimSpace(numbers[i]))
					numbers[i] = " " + strconv.Itoa(max(0, n-up))
				}
			}
			return append(bytes.Clone(m[1]), strings.Join(numbers, ",")...)
		})
	})
}
