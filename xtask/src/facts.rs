//! The table of facts: what releases of the operator have, read from their code and their custom resources.
//!
//! In: releases, as `oracle facts` asks them, and folders of custom resources. Out: the table that promgen has compiled in, with
//! these releases, and the types of `api` with the fields of the newest one. What the table says of others stays, so that a release is
//! added by its name alone.

mod api;
mod changes;
mod code;
mod types;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use promgen_resources::api::Kind;
use promgen_resources::facts::{FORMAT, FactTable};
use promgen_resources::schema;
use promgen_text::version::Version;
use serde::Deserialize;
use serde_json::Value;

use crate::{Outcome, files, record};

/// What a release says of itself.
#[derive(Default, Deserialize)]
struct Asked {
    release: String,
    date: String,
    definitions: PathBuf,
    types: BTreeMap<String, Vec<GoField>>,
    code: Option<code::Code>,
    #[serde(default)]
    jobs: Option<BTreeMap<String, String>>,
    #[serde(default)]
    flags: Option<BTreeMap<String, String>>,
    #[serde(default)]
    features: Option<BTreeMap<String, bool>>,
}

/// A field of a type of Go. Without a name: a type whose fields stand there.
#[derive(Deserialize)]
struct GoField {
    name: String,
    #[serde(rename = "type")]
    of: String,
}

/// The schemas of a release: by kind, and its version.
type Schemas = BTreeMap<(String, String), Value>;

/// The path of the table.
pub(crate) fn path() -> PathBuf {
    files::root().join("crates/promgen-resources/facts/operator.txt")
}

/// Adds releases to the table, and their fields to the types. Without any, notes in it what was recorded since.
pub(crate) fn command(arguments: &[&str]) -> Outcome {
    let mut schemas: BTreeMap<String, Schemas> = BTreeMap::new();
    let mut asked: BTreeMap<String, Asked> = BTreeMap::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if *argument == "--crds" {
            let folder = rest
                .next()
                .ok_or("--crds needs a folder, with a folder for each release")?;
            for release in files::entries(Path::new(folder))?
                .iter()
                .filter(|path| path.is_dir())
            {
                schemas.insert(files::name(release), definitions(release)?);
            }
        } else {
            let facts = ask(argument)?;
            schemas.insert(facts.release.clone(), definitions(&facts.definitions)?);
            asked.insert(facts.release.clone(), facts);
        }
    }
    let table = table(&schemas, &asked)?;
    files::write(&path(), &table)?;
    for (path, text) in api::written(&FactTable::read(&table)?.types)? {
        files::write(&path, &text)?;
    }
    Ok(())
}

/// Asks the code of a release.
fn ask(release: &str) -> Result<Asked, String> {
    let mut oracle = Command::new(record::oracle()?);
    oracle
        .arg("facts")
        .arg("--home")
        .arg(files::root().join("target/oracle"))
        .arg(release);
    let text = files::output(&mut oracle)?;
    serde_json::from_str(&text).map_err(|why| format!("{release}: {why}"))
}

/// Reads the custom resources in a folder.
fn definitions(folder: &Path) -> Result<Schemas, String> {
    let mut found = Schemas::new();
    for path in files::entries(folder)?
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "yaml"))
    {
        let wrong = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
        let text = files::read(path)?;
        for document in serde_yaml::Deserializer::from_str(&text) {
            let definition = Value::deserialize(document).map_err(|why| wrong(&why))?;
            let kind = definition["spec"]["names"]["kind"]
                .as_str()
                .ok_or_else(|| wrong(&"no custom resource"))?;
            for version in definition["spec"]["versions"]
                .as_array()
                .into_iter()
                .flatten()
            {
                let name = version["name"].as_str().unwrap_or_default();
                found.insert(
                    (kind.to_owned(), name.to_owned()),
                    version["schema"]["openAPIV3Schema"].clone(),
                );
            }
        }
    }
    Ok(found)
}

/// The name of the version that a kind is stored in: `v1`.
fn version_of(kind: Kind) -> &'static str {
    kind.api_version().rsplit('/').next().unwrap_or_default()
}

/// The table with what was read.
fn table(
    schemas: &BTreeMap<String, Schemas>,
    asked: &BTreeMap<String, Asked>,
) -> Result<String, String> {
    let releases = code::releases(schemas, asked)?;
    let table = files::read(&path())?;
    let known = FactTable::read(&table)?.types;
    let newest = releases
        .last()
        .map(|row| row.tag.clone())
        .ok_or("no release")?;
    let changes = changes::blocks(&releases, schemas, &known)?;
    let types = match (asked.get(&newest), schemas.get(&newest)) {
        (Some(facts), Some(schemas)) => types::rows(schemas, &facts.types)?,
        (None, Some(_)) => return Err(format!("the names of types are Go's: ask {newest}, too")),
        _ => table
            .find("\nkind ")
            .and_then(|at| table.get(at..))
            .unwrap_or_default()
            .to_owned(),
    };
    Ok(format!(
        "{FORMAT}\n{HEAD}\n{}{changes}{types}",
        code::rows(&releases, asked)
    ))
}

const HEAD: &str = "# What releases of the operator have. `cargo xtask facts RELEASE…` writes it; docs/facts.md says what a row means.\n";

/// A version that a tag names.
fn version(tag: &str) -> Result<Version, String> {
    let is_tag = tag.starts_with('v') && tag.matches('.').count() == 2;
    Version::parse(tag)
        .filter(|_| is_tag)
        .ok_or_else(|| format!("{tag} is no release, such as v0.94.1"))
}

/// The kinds of the table.
fn kinds() -> impl Iterator<Item = Kind> {
    schema::kinds()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The differences between releases, put together and taken apart again, are the same.
    #[test]
    fn the_table_is_what_it_says() {
        let table = table(&BTreeMap::new(), &BTreeMap::new()).unwrap();
        assert!(table == files::read(&path()).unwrap(), "{table}");
    }
}
