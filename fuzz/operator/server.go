// An API server as far as the operator needs one: objects of one case, lists, and watches that only begin.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sort"
	"strings"
	"sync"

	"k8s.io/client-go/kubernetes/scheme"
)

type Obj = map[string]any

// Fake holds the objects of a case: by "group/version/resource", then by "namespace/name".
type Fake struct {
	mu     sync.Mutex
	store  map[string]map[string]Obj
	rv     int
	event  func(Obj)
	status func(key string, o Obj)
	wrote  func(gvr, nsname string, o Obj)
}

func (f *Fake) put(gvr, ns, name string, o Obj) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.putLocked(gvr, ns, name, o)
}
func (f *Fake) putLocked(gvr, ns, name string, o Obj) {
	f.rv++
	m, _ := o["metadata"].(Obj)
	if m == nil {
		m = Obj{}
		o["metadata"] = m
	}
	m["resourceVersion"] = fmt.Sprint(f.rv)
	if f.store[gvr] == nil {
		f.store[gvr] = map[string]Obj{}
	}
	f.store[gvr][ns+"/"+name] = o
}

var kinds = map[string]string{
	"v1/secrets": "Secret", "v1/configmaps": "ConfigMap", "v1/namespaces": "Namespace", "v1/services": "Service", "v1/pods": "Pod", "v1/nodes": "Node", "v1/endpoints": "Endpoints", "v1/events": "Event", "v1/persistentvolumeclaims": "PersistentVolumeClaim",
	"apps/v1/statefulsets": "StatefulSet", "apps/v1/daemonsets": "DaemonSet",
	"storage.k8s.io/v1/storageclasses": "StorageClass", "policy/v1/poddisruptionbudgets": "PodDisruptionBudget",
	"discovery.k8s.io/v1/endpointslices":     "EndpointSlice",
	"monitoring.coreos.com/v1/alertmanagers": "Alertmanager", "monitoring.coreos.com/v1/prometheuses": "Prometheus", "monitoring.coreos.com/v1/thanosrulers": "ThanosRuler",
	"monitoring.coreos.com/v1/servicemonitors": "ServiceMonitor", "monitoring.coreos.com/v1/podmonitors": "PodMonitor", "monitoring.coreos.com/v1/probes": "Probe", "monitoring.coreos.com/v1/prometheusrules": "PrometheusRule",
	"monitoring.coreos.com/v1alpha1/alertmanagerconfigs": "AlertmanagerConfig", "monitoring.coreos.com/v1alpha1/scrapeconfigs": "ScrapeConfig", "monitoring.coreos.com/v1alpha1/prometheusagents": "PrometheusAgent",
	"monitoring.coreos.com/v1beta1/alertmanagerconfigs": "AlertmanagerConfig",
	"events.k8s.io/v1/events":                           "Event",
}

func reply(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(v)
}

