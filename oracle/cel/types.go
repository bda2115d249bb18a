// Types of variables that are declared, objects with fields among them.
package main

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
)

// objects knows the fields of objects, and all other types.
type objects struct {
	*types.Registry
	fields map[string]map[string]*cel.Type
}

func (known objects) FindStructType(name string) (*types.Type, bool) {
	if _, ok := known.fields[name]; ok {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return known.Registry.FindStructType(name)
}

func (known objects) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if fields, ok := known.fields[name]; ok {
		of, ok := fields[field]
		return &types.FieldType{Type: of}, ok
	}
	return known.Registry.FindStructFieldType(name, field)
}

// declared is a type by its name, or by a list of its name and its parameters.
func declared(of any) (*cel.Type, error) {
	if parts, ok := of.([]any); ok && len(parts) > 1 {
		if parts[0] == "object" {
			return cel.ObjectType(fmt.Sprint(parts[1])), nil
		}
		var parameters []*cel.Type
		for _, part := range parts[1:] {
			parameter, err := declared(part)
			if err != nil {
				return nil, err
			}
			parameters = append(parameters, parameter)
		}
		switch {
		case parts[0] == "list":
			return cel.ListType(parameters[0]), nil
		case parts[0] == "optional":
			return cel.OptionalType(parameters[0]), nil
		case parts[0] == "map" && len(parameters) == 2:
			return cel.MapType(parameters[0], parameters[1]), nil
		}
	}
	for _, known := range []*cel.Type{cel.DynType, cel.NullType, cel.BoolType, cel.IntType, cel.UintType, cel.DoubleType, cel.StringType,
		cel.BytesType, cel.DurationType, cel.TypeType} {
		if known.String() == of {
			return known, nil
		}
	}
	return nil, fmt.Errorf("unknown type %v", of)
}

// typeOf tells the type of the result of an expression, or that it is refused.
func typeOf(asked question) (string, error) {
	registry, err := types.NewRegistry()
	if err != nil {
		return "", err
	}
	known := objects{registry, map[string]map[string]*cel.Type{}}
	for name, fields := range asked.Objects {
		known.fields[name] = map[string]*cel.Type{}
		for field, of := range fields {
			if known.fields[name][field], err = declared(of); err != nil {
				return "", err
			}
		}
	}
	options := append([]cel.EnvOption{cel.CustomTypeProvider(known)}, libraries()...)
	for name, of := range asked.Types {
		of, err := declared(of)
		if err != nil {
			return "", err
		}
		options = append(options, cel.Variable(name, of))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return "", err
	}
	checked, issues := env.Compile(asked.Expr)
	if issues.Err() != nil {
		return first(issues.Err()), nil
	}
	return "type " + checked.OutputType().String(), nil
}
