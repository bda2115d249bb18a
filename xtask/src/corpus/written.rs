//! Cases that are files of the repository: fixtures, and what is written by hand.

use std::path::{Path, PathBuf};

use promgen_resources::api::Kind;
use serde::Deserialize as _;
use serde_json::Value;

use super::inputs;
use crate::Outcome;
use crate::files;

/// Files that make a folder more than manifests.
const BUILT: &[&str] = &[
    "kustomization.yaml",
    "kustomization.yml",
    "Chart.yaml",
    "promgen.yaml",
    "helmfile.yaml",
];

/// Copies the fixtures that are manifests with a workload, and says how many.
pub(super) fn fixtures(folder: &Path) -> Result<usize, String> {
    let mut n = 0;
    for fixture in files::entries(&files::root().join("fixtures"))? {
        let input = [fixture.join("input"), fixture.clone()]
            .into_iter()
            .find(|path| path.is_dir());
        let Some(manifests) = input.map(|input| manifests(&input)).transpose()?.flatten() else {
            continue;
        };
        copy(
            &folder.join("fixtures").join(files::name(&fixture)),
            &manifests,
        )?;
        n += 1;
    }
    Ok(n)
}

/// Copies what is written by hand, and says how many cases it is.
pub(super) fn causes(folder: &Path) -> Result<usize, String> {
    let mut n = 0;
    for file in files::entries(&inputs())?
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "yaml"))
    {
        add_cause(folder, &file)?;
        n += 1;
    }
    Ok(n)
}

/// Copies one of them to the corpus in a folder.
pub(crate) fn add_cause(folder: &Path, file: &Path) -> Outcome {
    let name = files::name(file);
    let case = folder.join("causes").join(name.trim_end_matches(".yaml"));
    copy(&case, &[file.to_owned()])
}

fn copy(folder: &Path, manifests: &[PathBuf]) -> Outcome {
    let mut text = String::new();
    for manifest in manifests {
        text.push_str("---\n");
        text.push_str(files::read(manifest)?.trim_start_matches("---\n"));
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    files::write(&folder.join("input.yaml"), &text)
}

/// The files of a fixture, if all of them are manifests, and one has a workload.
fn manifests(folder: &Path) -> Result<Option<Vec<PathBuf>>, String> {
    let mut found = Vec::new();
    let mut has_workload = false;
    for path in files::below(folder)? {
        let name = files::name(&path);
        if BUILT.contains(&name.as_str()) {
            return Ok(None);
        }
        if name == "options.yaml" || !(name.ends_with(".yaml") || name.ends_with(".yml")) {
            continue;
        }
        let Ok(text) = files::read(&path) else {
            return Ok(None);
        };
        let Some(kinds) = kinds(&text) else {
            return Ok(None);
        };
        has_workload |= kinds.iter().any(|kind| {
            Kind::WORKLOADS
                .iter()
                .any(|workload| workload.as_str() == kind)
        });
        found.push(path);
    }
    Ok(has_workload.then_some(found))
}

/// Returns whether a resource is for promgen alone, in whose own modes of sharding the operator has no say, or one that
/// is being deleted, of which the operator writes nothing.
fn is_foreign(document: &Value) -> bool {
    let sharding = &document["spec"]["shardingStrategy"];
    let is_the_operators = sharding["mode"]
        .as_str()
        .is_none_or(|mode| ["Address", "Topology"].contains(&mode));
    !is_the_operators
        || sharding["topology"].is_array()
        || !document["metadata"]["deletionTimestamp"].is_null()
}

/// The kinds of the documents in a text; `None` if one is no object of Kubernetes, or [`is_foreign`].
fn kinds(text: &str) -> Option<Vec<String>> {
    let mut kinds = Vec::new();
    for document in serde_yaml::Deserializer::from_str(text) {
        let value = Value::deserialize(document).ok()?;
        if is_foreign(&value) {
            return None;
        }
        if !value.is_null() {
            value["apiVersion"].as_str()?;
            value["metadata"]["name"].as_str()?;
            kinds.push(value["kind"].as_str()?.to_owned());
        }
    }
    Some(kinds)
}
