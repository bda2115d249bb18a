//! Slips in the bindings of service accounts: a role or an account that is almost one in the input.

use std::collections::BTreeSet;

use super::permission::MISSING_PERMISSION;
use promgen_model::model::World;
use promgen_model::running;
use promgen_resources::document::Manifest;
use promgen_text::CollectOrdered;
use promgen_text::diag::{Diagnostic, Level, Sink};
use promgen_text::source::Span;
use promgen_text::suggest::slip_of_name;

/// Checks the bindings in the input.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    let bindings = model.manifests().iter().filter(|manifest| {
        manifest.group == "rbac.authorization.k8s.io" && manifest.kind.ends_with("RoleBinding")
    });
    let bindings: Vec<Manifest<'_>> = bindings.collect();
    if bindings.is_empty() {
        return;
    }
    // The accounts of workloads, as namespace and name.
    let accounts: BTreeSet<(&str, &str)> = running::all(model.cluster())
        .filter_map(|running| Some((running.namespace, running.service_account_name()?)))
        .collect_set();
    for binding in &bindings {
        of_role(model, binding, &accounts, sink);
        of_subjects(model, binding, &accounts, sink);
    }
}

fn report(binding: &Manifest<'_>, place: Span, what: &str, meant: &str, sink: &mut Sink) {
    let message = format!(
        "{} {} names {what}, which is not in the input",
        binding.kind, binding.name
    );
    let finding = Diagnostic::new(&MISSING_PERMISSION, place, message).level(Level::Warning);
    sink.report(finding.help(format!("did you mean `{meant}`?")));
}

/// Returns whether a binding is of an account of a workload.
fn is_of_workload(binding: &Manifest<'_>, accounts: &BTreeSet<(&str, &str)>) -> bool {
    let mut subjects = binding.node.items_of("subjects").iter();
    subjects.any(|subject| {
        let namespace = subject.text_of("namespace").or(binding.namespace);
        let id = namespace.zip(subject.text_of("name"));
        id.is_some_and(|id| accounts.contains(&id))
    })
}

/// The role that it binds.
fn of_role(
    model: &World<'_>,
    binding: &Manifest<'_>,
    accounts: &BTreeSet<(&str, &str)>,
    sink: &mut Sink,
) {
    let role = binding.node.get("roleRef");
    let (Some(kind), Some(name)) = (
        role.and_then(|role| role.text_of("kind")),
        role.and_then(|role| role.get("name")),
    ) else {
        return;
    };
    let is_it = |manifest: &Manifest<'_>| {
        manifest.kind == kind && (kind == "ClusterRole" || manifest.namespace == binding.namespace)
    };
    let roles = model.manifests().iter().filter(is_it);
    let roles: Vec<&str> = roles.map(|manifest| manifest.name).collect();
    let meant = slip_of_name(name.as_str().unwrap_or_default(), roles.iter().copied());
    if let Some(meant) = meant.filter(|_| is_of_workload(binding, accounts)) {
        let what = format!("{kind} `{}`", name.as_str().unwrap_or_default());
        report(binding, name.span, &what, meant, sink);
    }
}

/// The accounts that it binds a role to.
fn of_subjects(
    model: &World<'_>,
    binding: &Manifest<'_>,
    accounts: &BTreeSet<(&str, &str)>,
    sink: &mut Sink,
) {
    if is_of_workload(binding, accounts) {
        return;
    }
    let known = &model.reach.others.service_accounts;
    for subject in binding.node.items_of("subjects") {
        let written = subject.text_of("namespace");
        let (Some(namespace), Some(name)) = (written.or(binding.namespace), subject.get("name"))
        else {
            continue;
        };
        let text = name.as_str().unwrap_or_default();
        let is_account = subject.text_of("kind") == Some("ServiceAccount");
        if !is_account || known.contains(&(namespace.to_owned(), text.to_owned())) {
            continue;
        }
        let beside = accounts.iter().filter(|(of, _)| *of == namespace);
        let what = format!("ServiceAccount `{text}` in namespace `{namespace}`");
        if let Some(meant) = slip_of_name(text, beside.map(|(_, name)| *name)) {
            report(binding, name.span, &what, meant, sink);
            continue;
        }
        let elsewhere = accounts.iter().filter(|(_, name)| *name == text);
        let meant = slip_of_name(namespace, elsewhere.map(|(of, _)| *of));
        if let (Some(meant), Some(place)) = (meant, subject.get("namespace")) {
            report(binding, place.span, &what, meant, sink);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::found::found;

    fn told(role: &str, subject: &str) -> Vec<String> {
        found(
            &["PG131"],
            &format!(
                "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: k8s, namespace: shop}}\nspec: {{serviceAccountName: scraper}}\n\
                 ---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: scraping}}\nrules: []\n\
                 ---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {{name: scraping}}\n\
                 roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {role}}}\nsubjects: [{{kind: ServiceAccount, {subject}}}]\n"
            ),
        )
    }

    #[test]
    fn slips_of_roles_and_accounts_are_told_at_the_binding() {
        let right = "name: scraper, namespace: shop";
        for (role, subject, meant) in [
            ("scrapin", right, Some("did you mean `scraping`?")),
            (
                "scraping",
                "name: scrapper, namespace: shop",
                Some("did you mean `scraper`?"),
            ),
            (
                "scraping",
                "name: scraper, namespace: shopp",
                Some("did you mean `shop`?"),
            ),
            ("scraping", right, None),
            ("view", right, None),
            ("scrapin", "name: other, namespace: till", None),
            ("scraping", "name: grafana, namespace: shop", None),
        ] {
            let found = told(role, subject);
            assert_eq!(
                found.len(),
                usize::from(meant.is_some()),
                "{role} {subject}: {found:?}"
            );
            assert!(
                found
                    .iter()
                    .all(|found| found.ends_with(meant.unwrap_or_default())),
                "{found:?}"
            );
        }
    }
}
