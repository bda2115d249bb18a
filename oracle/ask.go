package main

// One case: the operator's own process against a server of its own, until it has settled.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os/exec"
	"sort"
	"strings"
	"sync"
	"time"
)

// Oracle asks the operator of one release.
type Oracle struct {
	build    Build
	api      *API
	reloader string
	gates    map[string]bool
	// known are the feature gates that the release has: it does not start with another one.
	known      []string
	kubernetes string
	patience   time.Duration
}

// quiet is how long nothing may be written before an answer is complete.
const quiet = 250 * time.Millisecond

// workloadKinds are the kinds that the operator makes workloads of, with the resource, the folder of the answers and the log's component.
var workloadKinds = map[string]struct{ plural, folder, component string }{
	"Prometheus":      {"prometheuses", "prometheus", "prometheus-controller"},
	"PrometheusAgent": {"prometheusagents", "prometheusagent", "prometheusagent-controller"},
	"Alertmanager":    {"alertmanagers", "alertmanager", "alertmanager-controller"},
	"ThanosRuler":     {"thanosrulers", "thanosruler", "thanos-controller"},
}

// Workload is one that the API server took.
type Workload struct {
	kind, namespace, name string
	isPaused              bool
}

func (w Workload) String() string { return w.kind + " " + w.namespace + "/" + w.name }

// Refusal is a resource that the API server does not take.
type Refusal struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	Message   string `json:"message"`
}

// load fills a server with the objects of a case.
func (oracle *Oracle) load(objects []Obj, s *Server) (workloads []Workload, refused []Refusal) {
	mentioned := map[string]bool{"default": true}
	for _, o := range objects {
		kind, _ := o["kind"].(string)
		stored, r, err := oracle.api.admit(o)
		meta, _ := o["metadata"].(Obj)
		name, _ := meta["name"].(string)
		namespace, _ := meta["namespace"].(string)
		if errors.Is(err, errUnknownKind) {
			continue
		}
		if err != nil {
			refused = append(refused, Refusal{kind, namespace, name, err.Error()})
			continue
		}
		// Names of rule files end in the uid: without one, the same input has the same names.
		meta, _ = stored["metadata"].(Obj)
		meta["uid"] = ""
		if namespace != "" {
			mentioned[namespace] = true
		}
		if kind == "Namespace" {
			label(meta, "kubernetes.io/metadata.name", name)
		}
		if kind == "StorageClass" {
			s.mayReadClasses = true
		}
		if _, ok := workloadKinds[kind]; ok {
			// Else the first thing that the operator does is to add it, and only then it looks at the workload.
			meta["finalizers"] = []any{"monitoring.coreos.com/status-cleanup"}
			spec, _ := stored["spec"].(Obj)
			workload := Workload{kind, namespace, name, spec["paused"] == true}
			// Of one that is being deleted nothing is written.
			if meta["deletionTimestamp"] == nil && s.store[gvOf(stored)+"/"+r.plural][namespace+"/"+name] == nil {
				workloads = append(workloads, workload)
			}
		}
		s.put(gvOf(stored)+"/"+r.plural, namespace, name, stored)
	}
	for name := range mentioned {
		if s.store["v1/namespaces"]["/"+name] == nil {
			meta := Obj{"name": name, "labels": Obj{"kubernetes.io/metadata.name": name}}
			s.put("v1/namespaces", "", name, Obj{"apiVersion": "v1", "kind": "Namespace", "metadata": meta})
		}
	}
	return workloads, refused
}

func gvOf(o Obj) string {
	gv, _ := o["apiVersion"].(string)
	return gv
}

func label(meta Obj, key, value string) {
	labels, _ := meta["labels"].(Obj)
	if labels == nil {
		labels = Obj{}
	}
	labels[key] = value
	meta["labels"] = labels
}

// Line is one line of the operator's log.
type Line = map[string]any

// output collects what the operator prints.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// lines are the finished lines of the log.
func (o *output) lines() []Line {
	var found []Line
	for _, text := range strings.SplitAfter(o.String(), "\n") {
		var line Line
		if strings.HasSuffix(text, "\n") && json.Unmarshal([]byte(text), &line) == nil {
			found = append(found, line)
		}
	}
	return found
}

// Answer is what the operator made of a case.
type Answer struct {
	workloads []Workload
	refused   []Refusal
	writes    []Write
	log       []Line
	// panic is the text with which the process ended: then nothing is known of any workload.
	panic string
}

