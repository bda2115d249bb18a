//! Texts of alerts whose template cannot work.

use promgen_compile::cluster::Object;
use promgen_model::rule_groups::{PlacedRule, rules};
use promgen_resources::api::PrometheusRule;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::go::template::reads_alert;
use promgen_text::go::template::types::{self, TemplateData, TemplateMistake, TemplateType};
use promgen_text::suggest;

rules! {
    /// ## What it does
    /// Finds labels and annotations of alerts whose template cannot work: fields that there are not, such as `.labels` or those of
    /// Alertmanager's templates, comparisons of a number with a fraction and a whole one, verbs of `printf` for another type, and
    /// variables outside of `{{ }}`.
    ///
    /// ## Why is this bad?
    /// Prometheus loads the rule. When the alert fires, the text is an error message, or not what was meant.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: cart
    ///     rules:
    ///     - alert: CartDown
    ///       expr: up{job="cart"} == 0
    ///       annotations: {summary: "{{ .labels.instance }} is down"}
    /// ```
    /// Use instead: `$labels`, or `.Labels`.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: cart
    ///     rules:
    ///     - alert: CartDown
    ///       expr: up{job="cart"} == 0
    ///       annotations: {summary: "{{ $labels.instance }} is down"}
    /// ```
    UNKNOWN_TEMPLATE_FIELD = "PG629" "unknown-template-field" Warning: "the text of an alert whose template cannot work";
}

static UNKNOWN: TemplateType = TemplateType::Unknown;
static FLOAT: TemplateType = TemplateType::Float;
static TEXT: TemplateType = TemplateType::Text;
static LABELS: TemplateType = TemplateType::Map(&[]);
static SAMPLE: TemplateType = TemplateType::Struct(&[("Labels", &LABELS), ("Value", &FLOAT)]);
static SAMPLES: TemplateType = TemplateType::List(&SAMPLE, &[]);
static ROOT: TemplateType = TemplateType::Struct(&[
    ("Labels", &LABELS),
    ("Value", &FLOAT),
    ("ExternalLabels", &LABELS),
    ("ExternalURL", &TEXT),
]);

/// What the template of a rule is given, and its functions. Prometheus: `AlertTemplateData`.
const DATA: TemplateData = TemplateData {
    root: &ROOT,
    variables: &[
        ("$labels", &LABELS),
        ("$value", &FLOAT),
        ("$externalLabels", &LABELS),
        ("$externalURL", &TEXT),
    ],
    functions: &[
        ("args", &UNKNOWN),
        ("first", &SAMPLE),
        ("graphLink", &TEXT),
        ("humanize", &TEXT),
        ("humanize1024", &TEXT),
        ("humanizeDuration", &TEXT),
        ("humanizePercentage", &TEXT),
        ("label", &TEXT),
        ("query", &SAMPLES),
        ("reReplaceAll", &TEXT),
        ("sortByLabel", &SAMPLES),
        ("stripPort", &TEXT),
        ("strvalue", &TEXT),
        ("tableLink", &TEXT),
        ("title", &TEXT),
        ("toLower", &TEXT),
        ("toUpper", &TEXT),
        ("value", &FLOAT),
    ],
};

/// What Alertmanager gives to the templates of notifications, and Prometheus to none of a rule.
const OF_NOTIFICATIONS: [&str; 13] = [
    "Alerts",
    "Annotations",
    "CommonAnnotations",
    "CommonLabels",
    "EndsAt",
    "Fingerprint",
    "Firing",
    "GeneratorURL",
    "GroupLabels",
    "Receiver",
    "Resolved",
    "StartsAt",
    "Status",
];

/// What charts and other engines give to theirs: the text is to be rendered still.
const OF_ENGINES: [&str; 8] = [
    "Capabilities",
    "Chart",
    "Env",
    "Files",
    "Release",
    "Subcharts",
    "Template",
    "Values",
];

/// Checks a resource.
pub(super) fn check(resource: &Object<PrometheusRule>, sink: &mut Sink) {
    for PlacedRule { at, rule, .. } in rules(resource.doc, &resource.value) {
        if rule.record.as_ref().is_some_and(|name| !name.is_empty()) {
            continue;
        }
        for (what, texts) in [("labels", &rule.labels), ("annotations", &rule.annotations)] {
            for (name, text) in texts.iter().flatten() {
                let Some((message, help)) = fault(text) else {
                    continue;
                };
                let at = at.clone().key(what).key(name.clone());
                sink.report(Diagnostic::new(&UNKNOWN_TEMPLATE_FIELD, at, message).helps(help));
            }
        }
    }
}

/// The first mistake of a text, with the fix.
fn fault(text: &str) -> Option<(String, Option<String>)> {
    if !text.contains("{{") && !text.contains('$') {
        return None;
    }
    let ends = "the text is an error message when the alert fires";
    let worded = |mistake| match mistake {
        TemplateMistake::Fails { what, help } => Some((format!("{what}: {ends}"), help)),
        TemplateMistake::Prints { what, help } => Some((what, help)),
        TemplateMistake::Field {
            name,
            known,
            is_followed,
        } => {
            let help = field_help(text, &name, &known, is_followed)?;
            Some((format!("there is no field `.{name}`: {ends}"), Some(help)))
        }
    };
    types::mistakes(text, &DATA).into_iter().find_map(worded)
}

/// What to write instead of a field. `None` if the field may be one that another engine fills in.
fn field_help(text: &str, name: &str, known: &[&str], is_followed: bool) -> Option<String> {
    if OF_ENGINES.contains(&name) {
        return None;
    }
    if known.is_empty() {
        return Some("a label or a value has no fields".to_owned());
    }
    let is_certain = is_followed && name.len() > 3
        || name.starts_with(|c: char| c.is_ascii_uppercase())
        || reads_alert(text);
    let meant = known.iter().find(|field| {
        field.eq_ignore_ascii_case(name) || is_certain && suggest::is_slip(name, field)
    });
    if let Some(meant) = meant {
        return Some(format!(
            "write `.{meant}`, or its variable such as `$labels`"
        ));
    }
    match name {
        "CommonLabels" | "GroupLabels" => Some(format!(
            "write `$labels`: `.{name}` is for the templates of notifications"
        )),
        "Annotations" | "CommonAnnotations" => {
            Some("the template of a rule reads no annotations: write the text itself".to_owned())
        }
        _ if OF_NOTIFICATIONS.contains(&name) => Some(format!(
            "a rule has `$labels`, `$value`, `$externalLabels` and `$externalURL`: `.{name}` is for the templates of \
             notifications"
        )),
        _ if reads_alert(text) => Some(match name.starts_with(|c: char| c.is_ascii_lowercase()) {
            true => format!("write `$labels.{name}`"),
            false => {
                "a rule has `$labels`, `$value`, `$externalLabels` and `$externalURL`".to_owned()
            }
        }),
        _ => None,
    }
}
