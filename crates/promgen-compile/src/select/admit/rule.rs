//! Checks selected PrometheusRules, and generates their files.

use std::collections::{BTreeMap, BTreeSet};

use super::Refusal;

use crate::cluster::Object;
use crate::context::WorkloadContext;
use crate::output::{Cause, RefusalReason};
use crate::paths::spec_at;
use crate::select::rule_files::{
    self, EnforcedLabel, NamedRuleFile, RuleEvaluator, RuleFault, RuleFileResult, RuleTarget,
    WrittenRuleFile,
};
use crate::select::{PickedResources, Picker, rejection};
use promgen_prometheus::promql::{Construct, Features, NEWER_FUNCTION};
use promgen_resources::api::{
    ObjectReference, PrometheusRule, PrometheusRuleExcludeConfig, Resource,
};
use promgen_resources::gates::{self, Versions};
use promgen_resources::release;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::parallel;
use promgen_text::route::{At, ValueRoute};
use promgen_text::shared::Keyed;

rules! {
    /// ## What it does
    /// Reports an expression with syntax that promgen cannot check yet. promgen writes it unchanged.
    ///
    /// ## Why is this bad?
    /// If something is wrong with it, the operator refuses the whole resource, and none of its rules is evaluated. What needs
    /// a feature flag that is not in `enableFeatures` is refused (PG101).
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   ruleSelector: {}
    ///   enableFeatures: [promql-extended-range-selectors]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: shop}
    /// spec:
    ///   groups:
    ///   - name: shop
    ///     rules:
    ///     - record: shop:orders:rate
    ///       expr: rate(orders_total[5m] smoothed)
    /// ```
    /// Use instead: syntax that every version supports, if there is any.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   ruleSelector: {}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: shop}
    /// spec:
    ///   groups:
    ///   - name: shop
    ///     rules:
    ///     - record: shop:orders:rate
    ///       expr: rate(orders_total[5m])
    /// ```
    UNCHECKED_EXPRESSION = "PG110" "unchecked-expression" Warning: "an expression with syntax that cannot be checked";

    /// ## What it does
    /// Reports a PrometheusRule that the operator skips, because it cannot enforce the namespace label in one of
    /// its expressions.
    ///
    /// ## Why is this bad?
    /// None of its rules is evaluated, and nothing reports it: there is no event, and no condition in its status.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   ruleSelector: {}
    ///   enforcedNamespaceLabel: namespace
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: shop}
    /// spec:
    ///   groups:
    ///   - name: shop
    ///     rules:
    ///     - record: shop:orders:rate
    ///       expr: rate(orders_total[5m]
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   ruleSelector: {}
    ///   enforcedNamespaceLabel: namespace
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: shop}
    /// spec:
    ///   groups:
    ///   - name: shop
    ///     rules:
    ///     - record: shop:orders:rate
    ///       expr: rate(orders_total[5m])
    /// ```
    PASSED_OVER = "PG111" "rule-passed-over" Warning: "a PrometheusRule that the operator skips silently";
}

/// A workload that selects PrometheusRules, and its requirements.
#[derive(Clone, Copy, Debug)]
pub struct RuleUser<'a> {
    /// The workload.
    pub by: Picker<'a>,
    /// The program and versions that evaluate the rules.
    pub target: RuleTarget<'a>,
    /// The label that ties rules to their namespace, if there is one.
    pub(crate) enforced_label: Option<&'a str>,
    /// Resources that are exempt from it.
    pub(crate) excluded: Option<&'a [ObjectReference]>,
    /// PrometheusRules that are exempt from it, in the old form.
    pub(crate) excluded_rules: Option<&'a [PrometheusRuleExcludeConfig]>,
}

/// The inputs of a resource's file beside the resource.
#[derive(Clone, PartialEq)]
struct RuleFileKey {
    versions: Versions,
    reader: RuleEvaluator,
    features: Features,
    /// A label and its value.
    enforced: Option<(String, String)>,
}

/// The verdict of the operator's parser on an expression for a workload with these feature flags.
pub(crate) fn features(versions: &Versions, flags: Option<&[String]>) -> Features {
    let features = Features::of(
        flags.unwrap_or_default().iter().map(String::as_str),
        versions.has(&gates::PROMQL_3_14),
    );
    Features {
        is_newer: release::is_newer(&versions.operator),
        ..features
    }
}

impl<'a> RuleUser<'a> {
    /// A server or an agent; an agent selects no rules.
    pub(in crate::select) fn of(cx: &WorkloadContext<'a>) -> Self {
        let features = features(cx.versions, cx.common.enable_features.as_deref());
        let old = cx
            .server
            .and_then(|server| server.prometheus_rules_excluded_from_enforce.as_deref());
        Self {
            by: Picker::of(cx),
            target: RuleTarget {
                versions: cx.versions,
                reader: RuleEvaluator::Prometheus,
                features,
            },
            enforced_label: cx.common.enforced_namespace_label.as_deref(),
            excluded: cx.common.excluded_from_enforcement.as_deref(),
            excluded_rules: old,
        }
    }

