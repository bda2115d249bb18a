//! Rules and dashboards that lose what they read, or find it again.

mod bounds;
mod makers;
mod switches;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use crate::diff::listed::Listed;
use crate::diff::value::Change;
use promgen_model::Model;
use promgen_model::model::lineage::readers::SeriesReader;

changes! {
    /// A rule or a panel that loses the series that it requires, or finds them again.
    SeriesChange {
        /// Who reads them: `alert Errors of PrometheusRule shop/shop`.
        reader: String,
        /// Its environment, if there are several.
        environment?: String,
        /// Whether it loses them, or finds them again.
        change: Change,
        /// Why it finds nothing: in the head, or in the base.
        why: String,
    }

    /// Rules and panels that may lose the series that they read: what made them is gone, and something else may.
    PossibleLoss {
        /// Those who read them.
        readers: Listed<String>,
        /// Their environment, if there are several.
        environment?: String,
        /// What made the series in the base, and does so no longer.
        cause: String,
        /// Why nobody knows whether something else makes them.
        unknown: String,
        /// Nothing says that what is gone made the series: the readers ask for no job.
        is_of_any_job: bool,
    }
}

/// The rules and panels of both sides that find something on one of them alone, and those that may lose what they find.
pub(crate) fn changes(base: &Model, head: &Model) -> (Listed<SeriesChange>, Listed<PossibleLoss>) {
    let new = head.readers();
    if new.is_empty() {
        return Default::default();
    }
    let mut losses = base.view(&[], |base| {
        head.view(&[], |head| makers::losses(base, head))
    });
    let mut pairs: Vec<_> = new.iter().zip(counterparts(base.readers(), new)).collect();
    pairs.sort_by_key(|(reader, _)| &reader.name);
    let mut possible: BTreeMap<(bool, String, String), Listed<String>> = BTreeMap::new();
    let mut changed = Listed::default();
    for (reader, before) in pairs {
        let found_nothing = before.and_then(|before| before.why.as_ref());
        let (change, why) = match (found_nothing, &reader.why) {
            (Some(why), None) => (Change::Added, why.clone()),
            (Some(_), Some(_)) => continue,
            // Whether a reader that is new finds nothing is what `lint` says.
            (None, Some(_)) if before.is_none() => continue,
            (None, Some(why)) => (Change::Removed, why.clone()),
            (None, None) => match losses.remove(&reader.number) {
                // Of one that is new, only what is sure: it may be written for other series.
                Some(loss) if before.is_some() || loss.open.is_none() => match loss.open {
                    None => (Change::Removed, loss.cause),
                    Some(unknown) => {
                        let of_cause = possible.entry((loss.is_of_any_job, loss.cause, unknown));
                        of_cause.or_default().push(reader.name.clone());
                        continue;
                    }
                },
                Some(_) | None => continue,
            },
        };
        changed.push(SeriesChange {
            reader: reader.name.clone(),
            environment: None,
            change,
            why,
        });
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
    (changed, possible.collect())
}

/// Which reader of the base each one of the head was: that of the same name, or else one that moved to another object, or has another
/// name and the same expression.
fn counterparts<'r>(
    base: &'r [SeriesReader],
    head: &[SeriesReader],
) -> Vec<Option<&'r SeriesReader>> {
    let mut found = vec![None; head.len()];
    let mut left: Vec<&SeriesReader> = base.iter().collect();
    let keys: [fn(&SeriesReader) -> &str; 3] = [|of| &of.name, |of| &of.part, |of| &of.text];
    for key in keys {
        let mut by_key: BTreeMap<&str, VecDeque<&SeriesReader>> = BTreeMap::new();
        for reader in left {
            by_key.entry(key(reader)).or_default().push_back(reader);
        }
        let missing = head
            .iter()
            .zip(&mut found)
            .filter(|(_, found)| found.is_none());
        for (reader, found) in missing {
            let same = by_key.get_mut(key(reader));
            *found = same.and_then(VecDeque::pop_front);
        }
        left = by_key.into_values().flatten().collect();
    }
    found
}
