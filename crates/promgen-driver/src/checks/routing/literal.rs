//! Matchers of routes that compare a regular expression as text.

use super::{Routed, finding, report};
use crate::checks::alerting::expression::is_pattern;
use promgen_prometheus::routing::Alert;
use promgen_prometheus::routing::matcher::{AlertMatcher, MatchOperator};
use promgen_text::diag::{Sink, rule};

rule! {
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
    pub(in crate::checks) static LITERAL_PATTERN = "PG618" "literal-pattern" {
        summary: "a matcher of a route that compares a regular expression as text", level: Warning, since: "0.1.0",
    }
}

/// Checks the matchers of an Alertmanager.
pub(super) fn check(routed: &Routed<'_>, alerts: &[Alert], sink: &mut Sink) {
    let literal = |matcher: &&AlertMatcher| {
        let is_text = matches!(
            matcher.operator,
            MatchOperator::Equal | MatchOperator::NotEqual
        );
        let has = |alert: &Alert| {
            alert
                .labels
                .get(&*matcher.name)
                .is_some_and(|value| *value == *matcher.value)
        };
        is_text
            && (is_pattern(&matcher.value) || is_glob(&matcher.value))
            && !alerts.iter().any(has)
    };
    let routes = routed
        .tree
        .routes()
        .into_iter()
        .map(|(_, node, _)| (&node.matchers, &node.source, "matchers"));
    let inhibitions = routed.tree.inhibitions.iter().flat_map(|inhibition| {
        let source = &inhibition.source;
        [
            (&inhibition.inhibiting, source, "sourceMatch"),
            (&inhibition.inhibited, source, "targetMatch"),
        ]
    });
    for (matchers, source, field) in routes.chain(inhibitions) {
        for matcher in matchers.iter().filter(literal) {
            let instead = if matcher.operator == MatchOperator::Equal {
                "=~"
            } else {
                "!~"
            };
            // What alerts in the input say in clear is no secret.
            let is_public = |part: &str| {
                alerts.iter().any(|alert| {
                    alert
                        .labels
                        .get(&matcher.name)
                        .is_some_and(|value| value == part)
                })
            };
            let (message, help) = match source.is_secret && !matcher.value.split('|').all(is_public)
            {
                true => (
                    "a matcher compares a regular expression as text".to_owned(),
                    format!("write `{instead}`, or `matchType: {instead}`"),
                ),
                false => {
                    let operator = if matcher.operator == MatchOperator::Equal {
                        "="
                    } else {
                        "!="
                    };
                    let (name, value) = (&matcher.name, &matcher.value);
                    let said = format!(
                        "`{name}{operator}{value:?}` compares with the text: it is no regular expression here"
                    );
                    let value = if is_glob(value) {
                        value.replace('*', ".*")
                    } else {
                        value.clone()
                    };
                    (
                        said,
                        format!("write `{name}{instead}{value:?}`, or `matchType: {instead}`"),
                    )
                }
            };
            report(
                sink,
                finding(&LITERAL_PATTERN, source, |at| at.key(field), message)
                    .map(|found| found.help(help)),
            );
        }
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
