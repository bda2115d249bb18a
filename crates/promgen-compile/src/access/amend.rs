//! A change of a role in the input that grants what is denied.
//!
//! In: what an account is granted, and requests. Out: the one role that is to be changed, and how. Nothing where several roles
//! could be meant, or where none is about discovery.

use std::collections::{BTreeMap, BTreeSet};

use promgen_text::source::Span;

use crate::access::authorizer::{Grants, named};
use crate::access::needs::{CLUSTER, Need, NeededObject};
use crate::access::objects::{GrantingRole, GrantingRule};
use crate::cluster::Key;
use promgen_text::CollectOrdered;

/// A change of a role.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RoleAmendment {
    /// `Role shop/prometheus`.
    pub role: String,
    /// Lists in its text, each with the items that are added to it.
    pub items: Vec<(Span, Vec<String>)>,
}

/// A rule that is lacking.
struct LackingRule<'n> {
    /// `None`: it is about paths.
    group: Option<&'n str>,
    verbs: Vec<&'static str>,
    name: Option<&'n str>,
    /// The resources or the paths.
    what: BTreeSet<&'n str>,
}

/// The group and the name of the object, if there is one.
type RuleKind<'n> = (Option<&'n str>, Option<&'n str>);

/// The resources of discovery: a role that grants to list one of them is meant for it.
const DISCOVERED: &[&str] = &[
    "endpoints",
    "endpointslices",
    "ingresses",
    "pods",
    "services",
];

/// The verbs that a rule of discovery has.
const READ_VERBS: &[&str] = &["get", "list", "watch"];

impl Grants<'_> {
    /// The change of a role that grants requests.
    #[must_use]
    pub fn amendment(&self, requests: &BTreeSet<(Need, &'static str)>) -> Option<RoleAmendment> {
        let lacking = LackingRule::all(requests);
        let namespaces: BTreeSet<&str> = requests
            .iter()
            .map(|(need, _)| need.namespace())
            .collect_set();
        let candidates = self.candidates(&namespaces);
        let extended: Vec<_> = candidates
            .iter()
            .filter(|(_, role)| lacking.iter().all(|rule| rule.extends(role)))
            .collect();
        let (key, role) = match (extended.as_slice(), candidates.as_slice()) {
            ([one], _) => *one,
            ([], [one]) => one,
            _ => return None,
        };
        let mut items: BTreeMap<Span, Vec<String>> = BTreeMap::new();
        for rule in &lacking {
            match rule.extended(role).and_then(|known| known.resources) {
                Some(list) => items
                    .entry(list)
                    .or_default()
                    .extend(rule.what.iter().map(|what| (*what).to_owned())),
                None => items.entry(role.list?).or_default().push(rule.text()),
            }
        }
        Some(RoleAmendment {
            role: named(key),
            items: items.into_iter().collect(),
        })
    }

    /// The roles that reach all of these namespaces, of those that reach least.
    fn candidates(&self, namespaces: &BTreeSet<&str>) -> Vec<(&Key, &GrantingRole)> {
        let everywhere = self.everywhere.amendable.iter().copied();
        let is_of_cluster = namespaces.contains(CLUSTER);
        let is_meant = |(_, role): &(&Key, &GrantingRole)| {
            is_of_cluster || role.rules.iter().any(is_about_discovery)
        };
        let of_cluster = || everywhere.clone().filter(is_meant).collect();
        let mut all = namespaces
            .iter()
            .map(|namespace| self.by_namespace.get(namespace));
        let Some(Some(first)) = all.next().filter(|_| !is_of_cluster) else {
            return of_cluster();
        };
        let others: Option<Vec<_>> = all.collect();
        let Some(others) = others else {
            return of_cluster();
        };
        let is_in_all = |key: &Key| {
            others
                .iter()
                .all(|bound| bound.amendable.iter().any(|(other, _)| *other == key))
        };
        let bound: Vec<_> = first
            .amendable
            .iter()
            .copied()
            .filter(|(key, _)| is_in_all(key))
            .collect();
        let (roles, of_namespaces): (Vec<_>, Vec<_>) = bound
            .into_iter()
            .partition(|(key, _)| !key.namespace().is_empty());
        [roles, of_namespaces]
            .into_iter()
            .find(|some| !some.is_empty())
            .unwrap_or_else(of_cluster)
    }
}

fn is_about_discovery(granting: &GrantingRule) -> bool {
    let has = |list: &[String], wanted: &str| list.iter().any(|item| item == wanted);
    let rule = &granting.rule;
    (has(&rule.verbs, "list") || has(&rule.verbs, "*"))
        && DISCOVERED
            .iter()
            .any(|resource| has(&rule.resources, resource))
}

impl<'n> LackingRule<'n> {
    /// The rules that grant requests: what is granted alike stands together.
    fn all(requests: &'n BTreeSet<(Need, &'static str)>) -> Vec<Self> {
        let mut verbs: BTreeMap<(RuleKind<'_>, &str), BTreeSet<&'static str>> = BTreeMap::new();
        for (need, verb) in requests {
            let key = match need {
                Need::Resource {
                    group,
                    resource,
                    object: NeededObject::Named(name),
                    ..
                } => ((Some(*group), Some(name.as_str())), *resource),
                Need::Resource {
                    group, resource, ..
                } => ((Some(*group), None), *resource),
                Need::Url(path) => ((None, None), path.as_str()),
            };
            verbs.entry(key).or_default().insert(*verb);
        }
        let mut alike: BTreeMap<(RuleKind<'_>, Vec<&'static str>), BTreeSet<&str>> =
            BTreeMap::new();
        for ((kind, what), verbs) in verbs {
            alike
                .entry((kind, verbs.into_iter().collect()))
                .or_default()
                .insert(what);
        }
        alike
            .into_iter()
            .map(|(((group, name), verbs), what)| Self {
                group,
                verbs,
                name,
                what,
            })
            .collect()
    }

    /// Returns whether a rule of the role grants the same for other resources.
    fn extends(&self, role: &GrantingRole) -> bool {
        self.extended(role).is_some()
    }

    fn extended<'r>(&self, role: &'r GrantingRole) -> Option<&'r GrantingRule> {
        let group = self.group.filter(|_| self.name.is_none())?;
        role.rules.iter().find(|granting| {
            let rule = &granting.rule;
            granting.resources.is_some()
                && rule.api_groups == [group]
                && rule.resource_names.is_empty()
                && rule.non_resource_urls.is_empty()
                && self
                    .verbs
                    .iter()
                    .all(|verb| rule.verbs.iter().any(|own| own == verb))
                && rule
                    .verbs
                    .iter()
                    .all(|verb| READ_VERBS.contains(&verb.as_str()))
        })
    }

    /// The rule in a line.
    fn text(&self) -> String {
        let verbs = self.verbs.join(", ");
        let Some(group) = self.group else {
            let paths: Vec<String> = self.what.iter().map(|path| quoted(path)).collect();
            return format!(
                "{{nonResourceURLs: [{}], verbs: [{verbs}]}}",
                paths.join(", ")
            );
        };
        let what: Vec<&str> = self.what.iter().copied().collect();
        let names = self
            .name
            .map(|name| format!(", resourceNames: [{}]", quoted(name)))
            .unwrap_or_default();
        format!(
            "{{apiGroups: [{}], resources: [{}]{names}, verbs: [{verbs}]}}",
            quoted(group),
            what.join(", ")
        )
    }
}

/// A text of the input in quotes.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
