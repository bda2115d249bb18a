//! Selectors that are meant for the pods of a workload: what spreads them, keeps them apart, or protects them.

use std::collections::{BTreeMap, BTreeSet};

use promgen_compile::output::Workload;
use promgen_compile::sharding::ZONE_LABEL;
use promgen_compile::workload::pod_checks;
use promgen_model::model::World;
use promgen_model::running::{self, RunningWorkload};
use promgen_prometheus::labels::Selector;
use promgen_prometheus::labels::miss::Miss;
use promgen_resources::api::LabelSelector;
use promgen_resources::api::core::PodAffinityTerm;
use promgen_resources::document;
use promgen_targets::resolve::labelled::NamespaceScope;
use promgen_text::CollectOrdered;
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::{At, ValueRoute};
use promgen_text::yaml::decode::{decode_fitting, from_json};
use promgen_text::yaml::{Node, StringMap, Value};

rules! {
    /// ## What it does
    /// Finds selectors that are meant for the pods of a workload and match none: of `topologySpreadConstraints`, of a
    /// `podAntiAffinity`, of a PodDisruptionBudget and of a NetworkPolicy. What matches other pods in the input is right.
    ///
    /// Of an anti-affinity, a budget and a policy, a selector is reported that names a label of these pods, or its value, and another
    /// label that they lack; of an anti-affinity that is required, also one that names labels of the resource.
    ///
    /// ## Why is this bad?
    /// The operator gives the pods its own labels and those of `podMetadata`, and none of the resource. A constraint that counts no
    /// pod spreads nothing, an anti-affinity with no pods keeps nothing apart, and a budget or policy of no pods holds for none.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   replicas: 2
    ///   topologySpreadConstraints:
    ///   - maxSkew: 1
    ///     topologyKey: topology.kubernetes.io/zone
    ///     whenUnsatisfiable: DoNotSchedule
    ///     labelSelector: {matchLabels: {app: prometheus}}
    /// ```
    /// Use instead: a label of the pods.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   replicas: 2
    ///   topologySpreadConstraints:
    ///   - maxSkew: 1
    ///     topologyKey: topology.kubernetes.io/zone
    ///     whenUnsatisfiable: DoNotSchedule
    ///     labelSelector: {matchLabels: {prometheus: k8s}}
    /// ```
    ///
    /// ## Source
    /// Kubernetes' documentation, "Pod Topology Spread Constraints" and "Assigning Pods to Nodes".
    NO_OWN_POD = "PG533" "selector-of-no-own-pod" Warning: "a selector that is meant for the pods of a workload and matches none";

    /// ## What it does
    /// Finds workloads whose pods may not share a node, by a required anti-affinity, and that have more pods than there are nodes in
    /// the input, if it has several, which their `nodeSelector` and the taints leave them. Pods of all shards count, unless the term
    /// has the label of the shard in `matchLabelKeys`.
    ///
    /// ## Why is this bad?
    /// The pods that find no node stay pending.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   replicas: 2
    ///   shards: 2
    ///   affinity:
    ///     podAntiAffinity:
    ///       requiredDuringSchedulingIgnoredDuringExecution:
    ///       - topologyKey: kubernetes.io/hostname
    ///         labelSelector: {matchLabels: {prometheus: k8s}}
    /// ---
    /// apiVersion: v1
    /// kind: Node
    /// metadata: {name: one}
    /// ---
    /// apiVersion: v1
    /// kind: Node
    /// metadata: {name: two}
    /// ```
    /// Use instead: an anti-affinity within a shard.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   replicas: 2
    ///   shards: 2
    ///   affinity:
    ///     podAntiAffinity:
    ///       requiredDuringSchedulingIgnoredDuringExecution:
    ///       - topologyKey: kubernetes.io/hostname
    ///         labelSelector: {matchLabels: {prometheus: k8s}}
    ///         matchLabelKeys: [operator.prometheus.io/shard]
    /// ---
    /// apiVersion: v1
    /// kind: Node
    /// metadata: {name: one}
    /// ---
    /// apiVersion: v1
    /// kind: Node
    /// metadata: {name: two}
    /// ```
    TOO_FEW_NODES = "PG534" "more-pods-than-nodes" Warning: "more pods that may not share a node than nodes in the input";
}

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// The pods of a set, which differ in their names alone.
struct SetOfPods {
    set: Value,
    n: i64,
    labels: StringMap,
}