    /// The file of a resource. That of an earlier run is used if it was made for the same requirements.
    fn write(&self, rule: &Object<PrometheusRule>) -> Keyed<RuleFileKey, RuleFileResult> {
        let (target, enforced) = (self.target, self.enforced(rule));
        let key = RuleFileKey {
            versions: target.versions.clone(),
            reader: target.reader,
            features: target.features,
            enforced: enforced
                .map(|enforced| (enforced.label.to_owned(), enforced.value.to_owned())),
        };
        rule.value
            .derive_for(&key, |rule| rule_files::write(&rule.spec, target, enforced))
    }

    /// The label to enforce, unless the workload excludes this resource.
    fn enforced<'r>(&self, rule: &'r Object<PrometheusRule>) -> Option<EnforcedLabel<'r>>
    where
        'a: 'r,
    {
        let label = self.enforced_label.filter(|label| !label.is_empty())?;
        let (namespace, name) = (rule.namespace(), &rule.value.metadata.name);
        let is_excluded = is_excluded(self.excluded, self.excluded_rules, namespace, name);
        (!is_excluded).then_some(EnforcedLabel {
            label,
            value: namespace,
            is_3_14: self.target.features.is_3_14,
        })
    }
}

/// Returns whether a PrometheusRule of that namespace and name is exempt from the enforced namespace label, by either
/// field.
#[must_use]
pub fn is_excluded(
    references: Option<&[ObjectReference]>,
    rules: Option<&[PrometheusRuleExcludeConfig]>,
    namespace: &str,
    name: &str,
) -> bool {
    let fits = |excluded: &str| excluded.is_empty() || excluded == name;
    let references = references.into_iter().flatten();
    let by_reference = references
        .filter(|r| r.resource.as_str() == PrometheusRule::PLURAL && r.namespace == namespace);
    // The older field has no kind of resource: it is about PrometheusRules only.
    let by_name = rules
        .into_iter()
        .flatten()
        .filter(|r| r.rule_namespace == namespace);
    by_reference
        .map(|r| r.name.as_deref().unwrap_or_default())
        .any(fits)
        || by_name.map(|r| r.rule_name.as_str()).any(fits)
}

/// The rules that a workload uses.
#[derive(Debug)]
pub struct SelectedRules<'a> {
    /// The selected rules.
    pub picked: PickedResources<'a, PrometheusRule>,
    /// The files of the accepted rules, by name.
    pub files: Vec<NamedRuleFile>,
    /// These files, by the ConfigMaps that contain them; at least one.
    pub config_maps: Vec<BTreeMap<String, String>>,
}

/// Checks PrometheusRules and makes their files. What the operator passes over is not selected.
pub(in crate::select) fn prometheus_rules<'a>(
    user: &RuleUser<'_>,
    picked: Vec<&'a Object<PrometheusRule>>,
    sink: &mut Sink,
) -> SelectedRules<'a> {
    let outcomes = parallel::map(&picked, 1, |rule| user.write(rule));
    let (mut checked, mut files, mut names) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (rule, outcome) in picked.into_iter().zip(outcomes) {
        match &*outcome {
            RuleFileResult::Written(written) => {
                report(user, rule, written, sink);
                let name = file_name(rule, &names);
                names.insert(name.clone());
                let WrittenRuleFile { text, groups, .. } = written.clone();
                files.push(NamedRuleFile {
                    name,
                    text,
                    groups,
                    doc: rule.doc,
                });
                checked.push((rule, None));
            }
            RuleFileResult::Refused(message, faults) => {
                refusals(user, rule, message, faults)
                    .into_iter()
                    .for_each(|refusal| sink.report(refusal));
                checked.push((
                    rule,
                    Some(Box::new(RefusalReason {
                        message: message.clone(),
                        cause: Cause::Other,
                    })),
                ));
            }
            RuleFileResult::PassedOver(fault) => sink.report(passed_over(user, rule, fault)),
        }
    }
    // By the name of the file, which differs from the order of selection: `-` joins what `/` parted.
    files.sort_by(|a, b| a.name.cmp(&b.name));
    let config_maps = rule_files::pack(&files);
    SelectedRules {
        picked: PickedResources(checked),
        files,
        config_maps,
    }
}

/// The name of a rule file. Its uid distinguishes names such as `a-b/c` and `a/b-c`; without a uid in the input, the
/// namespace does.
fn file_name(rule: &Object<PrometheusRule>, others: &BTreeSet<String>) -> String {
    let metadata = &rule.value.metadata;
    let (namespace, name) = (rule.namespace(), &metadata.name);
    let file = format!(
        "{namespace}-{name}-{}.yaml",
        metadata.uid.as_deref().map_or("", String::as_str)
    );
    if others.contains(&file) {
        format!("{namespace}-{name}-{namespace}.yaml")
    } else {
        file
    }
}

