package work

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"eventbatch/batch/postgres"
)

// How long the database has to answer, and how often it is asked, and the same told, at most.
const (
	answerWithin = 2 * time.Second
	askEvery     = time.Second
	tellEvery    = time.Minute
)

// outage tells when the database is away, and when it is back: not what every part of a worker meets
// meanwhile.
type outage struct {
	db  *postgres.DB
	log *slog.Logger

	mu    sync.Mutex
	since time.Time // of the outage; zero where there is none
	ended time.Time // the last one
	asked time.Time
	told  map[string]time.Time
}

// ask asks the database whether it answers.
func (o *outage) ask() (answers bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Since(o.asked) < askEvery {
		return o.since.IsZero()
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerWithin)
	defer cancel()
	err := o.db.Answers(ctx)
	o.asked = time.Now()
	switch {
	case err != nil && o.since.IsZero():
		o.since = o.asked
		o.log.Warn("nothing new is sent until the database is back", "error", err.Error())
	case err == nil && !o.since.IsZero():
		o.log.Info("the database is back", "after", time.Since(o.since).Round(time.Second).String())
		o.since, o.ended = time.Time{}, o.asked
	}
	return err == nil
}

// tells reports whether a worker tells of something that has failed: not in an outage, which is why, nor
// soon after one, and once a minute.
func (o *outage) tells(what string) bool {
	if !o.ask() {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Since(o.ended) < tellEvery || time.Since(o.told[what]) < tellEvery {
		return false
	}
	if o.told == nil {
		o.told = map[string]time.Time{}
	}
	o.told[what] = time.Now()
	return true
}

// calmer logs what River says: as a warning at most where it says that something failed, since the
// same is tried again, and not at all what only it wants to know.
type calmer struct {
	slog.Handler
	*outage
}

// Enabled reports whether a line is logged.
func (c calmer) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && c.Handler.Enabled(ctx, slog.LevelWarn)
}

// Handle logs a line.
func (c calmer) Handle(ctx context.Context, r slog.Record) error {
	if !c.tells(r.Message) {
		return nil
	}
	r.Level = min(r.Level, slog.LevelWarn)
	return c.Handler.Handle(ctx, r)
}
