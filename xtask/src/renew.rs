//! The renewal: all tables, recordings and pages, up to the newest releases, and what is left for a person to decide.
//!
//! In: what the module proxy has, and a clone of the charts' repository. What cannot be had stays as it is, and is told.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use promgen_model::lineage::exporters::table as exporters_table;
use promgen_resources::arguments as arguments_table;
use promgen_text::version::Version;

use crate::{Outcome, arguments, charts, exporters, facts, files, record};

/// The module whose releases are those of the operator: its program has no newer ones.
const OPERATOR: &str = "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring";

/// The repository of the charts.
const CHARTS: &str = "https://github.com/prometheus-community/helm-charts";

/// The tests that compare promgen with what is renewed.
const COMPARED: [&str; 4] = ["recordings", "operator_facts", "docs", "charts"];

/// Renews everything. `checkout`: a clone of the charts' repository with its history, where one is there.
pub(crate) fn command(checkout: Option<&str>) -> Outcome {
    let mut failed = Vec::new();
    for (what, outcome) in [
        ("the operator", operator()),
        ("arguments and configurations", programs()),
        ("exporters", metrics()),
        ("charts", all_charts(checkout)),
        ("pages", pages()),
    ] {
        if let Err(why) = outcome {
            failed.push(format!("{what}: {why}"));
        }
    }
    println!("{}", decisions()?);
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!("not renewed:\n  {}", failed.join("\n  ")))
}

/// Reads the releases of the operator that the table does not have, and records those whose program can be had.
fn operator() -> Outcome {
    let text = files::read(&facts::path())?;
    let known: BTreeSet<Version> = releases(&text).map(|(tag, _)| tag).collect();
    let newer = newer(&tags(OPERATOR)?, &known, Version::parse);
    let newer: Vec<String> = newer.iter().map(|version| format!("v{version}")).collect();
    if newer.is_empty() {
        return Ok(());
    }
    let newer: Vec<&str> = newer.iter().map(String::as_str).collect();
    facts::command(&newer)?;
    let text = files::read(&facts::path())?;
    let is_read = |tag: &&str| {
        let mut all = releases(&text);
        all.any(|(of, state)| format!("v{of}") == **tag && state == "read")
    };
    let recorded: Vec<&str> = newer.iter().copied().filter(is_read).collect();
    if recorded.is_empty() {
        return Ok(());
    }
    record::command(&recorded)
}

/// The releases of a table of facts, each with what was read of it.
fn releases(table: &str) -> impl Iterator<Item = (Version, &str)> {
    let rows = table
        .lines()
        .filter_map(|line| line.strip_prefix("release "));
    rows.filter_map(|row| {
        let tag = row.split(' ').next()?;
        Some((Version::parse(tag)?, row.rsplit(' ').next()?))
    })
}

/// Reads the arguments and the configuration of new releases of programs.
fn programs() -> Outcome {
    let table = files::read(&arguments::path())?;
    let programs = arguments_table::read(&table).into_iter();
    let newer = programs.map(|program| {
        let known: BTreeSet<Version> = program.releases.iter().cloned().collect();
        let tags = tags(arguments::module(program.program)?)?;
        let release_of = |tag: &str| arguments::release_of(program.program, tag);
        Ok((program.program, newer(&tags, &known, release_of)))
    });
    add(newer, arguments::command)
}

/// Reads the metrics of new releases of exporters.
fn metrics() -> Outcome {
    let table = files::read(&exporters::path())?;
    let exporters = exporters_table::read(&table).into_iter();
    let newer = exporters.map(|exporter| {
        let known = exporter.releases.iter();
        let known: BTreeSet<Version> = known.filter_map(|tag| Version::parse(tag)).collect();
        let tags = tags(exporters::module(exporter.name)?)?;
        Ok((exporter.name, newer(&tags, &known, Version::parse)))
    });
    add(newer, exporters::command)
}

/// Adds the last patches of new releases to a table, by their names. What cannot be had is told after the others are there.
fn add<'n>(
    newer: impl Iterator<Item = Result<(&'n str, BTreeSet<Version>), String>>,
    command: impl Fn(&[&str]) -> Outcome,
) -> Outcome {
    let mut failed = Vec::new();
    for releases in newer {
        let added = releases.and_then(|(name, versions)| {
            let mut names = last_patches(versions).map(|of| format!("{name}@v{of}"));
            names.try_for_each(|name| command(&[&name]))
        });
        failed.extend(added.err());
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(failed.join("; "))
}

/// Reads all releases of the charts.
fn all_charts(checkout: Option<&str>) -> Outcome {
    if let Some(checkout) = checkout {
        return charts::command(checkout);
    }
    let cloned = files::root().join("target/helm-charts");
    let mut git = Command::new("git");
    if cloned.is_dir() {
        git.arg("-C").arg(&cloned).args(["pull", "--quiet"]);
    } else {
        git.args(["clone", "--quiet", CHARTS]).arg(&cloned);
    }
    files::run(&mut git)?;
    charts::command(&cloned.to_string_lossy())
}

/// Writes the pages that are made from code and tables.
fn pages() -> Outcome {
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "--locked", "--test", "it", "docs"]);
    files::run(cargo.env("UPDATE_DOCS", "1").current_dir(files::root()))
}

