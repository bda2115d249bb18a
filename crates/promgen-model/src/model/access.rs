//! The permissions and policies of an environment, as far as they are known.
//!
//! In: the objects of a model, and what is known of its files. Out: an [`AccessModel`], which answers what an account may do, and
//! which pods reach which. What the input does not show is unknown: a part that is not built, a chart that is not rendered.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::unknowns::Unknowns;
use crate::operator::operator_container;
use promgen_compile::access::{
    AccessVerdict, Grants, Need, Rbac, RoleAmendment, RoleSlip, ServiceAccount,
};
use promgen_compile::options::Options;
use promgen_resources::api::Kind;
use promgen_resources::document::{Document, Manifest, Manifests};
use promgen_targets::network::Policies;
use promgen_text::CollectOrdered;
use promgen_text::diag::Sink;
use promgen_text::source::{FileId, Span};
use promgen_text::yaml::{self, Entry, Node, StringMap};

/// The permissions and policies of an environment.
#[derive(Debug)]
pub struct AccessModel {
    rbac: Rbac,
    /// Its NetworkPolicies.
    pub policies: Policies,
    /// The permissions in all files, where other environments may grant some.
    elsewhere: Option<Arc<Rbac>>,
    /// The place of the operator's pods, and their account.
    pub operator: Option<OperatorAccount>,
    /// The documents of files that are not the environment's own, or that a chart makes which is not rendered.
    strange: BTreeSet<Span>,
    is_partial: bool,
    /// The namespaces that a cluster showed.
    live: LiveNamespaces,
}

/// The labels of the namespaces that a cluster showed.
#[derive(Debug, Default)]
struct LiveNamespaces(BTreeMap<String, StringMap>);

impl LiveNamespaces {
    fn of(live: &Manifests) -> Self {
        let namespaces = live
            .documents
            .iter()
            .filter(|document| document.kind == Kind::Namespace);
        let labels = |document: &Document| {
            let labels = document
                .node
                .find(&["metadata", "labels"])
                .map_or(&[][..], Node::entries);
            let label = |entry: &Entry| Some((entry.key.clone(), entry.value.as_str()?.into()));
            (
                document.name.to_string(),
                labels.iter().filter_map(label).collect(),
            )
        };
        Self(namespaces.map(labels).collect_map())
    }
}

/// The facts of the files of an environment.
pub(crate) struct AccessFiles<'f> {
    /// A test that a file is one of its own builds.
    pub(crate) is_own: &'f dyn Fn(FileId) -> bool,
    /// The permissions in all files, if there are other environments.
    pub(crate) elsewhere: &'f dyn Fn() -> Option<Arc<Rbac>>,
    /// A part of its builds is lacking.
    pub(crate) is_partial: bool,
}

/// The account of the operator in the input.
#[derive(Debug)]
pub struct OperatorAccount {
    /// Its namespace and name.
    pub account: ServiceAccount,
    /// The place of its pods.
    pub span: Span,
}

/// The permissions of an account, with what is not known of them.
#[derive(Debug)]
pub struct Authority<'a> {
    /// The account.
    pub account: ServiceAccount,
    grants: Grants<'a>,
    elsewhere: Option<Grants<'a>>,
    /// Why nothing that is lacking is proven.
    doubt: Option<String>,
}

impl AccessModel {
    /// Reads the objects of an environment. `is_own`: whether a file is one of its own builds.
    pub(crate) fn read(
        manifests: &Manifests,
        options: &Options,
        unknowns: &Unknowns,
        files: &AccessFiles<'_>,
    ) -> Self {
        let is_own = files.is_own;
        let (is_open, is_known) = (
            |node: &Node| unknowns.is_about(node),
            options.namespace_is_known,
        );
        let rbac = Rbac::read(manifests, &is_open, is_known);
        let is_strange = |document: &&Document| {
            document.origin.is_unrendered() || !is_own(document.node.span.file)
        };
        let operator = manifests
            .iter()
            .filter_map(|manifest| OperatorAccount::of(&manifest, &manifests.namespace))
            .last();
        let policies = Policies::read(manifests, &is_open, is_known);
        let operator = operator.filter(|operator| is_own(operator.span.file));
        if let Some(text) = &options.live_access {
            let parsed = yaml::read::read(FileId::new(u32::MAX), text, &mut Sink::default());
            let live = Manifests::read(parsed, &options.namespace, &mut Sink::default());
            return Self {
                rbac: rbac.completed(&live),
                policies: policies.completed(&live),
                elsewhere: None,
                operator,
                strange: BTreeSet::new(),
                is_partial: false,
                live: LiveNamespaces::of(&live),
            };
        }
        Self {
            policies,
            elsewhere: if rbac.is_empty() {
                None
            } else {
                (files.elsewhere)()
            },
            rbac,
            operator,
            live: LiveNamespaces::default(),
            strange: manifests
                .documents
                .iter()
                .filter(is_strange)
                .map(|document| document.node.span)
                .collect_set(),
            is_partial: files.is_partial,
        }
    }

