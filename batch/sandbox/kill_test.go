package sandbox

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// killedFolder names the folder for the process that TestKilledProcess kills.
const killedFolder = "SANDBOX_TEST_KILLED_FOLDER"

// TestKilledProcess serves from another process, kills it in the middle of many
// creates, then looks whether every create that was answered is there.
func TestKilledProcess(t *testing.T) {
	if dir := os.Getenv(killedFolder); dir != "" {
		serveUntilKilled(t, dir)
		return
	}
	dir := t.TempDir()
	answered := map[string]string{} // id by slug
	for round := range 4 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledProcess$")
		cmd.Env = append(os.Environ(), killedFolder+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		address, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		c := &client{t, &http.Transport{}, "http://" + strings.TrimSpace(address), http.Header{"X-Service-Api-Key": {"sandbox"}}}
		var mu sync.Mutex
		var wait sync.WaitGroup
		enough := make(chan struct{})
		count := 0
		for n := range 8 {
			wait.Go(func() {
				for i := 0; ; i++ {
					slug := fmt.Sprintf("tea-%d-%d-%d", round, n, i)
					r, err := c.send(strings.Replace("POST /v1/events/create "+tea, "{", `{"slug":"`+slug+`",`, 1))
					if err != nil {
						return // killed
					}
					mu.Lock()
					answered[slug] = r.body
					if count++; count == 100 {
						close(enough)
					}
					mu.Unlock()
				}
			})
		}
		<-enough
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		wait.Wait()
		_ = cmd.Wait() // says that it was killed
	}
	s, _ := disked(t, dir)
	held := map[string]string{}
	for _, e := range s.Events() {
		held[e.Slug] = `{"id":"` + e.ID + `"}`
	}
	for slug, body := range answered {
		if held[slug] != body {
			t.Errorf("%s was answered with %s, held is %q", slug, body, held[slug])
		}
	}
	if len(answered) < 400 {
		t.Errorf("only %d creates were answered", len(answered))
	}
}

func serveUntilKilled(t *testing.T, dir string) {
	s, err := New(Config{Dir: dir, Limits: Limits{Calendar: -1}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(l.Addr())
	t.Error(s.Serve(t.Context(), l))
}
