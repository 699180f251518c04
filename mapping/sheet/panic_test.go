package sheet

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sourcegraph/conc/panics"
)

// raised runs what must panic and gives the panic.
func raised(t *testing.T, work func()) (p *panics.Recovered) {
	t.Helper()
	defer func() {
		t.Helper()
		value := recover()
		p, _ = value.(*panics.Recovered)
		if p == nil {
			t.Fatalf("got %v, want a panic of another goroutine", value)
		}
	}()
	work()
	return nil
}

// defective works a number of times, then panics.
type defective struct {
	io.Reader
	io.ReaderAt
	hash.Hash
	left int
}

func (d *defective) count() {
	if d.left--; d.left < 0 {
		panic("a defect")
	}
}

func (d *defective) Read(b []byte) (int, error)  { d.count(); return d.Reader.Read(b) }
func (d *defective) Write(b []byte) (int, error) { d.count(); return d.Hash.Write(b) }
func (d *defective) ReadAt(b []byte, from int64) (int, error) {
	d.count()
	return d.ReaderAt.ReadAt(b, from)
}

// A bubble fails at once where a goroutine waits for one that has panicked.
func TestPanicOfReadingAhead(t *testing.T) {
	for after := range 7 { // six blocks, then the end of the file
		for _, where := range []string{"Read", "Write"} {
			t.Run(fmt.Sprint(where, after), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					text := strings.NewReader(strings.Repeat("x", 6*blockBytes))
					from, sum := io.Reader(text), sha256.New()
					if where == "Read" {
						from = &defective{Reader: text, left: after}
					} else {
						sum = &defective{Hash: sum, left: after}
					}
					read := 0
					p := raised(t, func() {
						r := startReading(from, sum, blockBytes)
						defer r.end()
						for {
							block, err := r.next()
							if read += len(block); err != nil {
								return
							}
						}
					})
					if p.Value != "a defect" || !strings.Contains(string(p.Stack), where) || !strings.HasPrefix(
						p.String(), "panic: a defect\nstacktrace:\n",
					) {
						t.Error(p)
					}
					if most := (after + 1) * blockBytes; read > most {
						t.Errorf("%d bytes before the panic, at most %d", read, most)
					}
				})
			})
		}
	}
}

func TestPanicAfterTheCallerHasStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := startReading(&defective{Reader: strings.NewReader("")}, sha256.New(), blockBytes)
		synctest.Wait()
		raised(t, r.end)
	})
}

func TestPanicOfInflating(t *testing.T) {
	var rows strings.Builder
	rng := rand.New(rand.NewPCG(1, 2))
	for row := range 20_000 { // several blocks that do not pack well
		fmt.Fprintf(&rows, `<row r="%d"><c r="A%[1]d"><v>%d</v></c></row>`, row+1, rng.Uint64()>>20)
	}
	file := zipped(t, bookParts(sheetXML(rows.String()))...)
	for _, after := range []int{0, 1, 5} {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				at := &defective{ReaderAt: bytes.NewReader(file), left: 1 << 30}
				book, err := openBook(t.Context(), "f", at, int64(len(file)), Limits{}.withDefaults())
				if err != nil {
					t.Fatal(err)
				}
				at.left = after
				p := raised(t, func() {
					for batch, err := range book.batches(t.Context(), "Events") {
						if err != nil {
							t.Error(err)
						}
						batch.Release()
					}
				})
				if p.Value != "a defect" || !strings.Contains(string(p.Stack), "ReadAt") {
					t.Error(p)
				}
			})
		})
	}
}
