//! Prints the routes of alerts as text and as a diagram.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::cli::ask::route::AlertmanagerTree;
use crate::cli::ask::route::answer::RouteQuestion;
use crate::cli::report::one_line;
use crate::cli::table::aligned;
use promgen_compile::output::WorkloadId;
use promgen_model::alerts::{NAMESPACE, NearMiss};
use promgen_model::model::senders::{AlertReach, AlertSenders};
use promgen_prometheus::routing::{
    Alert, AlertLabels, PieceSource, RouteNode, RoutingTree, Setting, Way, times,
};
use promgen_resources::secrecy::REDACTED;
use promgen_text::diag::count::counted;
use promgen_text::diag::escape;
use promgen_text::source::Sources;
use promgen_text::time::Timestamp;

/// The routes of an Alertmanager that match an alert.
pub(super) fn text(
    (workload, tree): AlertmanagerTree<'_>,
    RouteQuestion {
        labels,
        firing,
        at,
        sources,
    }: RouteQuestion<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "{}: {}",
        one_line(&workload.id.to_string()),
        list(labels)
    )?;
    let steps = tree.route(labels);
    if steps.is_empty() {
        writeln!(out, "  no route matches")?;
    }
    for step in &steps {
        let indent = "  ".repeat(step.way.len() + 1);
        writeln!(
            out,
            "{indent}{}{}",
            name(&step.way),
            place(&step.node.source, sources)
        )?;
        writeln!(out, "{indent}  {}", conditions(step.node))?;
        if step.is_last {
            writeln!(out, "{indent}  {}", timing(step.node))?;
            writeln!(out, "{indent}  -> {}", receiver(tree, step.node))?;
            intervals(tree, step.node, at, &indent, out)?;
        }
    }
    for (rule, by) in tree.inhibited_by(labels, firing) {
        writeln!(
            out,
            "  inhibited by {}{}",
            list(by),
            place(&rule.source, sources)
        )?;
    }
    Ok(())
}

/// All routes of an Alertmanager, each below its parent.
pub(super) fn whole(
    (workload, tree): AlertmanagerTree<'_>,
    at: Option<Timestamp>,
    sources: &Sources,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}", one_line(&workload.id.to_string()))?;
    for (way, node, _) in tree.routes() {
        let indent = "  ".repeat(way.len() + 1);
        writeln!(
            out,
            "{indent}{} -> {}{}",
            conditions(node),
            receiver(tree, node),
            place(&node.source, sources)
        )?;
        writeln!(out, "{indent}  {}", timing(node))?;
        intervals(tree, node, at, &indent, out)?;
    }
    Ok(())
}

fn intervals(
    tree: &RoutingTree,
    node: &RouteNode,
    at: Option<Timestamp>,
    indent: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (names, mutes_inside) in [(&node.mute, true), (&node.active, false)] {
        for interval in names {
            let what = if mutes_inside {
                "muted during"
            } else {
                "active during"
            };
            let now = at.map(|at| {
                match times::contains(tree.intervals.get(interval).map_or(&[], Vec::as_slice), at) {
                    None => format!(": unknown at {at}, which depends on the time zone of the pod"),
                    Some(is_inside) if is_inside == mutes_inside => format!(": muted at {at}"),
                    Some(_) => format!(": not muted at {at}"),
                }
            });
            let name = one_line(shown(interval, node.source.is_secret));
            writeln!(out, "{indent}  {what} {name}{}", now.unwrap_or_default())?;
        }
    }
    Ok(())
}

/// The name of a route: `route.routes[0].routes[1]`.
pub(crate) fn name(way: &Way) -> String {
    way.iter().fold("route".to_owned(), |name, index| {
        format!("{name}.routes[{index}]")
    })
}

fn place(source: &PieceSource, sources: &Sources) -> String {
    place_text(source, sources).map_or_else(String::new, |place| format!("  # {place}"))
}

pub(crate) fn place_text(source: &PieceSource, sources: &Sources) -> Option<String> {
    let span = source.span?;
    let file = one_line(&sources.file(span.file).name);
    let line = source
        .line
        .map(|line| format!(", line {line} of alertmanager.yaml"))
        .unwrap_or_default();
    Some(format!("{file}:{}{line}", sources.start(span).line))
}

/// A text to print, redacted if it is from a Secret.
const fn shown(text: &str, is_secret: bool) -> &str {
    if is_secret { REDACTED } else { text }
}

pub(super) fn shown_setting(setting: &Setting<String>) -> &str {
    shown(&setting.value, setting.is_secret)
}

/// The texts of a list, each as printed.
pub(super) fn shown_list(
    texts: impl IntoIterator<Item = impl ToString>,
    is_secret: bool,
) -> Vec<String> {
    texts
        .into_iter()
        .map(|text| shown(&text.to_string(), is_secret).to_owned())
        .collect()
}

pub(crate) fn conditions(node: &RouteNode) -> String {
    let matchers = shown_list(&node.matchers, node.source.is_secret);
    let what = if matchers.is_empty() {
        "every alert".to_owned()
    } else {
        one_line(&matchers.join(", "))
    };
    if node.continues {
        format!("{what}; continue")
    } else {
        what
    }
}

