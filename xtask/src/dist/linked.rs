//! The crates that are linked into the program of a platform: their licences, and the list of them (SBOM).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::table::{Platform, REPOSITORY, VERSION};
use crate::files;

/// How the files with licences are called.
const LICENCES: [&str; 6] = [
    "LICENSE",
    "LICENCE",
    "COPYING",
    "COPYRIGHT",
    "NOTICE",
    "UNLICENSE",
];

/// What is linked and is no crate.
const TOOLCHAIN: &str = "\
The program contains the standard library of Rust, which is under MIT or Apache-2.0 at choice, with parts under the licences that
its file COPYRIGHT names: https://github.com/rust-lang/rust/blob/main/COPYRIGHT

On Linux, it contains the C library musl, which is under the MIT licence:

Copyright © 2005-2020 Rich Felker, et al.

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
\"Software\"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject
to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR
ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH
THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
";

/// A crate.
#[derive(Debug)]
struct Crate {
    name: String,
    version: String,
    licence: String,
    description: String,
    /// The place of its source.
    folder: PathBuf,
    /// That of its archive; the crates of this repository have none.
    checksum: Option<String>,
    /// The linked crates that it needs, by their references.
    needs: Vec<String>,
}

impl Crate {
    /// How an SBOM refers to it.
    fn reference(&self) -> String {
        format!("pkg:cargo/{}@{}", self.name, self.version)
    }

    /// The texts of its licences, by their files.
    fn texts(&self) -> Result<Vec<String>, String> {
        let is_licence = |path: &Path| {
            let name = files::name(path).to_uppercase();
            LICENCES.iter().any(|start| name.starts_with(start)) && !name.ends_with(".RS")
        };
        let mut texts = Vec::new();
        for path in files::below(&self.folder)?
            .iter()
            .filter(|path| is_licence(path))
        {
            texts.push(files::read(path)?);
        }
        // Some name the licence, and bring no text.
        if texts.is_empty()
            && self
                .licence
                .split(" OR ")
                .any(|licence| licence == "Apache-2.0")
        {
            texts.push(files::read(&files::root().join("LICENSE"))?);
        }
        if texts.is_empty() {
            Err(format!(
                "{} {} has no licence text",
                self.name, self.version
            ))
        } else {
            Ok(texts)
        }
    }
}

/// What is linked into the program of one platform, by name and version.
#[derive(Debug)]
pub(crate) struct Linked(Vec<Crate>);

impl Linked {
    /// Asks Cargo.
    pub(crate) fn of(platform: &Platform) -> Result<Self, String> {
        let names = linked_names(platform)?;
        let metadata = cargo(&[
            "metadata",
            "--format-version",
            "1",
            "--filter-platform",
            platform.target,
        ])?;
        let metadata: Value = serde_json::from_str(&metadata).map_err(|why| why.to_string())?;
        let lock = files::read(&files::root().join("Cargo.lock"))?;
        let nodes = array(&metadata["resolve"]["nodes"]);
        let mut by_id = BTreeMap::new();
        for package in array(&metadata["packages"]) {
            let (name, version) = (text(&package["name"]), text(&package["version"]));
            if names.contains(&(name.clone(), version.clone())) {
                by_id.insert(
                    text(&package["id"]),
                    (
                        package,
                        format!("pkg:cargo/{name}@{version}"),
                        name,
                        version,
                    ),
                );
            }
        }
        let mut crates = Vec::new();
        for (id, (package, _, name, version)) in &by_id {
            let node = nodes
                .iter()
                .find(|node| node["id"] == id.as_str())
                .unwrap_or(&Value::Null);
            let needs = array(&node["dependencies"])
                .iter()
                .filter_map(|id| by_id.get(id.as_str()?));
            let mut needs: Vec<_> = needs.map(|(_, reference, ..)| reference.clone()).collect();
            needs.sort_unstable();
            let folder = PathBuf::from(text(&package["manifest_path"]))
                .parent()
                .map(Path::to_path_buf);
            crates.push(Crate {
                checksum: checksum(&lock, name, version),
                name: name.clone(),
                version: version.clone(),
                licence: text(&package["license"]).replace('/', " OR "),
                description: text(&package["description"]),
                folder: folder.unwrap_or_default(),
                needs,
            });
        }
        if crates.len() != names.len() {
            return Err(format!(
                "of {} linked crates, Cargo describes {}",
                names.len(),
                crates.len()
            ));
        }
        crates.sort_unstable_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
        Ok(Self(crates))
    }

