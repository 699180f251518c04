package main

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"eventbatch/batch/work"
)

// object is one of a cluster, of any kind that the manifest has. Members that it does not have are refused.
type object struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Data       map[string]string
	Spec       struct {
		Replicas                   int
		MaxUnavailable             int    `yaml:"maxUnavailable"`
		UnhealthyPodEvictionPolicy string `yaml:"unhealthyPodEvictionPolicy"`
		Selector                   selector
		Template                   struct {
			Metadata struct{ Labels map[string]string }
			Spec     workerPod
		}
	}
}

type selector struct {
	MatchLabels map[string]string `yaml:"matchLabels"`
}

type workerPod struct {
	TerminationGracePeriodSeconds int   `yaml:"terminationGracePeriodSeconds"`
	AutomountServiceAccountToken  *bool `yaml:"automountServiceAccountToken"`
	SecurityContext               struct {
		RunAsNonRoot   bool                  `yaml:"runAsNonRoot"`
		RunAsUser      int                   `yaml:"runAsUser"`
		RunAsGroup     int                   `yaml:"runAsGroup"`
		FSGroup        int                   `yaml:"fsGroup"`
		SeccompProfile struct{ Type string } `yaml:"seccompProfile"`
	} `yaml:"securityContext"`
	TopologySpreadConstraints []struct {
		MaxSkew           int      `yaml:"maxSkew"`
		TopologyKey       string   `yaml:"topologyKey"`
		WhenUnsatisfiable string   `yaml:"whenUnsatisfiable"`
		NodeTaintsPolicy  string   `yaml:"nodeTaintsPolicy"`
		LabelSelector     selector `yaml:"labelSelector"`
		MatchLabelKeys    []string `yaml:"matchLabelKeys"`
	} `yaml:"topologySpreadConstraints"`
	InitContainers []workerContainer `yaml:"initContainers"`
	Containers     []workerContainer
	Volumes        []struct {
		Name      string
		ConfigMap *struct{ Name string } `yaml:"configMap"`
		EmptyDir  *struct{}              `yaml:"emptyDir"`
	}
}

type workerContainer struct {
	Name, Image string
	Args        []string
	Env         []struct {
		Name      string
		ValueFrom struct {
			SecretKeyRef struct{ Name, Key string } `yaml:"secretKeyRef"`
		} `yaml:"valueFrom"`
	}
	EnvFrom []struct {
		SecretRef struct{ Name string } `yaml:"secretRef"`
	} `yaml:"envFrom"`
	Ports []struct {
		Name          string
		ContainerPort int `yaml:"containerPort"`
	}
	ReadinessProbe  *probe `yaml:"readinessProbe"`
	LivenessProbe   *probe `yaml:"livenessProbe"`
	Resources       struct{ Requests, Limits map[string]string }
	SecurityContext struct {
		AllowPrivilegeEscalation *bool `yaml:"allowPrivilegeEscalation"`
		ReadOnlyRootFilesystem   bool  `yaml:"readOnlyRootFilesystem"`
		Capabilities             struct{ Drop []string }
	} `yaml:"securityContext"`
	VolumeMounts []struct {
		Name      string
		MountPath string `yaml:"mountPath"`
		ReadOnly  bool   `yaml:"readOnly"`
	} `yaml:"volumeMounts"`
}

type probe struct {
	HTTPGet struct {
		Path string
		Port string
	} `yaml:"httpGet"`
	TimeoutSeconds int `yaml:"timeoutSeconds"`
}

// objects returns what the manifest of the workers has.
func objects(t *testing.T) (list []object) {
	t.Helper()
	decoder := yaml.NewDecoder(strings.NewReader(textOf(t, ".kubernetes/worker.yaml")))
	decoder.KnownFields(true)
	for {
		var o object
		switch err := decoder.Decode(&o); {
		case errors.Is(err, io.EOF):
			return list
		case err != nil:
			t.Fatal(err)
		}
		list = append(list, o)
	}
}

// deployed returns the object of the workers, and all of them by their kinds.
func deployed(t *testing.T) (workers object, all map[string]object) {
	t.Helper()
	all = map[string]object{}
	for _, o := range objects(t) {
		all[o.APIVersion+" "+o.Kind] = o
	}
	return all["apps/v1 Deployment"], all
}

