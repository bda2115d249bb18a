//! The readers of series: the rules that servers evaluate, and the panels of dashboards, with those that surely find nothing.

use crate::lineage::server::Judgement;
use crate::model::World;
use crate::model::lineage::dashboards::{self, Dashboard, PanelQuery, has_variable};
use crate::model::lineage::{ExpressionRule, LineageModel, RuleServer, words};
use promgen_compile::output::WorkloadId;
use promgen_prometheus::promql::Tree;

/// Why nobody knows whether a panel that names no data source asks a Prometheus of the input.
const BY_DEFAULT: &str = "they name no data source, and Grafana's default one may be another";

/// A rule or a panel.
#[derive(Clone, Debug)]
pub struct SeriesReader {
    /// Its name: `alert Errors of PrometheusRule shop/shop`.
    pub name: String,
    /// Its name without that of the object: `alert Errors`.
    pub part: String,
    /// Its expression.
    pub text: String,
    /// Its number among those of a world: the rules, then the queries of dashboards.
    pub number: usize,
    /// What it is a part of.
    pub of: ReaderOwner,
    /// Why it surely finds nothing, if it does.
    pub why: Option<String>,
}

/// The object that holds a reader of series.
#[derive(Clone, Debug)]
pub enum ReaderOwner {
    /// The PrometheusRule of that namespace and name.
    Rules(String),
    /// A dashboard, and the servers that may answer the panel.
    Dashboard {
        /// The namespace of what holds it. Empty if it has none.
        namespace: String,
        /// Its title.
        title: String,
        /// The servers on which the panel may find something.
        servers: Vec<WorkloadId>,
    },
}

/// An expression of a rule or a panel, and the servers that are asked.
pub struct ReadExpression<'r> {
    /// Its name, as that of a [`SeriesReader`].
    pub name: String,
    /// Its number, as that of a [`SeriesReader`].
    pub number: usize,
    /// The expression.
    pub tree: &'r Tree,
    /// The series that it records.
    pub record: Option<&'r str>,
    /// The label that is enforced in it, with its value.
    pub enforced: Option<(&'r str, &'r str)>,
    /// The servers. None: those that a ThanosRuler asks.
    pub servers: Vec<WorkloadId>,
    /// What leaves open whether it asks them.
    pub open: Option<&'static str>,
}

/// Returns whether a ThanosRuler evaluates a rule.
fn has_ruler(world: &World<'_>, rule: &ExpressionRule) -> bool {
    world.senders().rulers(&rule.resource).next().is_some()
}

/// The expressions of the readers, in their order.
pub fn expressions<'r>(world: &World<'r>, boards: &'r [Dashboard]) -> Vec<ReadExpression<'r>> {
    let lineage = world.lineage();
    let of_rule = |(number, rule): (usize, &'r ExpressionRule)| {
        let by: Vec<&RuleServer> = lineage.evaluators(number).collect();
        let enforced = match by.first() {
            Some(server) => server.enforced(world, rule)?,
            None if has_ruler(world, rule) => None,
            None => return None,
        };
        Some(ReadExpression {
            name: rule_name(rule),
            number,
            tree: rule.tree.as_ref()?,
            record: rule.record.as_deref(),
            enforced,
            servers: by.iter().map(|server| server.id.clone()).collect(),
            open: None,
        })
    };
    let of_panel =
        |(number, (board, query)): (usize, (&Dashboard, &'r PanelQuery))| ReadExpression {
            name: board.name_of(query),
            number,
            tree: &query.tree,
            record: None,
            enforced: None,
            servers: lineage
                .servers
                .iter()
                .map(|server| server.id.clone())
                .collect(),
            open: query.is_by_default.then_some(BY_DEFAULT),
        };
    let rules = lineage.rules.iter().enumerate();
    rules
        .filter_map(of_rule)
        .chain(panels(lineage, boards).map(of_panel))
        .collect()
}

fn rule_name(rule: &ExpressionRule) -> String {
    format!("{} of PrometheusRule {}", rule.what(), rule.resource)
}

/// The queries of dashboards, with the numbers behind those of the rules.
fn panels<'b>(
    lineage: &LineageModel,
    boards: &'b [Dashboard],
) -> impl Iterator<Item = (usize, (&'b Dashboard, &'b PanelQuery))> {
    let queries = |board: &'b Dashboard| board.queries.iter().map(move |query| (board, query));
    (lineage.rules.len()..).zip(boards.iter().flat_map(queries))
}

/// The rules that a server or a ThanosRuler evaluates, then the panels of dashboards.
pub fn all(world: &World<'_>) -> Vec<SeriesReader> {
    let boards = dashboards::all(world);
    if boards.is_empty() && world.cluster().prometheus_rules.is_empty() {
        return Vec::new();
    }
    let lineage = world.lineage();
    let is_evaluated = |number: &usize| {
        let has_server = lineage.evaluators(*number).next().is_some();
        has_server || has_ruler(world, &lineage.rules[*number])
    };
    let rules = (0..lineage.rules.len()).filter(is_evaluated).map(|number| {
        let rule = &lineage.rules[number];
        SeriesReader {
            name: rule_name(rule),
            part: rule.what(),
            text: rule.text.clone(),
            number,
            of: ReaderOwner::Rules(rule.resource.clone()),
            why: of_rule(world, number),
        }
    });
    rules
        .chain(
            panels(lineage, &boards)
                .map(|(number, (board, query))| of_panel(world, number, board, query)),
        )
        .collect()
}

/// A panel: it may ask any server.
fn of_panel(
    world: &World<'_>,
    number: usize,
    board: &Dashboard,
    query: &PanelQuery,
) -> SeriesReader {
    let (mut servers, mut first) = (Vec::new(), None);
    for server in &world.lineage().servers {
        let judge = || {
            server
                .server
                .judge(&query.tree, &query.text, None, &has_variable)
        };
        // What is not known to ask it may find something elsewhere.
        let why = match query.is_by_default {
            true => None,
            false => reason(world, server, &judge()),
        };
        match why {
            None => servers.push(server.id.clone()),
            Some(why) => first = first.or(Some(why)),
        }
    }
    let why = first.filter(|_| servers.is_empty());
    let (namespace, title) = (board.namespace.clone(), board.title.clone());
    SeriesReader {
        name: board.name_of(query),
        part: board.part_of(query),
        text: query.text.clone(),
        number,
        of: ReaderOwner::Dashboard {
            namespace,
            title,
            servers,
        },
        why,
    }
}

/// Why a rule finds nothing on a server that evaluates it.
fn of_rule(world: &World<'_>, number: usize) -> Option<String> {
    let lineage = world.lineage();
    let rule = &lineage.rules[number];
    lineage
        .evaluators(number)
        .find_map(|server| reason(world, server, &server.judge(world, rule)?))
}

fn reason(world: &World<'_>, server: &RuleServer, judged: &Judgement) -> Option<String> {
    let absent = judged.absent.iter().map(|always| &always.lack);
    let lack = judged.lacks.iter().chain(absent).next()?;
    Some(words::absence(world, server, lack).message)
}
