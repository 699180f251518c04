// Command units prints the units of systemd that a package has as examples, as sync install prints them.
package main

import (
	"log"
	"os"

	"eventbatch/batch/install"
)

func main() {
	job := install.Job{
		Sync: "members", Variables: []string{"MAIN_KEY"},
		Schedule: install.Schedule{At: install.Clock{Hour: 3}, Zone: "UTC"},
		Host: install.Host{
			Program: "/usr/bin/eventbatch", User: "eventbatch",
			Folder: "/var/lib/eventbatch", Workspace: "/var/lib/eventbatch/.eventbatch",
		},
	}
	if err := install.Write(os.Stdout, "systemd", job); err != nil {
		log.Fatal(err)
	}
}
