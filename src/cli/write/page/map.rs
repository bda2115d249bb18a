//! The map of a cluster: who scrapes what, who evaluates which rules, and whom their alerts notify.
//!
//! In: the compiled workloads, the alerts, and what nobody selects. Out: boxes in five columns and the lines between them, with
//! their places in a picture. Monitors and rules are one box for each namespace, so that hundreds of them can be read.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::ask::route::print::receiver;
use crate::cli::write::page::names::Names;
use crate::cli::write::page::workload::WorkloadPart;
use promgen_compile::output::{SelectedKind, Workload, WorkloadKind};
use promgen_driver::Model;
use promgen_driver::reachable::UnreachableJobs;
use promgen_prometheus::routing::{Alert, RoutingTree};
use promgen_text::diag::count::counted;

/// The most boxes of a column.
const MAX_BOXES: usize = 40;

/// The kinds of monitors.
const MONITORS: [&str; 4] = ["ServiceMonitor", "PodMonitor", "Probe", "ScrapeConfig"];

/// The columns, from left to right.
const COLUMNS: [&str; 5] = ["Monitors", "Servers", "Rules", "Alertmanagers", "Receivers"];

/// Measures of the picture, in its own units.
const WIDTH: usize = 190;
const HEIGHT: usize = 44;
const GAP: usize = 12;
const BETWEEN: usize = 70;
const HEAD: usize = 30;

/// The most letters of a line in a box.
const MAX_LETTERS: usize = 26;

/// A map.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ReportMap")]
pub(super) struct MapPart {
    /// The width of the picture.
    width: usize,
    /// Its height.
    height: usize,
    /// The columns.
    columns: Vec<MapColumn>,
    /// The boxes.
    boxes: Vec<MapBox>,
    /// The lines between them.
    lines: Vec<MapLine>,
    /// What is left out of the map.
    notes: Vec<String>,
}

/// A column of the map.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ReportMapColumn")]
struct MapColumn {
    /// What is in it.
    title: &'static str,
    /// Its left side.
    x: usize,
}

/// A box of the map.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ReportMapBox")]
struct MapBox {
    /// Its column, from 0.
    column: usize,
    /// What it stands for.
    title: String,
    /// The title, as far as it fits.
    short: String,
    /// What else is to be said.
    detail: String,
    /// The detail, as far as it fits.
    short_detail: String,
    /// Where it leads to in the page.
    to: String,
    /// `bad`, `changed`, or nothing.
    tone: &'static str,
    /// Its left side.
    x: usize,
    /// Its upper side.
    y: usize,
}

/// A line between two boxes.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ReportMapLine")]
struct MapLine {
    /// The number of the box where it begins.
    from: usize,
    /// The number of the box where it ends.
    to: usize,
    /// What goes along it.
    label: String,
    /// Its width.
    width: usize,
    /// `bad`, or nothing.
    tone: &'static str,
    /// The curve, as a path of SVG.
    path: String,
}

/// What nobody selects: how many, by namespace.
pub(super) type LeftMonitors<'a> = BTreeMap<&'a str, usize>;

/// The map of a cluster. `None` if it has no workload.
pub(super) fn part(
    model: &Model,
    (workloads, unreachable): (&[WorkloadPart], &UnreachableJobs),
    unselected: &LeftMonitors<'_>,
    names: &Names,
) -> Option<MapPart> {
    let compiled = &model.output().workloads;
    if compiled.is_empty() {
        return None;
    }
    let mut map = MapDraft::default();
    for (workload, part) in compiled.iter().zip(workloads) {
        map.workload(workload, part, &unreached(workload, unreachable));
    }
    for (namespace, n) in unselected {
        let detail = format!("{n} selected by nobody");
        map.add(DraftBox {
            column: 0,
            title: (*namespace).to_owned(),
            detail,
            to: names.id("cluster-unselected"),
            tone: "bad",
        });
    }
    map.alerts(model, names);
    Some(map.drawn())
}

/// A box before it has a place.
#[derive(Debug)]
struct DraftBox {
    column: usize,
    title: String,
    detail: String,
    to: String,
    tone: &'static str,
}

#[derive(Debug, Default)]
struct MapDraft {
    nodes: Vec<DraftBox>,
    /// How much goes from one box to another, and of what.
    edges: BTreeMap<(usize, usize), (usize, &'static str)>,
    /// The box of the rules of a namespace.
    rules: BTreeMap<String, usize>,
    /// The box of an Alertmanager.
    alertmanagers: BTreeMap<String, usize>,
    notes: Vec<String>,
}

impl MapDraft {
    fn add(&mut self, node: DraftBox) -> usize {
        let same =
            |known: &DraftBox| (known.column, &known.title, &known.detail) == (node.column, &node.title, &node.detail);
        match self.nodes.iter().position(same) {
            Some(at) => at,
            None => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
        }
    }

