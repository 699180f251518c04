package codepage

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

const (
	french  = "Nom;Début\nFête de la musique – près du théâtre;15h\nÉtoile Sportive – Brétigny;20h45\n"
	german  = "Titel;Beginn\nFrühstück für Anfänger;9 Uhr\nStraßenfest in Köln;ab 12 Uhr – 5 €\n"
	spanish = "Título;Sábado\nMañana de niños;¿Quién viene?\nCompañía de ópera;José Ángel Muñoz\n"
	english = "Name;Where\nDon’t miss it – the children’s day;O’Brien’s\nIt’s “free”, we’re told;£5 – £10\nYou’ll love it;Mary’s\n"
	czech   = "Název;Začátek\nPřátelské setkání;večer v šest\nDětské dílny;v sobotu dopoledne\nKončíme;čtvrtek\n"
	polish  = "Nazwa;Początek\nŚwięto pieśni;późny wieczór\nGórska wędrówka;środa\n"
	russian = "Название;Начало\nКонцерт в парке;вечером\n"
	croat   = "Naziv;Početak\nVečer poezije;Kovačić\nDječja škola;petak navečer\n"
	turkish = "Ad;Başlangıç\nÇocuk şenliği;akşam\nKış yürüyüşü;sabah\n"
)

func encoded(tb testing.TB, name, text string) string {
	tb.Helper()
	enc, _, err := Named(name)
	if err != nil {
		tb.Fatal(err)
	}
	out, err := enc.NewEncoder().String(text)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

func TestWhatIsCertainIsNamed(t *testing.T) {
	for _, tc := range []struct{ text, sample string }{
		{french, "Fête de la musique – près du théâtre"},
		{german, "Frühstück für Anfänger"},
		{spanish, "Compañía de ópera"},
		{english, "Don’t miss it – the children’s day"},
	} {
		g, err := Find(iotest.OneByteReader(strings.NewReader(encoded(t, Windows, tc.text))))
		if err != nil || g.UTF8 || g.Name != Windows || g.Sample != tc.sample {
			t.Errorf("%.20q: %+v, %v", tc.text, g, err)
		}
	}
}

// A text of another encoding is not taken for certain, and its own is among what it may be.
func TestAnotherEncodingIsNeverTakenForWindows(t *testing.T) {
	for _, tc := range []struct{ encoding, text string }{
		{"macintosh", french},
		{"macintosh", german},
		{"macintosh", spanish},
		{"macintosh", english},
		{"ibm850", strings.NewReplacer("–", "-", "€", "EUR").Replace(french)},
		{"ibm850", strings.NewReplacer("–", "-", "€", "EUR").Replace(german)},
		{"ibm850", spanish},
		{"windows-1250", czech},
		{"iso-8859-2", czech},
		{"windows-1250", polish},
		{"iso-8859-2", polish},
		{"windows-1250", croat},
		{"windows-1251", russian},
		{"koi8-r", russian},
		{"windows-1254", turkish},
	} {
		raw := encoded(t, tc.encoding, tc.text)
		g, err := Find(strings.NewReader(raw))
		if err != nil || g.Name != "" {
			t.Errorf("%s: %+v, %v", tc.encoding, g, err)
		}
		found := false
		for _, r := range g.Readings {
			found = found || strings.Contains(tc.text, r.Sample)
		}
		if !found {
			t.Errorf("%s: it may be %+v", tc.encoding, g.Readings)
		}
	}
}

func TestWhatIsThinIsNotCertain(t *testing.T) {
	latin := encoded(t, Windows, german)
	for name, raw := range map[string]string{
		"a single letter":               "name\nCaf\xe9\n",
		"a single word":                 "name\nFr\xfchst\xfcck\n",
		"a letter that Slovenes have":   "name\nR\xe8gles du jeu\n",
		"a byte that is no character":   latin + "M\x81ller\n",
		"a sign within a word":          latin + "Fr\x94hlich\n",
		"a line of UTF-8 among others":  latin + "Müller\n",
		"a capital within a word":       latin + "Don\xd5t\n",
		"a cut character at the end":    "a,b\n1,\xe2\x82",
		"Shift JIS":                     encoded(t, "shift_jis", "名前,場所\nこんにちは,東京\n"),
		"GBK":                           encoded(t, "gbk", "名称,开始\n音乐会,上海\n"),
		"letters that Norwegian has so": "name\n\xf8\xe5 \xe6\xf8\n",
	} {
		if g, err := Find(strings.NewReader(raw)); err != nil || g.UTF8 || g.Name != "" {
			t.Errorf("%s: %+v, %v", name, g, err)
		}
	}
}

func TestUTF8IsKnown(t *testing.T) {
	long := strings.Repeat("é", blockBytes) // no end of a cell, and characters across blocks
	for _, tc := range []struct {
		text string
		wide bool
	}{
		{"", false},
		{"name\nTea\n", false},
		{"name\nThé\n", true},
		{"x" + long, true},
		{long, true},
		{strings.Repeat("Tea,", blockBytes) + "é", true},
	} {
		g, err := Find(strings.NewReader(tc.text))
		if err != nil || !g.UTF8 || g.Wide != tc.wide {
			t.Errorf("%.10q: %+v, %v", tc.text, g, err)
		}
	}
	if _, err := Find(iotest.ErrReader(io.ErrClosedPipe)); err != io.ErrClosedPipe {
		t.Error(err)
	}
}

func TestEncodingsAreNamed(t *testing.T) {
	for name, want := range map[string]string{
		"ANSI": Windows, "latin1": Windows, "ibm850": "ibm850", "UTF8": "utf-8", "replacement": "", "klingon": "", "": "",
	} {
		if _, got, err := Named(name); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
}

// Whatever the bytes are, they are read once and in bounds, and what is certain is no UTF-8.
func FuzzFind(f *testing.F) {
	f.Add([]byte("Fr\xfchst\xfcck;\x96 \x80"))
	f.Add([]byte("M\xfc\xc3\xbcller\xa0"))
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := Find(bytes.NewReader(text))
		if err != nil || g.UTF8 && (g.Name != "" || g.Readings != nil) || g.Name != "" && g.Wide {
			t.Errorf("%+v, %v", g, err)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	text := bytes.Repeat([]byte("Tea,2027-03-20 18:00,Europe/Paris,none of it is more than ASCII\n"), 1<<14)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Find(bytes.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}
