//! Roles, ClusterRoles and their bindings, as they are written.

use std::collections::BTreeMap;

use promgen_derive::Decode;
use promgen_prometheus::labels::Selector;
use promgen_resources::api::LabelSelector;
use promgen_resources::document::{Manifest, Manifests};
use promgen_text::source::Span;
use promgen_text::yaml::{self, Node, StringMap};

use crate::cluster::Key;

/// The group of the objects.
pub const RBAC_GROUP: &str = "rbac.authorization.k8s.io";

/// The RBAC objects of a run.
#[derive(Clone, Debug, Default)]
pub struct Rbac {
    /// Roles by namespace and name; ClusterRoles have no namespace. One that is written twice grants what either does.
    pub(super) roles: BTreeMap<Key, Vec<GrantingRole>>,
    /// The bindings, in input order.
    pub(super) bindings: Vec<GrantingBinding>,
    /// There are no others.
    pub(super) is_complete: bool,
}

/// A Role or a ClusterRole.
#[derive(Clone, Debug)]
pub(super) struct GrantingRole {
    pub(super) labels: StringMap,
    /// The parts of a ClusterRole.
    pub(super) aggregated: Option<Vec<Selector>>,
    pub(super) rules: Vec<GrantingRule>,
    /// The place of the list of rules. `None` if it is that of a cluster.
    pub(super) list: Option<Span>,
    /// A part of it is not known.
    pub(super) is_open: bool,
}

/// A rule of a role.
#[derive(Clone, Debug)]
pub(super) struct GrantingRule {
    /// Its place. `None` if it is that of a cluster.
    pub(super) span: Option<Span>,
    /// The place of its resources.
    pub(super) resources: Option<Span>,
    pub(super) rule: PolicyRule,
}

/// A RoleBinding or a ClusterRoleBinding.
#[derive(Clone, Debug)]
pub(super) struct GrantingBinding {
    /// Its kind and name, for messages.
    pub(super) what: String,
    pub(super) reach: BindingReach,
    pub(super) role: Key,
    pub(super) subjects: Vec<BoundSubject>,
    pub(super) is_open: bool,
}

/// The place where a binding grants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BindingReach {
    /// In the cluster.
    Everywhere,
    /// In its namespace.
    Namespace(String),
    /// In its namespace, which nobody says.
    Somewhere,
}

promgen_text::lenient! {(pub(super))
    /// Kubernetes: rbac/v1.ClusterRole, and Role.
    struct RoleObject {
        metadata: RbacMeta,
        aggregation_rule: Option<AggregationRule>,
        rules: Vec<PolicyRule>,
    }

    struct RbacMeta {
        labels: StringMap,
    }

    /// Kubernetes: rbac/v1.AggregationRule.
    struct AggregationRule {
        cluster_role_selectors: Vec<LabelSelector>,
    }

    /// Kubernetes: rbac/v1.PolicyRule.
    struct PolicyRule {
        verbs: Vec<String>,
        api_groups: Vec<String>,
        resources: Vec<String>,
        resource_names: Vec<String>,
        #[api(name = "nonResourceURLs")]
        non_resource_urls: Vec<String>,
    }

    /// Kubernetes: rbac/v1.ClusterRoleBinding, and RoleBinding.
    struct BindingObject {
        role_ref: BoundRole,
        subjects: Vec<BoundSubject>,
    }

    /// Kubernetes: rbac/v1.RoleRef.
    struct BoundRole {
        kind: String,
        name: String,
    }

    /// Kubernetes: rbac/v1.Subject.
    struct BoundSubject {
        kind: String,
        name: String,
        namespace: String,
    }
}

impl Rbac {
    /// Reads the objects of a run. `is_open`: whether something may change an object, or fills it in later.
    /// `namespace_is_known`: whether the user says where objects are that name no namespace.
    #[must_use]
    pub fn read(
        manifests: &Manifests,
        is_open: &dyn Fn(&Node) -> bool,
        namespace_is_known: bool,
    ) -> Self {
        let mut rbac = Self::default();
        for manifest in manifests
            .iter()
            .filter(|manifest| manifest.group == RBAC_GROUP)
        {
            let default = namespace_is_known.then_some(&*manifests.namespace);
            rbac.add(
                &manifest,
                manifest.namespace.or(default),
                is_open(manifest.node),
            );
        }
        rbac
    }

