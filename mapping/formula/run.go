package formula

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/vm"

	"eventbatch/mapping/datetime"
	"eventbatch/mapping/schema"
	"eventbatch/mapping/value"
)

// Row is what expressions see of a row.
type Row interface {
	// Cell is a cell's text without white space around it, empty where there is none.
	Cell(column int) string
	// Field is the value that a field has been given, empty where it has none.
	Field(path string) string
	// Time is that of a field that has been given one, by the clock of the row.
	Time(schema.ID) (time.Time, bool)
	// Now is the time of the reading.
	Now() time.Time
}

// Runner runs programs over the rows of one goroutine.
type Runner struct {
	row   Row
	meter meter
	codes map[*Program]*code
}

// code is a program as it is run for one Runner: its functions know the row.
type code struct {
	program *vm.Program
	env     map[string]any
	work    int
}

// NewRunner makes a Runner of what shows one row after the other.
func NewRunner(row Row) *Runner {
	return &Runner{row: row, codes: map[*Program]*code{}}
}

// Begin is called before the expressions of each row, which have so much work between them.
func (r *Runner) Begin() { r.meter.left = maxWork }

// Run evaluates an expression over the row at hand. It is not asked where a time that
// the expression rests on is blank: so is the result then.
func (r *Runner) Run(p *Program) (result any, asked bool, err error) {
	defer func() {
		if defect := recover(); defect != nil {
			err = fmt.Errorf("%v", defect)
		}
	}()
	c, err := r.code(p)
	if err != nil {
		return nil, true, err
	}
	for name, id := range p.times {
		t, ok := r.row.Time(id)
		if !ok {
			return nil, false, nil
		}
		c.env[name] = t
	}
	for name, column := range p.columns {
		c.env[name] = r.row.Cell(column)
	}
	if err := r.meter.take(c.work); err != nil {
		return nil, true, err
	}
	result, err = vm.Run(c.program, c.env)
	if fault, ok := errors.AsType[*schema.Fault](err); ok {
		return nil, true, fault
	}
	return result, true, short(err)
}

// code compiles a program when it is first run.
func (r *Runner) code(p *Program) (*code, error) {
	if c := r.codes[p]; c != nil {
		return c, nil
	}
	program, err := expr.Compile(p.text, append(slices.Clip(p.options), r.functions(p), r.meter.register)...)
	if err != nil {
		return nil, short(err)
	}
	c := &code{program, map[string]any{}, work(program.Node())}
	r.codes[p] = c
	return c, nil
}

// functions returns the functions of a program that know the row, or the service's currencies.
func (r *Runner) functions(p *Program) expr.Option {
	functions := []expr.Option{
		expr.Function("col", func(args ...any) (any, error) {
			name, _ := args[0].(string)
			return r.row.Cell(p.columns[name]), nil
		}, new(func(string) string)),
		expr.Function("field", func(args ...any) (any, error) {
			path, _ := args[0].(string)
			return r.row.Field(path), nil
		}, new(func(string) string)),
		expr.Function("minor", func(args ...any) (any, error) {
			price, _ := args[0].(string)
			currency, _ := args[1].(string)
			units, fault := value.MinorUnits(price, currency)
			if fault != nil {
				return nil, fault
			}
			return units, nil
		}, new(func(price, currency string) string)),
		expr.Function("duration", func(args ...any) (any, error) {
			text, _ := args[0].(string)
			var unit time.Duration
			if len(args) > 1 {
				word, _ := args[1].(string)
				if unit = datetime.LengthUnit(word); unit == 0 {
					return nil, fmt.Errorf("duration: %q is no unit: write h or m", word)
				}
			}
			length, fault := value.ParseLength(text, unit)
			if fault != nil {
				return nil, fault
			}
			return length, nil
		}, new(func(text string) time.Duration), new(func(text, unit string) time.Duration)),
		expr.Function("now", func(...any) (any, error) { return r.row.Now(), nil }, new(func() time.Time)),
	}
	return func(c *conf.Config) {
		for _, function := range functions {
			function(c)
		}
	}
}

// Text returns an expression's result as the text of a cell; times come back as such.
func Text(result any) (text string, at time.Time, isTime bool, err error) {
	text, at, isTime, err = textOfResult(result)
	if len(text) > maxText {
		return "", at, false, tooLong("its result is")
	}
	return text, at, isTime, err
}

func textOfResult(result any) (text string, at time.Time, isTime bool, err error) {
	switch x := result.(type) {
	case nil:
		return "", time.Time{}, false, nil
	case string:
		return x, time.Time{}, false, nil
	case bool:
		return strconv.FormatBool(x), time.Time{}, false, nil
	case int:
		return strconv.Itoa(x), time.Time{}, false, nil
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64), time.Time{}, false, nil
	case time.Time:
		return x.Format(time.RFC3339Nano), x, true, nil
	case time.Duration:
		return isoDuration(x), time.Time{}, false, nil
	}
	b, err := json.Marshal(result)
	if err != nil {
		return "", time.Time{}, false, fmt.Errorf("its result is not a value of a cell: %T", result)
	}
	return string(b), time.Time{}, false, nil
}

// isoDuration writes a duration as the service takes it.
func isoDuration(d time.Duration) string {
	minutes := int64(d / time.Minute)
	if seconds := int64(d/time.Second) % 60; seconds != 0 {
		return "PT" + strconv.FormatInt(minutes, 10) + "M" + strconv.FormatInt(seconds, 10) + "S"
	}
	return "PT" + strconv.FormatInt(minutes, 10) + "M"
}
