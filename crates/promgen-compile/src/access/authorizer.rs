//! The permissions of an account, by the RBAC objects of a run.
//!
//! Kubernetes: `plugin/pkg/auth/authorizer/rbac`, which grants and never denies. With one binding of the account the input
//! counts as complete; what it refers to and does not hold is unknown.

use std::collections::{BTreeMap, BTreeSet};

use promgen_prometheus::labels::Selector;
use promgen_text::source::Span;

use crate::access::needs::{CLUSTER, Need, NeededObject};
use crate::access::objects::{
    BindingReach, BoundSubject, GrantingBinding, GrantingRole, GrantingRule, PolicyRule, Rbac,
};
use crate::cluster::Key;

/// A service account.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServiceAccount {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl std::fmt::Display for ServiceAccount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessVerdict {
    /// A rule grants it, which stands there; that of a role which every cluster has stands nowhere.
    Granted(Option<Span>),
    /// No rule grants it.
    Denied,
    /// What decides it is not in the input.
    Unknown(String),
}

/// The permissions of an account.
#[derive(Debug, Default)]
pub struct Grants<'r> {
    account: Option<ServiceAccount>,
    is_bound: bool,
    /// It may do everything.
    is_admin: bool,
    pub(super) everywhere: BoundRules<'r>,
    pub(super) by_namespace: BTreeMap<&'r str, BoundRules<'r>>,
}

/// The rules that bindings of one reach grant.
#[derive(Debug, Default)]
pub(super) struct BoundRules<'r> {
    rules: Vec<&'r GrantingRule>,
    /// The roles of the input that are known, and written once.
    pub(super) amendable: Vec<(&'r Key, &'r GrantingRole)>,
    /// The roles that they are of.
    roles: BTreeSet<&'r Key>,
    /// Why that may not be all.
    gap: Option<String>,
}

impl ServiceAccount {
    /// Returns whether a subject of a binding in that namespace is the account.
    fn is(&self, subject: &BoundSubject, namespace: &str) -> bool {
        let Self {
            namespace: own,
            name,
        } = self;
        match subject.kind.as_str() {
            "ServiceAccount" => {
                let stated = if subject.namespace.is_empty() {
                    namespace
                } else {
                    &subject.namespace
                };
                subject.name == *name && stated == own
            }
            "User" => subject.name == format!("system:serviceaccount:{own}:{name}"),
            "Group" => match subject.name.strip_prefix("system:serviceaccounts") {
                Some("") => true,
                Some(rest) => rest.strip_prefix(':') == Some(own),
                None => subject.name == "system:authenticated",
            },
            _ => false,
        }
    }
}

/// The ClusterRole of every cluster that grants everything.
const ADMIN: &str = "/cluster-admin";

impl Rbac {
    /// The permissions of an account.
    #[must_use]
    pub fn grants(&self, account: ServiceAccount) -> Grants<'_> {
        let mut grants = Grants {
            is_bound: self.is_complete,
            ..Grants::default()
        };
        let mut room = MAX_STEPS;
        for binding in &self.bindings {
            let namespace = match &binding.reach {
                BindingReach::Namespace(namespace) => namespace,
                BindingReach::Everywhere | BindingReach::Somewhere => CLUSTER,
            };
            let is_bound = binding
                .subjects
                .iter()
                .any(|subject| account.is(subject, namespace));
            if is_bound || binding.is_open {
                grants.is_bound |= is_bound;
                self.bind(binding, &mut grants, &mut room);
            }
        }
        grants.account = Some(account);
        grants
    }

    fn bind<'r>(&'r self, binding: &'r GrantingBinding, grants: &mut Grants<'r>, room: &mut usize) {
        let bound = match &binding.reach {
            // What is filled in later may be its namespace.
            _ if binding.is_open => &mut grants.everywhere,
            BindingReach::Everywhere | BindingReach::Somewhere => &mut grants.everywhere,
            BindingReach::Namespace(namespace) => grants.by_namespace.entry(namespace).or_default(),
        };
        if binding.is_open {
            bound.gap = Some(format!("{} is filled in later", binding.what));
        } else if binding.reach == BindingReach::Somewhere {
            bound.gap = Some(format!("the namespace of {} is not known", binding.what));
        } else if binding.role.as_str() == ADMIN && !self.roles.contains_key(&binding.role) {
            match binding.reach {
                BindingReach::Everywhere => grants.is_admin = true,
                _ => bound.gap = Some("ClusterRole cluster-admin is not in the input".to_owned()),
            }
        } else {
            self.gather(&binding.role, bound, room);
        }
    }

    /// Adds the rules of a role that were not added before, and says why they may not be all.
    fn gather<'r>(&'r self, key: &'r Key, bound: &mut BoundRules<'r>, room: &mut usize) {
        let mut todo = vec![key];
        while let Some(key) = todo.pop() {
            if !bound.roles.insert(key) {
                continue;
            }
            let Some(roles) = self.roles.get(key) else {
                if !self.is_complete {
                    bound.gap = Some(format!("{} is not in the input", named(key)));
                }
                continue;
            };
            for role in roles {
                if role.is_open {
                    bound.gap = Some(format!("{} is filled in later", named(key)));
                }
                let Some(selectors) = &role.aggregated else {
                    let is_amendable = !role.is_open && roles.len() == 1;
                    bound.amendable.extend(is_amendable.then_some((key, role)));
                    bound.rules.extend(&role.rules);
                    continue;
                };
                for selector in selectors {
                    if *room < self.roles.len() {
                        bound.gap =
                            Some(format!("{} is put together of too many parts", named(key)));
                        return;
                    }
                    *room -= self.roles.len();
                    let parts: Vec<&Key> =
                        self.parts(selector).filter(|part| *part != key).collect();
                    if parts.is_empty() && !self.is_complete {
                        bound.gap = Some(format!("no part of {} is in the input", named(key)));
                    }
                    todo.extend(parts.into_iter().filter(|part| !bound.roles.contains(part)));
                }
            }
        }
    }

    /// The ClusterRoles with labels that a selector asks for.
    fn parts<'r>(&'r self, selector: &Selector) -> impl Iterator<Item = &'r Key> {
        let is_part = |(key, roles): &(&Key, &Vec<GrantingRole>)| {
            key.namespace().is_empty() && roles.iter().any(|role| selector.matches(&role.labels))
        };
        self.roles.iter().filter(is_part).map(|(key, _)| key)
    }
}

