//! Texts of alerts that use a label that the expression has dropped.

use std::collections::{BTreeMap, BTreeSet};

use promgen_compile::cluster::Object;
use promgen_model::lineage::server::kept_labels;
use promgen_model::rule_groups::{PlacedRule, rules};
use promgen_prometheus::labels::miss::joined;
use promgen_prometheus::promql::KeptLabels;
use promgen_resources::api::PrometheusRule;
use promgen_resources::api::servers::rule::Rule;
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Level, Sink, rules};
use promgen_text::route::{At, DocId};

rules! {
    /// ## What it does
    /// Finds alerts whose annotations or labels use `$labels` of a label that the result of the expression cannot have,
    /// because an aggregation or a join has dropped it.
    ///
    /// The level is warning if the text is the `summary`, which people read first, or that of a label, so that the alert lacks the
    /// label, or if the rule itself adds a label of that name, which its texts do not see. Otherwise it is info: the alert is
    /// sent all the same, with a gap in its text. What misses the same labels in one resource is one finding.
    ///
    /// ## Why is this bad?
    /// Prometheus fills in an empty text: the alert says `in cluster ` and nobody knows in which.
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
    ///       expr: sum by (pod) (up{job="cart"}) == 0
    ///       annotations:
    ///         summary: "{{ $labels.pod }} in {{ $labels.cluster }} is down"
    /// ```
    /// Use instead: an aggregation that keeps the label.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: cart
    ///     rules:
    ///     - alert: CartDown
    ///       expr: sum by (pod, cluster) (up{job="cart"}) == 0
    ///       annotations:
    ///         summary: "{{ $labels.pod }} in {{ $labels.cluster }} is down"
    /// ```
    ///
    /// ## Source
    /// The templates of alerts see the labels of the expression's result alone: neither the rule's own labels, nor external
    /// ones.
    DROPPED_LABEL = "PG605" "dropped-label" Warning: "the text of an alert that uses a label that its expression has dropped";
}

/// Checks a resource.
pub(super) fn check(resource: &Object<PrometheusRule>, sink: &mut Sink) {
    sink.append_about(resource.doc, &resource.value.derive(DroppedLabels::of).0);
}

/// The findings about a resource, whose document has the number 0 there.
struct DroppedLabels(Sink);

impl DroppedLabels {
    fn of(resource: &PrometheusRule) -> Self {
        let mut found = Sink::default();
        report(resource, &mut found);
        Self(found)
    }
}

fn report(resource: &PrometheusRule, sink: &mut Sink) {
    let mut found: Vec<MissedLabels> = Vec::new();
    let mut known: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    for PlacedRule { at, rule, .. } in rules(DocId::default(), resource) {
        if rule.alert.as_deref().is_none_or(str::is_empty) {
            continue;
        }
        let texts = texts(rule);
        let is_template = |(_, _, text): &(&str, &str, &str)| text.contains("$labels");
        if !texts.iter().any(is_template) {
            continue;
        }
        let Some(kept) = kept_labels(&rule.expr.to_string()) else {
            continue;
        };

        let mut reported = BTreeSet::new();
        for (what, name, text) in texts {
            let used = used(text);
            let dropped = used
                .labels
                .difference(&used.guarded)
                .filter(|label| !kept.has(label));
            let new: Vec<&str> = dropped
                .copied()
                .filter(|label| reported.insert((*label).to_owned()))
                .collect();
            if !new.is_empty() {
                let is_own = |label: &&str| {
                    rule.labels
                        .as_ref()
                        .is_some_and(|own| own.contains_key(*label))
                };
                let is_grave = what == "labels" || name == SUMMARY || new.iter().any(is_own);
                let at = at.clone().key(what).key(name.to_owned());
                match known.get(&new) {
                    Some(number) => found[*number].add(at, is_grave),
                    None => {
                        found.push(MissedLabels {
                            finding: finding(at, &new, &kept),
                            is_grave,
                            n_others: 0,
                        });
                        known.insert(new, found.len() - 1);
                    }
                }
            }
        }
    }
    found
        .into_iter()
        .for_each(|one| sink.report(one.conclude()));
}

/// The annotation that people read first.
const SUMMARY: &str = "summary";

