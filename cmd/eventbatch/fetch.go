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
	var feeds []*feed.Feed
	done = func() {
		for _, f := range feeds {
			_ = f.Close() // the rows were read, or are not wanted
		}
	}
	a.names = map[string]string{}
	for _, file := range files {
		if !secret.IsAddress(file) {
			paths = append(paths, file)
			continue
		}
		address, err := secret.ParseAddress(file)
		if err != nil {
			done()
			return nil, nil, usagef("reading an address: %w", err)
		}
		a.say("reading %s\n", address)
		f, err := feed.Open(ctx, feed.Config{
			Source: feed.Source{Address: address}, Transport: transport, UserAgent: userAgent(), Again: a.askedAgain,
		})
		if err != nil {
			done()
			return nil, nil, err
		}
		feeds = append(feeds, f)
		paths, a.names[f.Path] = append(paths, f.Path), f.Name
	}
	return paths, done, nil
}
