//! Finds the targets given by the user.
//!
//! In: the argument of the user, and a job. Out: the matching targets of the job's discovery, with all labels that they have
//! before relabeling. An agent that runs on every node discovers only the pods of its own node, whose name is a placeholder
//! until it runs: here its targets are those of all nodes, each with its node.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::discovery::job::{Globals, UnfollowedSection, complete};
use crate::discovery::shared::{key, query};
use crate::discovery::{ADDRESS, Discovery, TargetLabels, Text};
use promgen_compile::output::Job;
use promgen_prometheus::relabel::LabelSet;
use promgen_text::go::host;
use promgen_text::go::unquote::unquote;
use promgen_text::yaml::{Map, Value};

/// The way the operator selects the pods of an agent's own node.
const OWN_NODE: &str = "spec.nodeName=$(NODE_NAME)";
/// The label with the node of a pod.
const NODE_OF_POD: &str = "__meta_kubernetes_pod_node_name";

/// The wanted targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetQuery {
    /// Every target.
    Any,
    /// Targets of that address; without a port, on any port.
    Address(String),
    /// Targets of an object.
    Object {
        /// Its kind.
        kind: ObjectKind,
        /// Its namespace; without it, in any.
        namespace: Option<String>,
        /// Its name.
        name: String,
    },
    /// A target with these labels, without discovery.
    Labels(TargetLabels),
}

/// Kinds of objects that have targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A pod, or an address of a service that is one.
    Pod,
    /// A service, or an address of it.
    Service,
    /// Endpoints.
    Endpoints,
    /// A slice of endpoints.
    EndpointSlice,
    /// An ingress.
    Ingress,
    /// A node, or whatever runs on it.
    Node,
}

impl ObjectKind {
    fn parse(word: &str) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_str() {
            "pod" | "pods" | "po" => Self::Pod,
            "service" | "services" | "svc" => Self::Service,
            "endpoints" | "ep" => Self::Endpoints,
            "endpointslice" | "endpointslices" => Self::EndpointSlice,
            "ingress" | "ingresses" | "ing" => Self::Ingress,
            "node" | "nodes" | "no" => Self::Node,
            _ => return None,
        })
    }

    /// What the input may lack, so that no target is of such an object.
    #[must_use]
    pub const fn lacking(self) -> &'static str {
        match self {
            Self::Service | Self::Endpoints => {
                "; a Service has targets only with its Pods or EndpointSlices in the input: \
                 `kubectl get pods,endpointslices -A -o yaml | promgen which TARGET . -`"
            }
            Self::EndpointSlice | Self::Ingress | Self::Node => {
                "; no monitor discovers it, or it is not in the input"
            }
            Self::Pod => "; no monitor selects the pod, or it is not in the input",
        }
    }

    /// Labels that hold its name.
    const fn labels(self) -> &'static [&'static str] {
        match self {
            Self::Pod => &["__meta_kubernetes_pod_name"],
            Self::Service => &["__meta_kubernetes_service_name"],
            Self::Endpoints => &["__meta_kubernetes_endpoints_name"],
            Self::EndpointSlice => &["__meta_kubernetes_endpointslice_name"],
            Self::Ingress => &["__meta_kubernetes_ingress_name"],
            Self::Node => &[
                "__meta_kubernetes_node_name",
                NODE_OF_POD,
                "__meta_kubernetes_endpoint_node_name",
                "__meta_kubernetes_endpointslice_endpoint_node_name",
            ],
        }
    }
}

/// Labels with the kind and the name of the object of an address.
const ADDRESS_TARGETS: [[&str; 2]; 2] = [
    [
        "__meta_kubernetes_endpointslice_address_target_kind",
        "__meta_kubernetes_endpointslice_address_target_name",
    ],
    [
        "__meta_kubernetes_endpoint_address_target_kind",
        "__meta_kubernetes_endpoint_address_target_name",
    ],
];