// What the manifest of a cluster has run are commands with their flags, and their profile can be
// read: it names the database and the keys by the variables that they set.
func TestTheManifestIsOfThisProgram(t *testing.T) {
	workers, all := deployed(t)
	config := filepath.Join(t.TempDir(), "eventbatch.yaml")
	if err := os.WriteFile(config, []byte(all["v1 ConfigMap"].Data["eventbatch.yaml"]), 0o600); err != nil {
		t.Fatal(err)
	}
	pod := workers.Spec.Template.Spec
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
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
		for _, v := range pod.Volumes {
			mounted := false
			for _, m := range c.VolumeMounts {
				mounted = mounted || m.Name == v.Name
			}
			if !mounted {
				t.Errorf("%s: %s is mounted nowhere", c.Name, v.Name)
			}
		}
	}
}

// The same manifest is applied for a first time and for each new version: no object of it is of a kind that
// cannot be changed, as a Job is, and the tables are there before a worker begins.
func TestTheManifestIsAppliedAgain(t *testing.T) {
	workers, all := deployed(t)
	want := []string{"apps/v1 Deployment", "policy/v1 PodDisruptionBudget", "v1 ConfigMap"}
	if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	pod := workers.Spec.Template.Spec
	if len(pod.InitContainers) != 1 || len(pod.Containers) != 1 {
		t.Fatalf("%d begin before %d", len(pod.InitContainers), len(pod.Containers))
	}
	before, worker := pod.InitContainers[0], pod.Containers[0]
	if !slices.Equal(before.Args[:2], []string{"store", "migrate"}) || worker.Args[0] != "worker" || before.Image != worker.Image {
		t.Errorf("%s %v, then %s %v", before.Image, before.Args, worker.Image, worker.Args)
	}
	if diff := difference(t, worker.Env, before.Env); diff != "" {
		t.Error(diff)
	}
}

// Each container is as little trusted as the other one.
func TestTheManifestTrustsNobody(t *testing.T) {
	workers, _ := deployed(t)
	pod := workers.Spec.Template.Spec
	own := pod.SecurityContext
	if !own.RunAsNonRoot || own.RunAsUser == 0 || own.RunAsGroup == 0 || own.SeccompProfile.Type != "RuntimeDefault" {
		t.Errorf("%+v", own)
	}
	if token := pod.AutomountServiceAccountToken; token == nil || *token {
		t.Error("the cluster's own key is mounted")
	}
	for _, c := range slices.Concat(pod.InitContainers, pod.Containers) {
		tight := c.SecurityContext
		if escalates := tight.AllowPrivilegeEscalation; escalates == nil || *escalates || !tight.ReadOnlyRootFilesystem ||
			!slices.Equal(tight.Capabilities.Drop, []string{"ALL"}) || c.Resources.Limits["memory"] == "" {
			t.Errorf("%s: %+v %v", c.Name, tight, c.Resources.Limits)
		}
	}
}

// A node that is lost, or is emptied, leaves a worker. One that hangs is begun anew, one that only waits for
// the database is not.
func TestTheManifestKeepsAWorker(t *testing.T) {
	workers, all := deployed(t)
	labels, pod := workers.Spec.Template.Metadata.Labels, workers.Spec.Template.Spec
	budget := all["policy/v1 PodDisruptionBudget"].Spec
	if workers.Spec.Replicas < 2 || budget.MaxUnavailable >= workers.Spec.Replicas || budget.MaxUnavailable < 1 {
		t.Errorf("of %d workers %d may be taken", workers.Spec.Replicas, budget.MaxUnavailable)
	}
	if len(pod.TopologySpreadConstraints) != 1 {
		t.Fatalf("%+v", pod.TopologySpreadConstraints)
	}
	spread := pod.TopologySpreadConstraints[0]
	if spread.MaxSkew != 1 || spread.TopologyKey != "kubernetes.io/hostname" {
		t.Errorf("%+v", spread)
	}
	for _, s := range []selector{workers.Spec.Selector, budget.Selector, spread.LabelSelector} {
		if !maps.Equal(s.MatchLabels, labels) {
			t.Errorf("%v are meant, not %v", s.MatchLabels, labels)
		}
	}
	worker := pod.Containers[0]
	port := worker.Ports[0]
	if at := slices.Index(worker.Args, "--listen"); worker.Args[at+1] != ":9464" || port.ContainerPort != 9464 {
		t.Errorf("%v, and port %+v", worker.Args, port)
	}
	routes := work.New(work.Config{}).Handler().(*http.ServeMux)
	for path, p := range map[string]*probe{"/healthz": worker.ReadinessProbe, "/livez": worker.LivenessProbe} {
		if p == nil || p.HTTPGet.Path != path || p.HTTPGet.Port != port.Name {
			t.Errorf("%s: %+v", path, p)
			continue
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, route := routes.Handler(request); route == "" {
			t.Errorf("a worker does not answer %s", path)
		}
	}
}
