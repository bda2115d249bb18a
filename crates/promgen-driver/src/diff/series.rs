//! Rules and dashboards that lose what they read, or find it again.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::diff::listed::Listed;
use crate::diff::value::Change;
use crate::lineage::dashboards::{self, has_variable};
use crate::lineage::{LineageInput, LineageModel, words};
use crate::model::Model;
use promgen_lineage::server::Judgement;

/// A rule or a panel that loses the series that it requires, or finds them again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeriesChange {
    /// Who reads them: `alert Errors of PrometheusRule shop/shop`.
    pub reader: String,
    /// Its environment, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// Whether it loses them, or finds them again.
    pub change: Change,
    /// Why it finds nothing: in the head, or in the base.
    pub why: String,
}

/// Those who read series, each with the reason why it surely finds nothing, if it does.
type Readers = BTreeMap<(String, usize), Option<String>>;

/// The rules and panels of both sides that find something on one of them alone.
pub(crate) fn changes(base: &Model, head: &Model) -> Listed<SeriesChange> {
    let (old, new) = (readers(base), readers(head));
    let both = old.iter().filter_map(|(key, before)| Some((key, before, new.get(key)?)));
    let changed = both.filter_map(|((reader, _), before, after)| {
        let (change, why) = match (before, after) {
            (None, Some(why)) => (Change::Removed, why),
            (Some(why), None) => (Change::Added, why),
            (None, None) | (Some(_), Some(_)) => return None,
        };
        Some(SeriesChange { reader: reader.clone(), environment: None, change, why: why.clone() })
    });
    changed.collect()
}

fn readers(model: &Model) -> Readers {
    model.view(&[], |view| {
        let input = view.lineage.input;
        let lineage = view.lineage.model();
        let mut readers = Readers::new();
        let mut add = |name: String, why: Option<String>| {
            let number = readers.iter_from(&(name.clone(), 0)).take_while(|((known, _), _)| *known == name).count();
            readers.insert((name, number), why);
        };
        for (number, rule) in lineage.rules.iter().enumerate() {
            if lineage.evaluators(number).next().is_some() {
                let name = format!("{} of PrometheusRule {}", rule.what(), rule.resource);
                add(name, of_rule(&input, lineage, number));
            }
        }
        for board in dashboards::all(&input) {
            for query in &board.queries {
                let judge = |server: &crate::lineage::RuleServer| {
                    let judged = server.server.judge((&query.tree, &query.text), None, &has_variable);
                    reason(&input, server, &judged)
                };
                let why: Option<Vec<String>> = lineage.servers.iter().map(judge).collect();
                let name = format!("panel {} of dashboard {} ({})", query.panel, board.title, board.holder);
                add(name, why.and_then(|why| why.into_iter().next()));
            }
        }
        readers
    })
}

/// Why a rule finds nothing on a server that evaluates it.
fn of_rule(input: &LineageInput<'_>, lineage: &LineageModel, number: usize) -> Option<String> {
    let rule = &lineage.rules[number];
    lineage.evaluators(number).find_map(|server| reason(input, server, &server.judge(input, rule)?))
}

fn reason(input: &LineageInput<'_>, server: &crate::lineage::RuleServer, judged: &Judgement) -> Option<String> {
    let absent = judged.absent.iter().map(|always| &always.lack);
    let lack = judged.lacks.iter().chain(absent).next()?;
    Some(words::absence(input, server, lack).message)
}