impl TargetQuery {
    /// Parses an argument: `10.0.0.1:8080`, `pod/shop/cart-0`, `{__address__="10.0.0.1:80", zone="a"}`,
    /// `name=value,name=value`, or `all`.
    ///
    /// # Errors
    /// Invalid labels.
    ///
    /// ```
    /// use promgen_targets::trace::find::TargetQuery;
    ///
    /// assert_eq!(TargetQuery::parse("10.0.0.1:80"), Ok(TargetQuery::Address("10.0.0.1:80".to_owned())));
    /// assert!(matches!(TargetQuery::parse("pod/shop/cart-0"), Ok(TargetQuery::Object { .. })));
    /// assert!(matches!(TargetQuery::parse(r#"{__address__="a:1", zone="b"}"#), Ok(TargetQuery::Labels(_))));
    /// assert!(TargetQuery::parse(r#"{a!="b"}"#).is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text == "all" {
            return Ok(Self::Any);
        }
        if text.starts_with('{') || is_list(text) {
            return labels(text).map(Self::Labels);
        }
        if text.is_empty() {
            return Err(
                "expected an address, an object such as pod/shop/cart-0, or labels".to_owned(),
            );
        }
        let mut parts = text.split('/');
        let kind = parts.next().and_then(ObjectKind::parse);
        let object = match (kind, parts.next(), parts.next(), parts.next()) {
            (Some(kind), Some(name), None, None) => Some((kind, None, name)),
            (Some(kind), Some(namespace), Some(name), None) => {
                Some((kind, Some(namespace.to_owned()), name))
            }
            _ => None,
        };
        Ok(match object {
            Some((kind, namespace, name)) => Self::Object {
                kind,
                namespace,
                name: name.to_owned(),
            },
            None => Self::Address(text.to_owned()),
        })
    }

    fn fits(&self, labels: &TargetLabels) -> bool {
        let get = |name: &str| labels.get(name).map_or("", Text::as_str);
        match self {
            Self::Any | Self::Labels(_) => true,
            Self::Address(wanted) => {
                let address = get(ADDRESS);
                address == wanted || host::split(address).is_some_and(|(host, _)| host == wanted)
            }
            Self::Object {
                kind,
                namespace,
                name,
            } => {
                let of_address = |[of_kind, of_name]: &[&str; 2]| {
                    *kind == ObjectKind::Pod && get(of_kind) == "Pod" && get(of_name) == name
                };
                let is_named = kind.labels().iter().any(|label| get(label) == name);
                let is_there = namespace
                    .as_deref()
                    .is_none_or(|wanted| get("__meta_kubernetes_namespace") == wanted);
                is_there && (is_named || ADDRESS_TARGETS.iter().any(of_address))
            }
        }
    }
}

