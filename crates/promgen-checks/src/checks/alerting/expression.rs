//! Expressions that Prometheus evaluates and that cannot give what is meant.

use crate::checks::relabeling::group;
use promgen_compile::cluster::Object;
use promgen_compile::select::REJECTED;
use promgen_model::lineage::server::kept_labels;
use promgen_model::rule_groups::{PlacedRule, rules};
use promgen_prometheus::promql::{self, ExprKind, Features, LabelMatcher, NodeId, Tree, Validity};
use promgen_resources::api::PrometheusRule;
use promgen_resources::unknown::is_later_text;
use promgen_text::diag::{Diagnostic, Level, Place, Sink, rules};
use promgen_text::go::unquote::unquote;
use promgen_text::route::At;
use promgen_text::yaml::StringMap;

rules! {
    /// ## What it does
    /// Finds quantiles above 1 or below 0, and `histogram_quantile` of an expression that drops the label `le`.
    ///
    /// ## Why is this bad?
    /// A quantile above 1 is infinite, and one below 0 is minus infinity: an alert on it fires always, or never. Without `le`,
    /// the buckets of a classic histogram are no buckets, and the quantile is empty.
    ///
    /// False positives: a native histogram has no `le`. An expression whose metrics end in `_bucket` is a classic one.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {alert: Slow, expr: "histogram_quantile(0.99, sum(rate(cart_seconds_bucket[5m]))) > 1"}
    /// ```
    /// Use instead: an aggregation that keeps the label.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {alert: Slow, expr: "histogram_quantile(0.99, sum by (le) (rate(cart_seconds_bucket[5m]))) > 1"}
    /// ```
    FUTILE_QUANTILE = "PG607" "futile-quantile" Warning: "a quantile that is always infinite or empty";

    /// ## What it does
    /// Finds matchers of expressions that compare with `=` or `!=`, and whose value is written like a regular expression:
    /// with `.*`, `.+`, `|`, `[0-9]` or an anchor, or as a class of status codes such as `5..`; and names of Kubernetes' objects with
    /// characters that no such name has, such as `pod="cart-*"`.
    ///
    /// ## Why is this bad?
    /// `=` compares with the text itself. No series has such a value, so the expression is empty and the alert never fires.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {alert: Down, expr: 'up{job="cart.*"} == 0'}
    /// ```
    /// Use instead: `=~`.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {alert: Down, expr: 'up{job=~"cart.*"} == 0'}
    /// ```
    PATTERN_AS_TEXT = "PG608" "pattern-as-text" Warning: "a matcher that compares a regular expression as text";

    /// ## What it does
    /// Finds alerts with an annotation `severity` and no label of that name.
    ///
    /// ## Why is this bad?
    /// Routes match labels. An annotation is text for the notification alone, so the route for the severity does not take the
    /// alert.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {alert: Down, expr: up == 0, annotations: {severity: page}}
    /// ```
    /// Use instead: a label.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {alert: Down, expr: up == 0, labels: {severity: page}}
    /// ```
    SEVERITY_ANNOTATION = "PG609" "severity-annotation" Warning: "a severity among the annotations of an alert";
}

/// Returns whether a text is written like a regular expression.
pub(in crate::checks) fn is_pattern(text: &str) -> bool {
    let inner = text.trim_start_matches('^').trim_end_matches('$');
    let is_alternative =
        inner.contains('|') && inner.split('|').all(|part| !part.trim().is_empty());
    let signs = [
        ".*", ".+", "[0-9]", "[1-9]", "[a-z", "[A-Z", "[^", "\\d+", "\\d{", "\\d\\d", "\\w+", "(?",
        "]..",
    ];
    let is_anchored = inner.len() < text.len() && text.starts_with('^') && !inner.is_empty();
    // A class of status codes: `5..`, `50.`
    let class = inner.trim_matches(['(', ')']);
    let is_class = class.len() == 3
        && class.ends_with('.')
        && matches!(class.as_bytes(), [b'1'..=b'5', b'0'..=b'9' | b'.', _]);
    signs.iter().any(|sign| text.contains(sign))
        || is_anchored
        || is_class
        || (is_alternative && !inner.contains(' '))
}

/// Labels that hold the names of Kubernetes' objects, which have letters, digits, `-` and `.` alone.
const OF_OBJECTS: &[&str] = &[
    "container",
    "daemonset",
    "deployment",
    "namespace",
    "node",
    "persistentvolumeclaim",
    "pod",
    "statefulset",
];

/// Returns whether a label of objects has a value that is written as a pattern for their names.
fn is_pattern_of_names(label: &str, value: &str) -> bool {
    let is_open = value.contains(['$', '{']);
    OF_OBJECTS.contains(&label) && !is_open && value.contains(['*', '?', '[', '(', '+', '|', '^'])
}

/// Checks the expressions of a resource that no workload reads.
pub(super) fn unread(resource: &Object<PrometheusRule>, sink: &mut Sink) {
    // Whatever a server may turn on is fine.
    let features = Features {
        experimental_functions: true,
        fill_modifiers: true,
        duration_expressions: true,
        extended_selectors: true,
        is_3_14: true,
        is_newer: true,
    };
    for PlacedRule { at, rule, .. } in rules(resource.doc, &resource.value) {
        let text = rule.expr.to_string();
        let Validity::Invalid(fault) = promql::check(&text, features) else {
            continue;
        };

        let name = rule
            .alert
            .as_deref()
            .or(rule.record.as_deref())
            .unwrap_or_default();
        let message = format!("the expression of {name} is no PromQL: {}", fault.message);
        let finding = Diagnostic::new(
            &REJECTED,
            Place::Within(at.key("expr"), fault.span),
            message,
        )
        .level(Level::Warning);
        let is_logql = ["|=", "|~", "| json", "| logfmt", "!~ `"]
            .iter()
            .any(|sign| text.contains(sign));
        let finding = fault
            .help
            .into_iter()
            .filter(|_| !is_logql)
            .fold(finding, Diagnostic::help);
        sink.report(finding.help(match is_logql {
            true => "it looks like LogQL: the admission webhook refuses it in a PrometheusRule, as no workload in the input selects it",
            false => "the admission webhook refuses it, though no workload in the input selects the rule",
        }));
    }
}

