package main

// What the code of a release says of itself: its custom resources, its types, and what it has compiled in.

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// controllerGen makes custom resources from the API module, for a release of which only that can be had. v0.94.1 was made with it.
const controllerGen = "sigs.k8s.io/controller-tools/cmd/controller-gen@v0.22.0"

//go:embed asked/types.go.txt
var typesProgram []byte

//go:embed asked/code.go.txt
var codeProgram []byte

//go:embed asked/jobs.go.txt
var jobsProgram []byte

// Facts are what is known of a release.
type Facts struct {
	Release string `json:"release"`
	// Date is the day of the release.
	Date string `json:"date"`
	// Definitions is the folder of its custom resources.
	Definitions string `json:"definitions"`
	// Types are the fields of its types.
	Types json.RawMessage `json:"types"`
	// Code is what it has compiled in: null if only its API module can be had.
	Code json.RawMessage `json:"code"`
	// Jobs are the fields of a job of Prometheus and of its parts, by their paths, with their types.
	Jobs json.RawMessage `json:"jobs"`
	// Flags are its flags with their defaults.
	Flags map[string]string `json:"flags"`
	// Features are its feature gates, and whether they are on by default.
	Features map[string]bool `json:"features"`
}

// facts prints what is known of a release.
func facts(home, release string, out io.Writer) error {
	known := Facts{Release: release}
	api, err := download(apiModule, release)
	if err != nil {
		return err
	}
	known.Date, _, _ = strings.Cut(api.Time, "T")
	folder, err := filepath.Abs(filepath.Join(home, release+"+api"))
	if err != nil {
		return err
	}
	if known.Types, err = typesOf(folder, release); err != nil {
		return err
	}
	switch _, err := download(operatorModule, release); {
	case err == nil:
		err = known.ask(home)
		if err != nil {
			return err
		}
	case !refused.MatchString(err.Error()):
		return err
	default:
		// Its types have to do.
		if known.Definitions, err = definitions(api.Dir, folder); err != nil {
			return err
		}
	}
	return json.NewEncoder(out).Encode(known)
}

// refused is what the proxy answers if it does not give a module, rather than that something is in the way.
var refused = regexp.MustCompile(`40[34] |410 Gone|not found`)

// ask asks the programs of the release.
func (known *Facts) ask(home string) error {
	b, err := build(home, known.Release, nil)
	if err != nil {
		return err
	}
	known.Definitions = b.crds()
	module := filepath.Join(b.dir, "module")
	if known.Code, err = answer(module, "facts", codeProgram); err != nil {
		return err
	}
	if known.Jobs, err = answer(module, "jobs", jobsProgram); err != nil {
		return err
	}
	help := help(b)
	if known.Flags, known.Features = flagsOf(help), featuresOf(help); len(known.Features) == 0 {
		return fmt.Errorf("%s names no feature gates:\n%s", b.operator(), help)
	}
	return nil
}

// answer is what a program of ours prints that stands in the module of a release.
func answer(module, name string, text []byte) ([]byte, error) {
	if err := program(filepath.Join(module, "cmd", name), text); err != nil {
		return nil, err
	}
	return run(module, "go", "run", "-mod=mod", "./cmd/"+name)
}

type downloaded struct{ Dir, Info, Error, Time string }

// download gets a module, and says when it was released.
func download(module, release string) (downloaded, error) {
	var got downloaded
	out, err := run("", "go", "mod", "download", "-json", module+"@"+release)
	if err != nil {
		return got, err
	}
	if err := json.Unmarshal(out, &got); err != nil {
		return got, err
	}
	if got.Error != "" {
		return got, errors.New(got.Error)
	}
	info, err := os.ReadFile(got.Info)
	if err != nil {
		return got, err
	}
	return got, json.Unmarshal(info, &got)
}

// typesOf are the fields of the types of a release.
func typesOf(folder, release string) ([]byte, error) {
	if err := program(folder, typesProgram); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module types\n"), 0o644); err != nil {
		return nil, err
	}
	if _, err := run(folder, "go", "get", apiModule+"@"+release); err != nil {
		return nil, err
	}
	return run(folder, "go", "run", "-mod=mod", ".")
}

// definitions makes the custom resources of an API module.
func definitions(module, folder string) (string, error) {
	sources, made := filepath.Join(folder, "module"), filepath.Join(folder, "crds")
	if err := copyFolder(module, sources); err != nil {
		return "", err
	}
	_, err := run(sources, "go", "run", controllerGen, "crd:crdVersions=v1", "paths=./...", "output:crd:dir="+made)
	return made, err
}

// program writes the main file of a program.
func program(folder string, text []byte) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "main.go"), text, 0o644)
}

// copyFolder copies a folder of the module cache, which is read-only, to where it can be changed.
func copyFolder(from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return filepath.WalkDir(to, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return os.Chmod(path, info.Mode()|0o200)
	})
}

// help is what the operator prints of its flags.
func help(b Build) string {
	out, _ := exec.Command(b.operator(), "--help").CombinedOutput()
	return string(out)
}

var (
	flagLine    = regexp.MustCompile(`(?m)^  -([a-z0-9.-]+).*\n((?:    \t.*\n?)+)`)
	defaultPart = regexp.MustCompile(`(?s)^.*\(default (.*)\)\s*$`)
	featureLine = regexp.MustCompile(`(?m)^\s+([A-Z]\w+): .*\(enabled: (true|false)\)`)
)

// flagsOf are the flags with their defaults; the empty text, "false" and 0 are not printed, and are empty here.
func flagsOf(help string) map[string]string {
	found := map[string]string{}
	for _, match := range flagLine.FindAllStringSubmatch(help, -1) {
		value := ""
		if part := defaultPart.FindStringSubmatch(match[2]); part != nil {
			value = strings.Trim(part[1], `"`)
		}
		found[match[1]] = value
	}
	return found
}

func featuresOf(help string) map[string]bool {
	found := map[string]bool{}
	for _, match := range featureLine.FindAllStringSubmatch(help, -1) {
		found[match[1]] = match[2] == "true"
	}
	return found
}
