//! What a release has compiled in: rows with the first release of which they are known, up to the next one of that name.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use promgen_resources::facts::{CodeRow, code_rows};
use promgen_text::version::Version;
use serde::Deserialize;

use super::{Asked, Schemas, version};
use crate::files;

/// What the program says that stands in the module of a release.
#[derive(Deserialize)]
pub(super) struct Code {
    prometheus: String,
    alertmanager: String,
    thanos: String,
    supports: Vec<String>,
    functions: BTreeMap<String, Function>,
}

#[derive(Deserialize)]
struct Function {
    arguments: Vec<String>,
    variadic: i64,
    yields: String,
    experimental: bool,
}

impl Function {
    fn row(&self) -> String {
        let mut row = format!("{}({})", self.yields, self.arguments.join(", "));
        if self.variadic != 0 {
            let _ = write!(row, " variadic={}", self.variadic);
        }
        if self.experimental {
            row + " experimental"
        } else {
            row
        }
    }
}

/// A release of the table.
pub(super) struct ReleaseRow {
    pub(super) tag: String,
    pub(super) version: Version,
    date: String,
    /// The default versions of what it deploys, as the table has them.
    operands: String,
    /// What is known of it: `recorded`, `read` or `types`.
    mark: &'static str,
}

/// The releases of the table, and those that were read, the oldest first.
pub(super) fn releases(
    schemas: &BTreeMap<String, Schemas>,
    asked: &BTreeMap<String, Asked>,
) -> Result<Vec<ReleaseRow>, String> {
    let known: BTreeMap<String, CodeRow> = code_rows("release")
        .map(|row| (row.name.to_owned(), row))
        .collect();
    let tags: BTreeSet<&String> = known.keys().chain(schemas.keys()).collect();
    let mut tags = tags
        .into_iter()
        .map(|tag| Ok((version(tag)?, tag)))
        .collect::<Result<Vec<_>, String>>()?;
    tags.sort_unstable();
    let mut rows: Vec<ReleaseRow> = Vec::new();
    for (version, tag) in tags {
        let (facts, old) = (asked.get(tag), known.get(tag));
        let (of_table, mark) = old
            .and_then(|row| row.value.rsplit_once(' '))
            .unwrap_or_default();
        let code = facts.and_then(|facts| facts.code.as_ref());
        // Of a release of which only the types are known, nothing says that it deploys anything else.
        let before = rows.last().map(|row| row.operands.clone());
        let operands = match code {
            Some(code) => format!("{} {} {}", code.prometheus, code.alertmanager, code.thanos),
            None if of_table.is_empty() => {
                before.ok_or_else(|| format!("nothing says what {tag} deploys"))?
            }
            None => of_table.to_owned(),
        };
        let is_recorded = mark == "recorded"
            || files::root()
                .join(format!("oracle/recordings/{tag}.tar.zst"))
                .exists();
        let mark = match code {
            _ if is_recorded => "recorded",
            None if mark != "read" => "types",
            _ => "read",
        };
        let date = facts
            .map(|facts| facts.date.clone())
            .or_else(|| Some(old?.since.to_owned()));
        let date = date.ok_or_else(|| format!("nothing says when {tag} was released: ask it"))?;
        rows.push(ReleaseRow {
            tag: tag.clone(),
            version,
            date,
            operands,
            mark,
        });
    }
    Ok(rows)
}

/// The rows about releases and their code.
pub(super) fn rows(releases: &[ReleaseRow], asked: &BTreeMap<String, Asked>) -> String {
    let mut text = String::new();
    for ReleaseRow {
        tag,
        date,
        operands,
        mark,
        ..
    } in releases
    {
        let _ = writeln!(text, "release {tag} {date} {operands} {mark}");
    }
    for noun in ["feature", "flag", "supports", "function", "job"] {
        text.push('\n');
        let asked: BTreeMap<&str, BTreeMap<String, String>> = asked
            .iter()
            .filter_map(|(tag, facts)| Some((tag.as_str(), values(noun, facts)?)))
            .collect();
        let names = code_rows(noun)
            .map(|row| row.name.to_owned())
            .chain(asked.values().flat_map(|of| of.keys().cloned()));
        for name in names.collect::<BTreeSet<String>>() {
            history(&mut text, releases, noun, &name, &asked);
        }
    }
    text
}

/// The rows of one name.
fn history(
    text: &mut String,
    releases: &[ReleaseRow],
    noun: &str,
    name: &str,
    asked: &BTreeMap<&str, BTreeMap<String, String>>,
) {
    let known: BTreeMap<&str, &str> = code_rows(noun)
        .filter(|row| row.name == name)
        .map(|row| (row.since, row.value))
        .collect();
    let mut last: Option<String> = None;
    for ReleaseRow { tag, .. } in releases {
        let value = match asked.get(tag.as_str()) {
            Some(of) => of
                .get(name)
                .cloned()
                .or_else(|| last.as_ref().map(|_| GONE.to_owned())),
            None => known
                .get(tag.as_str())
                .map(|value| (*value).to_owned())
                .or_else(|| last.clone()),
        };
        if let Some(value) = value.filter(|value| last.as_ref() != Some(value)) {
            let _ = writeln!(text, "{noun} {name} {tag} {value}");
            last = Some(value);
        }
    }
}

/// The value of what a release has no longer.
const GONE: &str = "gone";

/// What a release says about a noun, by name. None if only its types could be asked.
fn values(noun: &str, facts: &Asked) -> Option<BTreeMap<String, String>> {
    let code = facts.code.as_ref()?;
    Some(match noun {
        "feature" => {
            let on = |is_on: bool| if is_on { "on" } else { "off" }.to_owned();
            facts
                .features
                .iter()
                .flatten()
                .map(|(name, is_on)| (name.clone(), on(*is_on)))
                .collect()
        }
        "flag" => facts
            .flags
            .iter()
            .flatten()
            .map(|(name, value)| (name.clone(), flag(value, facts)))
            .collect(),
        "supports" => code
            .supports
            .iter()
            .map(|version| (version.clone(), "yes".to_owned()))
            .collect(),
        "job" => facts.jobs.clone()?,
        _ => code
            .functions
            .iter()
            .map(|(name, function)| (name.clone(), function.row()))
            .collect(),
    })
}

/// The default of a flag; the tag of the release itself is `RELEASE`, so that it is the same in all.
fn flag(value: &str, facts: &Asked) -> String {
    if value.is_empty() {
        "\"\"".to_owned()
    } else {
        value.replace(&facts.release, "RELEASE")
    }
}
