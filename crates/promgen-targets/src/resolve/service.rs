//! The fields of Services that monitors depend on.

use std::collections::BTreeSet;

use crate::resolve::labelled::{NO_LABELS, NamespaceScope, Selectable};
use crate::resolve::others::is_of_controller;
use promgen_compile::cluster::Object;
use promgen_prometheus::labels::Selector;
use promgen_resources::api::{self, LabelSelector, ServicePort};
use promgen_resources::http_config::filled;
use promgen_text::route::DocId;
use promgen_text::shared::Shared;
use promgen_text::yaml::decode::from_json;
use promgen_text::yaml::{StringMap, Value};

/// A service.
#[derive(Clone, Debug)]
pub struct ResolvedService {
    /// Its document. `None` if promgen generates it.
    pub doc: Option<DocId>,
    is_anywhere: bool,
    /// The object, with its namespace filled in.
    value: Shared<api::Service>,
}

impl Selectable for ResolvedService {
    fn namespace(&self) -> &str {
        self.value.metadata.namespace.as_deref().unwrap_or_default()
    }

    fn is_anywhere(&self) -> bool {
        self.is_anywhere
    }

    fn name(&self) -> &str {
        &self.value.metadata.name
    }

    fn labels(&self) -> &StringMap {
        self.value.metadata.labels.as_ref().unwrap_or(&NO_LABELS)
    }

    fn is_given(&self) -> bool {
        self.doc.is_some()
    }
}

impl ResolvedService {
    /// A service in the input. `adrift` are the documents whose namespace nobody says.
    pub(super) fn of_object(object: &Object<api::Service>, adrift: &BTreeSet<DocId>) -> Self {
        Self {
            doc: Some(object.doc),
            is_anywhere: adrift.contains(&object.doc),
            value: object.value.clone(),
        }
    }

    /// A service that is generated.
    pub(super) fn of_value(value: &Value, namespace: &str) -> Option<Self> {
        let mut value: api::Service = from_json(&serde_json::to_value(value).ok()?).ok()?;
        // The operator creates some in the workload's namespace without naming it.
        value
            .metadata
            .namespace
            .get_or_insert_with(|| namespace.into());
        Some(Self {
            doc: None,
            is_anywhere: false,
            value: Shared::new(value),
        })
    }

    /// The labels of its pods.
    fn selector(&self) -> &StringMap {
        if self.is_external_name() {
            &NO_LABELS
        } else {
            &self.value.spec.selector
        }
    }

    /// Returns whether it requires that label of its pods.
    pub fn requires(&self, key: &str) -> bool {
        self.selector().contains_key(key)
    }

    /// The places of its pods.
    pub fn scope(&self) -> NamespaceScope<'_> {
        if self.is_anywhere {
            NamespaceScope::Any
        } else {
            NamespaceScope::one(self.namespace())
        }
    }

    /// Its annotations.
    pub fn annotations(&self) -> Option<&StringMap> {
        self.value.metadata.annotations.as_ref()
    }

    /// Its ports.
    pub fn ports(&self) -> &[ServicePort] {
        &self.value.spec.ports
    }

    /// Its selector of pods. `None` if its addresses come from elsewhere. Labels that controllers add to pods are left
    /// out, as templates lack them.
    pub fn pod_selector(&self) -> Option<Selector> {
        if self.has_no_selector() {
            return None;
        }
        let wanted = self
            .selector()
            .iter()
            .filter(|(key, _)| !is_of_controller(key));
        let labels = wanted
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        Selector::new(&LabelSelector {
            match_labels: Some(labels),
            ..LabelSelector::default()
        })
        .ok()
    }

    /// Returns whether it is only a name for a host elsewhere.
    pub fn is_external_name(&self) -> bool {
        self.value.spec.r#type == "ExternalName"
    }

    /// Returns whether its name leads to each of its pods, rather than to an address of all.
    pub fn is_headless(&self) -> bool {
        self.value.spec.cluster_ip == "None"
    }

    /// Returns whether it has no selector, so that its addresses come from elsewhere.
    pub fn has_no_selector(&self) -> bool {
        self.selector().is_empty()
    }

    /// Its ports by name, or by number where there is no name.
    pub fn port_names(&self) -> Vec<String> {
        let name = |port: &ServicePort| {
            filled(port.name.as_deref()).map_or_else(|| port.port.to_string(), str::to_owned)
        };
        self.ports().iter().map(name).collect()
    }
}
