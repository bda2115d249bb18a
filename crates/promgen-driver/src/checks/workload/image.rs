//! Images and accounts of the pods that contradict the rest of the input.

use crate::checks::View;
use crate::checks::workload::{RunningWorkload, Spec};
use promgen_text::diag::{Diagnostic, Sink, rule};
use promgen_text::suggest;
use promgen_text::version::Version;

rule! {
    /// ## What it does
    /// Finds workloads whose `image` has another version in its tag than `version` says.
    ///
    /// ## Why is this bad?
    /// The operator writes configuration and arguments for `version`, and the pods run the image: a newer Prometheus than the
    /// configuration is for lacks settings, an older one does not start.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   version: v3.5.0
    ///   image: quay.io/prometheus/prometheus:v2.55.1
    /// ```
    /// Use instead: one version.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   version: v3.5.0
    ///   image: quay.io/prometheus/prometheus:v3.5.0
    /// ```
    pub(in crate::checks) static OTHER_IMAGE = "PG522" "image-of-another-version" {
        summary: "an image whose tag contradicts the version", level: Warning, since: "0.1.0",
    }
}

rule! {
    /// ## What it does
    /// Finds workloads with a `serviceAccountName` that the input does not have, where it has one of almost that name in the
    /// namespace.
    ///
    /// ## Why is this bad?
    /// Without the ServiceAccount, the StatefulSet creates no pod.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: shop}
    /// spec: {serviceAccountName: promethues}
    /// ---
    /// apiVersion: v1
    /// kind: ServiceAccount
    /// metadata: {name: prometheus, namespace: shop}
    /// ```
    /// Use instead: the name of the account.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: shop}
    /// spec: {serviceAccountName: prometheus}
    /// ---
    /// apiVersion: v1
    /// kind: ServiceAccount
    /// metadata: {name: prometheus, namespace: shop}
    /// ```
    pub(in crate::checks) static UNKNOWN_ACCOUNT = "PG523" "unknown-service-account" {
        summary: "a ServiceAccount that is almost one in the input", level: Warning, since: "0.1.0",
    }
}

/// Checks a workload.
pub(super) fn check(model: &View<'_>, running: &RunningWorkload<'_>, sink: &mut Sink) {
    let (image, version, account) = match running.spec {
        Spec::Server(spec) => (&spec.common.image, &spec.common.version, &spec.common.service_account_name),
        Spec::Agent(spec) => (&spec.common.image, &spec.common.version, &spec.common.service_account_name),
        Spec::Alertmanager(spec) => (&spec.image, &spec.version, &spec.service_account_name),
        Spec::Ruler(spec) => (&spec.image, &spec.version, &spec.service_account_name),
    };
    if let (Some(image), Some(version)) = (image, version)
        && let Some((of_image, own)) = tag(image).zip(Version::parse_tolerant(version).ok())
        && of_image != own
    {
        let message = format!("{} runs {of_image}, as its image says, with a configuration for {own}", running.what());
        let finding = Diagnostic::new(&OTHER_IMAGE, running.at().key("image"), message);
        let finding = finding.related(running.at().key("version"), "the operator writes the configuration for this");
        sink.report(finding.help(format!("write one version: `version: v{of_image}`")));
    }
    if let Some(account) = account.as_deref().filter(|account| !account.is_empty()) {
        let known = &model.reach.others.service_accounts;
        let own =
            || known.iter().filter(|(namespace, _)| namespace == running.namespace).map(|(_, name)| name.as_str());
        let is_there = own().any(|name| name == account);
        if let Some(meant) = suggest::closest(account, own()).filter(|_| !is_there) {
            let message = format!(
                "{} runs as ServiceAccount `{account}`, which is not in the input: its pods are not created",
                running.what()
            );
            let finding = Diagnostic::new(&UNKNOWN_ACCOUNT, running.at().key("serviceAccountName"), message);
            sink.report(finding.help(format!("did you mean `{meant}`, which is in namespace {}?", running.namespace)));
        }
    }
}

/// The version that the tag of an image is. `None` for other tags.
fn tag(image: &str) -> Option<Version> {
    let image = image.split('@').next()?;
    let tag = image.rsplit('/').next()?.split_once(':')?.1;
    let bare = tag.strip_prefix('v').unwrap_or(tag);
    let is_plain = bare.split('.').count() == 3 && bare.split('.').all(|part| part.bytes().all(|b| b.is_ascii_digit()));
    Version::parse_tolerant(tag).ok().filter(|_| is_plain)
}
