// Command fields prints the fields of the type config.Config in the module of Alertmanager in a folder, by their paths in YAML:
// `[]` for the items of a list, `{}` for the values of a map. It reads the code, and the modules that go.mod names for other types.
// A field whose fields stand at another path has it after a colon: a type of another module stands at its name, and one that holds
// itself where it is first. Intervals of time are left out.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

const module = "github.com/prometheus/alertmanager"

type declared struct {
	file    *ast.File
	pkg     string
	of      ast.Expr
	decodes bool
}

// packages holds the types of each package that was read.
var packages = map[string]map[string]*declared{}

// folders holds the folder of each module, and versions what go.mod asks for.
var (
	folders  = map[string]string{}
	versions = map[string]string{}
)

func main() {
	folders[module] = os.Args[1]
	text := must(os.ReadFile(filepath.Join(os.Args[1], "go.mod")))
	for _, at := range regexp.MustCompile(`(?m)^\s*(?:require )?(github\.com/prometheus/\S+) (v\S+)`).FindAllStringSubmatch(string(text), -1) {
		versions[at[1]] = at[2]
	}
	walk("", ast.NewIdent("Config"), &declared{pkg: module + "/config"})
	slices.Sort(printed)
	for _, row := range slices.Compact(printed) {
		fmt.Println(row)
	}
}

var printed []string

// homes holds the path of each type at which its fields stand.
var homes = map[*declared]string{}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

// folder returns the folder of a package, or nothing for one of another owner.
func folder(pkg string) string {
	for name := pkg; strings.HasPrefix(name, "github.com/prometheus/"); name = name[:strings.LastIndex(name, "/")] {
		if folders[name] == "" && versions[name] != "" {
			get := exec.Command("go", "mod", "download", "-json", name+"@"+versions[name])
			get.Dir = os.TempDir()
			var told struct{ Dir string }
			if err := json.Unmarshal(must(get.Output()), &told); err != nil || told.Dir == "" {
				must(0, fmt.Errorf("no module %s@%s", name, versions[name]))
			}
			folders[name] = told.Dir
		}
		if folders[name] != "" {
			return filepath.Join(folders[name], strings.TrimPrefix(pkg, name))
		}
	}
	return ""
}

// types returns the types of a package.
func types(pkg string) map[string]*declared {
	if found := packages[pkg]; found != nil {
		return found
	}
	found := map[string]*declared{}
	packages[pkg] = found
	from := folder(pkg)
	if from == "" {
		return found
	}
	texts := map[string]bool{}
	for _, path := range must(filepath.Glob(filepath.Join(from, "*.go"))) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file := must(parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution))
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv != nil && decl.Name.Name == "UnmarshalText" {
					texts[name(decl.Recv.List[0].Type)] = true
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok {
						found[spec.Name.Name] = &declared{file: file, pkg: pkg, of: spec.Type}
					}
				}
			}
		}
	}
	for of := range texts {
		if found[of] != nil {
			found[of].decodes = true
		}
	}
	return found
}

func name(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return name(of.X)
	case *ast.Ident:
		return of.Name
	}
	return ""
}

// lookup returns the declaration of a type that a file names.
func lookup(of ast.Expr, in *declared) *declared {
	switch of := of.(type) {
	case *ast.Ident:
		return types(in.pkg)[of.Name]
	case *ast.SelectorExpr:
		for _, named := range in.file.Imports {
			path := strings.Trim(named.Path.Value, `"`)
			short := path[strings.LastIndex(path, "/")+1:]
			if named.Name != nil {
				short = named.Name.Name
			}
			if short == name(of.X) {
				return types(path)[of.Sel.Name]
			}
		}
	}
	return nil
}

// part returns the type of a field whose fields can be named, and what is around it.
func part(of ast.Expr, in *declared) (*declared, string) {
	switch of := of.(type) {
	case *ast.StarExpr:
		return part(of.X, in)
	case *ast.ArrayType:
		found, around := part(of.Elt, in)
		return found, "[]" + around
	case *ast.MapType:
		found, around := part(of.Value, in)
		return found, "{}" + around
	case *ast.Ident, *ast.SelectorExpr:
		found := lookup(of, in)
		if found == nil || found.decodes || strings.HasSuffix(found.pkg, "/timeinterval") {
			return nil, ""
		}
		whole, isStruct := found.of.(*ast.StructType)
		if !isStruct {
			return part(found.of, found)
		}
		// What is decoded by the fields' tags alone; the other types decode a text.
		isRead := func(field *ast.Field) bool { return field.Tag != nil && strings.Contains(field.Tag.Value, "yaml:") }
		if slices.ContainsFunc(whole.Fields.List, isRead) {
			return found, ""
		}
	}
	return nil, ""
}

// walk prints the fields of a type at a path.
func walk(path string, of ast.Expr, in *declared) {
	found, around := part(of, in)
	if found == nil {
		return
	}
	path += around
	if _, isKnown := homes[found]; !isKnown {
		homes[found] = path
	}
	for _, field := range found.of.(*ast.StructType).Fields.List {
		tag := ""
		if field.Tag != nil {
			tag = reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("yaml")
		}
		key, options, _ := strings.Cut(tag, ",")
		if strings.Contains(options, "inline") {
			if _, isMap := field.Type.(*ast.MapType); isMap {
				continue
			}
			walk(path, field.Type, found)
			continue
		}
		for _, named := range field.Names {
			if !named.IsExported() || key == "-" {
				continue
			}
			below := key
			if below == "" {
				below = strings.ToLower(named.Name)
			}
			if path != "" {
				below = path + "." + below
			}
			row(below, field.Type, found)
		}
	}
}

// row prints a field, and those of its type unless they stand elsewhere.
func row(path string, of ast.Expr, in *declared) {
	found, around := part(of, in)
	home, isKnown := homes[found]
	switch {
	case found == nil:
		printed = append(printed, path)
	case !strings.HasPrefix(found.pkg, module):
		at := typeName(of) + around
		printed = append(printed, path+":"+at)
		if !isKnown {
			walk(typeName(of), of, in)
		}
	case isKnown:
		printed = append(printed, path+":"+home)
	default:
		printed = append(printed, path+":"+path+around)
		walk(path, of, in)
	}
}

// typeName returns the name of the type inside of others.
func typeName(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return typeName(of.X)
	case *ast.ArrayType:
		return typeName(of.Elt)
	case *ast.MapType:
		return typeName(of.Value)
	case *ast.SelectorExpr:
		return of.Sel.Name
	case *ast.Ident:
		return of.Name
	}
	return ""
}
