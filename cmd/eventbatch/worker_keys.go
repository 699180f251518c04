package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"

	"eventbatch/batch/profile"
	"eventbatch/mapping/failure"
)

// renews has the profile and the keys be read anew at each SIGHUP until stop is called.
func (c *carrier) renews() (stop func()) {
	signals, quit, done := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		defer close(done)
		for {
			select {
			case <-signals:
				c.renew()
			case <-quit:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(quit)
		<-done
	}
}

// renew has the shares go on by the profile as it is now. Where it cannot be used the old one stays.
func (c *carrier) renew() {
	keys, err := c.keysNow()
	if err != nil {
		hint, _ := failure.HintOf(err)
		c.log.Error("the profile stays as it was", "error", err.Error(), "hint", hint)
		return
	}
	c.keys.Store(keys)
	c.forget()
	c.log.Info("the profile was read anew", "profile", keys.Name, "keys", len(keys.Keys))
	if err := c.worker.Restart(c.command.Context()); err != nil {
		c.log.Warn("what waits is tried later", "error", err.Error())
	}
}

// keysNow reads the profile.
func (c *carrier) keysNow() (*profile.Connection, error) {
	now, err := c.loadProfile()
	if err == nil {
		err = now.Ready()
	}
	was := c.conn.profile
	if err == nil && (now.Limits != was.Limits || now.CAFile != was.CAFile || now.Shared != was.Shared) {
		err = failure.New(failure.Config, errors.New("limits, ca_file or store has changed, which a worker takes at its start"),
			"end the worker, and start another one")
	}
	return now, err
}
