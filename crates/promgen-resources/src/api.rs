//! The resources, as plain structs: no places, no behaviour.
//!
//! Every field of the operator's CRDs is here, with its default, bounds, pattern, allowed values and rules, declared
//! once, on the type. [`promgen_text::describe`] holds that as data; [`crate::schema`] prints a JSON Schema of it, and checks
//! documents by it, so that decoding never meets a document that does not fit. An optional field is an `Option`, because null and
//! empty differ; a field with a default is not.
//!
//! The operator's types stand here side by side, those of Kubernetes in [`core`]. Names follow the Go types.

pub mod notifying;
pub mod scraping;
pub mod servers;

use crate::api::notifying::{alertmanager, alertmanager_config};
use crate::api::scraping::{pod_monitor, probe, scrape, scrape_config, service_monitor};
use crate::api::servers::{
    agent, alerting, common, prometheus, remote, rule, settings, sharding, thanos, thanos_ruler,
    web, workload,
};
use promgen_text::yaml::decode::Decode;

pub mod apps;
pub mod auth;
pub mod core;
pub mod kind;
pub mod kubernetes;
pub mod meta;
pub mod rules;
pub mod scalar;
pub mod status;

pub use agent::{DaemonSetMode, PrometheusAgent, PrometheusAgentSpec};
pub use alerting::*;
pub use alertmanager::{Alertmanager, AlertmanagerSpec};
pub use alertmanager_config::{AlertmanagerConfig, AlertmanagerConfigSpec};
pub use auth::*;
pub use common::CommonPrometheusFields;
pub use kind::{Kind, group};
pub use kubernetes::*;
pub use meta::*;
pub use pod_monitor::{PodMetricsEndpoint, PodMonitor, PodMonitorSpec};
pub use probe::{
    Probe, ProbeParam, ProbeSpec, ProbeTargetIngress, ProbeTargetStaticConfig, ProbeTargets,
    ProberSpec,
};
pub use prometheus::*;
pub use remote::*;
pub use rule::{PrometheusRule, PrometheusRuleSpec, Rule, RuleGroup};
pub use scalar::*;
pub use scrape::*;
pub use scrape_config::{ScrapeConfig, ScrapeConfigSpec, StaticConfig};
pub use service_monitor::{Endpoint, ServiceMonitor, ServiceMonitorSpec};
pub use settings::*;
pub use sharding::{
    OperatorSharding, ProposalMode, ProposalSharding, ShardingMode, ShardingStrategy,
    TopologySharding,
};
pub use status::*;
pub use thanos::{GrpcServerTlsConfig, ThanosSpec};
pub use thanos_ruler::{ThanosRuler, ThanosRulerSpec};
pub use web::*;
pub use workload::*;

/// A kind of resource.
pub trait Resource: Decode + Send {
    /// Group and version, as `apiVersion` spells them.
    const API_VERSION: &'static str;
    /// The kind.
    const KIND: &'static str;
    /// The plural that URLs and bindings use.
    const PLURAL: &'static str;

    /// Name, namespace, labels.
    fn metadata(&self) -> &ObjectMeta;
    /// The metadata, mutable.
    fn metadata_mut(&mut self) -> &mut ObjectMeta;

    /// Takes the status of another object of the kind, if the kind has one that is read, and what the server fills in.
    fn take_status(&mut self, _from: &mut Self) {}

    /// Takes over what the server knows of the live object: who it is, and how it is.
    fn observe(&mut self, live: &mut Self) {
        self.take_status(live);
        self.metadata_mut()
            .observe(std::mem::take(live.metadata_mut()));
    }
}

/// Takes the value of the live object where a manifest leaves it to the server.
pub fn fill_in<T: Default + PartialEq>(own: &mut T, live: &mut T) {
    if *own == T::default() {
        std::mem::swap(own, live);
    }
}

/// The names and the metadata of a resource.
macro_rules! names {
    ($name:ident, $api_version:literal, $plural:literal) => {
        const API_VERSION: &'static str = $api_version;
        const KIND: &'static str = stringify!($name);
        const PLURAL: &'static str = $plural;

        $crate::has_metadata!();
    };
}
use names;

/// Writes the functions of a [`Resource`] that has its metadata in a field.
#[macro_export]
macro_rules! has_metadata {
    () => {
        fn metadata(&self) -> &$crate::api::ObjectMeta {
            &self.metadata
        }

        fn metadata_mut(&mut self) -> &mut $crate::api::ObjectMeta {
            &mut self.metadata
        }
    };
}

