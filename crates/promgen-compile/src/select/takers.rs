//! Who selects a resource: the selectors of all workloads, by the namespaces that they look into.

use std::collections::{BTreeMap, BTreeSet};

use crate::cluster::{Candidate, Cluster};
use crate::select::selector::WorkloadSelector;
use promgen_resources::api::Kind;

/// The selectors of workloads. Resources are asked about in the order of [`Cluster::candidates`], so that each namespace is
/// decided once.
pub struct Takers<'s, 'a> {
    selectors: &'s [WorkloadSelector<'a>],
    cluster: &'s Cluster,
    /// The numbers of those that look into the namespace of their workload alone, or take a resource there by its name.
    own: BTreeMap<(Kind, &'a str), Vec<usize>>,
    /// The numbers of those that select namespaces by one of some values of a label, by these, and of the others.
    labelled: BTreeMap<(Kind, String, String), Vec<usize>>,
    wide: BTreeMap<Kind, Vec<usize>>,
    /// The labels by whose values namespaces are selected.
    keys: BTreeSet<(Kind, String)>,
    /// The kind and the namespace of the last resource, and the numbers of the selectors that may take one there.
    last: Option<(Kind, &'s str, Vec<usize>)>,
}

impl<'s, 'a> Takers<'s, 'a> {
    /// Those of a cluster, as [`selectors`](super::selector::selectors) lists them.
    #[must_use]
    pub fn new(selectors: &'s [WorkloadSelector<'a>], cluster: &'s Cluster) -> Self {
        let none = || {
            (
                BTreeMap::new(),
                BTreeMap::new(),
                BTreeMap::new(),
                BTreeSet::new(),
            )
        };
        let (own, labelled, wide, keys) = none();
        let mut takers = Self {
            selectors,
            cluster,
            own,
            labelled,
            wide,
            keys,
            last: None,
        };
        for (number, selector) in selectors.iter().enumerate() {
            let kind = selector.takes;
            match selector.namespace_values() {
                Some((key, values)) => {
                    takers.keys.insert((kind, key.to_owned()));
                    for value in values {
                        let key = (kind, key.to_owned(), value.clone());
                        takers.labelled.entry(key).or_default().push(number);
                    }
                }
                None if selector.selects_namespaces() => {
                    takers.wide.entry(kind).or_default().push(number)
                }
                None => {}
            }
            if !selector.selects_namespaces() || selector.takes_by_name() {
                takers
                    .own
                    .entry((kind, selector.by.namespace))
                    .or_default()
                    .push(number);
            }
        }
        takers
    }

    /// The numbers of the selectors that take a resource, in their order.
    pub fn of(&mut self, candidate: &Candidate<'s>) -> Vec<usize> {
        self.take_namespace(candidate);
        let near = self.near().iter().copied();
        near.filter(|number| self.selectors[*number].selects(candidate, self.cluster))
            .collect()
    }

    /// Returns whether one of the selectors takes a resource.
    pub fn is_selected(&mut self, candidate: &Candidate<'s>) -> bool {
        self.take_namespace(candidate);
        self.near()
            .iter()
            .any(|number| self.selectors[*number].selects(candidate, self.cluster))
    }

    fn near(&self) -> &[usize] {
        self.last
            .as_ref()
            .map(|(.., near)| near.as_slice())
            .unwrap_or_default()
    }

    /// Decides which selectors look into the namespace of a resource.
    fn take_namespace(&mut self, candidate: &Candidate<'s>) {
        let (kind, namespace) = (candidate.kind, candidate.namespace());
        if self
            .last
            .as_ref()
            .is_some_and(|(of, last, _)| (*of, *last) == (kind, namespace))
        {
            return;
        }
        let looks =
            |number: &&usize| self.selectors[**number].may_take_from(namespace, self.cluster);
        let labels = self.cluster.namespace_labels(namespace);
        let of_key = |(_, key): &(Kind, String)| {
            let value = labels?.get(key.as_str())?;
            self.labelled.get(&(kind, key.clone(), value.to_string()))
        };
        let labelled = self
            .keys
            .range((kind, String::new())..)
            .take_while(|(of, _)| *of == kind)
            .filter_map(of_key);
        let wide = self
            .wide
            .get(&kind)
            .into_iter()
            .chain(labelled)
            .flatten()
            .filter(looks);
        let mut near: Vec<usize> = self
            .own
            .get(&(kind, namespace))
            .into_iter()
            .flatten()
            .chain(wide)
            .copied()
            .collect();
        near.sort_unstable();
        near.dedup();
        self.last = Some((kind, namespace, near));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::selector::selectors;
    use promgen_resources::document::documents;
    use promgen_resources::release::CURRENT;
    use promgen_resources::schema::Definitions;
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::read::read;

    #[test]
    fn each_resource_is_taken_by_those_who_select_it() {
        let object = |kind: &str, place: &str, rest: &str| {
            let version = if kind == "AlertmanagerConfig" {
                "v1alpha1"
            } else {
                "v1"
            };
            let group = if kind == "Namespace" {
                ""
            } else {
                "monitoring.coreos.com/"
            };
            format!(
                "{{apiVersion: {group}{version}, kind: {kind}, metadata: {{{place}}}, spec: {{{rest}}}}}\n---\n"
            )
        };
        let mut text = object("Namespace", "name: b, labels: {team: x}", "");
        for (name, spec) in [
            ("own", "podMonitorSelector: {}"),
            (
                "of-team",
                "podMonitorSelector: {}, podMonitorNamespaceSelector: {matchLabels: {team: x}}",
            ),
            (
                "all",
                "podMonitorSelector: {matchLabels: {l: z}}, podMonitorNamespaceSelector: {}",
            ),
            ("none", "serviceMonitorSelector: {}"),
        ] {
            text += &object("Prometheus", &format!("name: {name}, namespace: a"), spec);
        }
        let named = "alertmanagerConfiguration: {name: c}, alertmanagerConfigNamespaceSelector: {matchLabels: {team: x}}";
        text += &object("Alertmanager", "name: am, namespace: a", named);
        for namespace in ["a", "b", "c"] {
            text += &object(
                "PodMonitor",
                &format!("name: p, namespace: {namespace}"),
                "selector: {}",
            );
            text += &object(
                "PodMonitor",
                &format!("name: q, namespace: {namespace}, labels: {{l: z}}"),
                "selector: {}",
            );
            text += &object(
                "AlertmanagerConfig",
                &format!("name: c, namespace: {namespace}"),
                "",
            );
        }
        let sink = &mut Sink::default();
        let documents = documents(read(FileId::new(0), &text, sink), "default", sink);
        let cluster = Cluster::load(&documents, &CURRENT.version, &Definitions::default(), sink);
        let selectors = selectors(&cluster);
        let mut takers = Takers::new(&selectors, &cluster);
        let mut n_taken = Vec::new();
        for candidate in cluster.candidates() {
            let of_kind = selectors
                .iter()
                .enumerate()
                .filter(|(_, selector)| selector.takes == candidate.kind);
            let expected = of_kind
                .filter(|(_, selector)| selector.selects(&candidate, &cluster))
                .map(|(at, _)| at);
            let found = takers.of(&candidate);
            assert_eq!(found, expected.collect::<Vec<_>>());
            assert_eq!(takers.is_selected(&candidate), !found.is_empty());
            n_taken.push(found.len());
        }
        // The monitors of a, b and c, and the configurations, of which one is named.
        assert_eq!(n_taken, [1, 2, 1, 2, 0, 1, 1, 0, 0]);
    }
}
