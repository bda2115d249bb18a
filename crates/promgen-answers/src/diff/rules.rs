//! Alerts and recording rules that differ.

use crate::diff;
use std::collections::{BTreeMap, VecDeque};

use crate::diff::listed::Listed;
use crate::diff::value::{self, Change, FieldChange, Shades};
use promgen_compile::output::{RuleFile, Workload};
use promgen_text::CollectOrdered;
use promgen_text::yaml::emit::to_json;
use promgen_text::yaml::{Map, Value};

changes! {
    /// A rule, a group or a file of rules that differs.
    RuleChange {
        /// The rule file.
        file: String,
        /// Its group. `None` for a file as a whole.
        group?: String,
        /// The rule.  `None` for a group as a whole.
        rule?: NamedRule,
        /// The kind of change.
        change: Change,
        /// Its fields that differ.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        fields: Listed<FieldChange>,
    }
}

changes! {
    /// A rule by name.
    #[derive(PartialOrd, Ord)]
    enum NamedRule {
        /// An alert.
        Alert(String),
        /// A recording rule.
        Record(String),
    }
}

/// Compares the rule files of two workloads.
pub(crate) fn changes(base: &Workload, head: &Workload, shades: &Shades) -> Listed<RuleChange> {
    let by_name = |workload: &'_ Workload| -> BTreeMap<String, RuleFile> {
        workload
            .rule_files
            .iter()
            .map(|file| (file.name.clone(), file.clone()))
            .collect_map()
    };
    let (old, new, none) = (by_name(base), by_name(head), RuleFile::default());
    let mut comparison = RuleFileComparison {
        shades,
        file: "",
        found: Listed::default(),
    };
    for name in diff::keys(&old, &new) {
        let pair = (old.get(name), new.get(name));
        let (a, b) = (pair.0.unwrap_or(&none), pair.1.unwrap_or(&none));
        if a.text == b.text && pair.0.is_some() == pair.1.is_some() {
            continue;
        }
        comparison.file = name;
        let n_before = comparison.found.total;
        comparison.groups(&a.content(), &b.content());
        // The order of groups, and a file without rules.
        if comparison.found.total == n_before {
            comparison.report(
                None,
                None,
                Change::of(pair.0.is_some(), pair.1.is_some()),
                Vec::new(),
            );
        }
    }
    comparison.found
}

struct RuleFileComparison<'a> {
    shades: &'a Shades,
    file: &'a str,
    found: Listed<RuleChange>,
}

impl RuleFileComparison<'_> {
    fn report(
        &mut self,
        group: Option<&str>,
        rule: Option<NamedRule>,
        change: Change,
        fields: Vec<FieldChange>,
    ) {
        let (file, group) = (self.file.to_owned(), group.map(str::to_owned));
        self.found.push(RuleChange {
            file,
            group,
            rule,
            change,
            fields: fields.into_iter().collect(),
        });
    }

    fn groups(&mut self, base: &[Value], head: &[Value]) {
        let name = |group: &Value| group.text_of("name").unwrap_or_default().to_owned();
        for ((group, _), change, old, new) in paired(base, head, name) {
            let n_before = self.found.total;
            self.rules(&group, rules(old), rules(new));
            match (old, new) {
                (Some(old), Some(new)) => {
                    let (old, new) = (without_rules(old), without_rules(new));
                    let fields = self.shades.deltas(&value::diff_maps(&old, &new));
                    if !fields.is_empty() {
                        self.report(Some(&group), None, Change::Changed, fields);
                    }
                }
                _ if self.found.total == n_before => {
                    self.report(Some(&group), None, change, Vec::new())
                }
                _ => {}
            }
        }
    }

    fn rules(&mut self, group: &str, base: &[Value], head: &[Value]) {
        let n_before = self.found.total;
        for (rule, change, old, new) in paired_rules(base, head) {
            let fields = match (old, new) {
                (Some(old), Some(new)) if old == new => continue,
                (Some(old), Some(new)) => self.shades.deltas(&value::diff(old, new)),
                (Some(rule), None) | (None, Some(rule)) => self.expression(rule, change),
                (None, None) => continue,
            };
            self.report(Some(group), Some(rule), change, fields);
        }
        if self.found.total == n_before && !base.is_empty() && base != head {
            self.report(Some(group), None, Change::Moved, Vec::new());
        }
    }

    /// The expression of a rule that is new or gone.
    fn expression(&self, rule: &Value, change: Change) -> Vec<FieldChange> {
        let shown = rule.get("expr").map(|expr| self.shades.value(expr));
        let (from, to) = if change == Change::Added {
            (None, shown)
        } else {
            (shown, None)
        };
        vec![FieldChange {
            path: "expr".to_owned(),
            change,
            from,
            to,
        }]
    }
}