    /// The labels of a namespace that a cluster showed.
    pub(crate) fn live_labels(&self, namespace: &str) -> Option<&StringMap> {
        self.live.0.get(namespace)
    }

    /// Returns whether the input has nothing about permissions.
    pub fn has_no_permissions(&self) -> bool {
        self.rbac.is_empty()
    }

    /// Returns whether the input has a Role of that name; without a namespace, a ClusterRole.
    pub fn has_role(&self, namespace: &str, name: &str) -> bool {
        self.rbac.has_role(namespace, name)
    }

    /// Why the permissions of what a document makes are not known.
    pub(crate) fn why_unknown(&self, document: &Document) -> Option<&'static str> {
        if !self.strange.contains(&document.node.span) {
            return None;
        }
        Some(match document.origin.is_unrendered() {
            true => "its chart makes its permissions, and is not rendered",
            false => "it is applied from another environment, with its permissions",
        })
    }

    /// The permissions of an account. `doubt`: why nothing that is lacking is proven.
    pub fn authority(&self, account: ServiceAccount, doubt: Option<String>) -> Authority<'_> {
        let partial = || {
            self.is_partial
                .then(|| "a part of the build is lacking".to_owned())
        };
        Authority {
            grants: self.rbac.grants(account.clone()),
            elsewhere: self
                .elsewhere
                .as_ref()
                .map(|rbac| rbac.grants(account.clone()))
                .filter(Grants::is_bound),
            doubt: doubt.or_else(partial),
            account,
        }
    }

    /// Returns whether nothing about policies is proven.
    pub(crate) const fn has_partial_policies(&self) -> bool {
        self.is_partial
    }
}

impl Authority<'_> {
    /// The change of a role in the input that grants requests.
    pub fn amendment(&self, requests: &BTreeSet<(Need, &'static str)>) -> Option<RoleAmendment> {
        self.grants.amendment(requests)
    }

    /// The word of a role that keeps it from granting a request which is denied.
    pub fn slip(&self, verb: &str, need: &Need) -> Option<RoleSlip> {
        self.grants.slip(verb, need)
    }

    /// Returns whether the account may do that.
    pub fn may(&self, verb: &str, need: &Need) -> AccessVerdict {
        let verdict = self.grants.may(verb, need);
        if verdict != AccessVerdict::Denied {
            return verdict;
        }
        if let Some(doubt) = &self.doubt {
            return AccessVerdict::Unknown(doubt.clone());
        }
        match self.elsewhere.as_ref().map(|grants| grants.may(verb, need)) {
            None | Some(AccessVerdict::Denied) => AccessVerdict::Denied,
            Some(AccessVerdict::Granted(_) | AccessVerdict::Unknown(_)) => AccessVerdict::Unknown(
                "another environment of the repository may grant it".to_owned(),
            ),
        }
    }
}

impl OperatorAccount {
    fn of(manifest: &Manifest<'_>, default: &str) -> Option<Self> {
        operator_container(manifest)?;
        let pod = manifest.node.find(&["spec", "template", "spec"])?;
        let name = pod
            .get("serviceAccountName")
            .or_else(|| pod.get("serviceAccount"))
            .and_then(Node::as_str);
        let account = ServiceAccount {
            namespace: manifest.namespace.unwrap_or(default).to_owned(),
            name: name.unwrap_or(DEFAULT_ACCOUNT).to_owned(),
        };
        Some(Self {
            account,
            span: manifest.node.find(&["metadata", "name"])?.span,
        })
    }
}

/// The account of pods that name none.
pub const DEFAULT_ACCOUNT: &str = "default";
