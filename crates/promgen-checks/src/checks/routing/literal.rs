//! Matchers of routes that compare a regular expression as text.

use super::Routed;
use crate::checks::alerting::expression::is_pattern;
use promgen_prometheus::routing::Alert;
use promgen_prometheus::routing::matcher::{AlertMatcher, MatchOperator};
use promgen_text::diag::{Sink, rules};

rules! {
    /// ## What it does
    /// Finds matchers of routes and inhibit rules that compare with `=` or `!=`, and whose value is written like a regular
    /// expression: with `.*`, `.+` or `|`. Not reported if an alert in the input has exactly that value.
    ///
    /// ## Why is this bad?
    /// `=` compares with the text itself: the route takes no alert.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main}
    /// spec: {}
    /// ---
    /// apiVersion: v1
    /// kind: Secret
    /// metadata: {name: alertmanager-main}
    /// stringData:
    ///   alertmanager.yaml: |
    ///     route:
    ///       receiver: chat
    ///       routes:
    ///       - {receiver: chat, matchers: ['severity = "warning|info"']}
    ///     receivers:
    ///     - {name: chat, webhook_configs: [{url: "http://chat.shop/"}]}
    /// ```
    /// Use instead: `=~`.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main}
    /// spec: {}
    /// ---
    /// apiVersion: v1
    /// kind: Secret
    /// metadata: {name: alertmanager-main}
    /// stringData:
    ///   alertmanager.yaml: |
    ///     route:
    ///       receiver: chat
    ///       routes:
    ///       - {receiver: chat, matchers: ['severity =~ "warning|info"']}
    ///     receivers:
    ///     - {name: chat, webhook_configs: [{url: "http://chat.shop/"}]}
    /// ```
    LITERAL_PATTERN = "PG618" "literal-pattern" Warning: "a matcher of a route that compares a regular expression as text";
}

/// Checks the matchers of an Alertmanager.
pub(super) fn check(routed: &Routed<'_>, alerts: &[Alert], sink: &mut Sink) {
    for placed in routed.matchers() {
        let AlertMatcher { name, value, .. } = placed.matcher;
        let (operator, instead) = match placed.matcher.operator {
            MatchOperator::Equal => ("=", "=~"),
            MatchOperator::NotEqual => ("!=", "!~"),
            MatchOperator::Matches | MatchOperator::MatchesNot => continue,
        };
        // What alerts in the input say in clear is no secret.
        let is_public = |value: &str| {
            alerts
                .iter()
                .any(|alert| alert.labels.get(name).is_some_and(|own| own == value))
        };
        if !(is_pattern(value) || is_glob(value)) || is_public(value) {
            continue;
        }
        let (message, help) = match placed.source.is_secret && !value.split('|').all(is_public) {
            true => (
                "a matcher compares a regular expression as text".to_owned(),
                format!("write `{instead}`, or `matchType: {instead}`"),
            ),
            false => {
                let pattern = if is_glob(value) {
                    value.replace('*', ".*")
                } else {
                    value.clone()
                };
                (
                    format!(
                        "`{name}{operator}{value:?}` compares with the text: it is no regular expression here"
                    ),
                    format!("write `{name}{instead}{pattern:?}`, or `matchType: {instead}`"),
                )
            }
        };
        let found = placed.finding(&LITERAL_PATTERN, message);
        sink.extend(found.map(|found| found.help(help)));
    }
}

/// Returns whether a text is written like a name with `*` for any text.
fn is_glob(text: &str) -> bool {
    let name = text.trim_matches('*');
    name.len() < text.len()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}
