//! Relabel rules over sets of values.
//!
//! In: rules, and labels of which not everything is known. Out: the labels that there can be behind the rules, or the rule that
//! surely drops them.

use crate::lineage::labels::SeriesLabels;
use crate::lineage::values::{self, LabelValues};
use promgen_prometheus::relabel::program::ANY;
use promgen_prometheus::relabel::{Action, Builder, CompiledRule, Fate, LabelSet, Reach};
use promgen_targets::network::truth::Truth;

/// The maximum number of combinations of values that a rule is run on.
const MAX_COMBINATIONS: usize = 64;

/// The maximum number of labels: a `labelmap` can double them again and again. Of more, nothing is known.
const MAX_LABELS: usize = 2000;

/// Runs rules. `Some`: the rule that surely drops what has these labels.
pub fn run(rules: &[CompiledRule], labels: &mut SeriesLabels) -> Option<usize> {
    rules.iter().position(|rule| !may_pass(rule, labels))
}

/// Runs a rule. Returns whether something may pass it.
fn may_pass(rule: &CompiledRule, labels: &mut SeriesLabels) -> bool {
    match rule.action {
        Action::Keep | Action::Drop => test(rule, labels),
        Action::KeepEqual | Action::DropEqual => compare(rule, labels),
        Action::Replace => {
            replace(rule, labels);
            true
        }
        Action::HashMod => {
            labels.set(rule.target(), LabelValues::something());
            true
        }
        Action::Lowercase | Action::Uppercase => {
            let values = combinations(rule, labels)
                .map(|all| all.iter().map(|one| changed(rule, one)).collect());
            labels.set(
                rule.target(),
                values.map_or_else(LabelValues::anything, |all: Vec<_>| LabelValues::of(all)),
            );
            true
        }
        Action::LabelMap => {
            map_names(rule, labels);
            true
        }
        Action::LabelDrop | Action::LabelKeep => {
            let gone: Vec<String> = labels
                .names()
                .filter(|name| rule.deletes(name))
                .map(str::to_owned)
                .collect();
            gone.into_iter()
                .for_each(|name| labels.set(name, LabelValues::absent()));
            true
        }
    }
}

/// The values of the sources in all combinations. `None` if there are too many.
fn combinations(rule: &CompiledRule, labels: &SeriesLabels) -> Option<Vec<Vec<String>>> {
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    for name in &rule.source_labels {
        let values = labels.get(name);
        if all.len() * values.len() > MAX_COMBINATIONS {
            return None;
        }
        let with = |head: &Vec<String>, value: &str| {
            head.iter().cloned().chain([value.to_owned()]).collect()
        };
        all = all
            .iter()
            .flat_map(|head| values.iter().map(move |value| with(head, value)))
            .collect();
    }
    Some(all)
}

/// Returns whether the pattern matches values of the sources.
fn verdict(rule: &CompiledRule, values: &[String]) -> Truth {
    values::matches(rule.pattern(), &values.join(&rule.separator))
}

fn test(rule: &CompiledRule, labels: &mut SeriesLabels) -> bool {
    let dropping = if rule.action == Action::Keep {
        Truth::No
    } else {
        Truth::Yes
    };
    if let [only] = rule.source_labels.as_slice() {
        let left = labels
            .get(only)
            .only(|value| values::matches(rule.pattern(), value) != dropping);
        let passes = !left.is_empty();
        labels.set(only.clone(), left);
        return passes;
    }
    combinations(rule, labels)
        .is_none_or(|all| all.iter().any(|values| verdict(rule, values) != dropping))
}

fn compare(rule: &CompiledRule, labels: &SeriesLabels) -> bool {
    let Some(all) = combinations(rule, labels) else {
        return true;
    };
    let others = labels.get(rule.target());
    let may_pass = |values: &Vec<String>| {
        let joined = values.join(&rule.separator);
        let is_known = values::is_known(&joined);
        others.iter().any(|other| {
            !is_known
                || !values::is_known(other)
                || (joined == other) == (rule.action == Action::KeepEqual)
        })
    };
    all.iter().any(may_pass)
}

