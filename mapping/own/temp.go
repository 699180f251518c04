package own

import "os"

// Temp is a temporary file that nobody else needs. Its name goes at once, so that it goes with the process however that
// ends; where a system keeps the name of an open file, with Close.
type Temp struct {
	*os.File

	named bool
}

// NewTemp returns an empty one, readable by its owner alone. What it holds is a part of its name, as long as it has one.
func NewTemp(holds string) (*Temp, error) {
	file, err := os.CreateTemp("", "eventbatch-"+holds+"-*") // 0600
	if err != nil {
		return nil, err
	}
	return &Temp{file, os.Remove(file.Name()) != nil}, nil
}

// Close gives the file back.
func (t *Temp) Close() error {
	err := t.File.Close()
	if t.named {
		_ = os.Remove(t.Name()) // what is left of a temporary file is the system's to sweep
	}
	return err
}
