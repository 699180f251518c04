package manual

import "strings"

// Headed returns a heading of some words.
func Headed(level int, words string) Heading { return Heading{Level: level, Text: Words(words)} }

// Prose returns paragraphs of a text; lines that begin with blanks stay as they are.
func Prose(text string) []Block {
	var blocks []Block
	var lines []string
	still := false
	end := func() {
		if words := strings.Trim(strings.Join(lines, "\n"), "\n"); words != "" && still {
			blocks = append(blocks, Code{Lines: Flush(words)})
		} else if words != "" {
			blocks = append(blocks, Paragraph{Text: Words(strings.Join(lines, " "))})
		}
		lines = nil
	}
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		indented := strings.HasPrefix(line, "  ")
		if indented != still && line != "" || line == "" && !still {
			end()
			still = indented
		}
		if line != "" || still {
			lines = append(lines, line)
		}
	}
	end()
	return blocks
}

// Flush returns lines without the indent that all of them have.
func Flush(text string) string {
	lines := strings.Split(text, "\n")
	indent := len(text)
	for _, line := range lines {
		if line != "" {
			indent = min(indent, len(line)-len(strings.TrimLeft(line, " ")))
		}
	}
	for i, line := range lines {
		lines[i] = line[min(indent, len(line)):]
	}
	return strings.Join(lines, "\n")
}
