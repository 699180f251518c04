package value

import (
	"net/url"
	"strings"
	"unicode"

	"eventbatch/mapping/schema"
)

// ParseURL checks an absolute http or https address with a host.
func ParseURL(text string) *schema.Fault {
	if scanURL(text) {
		return nil
	}
	return slowURL(text)
}

// OnHost reports whether the address lies below the base, as the form
// {image_cdn_base}/… demands: same scheme and host, then the base's path, a slash
// and something after it, without a step back up.
func OnHost(base, address string) bool {
	base = strings.TrimRight(base, "/")
	root := hostEnd(base)
	if root == 0 || len(address) <= len(base)+1 || address[len(base)] != '/' ||
		!foldEqual(address[:root], base[:root]) || address[root:len(base)] != base[root:] {
		return false
	}
	path, _, _ := strings.Cut(address[len(base):], "?")
	path, _, _ = strings.Cut(path, "#")
	for part := range strings.SplitSeq(path, "/") {
		switch strings.ReplaceAll(strings.ToLower(part), "%2e", ".") {
		case "..", ".":
			return false
		}
	}
	return len(path) > 1 && !strings.Contains(path, `\`)
}

// hostEnd returns the index behind the host of an address, 0 if it has none.
func hostEnd(address string) int {
	start := strings.Index(address, "://")
	if start <= 0 {
		return 0
	}
	start += len("://")
	if end := strings.IndexAny(address[start:], "/?#"); end >= 0 {
		return start + end
	}
	return len(address)
}

// scanURL reports whether an address is of the usual form: a plain host, a port perhaps,
// and ASCII that needs no escape. Any other form is left to slowURL.
func scanURL(s string) bool {
	rest, ok := strings.CutPrefix(s, "https://")
	if !ok {
		if rest, ok = strings.CutPrefix(s, "http://"); !ok {
			return false
		}
	}
	end := len(rest)
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		end = i
	}
	host, port, ported := strings.Cut(rest[:end], ":")
	return host != "" && host[0] != '.' && host[0] != '-' && plain(host, ".-") &&
		(!ported || port != "" && len(port) <= 5 && allDigits(port)) && plain(rest[end:], "-._~:/?#@!$&'()*+,;=")
}

// plain reports whether a text has only ASCII letters, digits and some other bytes.
func plain(s, others string) bool {
	for i := range len(s) {
		if c := s[i]; (c|0x20 < 'a' || c|0x20 > 'z') && !isDigit(c) && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return true
}

func slowURL(text string) *schema.Fault {
	const hint = "write the whole address, such as https://example.com/room"
	for _, r := range text {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return schema.CodeBadURL.Fault(
				Quote(text)+" has a space or an invisible character in it", "write one address, spaces in it as %20",
			)
		}
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return schema.CodeBadURL.Fault(Quote(text)+" is not an address", hint)
	case u.Scheme == "" || (u.Host == "" && u.Opaque != ""):
		if guess := "https://" + text; scanURL(guess) && strings.ContainsRune(text, '.') {
			return schema.CodeBadURL.Fault(Quote(text)+" does not say http or https", didYouMean(guess))
		}
		return schema.CodeBadURL.Fault(Quote(text)+" is not a web address", hint)
	case !foldEqual(u.Scheme, "http") && !foldEqual(u.Scheme, "https"):
		return schema.CodeBadURL.Fault(Quote(text)+" is not a web address: it begins with "+u.Scheme+":", hint)
	case u.Hostname() == "":
		return schema.CodeBadURL.Fault(Quote(text)+" has no host", hint)
	case u.User != nil:
		return schema.CodeBadURL.Fault("the address carries a user name or a password", "remove what stands before the @")
	}
	return nil
}

// ParseEmail checks the form of an e-mail address: one @ with a name before it, and
// behind it a domain with a dot.
func ParseEmail(text string) *schema.Fault {
	name, domain, _ := strings.Cut(text, "@")
	dot := strings.LastIndexByte(domain, '.')
	if name != "" && dot > 0 && dot < len(domain)-1 && !strings.ContainsAny(text, " \t\n\r<>,;\"()") && !strings.Contains(domain, "@") {
		return nil
	}
	return schema.CodeBadEmail.Fault(
		Quote(text)+" is not an e-mail address", "write one address, such as ada@example.org, and nothing else",
	)
}
