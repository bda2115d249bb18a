//! Rules and dashboards that lose what they read, or find it again.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::diff::listed::Listed;
use crate::diff::value::Change;
use promgen_model::Model;

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
    let both = old
        .iter()
        .filter_map(|(key, before)| Some((key, before, new.get(key)?)));
    let changed = both.filter_map(|((reader, _), before, after)| {
        let (change, why) = match (before, after) {
            (None, Some(why)) => (Change::Removed, why),
            (Some(why), None) => (Change::Added, why),
            (None, None) | (Some(_), Some(_)) => return None,
        };
        Some(SeriesChange {
            reader: reader.clone(),
            environment: None,
            change,
            why: why.clone(),
        })
    });
    changed.collect()
}

fn readers(model: &Model) -> Readers {
    let mut readers = Readers::new();
    for reader in model.readers() {
        let name = reader.name.clone();
        let number = readers
            .range((name.clone(), 0)..)
            .take_while(|((known, _), _)| *known == name)
            .count();
        readers.insert((name, number), reader.why.clone());
    }
    readers
}
