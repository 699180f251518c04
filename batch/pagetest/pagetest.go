// Package pagetest looks at pages for tests as a person does: in a headless Chromium, which notes what they do besides.
package pagetest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Tab is a tab of a browser.
type Tab struct {
	Context context.Context // of actions in it

	mu       sync.Mutex
	said     []string // on the console, or as an exception
	requests []string
}

// busy is how long something may take on a machine that runs all other tests beside it.
const busy = 2 * time.Minute

// features are those of Chromium that are off: two as chromedp has it, and the pages of the address bar, which are loaded for
// each new window and take more of the processor than most pages that are looked at.
const features = "Translate,BlinkGenPropertyTrees,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"

// shared is the browser of the tests of a process, which is nil before the first of them: to start one takes longer than most
// tests do.
var shared struct {
	sync.Mutex

	browser context.Context
	end     func()
}

// start starts the browser where none runs.
func start(t testing.TB) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium-headless-shell") // which draws no windows, and takes a quarter less of the processor
	if err != nil {
		path, err = exec.LookPath("chromium")
	}
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no chromium: %v", err)
		}
		t.Skipf("no chromium: %v", err)
	}
	shared.Lock()
	defer shared.Unlock()
	if shared.browser == nil {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
			chromedp.Flag("disable-features", features))
		allocated, end := chromedp.NewExecAllocator(context.Background(), options...)
		first, _ := chromedp.NewContext(allocated)
		if err := chromedp.Do(first); err != nil {
			end()
			t.Fatal(err)
		}
		shared.browser = first
		shared.end = func() {
			_ = chromedp.Cancel(first) // which waits until it has ended
			end()
		}
	}
	return shared.browser
}

// End ends the browser where the tests of a package have started one, for its TestMain.
func End() {
	if shared.browser != nil {
		shared.end()
	}
}

// Open opens a tab of a browser as if it had just been started: nothing that other tabs keep is in it. It closes with the
// test. Where Chromium is not installed the test is skipped, or fails where CI is set.
func Open(t testing.TB) *Tab {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	alive, cancel := context.WithTimeout(start(t), 6*busy)
	t.Cleanup(cancel)
	b := &Tab{}
	b.Context, cancel = chromedp.NewContext(alive, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	if err := chromedp.Listen(b.Context, b.note); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(b.Context, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	focused := emulation.SetFocusEmulationEnabledParams{Enabled: true} // whatever other tabs there are
	if _, err := chromedp.Call(b.Context, emulation.SetFocusEmulationEnabled, focused); err != nil {
		t.Fatal(err)
	}
	return b
}

// Download has the files that the page offers be in a folder.
func (b *Tab) Download(t testing.TB, folder string) {
	t.Helper()
	params := browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: folder,
		BrowserContextID: chromedp.FromContext(b.Context).BrowserContextID,
	}
	if _, err := chromedp.Call(b.Context, browser.SetDownloadBehavior, params); err != nil {
		t.Fatal(err)
	}
}

func (b *Tab) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		for _, arg := range e.Args {
			b.said = append(b.said, fmt.Sprint(arg.Value, arg.Description))
		}
	case *runtime.EventExceptionThrown:
		b.said = append(b.said, fmt.Sprint(e.ExceptionDetails.Text, e.ExceptionDetails.Exception.Description))
	case *log.EventEntryAdded:
		b.said = append(b.said, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	}
}

// Do carries out steps.
func (b *Tab) Do(t testing.TB, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(b.Context, steps...); err != nil {
		t.Fatal(err)
	}
}

// Click is a click on the first element of a selector. What chromedp finds by a string may be its text in the style of a page.
func Click(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Click(chromedp.CSS(selector))
}

// Script carries out an expression for what it does.
func (b *Tab) Script(t testing.TB, expression string) {
	t.Helper()
	b.Do(t, chromedp.Evaluate[chromedp.Void](expression))
}

// Prefer has the page told that the person prefers something, such as prefers-color-scheme: dark.
func (b *Tab) Prefer(t testing.TB, name, value string) {
	t.Helper()
	params := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: name, Value: value}}}
	if _, err := chromedp.Call(b.Context, emulation.SetEmulatedMedia, params); err != nil {
		t.Fatal(err)
	}
}

