package richtext

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxDepth is how many elements may be inside each other. No description is as deep.
const maxDepth = 200

// tooDeep finds what would make a deep tree before it is built: an element is inside
// all that no end tag of its name has closed. Those that close themselves do not count.
func tooDeep(text string) bool {
	z := html.NewTokenizer(strings.NewReader(text))
	open, depth := map[string]int{}, 0
	for {
		switch z.Next() {
		case html.ErrorToken:
			return false
		case html.StartTagToken:
			name, _ := z.TagName()
			if closesItself(atom.Lookup(name)) {
				continue
			}
			open[string(name)]++
			if depth++; depth > maxDepth {
				return true
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if open[string(name)] > 0 {
				open[string(name)]--
				depth--
			}
		}
	}
}

func closesItself(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Param,
		atom.Source, atom.Track, atom.Wbr, atom.P, atom.Li, atom.Dt, atom.Dd, atom.Tr, atom.Td, atom.Th, atom.Option:
		return true
	}
	return false
}

// depth measures a tree without going into it by calls.
func depth(doc *html.Node) int {
	deepest, at := 0, 0
	for n := doc; n != nil; {
		deepest = max(deepest, at)
		if n.FirstChild != nil {
			n, at = n.FirstChild, at+1
			continue
		}
		for n != nil && n.NextSibling == nil {
			n, at = n.Parent, at-1
		}
		if n != nil {
			n = n.NextSibling
		}
	}
	return deepest
}

// dropped are elements that have nothing for a reader.
var dropped = []atom.Atom{
	atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Object, atom.Embed, atom.Applet, atom.Svg, atom.Math, atom.Canvas,
	atom.Input, atom.Textarea, atom.Select, atom.Button, atom.Head, atom.Title, atom.Link, atom.Meta, atom.Audio, atom.Video,
}

// clean brings a tree to what Markdown can say.
func clean(n *html.Node, imageBase string) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		switch {
		case child.Type == html.CommentNode || child.Type == html.DoctypeNode,
			child.Type == html.ElementNode && (child.Namespace != "" || slices.Contains(dropped, child.DataAtom)):
			n.RemoveChild(child)
		case child.Type == html.ElementNode:
			clean(child, imageBase)
			element(child, imageBase)
		case child.Type == html.TextNode:
			escapeText(child)
		}
		child = next
	}
}

func element(n *html.Node, imageBase string) {
	switch n.DataAtom {
	case atom.A:
		if !link(attribute(n, "href")) {
			rename(n, atom.Span)
		}
	case atom.Img:
		image(n, imageBase)
	case atom.Iframe:
		if address := video(attribute(n, "src")); address != "" {
			become(n, atom.P, address)
			return
		}
		n.Parent.RemoveChild(n)
	case atom.Td, atom.Th:
		rename(n, atom.Span)
		if n.PrevSibling != nil {
			n.Parent.InsertBefore(&html.Node{Type: html.TextNode, Data: " · "}, n)
		}
	case atom.Tr, atom.Caption:
		rename(n, atom.P)
	case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot:
		rename(n, atom.Div)
	}
}

// image keeps a picture of the service's own host. Any other becomes a link, or
// inside of a link its text.
func image(n *html.Node, imageBase string) {
	address, alt := attribute(n, "src"), strings.TrimSpace(attribute(n, "alt"))
	if imageBase != "" && strings.HasPrefix(address, strings.TrimSuffix(imageBase, "/")+"/") {
		return
	}
	inLink := false
	for p := n.Parent; p != nil; p = p.Parent {
		inLink = inLink || p.DataAtom == atom.A
	}
	if alt == "" {
		alt = "picture"
	}
	switch {
	case inLink:
		become(n, atom.Span, alt)
	case link(address):
		become(n, atom.A, alt)
		n.Attr = []html.Attribute{{Key: "href", Val: address}}
	default:
		n.Parent.RemoveChild(n)
	}
}

// become makes another element of one, with a text in it.
func become(n *html.Node, a atom.Atom, text string) {
	rename(n, a)
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
	child := &html.Node{Type: html.TextNode, Data: text}
	n.AppendChild(child)
	escapeText(child)
}

func rename(n *html.Node, a atom.Atom) {
	n.DataAtom, n.Data, n.Attr = a, a.String(), nil
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

// link reports whether an address leads somewhere from a page of another site.
func link(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return u.Host != ""
	case "mailto", "tel":
		return u.Opaque != ""
	}
	return false
}

// players are the addresses by which a page embeds a video, and those of the video's own page.
var players = sync.OnceValue(func() map[*regexp.Regexp]string {
	return map[*regexp.Regexp]string{
		regexp.MustCompile(`^(?:https?:)?//(?:www\.)?youtube(?:-nocookie)?\.com/embed/([\w-]{6,20})`): "https://www.youtube.com/watch?v=",
		regexp.MustCompile(`^(?:https?:)?//player\.vimeo\.com/video/(\d+)`):                           "https://vimeo.com/",
		regexp.MustCompile(`^(?:https?:)?//(?:www\.)?loom\.com/embed/(\w{8,64})`):                     "https://www.loom.com/share/",
	}
})

// video returns the page of an embedded video, which the service embeds again where it
// stands alone on a line (service: Event update input fields, description_md).
func video(src string) string {
	for player, page := range players() {
		if found := player.FindStringSubmatch(src); found != nil {
			return page + found[1]
		}
	}
	return ""
}
