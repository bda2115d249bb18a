//! Checks that Prometheus loads the rules of a resource.
//!
//! Mirrors `rulefmt.Parse` on the file of the resource. Reports all faults, in the order of the resource.

use std::collections::BTreeSet;

use crate::paths::SPEC;
use crate::select::rule_files::{RuleFault, RuleTarget};
use promgen_prometheus::promql::{self, Construct, Features, Validity};
use promgen_prometheus::relabel::NameScheme;
use promgen_resources::api::scalar::{Duration, NonEmptyDuration};
use promgen_resources::api::{PrometheusRuleSpec, Rule, RuleGroup};
use promgen_text::go::duration::PromDuration;
use promgen_text::go::template;
use promgen_text::route::{Path, ValueRoute};
use promgen_text::yaml::StringMap;

/// The name under which Prometheus keeps the name of a metric.
const METRIC_NAME: &str = "__name__";

/// The functions and variables of alert templates, besides Go's own. Prometheus: `template.NewTemplateExpander`,
/// `testTemplateParsing`.
const TEMPLATE_SCOPE: template::TemplateScope<'_> = template::TemplateScope {
    functions: &[
        "args",
        "externalURL",
        "first",
        "graphLink",
        "humanize",
        "humanize1024",
        "humanizeDuration",
        "humanizePercentage",
        "humanizeTimestamp",
        "label",
        "match",
        "now",
        "parseDuration",
        "pathPrefix",
        "query",
        "reReplaceAll",
        "safeHtml",
        "sortByLabel",
        "stripDomain",
        "stripPort",
        "strvalue",
        "tableLink",
        "title",
        "toDuration",
        "toLower",
        "toTime",
        "toUpper",
        "urlQueryEscape",
        "value",
    ],
    variables: &["$externalLabels", "$externalURL", "$labels", "$value"],
};

/// The results of the checks.
#[derive(Debug, Default)]
pub(super) struct RuleFindings {
    /// The errors.
    pub(super) faults: Vec<RuleFault>,
    /// The expressions that cannot be checked.
    pub(super) unchecked: Vec<(Construct, ValueRoute)>,
}

/// Checks all groups.
pub(super) fn validate(spec: &PrometheusRuleSpec, target: RuleTarget<'_>) -> RuleFindings {
    let mut validation = RuleValidation {
        features: target.features,
        names: target.names(),
        subject: String::new(),
        checked: RuleFindings::default(),
    };
    let groups = SPEC.key("groups");
    let mut names = BTreeSet::new();
    for (index, group) in spec.groups.iter().flatten().enumerate() {
        let path = groups.index(index);
        validation.subject = format!("group {}", group.name);
        if group.name.is_empty() {
            validation.fault(&path.key("name"), "Groupname must not be empty");
        } else if !names.insert(&group.name) {
            let message = format!("groupname: \"{}\" is repeated in the same file", group.name);
            validation.fault(&path.key("name"), message);
        }
        validation.group(&path, group);
    }
    validation.checked
}

struct RuleValidation {
    features: Features,
    names: NameScheme,
    /// The rule or the group that is checked.
    subject: String,
    checked: RuleFindings,
}

impl RuleValidation {
    fn fault(&mut self, path: &Path<'_>, message: impl Into<String>) {
        let subject = self.subject.clone();
        self.checked.faults.push(RuleFault {
            subject,
            ..RuleFault::new(path.to_route(), message)
        });
    }

    fn group(&mut self, path: &Path<'_>, group: &RuleGroup) {
        // An empty interval is none; an empty offset is one that does not parse.
        let interval = group
            .interval
            .as_ref()
            .filter(|interval| !interval.as_str().is_empty());
        self.duration(&path.key("interval"), interval.map(Duration::length));
        self.duration(
            &path.key("query_offset"),
            group.query_offset.as_ref().map(Duration::length),
        );
        self.labels(&path.key("labels"), group.labels.as_ref());
        let rules = path.key("rules");
        for (index, rule) in group.rules.iter().flatten().enumerate() {
            self.rule(&rules.index(index), rule);
        }
    }

