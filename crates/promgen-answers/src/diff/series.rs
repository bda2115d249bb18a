//! Rules and dashboards that lose what they read, or find it again.

mod bounds;
mod makers;
mod switches;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::diff::listed::Listed;
use crate::diff::value::Change;
use promgen_model::Model;
use promgen_model::model::lineage::readers::numbered;

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

/// Rules and panels that may lose the series that they read: what made them is gone, and something else may.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PossibleLoss {
    /// Those who read them.
    pub readers: Listed<String>,
    /// Their environment, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// What made the series in the base, and does so no longer.
    pub cause: String,
    /// Why nobody knows whether something else makes them.
    pub unknown: String,
    /// Nothing says that what is gone made the series: the readers ask for no job.
    pub is_of_any_job: bool,
}

/// Those who read series, each with the reason why it surely finds nothing, if it does.
type Readers = BTreeMap<(String, usize), Option<String>>;

/// The rules and panels of both sides that find something on one of them alone, and those that may lose what they find.
pub(crate) fn changes(base: &Model, head: &Model) -> (Listed<SeriesChange>, Listed<PossibleLoss>) {
    let (old, mut new) = (readers(base), readers(head));
    if old.is_empty() || new.is_empty() {
        return Default::default();
    }
    let losses = base.view(&[], |base| {
        head.view(&[], |head| makers::losses(base, head))
    });
    let mut possible: BTreeMap<(bool, String, String), Listed<String>> = BTreeMap::new();
    for (key, loss) in losses {
        // Only of a reader that was there, and found something.
        if !matches!(old.get(&key), Some(None)) {
            continue;
        }
        let Some(after @ None) = new.get_mut(&key) else {
            continue;
        };
        match loss.open {
            None => *after = Some(loss.cause),
            Some(unknown) => possible
                .entry((loss.is_of_any_job, loss.cause, unknown))
                .or_default()
                .push(key.0),
        }
    }
    let possible = possible
        .into_iter()
        .map(|((is_of_any_job, cause, unknown), readers)| PossibleLoss {
            readers,
            environment: None,
            cause,
            unknown,
            is_of_any_job,
        });
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
    (changed.collect(), possible.collect())
}

fn readers(model: &Model) -> Readers {
    let readers = model.readers();
    numbered(readers.iter().map(|reader| reader.name.clone()))
        .zip(readers.iter().map(|reader| reader.why.clone()))
        .collect()
}
