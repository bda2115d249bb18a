//! Prints the routes of alerts as text, JSON and a diagram.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::cli::ask::route::AlertmanagerTree;
use crate::cli::json;
use crate::cli::report::one_line;
use promgen_driver::alerts::NearMiss;
use promgen_prometheus::routing::{
    Alert, AlertLabels, MatchedRoute, PieceSource, RouteNode, RoutingTree, Setting, Way, times,
};
use promgen_resources::secrecy::REDACTED;
use promgen_text::diag::escape;
use promgen_text::source::Sources;
use promgen_text::time::Timestamp;
use promgen_text::yaml::{Map, Value};

/// The firing alerts, and the time.
type AlertTime<'a> = (&'a [AlertLabels], Option<Timestamp>);

/// The routes of an Alertmanager that match an alert.
pub(super) fn text(
    (workload, tree): AlertmanagerTree<'_>,
    labels: &AlertLabels,
    (firing, at): AlertTime<'_>,
    sources: &Sources,
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
pub(in crate::cli) fn name(way: &Way) -> String {
    way.iter().fold("route".to_owned(), |name, index| {
        format!("{name}.routes[{index}]")
    })
}

fn place(source: &PieceSource, sources: &Sources) -> String {
    place_text(source, sources).map_or_else(String::new, |place| format!("  # {place}"))
}

pub(in crate::cli) fn place_text(source: &PieceSource, sources: &Sources) -> Option<String> {
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

fn shown_setting(setting: &Setting<String>) -> &str {
    shown(&setting.value, setting.is_secret)
}

/// The texts of a list, each as printed.
fn shown_list(texts: impl IntoIterator<Item = impl ToString>, is_secret: bool) -> Vec<String> {
    texts
        .into_iter()
        .map(|text| shown(&text.to_string(), is_secret).to_owned())
        .collect()
}

pub(in crate::cli) fn conditions(node: &RouteNode) -> String {
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

pub(in crate::cli) fn timing(node: &RouteNode) -> String {
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
pub(in crate::cli) fn receiver(tree: &RoutingTree, node: &RouteNode) -> String {
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
pub(in crate::cli) fn paged(tree: &RoutingTree, node: &RouteNode) -> String {
    tree.nobody(node, &one_line(shown_setting(&node.receiver)))
        .unwrap_or_else(|| receiver(tree, node))
}

/// The receivers of an alert by name.
fn receivers(tree: &RoutingTree, labels: &AlertLabels) -> Value {
    texts(
        tree.notifying(labels)
            .map(|node| shown_setting(&node.receiver)),
    )
}

fn receivers_of(tree: &RoutingTree, alert: &Alert) -> Value {
    texts(
        tree.notifying_of(alert)
            .map(|node| shown_setting(&node.receiver)),
    )
}

fn list(labels: &AlertLabels) -> String {
    let pairs: Vec<String> = labels
        .iter()
        .map(|(name, value)| format!("{name}={value:?}"))
        .collect();
    one_line(&pairs.join(", "))
}

/// Writes the receivers of an alert as JSON.
pub(super) fn json(
    subjects: &[AlertmanagerTree<'_>],
    labels: &AlertLabels,
    (firing, at): AlertTime<'_>,
    sources: &Sources,
    out: &mut dyn Write,
) -> io::Result<()> {
    let of = |(workload, tree): &AlertmanagerTree<'_>| {
        let steps = tree
            .route(labels)
            .into_iter()
            .map(|step| step_value(tree, &step, at, sources));
        let inhibited = tree
            .inhibited_by(labels, firing)
            .into_iter()
            .map(|(rule, by)| {
                let map = Map::new().with("by", labels_value(by));
                with_place(map, &rule.source, sources).into()
            });
        Value::from(
            Map::new()
                .with("workload", workload.id.to_string())
                .with("labels", labels_value(labels))
                .with("receivers", receivers(tree, labels))
                .with("routes", Value::Seq(steps.collect()))
                .with("inhibited", Value::Seq(inhibited.collect())),
        )
    };
    json::write_list("route", "workloads", subjects.iter().map(of).collect(), out)
}

fn step_value(
    tree: &RoutingTree,
    step: &MatchedRoute<'_>,
    at: Option<Timestamp>,
    sources: &Sources,
) -> Value {
    let node = step.node;
    let map = Map::new()
        .with("route", name(&step.way))
        .with(
            "matchers",
            texts(shown_list(&node.matchers, node.source.is_secret)),
        )
        .with("continue", node.continues)
        .with("notifies", step.is_last);
    let mut map = with_place(map, &node.source, sources);
    if step.is_last {
        map.push("receiver", shown_setting(&node.receiver).to_owned());
        map.push(
            "integrations",
            texts(
                tree.receivers
                    .get(&node.receiver.value)
                    .into_iter()
                    .flatten(),
            ),
        );
        map.push(
            "groupBy",
            texts(shown_list(&node.group_by.value, node.group_by.is_secret)),
        );
        map.push("groupWait", shown_setting(&node.group_wait).to_owned());
        map.push(
            "groupInterval",
            shown_setting(&node.group_interval).to_owned(),
        );
        map.push(
            "repeatInterval",
            shown_setting(&node.repeat_interval).to_owned(),
        );
        map.push(
            "muteTimeIntervals",
            texts(shown_list(&node.mute, node.source.is_secret)),
        );
        map.push(
            "activeTimeIntervals",
            texts(shown_list(&node.active, node.source.is_secret)),
        );
        map.push_some("muted", at.and_then(|at| tree.is_muted(node, at)));
    }
    map.into()
}

fn with_place(mut map: Map, source: &PieceSource, sources: &Sources) -> Map {
    if let Some(span) = source.span {
        map.push("file", sources.file(span.file).name.clone());
        map.push(
            "line",
            i64::try_from(sources.start(span).line).unwrap_or_default(),
        );
    }
    map.push_some(
        "lineInSecret",
        source.line.and_then(|line| i64::try_from(line).ok()),
    );
    map
}

fn texts<T: ToString>(items: impl IntoIterator<Item = T>) -> Value {
    Value::Seq(
        items
            .into_iter()
            .map(|item| item.to_string().into())
            .collect(),
    )
}

fn labels_value(labels: &AlertLabels) -> Value {
    let entry = |(name, value): (&String, &String)| (name.clone(), value.clone().into());
    Value::Map(labels.iter().map(entry).collect())
}

/// The alerts in the input, one per line.
pub(super) fn table(
    subjects: &[AlertmanagerTree<'_>],
    alerts: &[Alert],
    out: &mut dyn Write,
) -> io::Result<()> {
    for (index, (workload, tree)) in subjects.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", one_line(&workload.id.to_string()))?;
        let mut rows = vec![[
            "ALERT".to_owned(),
            "NAMESPACE".to_owned(),
            "RECEIVERS".to_owned(),
        ]];
        rows.extend(alerts.iter().map(|alert| row(tree, alert)));
        let width = |column: usize| {
            rows.iter()
                .map(|row| row[column].chars().count())
                .max()
                .unwrap_or_default()
        };
        let (first, second) = (width(0), width(1));
        for [alert, namespace, receivers] in &rows {
            writeln!(out, "  {alert:first$}  {namespace:second$}  {receivers}")?;
        }
    }
    Ok(())
}

fn row(tree: &RoutingTree, alert: &Alert) -> [String; 3] {
    let label = |name: &str| one_line(alert.labels.get(name).map_or("", String::as_str));
    let mut receivers: Vec<String> = tree
        .notifying_of(alert)
        .map(|node| paged(tree, node))
        .collect();
    receivers.dedup();
    let receivers = match alert.unevaluated {
        Some(why) => format!("nobody: {why}"),
        None => receivers.join("; "),
    };
    let receivers = match NearMiss::of(alert, tree) {
        Some(NearMiss { wanted, left }) => format!("{receivers} (needs {wanted}: {left})"),
        None => receivers,
    };
    [label("alertname"), label("namespace"), receivers]
}

/// Writes the table of alerts as JSON.
pub(super) fn table_json(
    subjects: &[AlertmanagerTree<'_>],
    alerts: &[Alert],
    sources: &Sources,
    out: &mut dyn Write,
) -> io::Result<()> {
    let of = |(workload, tree): &AlertmanagerTree<'_>| {
        let rows = alerts.iter().map(|alert| {
            let map = Map::new()
                .with("rule", alert.resource.clone())
                .with("labels", labels_value(&alert.labels))
                .with("receivers", receivers_of(tree, alert));
            let source = PieceSource {
                span: alert.span,
                ..PieceSource::default()
            };
            with_place(map, &source, sources).into()
        });
        Value::from(
            Map::new()
                .with("workload", workload.id.to_string())
                .with("alerts", Value::Seq(rows.collect())),
        )
    };
    json::write_list("route", "workloads", subjects.iter().map(of).collect(), out)
}

/// A diagram of alerts by namespace, and their receivers.
pub(super) fn mermaid(
    subjects: &[AlertmanagerTree<'_>],
    alerts: &[Alert],
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "flowchart LR")?;
    let mut ids: BTreeMap<String, usize> = BTreeMap::new();
    for (workload, tree) in subjects {
        let mut edges: BTreeMap<(String, String), usize> = BTreeMap::new();
        for alert in alerts {
            let namespace = alert.labels.get("namespace").cloned().unwrap_or_default();
            for node in tree.notifying_of(alert) {
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
            let alerts = if count == 1 { "alert" } else { "alerts" };
            writeln!(out, "  {from} -->|{count} {alerts}| {to}")?;
        }
    }
    Ok(())
}
