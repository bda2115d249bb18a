package main

// What the API server makes of an object before it stores it: pruning, defaults, validation, conversion.

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	apiextvalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/api/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// Obj is an object as JSON has it, with integers as int64: the rules of CEL refuse floats where integers are due.
type Obj = map[string]any

// served is one version of a custom resource.
type served struct {
	schema    *structural.Structural
	validator apiextvalidation.SchemaValidator
	rules     *cel.Validator
}

// resource is a kind that the API server has.
type resource struct {
	kind, plural string
	namespaced   bool
}

// API is what the API server knows: the resources by "group/version", the schemas by "version/kind", the version that is stored by kind,
// and where the conversion is asked for.
type API struct {
	resources map[string][]resource
	schemas   map[string]served
	stored    map[string]string
	webhook   string
}

const monitoring = "monitoring.coreos.com"

// builtin are the kinds of Kubernetes that the operator reads or writes.
func builtin() map[string][]resource {
	return map[string][]resource{
		"v1": {{"Secret", "secrets", true}, {"ConfigMap", "configmaps", true}, {"Namespace", "namespaces", false}, {"Service", "services", true},
			{"Pod", "pods", true}, {"Node", "nodes", false}, {"Endpoints", "endpoints", true}, {"ServiceAccount", "serviceaccounts", true},
			{"PersistentVolumeClaim", "persistentvolumeclaims", true}, {"Event", "events", true}},
		"apps/v1":             {{"StatefulSet", "statefulsets", true}, {"DaemonSet", "daemonsets", true}},
		"storage.k8s.io/v1":   {{"StorageClass", "storageclasses", false}},
		"policy/v1":           {{"PodDisruptionBudget", "poddisruptionbudgets", true}},
		"discovery.k8s.io/v1": {{"EndpointSlice", "endpointslices", true}},
		"events.k8s.io/v1":    {{"Event", "events", true}},
	}
}

// newAPI reads the custom resources in a folder.
func newAPI(crds, webhook string) (*API, error) {
	api := &API{builtin(), map[string]served{}, map[string]string{}, webhook}
	files, err := filepath.Glob(filepath.Join(crds, "*.yaml"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no custom resources in %s (%v)", crds, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var definition apiextv1.CustomResourceDefinition
		if err := yaml.Unmarshal(text, &definition); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if definition.Kind != "CustomResourceDefinition" {
			continue
		}
		names := definition.Spec.Names
		for _, version := range definition.Spec.Versions {
			if !version.Served {
				continue
			}
			s, err := newServed(version.Schema.OpenAPIV3Schema)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			if version.Storage {
				api.stored[names.Kind] = version.Name
			}
			gv := monitoring + "/" + version.Name
			api.schemas[version.Name+"/"+names.Kind] = s
			api.resources[gv] = append(api.resources[gv], resource{names.Kind, names.Plural, true})
		}
	}
	return api, nil
}

func newServed(schema *apiextv1.JSONSchemaProps) (served, error) {
	var internal apiext.JSONSchemaProps
	if err := apiextv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(schema, &internal, nil); err != nil {
		return served{}, err
	}
	s, err := structural.NewStructural(&internal)
	if err != nil {
		return served{}, err
	}
	validator, _, err := apiextvalidation.NewSchemaValidator(&internal)
	return served{s, validator, cel.NewValidator(s, true, celconfig.PerCallLimit)}, err
}

// find is the resource of an apiVersion and kind.
func (api *API) find(apiVersion, kind string) (resource, bool) {
	for _, r := range api.resources[apiVersion] {
		if r.kind == kind {
			return r, true
		}
	}
	return resource{}, false
}

// errUnknownKind is the answer about kinds that the operator never looks at.
var errUnknownKind = errors.New("no such kind here")

// admit gives the object as it is stored, with its resource, or the reason of the refusal.
func (api *API) admit(o Obj) (Obj, resource, error) {
	apiVersion, _ := o["apiVersion"].(string)
	kind, _ := o["kind"].(string)
	r, ok := api.find(apiVersion, kind)
	group, version, _ := strings.Cut(apiVersion, "/")
	if !ok {
		if group == monitoring {
			return nil, r, fmt.Errorf("no matches for kind %q in version %q", kind, apiVersion)
		}
		return nil, r, errUnknownKind
	}
	if err := identify(o, r); err != nil {
		return nil, r, err
	}
	if group != monitoring {
		return o, r, admitBuiltin(o, kind)
	}
	if err := api.schemas[version+"/"+kind].admit(o); err != nil {
		return nil, r, err
	}
	if stored := api.stored[kind]; stored != version {
		converted, err := api.convert(o, stored)
		if err != nil {
			return nil, r, err
		}
		// What is read from the store is pruned and has the defaults of the stored version.
		s := api.schemas[stored+"/"+kind].schema
		pruning.Prune(converted, s, true)
		defaulting.PruneNonNullableNullsWithoutDefaults(converted, s)
		defaulting.Default(converted, s)
		return converted, r, nil
	}
	return o, r, nil
}

// identify checks the name and the namespace, and puts an object without one into `default`.
func identify(o Obj, r resource) error {
	meta, _ := o["metadata"].(Obj)
	name, _ := meta["name"].(string)
	if name == "" {
		return errors.New("metadata.name: Required value: name or generateName is required")
	}
	if errs := validation.NameIsDNSSubdomain(name, false); len(errs) > 0 {
		return fmt.Errorf("metadata.name: Invalid value: %q: %s", name, strings.Join(errs, ", "))
	}
	namespace, _ := meta["namespace"].(string)
	switch {
	case !r.namespaced:
		delete(meta, "namespace")
	case namespace == "":
		meta["namespace"] = "default"
	default:
		if errs := validation.ValidateNamespaceName(namespace, false); len(errs) > 0 {
			return fmt.Errorf("metadata.namespace: Invalid value: %q: %s", namespace, strings.Join(errs, ", "))
		}
	}
	for _, key := range []string{"labels", "annotations"} {
		values, ok := meta[key].(Obj)
		if meta[key] != nil && !ok {
			return fmt.Errorf("metadata.%s: it is no map", key)
		}
		for k, v := range values {
			if _, ok := v.(string); !ok {
				return fmt.Errorf("metadata.%s.%s: it is no string", key, k)
			}
		}
	}
	return nil
}

// admitBuiltin decodes an object of Kubernetes. Whether its values are valid is not checked.
func admitBuiltin(o Obj, kind string) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(text, nil, nil); err != nil {
		return err
	}
	if given, ok := o["stringData"].(Obj); ok && kind == "Secret" {
		data, _ := o["data"].(Obj)
		if data == nil {
			data = Obj{}
		}
		for key, value := range given {
			data[key] = base64.StdEncoding.EncodeToString([]byte(value.(string)))
		}
		o["data"] = data
		delete(o, "stringData")
	}
	return nil
}

