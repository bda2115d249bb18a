//! What Alertmanager gives to the templates of notifications.
//!
//! In: a valid template. Out: the first field that it asks for and there is not, or the first comparison that fails.

use super::SCOPE;
use promgen_text::go::template;
use promgen_text::go::template::types::{self, TemplateData, TemplateMistake, TemplateType};
use promgen_text::suggest;

/// An error of a template, with the fix.
type Mistake = (Option<String>, String);

static UNKNOWN: TemplateType = TemplateType::Unknown;
static TEXT: TemplateType = TemplateType::Text;
static TEXTS: TemplateType = TemplateType::List(&TEXT, &[]);
static PAIR: TemplateType = TemplateType::Struct(&[("Name", &TEXT), ("Value", &TEXT)]);
static PAIRS: TemplateType = TemplateType::List(
    &PAIR,
    &[("Names", &TEXTS), ("Values", &TEXTS), ("String", &TEXT)],
);
static LABELS: TemplateType = TemplateType::Map(&[
    ("Names", &TEXTS),
    ("Remove", &LABELS),
    ("SortedPairs", &PAIRS),
    ("String", &TEXT),
    ("Values", &TEXTS),
]);
static ALERT: TemplateType = TemplateType::Struct(&[
    ("Annotations", &LABELS),
    ("EndsAt", &UNKNOWN),
    ("Fingerprint", &TEXT),
    ("GeneratorURL", &TEXT),
    ("Labels", &LABELS),
    ("StartsAt", &UNKNOWN),
    ("Status", &TEXT),
]);
static ALERTS: TemplateType =
    TemplateType::List(&ALERT, &[("Firing", &ALERTS), ("Resolved", &ALERTS)]);
static ROOT: TemplateType = TemplateType::Struct(&[
    ("Alerts", &ALERTS),
    ("CommonAnnotations", &LABELS),
    ("CommonLabels", &LABELS),
    ("ExternalURL", &TEXT),
    ("GroupLabels", &LABELS),
    ("NotificationReason", &UNKNOWN),
    ("Receiver", &TEXT),
    ("Status", &TEXT),
]);

/// The data of a notification, and Alertmanager's functions. Alertmanager: `template.Data`.
const DATA: TemplateData = TemplateData {
    root: &ROOT,
    variables: &[],
    functions: &[
        ("humanizeDuration", &TEXT),
        ("join", &TEXT),
        ("reReplaceAll", &TEXT),
        ("title", &TEXT),
        ("toLower", &TEXT),
        ("toUpper", &TEXT),
        ("trimSpace", &TEXT),
    ],
};

/// The fields of what Alertmanager gives to templates: of the whole, of an alert, and of a pair.
const FIELDS: [&str; 18] = [
    "Alerts",
    "Annotations",
    "CommonAnnotations",
    "CommonLabels",
    "EndsAt",
    "ExternalURL",
    "Fingerprint",
    "Firing",
    "GeneratorURL",
    "GroupLabels",
    "Labels",
    "Name",
    "Names",
    "Receiver",
    "Resolved",
    "SortedPairs",
    "StartsAt",
    "Status",
];

/// Methods and fields that are no field's slip.
const OTHER_FIELDS: [&str; 4] = ["Value", "Values", "Remove", "NotificationReason"];

/// The remedy for an error of the syntax. The variables of rules have another name here.
pub(super) fn advice(error: &str) -> Option<String> {
    let variable = error.strip_prefix("undefined variable ");
    match variable.map(|name| name.trim_matches('"')) {
        Some("$labels") => Some("write `.CommonLabels` for what all alerts share, or `.Labels` in `{{ range .Alerts }}`".to_owned()),
        Some("$value") => Some("only the templates of rules have it: put it into an annotation of the alert".to_owned()),
        _ => template::advice(error, SCOPE),
    }
}

/// A field in another spelling than any value has it.
pub(super) fn misspelt(text: &str) -> Option<String> {
    let (field, meant) = template::misspelt(text, &FIELDS, &OTHER_FIELDS)?;
    Some(format!(
        "can't evaluate field {field}: did you mean {meant}?"
    ))
}

/// The first mistake of a text that is given the data of a notification.
pub(super) fn mistake(text: &str) -> Option<Mistake> {
    let worded = |mistake| match mistake {
        TemplateMistake::Fails { what, help } => Some((help, what)),
        // The notification is sent.
        TemplateMistake::Prints { .. } => None,
        TemplateMistake::Field { name, known, .. } => {
            let help = field_help(&name, &known)?;
            Some((Some(help), format!("can't evaluate field {name}")))
        }
    };
    let found = types::mistakes(text, &DATA).into_iter().find_map(worded);
    found.or_else(|| Some((None, misspelt(text)?)))
}

