// The word of Prometheus on lineage: each line of standard input is a configuration with targets, rules and expressions, and
// each line of standard output tells how often each expression has a result, or which selectors it has.
//
// Targets are relabeled and scraped as Prometheus does it, with its own package for relabeling and its own storage; rules and
// expressions are evaluated by its engine. There is no clock: half an hour passes at once.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v2"
)

// A question: what a Prometheus is configured with, what it discovers, and what it is asked.
type question struct {
	// Configuration is the text that the Prometheus reads.
	Configuration string
	Targets       []discovered
	Rules         []rule
	Expressions   []string
	// Reads asks for the selectors of each expression, and for no evaluation.
	Reads bool
}

// A discovered target. Role is that of the discovery, or "static".
type discovered struct {
	Role      string
	Namespace string
	Labels    map[string]string
	Series    []series
}

// A series that a target exposes: its value, or how much it grows with each scrape. Path is the only one that it is found at, if any.
type series struct {
	Labels map[string]string
	Path   string
	Value  float64
	Grows  bool
}

type rule struct {
	Record string
	Alert  string
	Expr   string
	Labels map[string]string
}

// How often an expression has a result, and the series that is there most often, of how many times that it was evaluated.
type answer struct {
	Found  int    `json:"found"`
	Series int    `json:"series"`
	Of     int    `json:"of"`
	Error  string `json:"error,omitempty"`
}

// A selector: its text, the name, operator and value of each matcher, and the labels that its expression groups and matches it by.
type selector struct {
	Text     string      `json:"text"`
	Matchers [][3]string `json:"matchers"`
	Labels   []string    `json:"labels"`
}

func selectors(expression string) ([]selector, error) {
	found := []selector{}
	tree, err := parser.NewParser(parser.Options{EnableExperimentalFunctions: true}).ParseExpr(expression)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", expression, err)
	}
	parser.Inspect(tree, func(node parser.Node, path []parser.Node) error {
		vector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		one := selector{Text: vector.String(), Labels: []string{}}
		for _, matcher := range vector.LabelMatchers {
			one.Matchers = append(one.Matchers, [3]string{matcher.Name, matcher.Type.String(), matcher.Value})
		}
		for _, around := range path {
			switch around := around.(type) {
			case *parser.AggregateExpr:
				one.Labels = append(one.Labels, around.Grouping...)
			case *parser.BinaryExpr:
				if around.VectorMatching != nil {
					one.Labels = append(one.Labels, around.VectorMatching.MatchingLabels...)
				}
			}
		}
		found = append(found, one)
		return nil
	})
	return found, nil
}

func answers(asked question) (any, error) {
	if asked.Reads {
		found := [][]selector{}
		for _, expression := range asked.Expressions {
			one, err := selectors(expression)
			if err != nil {
				return nil, err
			}
			found = append(found, one)
		}
		return found, nil
	}
	var config configuration
	if err := yaml.Unmarshal([]byte(asked.Configuration), &config); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	targets, err := config.targets(asked.Targets)
	if err != nil {
		return nil, err
	}
	past, err := newPast()
	if err != nil {
		return nil, err
	}
	defer past.close()
	if err := past.scrape(targets); err != nil {
		return nil, err
	}
	for _, rule := range asked.Rules {
		if err := past.evaluate(rule); err != nil {
			return nil, fmt.Errorf("%s%s: %w", rule.Record, rule.Alert, err)
		}
	}
	found := []answer{}
	for _, expression := range asked.Expressions {
		one, err := past.ask(expression)
		if err != nil {
			return nil, err
		}
		found = append(found, one)
	}
	return found, nil
}

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	decoder, encoder := json.NewDecoder(lines), json.NewEncoder(os.Stdout)
	for decoder.More() {
		var asked question
		err := decoder.Decode(&asked)
		if err == nil {
			var found any
			if found, err = answers(asked); err == nil {
				err = encoder.Encode(found)
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