    fn connect(&mut self, from: usize, to: usize, n: usize, what: &'static str) {
        self.edges.entry((from, to)).or_insert((0, what)).0 += n;
    }

    /// `unreached`: how many jobs of each namespace get no targets.
    fn workload(&mut self, workload: &Workload, part: &WorkloadPart, unreached: &BTreeMap<String, usize>) {
        let column = if workload.id.kind == WorkloadKind::Alertmanager { 3 } else { 1 };
        let title = format!("{}/{}", workload.id.namespace, workload.id.name);
        let detail = if part.error().is_some() { "not reconciled".to_owned() } else { part.summary() };
        let own = self.add(DraftBox { column, title, detail, to: part.link().to_owned(), tone: part.tone() });
        if workload.id.kind == WorkloadKind::Alertmanager {
            self.alertmanagers.insert(workload.id.to_string(), own);
            return;
        }
        for (namespace, (kinds, n_refused)) in by_namespace(&workload.selected.kinds, &MONITORS) {
            let n: usize = kinds.values().sum();
            let mut detail: Vec<String> = kinds.iter().map(|(kind, n)| counted(*n, kind)).collect();
            detail.extend((n_refused > 0).then(|| format!("{n_refused} refused")));
            let n_unreached = unreached.get(&namespace).copied().unwrap_or_default();
            detail.extend((n_unreached > 0).then(|| format!("{} not reached", counted(n_unreached, "job"))));
            let tone = if n_refused + n_unreached > 0 { "bad" } else { "" };
            let node =
                DraftBox { column: 0, to: searched(&namespace), title: namespace, detail: detail.join(", "), tone };
            let from = self.add(node);
            self.connect(from, own, n, "resource");
        }
        for (namespace, (kinds, _)) in by_namespace(&workload.selected.kinds, &["PrometheusRule"]) {
            let n: usize = kinds.values().sum();
            let to = match self.rules.get(&namespace) {
                Some(known) => *known,
                None => {
                    let detail = counted(n, "PrometheusRule");
                    self.add(DraftBox {
                        column: 2,
                        to: searched(&namespace),
                        title: namespace.clone(),
                        detail,
                        tone: "",
                    })
                }
            };
            self.rules.insert(namespace, to);
            self.connect(own, to, n, "resource");
        }
    }

    /// The alerts of rules that somebody evaluates, through the Alertmanagers to their receivers.
    fn alerts(&mut self, model: &Model, names: &Names) {
        let (alerts, output) = (model.alerts(), model.output());
        let of_kind = output.workloads.iter().filter(|workload| workload.id.kind == WorkloadKind::Alertmanager);
        let trees: Vec<_> = of_kind.filter_map(|workload| Some((workload, workload.routing.as_ref()?))).collect();
        let limits = &model.project().options().limits;
        if trees.is_empty() || RoutingTree::excess(limits, alerts.len(), trees.iter().map(|(_, tree)| *tree)).is_some()
        {
            return;
        }
        let to = names.id("cluster-alerts");
        for alert in alerts.iter().filter(|alert| alert.unevaluated.is_none()) {
            let Some(from) = self.rules_of(alert) else { continue };
            let mut silent: Vec<usize> = Vec::new();
            let mut is_silent = true;
            for (workload, tree) in &trees {
                let Some(through) = self.alertmanagers.get(&workload.id.to_string()).copied() else { continue };
                let receivers: BTreeSet<String> = tree.notifying_of(alert).map(|node| receiver(tree, node)).collect();
                if receivers.is_empty() {
                    continue;
                }
                self.connect(from, through, 1, "alert");
                silent.push(through);
                for name in receivers.iter().filter(|name| !name.ends_with(": no integrations")) {
                    let (title, detail) = name.split_once(": ").unwrap_or((name, ""));
                    let (title, detail) = (title.to_owned(), detail.to_owned());
                    let receiver = self.add(DraftBox { column: 4, title, detail, to: to.clone(), tone: "" });
                    self.connect(through, receiver, 1, "alert");
                    is_silent = false;
                }
            }
            if is_silent {
                let (title, detail) = ("nobody".to_owned(), "is notified".to_owned());
                let nobody = self.add(DraftBox { column: 4, title, detail, to: to.clone(), tone: "bad" });
                silent.into_iter().for_each(|through| self.connect(through, nobody, 1, "alert"));
            }
        }
    }

    fn rules_of(&self, alert: &Alert) -> Option<usize> {
        self.rules.get(alert.resource.split('/').next()?).copied()
    }

