//! Addresses of workloads and of what they write to.

use promgen_model::running::{RunningWorkload, Spec};
use promgen_text::diag::fix::{EditAction, Fix};
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::At;

rules! {
    /// ## What it does
    /// Finds external URLs, and URLs of remote write, of remote read and of a ThanosRuler, that do not begin with `http://` or
    /// `https://`.
    ///
    /// ## Why is this bad?
    /// Without a scheme, the text is a path: Prometheus serves its pages below it, and the links in notifications lead nowhere.
    /// Alertmanager does not start. Remote write and remote read fail with each request.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   externalUrl: prometheus.example.com
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   externalUrl: https://prometheus.example.com
    /// ```
    NO_SCHEME = "PG524" "url-without-scheme" Warning: "a URL without http:// or https://";
}

/// Checks the URLs of a workload.
pub(super) fn check(running: &RunningWorkload<'_>, sink: &mut Sink) {
    if let Some(url) = running.external_url() {
        let at = running.at().key("externalUrl");
        report(url, at, "a path instead of an address", sink);
    }
    if let Spec::Ruler(spec) = running.spec {
        if let Some(url) = &spec.alert_query_url {
            report(url, running.at().key("alertQueryUrl"), "no address", sink);
        }
        for (index, url) in spec.alertmanagers_url.iter().flatten().enumerate() {
            let at = running.at().key("alertmanagersUrl").index(index);
            report(url, at, "no address", sink);
        }
    }
    for remote in running.remotes() {
        report(remote.url, remote.at.key("url"), "no address", sink);
    }
}

fn report(url: &str, at: At, what: &str, sink: &mut Sink) {
    let host = url.split(['/', '?']).next().unwrap_or_default();
    let is_host = host.contains('.') || host.contains(':') || host == "localhost";
    // A placeholder may be anything.
    if url.contains("://") || !is_host || host.contains(['$', '{', '<']) || host.is_empty() {
        return;
    }
    let found = Diagnostic::new(
        &NO_SCHEME,
        at.clone(),
        format!("`{url}` has no scheme: it is {what}"),
    );
    let fix = Fix::risky(format!("write `https://{url}`"))
        .change(EditAction::Value(at, format!("https://{url}")));
    sink.report(
        found
            .help(format!("write `https://{url}`, or `http://{url}`"))
            .fix(fix),
    );
}
