//! Rules of roles that grant nothing by a slip: a resource, a group or a verb that is almost the one which is denied.
//!
//! Kubernetes compares all three as texts, and accepts any text; resources are named in the plural, groups without a version.

use promgen_text::source::Span;
use promgen_text::suggest::is_slip;

use crate::access::authorizer::{Grants, named};
use crate::access::needs::{Need, NeededObject};
use crate::access::objects::{GrantingRule, PolicyRule};

/// A word of a rule that grants nothing, and would grant a request as it was meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RoleSlip {
    /// The place of the rule.
    pub span: Span,
    /// `ClusterRole scraper`.
    pub role: String,
    /// The field: `resources`.
    pub field: &'static str,
    /// The word as it is written.
    pub written: String,
    /// The word that was meant.
    pub meant: String,
}

/// Words that mean another thing than those they look like.
const RESOURCES: &[&str] = &[
    "endpoints",
    "ingresses",
    "namespaces",
    "nodes",
    "pods",
    "services",
];
const VERBS: &[&str] = &[
    "create", "delete", "get", "list", "patch", "update", "watch",
];

impl Grants<'_> {
    /// The word of a bound role that keeps it from granting a request which is denied.
    #[must_use]
    pub fn slip(&self, verb: &str, need: &Need) -> Option<RoleSlip> {
        let Need::Resource {
            group,
            resource,
            object: NeededObject::All,
            ..
        } = need
        else {
            return None;
        };
        let in_namespace = self.by_namespace.get(need.namespace());
        let bound = std::iter::once(&self.everywhere).chain(in_namespace);
        let roles = bound.flat_map(|bound| &bound.amendable);
        let mut rules =
            roles.flat_map(|(key, role)| role.rules.iter().map(move |rule| (key, rule)));
        rules.find_map(|(key, GrantingRule { span, rule, .. })| {
            let (field, written, meant) = slip_of(rule, verb, group, resource)?;
            Some(RoleSlip {
                span: (*span)?,
                role: named(key),
                field,
                written: written.to_owned(),
                meant: meant.to_owned(),
            })
        })
    }
}

/// The only word that keeps a rule from granting: its field, the word, and what was meant.
fn slip_of<'r>(
    rule: &'r PolicyRule,
    verb: &'r str,
    group: &'r str,
    resource: &'r str,
) -> Option<(&'static str, &'r str, &'r str)> {
    let is_group = |written: &str| match group {
        "" => matches!(written, "core" | "v1"),
        _ => is_slip(written, group) || written.split('/').next() == Some(group),
    };
    let is_resource = |written: &str| !RESOURCES.contains(&written) && is_slip(written, resource);
    let is_verb = |written: &str| !VERBS.contains(&written) && is_slip(written, verb);
    let is_slip_of: [&dyn Fn(&str) -> bool; 3] = [&is_group, &is_resource, &is_verb];
    let fields = [
        ("apiGroups", &rule.api_groups, group),
        ("resources", &rule.resources, resource),
        ("verbs", &rule.verbs, verb),
    ];
    let has = |list: &[String], word: &str| list.iter().any(|own| own == "*" || own == word);
    let lacks = |((_, list, word), _): &((_, &Vec<String>, &str), _)| !has(list, word);
    let mut lacking = fields.into_iter().zip(is_slip_of).filter(lacks);
    let ((field, list, meant), is_its) = lacking.next()?;
    let is_only = lacking.next().is_none() && rule.resource_names.is_empty();
    let written = list.iter().find(|written| is_its(written));
    written
        .filter(|_| is_only)
        .map(|written| (field, written.as_str(), meant))
}