impl SetOfPods {
    fn all(compiled: &Workload) -> Vec<Self> {
        let sets = compiled.sets();
        sets.filter_map(|object| Self::of(object.value().into_owned()))
            .collect()
    }

    fn of(set: Value) -> Option<Self> {
        let spec = set.get("spec")?;
        let metadata = spec.get("template")?.get("metadata")?;
        let labels = metadata.get("labels")?.as_map()?.iter();
        let labels = labels
            .filter_map(|(key, value)| Some(((**key).into(), value.as_str()?.into())))
            .collect();
        let n = match spec.get("replicas") {
            Some(Value::Int(n)) => *n,
            _ => 0,
        };
        Some(Self { set, n, labels })
    }

    fn pod(&self) -> Option<&Value> {
        self.set.get("spec")?.get("template")?.get("spec")
    }
}

/// A value of the set as one of the API's types.
fn read<T: promgen_text::yaml::decode::Decode>(value: &Value) -> Option<T> {
    from_json(&serde_json::to_value(value).ok()?).ok()
}

/// The labels that a selector asks for and the pods of a workload lack. `None` if it is meant for others.
fn lacked(selector: &Selector, labels: &StringMap) -> Option<Vec<Miss>> {
    let misses = Miss::all(selector, labels);
    let is_named = misses.len() < selector.requirements().len()
        || misses.iter().any(|miss| miss.other_key.is_some());
    let is_lacked = !misses.is_empty() && misses.iter().all(|miss| miss.seen.is_none());
    (is_named && is_lacked).then_some(misses)
}

/// The same of the labels of a resource, which its pods do not have. What a chart gives to all of its objects is no such label.
fn lacked_of_resource(
    selector: &Selector,
    labels: &StringMap,
    resource: &Node,
) -> Option<Vec<Miss>> {
    const OF_ALL: [&str; 7] = [
        "release",
        "heritage",
        "chart",
        "app.kubernetes.io/instance",
        "app.kubernetes.io/managed-by",
        "app.kubernetes.io/part-of",
        "app.kubernetes.io/version",
    ];
    let of_resource = resource.find(&["metadata", "labels"])?.entries().iter();
    let of_resource: StringMap = of_resource
        .filter(|entry| !OF_ALL.contains(&&*entry.key))
        .filter_map(|entry| Some((entry.key.clone(), entry.value.as_str()?.into())))
        .collect();
    let misses = Miss::all(selector, labels);
    let is_of_resource = |miss: &Miss| of_resource.get(miss.required.key.as_str()).is_some();
    let is_meant = selector.matches(&of_resource) && misses.iter().all(is_of_resource);
    (is_meant && !misses.is_empty()).then_some(misses)
}

fn words(misses: &[Miss]) -> String {
    let words: Vec<String> = misses.iter().map(Miss::to_string).collect();
    words.join(", ")
}

/// The label that tells the pods of a workload.
fn own_label(running: &RunningWorkload<'_>) -> String {
    let key = match running
        .id()
        .kind
        .resource()
        .map(promgen_resources::api::Kind::as_str)
    {
        Some("Alertmanager") => "alertmanager",
        Some("ThanosRuler") => "thanos-ruler",
        _ => "operator.prometheus.io/name",
    };
    format!("`{key}: {}`", running.name)
}

/// Checks the constraints and anti-affinities of a workload.
pub(super) fn check(
    model: &World<'_>,
    running: &RunningWorkload<'_>,
    compiled: &Workload,
    sink: &mut Sink,
) {
    let sets = SetOfPods::all(compiled);
    let resource = document::find(model.documents(), running.doc);
    let Some(((first, resource), pod)) = sets
        .first()
        .zip(resource)
        .and_then(|of| Some((of, of.0.pod()?)))
    else {
        return;
    };
    let at = |route: ValueRoute| At {
        doc: running.doc,
        route: pod_checks::place(&resource.node, &first.set, &route),
    };
    let base = || ValueRoute::root().key("spec").key("template").key("spec");
    let asked = AskedPods {
        model,
        running,
        sets: &sets,
    };
    let constraints = pod.items_of("topologySpreadConstraints").iter();
    for (index, constraint) in constraints.enumerate() {
        let selector = constraint
            .get("labelSelector")
            .and_then(read::<LabelSelector>);
        let Some(selector) = selector.and_then(|selector| Selector::new(&selector).ok()) else {
            continue;
        };
        let at = at(base()
            .key("topologySpreadConstraints")
            .index(index)
            .key("labelSelector"));
        let scope = NamespaceScope::one(running.namespace);
        if asked.matches(&scope, &selector) || asked.is_unknown(&at) {
            continue;
        }
        let what = "the topology spread constraint";
        sink.report(asked.finding(what, at, &Miss::all(&selector, &first.labels)));
    }
    let anti = pod.get("affinity").and_then(|of| of.get("podAntiAffinity"));
    for list in [REQUIRED, PREFERRED] {
        let terms = anti.map_or(&[][..], |anti| anti.items_of(list));
        for (index, item) in terms.iter().enumerate() {
            let route = base()
                .key("affinity")
                .key("podAntiAffinity")
                .key(list)
                .index(index);
            let (route, term) = match item.get("podAffinityTerm") {
                Some(term) => (route.key("podAffinityTerm"), term),
                None => (route, item),
            };
            let Some(term) = read::<PodAffinityTerm>(term) else {
                continue;
            };
            let at = at(route.key("labelSelector"));
            asked.term(list, compiled, &resource.node, &term, at, sink);
        }
    }
}