/// Returns whether the text begins as a list of labels does, which neither addresses nor objects do.
fn is_list(text: &str) -> bool {
    let name = text.split('=').next().unwrap_or_default();
    name.len() < text.len()
        && !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

/// Reads labels: `{a="b", "c.d"="e"}` as Prometheus writes them, or `a=b,c="d"`.
///
/// # Errors
/// Invalid text, with what was expected.
pub fn labels(text: &str) -> Result<TargetLabels, String> {
    let Some(inner) = text.trim().strip_prefix('{') else {
        let label = |pair: &str| match pair.split_once('=') {
            Some((name, value)) if value.starts_with(['~', '=']) || name.ends_with('!') => {
                Err(format!(
                    "expected NAME=VALUE instead of `{pair}`: that is a matcher, and a label has one value, behind one `=`"
                ))
            }
            Some((name, value)) if !name.trim().is_empty() => {
                let inner = quoted(value).filter(|(_, behind)| behind.trim().is_empty());
                let value = inner.map_or_else(|| Text::from(value), |(inner, _)| Text::from(inner));
                Ok((Text::from(name.trim()), value))
            }
            _ => Err(format!("expected NAME=VALUE instead of `{pair}`")),
        };
        return text
            .split(',')
            .filter(|pair| !pair.trim().is_empty())
            .map(label)
            .collect();
    };
    let inner = inner
        .trim_end()
        .strip_suffix('}')
        .ok_or("expected `}` at the end of the labels")?;
    let (mut rest, mut found) = (inner.trim(), TargetLabels::new());
    while !rest.is_empty() {
        let (name, behind) = label_name(rest)?;
        let behind = behind.trim_start();
        let value = behind
            .strip_prefix('=')
            .filter(|rest| !rest.starts_with('~'));
        let value = value.ok_or_else(|| {
            format!("expected `=` after the label `{name}`: a target has one value per label")
        })?;
        let (value, behind) = quoted(value.trim_start())
            .ok_or_else(|| format!("expected a quoted value of the label `{name}`"))?;
        found.insert(Text::from(name), Text::from(value));
        let behind = behind.trim_start();
        rest = match behind.strip_prefix(',') {
            Some(next) => next.trim_start(),
            None if behind.is_empty() => behind,
            None => return Err("expected `,` between labels".to_owned()),
        };
    }
    Ok(found)
}

/// A label's name, and what follows.
fn label_name(text: &str) -> Result<(String, &str), String> {
    if let Some(quoted) = quoted(text) {
        return Ok(quoted);
    }
    let end = text
        .find(|c: char| c != '_' && !c.is_ascii_alphanumeric())
        .unwrap_or(text.len());
    if end == 0 {
        Err("expected a label name".to_owned())
    } else {
        Ok((text[..end].to_owned(), &text[end..]))
    }
}

/// A text in quotes, and what follows.
fn quoted(text: &str) -> Option<(String, &str)> {
    let quote = text
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == quote && !escaped;
        escaped = *c == '\\' && !escaped && quote != '`';
        ends
    });
    let end = end?.0 + 1;
    let value = String::from_utf8(unquote(&text[..end])?).ok()?;
    Some((value, &text[end..]))
}

/// A target before relabeling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawTarget {
    /// Its source: `pod/shop/cart-0`, or the index of a static entry. Empty for labels that the user gave.
    pub source: String,
    /// Its labels.
    pub labels: LabelSet,
    /// For an agent that runs on every node: the one whose agent scrapes it.
    pub node: Option<String>,
}

/// The matching targets of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchedTargets {
    /// They, in the order of discovery.
    pub targets: Vec<RawTarget>,
    /// The sources of further targets of the job.
    pub unfollowed: Vec<UnfollowedSection>,
}

/// Finds targets.
#[derive(Clone, Copy, Debug)]
pub struct Finder<'a> {
    /// The objects in the input.
    pub discovery: &'a Discovery,
    /// The namespace of the workload.
    pub namespace: &'a str,
    /// The scrape interval of jobs that do not set one.
    pub globals: Globals,
    /// The wanted targets.
    pub wanted: &'a TargetQuery,
    /// For agents that run on every node: only this one.
    pub node: Option<&'a str>,
    /// The earlier result, for the same question.
    pub known: &'a KnownTargets,
}

/// The matching targets of queries: many jobs ask the same.
#[derive(Debug, Default)]
pub struct KnownTargets(Mutex<BTreeMap<(String, String), Arc<QueryTargets>>>);

/// The matching targets of a query, before the labels of the scrape, each with its source and node.
#[derive(Debug, Default)]
struct QueryTargets {
    targets: Vec<(String, TargetLabels, Option<String>)>,
    unfollowed: Vec<UnfollowedSection>,
}

