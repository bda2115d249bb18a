//! Services, as far as monitors look at them.

use std::collections::BTreeMap;

use crate::resolve::labelled::Thing;
use crate::resolve::others::{is_of_controller, labels, map_of};
use promgen_compile::cluster::Object;
use promgen_compile::prometheus::labels::Selector;
use promgen_resources::api::{self, IntOrString, LabelSelector};
use promgen_text::route::DocId;
use promgen_text::yaml::Value;

/// A service.
#[derive(Clone, Debug, Default)]
pub struct Service {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its document. `None` if promgen generates it.
    pub doc: Option<DocId>,
    labels: BTreeMap<String, String>,
    /// The labels of its pods.
    selector: BTreeMap<String, String>,
    /// Its ports.
    pub ports: Vec<ServicePort>,
}

/// A port of a service.
#[derive(Clone, Debug, Default)]
pub struct ServicePort {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its number.
    pub number: i64,
    /// The port of the pods, if it says so.
    pub target: Option<IntOrString>,
}

impl Thing for Service {
    fn namespace(&self) -> &str {
        &self.namespace
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn labels(&self) -> &BTreeMap<String, String> {
        &self.labels
    }

    fn is_given(&self) -> bool {
        self.doc.is_some()
    }
}

impl Service {
    /// A service of the input.
    pub(super) fn of_object(object: &Object<api::Service>) -> Self {
        let (metadata, spec) = (&object.value.metadata, &object.value.spec);
        let port = |port: &api::ServicePort| ServicePort {
            name: port.name.clone().unwrap_or_default(),
            number: port.port.into(),
            target: port.target_port.clone(),
        };
        let is_external = spec.r#type.as_deref() == Some("ExternalName");
        Self {
            namespace: object.namespace().to_owned(),
            name: metadata.name.clone(),
            doc: Some(object.doc),
            labels: metadata.labels.clone().unwrap_or_default(),
            selector: spec.selector.clone().filter(|_| !is_external).unwrap_or_default(),
            ports: spec.ports.iter().flatten().map(port).collect(),
        }
    }

    /// A service that is generated.
    pub(super) fn of_value(value: &Value) -> Option<Self> {
        if value.get("kind").and_then(Value::as_str) != Some("Service") {
            return None;
        }
        let (metadata, spec) = (value.get("metadata")?, value.get("spec")?);
        let text = |value: &Value, key| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let port = |port: &Value| ServicePort {
            name: text(port, "name"),
            number: port.get("port").and_then(whole).unwrap_or_default(),
            target: port.get("targetPort").and_then(|target| match target.as_str() {
                Some(text) => Some(IntOrString::from(text)),
                None => whole(target).map(IntOrString::from),
            }),
        };
        Some(Self {
            namespace: text(metadata, "namespace"),
            name: text(metadata, "name"),
            doc: None,
            labels: labels(map_of(metadata, "labels")),
            selector: labels(map_of(spec, "selector")),
            ports: spec.get("ports").and_then(Value::as_seq).unwrap_or_default().iter().map(port).collect(),
        })
    }

    /// What it asks of pods. `None` if somebody else tells its addresses. Labels that controllers put on pods are left out,
    /// as no template has them.
    pub(super) fn pod_selector(&self) -> Option<Selector> {
        if self.selector.is_empty() {
            return None;
        }
        let wanted = self.selector.iter().filter(|(key, _)| !is_of_controller(key));
        let labels = wanted.map(|(key, value)| (key.clone(), value.clone())).collect();
        Selector::new(&LabelSelector { match_labels: Some(labels), ..LabelSelector::default() }).ok()
    }

    /// Whether it names no pods: somebody else tells its addresses.
    pub fn has_no_selector(&self) -> bool {
        self.selector.is_empty()
    }

    /// Its ports by name, or by number where there is no name.
    pub fn port_names(&self) -> Vec<String> {
        let name = |port: &ServicePort| match port.name.as_str() {
            "" => port.number.to_string(),
            name => name.to_owned(),
        };
        self.ports.iter().map(name).collect()
    }
}

pub(super) fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Int(number) => Some(*number),
        Value::Null
        | Value::Bool(_)
        | Value::Uint(_)
        | Value::Float(_)
        | Value::Str(_)
        | Value::Seq(_)
        | Value::Map(_) => None,
    }
}
