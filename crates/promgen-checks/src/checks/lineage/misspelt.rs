//! Names of recorded series that are almost those that rules record.

use std::collections::{BTreeMap, BTreeSet};

use super::within;
use promgen_model::model::World;
use promgen_model::model::lineage::dashboards::Dashboard;
use promgen_prometheus::promql::{ExprKind, Tree, VectorSelector};
use promgen_text::CollectOrdered;
use promgen_text::diag::{Diagnostic, Level, Sink, rules};
use promgen_text::suggest;

rules! {
    /// ## What it does
    /// Finds rules that read a series with a colon in its name, which no rule in the input records, where a rule records almost this
    /// name: an info, if something reads that; and those that ask `ALERTS` for an alert that is not in the input, where one is called almost so.
    ///
    /// ## Why is this bad?
    /// Names with colons are made by recording rules alone. The expression is empty: an alert with it never fires.
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
    ///     - {record: "job:orders:rate_5m", expr: "sum by (job) (rate(orders_total[5m]))"}
    ///     - {alert: NoOrders, expr: "job:orders:rate5m < 1"}
    /// ```
    /// Use instead: the name that is recorded.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {record: "job:orders:rate5m", expr: "sum by (job) (rate(orders_total[5m]))"}
    ///     - {alert: NoOrders, expr: "job:orders:rate5m < 1"}
    /// ```
    MISSPELT_RECORD = "PG633" "misspelt-record" Warning: "a recorded series that is read by another name than it has";
}

/// The most comparisons of names: those of real environments stay far below.
const MAX_COMPARED: usize = 1_000_000;

/// Checks the names that all rules read.
pub(super) fn check(world: &World<'_>, boards: &[Dashboard], sink: &mut Sink) {
    let rules = &world.lineage().rules;
    let is_own = |record: &String| record.contains(':');
    let recorded = rules
        .iter()
        .filter(|rule| rule.record.as_ref().is_none_or(is_own));
    let recorded: BTreeMap<&str, _> = recorded.map(|rule| (rule.name(), rule)).collect_map();
    if recorded.is_empty() {
        return;
    }
    let trees = rules.iter().filter_map(|rule| rule.tree.as_ref());
    let queries = boards
        .iter()
        .flat_map(|board| &board.queries)
        .map(|query| &query.tree);
    let read: BTreeSet<&str> = trees
        .chain(queries)
        .flat_map(names)
        .map(|(name, _)| name)
        .collect_set();
    // What nothing reads is more likely meant.
    let (also_read, mut likely): (Vec<&str>, Vec<&str>) =
        recorded.keys().partition(|name| read.contains(*name));
    likely.extend(also_read);
    let dumped = world.dumps().all.as_ref();
    let is_missing = |name: &&str| {
        !recorded.contains_key(name) && !dumped.is_some_and(|known| known.contains(*name))
    };
    let missing: Vec<&str> = read.iter().copied().filter(is_missing).collect();
    if missing.len().saturating_mul(likely.len()) > MAX_COMPARED {
        return;
    }
    let meant: BTreeMap<&str, &str> = missing
        .into_iter()
        .filter_map(|name| {
            let is_it =
                |other: &&&str| other.contains(':') == name.contains(':') && is_slip(name, other);
            Some((name, *likely.iter().find(is_it)?))
        })
        .collect_map();
    for rule in rules {
        for (name, span) in rule.tree.iter().flat_map(names) {
            let Some(near) = meant.get(name) else {
                continue;
            };
            let (level, unread) = match read.contains(near) {
                true => (Level::Info, String::new()),
                false => (Level::Warning, format!(", and nothing reads `{near}`")),
            };
            let (key, made, here) = match name.contains(':') {
                true => ("record", "records", "recorded here"),
                false => ("alert", "has the alert", "it is here"),
            };
            let what = rule.what();
            let message = format!("{what}: no rule in the input {made} `{name}`{unread}");
            let by = recorded[near].at.clone().key(key);
            let finding = Diagnostic::new(&MISSPELT_RECORD, within(rule, span), message)
                .level(level)
                .related(by, here)
                .help(format!("did you mean `{near}`?"));
            sink.report(finding);
        }
    }
}

/// The names that an expression reads, with their places.
fn names(tree: &Tree) -> Vec<(&str, std::ops::Range<usize>)> {
    let named = tree.nodes().iter().filter_map(|node| match &node.kind {
        ExprKind::Selector(selector) => Some((name(selector)?, node.span.clone())),
        _ => None,
    });
    named.collect()
}

/// The name with colons that a selector reads, or the alert that it asks for.
fn name(selector: &VectorSelector) -> Option<&str> {
    let name = selector.name.as_deref()?;
    if !name.starts_with("ALERTS") {
        return Some(name).filter(|name| name.contains(':'));
    }
    let mut matchers = selector.matchers.iter();
    let asked = matchers.find(|of| of.label == "alertname" && of.operator == "=");
    asked.map(|asked| asked.value.as_str())
}

/// Returns whether a name is another one but for signs, or for a letter of one of its words. Digits, short words and functions are
/// told apart: `rate5m` is not `rate1m`, `rx` not `tx`, `irate` not `rate`.
fn is_slip(name: &str, recorded: &str) -> bool {
    let plain = |text: &str| text.replace(['_', ':'], "").to_ascii_lowercase();
    if plain(name) == plain(recorded) {
        return true;
    }
    let words = |text: &str| {
        text.split(['_', ':'])
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (own, others) = (words(name), words(recorded));
    let mut different = own.iter().zip(&others).filter(|(own, other)| own != other);
    let (Some((own_word, other)), None) = (different.next(), different.next()) else {
        return false;
    };
    let is_function =
        own_word.strip_prefix('i') == Some(other) || other.strip_prefix('i') == Some(own_word);
    let is_plural =
        own_word.strip_suffix('s') == Some(other) || other.strip_suffix('s') == Some(own_word);
    let is_long = own_word.len().min(other.len()) >= 5;
    own.len() == others.len()
        && !is_function
        && (is_plural || is_long && suggest::edits(own_word, other) == Some(1))
        && suggest::is_slip(own_word, other)
}

#[cfg(test)]
mod tests {
    use super::is_slip;

    #[test]
    fn digits_short_words_and_functions_are_told_apart() {
        for (name, recorded) in [
            ("job:sales:rate5m", "job:sales:rate_5m"),
            ("job_sales:rate5m", "job:sales:rate5m"),
            ("job:sale:rate5m", "job:sales:rate5m"),
            ("job:requsts:rate5m", "job:requests:rate5m"),
        ] {
            assert!(is_slip(name, recorded), "{name} {recorded}");
        }
        for (name, recorded) in [
            ("job:sales:rate5m", "job:sales:rate1m"),
            ("node:net_rx:rate5m", "node:net_tx:rate5m"),
            ("job:sales:irate", "job:sales:rate"),
            ("job:sales:min", "job:sales:max"),
            ("node:cpu:ratio", "node:gpu:ratio"),
            ("node:cpu:ratio", "node:cpu:usage"),
            ("a:requsts:x", "b:requests:x"),
        ] {
            assert!(!is_slip(name, recorded), "{name} {recorded}");
        }
    }
}