/// The pods of a workload, and what is asked of them.
struct AskedPods<'c> {
    model: &'c World<'c>,
    running: &'c RunningWorkload<'c>,
    sets: &'c [SetOfPods],
}

impl AskedPods<'_> {
    /// Returns whether a selector matches pods in the input.
    fn matches(&self, scope: &NamespaceScope<'_>, selector: &Selector) -> bool {
        let own = self.sets.iter().any(|set| selector.matches(&set.labels));
        let mut others = self.model.reach.pods.matching(scope, Some(selector));
        scope.has(self.running.namespace) && own || others.next().is_some()
    }

    fn is_unknown(&self, at: &At) -> bool {
        let (unknowns, documents) = (self.model.unknowns(), self.model.documents());
        unknowns.is_open(documents, at.doc)
            || unknowns.why(documents, at).is_some()
            || unknowns
                .why(documents, &At::spec(at.doc).key("podMetadata"))
                .is_some()
    }

    fn finding(&self, what: &str, at: At, misses: &[Miss]) -> Diagnostic {
        let who = self.running.what();
        let message = format!(
            "{what} of {who} matches none of its pods: each of them {}",
            words(misses)
        );
        let help = format!(
            "use a label that the operator gives the pods, such as {}, or set the label in `podMetadata.labels`",
            own_label(self.running)
        );
        Diagnostic::new(&NO_OWN_POD, at, message).help(help)
    }

    fn term(
        &self,
        list: &str,
        compiled: &Workload,
        resource: &Node,
        term: &PodAffinityTerm,
        at: At,
        sink: &mut Sink,
    ) {
        let names = term.namespaces.iter().flatten().map(String::as_str);
        let mut names: BTreeSet<&str> = names.collect_set();
        if names.is_empty() {
            names.insert(self.running.namespace);
        }
        let selector = term.label_selector.as_ref();
        let Some(selector) = selector.and_then(|selector| Selector::new(selector).ok()) else {
            return;
        };
        let is_own = names.contains(self.running.namespace);
        if term.namespace_selector.is_some() || !is_own || self.is_unknown(&at) {
            return;
        }
        if self.sets.iter().any(|set| selector.matches(&set.labels)) {
            if list == REQUIRED
                && (term.topology_key != ZONE_LABEL || compiled.plan.zones.is_empty())
            {
                self.crowded(&selector, term, at)
                    .into_iter()
                    .for_each(|found| sink.report(found));
            }
        } else if !self.matches(&NamespaceScope::Names(names), &selector)
            && let Some(misses) = self.sets.first().and_then(|set| {
                let is_spread =
                    list == REQUIRED && self.sets.iter().map(|set| set.n).sum::<i64>() > 1;
                let of_resource = || lacked_of_resource(&selector, &set.labels, resource);
                lacked(&selector, &set.labels).or_else(|| of_resource().filter(|_| is_spread))
            })
        {
            sink.report(self.finding("the anti-affinity", at, &misses));
        }
    }

    /// Reports pods that find no place of their own.
    fn crowded(&self, selector: &Selector, term: &PodAffinityTerm, at: At) -> Option<Diagnostic> {
        if term
            .mismatch_label_keys
            .as_ref()
            .is_some_and(|keys| !keys.is_empty())
        {
            return None;
        }
        let mut groups: BTreeMap<Vec<Option<&str>>, i64> = BTreeMap::new();
        for set in self.sets.iter().filter(|set| selector.matches(&set.labels)) {
            let keys = term.match_label_keys.iter().flatten();
            let values = keys.map(|key| set.labels.get(key.as_str()).map(|value| &**value));
            *groups.entry(values.collect()).or_default() += set.n;
        }
        let n_pods = groups.into_values().max()?;
        let pod = self.sets.first()?.pod()?;
        let wanted = pod.get("nodeSelector").and_then(Value::as_map);
        let nodes = self.model.manifests().iter();
        let nodes = nodes.filter(|of| (of.group, of.kind) == ("", "Node"));
        let tolerations = pod.items_of("tolerations");
        let (mut all, mut places) = (BTreeSet::new(), BTreeSet::new());
        for node in nodes {
            let label = |key: &str| {
                let label = node.node.text_at(&["metadata", "labels", key]);
                label.or((key == HOSTNAME).then_some(node.name))
            };
            let mut wanted = wanted.into_iter().flat_map(promgen_text::yaml::Map::iter);
            let taints = node.node.find(&["spec", "taints"]);
            let taints = taints.map_or(&[][..], Node::items).iter();
            let mut taints = taints.filter(|of| of.text_of("effect") != Some("PreferNoSchedule"));
            let Some(place) = label(&term.topology_key) else {
                continue;
            };
            all.insert(place);
            if wanted.all(|(key, value)| label(key) == value.as_str())
                && taints.all(|taint| tolerations.iter().any(|of| tolerates(of, taint)))
            {
                places.insert(place);
            }
        }
        // One may be there for another reason than to list the nodes of a cluster.
        let n_places = i64::try_from(places.len()).ok()?;
        if all.len() < 2 || n_pods <= n_places.max(1) {
            return None;
        }
        let what = if term.topology_key == HOSTNAME {
            counted(places.len(), "node")
        } else {
            format!(
                "{n_places} values of the node label `{}`",
                term.topology_key
            )
        };
        let pending = n_pods - n_places;
        let stay = if pending == 1 { "stays" } else { "stay" };
        let message = format!(
            "the anti-affinity of {} keeps its {n_pods} pods apart, and the input has {what} for them: {pending} {stay} pending",
            self.running.what()
        );
        let found = Diagnostic::new(&TOO_FEW_NODES, at, message);
        Some(if self.sets.len() > 1 && term.match_label_keys.is_none() {
            found.help("add `matchLabelKeys: [operator.prometheus.io/shard]`, so that pods of several shards may share a node, or add nodes")
        } else {
            found.help("add nodes, or prefer the anti-affinity instead of requiring it")
        })
    }
}

