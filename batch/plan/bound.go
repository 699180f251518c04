package plan

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Bound is a number of rows, or a share of the rows that the source usually has. The zero
// Bound bounds nothing.
type Bound struct {
	Text  string // as it was given
	Unset bool   // nobody gave it: a default

	n     int
	share float64
}

// ParseBound reads 30 and 30%.
func ParseBound(text string) (Bound, error) {
	text = strings.TrimSpace(text)
	if digits, ok := strings.CutSuffix(text, "%"); ok {
		share, err := strconv.ParseFloat(digits, 64)
		if err != nil || share < 0 || share > 1000 || math.IsNaN(share) {
			return Bound{}, errors.New("it is no share; write a percentage such as 30%")
		}
		return Bound{Text: text, share: share / 100}, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return Bound{}, errors.New("it is neither a number nor a share such as 30%")
	}
	return Bound{Text: text, n: n}, nil
}

// Of returns the number of rows that the bound means. It is rounded up, and a share is at
// least one row.
func (b *Bound) Of(usual int) int {
	if !b.Relative() {
		return b.n
	}
	return max(1, int(math.Ceil(b.share*float64(usual)-1e-9)))
}

// Number returns the number of rows that the bound is, -1 where it is a share, or bounds nothing.
func (b *Bound) Number() int {
	if b.Text == "" || b.Relative() {
		return -1
	}
	return b.n
}

// Relative reports whether the bound is a share.
func (b *Bound) Relative() bool { return strings.HasSuffix(b.Text, "%") }

// OrElse has a bound be another one, which can be read, where it bounds nothing.
func (b *Bound) OrElse(text string) {
	if b.Text == "" {
		*b, _ = ParseBound(text)
		b.Unset = true
	}
}
