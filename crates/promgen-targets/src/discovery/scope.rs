//! The objects that a query reads: those in its namespaces that its selectors match.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Bound;

use crate::discovery::needed::{NeededLabels, may_pass};
use crate::discovery::object::{DiscoveredNode, DiscoveredObject};
use crate::discovery::query::DiscoveryRole;
use crate::discovery::role::attach;
use crate::discovery::text::{TargetLabels, Text, meta};
use crate::discovery::{DiscoveredObjects, Discovery, LabelledObject, Query, TargetGroup};
use promgen_compile::cluster::Key;
use promgen_resources::api::{Namespace, Pod, Service};

/// The maximum number of labels of the targets of a query, without those of their groups: some 300,000 pods behind
/// slices, in about a gigabyte. Real input stays below; a crafted object may multiply ports by addresses.
const MAX_LABELS: usize = 1 << 24;

/// A query at work.
pub(crate) struct QueryScope<'d> {
    pub(crate) discovery: &'d Discovery,
    pub(crate) query: &'d Query,
    /// The needs of the job of its targets.
    needed: &'d NeededLabels,
    /// The services that have it. `None`: any.
    services: Option<BTreeSet<Key>>,
    /// The remaining number of labels.
    pub(crate) room: Cell<usize>,
}

/// Creates the group of an object for a role; `None` where Prometheus creates none.
type Make<'d, T> = fn(&QueryScope<'d>, &'d LabelledObject<T>) -> Option<TargetGroup>;

impl<'d> QueryScope<'d> {
    pub(crate) fn new(
        discovery: &'d Discovery,
        query: &'d Query,
        needed: &'d NeededLabels,
    ) -> Self {
        Self {
            discovery,
            query,
            needed,
            services: needed.services(discovery),
            room: Cell::new(MAX_LABELS),
        }
    }

    /// Creates the groups of all objects of the query.
    pub(crate) fn each<T: DiscoveredObject>(
        &self,
        objects: &'d DiscoveredObjects<T>,
        make: Make<'d, T>,
    ) -> Vec<TargetGroup> {
        let make = |known: &'d LabelledObject<T>| {
            let is_wanted = may_pass(known, self.needed, self.services.as_ref())
                && self.picks(self.query.role, known);
            if is_wanted { make(self, known) } else { None }
        };
        let namespaces = &self.query.namespaces;
        if namespaces.is_empty() || self.query.role == DiscoveryRole::Node {
            return objects.values().filter_map(make).collect();
        }
        let mut groups: Vec<_> = namespaces
            .iter()
            .flat_map(|namespace| of_namespace(objects, namespace))
            .filter_map(make)
            .collect();
        groups.sort_by(|a, b| a.source.cmp(&b.source));
        groups
    }

    /// The group of an object in a namespace, with the labels of both, and without targets.
    pub(crate) fn group<T: DiscoveredObject>(
        &self,
        prefix: &str,
        known: &LabelledObject<T>,
    ) -> TargetGroup {
        let namespace = known.object.namespace();
        let mut labels = known.labels.clone();
        labels.insert(meta!("namespace"), Text::from(namespace));
        attach::namespace(self, &mut labels, namespace);
        TargetGroup {
            source: format!("{prefix}/{namespace}/{}", known.object.metadata().name),
            labels,
            ..TargetGroup::default()
        }
    }

    /// A pod that an object in `from` can refer to: Prometheus watches each namespace of a list separately, so that an
    /// object finds no pods of other namespaces.
    pub(crate) fn pod(
        &self,
        from: &str,
        namespace: &str,
        name: &str,
    ) -> Option<&'d LabelledObject<Pod>> {
        let visible = self.query.namespaces.is_empty() || from == namespace;
        let pod = self
            .discovery
            .pods
            .get(&Key::new(namespace, name))
            .filter(|_| visible)?;
        self.picks(DiscoveryRole::Pod, pod).then_some(pod)
    }

    /// The service of that name.
    pub(crate) fn service(
        &self,
        namespace: &str,
        name: &str,
    ) -> Option<&'d LabelledObject<Service>> {
        let service = self.discovery.services.get(&Key::new(namespace, name))?;
        self.picks(DiscoveryRole::Service, service)
            .then_some(service)
    }

    /// The node of that name.
    pub(crate) fn node(&self, name: &str) -> Option<&'d LabelledObject<DiscoveredNode>> {
        let node = self.discovery.nodes.get(&Key::new("", name))?;
        self.picks(DiscoveryRole::Node, node).then_some(node)
    }

    /// The namespace of that name.
    pub(crate) fn namespace(&self, name: &str) -> Option<&'d LabelledObject<Namespace>> {
        self.discovery.namespaces.get(&Key::new("", name))
    }

    fn picks<T: DiscoveredObject>(&self, role: DiscoveryRole, known: &LabelledObject<T>) -> bool {
        self.query
            .selectors
            .iter()
            .filter(|s| s.role == role)
            .all(|selector| selector.matches(&*known.object))
    }

    /// Adds a target to a group, if there is room for one more.
    pub(crate) fn push(&self, group: &mut TargetGroup, target: TargetLabels) {
        match self.room.get().checked_sub(target.len()) {
            Some(room) => {
                self.room.set(room);
                group.targets.push(target);
            }
            None => group.is_cut = true,
        }
    }
}

fn of_namespace<'d, T>(
    objects: &'d DiscoveredObjects<T>,
    namespace: &str,
) -> impl Iterator<Item = &'d LabelledObject<T>> {
    let prefix = format!("{namespace}/");
    let from = objects.range::<str, _>((Bound::Included(prefix.as_str()), Bound::Unbounded));
    from.take_while(move |(key, _)| key.as_str().starts_with(&prefix))
        .map(|(_, known)| known)
}
