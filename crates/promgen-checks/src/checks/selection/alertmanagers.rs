//! Services of Alertmanagers that a server reports to.

use std::collections::BTreeSet;

use promgen_model::model::World;
use promgen_resources::api::scalar::IntOrString;
use promgen_resources::api::servers::alerting::AlertmanagerEndpoints;
use promgen_resources::unknown::is_later_text;
use promgen_targets::resolve::ResolvedService;
use promgen_targets::resolve::labelled::{Matches, NamespaceScope, Selectable as _};
use promgen_text::CollectOrdered;
use promgen_text::diag::fix::Fix;
use promgen_text::diag::{Diagnostic, Level, Sink, rules};
use promgen_text::route::At;
use promgen_text::suggest;

rules! {
    /// ## What it does
    /// Finds members of `alerting.alertmanagers` that name no Service, although the input has an Alertmanager and a Service
    /// with almost that name, or, as information, the one of that name in another namespace; those whose name none can have; and
    /// those that name a port which the Service lacks.
    ///
    /// ## Why is this bad?
    /// Prometheus discovers no Alertmanager, and alerts notify nobody. Nothing in the cluster reports it but a metric.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: shop}
    /// spec:
    ///   alerting:
    ///     alertmanagers: [{name: alertmanager-operatd, port: web}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main, namespace: shop}
    /// spec: {}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: shop}
    /// spec:
    ///   alerting:
    ///     alertmanagers: [{name: alertmanager-operated, port: web}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main, namespace: shop}
    /// spec: {}
    /// ```
    UNKNOWN_ALERTMANAGER = "PG128" "unknown-alertmanager" Warning: "a Service of Alertmanagers that is not in the input, or lacks the port";
}

/// Checks every server, if the input has an Alertmanager.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    let homes: BTreeSet<&str> = model
        .cluster()
        .alertmanagers
        .values()
        .map(|object| object.namespace())
        .collect_set();
    if homes.is_empty() {
        return;
    }
    for server in model.cluster().prometheuses.values() {
        let endpoints = server
            .value
            .spec
            .alerting
            .iter()
            .flat_map(|alerting| &alerting.alertmanagers);
        for (index, endpoint) in endpoints.enumerate() {
            let at = At::spec(server.doc)
                .key("alerting")
                .key("alertmanagers")
                .index(index);
            let found = unknown(model, endpoint, server.namespace(), &homes, &at);
            sink.extend(found);
        }
    }
}

/// A member whose name or namespace is that of a Service but for a slip. Any other may be what a chart makes.
fn unknown(
    model: &World<'_>,
    endpoint: &AlertmanagerEndpoints,
    own: &str,
    homes: &BTreeSet<&str>,
    at: &At,
) -> Option<Diagnostic> {
    let namespace = endpoint.namespace.as_deref().unwrap_or(own);
    if endpoint.name.contains(['.', ':', '/']) && !is_later_text(&endpoint.name) {
        let message = format!("`{}` is the name of no Service", endpoint.name);
        let found = Diagnostic::new(&UNKNOWN_ALERTMANAGER, at.clone().key("name"), message);
        return Some(
            found.help("write the name alone; namespace, port and scheme have their own fields"),
        );
    }
    let services = |scope: &NamespaceScope<'_>| {
        let services = &model.reach.services;
        services.all(&Matches {
            items: services.numbers(scope),
            is_cut: false,
        })
    };
    let there = services(&NamespaceScope::one(namespace));
    if let Some(service) = there.iter().find(|service| service.name() == endpoint.name) {
        return portless(endpoint, service, at);
    }
    let finding = |field: &'static str, meant: &str| {
        let message = format!(
            "no Service in the input is named {namespace}/{}",
            endpoint.name
        );
        let diagnostic = Diagnostic::new(&UNKNOWN_ALERTMANAGER, at.clone().key(field), message);
        diagnostic
            .help(format!("did you mean \"{meant}\"?"))
            .help("ignore this if something that is not in the input creates it")
            .fix(Fix::value(at.clone().key(field), meant))
    };
    if homes.contains(namespace) {
        let is_slip = |name: &&str| suggest::is_slip(&endpoint.name, name);
        let near = there.iter().map(|service| service.name()).filter(is_slip);
        return suggest::closest(&endpoint.name, near).map(|meant| finding("name", meant));
    }
    endpoint.namespace.as_ref()?;
    let elsewhere = services(&NamespaceScope::Any);
    let same_name = elsewhere
        .iter()
        .filter(|service| service.name() == endpoint.name)
        .map(|service| service.namespace());
    let same_name: Vec<&str> = same_name.collect();
    let is_slip = |other: &&str| suggest::is_slip(namespace, other);
    let near = same_name.iter().copied().filter(is_slip);
    if let Some(meant) = suggest::closest(namespace, near) {
        return Some(finding("namespace", meant));
    }
    match same_name[..] {
        [only] if homes.contains(only) && model.unseen().is_none() => {
            Some(finding("namespace", only).level(Level::Info))
        }
        _ => None,
    }
}