/// The text in other letters.
fn changed(rule: &CompiledRule, values: &[String]) -> String {
    let joined = values.join(&rule.separator);
    if !values::is_known(&joined) {
        return ANY.to_string();
    }
    written(rule, values)
}

/// The value to which a rule that applies sets its label.
fn written(rule: &CompiledRule, values: &[String]) -> String {
    let given = rule
        .source_labels
        .iter()
        .map(String::as_str)
        .zip(values.iter().map(String::as_str));
    let labels: LabelSet = given.collect();
    let mut builder = Builder::new(&labels);
    match rule.apply(&mut builder) {
        Fate::Kept | Fate::Dropped => builder.get(rule.target()).to_owned(),
        Fate::TooMuch => ANY.to_string(),
    }
}

fn replace(rule: &CompiledRule, labels: &mut SeriesLabels) {
    let Reach::Label(target) = rule.reach() else {
        labels.forget();
        return;
    };
    let before = labels.get(target).clone();
    let Some(all) = combinations(rule, labels) else {
        labels.set(target.to_owned(), before.or(&LabelValues::anything()));
        return;
    };
    let own = rule.source_labels.iter().position(|name| name == target);
    let mut after: Vec<String> = Vec::new();
    for values in all {
        let kept = || match own {
            Some(at) => vec![values[at].clone()],
            None => before.iter().map(str::to_owned).collect(),
        };
        match verdict(rule, &values) {
            Truth::Yes => after.push(written(rule, &values)),
            Truth::No => after.extend(kept()),
            Truth::Unknown => {
                after.extend(kept());
                match rule.written() {
                    (text, true) => after.push(text.to_owned()),
                    (_, false) => after.extend([String::new(), ANY.to_string()]),
                }
            }
        }
    }
    labels.set(target.to_owned(), LabelValues::of(after));
}

