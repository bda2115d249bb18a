package main

// From what the operator wrote and logged to the files of a case.

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"sigs.k8s.io/yaml"
)

// selectable are the kinds that workloads select: the resource, and how the selection names them.
var selectable = []struct{ kind, plural, name string }{
	{"ServiceMonitor", "servicemonitors", "serviceMonitors"},
	{"PodMonitor", "podmonitors", "podMonitors"},
	{"Probe", "probes", "probes"},
	{"ScrapeConfig", "scrapeconfigs", "scrapeConfigs"},
	{"PrometheusRule", "prometheusrules", "prometheusRules"},
	{"AlertmanagerConfig", "alertmanagerconfigs", "alertmanagerConfigs"},
}

// Selection is what a workload selects: by kind and `namespace/name`, the reason of the refusal, empty if it is accepted. A kind that was
// not selected is missing.
type Selection map[string]map[string]string

func (s Selection) count() (n int) {
	for _, resources := range s {
		n += len(resources)
	}
	return n
}

// selection reads the log: there is no other place that tells what agents and Alertmanagers select. The last finished selection of each kind
// counts.
func (a *Answer) selection(w Workload) Selection {
	found := Selection{}
	skipped := map[string]map[string]string{}
	key := w.namespace + "/" + w.name
	finish := func(kind, accepted string) {
		all := skipped[kind]
		if all == nil {
			all = map[string]string{}
		}
		for _, name := range strings.Split(accepted, ",") {
			if name != "" {
				all[name] = ""
			}
		}
		found[kind] = all
		delete(skipped, kind)
	}
	skip := func(kind, name string, line Line) {
		if skipped[kind] == nil {
			skipped[kind] = map[string]string{}
		}
		skipped[kind][name] = text(line["error"])
	}
	for _, line := range a.log {
		if text(line["component"]) != workloadKinds[w.kind].component {
			continue
		}
		switch message := text(line["msg"]); message {
		case "skipping object", "valid objects selected", "selecting objects":
			kind := kindOf(text(line["kind"]))
			if text(line["key"]) != key {
				continue
			}
			switch message {
			case "selecting objects":
				delete(skipped, kind)
			case "skipping object":
				skip(kind, text(line["object"]), line)
			default:
				finish(kind, text(line["objects"]))
			}
		case "skipping prometheusrule", "selected Rules", "selected RuleNamespaces":
			if !isAbout(line, w) {
				continue
			}
			switch message {
			case "selected RuleNamespaces":
				delete(skipped, "prometheusRules")
			case "skipping prometheusrule":
				skip("prometheusRules", text(line["namespace"])+"/"+text(line["prometheusrule"]), line)
			default:
				finish("prometheusRules", text(line["rules"]))
			}
		case "skipping alertmanagerconfig":
			if text(line["alertmanager"]) == w.name && text(line["namespace"]) == w.namespace {
				skip("alertmanagerConfigs", text(line["alertmanagerconfig"]), line)
			}
		case "selected AlertmanagerConfigs":
			if text(line["prometheus"]) == w.name && text(line["namespace"]) == w.namespace {
				finish("alertmanagerConfigs", text(line["alertmanagerconfigs"]))
			}
		}
	}
	return found
}

// isAbout: whether a line about rules is about a workload. `namespace` is the rule's there, `key` or the fields of the kind name the workload.
func isAbout(line Line, w Workload) bool {
	if key := text(line["key"]); key != "" {
		return key == w.namespace+"/"+w.name
	}
	for _, field := range []string{"prometheus", "thanos"} {
		if name := text(line[field]); name != "" {
			return name == w.name
		}
	}
	return true
}

func kindOf(logged string) string {
	for _, s := range selectable {
		if s.plural == strings.ToLower(logged) || s.name == logged || s.kind == logged {
			return s.name
		}
	}
	return logged
}

func text(value any) string {
	s, _ := value.(string)
	return s
}

// bindings are the statuses of configuration resources in which a workload is named, by resource and `namespace/name`.
func (a *Answer) bindings(w Workload) map[string]Obj {
	found := map[string]Obj{}
	for _, write := range a.writes {
		if write.subresource != "status" || write.apiVersion == "apps/v1" {
			continue
		}
		status, _ := write.body["status"].(Obj)
		all, _ := status["bindings"].([]any)
		for _, one := range all {
			binding, _ := one.(Obj)
			if binding["resource"] != workloadKinds[w.kind].plural || binding["namespace"] != w.namespace || binding["name"] != w.name {
				continue
			}
			found[write.plural+" "+write.namespace+"/"+write.name] = Obj{
				"apiVersion": write.apiVersion, "kind": kindOfPlural(write.plural),
				"metadata": Obj{"name": write.name, "namespace": write.namespace},
				"status":   Obj{"bindings": []any{timeless(binding)}},
			}
		}
	}
	return found
}

