// What the operator itself answers: the configuration, the StatefulSets and the error of each workload of a case, and the events about
// resources that it rejects. `mutants` beside this file runs it, and compares the answers with those of promgen.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/blang/semver/v4"
	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"sigs.k8s.io/yaml"

	"github.com/prometheus-operator/prometheus-operator/pkg/alertmanager"
	"github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1alpha1"
	"github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1beta1"
	"github.com/prometheus-operator/prometheus-operator/pkg/operator"
	prometheusagent "github.com/prometheus-operator/prometheus-operator/pkg/prometheus/agent"
	prometheuscontroller "github.com/prometheus-operator/prometheus-operator/pkg/prometheus/server"
	"github.com/prometheus-operator/prometheus-operator/pkg/thanos"
)

var errw = os.Stderr

type crd struct {
	s *structural.Structural
	v validation.SchemaValidator
	c *cel.Validator
}

var crds = map[string]crd{} // "v1 Alertmanager"
var plurals = map[string]string{}

func loadCRDs(dir string) {
	files, _ := filepath.Glob(dir + "/*.yaml")
	for _, f := range files {
		b, _ := os.ReadFile(f)
		var d apiextv1.CustomResourceDefinition
		if err := yaml.Unmarshal(b, &d); err != nil {
			panic(err)
		}
		for _, v := range d.Spec.Versions {
			var in apiext.JSONSchemaProps
			if err := apiextv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, &in, nil); err != nil {
				panic(err)
			}
			s, err := structural.NewStructural(&in)
			if err != nil {
				panic(err)
			}
			val, _, err := validation.NewSchemaValidator(&in)
			if err != nil {
				panic(err)
			}
			crds[v.Name+" "+d.Spec.Names.Kind] = crd{s, val, cel.NewValidator(s, true, celconfig.PerCallLimit)}
			plurals[d.Spec.Names.Kind] = d.Spec.Names.Plural
		}
	}
}

var core = map[string]string{"Secret": "secrets", "ConfigMap": "configmaps", "Namespace": "namespaces", "Service": "services", "Pod": "pods", "StatefulSet": "statefulsets", "DaemonSet": "daemonsets", "StorageClass": "storageclasses", "Node": "nodes"}

// admit: what the API server makes of an object. "" if it takes it.
func admit(o Obj) (gvr, ns, name string, why string) {
	av, _ := o["apiVersion"].(string)
	kind, _ := o["kind"].(string)
	m, _ := o["metadata"].(Obj)
	if m == nil {
		return "", "", "", "no metadata"
	}
	name, _ = m["name"].(string)
	ns, _ = m["namespace"].(string)
	res := core[kind]
	if kind == "Namespace" || kind == "Node" || kind == "StorageClass" {
		ns = ""
	} else if ns == "" {
		ns = "default"
		m["namespace"] = ns
	}
	if strings.HasPrefix(av, "monitoring.coreos.com/") {
		res = plurals[kind]
		c, ok := crds[strings.TrimPrefix(av, "monitoring.coreos.com/")+" "+kind]
		if !ok {
			return "", "", "", "no such kind"
		}
		pruning.Prune(o, c.s, true)
		defaulting.PruneNonNullableNullsWithoutDefaults(o, c.s)
		defaulting.Default(o, c.s)
		if errs := validation.ValidateCustomResource(nil, o, c.v); len(errs) > 0 {
			return "", "", "", errs.ToAggregate().Error()
		}
		if errs := listtype.ValidateListSetsAndMaps(nil, c.s, o); len(errs) > 0 {
			return "", "", "", errs.ToAggregate().Error()
		}
		if c.c != nil {
			errs, _ := c.c.Validate(context.Background(), field.NewPath(""), c.s, o, nil, celconfig.RuntimeCELCostBudget)
			if len(errs) > 0 {
				return "", "", "", errs.ToAggregate().Error()
			}
		}
		if kind == "AlertmanagerConfig" && strings.HasSuffix(av, "v1beta1") {
			b, _ := json.Marshal(o)
			var src v1beta1.AlertmanagerConfig
			if err := json.Unmarshal(b, &src); err != nil {
				return "", "", "", err.Error()
			}
			var dst v1alpha1.AlertmanagerConfig
			if err := src.ConvertTo(&dst); err != nil {
				return "", "", "", err.Error()
			}
			dst.APIVersion, dst.Kind = "monitoring.coreos.com/v1alpha1", kind
			b, _ = json.Marshal(dst)
			for k := range o {
				delete(o, k)
			}
			json.Unmarshal(b, &o)
			av = dst.APIVersion
			o["apiVersion"], o["kind"] = av, kind
		}
	}
	if res == "" {
		return "", "", "", "skip"
	}
	if kind == "Secret" {
		if sd, ok := o["stringData"].(Obj); ok {
			d, _ := o["data"].(Obj)
			if d == nil {
				d = Obj{}
			}
			for k, v := range sd {
				d[k] = base64.StdEncoding.EncodeToString([]byte(fmt.Sprint(v)))
			}
			o["data"] = d
			delete(o, "stringData")
		}
	}
	return av + "/" + res, ns, name, ""
}