func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if r.URL.Path == "/version" {
		reply(w, 200, Obj{"major": "1", "minor": "35", "gitVersion": "v1.35.0"})
		return
	}
	var gv string
	switch {
	case p[0] == "api" && len(p) == 1:
		reply(w, 200, Obj{"kind": "APIVersions", "versions": []string{"v1"}})
		return
	case p[0] == "apis" && len(p) == 1:
		seen := map[string][]string{}
		for k := range kinds {
			s := strings.Split(k, "/")
			if len(s) == 3 && !contains(seen[s[0]], s[1]) {
				seen[s[0]] = append(seen[s[0]], s[1])
			}
		}
		var gs []any
		for g, vs := range seen {
			var l []any
			for _, v := range vs {
				l = append(l, Obj{"groupVersion": g + "/" + v, "version": v})
			}
			gs = append(gs, Obj{"name": g, "versions": l, "preferredVersion": l[0]})
		}
		reply(w, 200, Obj{"kind": "APIGroupList", "apiVersion": "v1", "groups": gs})
		return
	case p[0] == "api":
		gv, p = p[1], p[2:]
	case p[0] == "apis" && len(p) >= 3:
		gv, p = p[1]+"/"+p[2], p[3:]
	default:
		reply(w, 404, Obj{"kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404})
		return
	}
	if len(p) == 0 {
		var rs []any
		for k, kind := range kinds {
			if strings.HasPrefix(k, gv+"/") {
				name := k[len(gv)+1:]
				rs = append(rs, Obj{"name": name, "kind": kind, "namespaced": name != "namespaces" && name != "nodes" && name != "storageclasses", "verbs": []string{"get", "list", "watch", "create", "update", "patch", "delete"}})
			}
		}
		reply(w, 200, Obj{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": gv, "resources": rs})
		return
	}
	if strings.Contains(gv, "authorization.k8s.io") {
		var o Obj
		if o == nil {
			o = Obj{"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1"}
		}
		o["status"] = Obj{"allowed": true}
		reply(w, 201, o)
		return
	}
	ns := ""
	if p[0] == "namespaces" && len(p) > 2 {
		ns, p = p[1], p[2:]
	}
	res, name, sub := p[0], "", ""
	if len(p) > 1 {
		name = p[1]
	}
	if len(p) > 2 {
		sub = p[2]
	}
	gvr := gv + "/" + res
	kind := kinds[gvr]
	apiVersion := gv
	f.mu.Lock()
	defer f.mu.Unlock()
	partial := strings.Contains(r.Header.Get("Accept"), "PartialObjectMetadata")
	shape := func(o Obj) Obj {
		if !partial {
			return o
		}
		return Obj{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": o["metadata"]}
	}
	body := func() Obj {
		b, _ := io.ReadAll(r.Body)
		var o Obj
		if strings.Contains(r.Header.Get("Content-Type"), "protobuf") {
			obj, _, err := scheme.Codecs.UniversalDeserializer().Decode(b, nil, nil)
			if err != nil {
				fmt.Fprintln(errw, "protobuf", r.URL, err)
				return Obj{}
			}
			b, _ = json.Marshal(obj)
		}
		if err := json.Unmarshal(b, &o); err != nil {
			fmt.Fprintln(errw, "body", r.Method, r.URL, r.Header.Get("Content-Type"), err)
			return Obj{}
		}
		return o
	}
	list := func() []Obj {
		var keys []string
		for k := range f.store[gvr] {
			if ns == "" || strings.HasPrefix(k, ns+"/") {
				keys = append(keys, k)
			}
		}
		sort.Strings(keys)
		l := []Obj{}
		for _, k := range keys {
			l = append(l, f.store[gvr][k])
		}
		return l
	}
	q := r.URL.Query()
	sel := q.Get("fieldSelector")
	match := func(o Obj) bool {
		labels, _ := o["metadata"].(Obj)["labels"].(Obj)
		for _, part := range strings.Split(q.Get("labelSelector"), ",") {
			if k, v, ok := strings.Cut(part, "="); ok && labels[k] != v {
				return false
			}
		}
		if strings.HasPrefix(sel, "metadata.name=") {
			return o["metadata"].(Obj)["name"] == strings.TrimPrefix(sel, "metadata.name=")
		}
		return true
	}
	switch r.Method {
	case "GET":
		if name != "" {
			o := f.store[gvr][ns+"/"+name]
			if o == nil {
				reply(w, 404, Obj{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404, "message": fmt.Sprintf("%s %q not found", plural(gv, res), name), "details": Obj{"name": name, "kind": res}})
				return
			}
			reply(w, 200, shape(o))
			return
		}
		if q.Get("watch") == "true" || q.Get("watch") == "1" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(200)
			enc := json.NewEncoder(w)
			if q.Get("sendInitialEvents") == "true" {
				for _, o := range list() {
					if match(o) {
						enc.Encode(Obj{"type": "ADDED", "object": typed(shape(o), apiVersion, kind, partial)})
					}
				}
				b := Obj{"metadata": Obj{"resourceVersion": fmt.Sprint(f.rv), "annotations": Obj{"k8s.io/initial-events-end": "true"}}}
				enc.Encode(Obj{"type": "BOOKMARK", "object": typed(b, apiVersion, kind, partial)})
			}
			w.(http.Flusher).Flush()
			f.mu.Unlock()
			<-r.Context().Done()
			f.mu.Lock()
			return
		}
		items := []any{}
		for _, o := range list() {
			if match(o) {
				items = append(items, typed(shape(o), apiVersion, kind, partial))
			}
		}
		k, av := kind+"List", apiVersion
		if partial {
			k, av = "PartialObjectMetadataList", "meta.k8s.io/v1"
		}
		reply(w, 200, Obj{"kind": k, "apiVersion": av, "metadata": Obj{"resourceVersion": fmt.Sprint(f.rv)}, "items": items})
	case "POST":
		o := body()
		m, _ := o["metadata"].(Obj)
		n, _ := m["name"].(string)
		if strings.HasSuffix(gvr, "/events") {
			if f.event != nil {
				f.event(o)
			}
			reply(w, 201, o)
			return
		}
		f.putLocked(gvr, ns, n, o)
		if f.wrote != nil {
			f.wrote(gvr, ns+"/"+n, o)
		}
		reply(w, 201, typed(o, apiVersion, kind, false))
	case "PUT", "PATCH":
		o := body()
		if sub == "status" {
			if f.status != nil {
				f.status(gvr+" "+ns+"/"+name, o)
			}
			old := f.store[gvr][ns+"/"+name]
			if old == nil {
				old = o
			}
			reply(w, 200, typed(old, apiVersion, kind, false))
			return
		}
		f.putLocked(gvr, ns, name, o)
		if f.wrote != nil {
			f.wrote(gvr, ns+"/"+name, o)
		}
		reply(w, 200, typed(o, apiVersion, kind, false))
	case "DELETE":
		if name != "" && f.store[gvr][ns+"/"+name] == nil {
			reply(w, 404, Obj{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404, "message": "not found", "details": Obj{"name": name, "kind": res}})
			return
		}
		delete(f.store[gvr], ns+"/"+name)
		reply(w, 200, Obj{"kind": "Status", "apiVersion": "v1", "status": "Success"})
	}
}

func plural(gv, res string) string {
	if i := strings.Index(gv, "/"); i > 0 {
		return res + "." + gv[:i]
	}
	return res
}
func typed(o Obj, apiVersion, kind string, partial bool) Obj {
	c := Obj{}
	for k, v := range o {
		c[k] = v
	}
	if partial {
		c["kind"], c["apiVersion"] = "PartialObjectMetadata", "meta.k8s.io/v1"
	} else {
		c["kind"], c["apiVersion"] = kind, apiVersion
	}
	return c
}
func contains(l []string, s string) bool {
	for _, x := range l {
		if x == s {
			return true
		}
	}
	return false
}