func kindOfPlural(plural string) string {
	for _, s := range selectable {
		if s.plural == plural {
			return s.kind
		}
	}
	return plural
}

// timeless is a value with NOW for times of transitions.
func timeless(value any) any {
	switch value := value.(type) {
	case Obj:
		out := Obj{}
		for key, inner := range value {
			if key == "lastTransitionTime" {
				out[key] = "NOW"
			} else if key != "observedGeneration" || inner != nil {
				out[key] = timeless(inner)
			}
		}
		return out
	case []any:
		out := []any{}
		for _, inner := range value {
			out = append(out, timeless(inner))
		}
		return out
	}
	return value
}

// owned: whether an object names a workload as its owner.
func owned(o Obj, w Workload) bool { return len(ownerOf(o, w)) > 0 }

func ownerOf(o Obj, w Workload) []any {
	meta, _ := o["metadata"].(Obj)
	owners, _ := meta["ownerReferences"].([]any)
	for _, one := range owners {
		if owner, _ := one.(Obj); owner["kind"] == w.kind && owner["name"] == w.name {
			return []any{owner}
		}
	}
	return nil
}

// events are what the operator reports of the resources that a workload selects: those that it refuses.
func (a *Answer) events(w Workload, selected Selection) []any {
	found := map[string]Obj{}
	for _, write := range a.writes {
		o := write.body
		regarding, _ := o["regarding"].(Obj)
		if write.apiVersion != "events.k8s.io/v1" {
			continue
		}
		related, _ := o["related"].(Obj)
		if related != nil && (related["kind"] != w.kind || related["namespace"] != w.namespace || related["name"] != w.name) {
			continue
		}
		kind, namespace, name, note := text(regarding["kind"]), text(regarding["namespace"]), text(regarding["name"]), text(o["note"])
		refused := selected[kindOf(kind)][namespace+"/"+name]
		if refused == "" || !(strings.HasSuffix(note, refused) || len(note) >= 1000) {
			continue
		}
		found[kind+" "+namespace+"/"+name] = Obj{"kind": kind, "namespace": namespace, "name": name, "type": o["type"],
			"reason": o["reason"], "action": o["action"], "note": note}
	}
	list := []any{}
	for _, key := range sorted(found) {
		list = append(list, found[key])
	}
	return list
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// files are the files of an answer, by their path below the case.
func (a *Answer) files() (map[string][]byte, error) {
	files := map[string][]byte{}
	// A case in which there is nothing else to say, since its workloads are being deleted, has an empty list. A panic says something.
	if len(a.refused) > 0 || len(a.workloads) == 0 && a.panic == "" {
		refused, err := json.MarshalIndent(append([]Refusal{}, a.refused...), "", "  ")
		if err != nil {
			return nil, err
		}
		files["refused.json"] = append(refused, '\n')
	}
	if a.panic != "" {
		files["panic.txt"] = []byte(a.panic + "\n")
	}
	for _, w := range a.workloads {
		folder := filepath.Join(workloadKinds[w.kind].folder, w.namespace, w.name)
		if err := a.workload(w, func(name string, content []byte) { files[filepath.Join(folder, name)] = content }); err != nil {
			return nil, fmt.Errorf("%s: %w", w, err)
		}
	}
	return files, nil
}

// workload writes the files of one workload.
func (a *Answer) workload(w Workload, write func(string, []byte)) error {
	status := a.status(w)
	if err := writeYAML(write, "status.yaml", Obj{"apiVersion": status["apiVersion"], "kind": status["kind"],
		"metadata": Obj{"name": w.name, "namespace": w.namespace}, "status": timeless(status["status"])}); err != nil {
		return err
	}
	if reconciled := condition(status, "Reconciled"); reconciled["status"] == "False" {
		write("error.txt", []byte(text(reconciled["message"])))
	}
	if err := a.writeSelection(w, write); err != nil {
		return err
	}
	sets, services := map[string]Obj{}, map[string]bool{}
	for _, sent := range a.writes {
		if sent.subresource != "" || sent.namespace != w.namespace {
			continue
		}
		owner := ownerOf(sent.body, w)
		if owner == nil || services[sent.name] {
			continue
		}
		// Later, other workloads write a Service that they share with this one, and keep its name among the owners.
		services[sent.name] = sent.plural == "services"
		o := copyOf(sent.body)
		delete(o, "status")
		meta := o["metadata"].(Obj)
		meta["ownerReferences"] = owner
		delete(meta, "resourceVersion")
		if annotations, ok := meta["annotations"].(Obj); ok {
			if _, ok := annotations["prometheus-operator-input-hash"]; ok {
				annotations["prometheus-operator-input-hash"] = ""
			}
		}
		if err := object(w, sent, o, sets, write); err != nil {
			return err
		}
	}
	for _, name := range sorted(sets) {
		kind := strings.ToLower(text(sets[name]["kind"]))
		if w.kind == "Prometheus" || w.kind == "PrometheusAgent" && kind == "statefulset" {
			kind = fmt.Sprintf("%s-%s", kind, shardOf(w, name))
		}
		if err := writeYAML(write, kind+".yaml", sets[name]); err != nil {
			return err
		}
	}
	return nil
}

// shardOf is the shard of a StatefulSet: its name ends in it, but for the first.
func shardOf(w Workload, name string) string {
	if _, shard, ok := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(name, "prometheus-"), "prom-agent-"), w.name+"-shard-"); ok {
		return shard
	}
	return "0"
}