/// The rules of two groups: those of the same name by their labels, then by their expressions, then in their order.
fn paired_rules<'v>(base: &'v [Value], head: &'v [Value]) -> Vec<PairedRule<'v>> {
    type Likeness = fn(&Value) -> String;
    let labels: Likeness = |rule| rule.get("labels").map(to_json).unwrap_or_default();
    let expr: Likeness = |rule| rule.text_of("expr").unwrap_or_default().to_owned();
    let all: [Likeness; 4] = [to_json, labels, expr, |_| String::new()];
    let mut counterparts = vec![None; base.len()];
    let mut taken = vec![false; head.len()];
    for likeness in all {
        let mut free: BTreeMap<(NamedRule, String), VecDeque<usize>> = BTreeMap::new();
        for (n, rule) in head.iter().enumerate().filter(|(n, _)| !taken[*n]) {
            free.entry((name_of(rule), likeness(rule)))
                .or_default()
                .push_back(n);
        }
        for (old, rule) in counterparts
            .iter_mut()
            .zip(base)
            .filter(|(old, _)| old.is_none())
        {
            *old = free
                .get_mut(&(name_of(rule), likeness(rule)))
                .and_then(VecDeque::pop_front);
            if let Some(n) = *old {
                taken[n] = true;
            }
        }
    }
    let of_base = base.iter().zip(counterparts).map(|(rule, other)| {
        let other = other.map(|other| &head[other]);
        (
            name_of(rule),
            Change::of(true, other.is_some()),
            Some(rule),
            other,
        )
    });
    let of_head = head.iter().zip(taken).filter(|(_, taken)| !taken);
    of_base
        .chain(of_head.map(|(rule, _)| (name_of(rule), Change::Added, None, Some(rule))))
        .collect()
}

/// A rule, what happens to it, and both versions of it.
type PairedRule<'v> = (NamedRule, Change, Option<&'v Value>, Option<&'v Value>);

fn name_of(rule: &Value) -> NamedRule {
    let text = |key: &str| {
        rule.text_of(key)
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
    };
    match text("alert") {
        Some(alert) => NamedRule::Alert(alert),
        None => NamedRule::Record(text("record").unwrap_or_default()),
    }
}

fn rules(group: Option<&Value>) -> &[Value] {
    group
        .and_then(|group| group.get("rules"))
        .and_then(Value::as_seq)
        .unwrap_or_default()
}

fn without_rules(group: &Value) -> Map {
    let mut map = group.as_map().cloned().unwrap_or_default();
    map.remove("rules");
    map
}

/// A thing by name and number, what happens to it, and both versions of it.
type Paired<'v, K> = ((K, usize), Change, Option<&'v Value>, Option<&'v Value>);

/// The items of two lists by name; those of the same name by their order.
fn paired<'v, K: Ord + Clone>(
    base: &'v [Value],
    head: &'v [Value],
    name: impl Fn(&Value) -> K,
) -> Vec<Paired<'v, K>> {
    let numbered = |items: &'v [Value]| {
        let mut seen: BTreeMap<K, usize> = BTreeMap::new();
        let mut out = Vec::with_capacity(items.len());
        for item in items {
            let n = seen.entry(name(item)).or_default();
            *n += 1;
            out.push(((name(item), *n), item));
        }
        out
    };
    let (old, new) = (numbered(base), numbered(head));
    let by_old: BTreeMap<_, _> = old.iter().cloned().collect_map();
    let by_new: BTreeMap<_, _> = new.iter().cloned().collect_map();
    let of_base = old.iter().map(|(key, item)| {
        let other = by_new.get(key).copied();
        (
            key.clone(),
            Change::of(true, other.is_some()),
            Some(*item),
            other,
        )
    });
    let of_head = new.iter().filter(|(key, _)| !by_old.contains_key(key));
    of_base
        .chain(of_head.map(|(key, item)| (key.clone(), Change::Added, None, Some(*item))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::read::read;

    #[test]
    fn rules_of_one_name_are_paired_by_their_labels() {
        let rule = |severity: &str, expr: &str| {
            let text = format!("{{alert: A, expr: {expr}, labels: {{severity: {severity}}}}}");
            read(FileId::new(0), &text, &mut Sink::default())[0]
                .root
                .to_value()
        };
        let base = [rule("warning", "x > 1"), rule("critical", "x > 2")];
        let head = [
            rule("info", "x > 0"),
            rule("warning", "x > 1"),
            rule("critical", "x > 3"),
        ];
        let pairs: Vec<_> = paired_rules(&base, &head)
            .into_iter()
            .map(|(_, _, old, new)| (old, new))
            .collect();
        assert_eq!(
            pairs,
            [
                (Some(&base[0]), Some(&head[1])),
                (Some(&base[1]), Some(&head[2])),
                (None, Some(&head[0])),
            ]
        );
    }
}