/// A member whose port the Service lacks: its name is compared with those of the endpoints.
fn portless(
    endpoint: &AlertmanagerEndpoints,
    service: &ResolvedService,
    at: &At,
) -> Option<Diagnostic> {
    let IntOrString::String(port) = &endpoint.port else {
        return None;
    };
    let names: Vec<&str> = service
        .ports()
        .iter()
        .map(|port| port.name.as_deref().unwrap_or_default())
        .collect();
    if port.is_empty() || names.is_empty() || names.contains(&port.as_str()) {
        return None;
    }
    let named: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    let has = if named.is_empty() {
        "its port has no name".to_owned()
    } else {
        format!("it has {}", named.join(", "))
    };
    let message = format!(
        "Service {}/{} has no port `{port}`: {has}",
        service.namespace(),
        service.name()
    );
    let found = Diagnostic::new(&UNKNOWN_ALERTMANAGER, at.clone().key("port"), message);
    let meant = match named.as_slice() {
        [only] => Some(*only),
        _ => suggest::closest(port, named.iter().copied()),
    };
    let with_fix = |found: Diagnostic, meant: &str| {
        found
            .help(format!("did you mean \"{meant}\"?"))
            .fix(Fix::value(at.clone().key("port"), meant))
    };
    Some(meant.into_iter().fold(found, with_fix))
}

#[cfg(test)]
mod tests {
    use crate::checks::found::found;

    fn prometheus(spec: &str) -> String {
        format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: k8s, namespace: monitoring}}\nspec: {spec}\n---\n"
        )
    }

    #[test]
    fn an_alertmanager_elsewhere_and_a_name_of_no_service_are_told() {
        let with = |member: &str, more: &str| {
            let server = prometheus(&format!(
                "{{alerting: {{alertmanagers: [{{port: web, {member}}}]}}}}"
            ));
            let alertmanager = "apiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {name: a, namespace: alerts}\nspec: {}\n";
            found(&["PG128"], &(server + alertmanager + more))
        };
        let told = with("name: alertmanager-operated, namespace: shop", "");
        assert!(
            told[0].starts_with(
                "PG128 info 4: no Service in the input is named shop/alertmanager-operated"
            ),
            "{told:?}"
        );
        assert_eq!(
            with("name: alertmanager-operated, namespace: alerts", ""),
            [""; 0]
        );
        let more = "---\napiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {name: a, namespace: third}\nspec: {}\n";
        assert_eq!(
            with("name: alertmanager-operated, namespace: shop", more),
            [""; 0]
        );
        assert_eq!(with("name: other, namespace: shop", ""), [""; 0]);
        for name in ["http://am:9093", "am.alerts.svc"] {
            let told = with(&format!("name: '{name}'"), "");
            assert!(told[0].contains("is the name of no Service"), "{told:?}");
        }
        assert_eq!(with("name: '${AM}.x'", ""), [""; 0]);
    }
}