pub(crate) fn timing(node: &RouteNode) -> String {
    let groups = match node.group_by.value.as_slice() {
        [] => "one group".to_owned(),
        _ if node.group_by.is_secret => format!("grouped by {REDACTED}"),
        [all] if all == "..." => "one group per alert".to_owned(),
        labels => format!("grouped by {}", one_line(&labels.join(", "))),
    };
    let [wait, interval, repeat] = [
        &node.group_wait,
        &node.group_interval,
        &node.repeat_interval,
    ]
    .map(|setting| one_line(shown_setting(setting)));
    format!("{groups}, wait {wait}, interval {interval}, repeat {repeat}")
}

/// The receiver of a route, and its integrations.
pub(crate) fn receiver(tree: &RoutingTree, node: &RouteNode) -> String {
    let through = tree
        .receivers
        .get(&node.receiver.value)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let through = if through.is_empty() {
        "no integrations".to_owned()
    } else {
        one_line(&through.join(", "))
    };
    format!("{}: {through}", one_line(shown_setting(&node.receiver)))
}

/// Whom a route notifies: its receiver, or nobody.
pub(crate) fn paged(tree: &RoutingTree, node: &RouteNode) -> String {
    tree.nobody(node, &one_line(shown_setting(&node.receiver)))
        .unwrap_or_else(|| receiver(tree, node))
}

fn list(labels: &AlertLabels) -> String {
    let pairs: Vec<String> = labels
        .iter()
        .map(|(name, value)| format!("{name}={value:?}"))
        .collect();
    one_line(&pairs.join(", "))
}

/// The alerts in the input, one per line.
pub(super) fn table(
    subjects: &[AlertmanagerTree<'_>],
    alerts: &[Alert],
    senders: &AlertSenders,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (index, (workload, tree)) in subjects.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", one_line(&workload.id.to_string()))?;
        let mut rows = vec![["ALERT", "NAMESPACE", "RECEIVERS"].map(str::to_owned)];
        let of = |alert: &Alert| row(&workload.id, tree, alert, senders);
        rows.extend(alerts.iter().map(of));
        for line in aligned(&rows) {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}

fn row(id: &WorkloadId, tree: &RoutingTree, alert: &Alert, senders: &AlertSenders) -> [String; 3] {
    let ends = senders.ends(alert, id, tree);
    let shown = |same: &[(&RouteNode, AlertReach)]| {
        let mut receivers: Vec<String> = same.iter().map(|(node, _)| paged(tree, node)).collect();
        receivers.dedup();
        let receivers = receivers.join("; ");
        match same.first().map(|(_, reach)| reach) {
            Some(AlertReach::No(why)) => format!("{receivers} (not sent: {why})"),
            Some(AlertReach::Unknown(why)) => or_unknown(receivers, Some(why)),
            Some(AlertReach::Yes) | None => receivers,
        }
    };
    let all = ends.chunk_by(|one, other| one.1 == other.1).map(shown);
    let receivers = match senders.evaluated(&alert.resource) {
        AlertReach::No(why) => format!("nobody: {why}"),
        AlertReach::Yes | AlertReach::Unknown(_) => all.collect::<Vec<String>>().join("; "),
    };
    let receivers = match NearMiss::of(alert, tree) {
        Some(NearMiss { wanted, left }) => format!("{receivers} (needs {wanted}: {left})"),
        None => receivers,
    };
    let name = alert.labels.get("alertname").map_or("", String::as_str);
    // Where its series decide, the receivers of all namespaces are there, and the one of its rule tells it from others.
    let of_rule = || alert.resource.split('/').next().unwrap_or_default();
    let namespace = match alert.open.contains_key(NAMESPACE) {
        true => of_rule(),
        false => namespace(alert),
    };
    [name, namespace, &receivers].map(one_line)
}

/// The namespace of an alert, if its series have one.
fn namespace(alert: &Alert) -> &str {
    match alert.open.contains_key(NAMESPACE) {
        true => "unknown",
        false => alert.labels.get(NAMESPACE).map_or("", String::as_str),
    }
}

/// A text, with the reason why it is not known whether it holds.
pub(crate) fn or_unknown(text: String, why: Option<&str>) -> String {
    match why {
        None => text,
        Some(why) => format!("{text} (unknown: {why})"),
    }
}

/// A diagram of alerts by namespace, and their receivers.
pub(super) fn mermaid(
    subjects: &[AlertmanagerTree<'_>],
    alerts: &[Alert],
    senders: &AlertSenders,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "flowchart LR")?;
    let mut ids: BTreeMap<String, usize> = BTreeMap::new();
    for (workload, tree) in subjects {
        let mut edges: BTreeMap<(String, String), usize> = BTreeMap::new();
        for alert in alerts {
            let namespace = namespace(alert).to_owned();
            for (node, reach) in senders.ends(alert, &workload.id, tree) {
                if matches!(reach, AlertReach::No(_)) {
                    continue;
                }
                *edges
                    .entry((namespace.clone(), receiver(tree, node)))
                    .or_default() += 1;
            }
        }
        for ((namespace, receiver), count) in edges {
            let mut node = |kind: &str, text: &str| {
                let next = ids.len();
                let id = *ids.entry(format!("{kind}{text}")).or_insert(next);
                format!("n{id}[\"{}\"]", escape::mermaid(text))
            };
            let from = node("namespace", &namespace);
            let to = node(&workload.id.to_string(), &receiver);
            writeln!(out, "  {from} -->|{}| {to}", counted(count, "alert"))?;
        }
    }
    Ok(())
}