// object writes one object of a workload, and the texts that it holds.
func object(w Workload, sent Write, o Obj, sets map[string]Obj, write func(string, []byte)) error {
	switch sent.plural {
	case "statefulsets", "daemonsets":
		sets[sent.name] = o
		return nil
	case "secrets":
		return secret(sent, o, write)
	case "configmaps":
		data, _ := o["data"].(Obj)
		for name, rules := range data {
			write(filepath.Join("rules", name), []byte(text(rules)))
		}
		return writeYAML(write, "configmap-"+sent.name+".yaml", o)
	case "services":
		return writeYAML(write, "service-"+sent.name+".yaml", o)
	}
	return writeYAML(write, strings.ToLower(text(o["kind"]))+"-"+sent.name+".yaml", o)
}

func secret(sent Write, o Obj, write func(string, []byte)) error {
	data, _ := o["data"].(Obj)
	for _, name := range []string{"prometheus.yaml", "alertmanager.yaml"} {
		// A Prometheus whose configuration the user keeps gets an empty one to begin with.
		packed, _ := data[name+".gz"].(string)
		if packed == "" {
			continue
		}
		plain, err := unzip(packed)
		if err != nil {
			return fmt.Errorf("%s: %w", sent.name, err)
		}
		write(name, plain)
		// Its content is the file; the bytes of a gzip are no fact.
		data[name+".gz"] = ""
	}
	if config, ok := data["web-config.yaml"].(string); ok {
		plain, err := base64.StdEncoding.DecodeString(config)
		if err != nil {
			return err
		}
		write("web-config.yaml", plain)
	}
	return writeYAML(write, "secret-"+sent.name+".yaml", o)
}

func unzip(packed string) ([]byte, error) {
	zipped, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		return nil, err
	}
	reader, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}

func (a *Answer) writeSelection(w Workload, write func(string, []byte)) error {
	selected, bound := a.selection(w), a.bindings(w)
	if len(selected) > 0 {
		out := Obj{"events": a.events(w, selected)}
		for kind, resources := range selected {
			states := Obj{}
			for name, refusal := range resources {
				state := Obj{"accepted": refusal == ""}
				if refusal != "" {
					state["reason"], state["message"] = "InvalidConfiguration", refusal
				}
				states[name] = state
			}
			out[kind] = states
		}
		content, err := json.MarshalIndent(out, "", "  ")
		if err != nil {
			return err
		}
		write("selection.json", append(content, '\n'))
	}
	if len(bound) == 0 {
		return nil
	}
	var all bytes.Buffer
	for _, key := range sorted(bound) {
		content, err := yaml.Marshal(bound[key])
		if err != nil {
			return err
		}
		all.WriteString("---\n")
		all.Write(content)
	}
	write("bindings.yaml", all.Bytes())
	return nil
}

func writeYAML(write func(string, []byte), name string, value Obj) error {
	content, err := yaml.Marshal(value)
	if err != nil {
		return err
	}
	write(name, content)
	return nil
}

// save writes the files of a case, and nothing else below its folder.
func save(folder string, files map[string][]byte) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("there is nothing in the answer")
	}
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
