package formula

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/expr-lang/expr/vm"

	"eventbatch/mapping/schema"
)

// Row is what expressions see of a row.
type Row interface {
	// Cell is a cell's text without white space around it, empty where there is none.
	Cell(column int) string
	// Field is the value that a field has been given, empty where it has none.
	Field(path string) string
	// Time is that of a field that has been given one.
	Time(schema.ID) (time.Time, bool)
	// Now is the time of the reading.
	Now() time.Time
}

// Runner runs programs over the rows of one goroutine.
type Runner struct {
	row  Row
	envs map[*Program]map[string]any
}

// NewRunner makes a Runner of what shows one row after the other.
func NewRunner(row Row) *Runner {
	return &Runner{row: row, envs: map[*Program]map[string]any{}}
}

// Run evaluates an expression over the row at hand. It is not asked where a time that
// the expression rests on is blank: so is the result then.
func (r *Runner) Run(p *Program) (result any, asked bool, err error) {
	env := r.env(p)
	for name, id := range p.times {
		t, ok := r.row.Time(id)
		if !ok {
			return nil, false, nil
		}
		env[name] = t
	}
	for name, column := range p.columns {
		env[name] = r.row.Cell(column)
	}
	defer func() {
		if defect := recover(); defect != nil {
			err = fmt.Errorf("%v", defect)
		}
	}()
	result, err = vm.Run(p.code, env)
	return result, true, short(err)
}

func (r *Runner) env(p *Program) map[string]any {
	env := r.envs[p]
	if env == nil {
		env = map[string]any{
			"now":   r.row.Now,
			"field": r.row.Field,
			"col":   func(name string) string { return r.row.Cell(p.columns[name]) },
		}
		r.envs[p] = env
	}
	return env
}

// Text gives an expression's result as the text of a cell; times come back as such.
func Text(result any) (text string, at time.Time, isTime bool, err error) {
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