// admit prunes, defaults and validates an object in place, in the API server's order.
func (s served) admit(o Obj) error {
	pruning.Prune(o, s.schema, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(o, s.schema)
	defaulting.Default(o, s.schema)
	if errs := apiextvalidation.ValidateCustomResource(nil, o, s.validator); len(errs) > 0 {
		return errs.ToAggregate()
	}
	if errs := listtype.ValidateListSetsAndMaps(nil, s.schema, o); len(errs) > 0 {
		return errs.ToAggregate()
	}
	if s.rules == nil {
		return nil
	}
	errs, _ := s.rules.Validate(context.Background(), field.NewPath(""), s.schema, o, nil, celconfig.RuntimeCELCostBudget)
	return errs.ToAggregate()
}

// convert asks the webhook of the release for another version of an object.
func (api *API) convert(o Obj, version string) (Obj, error) {
	wanted := monitoring + "/" + version
	review, err := json.Marshal(Obj{"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
		"request": Obj{"uid": "1", "desiredAPIVersion": wanted, "objects": []any{o}}})
	if err != nil {
		return nil, err
	}
	answer, err := http.Post(api.webhook+"/convert", "application/json", bytes.NewReader(review))
	if err != nil {
		// It panics for some objects, and closes the connection.
		return nil, fmt.Errorf("conversion webhook for %s/%v failed", monitoring, o["kind"])
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	var got Obj
	if err := utiljson.Unmarshal(text, &got); err != nil {
		return nil, fmt.Errorf("conversion webhook: %w", err)
	}
	response, _ := got["response"].(Obj)
	objects, _ := response["convertedObjects"].([]any)
	if len(objects) != 1 {
		result, _ := response["result"].(Obj)
		return nil, fmt.Errorf("conversion webhook failed: %v", result["message"])
	}
	converted, ok := objects[0].(Obj)
	if !ok {
		return nil, errors.New("conversion webhook: it gave no object")
	}
	return converted, nil
}
