package main

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"eventbatch/batch/journal/files"
)

// sixtyNights are nights of one sync, one after the other.
func sixtyNights() []oneNight {
	const season = "a=Tea b=Bread c=Choir d=Dance e=Eggs f=Flute g=Games h=Hike i=Ink j=Judo k=Kites l=Lute"
	const hour, year = time.Hour, 365 * 24 * time.Hour
	return []oneNight{
		{what: "the first", feed: season, live: season, told: "changed"},
		{what: "the same feed", says: "nothing new since"},
		{what: "a row more, one of them changed", feed: "m=Mint b=Bakery", live: "m=Mint b=Bakery", told: "changed"},
		{what: "the gateway fails", answer: "502", code: exitUnavailable, told: "failed"},
		{what: "it fails an hour later", answer: "502", after: hour, code: exitUnavailable},
		{what: "it is well again", told: "recovered"},
		{what: "the feed has no rows", answer: "empty", code: exitRefused, told: "refused", says: "no rows"},
		{what: "the feed is half", answer: "half", after: hour, code: exitRefused, told: "refused", says: "nothing"},
		{
			what: "an event is edited by hand, and its row is as it was",
			by:   edit("Dance", "name", "Ballet"), live: "d=Ballet", told: "recovered",
		},
		{what: "a row is gone", feed: "-m", says: "its event stays for now"},
		{what: "it is gone from another feed", feed: "c=Chorus", live: "c=Chorus -m", told: "changed"},
		{what: "it comes back", feed: "m=Mint", live: "m=Mint", told: "changed"},
		{what: "an answer that is cut", feed: "a=Tisane", answer: "cut", code: exitUnavailable, told: "failed"},
		{what: "a page to log in", answer: "html", after: hour, code: exitInvalid, told: "failed"},
		{what: "a connection that breaks", answer: "silent", after: hour, code: exitUnavailable, told: "failed"},
		{what: "a whole feed again", live: "a=Tisane", told: "recovered"},
		{what: "every row twice", answer: "doubled", code: exitInvalid, told: "failed"},
		{what: "the rows upside down", answer: "upside down", told: "recovered"},
		{what: "no byte at all", answer: "nothing", code: exitInvalid, told: "failed"},
		{what: "a start is put off over the change of clocks", feed: "e=Eggs@03-31T18:00", live: "e=Eggs@03-31T18:00", told: "recovered"},
		{what: "another is moved to the last hour of winter", feed: "e=Eggs@03-30T01:30", live: "e=Eggs@03-30T01:30", told: "changed"},
		{what: "an hour that the clocks leave out", feed: "e=Eggs@03-30T02:30", code: exitInvalid, told: "failed"},
		{
			what: "a start at the end that the platform has",
			feed: "e=Eggs@03-30T03:30", after: hour, code: exitPartial, told: "failed", says: "end-before-start",
		},
		{what: "in summer time, two hours on", feed: "e=Eggs@03-29T23:30", live: "e=Eggs@03-29T23:30", told: "recovered"},
		{what: "an event is cancelled by hand", by: cancel("Flute"), live: "-f"},
		{what: "its row stays", feed: "g=Chess", live: "g=Chess", told: "changed"},
		{what: "its row changes", feed: "f=Oboe", code: exitPartial, told: "failed"},
		{what: "it changes back", feed: "f=Flute", told: "recovered"},
		{
			what: "both sides change a name",
			feed: "h=Walk", by: edit("Hike", "name", "Ramble"), live: "h=Ramble", code: exitPartial, told: "failed",
		},
		{what: "they still differ", after: hour, code: exitPartial},
		{what: "somebody decides", with: "--on-conflict theirs", told: "recovered"},
		{what: "that is not asked again", feed: "i=Quill", live: "i=Quill", told: "changed"},
		{what: "the key is revoked", feed: "l=Lyre", by: revoke, code: exitNoPerm, told: "failed"},
		{what: "the key is back", live: "l=Lyre", told: "recovered"},
		{what: "another program uses the key up", feed: "j=Sumo", live: "j=Sumo", by: useUp, told: "changed"},
		{what: "somebody imports a row by hand", feed: "n=Nap", live: "n=Nap", by: byHand("n=Nap")},
		{what: "the feed changes that row", feed: "-f n=Nest", live: "n=Nest", told: "changed"},
		{what: "nobody hears of it", feed: "e=Egg@03-29T23:30", live: "e=Egg@03-29T23:30", by: deafen},
		{what: "they hear of it later", told: "changed", says: "nothing new since"},
		{what: "another process is at it", feed: "g=Go", by: hold, code: exitLocked, says: "sync members is held by process"},
		{what: "it still is", by: hold, code: exitLocked, told: "failed"},
		{what: "it is gone", live: "g=Go", told: "recovered"},
		{
			what: "a column is read otherwise",
			with: "--set description_md=Hello --first mine --max-update 100%", code: exitRefused, told: "refused", says: "--accept",
		},
		{what: "somebody has seen that", with: "--set description_md=Hello --first mine --accept --max-update 100%", told: "recovered"},
		{what: "nothing is new", with: "--set description_md=Hello --first mine", says: "nothing new"},
		{what: "it is read as before", says: "nothing is cancelled tonight"},
		{what: "a row is gone again", feed: "-l"},
		{
			what: "its event was changed by hand", by: edit("Lyre", "name", "Harp"), feed: "k=Kayak", live: "k=Kayak l=Harp",
			code: exitPartial, told: "failed", says: "changed on the platform",
		},
		{what: "it is back, and says the same", feed: "l=Harp", told: "recovered"},
		{what: "four rows go", feed: "-g -h -i -j"},
		{what: "they are more than a guard allows", feed: "k=Koi", code: exitRefused, told: "refused", says: "--max-cancel"},
		{what: "somebody allows it", with: "--max-cancel 4", live: "-g -h -i -j k=Koi", told: "recovered"},
		{
			what: "the keys are others", feed: "-a -b -c o=Tisane@04-01T18:00 p=Bakery@04-02T18:00 q=Chorus@04-03T18:00",
			code: exitRefused, told: "refused", says: "--rename",
		},
		{
			what: "somebody says which", with: "--rename a=o --rename b=p --rename c=q",
			live: "-a -b -c o=Tisane@04-01T18:00 p=Bakery@04-02T18:00 q=Chorus@04-03T18:00", told: "recovered",
		},
		{what: "one key is another", feed: "-d r=Dance@04-04T18:00", code: exitPartial, told: "failed", says: "probably"},
		{what: "it was a mistake", feed: "-r d=Dance", told: "recovered"},
		{
			what: "the workspace is lost, and three rows with it",
			feed: "-o -p -q", by: lose, code: exitPartial, told: "failed", says: "nothing is known",
		},
		{what: "the platform is right", with: "--first theirs", told: "recovered"},
		{what: "a row changes after that", feed: "k=Kilts", live: "k=Kilts", told: "changed"},
		{what: "the last night", says: "nothing new since"},
		{what: "a row is new", feed: "s=Sage", live: "s=Sage", told: "changed"},
		{what: "the gateway fails again", answer: "502", code: exitUnavailable, told: "failed"},
		{what: "the clock was a year ahead while it failed", answer: "502", after: -year, code: exitUnavailable, told: "failed"},
		{what: "a row is gone once more", feed: "-s", told: "recovered", says: "its event stays for now"},
		{what: "the clock was a year ahead until then", after: -year, feed: "l=Harps", live: "l=Harps", told: "changed"},
		{what: "the row has been gone for two nights", feed: "l=Lyres", live: "l=Lyres -s", told: "changed"},
		{
			what: "another machine has the folder", by: holdElsewhere, feed: "l=Lute", code: exitLocked,
			says: "sync members is held by process 4711 of another machine, elsewhere",
		},
		{what: "it has left it", live: "l=Lute", told: "changed"},
	}
}

