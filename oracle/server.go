package main

// An API server as far as the operator needs one: the objects of one case, lists, watches that only begin, and all that is written.

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sort"
	"strings"
	"sync"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// Write is something that the operator sent: an object, a status, an event.
type Write struct {
	apiVersion, plural, namespace, name, subresource string
	body                                             Obj
}

// about is the object, or the part of it, that was written.
func (w Write) about() string {
	return strings.Join([]string{w.apiVersion, w.plural, w.namespace, w.name, w.subresource}, "/")
}

// says is what was written, without what differs each time.
func (w Write) says() string {
	o, _ := timeless(w.body).(Obj)
	if meta, ok := o["metadata"].(Obj); ok {
		delete(meta, "resourceVersion")
	}
	text, _ := json.Marshal(o)
	return string(text)
}

// Server holds the objects of a case, by "group/version/plural" and "namespace/name".
type Server struct {
	api        *API
	kubernetes string
	// mayReadClasses: whether the operator is allowed to look for StorageClasses, so that it checks those of workloads.
	mayReadClasses bool

	mu     sync.Mutex
	store  map[string]map[string]Obj
	serial int
	writes []Write
	// said is the last write about each object.
	said map[string]string
	last time.Time
	// faults are requests that this server cannot answer: a case that makes one has no answer.
	faults []string
}

func newServer(api *API, kubernetes string) *Server {
	return &Server{api: api, kubernetes: kubernetes, store: map[string]map[string]Obj{}, said: map[string]string{}, last: time.Now()}
}

// put stores an object.
func (s *Server) put(key, namespace, name string, o Obj) {
	s.serial++
	meta, _ := o["metadata"].(Obj)
	if meta == nil {
		meta = Obj{}
		o["metadata"] = meta
	}
	meta["resourceVersion"] = fmt.Sprint(s.serial)
	if s.store[key] == nil {
		s.store[key] = map[string]Obj{}
	}
	s.store[key][namespace+"/"+name] = o
}

// written is what was written so far, and when the last request that could change something came. Of workloads that fail, the operator
// writes the same status with every attempt, without end.
func (s *Server) written() ([]Write, time.Time, []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Write(nil), s.writes...), s.last, append([]string(nil), s.faults...)
}

func reply(w http.ResponseWriter, code int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(value)
}

func status(w http.ResponseWriter, code int, reason, message string, details Obj) {
	reply(w, code, Obj{"kind": "Status", "apiVersion": "v1", "metadata": Obj{}, "status": "Failure", "reason": reason, "message": message, "details": details, "code": code})
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/version":
		major, minor, _ := strings.Cut(s.kubernetes, ".")
		reply(w, 200, Obj{"major": major, "minor": minor, "gitVersion": "v" + s.kubernetes + ".0"})
	case path[0] == "api" && len(path) == 1:
		reply(w, 200, Obj{"kind": "APIVersions", "versions": []string{"v1"}})
	case path[0] == "apis" && len(path) == 1:
		reply(w, 200, Obj{"kind": "APIGroupList", "apiVersion": "v1", "groups": s.groups()})
	case path[0] == "api" && len(path) == 2:
		s.discover(w, path[1])
	case path[0] == "apis" && len(path) == 3:
		s.discover(w, path[1]+"/"+path[2])
	case path[0] == "api":
		s.serve(w, r, path[1], path[2:])
	case path[0] == "apis" && len(path) > 3:
		s.serve(w, r, path[1]+"/"+path[2], path[3:])
	default:
		status(w, 404, "NotFound", "the server could not find the requested resource", nil)
	}
}

func (s *Server) groups() []any {
	versions := map[string][]any{}
	for gv := range s.api.resources {
		if group, version, ok := strings.Cut(gv, "/"); ok {
			versions[group] = append(versions[group], Obj{"groupVersion": gv, "version": version})
		}
	}
	groups := []any{}
	for group, all := range versions {
		groups = append(groups, Obj{"name": group, "versions": all, "preferredVersion": all[0]})
	}
	return groups
}