    /// The same with what a cluster has, so that there are no others. An object of the input is what the cluster will have,
    /// unless it is filled in later.
    #[must_use]
    pub fn completed(mut self, live: &Manifests) -> Self {
        let mut cluster = Self::read(live, &|_| false, false);
        for role in cluster.roles.values_mut().flatten() {
            role.list = None;
            role.rules
                .iter_mut()
                .for_each(|rule| (rule.span, rule.resources) = (None, None));
        }
        self.bindings
            .retain(|binding| !binding.is_open && binding.reach != BindingReach::Somewhere);
        self.roles
            .retain(|_, roles| roles.iter().all(|role| !role.is_open));
        let is_new =
            |binding: &GrantingBinding| self.bindings.iter().all(|own| own.what != binding.what);
        cluster.bindings.retain(is_new);
        self.bindings.extend(cluster.bindings);
        for (key, roles) in cluster.roles {
            self.roles.entry(key).or_insert(roles);
        }
        Self {
            is_complete: true,
            ..self
        }
    }

    /// Returns whether there is no object.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.roles.is_empty() && self.bindings.is_empty() && !self.is_complete
    }

    /// Returns whether there is a Role of that name; without a namespace, a ClusterRole.
    #[must_use]
    pub fn has_role(&self, namespace: &str, name: &str) -> bool {
        self.roles.contains_key(&Key::new(namespace, name))
    }

    fn add(&mut self, manifest: &Manifest<'_>, namespace: Option<&str>, is_open: bool) {
        match manifest.kind {
            "ClusterRole" => self.add_role(Key::new("", manifest.name), manifest.node, is_open),
            // One whose namespace nobody says is bound by a binding of which nobody says it, either.
            "Role" => {
                if let Some(namespace) = namespace {
                    self.add_role(Key::new(namespace, manifest.name), manifest.node, is_open);
                }
            }
            "ClusterRoleBinding" => self.add_binding(manifest, BindingReach::Everywhere, is_open),
            "RoleBinding" => {
                let reach =
                    namespace.map(|namespace| BindingReach::Namespace(namespace.to_owned()));
                self.add_binding(manifest, reach.unwrap_or(BindingReach::Somewhere), is_open);
            }
            _ => {}
        }
    }

    fn add_role(&mut self, key: Key, node: &Node, is_open: bool) {
        let read: Result<RoleObject, _> = yaml::decode(node);
        let is_open = is_open || read.is_err();
        let RoleObject {
            metadata,
            aggregation_rule,
            rules,
        } = read.unwrap_or_default();
        let selectors = aggregation_rule.map(|rule| {
            let selectors = rule.cluster_role_selectors.iter().map(Selector::new);
            selectors.collect::<Result<Vec<_>, _>>().unwrap_or_default()
        });
        let list = node.get("rules");
        let rules = rules
            .into_iter()
            .zip(list.map_or(&[][..], Node::items))
            .map(|(rule, item)| {
                let resources = item.get("resources").map(|resources| resources.span);
                GrantingRule {
                    span: Some(item.span),
                    resources,
                    rule,
                }
            });
        let (rules, list) = (rules.collect(), list.map(|list| list.span));
        let role = GrantingRole {
            labels: metadata.labels,
            aggregated: selectors,
            rules,
            list,
            is_open,
        };
        self.roles.entry(key).or_default().push(role);
    }

    fn add_binding(&mut self, manifest: &Manifest<'_>, reach: BindingReach, is_open: bool) {
        let read: Result<BindingObject, _> = yaml::decode(manifest.node);
        let is_open = is_open || read.is_err();
        let BindingObject { role_ref, subjects } = read.unwrap_or_default();
        let namespace = match &reach {
            BindingReach::Namespace(namespace) if role_ref.kind == "Role" => namespace,
            _ => "",
        };
        let role = Key::new(namespace, &role_ref.name);
        let what = match &reach {
            BindingReach::Namespace(namespace) => {
                format!("{} {namespace}/{}", manifest.kind, manifest.name)
            }
            BindingReach::Everywhere | BindingReach::Somewhere => {
                format!("{} {}", manifest.kind, manifest.name)
            }
        };
        self.bindings.push(GrantingBinding {
            what,
            reach,
            role,
            subjects,
            is_open,
        });
    }
}