// Paper has the page drawn as it is printed.
func (b *Tab) Paper(t testing.TB) {
	t.Helper()
	if _, err := chromedp.Call(b.Context, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		t.Fatal(err)
	}
}

// Value returns what an expression comes to in the page.
func Value[T any](t testing.TB, b *Tab, expression string) T {
	t.Helper()
	v, err := chromedp.Run(b.Context, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// Want compares what an expression comes to in the page.
func (b *Tab) Want(t testing.TB, expression string, want any) {
	t.Helper()
	text, got := Value[[]byte](t, b, expression), reflect.New(reflect.TypeOf(want))
	if err := json.Unmarshal(text, got.Interface()); err != nil || got.Elem().Interface() != want {
		t.Errorf("%s is %s, want %v: %v", expression, text, want, err)
	}
}

// Until waits for an expression to hold. The page itself looks again and again, for a question from here takes a hundred times
// as long; what it throws does not hold yet, and a page that is left is asked anew.
func (b *Tab) Until(t testing.TB, expression string) {
	t.Helper()
	const look = `new Promise(held => (function look() { try { if (%s) { held(true); return } } catch {} setTimeout(look, 10) })())`
	waiting, cancel := context.WithTimeout(b.Context, busy)
	defer cancel()
	for ; ; time.Sleep(10 * time.Millisecond) {
		held, err := chromedp.Run(waiting, chromedp.Evaluate[bool](fmt.Sprintf(look, expression), chromedp.EvalAwaitPromise))
		if held {
			return
		}
		if waiting.Err() != nil {
			_, thrown := chromedp.Run(b.Context, chromedp.Evaluate[bool](expression))
			const shown = `document.body.innerText.slice(0, 3000) + '\n' + document.activeElement.outerHTML.slice(0, 300)`
			seen, _ := chromedp.Run(b.Context, chromedp.Evaluate[string](shown)) // empty where the page is lost
			b.mu.Lock()
			defer b.mu.Unlock()
			t.Fatalf("%s does not come to hold: %v, %v; the console says %q, and the page\n%s", expression, err, thrown, b.said, seen)
		}
	}
}

// TabTo presses Tab until what a selector matches has the focus.
func (b *Tab) TabTo(t testing.TB, selector string) {
	t.Helper()
	for range 100 {
		b.Do(t, chromedp.KeyEvent(kb.Tab))
		if Value[bool](t, b, `document.activeElement.matches('`+selector+`')`) {
			return
		}
	}
	t.Fatalf("Tab does not come to %s", selector)
}

// Forget drops what the page said with this word, or asked for by an address that begins so, where a test has caused it.
func (b *Tab) Forget(word string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said = slices.DeleteFunc(b.said, func(text string) bool { return strings.Contains(text, word) })
	b.requests = slices.DeleteFunc(b.requests, func(address string) bool { return strings.HasPrefix(address, word) }) // a port may be 40312
}

// Quiet checks that the page complained of nothing, and that each address that it asked for, of which there are so many
// at least, is one of its own.
func (b *Tab) Quiet(t testing.TB, least int, own func(address string) bool) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.said) > 0 {
		t.Errorf("the console says %q", b.said)
	}
	for _, address := range b.requests {
		if !own(address) {
			t.Errorf("the page asked for %s", address)
		}
	}
	if len(b.requests) < least {
		t.Errorf("%d requests were seen", len(b.requests))
	}
}

// Node is what a screen reader is told of a part of a page.
type Node struct{ Role, Name string }

// Tree returns what a screen reader is told of the page.
func (b *Tab) Tree(t testing.TB) []Node {
	t.Helper()
	tree, err := chromedp.Call(b.Context, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		t.Fatal(err)
	}
	word := func(v *accessibility.Value) (s string) {
		if v != nil {
			_ = json.Unmarshal(v.Value, &s) // what is no text says nothing
		}
		return s
	}
	var nodes []Node
	for _, n := range tree.Nodes {
		if !n.Ignored {
			nodes = append(nodes, Node{word(n.Role), word(n.Name)})
		}
	}
	return nodes
}
