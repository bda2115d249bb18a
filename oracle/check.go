package main

// Whether a release still answers what is recorded.

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

// check asks cases anew, and compares with their recorded answers.
func check(b Build, given settings) error {
	folder, err := os.MkdirTemp("", "check")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	given.out = filepath.Join(folder, "answers")
	if err := record(b, given); err != nil {
		return err
	}
	recorded := filepath.Join(folder, "recorded")
	if err := unpack(given.recorded, recorded); err != nil {
		return err
	}
	var differing []string
	// Every answer has a file in the case's folder or below; those that are asked anew name the cases.
	cases, err := filepath.Glob(filepath.Join(given.out, "*", "*"))
	if err != nil {
		return err
	}
	for _, answer := range cases {
		name, err := filepath.Rel(given.out, answer)
		if err != nil {
			return err
		}
		different, err := differences(answer, filepath.Join(recorded, name))
		if err != nil {
			return err
		}
		for _, file := range different {
			differing = append(differing, filepath.Join(name, file))
		}
	}
	if len(differing) > 0 {
		return fmt.Errorf("%s does not answer what is recorded:\n%s", b.release, strings.Join(differing, "\n"))
	}
	if len(cases) == 0 {
		return errors.New("no case was asked")
	}
	return nil
}

// differences are the files that two folders do not have in common.
func differences(a, b string) ([]string, error) {
	first, err := contents(a)
	if err != nil {
		return nil, err
	}
	second, err := contents(b)
	if err != nil {
		return nil, err
	}
	var found []string
	for name, content := range first {
		if other, ok := second[name]; !ok || other != content {
			found = append(found, name)
		}
	}
	for name := range second {
		if _, ok := first[name]; !ok {
			found = append(found, name)
		}
	}
	sort.Strings(found)
	return found, nil
}

func contents(folder string) (map[string]string, error) {
	found := map[string]string{}
	err := eachFile(folder, func(name string, content []byte) error {
		found[name] = settled(string(content))
		return nil
	})
	return found, err
}

var (
	exclusive  = regexp.MustCompile(`((?:\\?"\w+\\?" and )+\\?"\w+\\?") can't be set`)
	wrongValue = regexp.MustCompile(`values\[0\]\[[^\n]*`)
)

// settled is a text without what is random in the operator, which walks a map.
func settled(text string) string {
	text = exclusive.ReplaceAllStringFunc(text, func(found string) string {
		names := strings.Split(strings.TrimSuffix(found, " can't be set"), " and ")
		sort.Strings(names)
		return strings.Join(names, " and ") + " can't be set"
	})
	return wrongValue.ReplaceAllString(text, "values[0]")
}