/// Declares a custom resource: metadata, spec, status.
macro_rules! resource {
    ($(#[$meta:meta])* pub struct $name:ident { spec: $spec:ty, status: $status:ty } $api_version:literal, $plural:literal) => {
        $(#[$meta])*
        #[promgen_derive::api]
        pub struct $name {
            /// Name, namespace, labels.
            pub metadata: ObjectMeta,
            /// The desired state.
            pub spec: $spec,
            /// The most recently observed state.
            pub status: Option<$status>,
        }

        impl $crate::api::Resource for $name {
            $crate::api::names!($name, $api_version, $plural);

            fn take_status(&mut self, from: &mut Self) {
                self.status = from.status.take();
            }
        }
    };
}
use resource;

/// Describes a text with a form of its own.
macro_rules! named_text {
    ($name:ident { $($key:ident: $value:expr),+ }) => {
        impl promgen_text::describe::Describe for $name {
            fn describe() -> &'static promgen_text::describe::Type {
                use promgen_text::describe::{NamedText, Type};
                static TYPE: Type =
                    Type::NamedText(NamedText { name: stringify!($name), $($key: $value,)+ ..NamedText::ANY });
                &TYPE
            }
        }
    };
}
use named_text;

/// Declares an enum of texts.
macro_rules! string_enum {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $($(#[$doc])* $variant,)+ }

        impl $name {
            /// All values, in the order in which error messages list them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Their texts.
            pub const TEXTS: &'static [&'static str] = &[$($text),+];

            /// The text in manifests.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }

        impl promgen_text::yaml::encode::Encode for $name {
            fn encode(&self) -> Option<promgen_text::yaml::Value> {
                Some(self.as_str().into())
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::ALL[0]
            }
        }

        impl promgen_text::yaml::decode::Decode for $name {
            fn read(&mut self, node: &promgen_text::yaml::Node) -> promgen_text::yaml::decode::Result {
                *self = Self::ALL[promgen_text::yaml::decode::variant(node, Self::TEXTS)?];
                Ok(())
            }
        }

        $crate::api::named_text!($name { values: &[$($text),+] });
    };
}
use string_enum;

/// Declares a text of which several casings are allowed and the user's is kept.
macro_rules! string_choice {
    ($(#[$meta:meta])* pub struct $name:ident = [$($text:literal),+];) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, promgen_derive::Decode, promgen_derive::Encode)]
        pub struct $name(pub String);

        impl $name {
            /// The text as the user wrote it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        $crate::api::named_text!($name { values: &[$($text),+] });
    };
}
use string_choice;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml;
    use promgen_text::yaml::decode::Decode;

    use super::*;

    fn from_yaml<T: Decode>(text: &str) -> T {
        let parsed = yaml::read::read(FileId::new(0), text, &mut Sink::default());
        yaml::decode(&parsed[0].root).unwrap()
    }

    #[test]
    fn a_quantity_that_is_null_in_a_map_is_zero() {
        let map: BTreeMap<String, scalar::Quantity> = from_yaml("a:");
        assert_eq!(map["a"].as_str(), "0");
    }

    #[test]
    fn defaults_are_those_of_the_crd() {
        let spec = PrometheusSpec::default();
        assert_eq!(spec.common.shards, 1);
        assert_eq!(spec.common.scrape_interval.as_str(), "30s");
        assert_eq!(spec.evaluation_interval.as_str(), "30s");
        assert_eq!(spec.common.port_name, "web");
        assert_eq!(RelabelConfig::default().action.as_str(), "replace");
    }

    #[test]
    fn a_lower_case_mode_is_the_dialect_of_the_proposal() {
        let read = from_yaml::<ShardingStrategy>;
        let proposal = read(r#"{"mode": "topology", "topology": ["a", "b"]}"#);
        assert!(
            matches!(proposal, ShardingStrategy::Proposal(p) if p.topology.as_deref() == Some(&["a".to_owned(), "b".to_owned()]))
        );
        let operator = read(r#"{"mode": "Topology", "topology": {"values": ["a"]}}"#);
        assert!(
            matches!(operator, ShardingStrategy::Operator(o) if o.mode == Some(ShardingMode::Topology))
        );
        assert!(matches!(read("{}"), ShardingStrategy::Operator(_)));
    }

    #[test]
    fn what_go_omits_is_omitted() {
        let mount = core::VolumeMount {
            read_only: Some(false),
            sub_path: Some(String::new()),
            ..Default::default()
        };
        let value = promgen_text::yaml::to_value(&mount);
        assert!(value.get("readOnly").is_none() && value.get("subPath").is_none());
    }
}
