// The word of Kubernetes on permissions and policies: each line of standard input is a batch of objects with questions about
// them, and each line of standard output has the answers.
//
// Permissions are answered by the API server's own RBAC authorizer, with ClusterRoles put together as the controller does.
// Ways are answered by the engine of sig-network's kube-network-policies. The API server's own validation comes first.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	engine "access/engine"

	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/kubernetes/pkg/apis/networking"
	networkingconversion "k8s.io/kubernetes/pkg/apis/networking/v1"
	networkingvalidation "k8s.io/kubernetes/pkg/apis/networking/validation"
	"k8s.io/kubernetes/pkg/apis/rbac"
	rbacconversion "k8s.io/kubernetes/pkg/apis/rbac/v1"
	rbacvalidation "k8s.io/kubernetes/pkg/apis/rbac/validation"
	"k8s.io/kubernetes/pkg/registry/rbac/validation"
	authorization "k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"
)

type request struct {
	Account     struct{ Namespace, Name string }
	Verb        string
	Group       string
	Resource    string
	Subresource string
	Namespace   string
	Name        string
	Path        string
}

type way struct {
	From, To engine.Pod
	Port     int
}

type batch struct {
	Objects  []json.RawMessage
	Requests []request
	Ways     []way
}

type answers struct {
	Granted []bool `json:"granted"`
	Open    []bool `json:"open"`
}

type objects struct {
	roles           []*rbacv1.Role
	clusterRoles    []*rbacv1.ClusterRole
	bindings        []*rbacv1.RoleBinding
	clusterBindings []*rbacv1.ClusterRoleBinding
	policies        []*networkingv1.NetworkPolicy
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func valid(errors field.ErrorList, object any) {
	if len(errors) > 0 {
		must(fmt.Errorf("the API server refuses %+v: %w", object, errors.ToAggregate()))
	}
}

func read(raw json.RawMessage, into *objects) {
	var kind metav1.TypeMeta
	must(json.Unmarshal(raw, &kind))
	switch kind.Kind {
	case "Role":
		object, internal := &rbacv1.Role{}, &rbac.Role{}
		must(json.Unmarshal(raw, object))
		must(rbacconversion.Convert_v1_Role_To_rbac_Role(object, internal, nil))
		valid(rbacvalidation.ValidateRole(internal), object)
		into.roles = append(into.roles, object)
	case "ClusterRole":
		object, internal := &rbacv1.ClusterRole{}, &rbac.ClusterRole{}
		must(json.Unmarshal(raw, object))
		must(rbacconversion.Convert_v1_ClusterRole_To_rbac_ClusterRole(object, internal, nil))
		valid(rbacvalidation.ValidateClusterRole(internal, rbacvalidation.ClusterRoleValidationOptions{}), object)
		into.clusterRoles = append(into.clusterRoles, object)
	case "RoleBinding":
		object, internal := &rbacv1.RoleBinding{}, &rbac.RoleBinding{}
		must(json.Unmarshal(raw, object))
		rbacconversion.SetObjectDefaults_RoleBinding(object)
		must(rbacconversion.Convert_v1_RoleBinding_To_rbac_RoleBinding(object, internal, nil))
		valid(rbacvalidation.ValidateRoleBinding(internal), object)
		into.bindings = append(into.bindings, object)
	case "ClusterRoleBinding":
		object, internal := &rbacv1.ClusterRoleBinding{}, &rbac.ClusterRoleBinding{}
		must(json.Unmarshal(raw, object))
		rbacconversion.SetObjectDefaults_ClusterRoleBinding(object)
		must(rbacconversion.Convert_v1_ClusterRoleBinding_To_rbac_ClusterRoleBinding(object, internal, nil))
		valid(rbacvalidation.ValidateClusterRoleBinding(internal), object)
		into.clusterBindings = append(into.clusterBindings, object)
	case "NetworkPolicy":
		object, internal := &networkingv1.NetworkPolicy{}, &networking.NetworkPolicy{}
		must(json.Unmarshal(raw, object))
		networkingconversion.SetObjectDefaults_NetworkPolicy(object)
		must(networkingconversion.Convert_v1_NetworkPolicy_To_networking_NetworkPolicy(object, internal, nil))
		valid(networkingvalidation.ValidateNetworkPolicy(internal, networkingvalidation.NetworkPolicyValidationOptions{}), object)
		into.policies = append(into.policies, object)
	default:
		must(fmt.Errorf("no kind %q", kind.Kind))
	}
}

// aggregate fills in the rules of ClusterRoles that are put together of others. Each round goes one step further.
func aggregate(roles []*rbacv1.ClusterRole) {
	for range roles {
		for _, role := range roles {
			if role.AggregationRule == nil {
				continue
			}
			var rules []rbacv1.PolicyRule
			for i := range role.AggregationRule.ClusterRoleSelectors {
				selector, err := metav1.LabelSelectorAsSelector(&role.AggregationRule.ClusterRoleSelectors[i])
				must(err)
				for _, part := range roles {
					if part != role && selector.Matches(labels.Set(part.Labels)) {
						rules = append(rules, part.Rules...)
					}
				}
			}
			role.Rules = rules
		}
	}
}

func (b *batch) answer() (out answers) {
	var known objects
	for _, raw := range b.Objects {
		read(raw, &known)
	}
	aggregate(known.clusterRoles)
	_, roles := validation.NewTestRuleResolver(known.roles, known.bindings, known.clusterRoles, known.clusterBindings)
	authorizes := authorization.New(roles, roles, roles, roles)
	for _, asked := range b.Requests {
		account := &user.DefaultInfo{
			Name:   serviceaccount.MakeUsername(asked.Account.Namespace, asked.Account.Name),
			Groups: append(serviceaccount.MakeGroupNames(asked.Account.Namespace), user.AllAuthenticated),
		}
		decision, _, _ := authorizes.Authorize(context.Background(), authorizer.AttributesRecord{
			User: account, Verb: asked.Verb, Namespace: asked.Namespace, APIGroup: asked.Group, APIVersion: "*",
			Resource: asked.Resource, Subresource: asked.Subresource, Name: asked.Name, Path: asked.Path,
			ResourceRequest: asked.Path == "",
		})
		out.Granted = append(out.Granted, decision == authorizer.DecisionAllow)
	}
	for _, asked := range b.Ways {
		out.Open = append(out.Open, engine.Open(known.policies, asked.From, asked.To, asked.Port))
	}
	return out
}

func main() {
	lines, out := bufio.NewReaderSize(os.Stdin, 1<<20), bufio.NewWriter(os.Stdout)
	decoder, encoder := json.NewDecoder(lines), json.NewEncoder(out)
	for decoder.More() {
		var asked batch
		must(decoder.Decode(&asked))
		must(encoder.Encode(asked.answer()))
		must(out.Flush())
	}
}