/// The maximum number of other texts that a finding names.
const MAX_RELATED: usize = 4;

/// Labels that texts of a resource use and that are dropped.
struct MissedLabels {
    /// The finding about the first of the texts.
    finding: Diagnostic,
    is_grave: bool,
    n_others: usize,
}

impl MissedLabels {
    /// Adds another text that uses them.
    fn add(&mut self, at: At, is_grave: bool) {
        self.is_grave |= is_grave;
        self.n_others += 1;
        if self.n_others <= MAX_RELATED {
            self.finding
                .related
                .push((at.into(), "here, too".to_owned()));
        }
    }

    fn conclude(self) -> Diagnostic {
        let level = if self.is_grave {
            Level::Warning
        } else {
            Level::Info
        };
        let finding = self.finding.level(level);
        match self
            .n_others
            .checked_sub(MAX_RELATED)
            .filter(|more| *more > 0)
        {
            Some(more) => finding.help(format!(
                "the same in {} of this resource",
                counted(more, "more text")
            )),
            None => finding,
        }
    }
}

/// The templates of a rule: where, by what name, and which text.
fn texts(rule: &Rule) -> Vec<(&'static str, &str, &str)> {
    let of = [("annotations", &rule.annotations), ("labels", &rule.labels)];
    let each = of
        .into_iter()
        .flat_map(|(what, texts)| texts.iter().flatten().map(move |text| (what, text)));
    each.map(|(what, (name, text))| (what, name.as_str(), text.as_str()))
        .collect()
}

fn finding(at: At, labels: &[&str], kept: &KeptLabels) -> Diagnostic {
    let quoted = |start: &str| {
        let quoted: Vec<String> = labels
            .iter()
            .map(|label| format!("`{start}{label}`"))
            .collect();
        joined(&quoted, " and ")
    };
    let dropped = quoted("");
    let (noun, are, them) = match labels {
        [_] => ("label", "is", "it"),
        _ => ("labels", "are", "them"),
    };
    let keeps = kept.words(&format!("the {noun} {dropped}"));
    let message = format!("{} {are} empty: {keeps}", quoted("$labels."));
    Diagnostic::new(&DROPPED_LABEL, at, message)
        .help(format!("keep {dropped} in the aggregations and joins of the expression, or take {them} out of the text"))
}

/// The labels that a template uses.
#[derive(Default)]
struct Used<'t> {
    labels: BTreeSet<&'t str>,
    /// The labels that a condition asks for.
    guarded: BTreeSet<&'t str>,
}

/// The labels in the actions of a template: `$labels.NAME`, or `index $labels "NAME"`.
fn used(text: &str) -> Used<'_> {
    let mut used = Used::default();
    let actions = text
        .split("{{")
        .skip(1)
        .map(|rest| rest.split("}}").next().unwrap_or_default());
    for action in actions {
        let words = action.trim_start_matches('-').trim_start();
        let is_condition = ["if ", "with ", "else if "]
            .iter()
            .any(|start| words.starts_with(start));
        for rest in action.split("$labels").skip(1) {
            let Some(label) = label(rest) else { continue };
            used.labels.insert(label);
            if is_condition {
                used.guarded.insert(label);
            }
        }
    }
    used
}

/// The label that a text begins with: `.NAME`, or ` "NAME"`.
fn label(rest: &str) -> Option<&str> {
    if let Some(name) = rest.strip_prefix('.') {
        let end = name
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(name.len());
        return Some(&name[..end]).filter(|name| !name.is_empty());
    }
    let quoted = rest.trim_start().strip_prefix('"')?;
    quoted
        .split('"')
        .next()
        .filter(|name| !name.is_empty() && rest.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_templates_are_found() {
        let found = used(
            "{{ $labels.a }} {{$labels.b_1|humanize}} {{ index $labels \"c\" }} $labels.d {{ if $labels.e }}x{{ end }} {{ $value }}",
        );
        assert_eq!(
            found.labels.into_iter().collect::<Vec<_>>(),
            ["a", "b_1", "c", "e"]
        );
        assert_eq!(found.guarded.into_iter().collect::<Vec<_>>(), ["e"]);
    }
}
