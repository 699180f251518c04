package main

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// conduct is what a program has to know of a command before it calls it, besides its words and flags. Tests hold it
// against what scripts see: the documents that are printed, and the exit codes.
type conduct struct {
	repeat    repetition
	leave     string // what gives leave to reach people and money; empty of a command that reaches nobody
	uses      uses
	documents []string // that --json prints, but for the one of an end that has no other; nil where it refuses --json
}

// uses are what a command may fail at; asks is said where a person is asked, or a file that is there is left alone.
type uses struct{ files, runs, service, asks, sends bool }

// repetition is what a second call of the same command does.
type repetition string

const (
	readOnly    repetition = "read-only"
	finds       repetition = "idempotent"
	resumes     repetition = "resumable"
	once        repetition = "exactly-once"
	byOperation repetition = "by-operation"
)

// repetitions say why the same command may be given twice, and whether it may without a look at what the first one did.
var repetitions = map[repetition]struct {
	safe bool
	why  string
}{
	readOnly:    {true, "it changes nothing but the files that it is asked to write"},
	finds:       {true, "the second time finds it done"},
	resumes:     {true, "it goes on where the first one stopped"},
	once:        {true, "it goes on where the first one stopped, and sends no row again that was sent"},
	byOperation: {false, "what a second request does depends on the operation: eventbatch operations says it"},
}

// byAllow is what gives leave to most commands that reach people.
const byAllow = "--allow, or allow in the profile"

// conducts are those of all commands, by their words behind the program's name.
var conducts = map[string]conduct{
	"apply":                 {once, byAllow, uses{runs: true, service: true, sends: true}, []string{"run"}},
	"call":                  {byOperation, byAllow, uses{files: true, runs: true, service: true, sends: true}, []string{"answer", "run"}},
	"check":                 {readOnly, "", uses{files: true}, []string{"check"}},
	"commands":              {readOnly, "", uses{}, []string{"commands"}},
	"completion":            {readOnly, "", uses{}, nil},
	"completion bash":       {readOnly, "", uses{}, nil},
	"completion fish":       {readOnly, "", uses{}, nil},
	"completion powershell": {readOnly, "", uses{}, nil},
	"completion zsh":        {readOnly, "", uses{}, nil},
	"doctor":                {finds, "", uses{runs: true, service: true}, []string{"doctor"}},
	"explain":               {readOnly, "", uses{}, []string{"codes"}},
	"export":                {resumes, "", uses{runs: true, service: true}, []string{"export"}},
	"fields":                {readOnly, "", uses{}, []string{"fields"}},
	"fix":                   {readOnly, "", uses{files: true, asks: true}, []string{"fix"}},
	"import":                {once, byAllow, uses{files: true, runs: true, service: true, sends: true}, []string{"run"}},
	"init":                  {finds, "", uses{files: true, service: true, asks: true}, []string{"init"}},
	"look":                  {readOnly, "", uses{files: true}, []string{"look"}},
	"man":                   {readOnly, "", uses{}, []string{"man"}},
	"map":                   {readOnly, "", uses{files: true}, []string{"map"}},
	"map show":              {readOnly, "", uses{files: true}, []string{"preset", "presets"}},
	"map test":              {readOnly, "", uses{files: true}, []string{"tests"}},
	"mcp":                   {resumes, "--allow, for apply alone, which --apply serves", uses{runs: true, service: true}, nil},
	"migrate":               {once, byAllow, uses{files: true, runs: true, service: true, sends: true}, []string{"run"}},
	"open":                  {resumes, "a tick within --allow", uses{files: true, runs: true, service: true}, []string{"open"}},
	"operations":            {readOnly, "", uses{}, []string{"operations"}},
	"plan":                  {resumes, "", uses{files: true, runs: true, service: true, sends: true}, []string{"run"}},
	"report":                {readOnly, "", uses{runs: true}, []string{"month", "report"}},
	"retry":                 {once, byAllow, uses{runs: true, service: true, sends: true}, []string{"run"}},
	"runs":                  {readOnly, "", uses{runs: true}, []string{"runs"}},
	"runs prune":            {finds, "", uses{runs: true}, []string{"prune"}},
	"sandbox":               {finds, "", uses{runs: true}, []string{"sandbox"}},
	"sandbox fill":          {finds, "", uses{runs: true}, []string{"fill"}},
	"sandbox outbox":        {readOnly, "", uses{runs: true}, []string{"outbox"}},
	"schema":                {readOnly, "", uses{}, []string{"schema"}},
	"show":                  {readOnly, "", uses{runs: true}, []string{"show"}},
	"store":                 {readOnly, "", uses{}, nil},
	"store check":           {readOnly, "", uses{runs: true}, []string{"store"}},
	"store copy":            {finds, "", uses{runs: true}, []string{"store"}},
	"store migrate":         {finds, "", uses{runs: true}, []string{"store"}},
	"sync":                  {once, byAllow, uses{files: true, runs: true, service: true, sends: true}, []string{"run"}},
	"sync install":          {readOnly, "", uses{runs: true}, []string{"install"}},
	"template":              {readOnly, "", uses{}, []string{"template"}},
	"undo":                  {once, byAllow, uses{runs: true, service: true, sends: true}, []string{"run"}},
	"version":               {readOnly, "", uses{}, []string{"version"}},
	"worker":                {resumes, "that of the command which left the run", uses{runs: true, service: true}, nil},
}

// exits returns the codes that a command may end with.
func (c conduct) exits(flags *pflag.FlagSet) []int {
	codes := map[int]bool{
		exitDone: true, exitInternal: true, exitUsage: true, exitIOErr: true, exitConfig: true, exitInterrupted: true, exitTerminated: true,
	}
	for _, may := range []struct {
		uses  bool
		codes []int
	}{
		{c.uses.files, []int{exitInvalid, exitNoInput, exitUnavailable, exitNoPerm}},
		{c.uses.runs, []int{exitPartial, exitStale, exitLocked, exitNoInput, exitUnavailable, exitNoPerm}},
		{c.uses.service, []int{exitPartial, exitStopped, exitUnavailable, exitNoPerm}},
		{c.uses.asks || c.uses.sends, []int{exitRefused}},
		{c.uses.sends, []int{exitPartial, exitStale, exitLocked, exitStopped}},
		{flags.Lookup("detailed-exitcode") != nil, []int{exitChanges}},
	} {
		for _, code := range may.codes {
			codes[code] = codes[code] || may.uses
		}
	}
	maps.DeleteFunc(codes, func(_ int, may bool) bool { return !may })
	return slices.Sorted(maps.Keys(codes))
}

// conductOf returns the conduct of a command.
func conductOf(cmd *cobra.Command) conduct { return conducts[below(cmd)] }
