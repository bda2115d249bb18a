//! The governing Service of the pods of a workload.

use crate::lower::workload::names::selector_text;
use crate::lower::workload::object::{self, Owner, Parent};
use crate::options::Assume;
use crate::output::OutputObject;
use crate::paths::SPEC;
use crate::select::admit::{Refusal, Refuse};
use promgen_resources::api::kubernetes::{self, ServicePort};
use promgen_resources::api::scalar::IntOrString;
use promgen_text::go::quote::quote;
use promgen_text::yaml::{Map, StringMap, to_value};

/// The operator's own Service, which all workloads of a kind in a namespace share.
#[derive(Clone, Debug)]
pub(super) struct GoverningService<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// Its own label.
    pub(super) label: (&'a str, &'a str),
    /// Its ports.
    pub(super) ports: Vec<ServicePort>,
    /// It names pods that are not ready.
    pub(super) publish_not_ready_addresses: bool,
    /// The labels of its pods.
    pub(super) selector: StringMap,
}

impl GoverningService<'_> {
    /// The object.
    pub(super) fn object(self, parent: &Parent<'_>) -> OutputObject {
        let (label, value) = self.label;
        let labels = super::names::labels([(label, value)]);
        let metadata = object::metadata(parent, self.name.to_owned(), labels, Owner::OneOfSeveral);
        let mut spec = Map::new()
            .with("clusterIP", "None")
            .with("ports", to_value(&self.ports));
        spec.push_some(
            "publishNotReadyAddresses",
            self.publish_not_ready_addresses.then_some(true),
        );
        let service = object::shell("Service", &metadata)
            .with("spec", spec.with("selector", to_value(&self.selector)));
        object::object("service", service.into())
    }
}

/// A port that targets the pods' port of that name. Without a protocol, the API server's default applies.
pub(super) fn port(name: &str, number: i32, protocol: Option<&str>, target: &str) -> ServicePort {
    let (name, protocol) = (Some(name.to_owned()), protocol.map(str::to_owned));
    ServicePort {
        name,
        port: number,
        protocol,
        target_port: Some(IntOrString::from(target)),
    }
}

/// Returns whether the user's own Service of that name can give the pods, which have these labels, their names.
/// Operator: `EnsureCustomGoverningService`.
///
/// # Errors
/// It is not there, or selects other pods; in the operator's words.
pub(super) fn check_custom(
    parent: &Parent<'_>,
    name: &str,
    service: Option<&kubernetes::Service>,
    labels: &StringMap,
) -> Result<(), Refusal> {
    let refuse = |message: String| SPEC.key("serviceName").refuse(message);
    let at = format!("{}/{name}", parent.namespace);
    let Some(service) = service else {
        return match parent.assume {
            Assume::Ready => Ok(()),
            Assume::Missing => {
                let name = quote(name);
                refuse(format!(
                    "failed to get custom governing service {at}: services {name} not found"
                ))
            }
        };
    };
    let selector = &service.spec.selector;
    if selector
        .iter()
        .all(|(key, value)| labels.get(key) == Some(value))
    {
        return Ok(());
    }
    let [selector, labels] = [selector, labels].map(|labels| quote(&selector_text(labels)));
    refuse(format!(
        "custom governing service {at} with selector {selector} does not select pods with labels {labels}"
    ))
}