// lose loses the workspace.
func lose(s *sixty) {
	if err := os.RemoveAll(filepath.Join(s.dir, ".eventbatch")); err != nil {
		s.t.Fatal(err)
	}
}

// revoke has the keys refused for a night.
func revoke(s *sixty) {
	env := s.env
	s.env = append(slices.Clone(env), "CALENDAR_KEY=revoked", "ORGANIZATION_KEY=revoked-too")
	s.after = func() { s.env = env }
}

// useUp has the service say that the limit is reached.
func useUp(s *sixty) {
	fault := faults(s.t, "429:100%")
	fault[0].Times = 2
	if err := s.service.SetFaults(fault); err != nil {
		s.t.Fatal(err)
	}
}

// byHand imports a row that a person has written.
func byHand(rows string) func(*sixty) {
	return func(s *sixty) {
		list := map[string]string{}
		change(list, rows)
		s.write("by-hand.csv", s.csv(list, ""))
		if code, words := s.command("import by-hand.csv --yes"); code != 0 {
			s.t.Fatalf("exit %d: %s", code, words)
		}
	}
}

// deafen has nobody hear what is told that night.
func deafen(s *sixty) {
	s.deaf = true
	s.after = func() { s.deaf = false }
}

// hold holds the sync as another process would.
func hold(s *sixty) {
	unlock, err := files.LockFolder(filepath.Join(s.dir, ".eventbatch/syncs/members"), "sync")
	if err != nil {
		s.t.Fatal(err)
	}
	s.after = func() {
		if err := unlock(); err != nil {
			s.t.Fatal(err)
		}
	}
}

// holdElsewhere holds the sync as a process of another machine would that shares the folder.
func holdElsewhere(s *sixty) {
	hold(s)
	if err := os.WriteFile(filepath.Join(s.dir, ".eventbatch/syncs/members/lock"), []byte("4711 elsewhere\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
}
