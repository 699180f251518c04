package main

import (
	"context"
	"slices"

	"eventbatch/batch/feed"
	"eventbatch/batch/secret"
)

// userAgent names the program to those who are asked.
func userAgent() string { return "eventbatch/" + version() }

// fetch gets the files that are given by their addresses, and returns where each lies.
// What was got is called by the short form of its address. done removes it.
func fetch(ctx context.Context, a *env, files []string) (paths []string, done func(), err error) {
	if !slices.ContainsFunc(files, secret.IsAddress) {
		return files, func() {}, nil
	}
	transport, err := a.feedTransport()
	if err != nil {
		return nil, nil, err
	}
	defer transport.CloseIdleConnections()
	config := feed.Config{Transport: transport, UserAgent: userAgent(), Again: a.askedAgain}
	paths, a.names, done, err = feed.Fetch(ctx, files, config, func(address secret.Address) { a.say("reading %s\n", address) })
	return paths, done, err
}