    /// Gives the boxes their places.
    fn drawn(mut self) -> MapPart {
        let order = self.ordered();
        let most = (0..COLUMNS.len()).map(|column| order[column].len()).max().unwrap_or_default();
        let height = HEAD + most * (HEIGHT + GAP);
        let mut boxes: Vec<MapBox> = Vec::new();
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        for (column, nodes) in order.iter().enumerate() {
            let top = HEAD + (most - nodes.len()) * (HEIGHT + GAP) / 2;
            for (row, at) in nodes.iter().enumerate() {
                let DraftBox { title, detail, to, tone, .. } = &self.nodes[*at];
                numbers.insert(*at, boxes.len());
                boxes.push(MapBox {
                    column,
                    short: shortened(title),
                    title: title.clone(),
                    short_detail: shortened(detail),
                    detail: detail.clone(),
                    to: to.clone(),
                    tone,
                    x: left(column),
                    y: top + row * (HEIGHT + GAP),
                });
            }
        }
        let lines = self.edges.iter().filter_map(|((from, to), (n, what))| {
            let (from, to) = (*numbers.get(from)?, *numbers.get(to)?);
            let tone = if boxes[to].title == "nobody" && boxes[to].tone == "bad" { "bad" } else { "" };
            let width = 1 + n.ilog2().min(4) as usize;
            Some(MapLine { from, to, label: counted(*n, what), width, tone, path: curve(&boxes[from], &boxes[to]) })
        });
        let lines = lines.collect();
        let columns = COLUMNS.iter().enumerate().map(|(n, title)| MapColumn { title, x: left(n) }).collect();
        MapPart {
            width: left(COLUMNS.len()) - BETWEEN,
            height,
            columns,
            boxes,
            lines,
            notes: std::mem::take(&mut self.notes),
        }
    }

    /// The boxes of each column from top to bottom: beside those that lead to them. Of many, the last are left out.
    fn ordered(&mut self) -> Vec<Vec<usize>> {
        let mut order: Vec<Vec<usize>> = Vec::new();
        let mut rows: BTreeMap<usize, usize> = BTreeMap::new();
        for (column, title) in COLUMNS.iter().enumerate() {
            let mut own: Vec<usize> = (0..self.nodes.len()).filter(|at| self.nodes[*at].column == column).collect();
            let middle = |at: usize| {
                let before = self.edges.keys().filter(|(_, to)| *to == at).filter_map(|(from, _)| rows.get(from));
                let (n, sum) = before.fold((0, 0), |(n, sum), row| (n + 1, sum + row * 100));
                sum.checked_div(n).unwrap_or(usize::MAX)
            };
            own.sort_by_key(|at| (middle(*at), self.nodes[*at].title.clone(), *at));
            if own.len() > MAX_BOXES {
                self.notes.push(format!("{} of {} boxes of {} are shown", MAX_BOXES, own.len(), title.to_lowercase()));
                own.truncate(MAX_BOXES);
            }
            rows.extend(own.iter().enumerate().map(|(row, at)| (*at, row)));
            order.push(own);
        }
        order
    }
}

/// How many jobs of each namespace a workload may not discover or cannot reach.
fn unreached(workload: &Workload, unreachable: &UnreachableJobs) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for (job, _) in unreachable.of_workload(&workload.id) {
        if let Some(namespace) = job.split('/').nth(1) {
            *found.entry(namespace.to_owned()).or_insert(0) += 1;
        }
    }
    found
}

/// How many resources of these kinds are selected in each namespace, by kind, and how many of them are refused.
fn by_namespace(kinds: &[SelectedKind], wanted: &[&str]) -> BTreeMap<String, (BTreeMap<&'static str, usize>, usize)> {
    let mut found: BTreeMap<String, (BTreeMap<&'static str, usize>, usize)> = BTreeMap::new();
    for kind in kinds.iter().filter(|kind| wanted.contains(&kind.kind)) {
        for resource in &kind.resources {
            let (counts, n_refused) = found.entry(resource.namespace.clone()).or_default();
            *counts.entry(kind.kind).or_insert(0) += 1;
            *n_refused += usize::from(resource.refusal.is_some());
        }
    }
    found
}

/// The link that searches the page for a namespace.
fn searched(namespace: &str) -> String {
    format!("?q={namespace}%2F")
}

const fn left(column: usize) -> usize {
    column * (WIDTH + BETWEEN)
}

/// The curve from the right side of a box to the left side of another.
fn curve(from: &MapBox, to: &MapBox) -> String {
    let (x1, y1, x2, y2) = (from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2);
    let bend = BETWEEN / 2;
    format!("M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}", x1 + bend, x2.saturating_sub(bend))
}

/// A text, as far as it fits into a box.
fn shortened(text: &str) -> String {
    if text.chars().count() <= MAX_LETTERS {
        return text.to_owned();
    }
    let start: String = text.chars().take(MAX_LETTERS - 1).collect();
    format!("{start}…")
}
