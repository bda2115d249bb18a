//! A chart with the charts that it depends on, and the digest of all of it.
//!
//! A folder that lacks a chart which it depends on is copied, and gets it from where charts are found.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::cli::fs::helm::chart::{description, first_document, is_plain};
use crate::cli::fs::write::Access;
use crate::cli::fs::{names, read_limited};
use promgen_compile::output::generated::record::digest;
use promgen_resources::rendered::NamedChart;
use promgen_text::yaml::Node;

/// The number of files that a chart may have.
pub(crate) const MAX_FILES: usize = 10_000;

/// The number of bytes that a chart may have.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

/// The deepest folder of a chart.
const MAX_DEPTH: usize = 32;

/// A chart that Helm can render.
pub(super) struct AssembledChart {
    pub(super) path: PathBuf,
    pub(super) digest: String,
}

/// Finds or pulls a chart.
type Pull<'p> = &'p dyn Fn(&NamedChart) -> Result<PathBuf, String>;

/// Checks that a path stays in the repository.
type PathCheck<'c> = &'c dyn Fn(&Path) -> Result<(), String>;

/// Puts a chart together. `folder`: where copies are written.
pub(super) fn assemble(
    path: &Path,
    folder: &Path,
    check: PathCheck<'_>,
    pull: Pull<'_>,
) -> Result<AssembledChart, String> {
    if path.is_file() {
        return Ok(AssembledChart {
            path: path.to_owned(),
            digest: digest(&archive(path)?),
        });
    }
    let files = ChartFiles::of(path, check)?;
    let missing = missing(path);
    if missing.is_empty() {
        return Ok(AssembledChart {
            path: path.to_owned(),
            digest: files.digest(),
        });
    }
    let copy = folder.join("chart");
    files.write(&copy)?;
    let mut whole = vec![files.digest()];
    for dependency in &missing {
        whole.push(add(dependency, path, &copy, check, pull)?);
    }
    Ok(AssembledChart {
        path: copy,
        digest: digest(whole.join(" ").as_bytes()),
    })
}

/// Adds a chart that another depends on, and returns its digest.
fn add(
    dependency: &NamedChart,
    chart: &Path,
    copy: &Path,
    check: PathCheck<'_>,
    pull: Pull<'_>,
) -> Result<String, String> {
    let name = &dependency.name;
    let of_dependency =
        |why: String| format!("its dependency {name} {}: {why}", dependency.version);
    if !is_plain(name) {
        return Err(of_dependency("it has no valid name".to_owned()));
    }
    let found = match dependency.repository.strip_prefix("file://") {
        Some(path) => {
            let path = fs::canonicalize(chart.join(path));
            let path = path.map_err(|_| of_dependency("it is not in the repository".to_owned()))?;
            check(&path).map_err(of_dependency)?;
            path
        }
        None => pull(dependency).map_err(of_dependency)?,
    };
    let charts = copy.join("charts");
    fs::create_dir_all(&charts).map_err(|error| error.to_string())?;
    if found.is_dir() {
        let files = ChartFiles::of(&found, check).map_err(of_dependency)?;
        files.write(&charts.join(name))?;
        return Ok(files.digest());
    }
    let bytes = archive(&found).map_err(of_dependency)?;
    write(
        &charts.join(format!("{name}-{}.tgz", digest(&bytes))),
        &bytes,
    )?;
    Ok(digest(&bytes))
}

/// The charts that a chart depends on, and that are not in it.
fn missing(chart: &Path) -> Vec<NamedChart> {
    let described = [
        description(chart),
        first_document(&chart.join("requirements.yaml")),
    ];
    let text = |node: &Node, key: &str| {
        node.get(key)
            .and_then(Node::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let all = described
        .iter()
        .flatten()
        .flat_map(|node| node.get("dependencies").map_or(&[][..], Node::items));
    let all = all.map(|node| NamedChart {
        repository: text(node, "repository"),
        name: text(node, "name"),
        version: text(node, "version"),
    });
    let names: Vec<String> = fs::read_dir(chart.join("charts")).map_or_else(
        |_| Vec::new(),
        |entries| {
            entries
                .take(MAX_FILES)
                .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
                .collect()
        },
    );
    let is_archive_of = |file: &str, name: &str| {
        let version = file
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix('-')?.strip_suffix(".tgz"));
        version.is_some_and(|version| {
            version
                .trim_start_matches('v')
                .starts_with(|c: char| c.is_ascii_digit())
        })
    };
    let is_there = |dependency: &NamedChart| {
        names
            .iter()
            .any(|file| *file == dependency.name || is_archive_of(file, &dependency.name))
    };
    all.filter(|dependency| !dependency.name.is_empty() && !is_there(dependency))
        .collect()
}

/// The files of a chart, by their paths in it.
struct ChartFiles(BTreeMap<String, Vec<u8>>);

impl ChartFiles {
    /// Reads a chart. No link may lead out of the repository: a template could print what is there.
    fn of(chart: &Path, check: PathCheck<'_>) -> Result<Self, String> {
        let (mut files, mut n_bytes) = (BTreeMap::new(), 0);
        let mut todo = vec![(chart.to_owned(), String::new(), 0)];
        while let Some((folder, prefix, depth)) = todo.pop() {
            let entries = fs::read_dir(&folder).map_err(|error| error.to_string())?;
            for entry in entries {
                let entry = entry.map_err(|error| error.to_string())?;
                let path = entry.path();
                let own = entry.file_name();
                // The history of a checkout is no part of the chart.
                if !names::is_ordinary(&own.to_string_lossy()) {
                    continue;
                }
                let name = format!("{prefix}{}", own.to_string_lossy());
                if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                    check(&path).map_err(|why| format!("`{name}` in the chart: {why}"))?;
                }
                if path.is_dir() {
                    if depth < MAX_DEPTH {
                        todo.push((path, format!("{name}/"), depth + 1));
                    }
                } else if path.is_file() {
                    let bytes = limited(&path)?;
                    n_bytes += bytes.len() as u64;
                    files.insert(name, bytes);
                } else {
                    return Err(format!("`{name}` in the chart is not a regular file"));
                }
                if n_bytes > MAX_BYTES || files.len() > MAX_FILES {
                    return Err("the chart is too large".to_owned());
                }
            }
        }
        Ok(Self(files))
    }

    fn digest(&self) -> String {
        let lines = self
            .0
            .iter()
            .map(|(name, bytes)| format!("{} {name}\n", digest(bytes)));
        digest(lines.collect::<String>().as_bytes())
    }

    /// Writes them below a folder.
    fn write(&self, folder: &Path) -> Result<(), String> {
        self.0
            .iter()
            .try_for_each(|(name, bytes)| write(&folder.join(name), bytes))
    }
}

fn archive(path: &Path) -> Result<Vec<u8>, String> {
    let bytes = limited(path)?;
    if bytes.len() as u64 > MAX_BYTES {
        Err("the chart is too large".to_owned())
    } else {
        Ok(bytes)
    }
}

fn limited(path: &Path) -> Result<Vec<u8>, String> {
    let read = fs::File::open(path).and_then(|file| read_limited(file, 0));
    read.map_err(|error| error.to_string())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let created = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = created
        .and_then(|()| Access::Private.new_file().open(path))
        .and_then(|mut file| file.write_all(bytes));
    written.map_err(|error| format!("cannot write a temporary file: {error}"))
}
