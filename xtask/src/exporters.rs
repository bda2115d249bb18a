//! The table of exporters: which metrics their releases make, read from their code.
//!
//! In: exporters with releases, as `oracle exporter` asks them. Out: the table that promgen has compiled in, with these releases.
//! What the table says of others stays, so that a release is added by its name alone.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use promgen_model::lineage::exporters::table::{self, ExporterFacts, FORMAT, NO_PREFIX, SignRow};
use promgen_text::version::Version;
use serde::Deserialize;

use crate::{Outcome, files, record};

/// The exporters that can be asked, each with the module that is read.
const MODULES: [(&str, &str); 2] = [
    ("kube-state-metrics", "k8s.io/kube-state-metrics/v2"),
    ("node-exporter", "github.com/prometheus/node_exporter"),
];

const HEAD: &str = "# Which metrics releases of exporters make. `cargo xtask exporters NAME@RELEASE…` writes it; docs/exporters.md says what a row means.\n";

/// What a release says of itself.
#[derive(Deserialize)]
struct AskedExporter {
    groups: BTreeMap<String, AskedGroup>,
    /// Its flags: true if one takes a value.
    #[serde(default)]
    flags: BTreeMap<String, bool>,
}

/// A part of an exporter: whether it is on by default, and its metrics, each with whether it must be asked for.
#[derive(Deserialize)]
struct AskedGroup {
    on: bool,
    metrics: BTreeMap<String, bool>,
}

/// What a row is about, in the order of the table: a flag; a group; a metric of a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RowKey {
    Flag(String),
    Group(String),
    Metric(String, String),
}

/// The signs of a row by release.
type Signs = BTreeMap<Version, char>;

/// The rows of an exporter.
#[derive(Default)]
struct ExporterRows {
    /// The releases, with their tags.
    releases: BTreeMap<Version, String>,
    rows: BTreeMap<RowKey, Signs>,
}

/// The path of the table.
pub(crate) fn path() -> PathBuf {
    files::root().join("crates/promgen-model/facts/exporters.txt")
}

/// The module of an exporter.
pub(crate) fn module(name: &str) -> Result<&'static str, String> {
    let module = MODULES.iter().find(|(known, _)| *known == name);
    let module = module.map(|(_, module)| *module);
    module.ok_or_else(|| format!("{name} is no exporter that can be asked"))
}

/// Adds releases to the table: `kube-state-metrics@v2.18.0`.
pub(crate) fn command(releases: &[&str]) -> Outcome {
    let before = files::read(&path())?;
    let mut all = known(&before)?;
    for release in releases {
        let wrong = || {
            format!("{release} is no release of an exporter, such as kube-state-metrics@v2.18.0")
        };
        let (name, tag) = release.split_once('@').ok_or_else(wrong)?;
        let version = version(tag).ok_or_else(wrong)?;
        all.entry(name.to_owned())
            .or_default()
            .add(version, tag, ask(release)?);
    }
    files::write(&path(), &written(&all)?)
}

/// Asks the code of a release.
fn ask(release: &str) -> Result<AskedExporter, String> {
    let mut oracle = Command::new(record::oracle()?);
    oracle
        .arg("exporter")
        .arg("--home")
        .arg(files::root().join("target/oracle"))
        .arg(release);
    let text = files::output(&mut oracle)?;
    serde_json::from_str(&text).map_err(|why| format!("{release}: {why}"))
}

/// A version that a tag names.
fn version(tag: &str) -> Option<Version> {
    let is_tag = tag.starts_with('v') && tag.matches('.').count() == 2;
    Version::parse(tag).filter(|_| is_tag)
}

/// What a table has, by exporter.
fn known(table: &str) -> Result<BTreeMap<String, ExporterRows>, String> {
    let mut all = BTreeMap::new();
    for facts in table::read(table) {
        all.insert(facts.name.to_owned(), ExporterRows::of(&facts)?);
    }
    Ok(all)
}

impl ExporterRows {
    fn of(facts: &ExporterFacts<'_>) -> Result<Self, String> {
        let mut rows = Self::default();
        for (number, tag) in facts.releases.iter().enumerate() {
            let version =
                version(tag).ok_or_else(|| format!("{}: {tag} is no release", facts.name))?;
            let mut set =
                |key: RowKey, row: &SignRow<'_>| rows.set(key, &version, row.sign(number));
            facts
                .flags
                .iter()
                .for_each(|row| set(RowKey::Flag(row.name.to_string()), row));
            for group in &facts.groups {
                let name = &group.row.name;
                set(RowKey::Group(name.to_string()), &group.row);
                group.metrics.iter().for_each(|row| {
                    set(RowKey::Metric(name.to_string(), row.name.to_string()), row)
                });
            }
            rows.releases.insert(version, (*tag).to_owned());
        }
        Ok(rows)
    }

    fn set(&mut self, key: RowKey, version: &Version, sign: char) {
        self.rows
            .entry(key)
            .or_default()
            .insert(version.clone(), sign);
    }

