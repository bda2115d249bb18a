//! AlertmanagerConfigs of v1beta1: what the operator's conversion to the stored version refuses and loses.

use crate::cluster::Any;
use promgen_resources::api::notifying::alertmanager_config::AlertmanagerConfigSpec;
use promgen_resources::api::notifying::alertmanager_config::route::Matcher;
use promgen_resources::document::Document;
use promgen_resources::{gates, schema};
use promgen_text::diag::{Diagnostic, Level, Sink, rule};
use promgen_text::route::At;
use promgen_text::version::Version;

rule! {
    /// ## What it does
    /// Rejects an AlertmanagerConfig of v1beta1 that the operator cannot convert: before v0.95, an email receiver without
    /// `threading`.
    ///
    /// ## Why is this bad?
    /// The conversion reads the threading of each email whether it is set or not, and crashes where it is not. The API
    /// server then refuses the resource.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1beta1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop}
    /// spec:
    ///   route: {receiver: mail}
    ///   receivers:
    ///   - name: mail
    ///     emailConfigs:
    ///     - {to: shop@example.com, from: alerts@example.com, smarthost: "smtp.example.com:587"}
    /// ```
    /// Use instead: v1alpha1, or state the threading.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop}
    /// spec:
    ///   route: {receiver: mail}
    ///   receivers:
    ///   - name: mail
    ///     emailConfigs:
    ///     - {to: shop@example.com, from: alerts@example.com, smarthost: "smtp.example.com:587"}
    /// ```
    pub(crate) static UNCONVERTIBLE = "PG022" "unconvertible" {
        summary: "a resource that the operator cannot convert to the stored version", level: Error, since: "0.1.0",
    }
}

rule! {
    /// ## What it does
    /// Finds a field of an AlertmanagerConfig of v1beta1 that the stored version does not get: the operator's conversion
    /// loses the `ttl` of Pushover before v0.95, and v1beta1 has no `regex` of matchers.
    ///
    /// ## Why is this bad?
    /// The setting has no effect, and nothing in the cluster reports it.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1beta1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop}
    /// spec:
    ///   route: {receiver: phone}
    ///   receivers:
    ///   - name: phone
    ///     pushoverConfigs:
    ///     - {userKey: {name: pushover, key: user}, token: {name: pushover, key: token}, ttl: 5m}
    /// ```
    /// Use instead: v1alpha1, whose `ttl` is kept.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop}
    /// spec:
    ///   route: {receiver: phone}
    ///   receivers:
    ///   - name: phone
    ///     pushoverConfigs:
    ///     - {userKey: {name: pushover, key: user}, token: {name: pushover, key: token}, ttl: 5m}
    /// ```
    pub(crate) static LOST_FIELD = "PG307" "lost-in-conversion" {
        summary: "a field that is lost in the conversion to the stored version", level: Warning, since: "0.1.0",
    }
}

/// Whether the API server accepts a converted resource, whose lists are no sets in the version that it is written in.
pub(super) fn fits(document: &Document, operator: &Version, sink: &mut Sink) -> bool {
    let mut found = Sink::default();
    let fits = schema::validate(&document.node, document.kind, operator, document.id, &mut found);
    let before = found.diagnostics().len();
    let left: Vec<Diagnostic> = found
        .into_diagnostics()
        .into_iter()
        .filter(|finding| !std::ptr::eq(finding.rule, &raw const schema::DUPLICATE_ITEM))
        .collect();
    let only_duplicates = left.len() < before && left.iter().all(|finding| finding.rule.level != Level::Error);
    left.into_iter().for_each(|finding| sink.report(finding));
    fits || only_duplicates
}

/// The resource as the operator converts it. `None` if it cannot.
pub(super) fn converted(document: &Document, object: Any, operator: &Version, sink: &mut Sink) -> Option<Any> {
    let Any::AlertmanagerConfig(mut shared) = object else { return Some(object) };
    let config = shared.make_mut();
    without_regex(document, &mut config.spec, sink);
    if gates::BETA_CONVERSION_REPAIRED.admits(operator) {
        return Some(Any::AlertmanagerConfig(shared));
    }
    let receivers = At::doc(document.id).key("spec").key("receivers");
    for (of, receiver) in config.spec.receivers.iter_mut().flatten().enumerate() {
        let mails = receiver.email_configs.as_deref().unwrap_or_default();
        if let Some(index) = mails.iter().position(|mail| mail.threading.is_none()) {
            let at = receivers.clone().index(of).key("emailConfigs").index(index);
            let message = "the operator cannot convert an email of v1beta1 that has no threading";
            sink.report(Diagnostic::new(&UNCONVERTIBLE, at, message));
            return None;
        }
        for (index, pushover) in receiver.pushover_configs.iter_mut().flatten().enumerate() {
            if pushover.ttl.take().is_some() {
                let at = receivers.clone().index(of).key("pushoverConfigs").index(index).key("ttl");
                let message = "`ttl` has no effect: the operator loses it in the conversion from v1beta1";
                sink.report(Diagnostic::new(&LOST_FIELD, at, message));
            }
        }
    }
    Some(Any::AlertmanagerConfig(shared))
}

/// Removes the field `regex` of matchers, which only v1alpha1 has.
fn without_regex(document: &Document, spec: &mut AlertmanagerConfigSpec, sink: &mut Sink) {
    let at = At::doc(document.id).key("spec");
    let mut remove = |list: &mut Option<Vec<Matcher>>, at: At| {
        for (index, matcher) in list.iter_mut().flatten().enumerate() {
            if matcher.regex.take().is_some() {
                let at = at.clone().index(index).key("regex");
                let message = "`regex` has no effect: v1beta1 has no such field";
                sink.report(Diagnostic::new(&LOST_FIELD, at, message).help("use `matchType: \"=~\"`"));
            }
        }
    };
    if let Some(route) = &mut spec.route {
        remove(&mut route.matchers, at.clone().key("route").key("matchers"));
    }
    for (index, rule) in spec.inhibit_rules.iter_mut().flatten().enumerate() {
        let at = at.clone().key("inhibitRules").index(index);
        remove(&mut rule.source_match, at.clone().key("sourceMatch"));
        remove(&mut rule.target_match, at.key("targetMatch"));
    }
}