/// Returns whether a toleration lets pods onto a node with a taint.
fn tolerates(toleration: &Value, taint: &Node) -> bool {
    let is = |key: &str| {
        toleration
            .text_of(key)
            .is_none_or(|text| text.is_empty() || Some(text) == taint.text_of(key))
    };
    let exists = toleration.text_of("operator") == Some("Exists");
    is("effect") && is("key") && (exists || toleration.text_of("value") == taint.text_of("value"))
}

/// The label that each node has its own value of.
const HOSTNAME: &str = "kubernetes.io/hostname";

/// Checks the budgets and policies that are meant for the pods of workloads.
pub(super) fn policies(model: &World<'_>, sink: &mut Sink) {
    let own: Vec<(RunningWorkload<'_>, Vec<SetOfPods>)> = running::all(model.cluster())
        .filter_map(|running| {
            let compiled = model.workload(&running.id())?;
            Some((running, SetOfPods::all(compiled)))
        })
        .collect();
    for manifest in model.manifests().iter() {
        let field = match (manifest.group, manifest.kind) {
            ("policy", "PodDisruptionBudget") => "selector",
            ("networking.k8s.io", "NetworkPolicy") => "podSelector",
            _ => continue,
        };
        let namespace = manifest.namespace.unwrap_or(&model.manifests().namespace);
        let Some(node) = manifest.node.find(&["spec", field]) else {
            continue;
        };
        let Ok(selector) = Selector::new(&decode_fitting(node)) else {
            continue;
        };
        if selector.requirements().is_empty() || model.unknowns().is_about(node) {
            continue;
        }
        let of_namespace = own
            .iter()
            .filter(|(running, _)| running.namespace == namespace);
        let found = of_namespace.filter_map(|(running, sets)| {
            let asked = AskedPods {
                model,
                running,
                sets,
            };
            let misses = lacked(&selector, &sets.first()?.labels)?;
            (!asked.matches(&NamespaceScope::one(namespace), &selector))
                .then_some((running, misses))
        });
        let Some((running, misses)) = found.min_by_key(|(_, misses)| misses.len()) else {
            continue;
        };
        let message = format!(
            "{} {namespace}/{} selects no pod in the input: each pod of {} {}",
            manifest.kind,
            manifest.name,
            running.what(),
            words(&misses)
        );
        let help = format!(
            "select by a label of the pods, such as {}",
            own_label(running)
        );
        sink.report(Diagnostic::new(&NO_OWN_POD, node.span, message).help(help));
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::found::found;

    fn told(code: &str, kind: &str, spec: &str, more: &str) -> Vec<String> {
        let version = if kind == "PrometheusAgent" {
            "v1alpha1"
        } else {
            "v1"
        };
        found(
            &[code],
            &format!(
                "apiVersion: monitoring.coreos.com/{version}\nkind: {kind}\nmetadata: {{name: k, namespace: ns}}\nspec: {{{spec}}}\n{more}"
            ),
        )
    }

    fn spread(labels: &str) -> String {
        format!(
            "topologySpreadConstraints: [{{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {{matchLabels: {{{labels}}}}}}}]"
        )
    }

    fn anti_affinity(list: &str, labels: &str, more: &str) -> String {
        let term = format!(
            "topologyKey: kubernetes.io/hostname, labelSelector: {{matchLabels: {{{labels}}}}}{more}"
        );
        let term = if list == "preferred" {
            format!("weight: 1, podAffinityTerm: {{{term}}}")
        } else {
            term
        };
        format!(
            "affinity: {{podAntiAffinity: {{{list}DuringSchedulingIgnoredDuringExecution: [{{{term}}}]}}}}"
        )
    }

    const APP: &str = "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: ns}\nspec: {template: {metadata: {labels: {app: k}}, spec: {containers: [{name: a, image: a}]}}}\n";

    #[test]
    fn selectors_over_own_pods_match_some() {
        for (kind, spec, more, is_told) in [
            ("Prometheus", spread("app: k"), "", true),
            (
                "Alertmanager",
                spread("app.kubernetes.io/name: k"),
                "",
                true,
            ),
            (
                "PrometheusAgent",
                spread("operator.prometheus.io/name: k"),
                "",
                false,
            ),
            ("Prometheus", spread("app: k"), APP, false),
            (
                "ThanosRuler",
                format!(
                    "queryEndpoints: [a], podMetadata: {{labels: {{app: k}}}}, {}",
                    spread("app: k")
                ),
                "",
                false,
            ),
            (
                "Alertmanager",
                anti_affinity("required", "alertmanager: k, app: alertmanager", ""),
                "",
                true,
            ),
            (
                "Prometheus",
                anti_affinity("preferred", "app: prometheus", ""),
                "",
                true,
            ),
            (
                "Prometheus",
                anti_affinity("preferred", "app: ingester", ""),
                "",
                false,
            ),
            (
                "Prometheus",
                anti_affinity(
                    "preferred",
                    "app.kubernetes.io/name: prometheus, app.kubernetes.io/instance: other",
                    "",
                ),
                "",
                false,
            ),
            (
                "Prometheus",
                anti_affinity("preferred", "app: k", ", namespaces: [m]"),
                "",
                false,
            ),
            (
                "Prometheus",
                anti_affinity("preferred", "app: k", ", namespaceSelector: {}"),
                "",
                false,
            ),
        ] {
            let told = told("PG533", kind, &spec, more);
            assert_eq!(told.len(), usize::from(is_told), "{kind} {spec}: {told:?}");
        }
    }

    #[test]
    fn labels_of_the_resource_are_none_of_its_pods() {
        let told = |spec: &str, labels: &str, more: &str| {
            let text = format!(
                "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: k, namespace: ns, labels: {{{labels}}}}}\nspec: {{{spec}}}\n{more}"
            );
            crate::checks::found::found(&["PG533"], &text).len()
        };
        let two = |term: &str| format!("replicas: 2, {}", anti_affinity("required", term, ""));
        assert_eq!(told(&two("team: a"), "team: a", ""), 1);
        assert_eq!(told(&two("app: k, team: a"), "team: a, app: k", ""), 1);
        let by_expression = two("").replace(
            "matchLabels: {}",
            "matchExpressions: [{key: app, operator: In, values: [prometheus]}]",
        );
        assert_eq!(told(&by_expression, "", ""), 1);
        for (spec, labels, more) in [
            (two("team: a"), "team: b", ""),
            (two("app: k"), "app: k", APP),
            (two("release: kps"), "release: kps", ""),
            (anti_affinity("required", "team: a", ""), "team: a", ""),
            (
                format!("replicas: 2, {}", anti_affinity("preferred", "team: a", "")),
                "team: a",
                "",
            ),
            (
                format!("podMetadata: {{labels: {{team: a}}}}, {}", two("team: a")),
                "team: a",
                "",
            ),
        ] {
            assert_eq!(told(&spec, labels, more), 0, "{spec} {labels}");
        }
    }

    #[test]
    fn policies_and_budgets_select_pods() {
        let policy = |kind: &str, labels: &str| {
            let (group, field) = if kind == "NetworkPolicy" {
                ("networking.k8s.io", "podSelector")
            } else {
                ("policy", "selector")
            };
            format!(
                "---\napiVersion: {group}/v1\nkind: {kind}\nmetadata: {{name: p, namespace: ns}}\nspec: {{{field}: {{matchLabels: {{{labels}}}}}}}\n"
            )
        };
        for (kind, labels, is_told) in [
            (
                "PodDisruptionBudget",
                "app: alertmanager, alertmanager: k",
                true,
            ),
            ("NetworkPolicy", "app: alertmanager", true),
            ("NetworkPolicy", "alertmanager: k", false),
            ("NetworkPolicy", "app: cart", false),
            ("NetworkPolicy", "alertmanager: other", false),
        ] {
            let told = told(
                "PG533",
                "Alertmanager",
                "replicas: 3",
                &policy(kind, labels),
            );
            assert_eq!(
                told.len(),
                usize::from(is_told),
                "{kind} {labels}: {told:?}"
            );
        }
    }

    #[test]
    fn pods_apart_have_a_node_each() {
        let nodes = |n: usize| {
            (0..n)
                .map(|n| format!("---\napiVersion: v1\nkind: Node\nmetadata: {{name: n{n}}}\n"))
                .collect::<String>()
        };
        let own = anti_affinity("required", "prometheus: k", "");
        let by_shard = anti_affinity(
            "required",
            "prometheus: k",
            ", matchLabelKeys: [operator.prometheus.io/shard]",
        );
        for (spec, n_nodes, is_told) in [
            (format!("replicas: 2, shards: 2, {own}"), 3, true),
            (format!("replicas: 2, shards: 2, {own}"), 4, false),
            (format!("replicas: 2, shards: 2, {own}"), 0, false),
            (format!("replicas: 2, shards: 2, {by_shard}"), 2, false),
            (format!("replicas: 3, shards: 2, {by_shard}"), 2, true),
            (
                format!(
                    "replicas: 4, {}",
                    anti_affinity("preferred", "prometheus: k", "")
                ),
                3,
                false,
            ),
        ] {
            let told = told("PG534", "Prometheus", &spec, &nodes(n_nodes));
            assert_eq!(told.len(), usize::from(is_told), "{spec}: {told:?}");
        }
        let taint = |effect: &str| {
            let node = "---\napiVersion: v1\nkind: Node\nmetadata: {name: t}\n";
            format!("{node}spec: {{taints: [{{key: pool, value: db, effect: {effect}}}]}}\n")
        };
        let two = format!("replicas: 2, {own}");
        for (more, effect, is_told) in [
            ("", "NoSchedule", true),
            (
                ", tolerations: [{key: other, operator: Exists}]",
                "NoExecute",
                true,
            ),
            ("", "PreferNoSchedule", false),
            (
                ", tolerations: [{key: pool, value: db}]",
                "NoSchedule",
                false,
            ),
            (", tolerations: [{operator: Exists}]", "NoExecute", false),
        ] {
            let spec = format!("{two}{more}");
            let told = told("PG534", "Prometheus", &spec, &(nodes(1) + &taint(effect)));
            assert_eq!(
                told.len(),
                usize::from(is_told),
                "{more} {effect}: {told:?}"
            );
        }
        let chosen = format!("{two}, nodeSelector: {{pool: db}}");
        assert_eq!(told("PG534", "Prometheus", &chosen, &nodes(3)).len(), 1);
    }
}
