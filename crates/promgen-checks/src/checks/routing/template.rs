//! Templates of notifications that fail.

use crate::checks::routing::Routed;
use promgen_text::diag::{Diagnostic, Sink, rules};

rules! {
    /// ## What it does
    /// Finds templates of notifications that do not parse, that call a function or a template that does not exist, or that ask for
    /// a field that the data does not have: in the fields of receivers, and in the template files of the configuration. Calls of
    /// templates are checked if the input has all template files.
    ///
    /// ## Why is this bad?
    /// Alertmanager does not load a configuration with an invalid template file. An invalid template of a receiver fails
    /// when an alert fires, and nobody is notified.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop, namespace: shop}
    /// spec:
    ///   route: {receiver: chat}
    ///   receivers:
    ///   - name: chat
    ///     discordConfigs:
    ///     - apiURL: {name: chat, key: url}
    ///       title: "{{ .CommonLabels.alertname | upper }}"
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop, namespace: shop}
    /// spec:
    ///   route: {receiver: chat}
    ///   receivers:
    ///   - name: chat
    ///     discordConfigs:
    ///     - apiURL: {name: chat, key: url}
    ///       title: "{{ .CommonLabels.alertname | toUpper }}"
    /// ```
    BAD_NOTIFICATION_TEMPLATE = "PG616" "bad-notification-template" Error: "a template of a notification that fails";
}

/// Reports the templates that fail.
pub(super) fn check(routed: &Routed<'_>, sink: &mut Sink) {
    for fault in &routed.tree.template_faults {
        let found = Diagnostic::new(
            &BAD_NOTIFICATION_TEMPLATE,
            fault.at.clone(),
            &*fault.message,
        );
        let found = found.helps(&fault.help);
        sink.report(if fault.is_secret {
            found.secret()
        } else {
            found
        });
    }
}