    /// The crates of others.
    fn foreign(&self) -> impl Iterator<Item = &Crate> {
        self.0.iter().filter(|linked| linked.checksum.is_some())
    }

    /// The licences of the crates of others, each text once.
    pub(crate) fn notices(&self) -> Result<String, String> {
        let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut notices = "# Licences of what promgen is built of\n\n".to_owned();
        for linked in self.foreign() {
            _ = writeln!(
                notices,
                "- {} {}: {}",
                linked.name, linked.version, linked.licence
            );
            for text in linked.texts()? {
                texts
                    .entry(text.trim().replace("\r\n", "\n"))
                    .or_default()
                    .insert(linked.name.clone());
            }
        }
        _ = write!(notices, "\n## Rust and musl\n\n{TOOLCHAIN}");
        let mut texts: Vec<_> = texts
            .into_iter()
            .map(|(text, names)| (names, text))
            .collect();
        texts.sort_unstable();
        for (names, text) in texts {
            let names: Vec<_> = names.iter().map(String::as_str).collect();
            _ = write!(notices, "\n## {}\n\n{text}\n", names.join(", "));
        }
        Ok(notices)
    }

    /// The list of the crates, as CycloneDX 1.6 has it.
    pub(crate) fn sbom(&self, platform: &Platform) -> String {
        let own = |linked: &&Crate| linked.name == "promgen";
        let components: Vec<_> = self
            .0
            .iter()
            .filter(|linked| !own(linked))
            .map(component)
            .collect();
        let dependencies: Vec<_> = self
            .0
            .iter()
            .map(|linked| json!({"ref": linked.reference(), "dependsOn": linked.needs}))
            .collect();
        let mut root = self.0.iter().find(own).map(component).unwrap_or_default();
        root["type"] = "application".into();
        root["properties"] = json!([{"name": "promgen:target", "value": platform.target}]);
        let sbom = json!({
            "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "version": 1,
            "metadata": {"component": root, "tools": {"components": [{"type": "application", "name": "promgen xtask dist", "version": VERSION}]}},
            "components": components,
            "dependencies": dependencies,
        });
        format!("{sbom:#}\n")
    }
}

/// A crate as CycloneDX has it.
fn component(linked: &Crate) -> Value {
    let mut component = json!({
        "type": "library",
        "bom-ref": linked.reference(),
        "name": linked.name,
        "version": linked.version,
        "description": linked.description,
        "licenses": [{"expression": linked.licence}],
        "purl": linked.reference(),
    });
    match &linked.checksum {
        Some(checksum) => component["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]),
        None => component["externalReferences"] = json!([{"type": "vcs", "url": REPOSITORY}]),
    }
    component
}

/// The names and versions of the crates whose code the program has. What runs at build time is not among them.
fn linked_names(platform: &Platform) -> Result<BTreeSet<(String, String)>, String> {
    let tree = cargo(&[
        "tree",
        "--package=promgen",
        "--edges=normal,no-proc-macro",
        "--prefix=none",
        "--no-dedupe",
        "--format={p}",
        "--target",
        platform.target,
    ])?;
    let pairs = tree.lines().filter_map(|line| {
        let mut words = line.split(' ');
        Some((
            words.next()?.to_owned(),
            words.next()?.strip_prefix('v')?.to_owned(),
        ))
    });
    Ok(pairs.collect())
}

/// What a command of Cargo prints about this workspace.
fn cargo(arguments: &[&str]) -> Result<String, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    files::output(
        Command::new(cargo)
            .args(arguments)
            .arg("--locked")
            .current_dir(files::root()),
    )
}

/// The checksum of a crate in Cargo.lock.
fn checksum(lock: &str, name: &str, version: &str) -> Option<String> {
    let start = format!("name = \"{name}\"\nversion = \"{version}\"\n");
    let package = lock
        .split("[[package]]\n")
        .find(|package| package.starts_with(&start))?;
    let line = package
        .lines()
        .find_map(|line| line.strip_prefix("checksum = \""))?;
    Some(line.trim_end_matches('"').to_owned())
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