/// Says what is lost of a resource, and what could not be checked.
fn report(
    user: &RuleUser<'_>,
    rule: &Object<PrometheusRule>,
    written: &WrittenRuleFile,
    sink: &mut Sink,
) {
    let at = |route: &ValueRoute| At {
        doc: rule.doc,
        route: route.clone(),
    };
    for (gate, route) in &written.dropped {
        sink.report(gates::ignored(gate, user.target.versions, at(route)));
    }
    for (construct, route) in &written.unchecked {
        if *construct == NEWER_FUNCTION {
            sink.leave_unchecked("function", at(route));
            continue;
        }
        let Construct { what, .. } = construct;
        let message = format!("`{route}` uses {what}, which cannot be checked");
        sink.report(Diagnostic::new(&UNCHECKED_EXPRESSION, at(route), message));
    }
}

/// Most faults of a resource that are reported one by one.
const MAX_FAULTS: usize = 100;

/// The findings for a refused resource: one for each fault.
fn refusals(
    user: &RuleUser<'_>,
    rule: &Object<PrometheusRule>,
    message: &str,
    faults: &[RuleFault],
) -> Vec<Diagnostic> {
    if faults.is_empty() {
        return vec![rejection(&user.by, rule, &Refusal::of_name(message))];
    }
    let mut findings: Vec<_> = faults
        .iter()
        .take(MAX_FAULTS)
        .map(|fault| {
            let RuleFault {
                subject, message, ..
            } = fault;
            let separator = if subject.is_empty() { "" } else { ": " };
            let message = format!("{subject}{separator}{message}");
            let (route, help) = (fault.route.clone(), fault.help.clone());
            let mut diagnostic = rejection(
                &user.by,
                rule,
                &Refusal {
                    route,
                    help,
                    ..Refusal::of_name(message)
                },
            );
            diagnostic.place = Some(fault.place(rule.doc));
            diagnostic
        })
        .collect();
    if let (Some(last), Some(more)) = (
        findings.last_mut(),
        faults
            .len()
            .checked_sub(MAX_FAULTS)
            .filter(|more| *more > 0),
    ) {
        last.help.push(format!(
            "{more} more faults of this PrometheusRule are not listed"
        ));
    }
    findings
}

fn passed_over(
    user: &RuleUser<'_>,
    rule: &Object<PrometheusRule>,
    fault: &RuleFault,
) -> Diagnostic {
    let (by, label) = (&user.by, user.enforced_label.unwrap_or_default());
    let message = format!(
        "PrometheusRule {}/{} is passed over by {by}: the label {label:?} cannot be enforced",
        rule.namespace(),
        rule.value.metadata.name,
    );
    let at = At {
        doc: rule.doc,
        route: fault.route.clone(),
    };
    let enforced_here = spec_at(by.doc).key("enforcedNamespaceLabel");
    Diagnostic::new(&PASSED_OVER, at, message)
        .label(fault.message.clone())
        .related(enforced_here, "enforced here")
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_resources::api::Kind;
    use promgen_resources::gates::Target;
    use promgen_text::route::DocId;
    use promgen_text::source::FileId;
    use promgen_text::yaml::decode::from_json;
    use serde_json::json;

    /// The findings for a resource with that many faults: the message and the help of each.
    fn reported(n: usize) -> Vec<(String, Vec<String>)> {
        let versions = Versions::of_target(&Target::default());
        let reader = RuleEvaluator::Prometheus;
        let target = RuleTarget {
            versions: &versions,
            reader,
            features: Features::default(),
        };
        let by = Picker {
            kind: Kind::Prometheus,
            doc: DocId::new(FileId::new(0), 1),
            namespace: "shop",
            name: "main",
        };
        let user = RuleUser {
            by,
            target,
            enforced_label: None,
            excluded: None,
            excluded_rules: None,
        };
        let value: PrometheusRule =
            from_json(&json!({"metadata": {"name": "a"}, "spec": {}})).unwrap();
        let rule = Object {
            doc: DocId::default(),
            observed: None,
            value: value.into(),
        };
        let message = "wrong".to_owned();
        let fault = RuleFault {
            route: ValueRoute::root(),
            part: None,
            subject: String::new(),
            message,
            help: None,
        };
        let findings = refusals(&user, &rule, "invalid rule", &vec![fault; n]);
        findings
            .into_iter()
            .map(|finding| (finding.message, finding.help))
            .collect()
    }

    #[test]
    fn faults_beyond_a_number_are_counted() {
        assert_eq!(reported(2), vec![reported(1)[0].clone(); 2]);
        assert_eq!(
            reported(MAX_FAULTS),
            vec![reported(1)[0].clone(); MAX_FAULTS]
        );
        let many = reported(MAX_FAULTS + 2);
        assert_eq!(many.len(), MAX_FAULTS);
        assert!(
            many[..MAX_FAULTS - 1]
                .iter()
                .all(|(_, help)| help.is_empty())
        );
        assert_eq!(
            many[MAX_FAULTS - 1].1,
            ["2 more faults of this PrometheusRule are not listed"]
        );
    }
}
