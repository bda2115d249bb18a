package main

// The cases of a corpus: folders with `input.yaml`, or `input/`, and perhaps `case.json`.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// Case is one folder of a corpus.
type Case struct {
	name  string
	files []string
	conditions
}

// conditions are what `case.json` says otherwise than the flags.
type conditions struct {
	Kubernetes   string          `json:"kubernetes"`
	FeatureGates map[string]bool `json:"featureGates"`
}

// cases are those below a folder, by name.
func cases(corpus string) ([]Case, error) {
	var found []Case
	err := filepath.WalkDir(corpus, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		// Inputs may stand behind links: a case can be shared by several corpora.
		isInput := entry.Name() == "input.yaml" || entry.Name() == "input"
		if !isInput {
			return nil
		}
		c := Case{files: []string{path}}
		if c.name, err = filepath.Rel(corpus, filepath.Dir(path)); err != nil {
			return err
		}
		if entry.IsDir() {
			if c.files, err = manifests(path); err != nil {
				return err
			}
		}
		text, err := os.ReadFile(filepath.Join(filepath.Dir(path), "case.json"))
		if err == nil {
			err = json.Unmarshal(text, &c.conditions)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		found = append(found, c)
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	sort.Slice(found, func(i, j int) bool { return found[i].name < found[j].name })
	return found, err
}

func manifests(folder string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err == nil && !entry.IsDir() && (ext == ".yaml" || ext == ".yml" || ext == ".json") {
			found = append(found, path)
		}
		return err
	})
	return found, err
}

// objects are the documents of files, with the items of lists.
func objects(files []string) ([]Obj, error) {
	var found []Obj
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
		for {
			document, err := reader.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, err
			}
			o, err := parse(document)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
			}
			found = append(found, items(o)...)
		}
	}
	return found, nil
}

func parse(document []byte) (Obj, error) {
	text, err := yaml.YAMLToJSON(document)
	if err != nil {
		return nil, err
	}
	var o Obj
	return o, utiljson.Unmarshal(text, &o)
}

func items(o Obj) []Obj {
	if len(o) == 0 {
		return nil
	}
	list, ok := o["items"].([]any)
	if kind, _ := o["kind"].(string); !ok || kind != "List" {
		return []Obj{o}
	}
	var found []Obj
	for _, item := range list {
		if inner, ok := item.(Obj); ok {
			found = append(found, items(inner)...)
		}
	}
	return found
}
