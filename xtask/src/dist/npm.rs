//! Packages of npm: one per platform with the program, and one that starts the program of the platform it is installed on.

use serde_json::{Value, json};

use super::archive::{self, Entry};
use super::contents::Contents;
use super::table::{DESCRIPTION, Format, NPM, PLATFORMS, Platform, REPOSITORY, VERSION};

/// Starts the program.
const START: &str = include_str!("start.js");

/// The package with the program of a platform.
pub(crate) fn of_platform(platform: &Platform, contents: &Contents<'_>) -> Result<Vec<u8>, String> {
    let (os, cpu) = platform.node();
    let mut about = about(&platform.npm_name());
    about["os"] = json!([os]);
    about["cpu"] = json!([cpu]);
    package(
        &about,
        &[
            contents.program.clone(),
            contents.licence.clone(),
            contents.notices.clone(),
            contents.sbom.clone(),
        ],
    )
}

/// The package that people install.
pub(crate) fn launcher(licence: Entry, readme: Entry) -> Result<Vec<u8>, String> {
    let mut about = about(NPM);
    about["bin"] = json!({"promgen": "start.js"});
    about["engines"] = json!({"node": ">=18"});
    let brought = PLATFORMS
        .iter()
        .filter(|platform| platform.formats.contains(&Format::Npm));
    let brought = brought.map(|platform| (platform.npm_name(), Value::from(VERSION)));
    about["optionalDependencies"] = brought.collect::<serde_json::Map<_, _>>().into();
    package(
        &about,
        &[Entry::program("start.js", START), licence, readme],
    )
}

fn about(name: &str) -> Value {
    json!({
        "name": name,
        "version": VERSION,
        "description": DESCRIPTION,
        "license": "Apache-2.0",
        "repository": {"type": "git", "url": format!("git+{REPOSITORY}.git")},
        "preferUnplugged": true,
    })
}

fn package(about: &Value, entries: &[Entry]) -> Result<Vec<u8>, String> {
    let about = Entry::new("package.json", format!("{about:#}\n"));
    let entries: Vec<_> = entries
        .iter()
        .chain([&about])
        .map(|entry| entry.at(format!("package/{}", entry.path)))
        .collect();
    archive::tar_gz(&entries)
}