/// Checks the expressions of a resource.
pub(super) fn check(resource: &Object<PrometheusRule>, sink: &mut Sink) {
    for PlacedRule { at, group, rule } in rules(resource.doc, &resource.value) {
        let has = |labels: &Option<StringMap>| {
            labels
                .as_ref()
                .is_some_and(|labels| labels.contains_key("severity"))
        };
        if rule.alert.is_some()
            && has(&rule.annotations)
            && !has(&rule.labels)
            && !has(&group.labels)
        {
            let at = at.clone().key("annotations").key("severity");
            let message = "`severity` is an annotation: routes match labels, and the alert has no label of that name";
            sink.report(
                Diagnostic::new(&SEVERITY_ANNOTATION, at, message).help("write it below `labels`"),
            );
        }
        let text = rule.expr.to_string();
        if let Some(tree) = promql::parse(&text) {
            expression(&tree, &text, &at.key("expr"), sink);
        }
    }
}

fn expression(tree: &Tree, text: &str, at: &At, sink: &mut Sink) {
    for node in tree.nodes() {
        match &node.kind {
            ExprKind::Selector(selector) => {
                let matchers = selector.matchers.iter();
                sink.extend(matchers.filter_map(|matcher| compared(matcher, at)));
            }
            ExprKind::Call(call)
                if matches!(
                    call.function.name,
                    "histogram_quantile" | "quantile_over_time"
                ) =>
            {
                let first = call.arguments.first().copied();
                first
                    .into_iter()
                    .for_each(|argument| quantile(tree, text, argument, at, sink));
                if call.function.name == "histogram_quantile"
                    && let Some(buckets) = call.arguments.get(1)
                {
                    lacks_le(tree, text, *buckets, at, sink);
                }
            }
            ExprKind::Call(call) if call.function.name == "label_replace" => {
                let written = |at: usize| {
                    let span = tree.node(*call.arguments.get(at)?).span.clone();
                    String::from_utf8(unquote(text.get(span)?.trim())?).ok()
                };
                if let Some((pattern, replacement)) = written(4).zip(written(2))
                    && !is_later_text(&pattern)
                {
                    let place = Place::Within(at.clone(), node.span.clone());
                    let is_number = |name: &str| name.starts_with(|c: char| c.is_ascii_digit());
                    sink.extend(group::faults(&pattern, &replacement, &place, is_number));
                }
            }
            ExprKind::Aggregate(aggregate) if aggregate.operator == "quantile" => {
                aggregate
                    .parameter
                    .into_iter()
                    .for_each(|argument| quantile(tree, text, argument, at, sink));
            }
            _ => {}
        }
    }
}

fn compared(
    LabelMatcher {
        label,
        operator,
        value,
    }: &LabelMatcher,
    at: &At,
) -> Option<Diagnostic> {
    let instead = match *operator {
        "=" => "=~",
        "!=" => "!~",
        _ => return None,
    };
    let is_of_names = is_pattern_of_names(label, value);
    (is_pattern(value) || is_of_names).then(|| {
        let pattern = match is_pattern(value) {
            true => value.clone(),
            false => value.replace('*', ".*"),
        };
        let message = format!(
            "`{label}{operator}{value:?}` compares with the text: it is no regular expression here"
        );
        Diagnostic::new(&PATTERN_AS_TEXT, at.clone(), message)
            .help(format!("write `{label}{instead}{pattern:?}`"))
    })
}

fn quantile(tree: &Tree, text: &str, argument: NodeId, at: &At, sink: &mut Sink) {
    let written = text
        .get(tree.node(argument).span.clone())
        .unwrap_or_default()
        .trim();
    let Ok(number) = written.parse::<f64>() else {
        return;
    };
    if (0.0..=1.0).contains(&number) || number.is_nan() {
        return;
    }
    let what = if number > 1.0 { "+Inf" } else { "-Inf" };
    let help = match (2.0..=100.0).contains(&number) {
        true => format!("write `{}`", number / 100.0),
        false => "write a number from 0 to 1".to_owned(),
    };
    let message =
        format!("the quantile {written} is not between 0 and 1: the result is always {what}");
    sink.report(Diagnostic::new(&FUTILE_QUANTILE, at.clone(), message).help(help));
}

/// Reports an aggregation of classic buckets that drops their bounds.
fn lacks_le(tree: &Tree, text: &str, buckets: NodeId, at: &At, sink: &mut Sink) {
    let node = tree.node(buckets);
    let Some(part) = text.get(node.span.clone()) else {
        return;
    };
    let selectors = tree.selectors(node);
    let are_classic = !selectors.is_empty()
        && selectors.iter().all(|selector| {
            selector
                .name
                .as_ref()
                .is_some_and(|name| name.ends_with("_bucket"))
        });
    if are_classic && kept_labels(part).is_some_and(|kept| !kept.has("le")) {
        let message = "`histogram_quantile` needs the label `le` of the buckets: the aggregation drops it, so the result is empty";
        sink.report(
            Diagnostic::new(&FUTILE_QUANTILE, at.clone(), message)
                .help("keep it: `sum by (le, …)`"),
        );
    }
}