/// `ClusterRole view`, `Role shop/reads`.
pub(super) fn named(key: &Key) -> String {
    match key.namespace() {
        "" => format!("ClusterRole {}", key.name()),
        namespace => format!("Role {namespace}/{}", key.name()),
    }
}

/// The maximum number of roles that are looked at to put those of an account together. Real input stays far below.
const MAX_STEPS: usize = 1 << 22;

impl Grants<'_> {
    /// Returns whether a binding names the account.
    #[must_use]
    pub const fn is_bound(&self) -> bool {
        self.is_bound
    }

    /// Returns whether the account may do that.
    #[must_use]
    pub fn may(&self, verb: &str, need: &Need) -> AccessVerdict {
        if self.is_admin {
            return AccessVerdict::Granted(None);
        }
        let in_namespace = self
            .by_namespace
            .get(need.namespace())
            .filter(|_| need.namespace() != CLUSTER);
        let bound = || std::iter::once(&self.everywhere).chain(in_namespace);
        let mut by_name = None;
        for granting in bound().flat_map(|bound| &bound.rules) {
            match granting.rule.answer(verb, need) {
                RuleAnswer::Grants => return AccessVerdict::Granted(granting.span),
                RuleAnswer::GrantsSome => {
                    by_name = Some("a rule grants it for some names only".to_owned())
                }
                RuleAnswer::Nothing => {}
            }
        }
        let unbound = || match &self.account {
            Some(account) if !self.is_bound => Some(format!(
                "the input has no binding of service account {account}"
            )),
            _ => None,
        };
        let gap = bound().find_map(|bound| bound.gap.clone());
        by_name
            .or_else(unbound)
            .or(gap)
            .map_or(AccessVerdict::Denied, AccessVerdict::Unknown)
    }
}

/// The verdict of a rule on a request.
enum RuleAnswer {
    Grants,
    /// It grants requests of that sort for some objects.
    GrantsSome,
    Nothing,
}

impl PolicyRule {
    fn answer(&self, verb: &str, need: &Need) -> RuleAnswer {
        let has =
            |list: &[String], wanted: &str| list.iter().any(|item| item == "*" || item == wanted);
        let grants = |is: bool| {
            if is {
                RuleAnswer::Grants
            } else {
                RuleAnswer::Nothing
            }
        };
        if !has(&self.verbs, verb) {
            return RuleAnswer::Nothing;
        }
        match need {
            Need::Url(path) => {
                grants(
                    self.non_resource_urls
                        .iter()
                        .any(|url| match url.strip_suffix('*') {
                            Some(_) => path.starts_with(url.trim_end_matches('*')),
                            None => url == path,
                        }),
                )
            }
            Need::Resource {
                group,
                resource,
                object,
                ..
            } => {
                if !has(&self.api_groups, group)
                    || !self.resources.iter().any(|own| is_resource(own, resource))
                {
                    return RuleAnswer::Nothing;
                }
                match object {
                    _ if self.resource_names.is_empty() => RuleAnswer::Grants,
                    NeededObject::All => RuleAnswer::Nothing,
                    NeededObject::Named(name) => grants(self.resource_names.contains(name)),
                    NeededObject::Each => RuleAnswer::GrantsSome,
                }
            }
        }
    }
}

/// Returns whether an entry of a rule means a resource: itself, all of them, or that subresource of all of them.
fn is_resource(entry: &str, resource: &str) -> bool {
    let of_any = || {
        entry
            .strip_prefix("*/")
            .zip(resource.split_once('/'))
            .is_some_and(|(own, (_, sub))| own == sub)
    };
    entry == "*" || entry == resource || of_any()
}