/// What to write instead of a field. `None` if a later Alertmanager may have it, or another engine fill it in.
fn field_help(name: &str, known: &[&str]) -> Option<String> {
    let is_root = known.contains(&"CommonLabels");
    let is_alert = known.contains(&"Fingerprint");
    if known.is_empty() {
        return Some("a text has no fields".to_owned());
    }
    let is_of = |of: &TemplateType| matches!(of, TemplateType::Struct(of) if of.iter().any(|(own, _)| *own == name));
    match name {
        "Labels" if is_root => Some(
            "write `.CommonLabels` for what all alerts share, or `{{ range .Alerts }}` around it".to_owned(),
        ),
        "Annotations" if is_root => Some(
            "write `.CommonAnnotations` for what all alerts share, or `{{ range .Alerts }}` around it".to_owned(),
        ),
        _ if is_root && is_of(&ALERT) => Some(format!(
            "an alert has it: write `{{{{ range .Alerts }}}}{{{{ .{name} }}}}{{{{ end }}}}`"
        )),
        _ if is_alert && is_of(&ROOT) => Some(format!("write `$.{name}`: an alert does not have it")),
        "Value" | "ExternalLabels" if is_root || is_alert => Some(format!(
            "the templates of rules have `.{name}`: put it into an annotation of the alert"
        )),
        _ if FIELDS.contains(&name) => {
            Some(format!("the value has {}", of_these(known)))
        }
        _ => {
            let is_slip = |field: &&&str| name.len() > 3 && suggest::is_slip(name, field);
            let meant = known.iter().find(is_slip)?;
            name.starts_with(|c: char| c.is_ascii_uppercase())
                .then(|| format!("did you mean `.{meant}`?"))
        }
    }
}

/// Fields, as they are written.
fn of_these(known: &[&str]) -> String {
    let fields: Vec<String> = known.iter().map(|name| format!("`.{name}`")).collect();
    fields.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_those_of_the_whole_or_of_an_alert() {
        for (text, help) in [
            ("{{ .Labels.alertname }}", "`.CommonLabels`"),
            (
                "{{ if .Status }}{{ .Annotations.summary }}{{ end }}",
                "`.CommonAnnotations`",
            ),
            ("{{ .StartsAt }}", "range .Alerts"),
            (
                "{{ range .Alerts }}{{ .CommonLabels.a }}{{ end }}",
                "`$.CommonLabels`",
            ),
            ("{{ (index .Alerts 0).ExternalURL }}", "`$.ExternalURL`"),
            (
                "{{ range .Alerts.Firing }}{{ .Value }}{{ end }}",
                "annotation",
            ),
            (
                "{{ range .CommonLabels.SortedPairs }}{{ .Labels }}{{ end }}",
                "`.Name`, `.Value`",
            ),
            ("{{ .CommonLabels.app.name }}", "no fields"),
            ("{{ .Alerts.Labels.a }}", "`.Firing`, `.Resolved`"),
            ("{{ if gt .Alerts.Firing 0 }}a{{ end }}", "`len`"),
            ("{{ if eq .CommonLabels.code 500 }}a{{ end }}", "`\"500\"`"),
        ] {
            let found = mistake(text);
            let told = found.as_ref().and_then(|(told, _)| told.as_deref());
            assert!(
                told.is_some_and(|told| told.contains(help)),
                "{text}: {found:?}"
            );
        }
        for text in [
            "{{ .CommonLabels.alertname }} {{ .GroupLabels.SortedPairs.Values | join \" \" }}",
            "{{ range .Alerts }}{{ .Labels.a }}{{ .Status }}{{ .StartsAt.Format \"a\" }}{{ $.Receiver }}{{ end }}",
            "{{ range .Alerts.Firing }}{{ range .Labels.SortedPairs }}{{ .Name }}={{ .Value }}{{ end }}{{ end }}",
            "{{ .Alerts.Firing | len }}{{ if gt (len .Alerts) 1 }}s{{ end }}",
            "{{ define \"a\" }}{{ .Labels.a }}{{ end }}{{ template \"a\" (index .Alerts 0) }}",
            "{{ with .CommonAnnotations }}{{ .summary }}{{ .Labels }}{{ end }}",
            "{{ (.CommonLabels.Remove (stringSlice \"a\")).Names }}",
            "{{ .cluster }} {{ .FutureField }} {{ (index .Alerts 0).Later }}",
            "{{ .Alerts | toJson }} {{ .NotificationReason }} {{ $labels.a }}",
        ] {
            assert_eq!(mistake(text), None, "{text}");
        }
    }
}