func (s *Server) discover(w http.ResponseWriter, gv string) {
	list, ok := s.api.resources[gv]
	if !ok {
		status(w, 404, "NotFound", "the server could not find the requested resource", nil)
		return
	}
	verbs := []string{"get", "list", "watch", "create", "update", "patch", "delete"}
	found := []any{}
	for _, r := range list {
		found = append(found, Obj{"name": r.plural, "singularName": "", "kind": r.kind, "namespaced": r.namespaced, "verbs": verbs})
	}
	reply(w, 200, Obj{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": gv, "resources": found})
}

// request is one request about a resource.
type request struct {
	*http.Request
	gv, namespace, name, subresource string
	resource                         resource
}

func (q request) key() string { return q.gv + "/" + q.resource.plural }

// qualified is the resource as texts of errors name it.
func (q request) qualified() string {
	if group, _, ok := strings.Cut(q.gv, "/"); ok {
		return q.resource.plural + "." + group
	}
	return q.resource.plural
}

// isPartial: whether the metadata alone is wanted.
func (q request) isPartial() bool {
	return strings.Contains(q.Header.Get("Accept"), "PartialObjectMetadata")
}

// shape is an object as the request wants it.
func (q request) shape(o Obj) Obj {
	if q.isPartial() {
		return Obj{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": o["metadata"]}
	}
	shaped := Obj{}
	for key, value := range o {
		shaped[key] = value
	}
	shaped["kind"], shaped["apiVersion"] = q.resource.kind, q.gv
	return shaped
}

// matches: whether the selectors of the request take an object. The operator asks for equal labels and for names.
func (q request) matches(o Obj) bool {
	meta, _ := o["metadata"].(Obj)
	labels, _ := meta["labels"].(Obj)
	query := q.URL.Query()
	for _, part := range strings.Split(query.Get("labelSelector"), ",") {
		if key, value, ok := strings.Cut(part, "="); ok && labels[key] != value {
			return false
		}
	}
	name, ok := strings.CutPrefix(query.Get("fieldSelector"), "metadata.name=")
	return !ok || meta["name"] == name
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, gv string, path []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if strings.HasPrefix(gv, "authorization.k8s.io/") {
		s.review(w, r)
		return
	}
	q := request{Request: r, gv: gv}
	if path[0] == "namespaces" && len(path) > 2 {
		q.namespace, path = path[1], path[2:]
	}
	plural := path[0]
	if len(path) > 1 {
		q.name = path[1]
	}
	if len(path) > 2 {
		q.subresource = path[2]
	}
	for _, known := range s.api.resources[gv] {
		if known.plural == plural {
			q.resource = known
		}
	}
	if q.resource.plural == "" {
		s.faults = append(s.faults, r.Method+" "+r.URL.String()+": this server has no such resource")
		status(w, 404, "NotFound", "the server could not find the requested resource", nil)
		return
	}
	switch r.Method {
	case "GET":
		s.read(w, q)
	case "POST", "PUT", "PATCH":
		s.write(w, q)
	case "DELETE":
		s.last = time.Now()
		if q.name != "" && s.store[q.key()][q.namespace+"/"+q.name] == nil {
			s.missing(w, q)
			return
		}
		delete(s.store[q.key()], q.namespace+"/"+q.name)
		reply(w, 200, Obj{"kind": "Status", "apiVersion": "v1", "status": "Success"})
	}
}

// review answers whether the operator is allowed to do something: all but looking for StorageClasses.
func (s *Server) review(w http.ResponseWriter, r *http.Request) {
	o, err := body(r)
	if err != nil {
		s.faults = append(s.faults, err.Error())
	}
	spec, _ := o["spec"].(Obj)
	attributes, _ := spec["resourceAttributes"].(Obj)
	allowed := attributes["resource"] != "storageclasses" || s.mayReadClasses
	reply(w, 201, Obj{"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "metadata": Obj{}, "spec": spec, "status": Obj{"allowed": allowed}})
}

func (s *Server) missing(w http.ResponseWriter, q request) {
	group, _, ok := strings.Cut(q.gv, "/")
	if !ok {
		group = ""
	}
	status(w, 404, "NotFound", fmt.Sprintf("%s %q not found", q.qualified(), q.name), Obj{"name": q.name, "group": group, "kind": q.resource.plural})
}

func (s *Server) read(w http.ResponseWriter, q request) {
	if q.name != "" {
		o := s.store[q.key()][q.namespace+"/"+q.name]
		if o == nil {
			s.missing(w, q)
			return
		}
		reply(w, 200, q.shape(o))
		return
	}
	query := q.URL.Query()
	if watch := query.Get("watch"); watch == "true" || watch == "1" {
		s.watch(w, q, query.Get("sendInitialEvents") == "true")
		return
	}
	kind, apiVersion := q.resource.kind+"List", q.gv
	if q.isPartial() {
		kind, apiVersion = "PartialObjectMetadataList", "meta.k8s.io/v1"
	}
	reply(w, 200, Obj{"kind": kind, "apiVersion": apiVersion, "metadata": Obj{"resourceVersion": fmt.Sprint(s.serial)}, "items": s.list(q)})
}

// list is what a request selects, by namespace and name.
func (s *Server) list(q request) []any {
	var keys []string
	for key, o := range s.store[q.key()] {
		if (q.namespace == "" || strings.HasPrefix(key, q.namespace+"/")) && q.matches(o) {
			keys = append(keys, key)
		}
	}
	sort.Strings(keys)
	found := []any{}
	for _, key := range keys {
		found = append(found, q.shape(s.store[q.key()][key]))
	}
	return found
}

// watch sends what is there, if that is wanted, and nothing more: nothing changes but by the operator itself.
func (s *Server) watch(w http.ResponseWriter, q request, initial bool) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(200)
	encoder := json.NewEncoder(w)
	if initial {
		for _, o := range s.list(q) {
			encoder.Encode(Obj{"type": "ADDED", "object": o})
		}
		end := Obj{"resourceVersion": fmt.Sprint(s.serial), "annotations": Obj{"k8s.io/initial-events-end": "true"}}
		encoder.Encode(Obj{"type": "BOOKMARK", "object": q.shape(Obj{"metadata": end})})
	}
	w.(http.Flusher).Flush()
	s.mu.Unlock()
	<-q.Context().Done()
	s.mu.Lock()
}

// body is what was sent, whatever its encoding.
func body(r *http.Request) (Obj, error) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	switch kind := r.Header.Get("Content-Type"); {
	case strings.Contains(kind, "protobuf"):
		o, gvk, err := scheme.Codecs.UniversalDeserializer().Decode(text, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", r.Method, r.URL, err)
		}
		o.GetObjectKind().SetGroupVersionKind(*gvk)
		if text, err = json.Marshal(o); err != nil {
			return nil, err
		}
	case strings.Contains(kind, "yaml"):
		if text, err = yaml.YAMLToJSON(text); err != nil {
			return nil, err
		}
	case strings.Contains(kind, "json-patch"):
		return Obj{"patch": string(text)}, nil
	}
	var o Obj
	if err := utiljson.Unmarshal(text, &o); err != nil {
		return nil, fmt.Errorf("%s %s (%s): %w", r.Method, r.URL, r.Header.Get("Content-Type"), err)
	}
	return o, nil
}

func (s *Server) write(w http.ResponseWriter, q request) {
	before := s.last
	s.last = time.Now()
	sent, err := body(q.Request)
	if err != nil {
		s.faults = append(s.faults, err.Error())
		status(w, 400, "BadRequest", err.Error(), nil)
		return
	}
	if q.name == "" {
		meta, _ := sent["metadata"].(Obj)
		q.name, _ = meta["name"].(string)
	}
	there := s.store[q.key()][q.namespace+"/"+q.name]
	if q.Method == "POST" && there != nil && q.subresource == "" {
		status(w, 409, "AlreadyExists", fmt.Sprintf("%s %q already exists", q.qualified(), q.name), Obj{"name": q.name, "kind": q.resource.plural})
		return
	}
	kept := copyOf(sent)
	if patch, ok := sent["patch"].(string); ok && q.Method == "PATCH" {
		if there == nil {
			s.missing(w, q)
			return
		}
		if sent, err = patched(there, patch); err != nil {
			// The operator tests what it removes, and its view of the object may be older.
			status(w, 422, "Invalid", err.Error(), nil)
			return
		}
		kept = copyOf(sent)
	}
	written := Write{q.gv, q.resource.plural, q.namespace, q.name, q.subresource, kept}
	if s.said[written.about()] == written.says() {
		s.last = before
	}
	s.said[written.about()] = written.says()
	s.writes = append(s.writes, written)
	answer := sent
	switch {
	case q.subresource == "status":
		// What is stored stays: the operator reads its own statuses as the input has them.
		if there != nil {
			answer = there
		}
	case strings.HasPrefix(q.gv, "apps/"), q.resource.kind == "Event":
		// A StatefulSet that is written is not there: nothing observes it.
	case q.Method == "PATCH" && there != nil:
		for key, value := range there {
			if _, ok := answer[key]; !ok {
				answer[key] = value
			}
		}
		s.put(q.key(), q.namespace, q.name, answer)
	default:
		meta, _ := answer["metadata"].(Obj)
		if meta != nil && q.namespace != "" {
			meta["namespace"] = q.namespace
		}
		s.put(q.key(), q.namespace, q.name, answer)
	}
	code := 200
	if q.Method == "POST" {
		code = 201
	}
	reply(w, code, q.shape(answer))
}

// patched is an object after a JSON patch.
func patched(o Obj, text string) (Obj, error) {
	patch, err := jsonpatch.DecodePatch([]byte(text))
	if err != nil {
		return nil, err
	}
	before, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	after, err := patch.Apply(before)
	if err != nil {
		return nil, err
	}
	var out Obj
	return out, utiljson.Unmarshal(after, &out)
}

func copyOf(o Obj) Obj {
	text, err := json.Marshal(o)
	if err != nil {
		return o
	}
	var out Obj
	if err := utiljson.Unmarshal(text, &out); err != nil {
		return o
	}
	return out
}
