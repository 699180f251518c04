package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// manifest is what the cluster's documents say that the program has to understand.
type manifest struct {
	Kind string
	Data map[string]string
	Spec struct {
		Template struct {
			Spec struct {
				Containers []struct {
					Args    []string
					Env     []struct{ Name string }
					EnvFrom []struct {
						SecretRef struct{ Name string } `yaml:"secretRef"`
					} `yaml:"envFrom"`
					VolumeMounts []struct{ Name string } `yaml:"volumeMounts"`
				}
				Volumes []struct{ Name string }
			}
		}
	}
}

// What the manifests of a cluster have run are commands with their flags, and their profile can be
// read: it names the database and the keys by the variables that they set.
func TestManifestsAreOfThisProgram(t *testing.T) {
	decoder := yaml.NewDecoder(strings.NewReader(textOf(t, ".kubernetes/worker.yaml")))
	var kinds []string
	config := filepath.Join(t.TempDir(), "eventbatch.yaml")
	for {
		var m manifest
		err := decoder.Decode(&m)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, m.Kind)
		if text := m.Data["eventbatch.yaml"]; text != "" {
			if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range m.Spec.Template.Spec.Containers {
			var stderr bytes.Buffer
			args := slices.Clone(c.Args)
			args[slices.Index(args, "--config")+1] = config
			env := []string{"HOME=" + t.TempDir(), "MAIN_KEY=key", "EVENTBATCH_WORKSPACE=" + t.TempDir()}
			for _, v := range c.Env {
				env = append(env, v.Name+"=postgres:///none?host="+t.TempDir())
			}
			if code := run(t.Context(), env, args, nil, io.Discard, &stderr); code != 69 {
				t.Errorf("%v: exit %d, want that the database cannot be reached\n%s", c.Args, code, &stderr)
			}
			for _, v := range m.Spec.Template.Spec.Volumes {
				if !slices.ContainsFunc(c.VolumeMounts, func(m struct{ Name string }) bool { return m.Name == v.Name }) {
					t.Errorf("%s is mounted nowhere", v.Name)
				}
			}
		}
	}
	if want := []string{"ConfigMap", "Job", "Deployment"}; !slices.Equal(kinds, want) {
		t.Errorf("%v, want %v", kinds, want)
	}
}