// ask runs the operator on a case. An error is the reason why there is no answer.
func (oracle *Oracle) ask(c Case) (*Answer, error) {
	given, err := objects(c.files)
	if err != nil {
		return nil, fmt.Errorf("the input is no YAML: %w", err)
	}
	kubernetes := oracle.kubernetes
	if c.Kubernetes != "" {
		kubernetes = c.Kubernetes
	}
	s := newServer(oracle.api, kubernetes)
	workloads, refused := oracle.load(given, s)
	answer := &Answer{workloads: workloads, refused: refused}
	if len(workloads) == 0 {
		return answer, nil
	}
	server := httptest.NewServer(s)
	defer server.Close()
	defer server.CloseClientConnections()
	var log, panics output
	operator := exec.Command(oracle.build.operator(), oracle.flags(c, server.URL)...)
	operator.Stdout, operator.Stderr = &log, &panics
	if err := operator.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- operator.Wait() }()
	defer func() {
		operator.Process.Kill()
		<-ended
	}()
	deadline := time.Now().Add(oracle.patience)
	for {
		select {
		case err := <-ended:
			ended <- err
			if _, panic, ok := strings.Cut("\n"+panics.String(), "\npanic: "); ok {
				return &Answer{refused: refused, panic: firstLine(panic)}, nil
			}
			return nil, fmt.Errorf("the operator ended (%v): %s", err, tail(log.String()+panics.String()))
		case <-time.After(20 * time.Millisecond):
		}
		writes, last, faults := s.written()
		answer.writes, answer.log = writes, log.lines()
		if len(faults) > 0 {
			return nil, fmt.Errorf("the server lacks something: %s", strings.Join(faults, "; "))
		}
		open := answer.open()
		if open == "" && time.Since(last) > quiet {
			return answer, nil
		}
		if time.Now().After(deadline) {
			if open == "" {
				open = "it still writes"
			}
			return nil, fmt.Errorf("not settled after %s: %s\n%s", oracle.patience, open, tail(log.String()))
		}
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// tail is the end of a text, for a person to read.
func tail(text string) string {
	if len(text) > 3000 {
		text = "…" + text[len(text)-3000:]
	}
	return text
}

func (oracle *Oracle) flags(c Case, url string) []string {
	gates := map[string]bool{}
	for _, all := range []map[string]bool{oracle.gates, c.FeatureGates} {
		for name, on := range all {
			gates[name] = on
		}
	}
	var settings []string
	for _, name := range oracle.known {
		if on, ok := gates[name]; ok {
			settings = append(settings, fmt.Sprintf("%s=%t", name, on))
		}
	}
	sort.Strings(settings)
	flags := []string{"--apiserver=" + url, "--log-format=json", "--log-level=debug", "--web.listen-address=127.0.0.1:0", "--feature-gates=" + strings.Join(settings, ",")}
	if oracle.reloader != "" {
		flags = append(flags, "--prometheus-config-reloader="+oracle.reloader)
	}
	return flags
}

// open says what of an answer is still to come; nothing if it is complete.
func (a *Answer) open() string {
	for _, w := range a.workloads {
		status := a.status(w)
		if status == nil {
			return w.String() + " has no status"
		}
		reconciled := condition(status, "Reconciled")
		isReconciled := reconciled["status"] == "True"
		if !isReconciled && reconciled["status"] != "False" {
			return w.String() + " is not reconciled yet"
		}
		if w.isPaused || !isReconciled {
			continue
		}
		if !a.hasSet(w) {
			return w.String() + " is reconciled and has neither StatefulSet nor DaemonSet"
		}
		selected, bound := a.selection(w).count(), len(a.bindings(w))
		if (w.kind == "Prometheus" || w.kind == "ThanosRuler") && bound < selected && bound > 0 {
			return fmt.Sprintf("%s selects %d resources and has written %d bindings", w, selected, bound)
		}
	}
	return ""
}

func (a *Answer) hasSet(w Workload) bool {
	for _, write := range a.writes {
		if write.apiVersion == "apps/v1" && write.subresource == "" && owned(write.body, w) {
			return true
		}
	}
	return false
}

// status is the last status that was written of a workload.
func (a *Answer) status(w Workload) Obj {
	for i := len(a.writes) - 1; i >= 0; i-- {
		write := a.writes[i]
		if write.subresource == "status" && write.plural == workloadKinds[w.kind].plural && write.namespace == w.namespace && write.name == w.name {
			return write.body
		}
	}
	return nil
}

func condition(o Obj, kind string) Obj {
	status, _ := o["status"].(Obj)
	all, _ := status["conditions"].([]any)
	for _, one := range all {
		if c, ok := one.(Obj); ok && c["type"] == kind {
			return c
		}
	}
	return nil
}
