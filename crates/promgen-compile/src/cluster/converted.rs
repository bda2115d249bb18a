//! AlertmanagerConfigs of v1beta1: what the operator's conversion to the stored version refuses and loses.

use crate::cluster::Any;
use crate::paths::spec_at;
use crate::routes;
use promgen_resources::api::notifying::alertmanager_config::AlertmanagerConfigSpec;
use promgen_resources::api::notifying::alertmanager_config::route::{Matcher, Route};
use promgen_resources::document::Document;
use promgen_resources::{gates, schema};
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::At;
use promgen_text::version::Version;

rules! {
    /// ## What it does
    /// Rejects an AlertmanagerConfig of v1beta1 that the operator cannot convert: from v0.91 to v0.94, an email receiver without
    /// `threading`; and a nested route with a value of another type, such as a number that a matcher compares with.
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
    UNCONVERTIBLE = "PG022" "unconvertible" Error: "a resource that the operator cannot convert to the stored version";

    /// ## What it does
    /// Finds a field of an AlertmanagerConfig of v1beta1 that the stored version does not get: the operator's conversion
    /// loses the `ttl` of Pushover before v0.95, and v1beta1 has neither `regex` of matchers nor `updateAlerts` of OpsGenie.
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
    LOST_FIELD = "PG307" "lost-in-conversion" Warning: "a field that is lost in the conversion to the stored version";
}

/// Returns whether the API server accepts a resource of v1beta1.
pub(super) fn fits(document: &Document, operator: &Version, sink: &mut Sink) -> bool {
    const NAMES: [&str; 2] = ["spec.muteTimeIntervals", "spec.timeIntervals"];
    let mut found = Sink::default();
    let fits = schema::validate_beta(&document.node, operator, document.id, &mut found);
    for mut finding in found.into_diagnostics() {
        let named = NAMES.iter().position(|name| finding.message.contains(name));
        if let Some(at) = named {
            finding.message = finding.message.replace(NAMES[at], NAMES[1 - at]);
            let name = |of: usize| NAMES[of].trim_start_matches("spec.");
            finding.help.iter_mut().for_each(|help| {
                *help = help.replace(
                    &format!("\"{}\"", name(1 - at)),
                    &format!("\"{}\", as v1beta1 calls it", name(at)),
                )
            });
            finding.fix = None;
        }
        sink.report(finding);
    }
    fits
}

/// The resource as the operator converts it. `None` if it cannot.
pub(super) fn converted(
    document: &Document,
    object: Any,
    operator: &Version,
    sink: &mut Sink,
) -> Option<Any> {
    let Any::AlertmanagerConfig(mut shared) = object else {
        return Some(object);
    };
    let config = shared.make_mut();
    without_regex(document, &mut config.spec, sink);
    if let Some(index) = config.spec.route.as_ref().and_then(unreadable) {
        let at = spec_at(document.id).key("route").key("routes").index(index);
        let message = "the operator cannot convert a route of v1beta1 with a value of another type";
        sink.report(Diagnostic::new(&UNCONVERTIBLE, at, message));
        return None;
    }
    without_updates(document, &mut config.spec, sink);
    let is_converted = convert_mails_and_phones(document, operator, &mut config.spec, sink);
    is_converted.then_some(Any::AlertmanagerConfig(shared))
}

fn receivers_of(document: &Document) -> At {
    spec_at(document.id).key("receivers")
}

fn report_lost(at: At, field: &'static str, why: &str, sink: &mut Sink) {
    sink.report(Diagnostic::new(
        &LOST_FIELD,
        at.key(field),
        format!("`{field}` has no effect: {why}"),
    ));
}

/// Converts mails and Pushover as the release does. False if the operator cannot.
fn convert_mails_and_phones(
    document: &Document,
    operator: &Version,
    spec: &mut AlertmanagerConfigSpec,
    sink: &mut Sink,
) -> bool {
    let needs_threading = gates::BETA_MAILS_NEED_THREADING.admits(operator);
    let keeps_ttl = gates::BETA_PHONES_KEEP_TTL.admits(operator);
    for (of, receiver) in spec.receivers.iter_mut().flatten().enumerate() {
        let at = receivers_of(document).index(of);
        let mails = receiver.email_configs.as_deref().unwrap_or_default();
        if let Some(index) = mails
            .iter()
            .position(|mail| needs_threading && mail.threading.is_none())
        {
            let message = "the operator cannot convert an email of v1beta1 that has no threading";
            sink.report(Diagnostic::new(
                &UNCONVERTIBLE,
                at.key("emailConfigs").index(index),
                message,
            ));
            return false;
        }
        for (index, pushover) in receiver.pushover_configs.iter_mut().flatten().enumerate() {
            if !keeps_ttl && pushover.ttl.take().is_some() {
                let at = at.clone().key("pushoverConfigs").index(index);
                report_lost(
                    at,
                    "ttl",
                    "the operator loses it in the conversion from v1beta1",
                    sink,
                );
            }
        }
    }
    true
}

/// Removes the field `updateAlerts` of OpsGenie, which only v1alpha1 has.
fn without_updates(document: &Document, spec: &mut AlertmanagerConfigSpec, sink: &mut Sink) {
    for (of, receiver) in spec.receivers.iter_mut().flatten().enumerate() {
        for (index, opsgenie) in receiver.opsgenie_configs.iter_mut().flatten().enumerate() {
            if opsgenie.update_alerts.take().is_some() {
                let at = receivers_of(document)
                    .index(of)
                    .key("opsgenieConfigs")
                    .index(index);
                report_lost(at, "updateAlerts", "v1beta1 has no such field", sink);
            }
        }
    }
}

/// The first route below a route that is not of its type, or has one below it. The schema says nothing of them, and the
/// conversion reads them.
fn unreadable(route: &Route) -> Option<usize> {
    let mut below = route.routes.iter().flatten();
    below.position(|raw| {
        !raw.0.is_null() && routes::child(&raw.0).map_or(true, |child| unreadable(&child).is_some())
    })
}

/// Removes the field `regex` of matchers, which only v1alpha1 has.
fn without_regex(document: &Document, spec: &mut AlertmanagerConfigSpec, sink: &mut Sink) {
    let at = spec_at(document.id);
    let mut remove = |list: &mut Option<Vec<Matcher>>, at: At| {
        for (index, matcher) in list.iter_mut().flatten().enumerate() {
            if matcher.regex.take().is_some() {
                let at = at.clone().index(index).key("regex");
                let message = "`regex` has no effect: v1beta1 has no such field";
                sink.report(
                    Diagnostic::new(&LOST_FIELD, at, message).help("use `matchType: \"=~\"`"),
                );
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
