// What Flux builds of a Kustomization: flux FILES KUSTOMIZATION, with the folder of the repository and the object as JSON.
// Prints the objects as YAML, or ends with 1.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	securejoin "github.com/cyphar/filepath-securejoin"
	"github.com/fluxcd/pkg/kustomize"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func main() {
	objects, err := built(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Stdout.Write(objects)
}

func built(root, file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var object unstructured.Unstructured
	if err := json.Unmarshal(text, &object.Object); err != nil {
		return nil, err
	}
	path, _, err := unstructured.NestedString(object.Object, "spec", "path")
	if err != nil {
		return nil, err
	}
	folder, err := securejoin.SecureJoin(root, path)
	if err != nil {
		return nil, err
	}
	if _, err := kustomize.NewGenerator(root, object).WriteFile(folder); err != nil {
		return nil, err
	}
	objects, err := kustomize.SecureBuild(root, folder, false)
	if err != nil {
		return nil, err
	}
	return objects.AsYaml()
}
