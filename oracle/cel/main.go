// The word of cel-go on expressions, with the functions that Kubernetes adds: each line of standard input is an expression and the values
// of its variables, and each line of standard output tells its outcome, as it is checked first, and as it is only parsed. With the types of
// its variables, the type of the result is told too, or that the checker refuses it.
//
// An outcome begins with "value", "error", "unknown" or "refused". A value {"$unknown": 1} in the variables is one that nobody knows, and
// {"$seconds": 60} is a length of time.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
	"k8s.io/apiserver/pkg/cel/library"
)

type question struct {
	Expr string         `json:"expr"`
	Vars map[string]any `json:"vars"`
	// The types of variables, and of the fields of objects: "int", ["list", "int"], ["object", "Rule"].
	Types   map[string]any            `json:"types"`
	Objects map[string]map[string]any `json:"objects"`
}

type answer struct {
	Checked  string `json:"checked"`
	Parsed   string `json:"parsed"`
	Declared string `json:"declared,omitempty"`
}

// known makes a value of JSON one of CEL: whole numbers are ints.
func known(value any) any {
	switch value := value.(type) {
	case json.Number:
		if whole, err := value.Int64(); err == nil {
			return whole
		}
		number, _ := value.Float64()
		return number
	case []any:
		for i := range value {
			value[i] = known(value[i])
		}
	case map[string]any:
		if _, ok := value["$unknown"]; ok {
			return types.NewUnknown(1, nil)
		}
		if seconds, ok := value["$seconds"].(json.Number); ok {
			whole, _ := seconds.Int64()
			return time.Duration(whole) * time.Second
		}
		for key := range value {
			value[key] = known(value[key])
		}
	}
	return value
}

func quoted(text string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text)
	return strings.TrimSpace(out.String())
}

func show(value ref.Val) string {
	switch value := value.(type) {
	case types.Bool:
		return fmt.Sprint(bool(value))
	case types.Int:
		return fmt.Sprint(int64(value))
	case types.Uint:
		return fmt.Sprintf("%du", uint64(value))
	case types.Double:
		return "double " + strconv.FormatFloat(float64(value), 'e', -1, 64)
	case types.String:
		return quoted(string(value))
	case types.Bytes:
		return fmt.Sprintf("bytes %x", []byte(value))
	case types.Null:
		return "null"
	case types.Duration:
		return fmt.Sprintf("duration %d", value.Duration.Nanoseconds())
	case *types.Type:
		return "type " + value.TypeName()
	case *types.Optional:
		if value.HasValue() {
			return "some(" + show(value.GetValue()) + ")"
		}
		return "none"
	case traits.Lister:
		var items []string
		for it := value.Iterator(); it.HasNext() == types.True; {
			items = append(items, show(it.Next()))
		}
		return "[" + strings.Join(items, ",") + "]"
	case traits.Mapper:
		var entries []string
		for it := value.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			entries = append(entries, show(key)+":"+show(value.Get(key)))
		}
		sort.Strings(entries)
		return "{" + strings.Join(entries, ",") + "}"
	}
	return fmt.Sprintf("%T %v", value, value)
}

func evaluate(env *cel.Env, ast *cel.Ast, vars map[string]any) string {
	program, err := env.Program(ast, cel.EvalOptions(cel.OptPartialEval), cel.CostLimit(1_000_000))
	if err != nil {
		return "refused " + err.Error()
	}
	value, _, err := program.Eval(vars)
	switch {
	case err != nil:
		return "error " + strings.ReplaceAll(err.Error(), "\n", " ")
	case types.IsUnknown(value):
		return "unknown"
	}
	return "value " + show(value)
}

func libraries() []cel.EnvOption {
	return []cel.EnvOption{cel.OptionalTypes(), ext.Strings(), ext.TwoVarComprehensions(), library.Lists(), library.Regex(),
		cel.CrossTypeNumericComparisons(true)}
}

// first is a refusal with its first line.
func first(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return "refused " + line
}

func ask(asked question) (answer, error) {
	options := libraries()
	for name := range asked.Vars {
		asked.Vars[name] = known(asked.Vars[name])
		options = append(options, cel.Variable(name, cel.DynType))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return answer{}, err
	}
	parsed, issues := env.Parse(asked.Expr)
	if issues.Err() != nil {
		return answer{first(issues.Err()), first(issues.Err()), first(issues.Err())}, nil
	}
	told := answer{Parsed: evaluate(env, parsed, asked.Vars)}
	if asked.Types != nil {
		if told.Declared, err = typeOf(asked); err != nil {
			return answer{}, err
		}
	}
	checked, issues := env.Check(parsed)
	if issues.Err() != nil {
		told.Checked = first(issues.Err())
	} else {
		told.Checked = evaluate(env, checked, asked.Vars)
	}
	return told, nil
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		var asked question
		decoder := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		decoder.UseNumber()
		err := decoder.Decode(&asked)
		var told answer
		if err == nil {
			told, err = ask(asked)
		}
		if err == nil {
			err = out.Encode(told)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "cel:", err)
			os.Exit(1)
		}
	}
}
