//! The table of arguments: which ones releases of programs take, read from their code.
//!
//! In: programs with releases, whose modules Go downloads. Out: the table that promgen has compiled in, with these releases. What the
//! table says of others stays. It has the names that stand in calls that define an argument: of Thanos, those of all its commands.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use promgen_resources::arguments::{self, FORMAT};
use promgen_text::version::Version;
use serde_json::Value;

use crate::{Outcome, files};

/// The programs: the module of each, and its folders that define arguments.
const PROGRAMS: [(&str, &str, &[&str]); 4] = [
    (
        "alertmanager",
        "github.com/prometheus/alertmanager",
        &["cmd/alertmanager"],
    ),
    (CONFIGURATION, "github.com/prometheus/alertmanager", &[]),
    (
        "prometheus",
        "github.com/prometheus/prometheus",
        &["cmd/prometheus"],
    ),
    (
        "thanos",
        "github.com/thanos-io/thanos",
        &["cmd/thanos", "pkg/extkingpin"],
    ),
];

/// The fields of the configuration of Alertmanager.
const CONFIGURATION: &str = arguments::ALERTMANAGER_CONFIG;

const HEAD: &str = "# Which arguments releases of programs take. `cargo xtask arguments PROGRAM@RELEASE…` writes it; docs/facts.md says what a row means.\n";

/// The arguments that the libraries of all programs define.
const COMMON: [&str; 7] = [
    "help",
    "log.format",
    "log.level",
    "version",
    "web.config.file",
    "web.listen-address",
    "web.systemd-socket",
];

/// The signs of an argument by release.
type ArgumentSigns = BTreeMap<String, BTreeMap<Version, char>>;

/// The path of the table.
pub(crate) fn path() -> PathBuf {
    files::root().join("crates/promgen-resources/facts/arguments.txt")
}

/// The module of a program.
pub(crate) fn module(name: &str) -> Result<&'static str, String> {
    let program = PROGRAMS.iter().find(|(known, ..)| *known == name);
    let module = program.map(|(_, module, _)| *module);
    module.ok_or_else(|| format!("{name} is no program"))
}

/// The release that a tag of its module stands for: v0.305.0 is v3.5.0 of Prometheus, and v0.55.0 is v2.55.0.
pub(crate) fn release_of(name: &str, tag: &str) -> Option<Version> {
    let version = Version::parse(tag)?;
    let Version { minor, patch, .. } = version;
    match (name, version.major, minor) {
        ("prometheus", 0, 0..300) => Version::parse(&format!("2.{minor}.{patch}")),
        ("prometheus", 0, _) => Version::parse(&format!("{}.{}.{patch}", minor / 100, minor % 100)),
        // Before the modules, which have versions of their own.
        ("prometheus", ..) => None,
        _ => Some(version),
    }
}

/// Adds releases to the table: `prometheus@v3.5.1`.
pub(crate) fn command(releases: &[&str]) -> Outcome {
    let before = files::read(&path()).unwrap_or_default();
    let mut all: BTreeMap<&str, ArgumentSigns> = BTreeMap::new();
    for program in arguments::read(&before) {
        let rows = all.entry(program.program).or_default();
        for (name, signs) in program.rows {
            rows.insert(
                name.to_owned(),
                program
                    .releases
                    .iter()
                    .cloned()
                    .zip(signs.chars())
                    .collect(),
            );
        }
    }
    for release in releases {
        let wrong = || format!("{release} is no release of a program, such as prometheus@v3.5.1");
        let (name, tag) = release.split_once('@').ok_or_else(wrong)?;
        let version = Version::parse(tag).ok_or_else(wrong)?;
        let program = PROGRAMS.iter().find(|(known, ..)| *known == name);
        let (name, module, folders) = program.ok_or_else(wrong)?;
        let folder = downloaded(module, name, &version)?;
        let rows = all.entry(name).or_default();
        let taken = |name: &str| (name.to_owned(), '+');
        let mut found: BTreeMap<String, char> = if *name == CONFIGURATION {
            fields(&folder)?.lines().map(taken).collect()
        } else {
            COMMON.into_iter().map(taken).collect()
        };
        for source in folders
            .iter()
            .map(|of| folder.join(of))
            .filter(|of| of.is_dir())
        {
            read_folder(&source, &mut found)?;
        }
        for (name, sign) in found {
            rows.entry(name).or_default().insert(version.clone(), sign);
        }
    }
    files::write(&path(), &written(&all))
}

/// The folder of the code of a release.
fn downloaded(module: &str, name: &str, version: &Version) -> Result<PathBuf, String> {
    // As `release_of` reads it.
    let Version {
        major,
        minor,
        patch,
        ..
    } = version;
    let tag = match (name, major) {
        ("prometheus", 2) => format!("v0.{minor}.{patch}"),
        ("prometheus", _) => format!("v0.{major}{minor:02}.{patch}"),
        _ => format!("v{version}"),
    };
    let mut go = Command::new("go");
    go.args(["mod", "download", "-json", &format!("{module}@{tag}")]);
    go.current_dir(std::env::temp_dir());
    let told: Value =
        serde_json::from_str(&files::output(&mut go)?).map_err(|why| why.to_string())?;
    let folder = told["Dir"].as_str();
    folder
        .map(PathBuf::from)
        .ok_or_else(|| format!("{module}@{tag}: {}", told["Error"]))
}

/// The fields of the configuration of Alertmanager, each in a line.
fn fields(folder: &Path) -> Result<String, String> {
    let mut go = Command::new("go");
    go.arg("run")
        .arg(files::root().join("oracle/fields/main.go"))
        .arg(folder);
    files::output(go.current_dir(std::env::temp_dir()))
}

fn read_folder(folder: &Path, found: &mut BTreeMap<String, char>) -> Outcome {
    for path in files::entries(folder)? {
        let name = files::name(&path);
        if name.ends_with(".go") && !name.ends_with("_test.go") {
            let text = files::read(&path)?;
            for (call, sign, is_pair) in [
                (".Flag(", '+', false),
                ("serverOnlyFlag(", 's', false),
                ("agentOnlyFlag(", 'a', false),
                ("RegisterPathOrContent(", '+', true),
            ] {
                for rest in text.split(call).skip(1) {
                    let Some(name) = first_text(rest) else {
                        continue;
                    };
                    if is_pair {
                        found.insert(format!("{name}-file"), sign);
                    }
                    found.insert(name, sign);
                }
            }
        }
    }
    Ok(())
}

/// The first text among the arguments of a call, if it can be the name of an argument. A part that is filled in is left out.
fn first_text(rest: &str) -> Option<String> {
    let (before, rest) = rest.split_once('"')?;
    let (text, _) = rest.split_once('"')?;
    let name = text.replace("%s", "");
    let is_name =
        |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-' | '_');
    (!before.contains([';', '{']) && !name.is_empty() && name.chars().all(is_name)).then_some(name)
}

/// The table.
fn written(all: &BTreeMap<&str, ArgumentSigns>) -> String {
    let mut text = format!("{FORMAT}\n{HEAD}");
    for (program, rows) in all {
        let releases: BTreeSet<&Version> = rows.values().flat_map(BTreeMap::keys).collect();
        let tags: Vec<String> = releases
            .iter()
            .map(|release| format!("v{release}"))
            .collect();
        let _ = writeln!(text, "\nprogram {program} {}", tags.join(" "));
        for (name, signs) in rows {
            let sign = |release: &&Version| signs.get(release).copied().unwrap_or('-');
            let _ = writeln!(
                text,
                "argument {name} {}",
                releases.iter().map(sign).collect::<String>()
            );
        }
    }
    text
}