fn map_names(rule: &CompiledRule, labels: &mut SeriesLabels) {
    if labels.iter().count() > MAX_LABELS {
        return labels.forget();
    }
    let mut mapped: Vec<(String, LabelValues)> = Vec::new();
    for (name, values) in labels.iter() {
        let given: LabelSet = [(name, "x")].into_iter().collect();
        let mut builder = Builder::new(&given);
        rule.apply(&mut builder);
        mapped.extend(
            builder
                .iter()
                .filter(|(new, _)| *new != name)
                .map(|(new, _)| (new.to_owned(), values.clone())),
        );
    }
    let may_map_others = |family: &&str| labels.has_family(family);
    let pattern = rule.pattern().and_then(|pattern| pattern.shape());
    let families = [
        "__meta_kubernetes_service_",
        "__meta_kubernetes_pod_label",
        "__meta_kubernetes_pod_annotation",
        "__meta_kubernetes_node_",
        "__meta_kubernetes_namespace_",
        "__meta_kubernetes_ingress_",
        "__meta_",
    ];
    let is_unclear = |family: &&str| {
        may_map_others(family)
            && pattern.is_none_or(|shape| {
                !shape.is_certain(&format!("{family}{ANY}"), values::unknown())
                    || shape.is_match(&format!("{family}{ANY}"))
            })
    };
    if labels.has_others() || families.iter().any(is_unclear) {
        labels.forget();
    }
    for (name, values) in mapped {
        // An absent label is not mapped.
        let before = if values.iter().any(str::is_empty) {
            labels.get(&name).clone()
        } else {
            values.clone()
        };
        labels.set(name, values.only(|value| !value.is_empty()).or(&before));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_prometheus::relabel::{NameScheme, relabel, rules};
    use promgen_text::yaml::Value;
    use proptest::prelude::*;

    fn read(yaml: &str) -> Vec<CompiledRule> {
        let root = promgen_text::yaml::read::read_slices(yaml)
            .unwrap()
            .unwrap();
        let Value::Seq(values) = root.to_value() else {
            panic!("no list: {yaml}")
        };
        rules(&values, NameScheme::Utf8).unwrap()
    }

    fn after(yaml: &str, given: &[(&str, &LabelValues)], label: &str) -> Option<LabelValues> {
        let mut labels = SeriesLabels::closed();
        given
            .iter()
            .for_each(|(name, values)| labels.set(*name, (*values).clone()));
        run(&read(yaml), &mut labels)
            .is_none()
            .then(|| labels.get(label).clone())
    }

    #[test]
    fn values_go_through_rules() {
        let pods = LabelValues::beginning("api-");
        let copied = "[{source_labels: [kind, name], regex: 'Pod;(.*)', target_label: pod}]";
        let kind = LabelValues::exact("Pod");
        assert_eq!(
            after(copied, &[("kind", &kind), ("name", &pods)], "pod"),
            Some(pods.clone())
        );
        let kept = "[{action: keep, source_labels: [name], regex: 'web-.*'}]";
        assert_eq!(after(kept, &[("name", &pods)], "name"), None);
        let unclear =
            "[{source_labels: [name], regex: 'api-[0-9]+', target_label: job, replacement: x}]";
        let job = LabelValues::exact("y");
        let either = LabelValues::of(["x".to_owned(), "y".to_owned()]);
        assert_eq!(
            after(unclear, &[("name", &pods), ("job", &job)], "job"),
            Some(either)
        );
        let dropped = "[{action: labeldrop, regex: name}]";
        assert_eq!(
            after(dropped, &[("name", &pods)], "name"),
            Some(LabelValues::absent())
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        /// What becomes of a target is among what becomes of all targets that it is one of.
        #[test]
        fn nothing_is_ruled_out_that_happens(
            picked in prop::collection::vec((0..14usize, prop::sample::select(vec!["a", "b", "c"]),
                                             prop::sample::select(vec!["a", "b", "c"])), 0..7),
            values in prop::collection::vec(prop::sample::select(vec!["", "x", "y", "xy", "x-1"]), 3),
            hidden in prop::collection::vec(0..4usize, 3),
        ) {
            let forms = [
                "{source_labels: [S], target_label: T}", "{target_label: T, replacement: x}",
                "{source_labels: [S], target_label: T, regex: x}", "{action: keep, source_labels: [S, T], regex: 'x;.*|;|.*;y'}",
                "{action: drop, source_labels: [S], regex: y}", "{action: labeldrop, regex: T}",
                "{action: labelmap, regex: S, replacement: T}", "{action: keepequal, source_labels: [S], target_label: T}",
                "{action: uppercase, source_labels: [S], target_label: T}", "{source_labels: [S], target_label: '$1', regex: '(.+)'}",
                "{source_labels: [S, T], separator: '-', target_label: T, regex: 'x(.*)', replacement: '${1}y'}",
                "{action: keep, source_labels: [S], regex: 'x.*'}", "{action: hashmod, source_labels: [S], modulus: 2, target_label: T}",
                "{action: labelkeep, regex: 'S|T'}",
            ];
            let texts: Vec<_> = picked.iter().map(|(f, s, t)| forms[*f].replace('S', s).replace('T', t)).collect();
            let all = read(&format!("[{}]", texts.join(", ")));
            let concrete: LabelSet = ["a", "b", "c"].into_iter().zip(values.iter().copied()).collect();
            let mut known = SeriesLabels::closed();
            for ((name, value), how) in ["a", "b", "c"].into_iter().zip(&values).zip(hidden) {
                known.set(name, match (how, *value) {
                    (0, value) => LabelValues::exact(value),
                    (1, value) if value.starts_with('x') && value.len() > 1 => LabelValues::beginning("x"),
                    (2, value) => LabelValues::of([value.to_owned(), "z".to_owned()]),
                    _ => LabelValues::anything(),
                });
            }
            let dropped = run(&all, &mut known);
            if let Ok(labels) = relabel(&concrete, &all) {
                prop_assert_eq!(dropped, None, "{:?}", texts);
                for name in ["a", "b", "c"] {
                    let may_be = |value: &str| values::equals(value, labels.get(name)) != Truth::No;
                    prop_assert!(known.get(name).iter().any(may_be), "{} of {:?}: {:?}", name, texts, known);
                }
            }
        }
    }
}