    fn rule(&mut self, path: &Path<'_>, rule: &Rule) {
        let filled = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
        let name =
            |kind: &str, name: &Option<String>| name.as_ref().map(|name| format!("{kind} {name}"));
        if let Some(subject) = name("alert", &rule.alert).or_else(|| name("record", &rule.record)) {
            self.subject = subject;
        }
        match (filled(&rule.record), filled(&rule.alert)) {
            (true, true) => self.fault(path, "only one of 'record' and 'alert' must be set"),
            (false, false) => self.fault(path, "one of 'record' or 'alert' must be set"),
            (true, false) | (false, true) => {}
        }
        self.expression(&path.key("expr"), &rule.expr.to_string());
        let r#for = rule.r#for.as_ref().filter(|hold| !hold.as_str().is_empty());
        let r#for = self.duration(&path.key("for"), r#for.map(Duration::length));
        let keep = rule.keep_firing_for.as_ref().map(NonEmptyDuration::length);
        let keep = self.duration(&path.key("keep_firing_for"), keep);
        if let Some(name) = rule.record.as_deref().filter(|name| !name.is_empty()) {
            self.recording(path, rule, name);
            for (key, is_set) in [("for", r#for), ("keep_firing_for", keep)] {
                if is_set {
                    self.fault(
                        &path.key(key),
                        format!("invalid field '{key}' in recording rule"),
                    );
                }
            }
        }
        self.labels(&path.key("labels"), rule.labels.as_ref());
        self.annotations(&path.key("annotations"), rule.annotations.as_ref());
        if filled(&rule.alert) {
            // Prometheus expands templates of alerts only.
            self.templates(&path.key("labels"), "label", rule.labels.as_ref());
            self.templates(
                &path.key("annotations"),
                "annotation",
                rule.annotations.as_ref(),
            );
        }
    }

    fn expression(&mut self, path: &Path<'_>, text: &str) {
        if text.is_empty() {
            return self.fault(path, "field 'expr' must be set in rule");
        }
        match promql::check(text, self.features) {
            Validity::Valid => {}
            Validity::Unknown(construct) => {
                self.checked.unchecked.push((construct, path.to_route()))
            }
            Validity::Invalid(fault) => {
                let (subject, part, help) = (self.subject.clone(), Some(fault.span), fault.help);
                let whole = RuleFault::new(path.to_route(), fault.message);
                self.checked.faults.push(RuleFault {
                    subject,
                    part,
                    help,
                    ..whole
                });
            }
        }
    }

    /// Checks a recording rule: the fields that only alerts may have, and the name of the series.
    fn recording(&mut self, path: &Path<'_>, rule: &Rule, name: &str) {
        if rule
            .annotations
            .as_ref()
            .is_some_and(|annotations| !annotations.is_empty())
        {
            self.fault(
                &path.key("annotations"),
                "invalid field 'annotations' in recording rule",
            );
        }
        if !is_metric_name(self.names, name) {
            self.fault(
                &path.key("record"),
                format!("invalid recording rule name: {name}"),
            );
        }
        // Valid under UTF-8 names, and almost certainly a mistake: Prometheus refuses it in any case.
        if name.contains(['{', '}']) {
            let message =
                format!("braces present in the recording rule name; should it be in expr?: {name}");
            self.fault(&path.key("record"), message);
        }
    }

    /// Returns whether there is a duration, and other than 0.
    fn duration(&mut self, path: &Path<'_>, length: Option<Result<PromDuration, &str>>) -> bool {
        match length {
            Some(Ok(length)) => length.millis > 0,
            Some(Err(reason)) => {
                self.fault(path, reason);
                false
            }
            None => false,
        }
    }

    fn labels(&mut self, path: &Path<'_>, labels: Option<&StringMap>) {
        for name in labels.into_iter().flat_map(StringMap::keys) {
            if !self.names.is_label_name(name) || name == METRIC_NAME {
                self.fault(&path.key(name), format!("invalid label name: {name}"));
            }
            self.merge_key(path, name);
        }
    }

    fn annotations(&mut self, path: &Path<'_>, annotations: Option<&StringMap>) {
        for name in annotations.into_iter().flat_map(StringMap::keys) {
            if !self.names.is_label_name(name) {
                self.fault(&path.key(name), format!("invalid annotation name: {name}"));
            }
            self.merge_key(path, name);
        }
    }

    /// The file contains it without quotes, where YAML merges it.
    fn merge_key(&mut self, path: &Path<'_>, name: &str) {
        if name == "<<" {
            self.fault(
                &path.key(name),
                "map merge requires map or sequence of maps as the value",
            );
        }
    }

    fn templates(&mut self, path: &Path<'_>, what: &str, texts: Option<&StringMap>) {
        for (name, text) in texts.into_iter().flatten() {
            if let Err(reason) = template::check(text, TEMPLATE_SCOPE) {
                let help = template::advice(&reason, TEMPLATE_SCOPE);
                let subject = self.subject.clone();
                let fault = RuleFault::new(
                    path.key(name).to_route(),
                    format!("{what} \"{name}\": {reason}"),
                );
                self.checked.faults.push(RuleFault {
                    subject,
                    help,
                    ..fault
                });
            }
        }
    }
}

/// Returns whether the text is a valid metric name. Unlike label names, metric names of the old scheme may contain
/// colons.
fn is_metric_name(names: NameScheme, text: &str) -> bool {
    match names {
        NameScheme::Utf8 => !text.is_empty(),
        NameScheme::Legacy => NameScheme::Legacy.is_label_name(&text.replace(':', "_")),
    }
}
