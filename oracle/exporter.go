package main

// What the code of a release of an exporter says that it makes.

import (
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

//go:embed asked/state_metrics.go.txt
var stateMetricsProgram []byte

//go:embed asked/node.go.txt
var nodeProgram []byte

// exporters are those that can be asked: by name, the module and the program that asks it.
var exporters = map[string]struct {
	module  string
	program []byte
}{
	"kube-state-metrics": {"k8s.io/kube-state-metrics/v2", stateMetricsProgram},
	"node-exporter":      {"github.com/prometheus/node_exporter", nodeProgram},
}

// exporter prints what a release of an exporter makes: kube-state-metrics@v2.18.0.
func exporter(home, release string, out io.Writer) error {
	name, version, _ := strings.Cut(release, "@")
	known, ok := exporters[name]
	if !ok {
		return fmt.Errorf("%q is no exporter that can be asked", name)
	}
	got, err := download(known.module, version)
	if err != nil {
		return fmt.Errorf("%s: %w", release, err)
	}
	module, err := filepath.Abs(filepath.Join(home, release))
	if err != nil {
		return err
	}
	if err := copyFolder(got.Dir, module); err != nil {
		return err
	}
	made, err := answer(module, "asked", known.program)
	if err != nil {
		return err
	}
	_, err = out.Write(made)
	return err
}
