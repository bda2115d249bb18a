package main

// Builds the programs of a release from the module proxy, once.

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

const operatorModule = "github.com/prometheus-operator/prometheus-operator"

// clientModule has the generated clients. The proxy does not have it for every release of the operator; then the newest older one is taken.
const clientModule = operatorModule + "/pkg/client"

const apiModule = operatorModule + "/pkg/apis/monitoring"

// Operands are default versions that replace those of a release, by "prometheus", "alertmanager" and "thanos".
type Operands map[string]string

func parseOperands(text string) (Operands, error) {
	operands := Operands{}
	for _, part := range strings.Split(text, ",") {
		if part == "" {
			continue
		}
		name, version, ok := strings.Cut(part, "=")
		if !ok || operandConstants[name] == nil {
			return nil, fmt.Errorf("operands: %q is not prometheus=V, alertmanager=V or thanos=V", part)
		}
		operands[name] = version
	}
	return operands, nil
}

// operandConstants are the lines of pkg/operator/defaults.go that hold the default versions.
var operandConstants = map[string]*regexp.Regexp{
	"prometheus":   regexp.MustCompile(`(?m)^(\s*DefaultPrometheusVersion\s*=\s*).*$`),
	"alertmanager": regexp.MustCompile(`(?m)^(\s*DefaultAlertmanagerVersion\s*=\s*).*$`),
	"thanos":       regexp.MustCompile(`(?m)^(\s*DefaultThanosVersion\s*=\s*).*$`),
}

// Build is where a release was built: the programs `operator` and `admission-webhook`, and `module` with the sources.
type Build struct{ dir, release string }

func (b Build) operator() string { return filepath.Join(b.dir, "operator") }
func (b Build) webhook() string  { return filepath.Join(b.dir, "admission-webhook") }

// crds is the folder of the custom resources of the release, with all versions that are served.
func (b Build) crds() string {
	return filepath.Join(b.dir, "module", "example", "prometheus-operator-crd-full")
}

// build makes the programs of a release below a folder, unless this toolchain has made them there.
func build(home, release string, operands Operands) (Build, error) {
	name := release + "-" + runtime.Version()
	for _, operand := range []string{"prometheus", "alertmanager", "thanos"} {
		if version := operands[operand]; version != "" {
			name += "+" + operand + "-" + version
		}
	}
	dir, err := filepath.Abs(filepath.Join(home, name))
	b := Build{dir, release}
	if err != nil {
		return b, err
	}
	// A build that was interrupted leaves one of them.
	_, noOperator := os.Stat(b.operator())
	_, noWebhook := os.Stat(b.webhook())
	if noOperator == nil && noWebhook == nil {
		return b, nil
	}
	module := filepath.Join(dir, "module")
	if err := copyModule(release, module); err != nil {
		return b, err
	}
	if err := setOperands(filepath.Join(module, "pkg/operator/defaults.go"), operands); err != nil {
		return b, err
	}
	client, err := newestClient(release)
	if err != nil {
		return b, err
	}
	// The module replaces both by folders of its repository, which are modules of their own at the proxy.
	edit := []string{"mod", "edit", "-dropreplace=" + apiModule, "-dropreplace=" + clientModule,
		"-require=" + apiModule + "@" + release, "-require=" + clientModule + "@" + client}
	if _, err := run(module, "go", edit...); err != nil {
		return b, err
	}
	// Nobody debugs these programs: without tables for that, they are linked in a third of the time.
	flags := "-s -w -X github.com/prometheus/common/version.Version=" + strings.TrimPrefix(release, "v")
	_, err = run(module, "go", "build", "-mod=mod", "-trimpath", "-buildvcs=false", "-o", dir, "-ldflags", flags, "./cmd/operator", "./cmd/admission-webhook")
	return b, err
}

// copyModule copies the sources of a release to where they can be changed.
func copyModule(release, to string) error {
	module, err := download(operatorModule, release)
	if err != nil {
		return fmt.Errorf("%s: %w", release, err)
	}
	return copyFolder(module.Dir, to)
}

func setOperands(path string, operands Operands) error {
	if len(operands) == 0 {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for name, version := range operands {
		line := operandConstants[name]
		if !line.Match(text) {
			return fmt.Errorf("%s names no default version of %s", path, name)
		}
		text = line.ReplaceAll(text, fmt.Appendf(nil, "${1}%q", version))
	}
	return os.WriteFile(path, text, 0o644)
}

// newestClient is the release of the clients to build with: that of the operator if the proxy gives it, else the newest before it.
func newestClient(release string) (string, error) {
	out, err := run("", "go", "list", "-m", "-f", "{{range .Versions}}{{.}} {{end}}", "-versions", apiModule)
	if err != nil {
		return "", err
	}
	older := strings.Fields(strings.Split(string(out)+" ", release+" ")[0])
	for _, candidate := range slices.Backward(append(older, release)) {
		if _, err = download(clientModule, candidate); err == nil {
			return candidate, nil
		}
	}
	return "", err
}

func run(dir, program string, args ...string) ([]byte, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	// A workspace around the folder is none of ours.
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("%s %s: %w\n%s%s", program, strings.Join(args, " "), err, out, &stderr)
	}
	return out, nil
}
