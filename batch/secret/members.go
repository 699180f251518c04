package secret

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Names reports whether what goes by a name is a secret, as far as the name tells: secret,
// signing_secret, apiKey, access_token, sslpassword and their like.
func Names(name string) bool {
	word := strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(strings.ToLower(name))
	return strings.HasSuffix(word, "token") || strings.HasSuffix(word, "tokens") ||
		slices.ContainsFunc(secretWords, func(part string) bool { return strings.Contains(word, part) })
}

var secretWords = []string{"secret", "password", "passwd", "passphrase", "pwd", "apikey", "privatekey", "accesskey", "credential"}

// HideMembers puts [Redacted] in the place of each value of a JSON text that its name calls a
// secret. Nothing, the empty text, true and false stay: they tell whether there is one.
func HideMembers(text json.RawMessage) json.RawMessage {
	if !json.Valid(text) {
		return text
	}
	m := members{text: text, decoder: json.NewDecoder(bytes.NewReader(text))}
	m.value(false)
	var out []byte
	copied := 0
	for _, s := range m.secrets {
		out = append(append(out, text[copied:s.from]...), `"`+Redacted+`"`...)
		copied = s.to
	}
	return append(out, text[copied:]...)
}

// members goes through a JSON text.
type members struct {
	text    []byte
	decoder *json.Decoder
	secrets []span
}

// value goes through a value, which is a secret or none.
func (m *members) value(secret bool) {
	from := int(m.decoder.InputOffset())
	token, _ := m.decoder.Token() // the text is valid
	from += bytes.IndexFunc(m.text[from:], func(r rune) bool { return !strings.ContainsRune(" \t\r\n:,", r) })
	within := len(m.secrets)
	switch token {
	case nil, "", true, false:
		return
	case json.Delim('{'):
		for m.decoder.More() {
			name, _ := m.decoder.Token()
			m.value(Names(name.(string)))
		}
		_, _ = m.decoder.Token()
	case json.Delim('['):
		for m.decoder.More() {
			m.value(false)
		}
		_, _ = m.decoder.Token()
	}
	if secret {
		m.secrets = append(m.secrets[:within], span{from, int(m.decoder.InputOffset())})
	}
}