    fn add(&mut self, version: Version, tag: &str, asked: AskedExporter) {
        self.rows
            .values_mut()
            .for_each(|signs| _ = signs.remove(&version));
        for (flag, takes_value) in asked.flags {
            self.set(
                RowKey::Flag(flag),
                &version,
                if takes_value { '=' } else { '+' },
            );
        }
        for (name, AskedGroup { on, metrics }) in asked.groups {
            self.set(
                RowKey::Group(name.clone()),
                &version,
                if on { '+' } else { '?' },
            );
            for (metric, is_asked_for) in metrics {
                self.set(
                    RowKey::Metric(name.clone(), metric),
                    &version,
                    if is_asked_for { '?' } else { '+' },
                );
            }
        }
        self.releases.insert(version, tag.to_owned());
    }

    /// Writes a group with its metrics.
    fn group(&self, text: &mut String, group: &str, signs: &str) {
        let metric = |key: &RowKey| match key {
            RowKey::Metric(of, metric) if of == group => Some((metric.clone(), self.signs(key)?)),
            _ => None,
        };
        let metrics: Vec<(String, String)> = self.rows.keys().filter_map(metric).collect();
        let names: Vec<&str> = metrics.iter().map(|(name, _)| name.as_str()).collect();
        let prefix = prefix(&names);
        let _ = writeln!(
            text,
            "group {group} {signs} {}",
            if prefix.is_empty() { NO_PREFIX } else { prefix }
        );
        for (name, signs) in &metrics {
            let rest = name.strip_prefix(prefix).unwrap_or(name);
            let is_everywhere = signs.chars().all(|sign| sign == '+');
            let _ = if is_everywhere {
                writeln!(text, " {rest}")
            } else {
                writeln!(text, " {rest} {signs}")
            };
        }
    }

    /// The signs of a row. `None` if no release has what it is about.
    fn signs(&self, key: &RowKey) -> Option<String> {
        let signs = self.rows.get(key)?;
        let of = |version: &Version| signs.get(version).copied().unwrap_or('-');
        Some(self.releases.keys().map(of).collect::<String>())
            .filter(|signs| signs.contains(|sign| sign != '-'))
    }
}

/// What all names begin with, up to an underscore.
fn prefix<'n>(names: &[&'n str]) -> &'n str {
    let (Some(first), Some(last)) = (names.iter().min(), names.iter().max()) else {
        return "";
    };
    let n_same = first
        .bytes()
        .zip(last.bytes())
        .take_while(|(one, other)| one == other)
        .count();
    let end = first
        .get(..n_same)
        .and_then(|same| same.rfind('_'))
        .map_or(0, |at| at + 1);
    first.get(..end).unwrap_or_default()
}

/// The table.
fn written(all: &BTreeMap<String, ExporterRows>) -> Result<String, String> {
    let mut text = format!("{FORMAT}\n{HEAD}");
    for (name, rows) in all {
        let module = module(name)?;
        let tags: Vec<&str> = rows.releases.values().map(String::as_str).collect();
        let _ = writeln!(text, "\nexporter {name} {module} {}", tags.join(" "));
        for key in rows.rows.keys() {
            match (key, rows.signs(key)) {
                (RowKey::Flag(flag), Some(signs)) => drop(writeln!(text, "flag {flag} {signs}")),
                (RowKey::Group(group), Some(signs)) => rows.group(&mut text, group, &signs),
                (RowKey::Metric(..), _) | (_, None) => {}
            }
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_what_it_says() {
        let table = files::read(&path()).unwrap();
        assert_eq!(written(&known(&table).unwrap()).unwrap(), table);
    }

    #[test]
    fn a_release_is_added_where_it_stands() {
        let table = format!(
            "{FORMAT}\n{HEAD}\nexporter node-exporter github.com/prometheus/node_exporter v1.0.0 v1.10.0\ngroup a +? a_\n old +-\n"
        );
        let mut all = known(&table).unwrap();
        let group = |on, metrics: &[&str]| AskedGroup {
            on,
            metrics: metrics
                .iter()
                .map(|name| ((*name).to_owned(), false))
                .collect(),
        };
        let groups = BTreeMap::from([
            ("a".to_owned(), group(true, &["a_new"])),
            ("b".to_owned(), group(false, &[])),
        ]);
        let asked = AskedExporter {
            groups,
            flags: BTreeMap::from([("x".to_owned(), true)]),
        };
        all.get_mut("node-exporter")
            .unwrap()
            .add(version("v1.9.0").unwrap(), "v1.9.0", asked);
        let wanted = "exporter node-exporter github.com/prometheus/node_exporter v1.0.0 v1.9.0 v1.10.0\nflag x -=-\ngroup a ++? a_\n new -+-\n old +--\ngroup b -?- _\n";
        assert!(
            written(&all).unwrap().ends_with(wanted),
            "{}",
            written(&all).unwrap()
        );
    }
}
