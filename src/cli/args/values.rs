//! Values of options that take more than a type to read: feature gates, and what stands in files.

use std::path::PathBuf;

use promgen_resources::gates::FEATURES;
use promgen_resources::schema::{Definitions, GivenFacts};

use crate::cli::fs::{self, Workspace};

/// Reads the definitions of a file or a folder.
pub(super) fn definitions(path: &str) -> Result<Definitions, String> {
    let workspace = Workspace::of(&[]);
    let read = fs::read_files(&[PathBuf::from(path)], &workspace, &mut std::io::empty());
    Definitions::read(&read.map_err(|messages| messages.join("; "))?.inputs)
}

/// Reads a table of facts.
pub(super) fn facts(path: &str) -> Result<GivenFacts, String> {
    let path = PathBuf::from(path);
    let text = fs::read_text(&path, &Workspace::of(&[]).typed(&path))?;
    GivenFacts::read(&text).map_err(|why| format!("`{}`: {why}", path.display()))
}

/// Reads a feature gate: `NAME=true`.
pub(super) fn parse_gate(text: &str) -> Result<(String, bool), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("expected NAME=true or NAME=false")?;
    let name = name.trim();
    if !FEATURES.iter().any(|feature| feature.name == name) {
        let known: Vec<_> = FEATURES.iter().map(|feature| feature.name).collect();
        return Err(format!(
            "unknown feature gate; expected one of: {}",
            known.join(", ")
        ));
    }
    // The spellings that Go's strconv.ParseBool accepts; the operator uses it.
    match value.trim() {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok((name.to_owned(), true)),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok((name.to_owned(), false)),
        _ => Err("expected true or false".to_owned()),
    }
}