/// The tags of a module that the proxy has, without those before a release.
fn tags(module: &str) -> Result<Vec<String>, String> {
    let mut go = Command::new("go");
    go.args(["list", "-m", "-versions", module]);
    let told = files::output(go.current_dir(std::env::temp_dir()))?;
    let tags = told.split_whitespace().skip(1);
    Ok(tags
        .filter(|tag| !tag.contains('-'))
        .map(str::to_owned)
        .collect())
}

/// The releases that are newer than all that are known, in their order.
fn newer(
    tags: &[String],
    known: &BTreeSet<Version>,
    version_of: impl Fn(&str) -> Option<Version>,
) -> BTreeSet<Version> {
    let last = known.last();
    let versions = tags.iter().filter_map(|tag| version_of(tag));
    versions
        .filter(|version| last.is_none_or(|last| version > last))
        .collect()
}

/// The last patch of each minor release.
fn last_patches(versions: BTreeSet<Version>) -> impl Iterator<Item = Version> {
    let by_minor = versions
        .into_iter()
        .map(|version| ((version.major, version.minor), version));
    let by_minor: BTreeMap<(u64, u64), Version> = by_minor.collect();
    by_minor.into_values()
}

/// What a person must decide: what the tables have that they did not have, and the tests that do not pass with it.
fn decisions() -> Result<String, String> {
    let mut git = Command::new("git");
    git.args(["diff", "--unified=0", "HEAD", "--", "crates/*/facts/*"]);
    let diff = files::output(git.current_dir(files::root()))?;
    let mut text = String::from("To decide:\n");
    for (noun, question) in [
        (
            "release",
            "a release: `types` is one whose program cannot be had yet, and its answers are not recorded",
        ),
        (
            "+",
            "a field: the comment of its type says what it means, a gate or a row of its section writes it",
        ),
        ("~", "a keyword of a schema that changed"),
        ("feature", "a feature gate of the operator, or its default"),
        ("flag", "a flag of the operator, or its default"),
        ("function", "a function of PromQL"),
        ("job", "a field of a job"),
        (
            "program",
            "releases of a program: their arguments are compared, what they do otherwise is a row of gates.txt",
        ),
        (
            "unknown",
            "what a template of the chart does and no row can say",
        ),
    ] {
        let rows = added(&diff, noun);
        if !rows.is_empty() {
            text += &format!("  {} × {question}\n", rows.len());
            rows.iter()
                .take(20)
                .for_each(|row| text += &format!("      {row}\n"));
        }
    }
    for test in COMPARED {
        if let Err(why) = compared(test) {
            text += &format!("  the tests of `{test}` do not pass: {why}\n");
        }
    }
    Ok(text + "The rest is reading: git diff.")
}

/// The rows of a noun that a difference adds: those of arguments by their names, as a release adds a sign to each.
fn added<'d>(diff: &'d str, noun: &str) -> Vec<&'d str> {
    let n_words = if noun == "argument" { 2 } else { usize::MAX };
    let key = |row: &'d str| row.split(' ').take(n_words).collect::<Vec<_>>();
    let old = diff.lines().filter_map(|line| line.strip_prefix('-'));
    let old: BTreeSet<Vec<&str>> = old.map(key).collect();
    let rows = diff.lines().filter_map(|line| line.strip_prefix('+'));
    let rows = rows.filter(|row| row.split(' ').next() == Some(noun));
    rows.filter(|row| !old.contains(&key(row))).collect()
}

fn compared(test: &str) -> Outcome {
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "--quiet", "--locked", "--test", "it", test]);
    files::run(cargo.current_dir(files::root()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_patch_of_each_newer_minor_is_read() {
        let tags = ["v0.304.1", "v0.315.0", "v0.315.1", "v0.316.0", "v0.55.1"];
        let tags: Vec<String> = tags.map(str::to_owned).to_vec();
        let known = [Version::parse("3.14.0").unwrap()].into();
        let newer = newer(&tags, &known, |tag| {
            arguments::release_of("prometheus", tag)
        });
        let newer: Vec<String> = last_patches(newer).map(|of| of.to_string()).collect();
        assert_eq!(newer, ["3.15.1", "3.16.0"]);
    }

    #[test]
    fn a_row_that_moves_is_no_decision() {
        let diff = "-flag a v0.80.0 \"\"\n+flag a v0.80.0 \"\"\n+flag b v0.95.0 true\n+++ b/x\n";
        assert_eq!(added(diff, "flag"), ["flag b v0.95.0 true"]);
        let diff = "-argument a ++\n+argument a +++\n+argument b --+\n";
        assert_eq!(added(diff, "argument"), ["argument b --+"]);
    }
}