impl Finder<'_> {
    /// The matching targets of a job.
    #[must_use]
    pub fn targets(&self, job: &Job) -> MatchedTargets {
        if let TargetQuery::Labels(labels) = self.wanted {
            return MatchedTargets {
                targets: vec![self.given(job, labels.clone())],
                unfollowed: Vec::new(),
            };
        }
        let found = self.of_query(&query(job));
        let target = |(source, labels, node): &(String, TargetLabels, Option<String>)| RawTarget {
            source: source.clone(),
            labels: complete(job, self.globals, labels.clone()),
            node: node.clone(),
        };
        MatchedTargets {
            targets: found.targets.iter().map(target).collect(),
            unfollowed: found.unfollowed.clone(),
        }
    }

    /// The matching targets of the sections of a job that say where its targets come from.
    fn of_query(&self, query: &Job) -> Arc<QueryTargets> {
        let key = (self.namespace.to_owned(), key(query));
        let known = || self.known.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(&key) {
            return Arc::clone(found);
        }
        let (job, is_on_node) = without_node(query);
        let discovered = self.discovery.job(&job, self.namespace);
        let mut found = QueryTargets {
            targets: Vec::new(),
            unfollowed: discovered.unfollowed,
        };
        for group in &discovered.groups {
            for labels in group.merged().filter(|labels| self.wanted.fits(labels)) {
                let node = labels
                    .get(NODE_OF_POD)
                    .filter(|_| is_on_node)
                    .map(Text::to_string);
                let is_there = match &node {
                    Some(node) => !node.is_empty() && self.node.is_none_or(|wanted| wanted == node),
                    None => !is_on_node,
                };
                if is_there {
                    found.targets.push((group.source.clone(), labels, node));
                }
            }
        }
        let found = Arc::new(found);
        known().insert(key, Arc::clone(&found));
        found
    }

    fn given(&self, job: &Job, labels: TargetLabels) -> RawTarget {
        let node = if without_node(job).1 {
            labels.get(NODE_OF_POD).map(Text::to_string)
        } else {
            None
        };
        RawTarget {
            source: String::new(),
            labels: complete(job, self.globals, labels),
            node: node.or_else(|| self.node.map(str::to_owned)),
        }
    }
}

/// A job that discovers pods of all nodes, and whether it was one of its own node only.
fn without_node(job: &Job) -> (Job, bool) {
    let mut job = job.clone();
    let mut is_on_node = false;
    let configs = job
        .section
        .entries_mut()
        .iter_mut()
        .find(|(key, _)| key == "kubernetes_sd_configs");
    if let Some((_, Value::Seq(configs))) = configs {
        for selectors in configs
            .iter_mut()
            .filter_map(Value::as_map_mut)
            .flat_map(Map::entries_mut)
        {
            if let (key, Value::Seq(items)) = selectors
                && key == "selectors"
            {
                let n_before = items.len();
                items.retain(|item| item.text_of("field") != Some(OWN_NODE));
                is_on_node |= items.len() < n_before;
            }
        }
    }
    (job, is_on_node)
}

/// Returns whether rules or targets of the job are in a hidden Secret, so that it cannot be traced.
#[must_use]
pub fn is_hidden(job: &Job) -> bool {
    fn is_redacted(value: &Value) -> bool {
        match value {
            Value::StandIn(_) | Value::Binary(_) => true,
            Value::Seq(items) => items.iter().any(is_redacted),
            Value::Map(map) => map.iter().any(|(_, value)| is_redacted(value)),
            _ => false,
        }
    }
    job.is_redacted() || job.rules().iter().any(is_redacted)
}

/// Addresses that are most like one: those of the same host first.
#[must_use]
pub fn near<'a>(
    wanted: &str,
    addresses: impl IntoIterator<Item = &'a str>,
    n: usize,
) -> Vec<&'a str> {
    let parts =
        |address: &'a str| host::split(address).map_or((address, ""), |(host, port)| (host, port));
    let (wanted_host, wanted_port) = host::split(wanted).unwrap_or((wanted, ""));
    let common = |address: &str| {
        address
            .bytes()
            .zip(wanted.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    let mut all: Vec<&str> = addresses.into_iter().collect();
    all.sort_unstable();
    all.dedup();
    all.sort_by_key(|address| {
        let (host, port) = parts(address);
        std::cmp::Reverse((host == wanted_host, port == wanted_port, common(address)))
    });
    all.retain(|address| parts(address).0 == wanted_host || common(address) * 2 >= wanted.len());
    all.truncate(n);
    all
}