func read(path string) ([]Obj, []string) {
	b, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	dec := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(b)))
	var out []Obj
	var raw []string
	for {
		d, err := dec.Read()
		if err == io.EOF {
			break
		}
		var o Obj
		if err := yaml.Unmarshal(d, &o); err != nil {
			fmt.Fprintln(errw, path, err)
			continue
		}
		if o == nil {
			continue
		}
		out = append(out, o)
		raw = append(raw, string(d))
	}
	return out, raw
}

type handler struct{ fn func(string) }

func (h handler) Enabled(context.Context, slog.Level) bool { return true }
func (h handler) Handle(_ context.Context, r slog.Record) error {
	s := r.Level.String() + " " + r.Message
	r.Attrs(func(a slog.Attr) bool { s += " " + a.String(); return true })
	h.fn(s)
	return nil
}
func (h handler) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h handler) WithGroup(string) slog.Handler      { return h }

var kindDir = map[string]string{"Alertmanager": "alertmanager", "Prometheus": "prometheus", "PrometheusAgent": "prometheusagent", "ThanosRuler": "thanosruler"}

func one(dir string, verbose bool) {
	objs, raw := read(filepath.Join(dir, "input.yaml"))
	f := &Fake{store: map[string]map[string]Obj{}}
	namespaces := map[string]bool{"default": true}
	var kept, refused []string
	type wl struct{ kind, ns, name string }
	var wls []wl
	for i, o := range objs {
		kind, _ := o["kind"].(string)
		gvr, ns, name, why := admit(o)
		if why == "skip" {
			kept = append(kept, raw[i])
			continue
		}
		if why != "" {
			refused = append(refused, kind+" "+why)
			continue
		}
		kept = append(kept, raw[i])
		m := o["metadata"].(Obj)
		if m["uid"] == nil {
			m["uid"] = ""
		}
		if kind == "Namespace" {
			l, _ := m["labels"].(Obj)
			if l == nil {
				l = Obj{}
			}
			l["kubernetes.io/metadata.name"] = name
			m["labels"] = l
			delete(namespaces, name)
		} else if ns != "" {
			if f.store["v1/namespaces"]["/"+ns] == nil {
				namespaces[ns] = true
			}
		}
		f.put(gvr, ns, name, o)
		if kindDir[kind] != "" {
			wls = append(wls, wl{kind, ns, name})
		}
	}
	for n := range namespaces {
		if f.store["v1/namespaces"]["/"+n] == nil {
			f.put("v1/namespaces", "", n, Obj{"apiVersion": "v1", "kind": "Namespace", "metadata": Obj{"name": n, "labels": Obj{"kubernetes.io/metadata.name": n}}})
		}
	}
	os.WriteFile(filepath.Join(dir, "clean.yaml"), []byte(strings.Join(kept, "\n---\n")), 0o644)
	if len(refused) > 0 {
		os.WriteFile(filepath.Join(dir, "refused.txt"), []byte(strings.Join(refused, "\n")), 0o644)
	}
	srv := httptest.NewServer(f)
	ctx, cancel := context.WithCancel(context.Background())
	var mu sync.Mutex
	var logs, events []string
	statuses := map[string]Obj{}
	f.status = func(k string, o Obj) { mu.Lock(); statuses[k] = o; mu.Unlock() }
	f.event = func(o Obj) {
		mu.Lock()
		r, _ := o["regarding"].(Obj)
		if r == nil {
			r, _ = o["involvedObject"].(Obj)
		}
		b, _ := json.Marshal([]any{r["kind"], r["namespace"], r["name"], o["reason"], o["note"], o["message"]})
		events = append(events, string(b))
		mu.Unlock()
	}
	logger := slog.New(handler{func(s string) { mu.Lock(); logs = append(logs, s); mu.Unlock() }})
	cfg := operator.DefaultConfig("10m", "50Mi")
	cfg.ReloaderConfig.Image = "quay.io/prometheus-operator/prometheus-config-reloader:v0.93.0"
	cfg.Namespaces.Finalize()
	cfg.AlertmanagerDefaultBaseImage = "quay.io/prometheus/alertmanager"
	cfg.PrometheusDefaultBaseImage = "quay.io/prometheus/prometheus"
	cfg.ThanosDefaultBaseImage = "quay.io/thanos/thanos"
	cfg.EventRecorderFactory = operator.NewEventRecorderFactory(true)
	cfg.LocalHost = "localhost"
	cfg.KubernetesVersion = semver.MustParse("1.35.0")
	if err := cfg.Gates.UpdateFeatureGates(map[string]bool{"PrometheusAgentDaemonSet": true}); err != nil {
		panic(err)
	}
	rc := &rest.Config{Host: srv.URL, QPS: 10000, Burst: 10000}
	need := map[string]bool{}
	for _, w := range wls {
		need[w.kind] = true
	}
	type controller interface {
		Run(context.Context) error
		Sync(context.Context, string) error
	}
	var wg sync.WaitGroup
	controllers := map[string]controller{}
	for kind := range need {
		reg := prometheus.NewRegistry()
		var c controller
		var err error
		switch kind {
		case "Alertmanager":
			c, err = alertmanager.New(ctx, rc, cfg, logger, reg)
		case "Prometheus":
			c, err = prometheuscontroller.New(ctx, rc, cfg, logger, reg, prometheuscontroller.WithScrapeConfig(), prometheuscontroller.WithEndpointSlice(), prometheuscontroller.WithPodTopologyLabels())
		case "PrometheusAgent":
			c, err = prometheusagent.New(ctx, rc, cfg, logger, reg, prometheusagent.WithScrapeConfig(), prometheusagent.WithEndpointSlice(), prometheusagent.WithPodTopologyLabels())
		case "ThanosRuler":
			c, err = thanos.New(ctx, rc, cfg, logger, reg)
		}
		if err != nil {
			fmt.Fprintln(errw, dir, "new", kind, err)
			continue
		}
		wg.Add(1)
		controllers[kind] = c
		go func() { defer wg.Done(); c.Run(ctx) }()
	}
	// Statuses of all workloads say that they were synced.
	deadline := time.Now().Add(8 * time.Second)
	for time.Now().Before(deadline) {
		mu.Lock()
		n := 0
		for _, w := range wls {
			k := "monitoring.coreos.com/v1/"
			if w.kind == "PrometheusAgent" {
				k = "monitoring.coreos.com/v1alpha1/"
			}
			if s := statuses[k+plurals[w.kind]+" "+w.ns+"/"+w.name]; s != nil {
				n++
			}
		}
		mu.Unlock()
		if n == len(wls) {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	for _, w := range wls {
		out := filepath.Join(dir, "expected"+*suffix, kindDir[w.kind], w.ns, w.name)
		os.RemoveAll(out)
		os.MkdirAll(out, 0o755)
		if c := controllers[w.kind]; c != nil {
			err := func() (err error) {
				defer func() {
					if r := recover(); r != nil {
						err = fmt.Errorf("PANIC %v", r)
					}
				}()
				return c.Sync(ctx, w.ns+"/"+w.name)
			}()
			if err != nil {
				os.WriteFile(filepath.Join(out, "error.txt"), []byte(err.Error()), 0o644)
			}
		}
		f.mu.Lock()
		for k, o := range f.store["v1/secrets"] {
			if !strings.HasPrefix(k, w.ns+"/") {
				continue
			}
			d, _ := o["data"].(Obj)
			name := strings.TrimPrefix(k, w.ns+"/")
			want := map[string]string{"alertmanager-" + w.name + "-generated": "alertmanager.yaml", "prometheus-" + w.name: "prometheus.yaml", "prom-agent-" + w.name: "prometheus.yaml"}[name]
			if want == "" || d == nil {
				continue
			}
			s, _ := d[want+".gz"].(string)
			z, _ := base64.StdEncoding.DecodeString(s)
			if g, err := gzip.NewReader(bytes.NewReader(z)); err == nil {
				t, _ := io.ReadAll(g)
				os.WriteFile(filepath.Join(out, want), t, 0o644)
			}
		}
		for _, kind := range []string{"statefulsets", "daemonsets"} {
			for k, o := range f.store["apps/v1/"+kind] {
				if strings.HasPrefix(k, w.ns+"/") {
					b, _ := json.Marshal(o)
					os.WriteFile(filepath.Join(out, "sts-"+strings.TrimPrefix(k, w.ns+"/")+".json"), b, 0o644)
				}
			}
		}
		f.mu.Unlock()
	}
	time.Sleep(15 * time.Millisecond)
	mu.Lock()
	sort.Strings(events)
	os.WriteFile(filepath.Join(dir, "events"+*suffix+".txt"), []byte(strings.Join(events, "\n")), 0o644)
	if verbose {
		os.WriteFile(filepath.Join(dir, "logs.txt"), []byte(strings.Join(logs, "\n")), 0o644)
		b, _ := json.MarshalIndent(statuses, "", " ")
		os.WriteFile(filepath.Join(dir, "statuses.txt"), b, 0o644)
	}
	mu.Unlock()
	cancel()
	srv.CloseClientConnections()
	wg.Wait()
	go srv.Close()
}

var suffix = flag.String("suffix", "", "what the name of the folder of answers ends in")

func main() {
	dir := flag.String("crds", "", "the folder of the custom resource definitions")
	v := flag.Bool("v", false, "write the log and the statuses beside the answers")
	j := flag.Int("j", 2, "how many cases at once")
	flag.Parse()
	klog.SetLogger(logr.Discard())
	loadCRDs(*dir)
	ch := make(chan string)
	var wg sync.WaitGroup
	for i := 0; i < *j; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for d := range ch {
				one(d, *v)
			}
		}()
	}
	t := time.Now()
	for _, d := range flag.Args() {
		ch <- d
	}
	close(ch)
	wg.Wait()
	fmt.Fprintln(errw, flag.NArg(), "cases", time.Since(t))
}
