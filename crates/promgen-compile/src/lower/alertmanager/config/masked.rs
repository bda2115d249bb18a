//! Secrets that the operator masks where it writes a configuration anew, so that they are lost.

use crate::cluster::assets::{ContentCheck, ContentFault};
use crate::lower::alertmanager::merge::Merged;
use crate::lower::alertmanager::{AlertmanagerContext, shape};
use crate::paths::name_at;
use crate::receivers::GLOBAL;
use crate::receivers::table::shape::KeyType;
use promgen_resources::gates;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::go::{host, url};
use promgen_text::route::ValueRoute;
use promgen_text::version::Version;
use promgen_text::yaml::{Map, Value};

rules! {
    /// ## What it does
    /// Finds a secret that the operator replaces by asterisks of its own: the password in a URL of the global settings of
    /// an Alertmanager, which becomes `xxxxx`, and the `secrets` of `http_headers`, which become `<secret>`.
    ///
    /// ## Why is this bad?
    /// The operator reads a configuration into types that mask their secrets when they are written. Once it adds
    /// AlertmanagerConfigs to a configuration, or makes it from global settings, the secret is lost: Alertmanager sends
    /// the mask instead, and is refused by whom it notifies.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main}
    /// spec:
    ///   alertmanagerConfigSelector: {}
    /// ---
    /// apiVersion: v1
    /// kind: Secret
    /// metadata: {name: alertmanager-main}
    /// stringData:
    ///   alertmanager.yaml: |
    ///     global: {pagerduty_url: "https://alerts:s3cret@pager.example.com/"}
    ///     route: {receiver: nobody}
    ///     receivers: [{name: nobody}]
    /// ```
    /// Use instead: the URL in each receiver, which the operator writes as it is.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main}
    /// spec:
    ///   alertmanagerConfigSelector: {}
    /// ---
    /// apiVersion: v1
    /// kind: Secret
    /// metadata: {name: alertmanager-main}
    /// stringData:
    ///   alertmanager.yaml: |
    ///     route: {receiver: pager}
    ///     receivers:
    ///     - name: pager
    ///       pagerduty_configs:
    ///       - {routing_key: abc, url: "https://alerts:s3cret@pager.example.com/"}
    /// ```
    MASKED_SECRET = "PG308" "masked-secret" Warning: "a secret that the operator replaces by a mask";
}

/// Reports the secrets that are masked in a configuration.
pub(super) fn report(
    am: &AlertmanagerContext<'_>,
    linked: &Version,
    merged: &Merged,
    sink: &mut Sink,
) {
    let mut found = Vec::new();
    if let Some(global) = merged.root.get("global").and_then(Value::as_map) {
        urls(am, linked, global, &mut found);
    }
    headers(
        &ValueRoute::root(),
        &Value::Map(merged.root.clone()),
        &mut found,
    );
    for route in found {
        let at = merged.place(&route).unwrap_or_else(|| name_at(am.doc));
        let is_hidden = merged.hides(&at);
        let message = format!(
            "the operator writes a mask in place of the secret in `{route}`, which is lost"
        );
        let finding = Diagnostic::new(&MASKED_SECRET, at, message);
        sink.report(if is_hidden { finding.secret() } else { finding });
    }
}

/// Writes URLs and addresses as the package of Alertmanager does that the operator is built with.
pub(super) fn write(root: &mut Map, linked: &Version) {
    if gates::AM_MASKED_URLS.admits(linked) {
        mask_urls(root);
    }
    if !gates::AM_BRACKETED_HOSTS.admits(linked) {
        drop_brackets(root);
    }
}

/// Masks the passwords in the URLs of the global settings.
pub(super) fn mask_urls(root: &mut Map) {
    let Some(global) = root.get_mut("global").and_then(Value::as_map_mut) else {
        return;
    };
    for field in GLOBAL
        .keys
        .iter()
        .filter(|field| matches!(field.kind, KeyType::GlobalUrl))
    {
        if let Some(Value::Str(text)) = global.get_mut(field.key)
            && let Some(masked) = url::redacted(text)
        {
            *text = masked.into();
        }
    }
}

/// Drops the brackets around the IPv6 addresses of mail servers.
fn drop_brackets(root: &mut Map) {
    let drop_in = |part: &mut Map, key: &str| {
        if let Some(Value::Str(text)) = part.get_mut(key)
            && let Some((host, port)) = host::split(text)
        {
            *text = format!("{host}:{port}").into();
        }
    };
    if let Some(global) = root.get_mut("global").and_then(Value::as_map_mut) {
        drop_in(global, "smtp_smarthost");
    }
    let Some(Value::Seq(receivers)) = root.get_mut("receivers") else {
        return;
    };
    for receiver in receivers.iter_mut().filter_map(Value::as_map_mut) {
        let Some(Value::Seq(mails)) = receiver.get_mut("email_configs") else {
            continue;
        };
        mails
            .iter_mut()
            .filter_map(Value::as_map_mut)
            .for_each(|mail| drop_in(mail, "smarthost"));
    }
}

/// The URLs of the global settings that have a password.
fn urls(am: &AlertmanagerContext<'_>, linked: &Version, global: &Map, found: &mut Vec<ValueRoute>) {
    for field in GLOBAL
        .keys
        .iter()
        .filter(|field| matches!(field.kind, KeyType::GlobalUrl))
    {
        let is_masked = match global.get(field.key) {
            Some(Value::Str(text)) => text.contains(url::MASK),
            Some(Value::StandIn(_)) if !gates::AM_MASKED_URLS.admits(linked) => false,
            Some(Value::StandIn(placeholder)) => am
                .assets
                .check_hidden(placeholder, has_no_password)
                .is_err(),
            _ => false,
        };
        if is_masked {
            found.push(ValueRoute::root().key("global").key(field.key));
        }
    }
}

/// Returns whether a URL is written as it is.
fn has_no_password(bytes: &[u8]) -> ContentCheck {
    let is_masked =
        url::redacted(&String::from_utf8_lossy(bytes)).is_some_and(|text| text.contains(url::MASK));
    if is_masked {
        Err(ContentFault::plain("the URL has a password"))
    } else {
        Ok(())
    }
}

/// The headers with secrets in all clients.
fn headers(route: &ValueRoute, value: &Value, found: &mut Vec<ValueRoute>) {
    match value {
        Value::Map(map) => {
            for (key, value) in map.iter() {
                let route = route.clone().key(key.to_string());
                match &**key {
                    "http_headers" => secrets(&route, value, found),
                    _ => headers(&route, value, found),
                }
            }
        }
        Value::Seq(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, item)| headers(&route.clone().index(index), item, found));
        }
        _ => {}
    }
}

fn secrets(route: &ValueRoute, value: &Value, found: &mut Vec<ValueRoute>) {
    for (name, header) in value.as_map().into_iter().flat_map(Map::iter) {
        let secrets = header.items_of("secrets");
        if secrets
            .iter()
            .any(|secret| secret.as_str() == Some(shape::MASK))
        {
            found.push(route.clone().key(name.to_string()).key("secrets"));
        }
    }
}
