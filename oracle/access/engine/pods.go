// Package networkpolicy has what the engine of sig-network's kube-network-policies asks of a cluster. The engine itself is
// networkpolicy.go of that module, which `.ci/access` puts beside this file.
package networkpolicy

import (
	"context"
	"net"

	v1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	networkinglisters "k8s.io/client-go/listers/networking/v1"
	"k8s.io/client-go/tools/cache"
)

// Controller has the fields that the engine reads.
type Controller struct {
	config              struct{ NodeName string }
	podLister           corelisters.PodLister
	namespaceLister     corelisters.NamespaceLister
	networkpolicyLister networkinglisters.NetworkPolicyLister
}

// Pod is an end of a way.
type Pod struct {
	Namespace       string
	NamespaceLabels map[string]string
	Labels          map[string]string
	Ports           []Port
}

// Port is one that a container declares.
type Port struct {
	Name     string
	Number   int32
	Protocol v1.Protocol
}

func (p Pod) made(name string) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: name, Labels: p.Labels}}
	var container v1.Container
	for _, port := range p.Ports {
		own := v1.ContainerPort{Name: port.Name, ContainerPort: port.Number, Protocol: port.Protocol}
		container.Ports = append(container.Ports, own)
	}
	pod.Spec.Containers = []v1.Container{container}
	return pod
}

// Open says whether a pod reaches a port of another one over TCP.
func Open(policies []*networkingv1.NetworkPolicy, from, to Pod, port int) bool {
	byNamespace := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	kept := cache.NewIndexer(cache.MetaNamespaceKeyFunc, byNamespace)
	for _, policy := range policies {
		_ = kept.Add(stored(policy))
	}
	namespaces := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	for _, pod := range []Pod{from, to} {
		_ = namespaces.Add(&v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: pod.Namespace, Labels: pod.NamespaceLabels}})
	}
	c := &Controller{
		namespaceLister:     corelisters.NewNamespaceLister(namespaces),
		networkpolicyLister: networkinglisters.NewNetworkPolicyLister(kept),
	}
	const fromPort = 50000
	ctx, source, target := context.Background(), from.made("from"), to.made("to")
	out := c.evaluator(ctx, c.getNetworkPoliciesForPod(source), networkingv1.PolicyTypeEgress,
		source, fromPort, target, net.IPv4(10, 0, 0, 2), port, v1.ProtocolTCP)
	in := c.evaluator(ctx, c.getNetworkPoliciesForPod(target), networkingv1.PolicyTypeIngress,
		target, port, source, net.IPv4(10, 0, 0, 1), fromPort, v1.ProtocolTCP)
	return out && in
}

// stored is a policy as the API server stores it: without empty lists.
func stored(policy *networkingv1.NetworkPolicy) *networkingv1.NetworkPolicy {
	policy = policy.DeepCopy()
	if len(policy.Spec.Ingress) == 0 {
		policy.Spec.Ingress = nil
	}
	if len(policy.Spec.Egress) == 0 {
		policy.Spec.Egress = nil
	}
	return policy
}
