//! Pulls charts over the network, if the user asks for it, and keeps them for later runs.

use std::ffi::OsString;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::cli::fs::helm::chart::{folder_of, is_plain};
use crate::cli::fs::helm::process::{Clock, run};
use crate::cli::fs::helm::results::private_folder;
use crate::cli::fs::helm::{cannot_write, helm, with_path};
use crate::cli::fs::write::{Access, replace_file};
use promgen_resources::rendered::NamedChart;
use promgen_text::diag::Sink;
use promgen_text::source::FileId;
use promgen_text::yaml::Node;
use promgen_text::yaml::read::read;

/// The schemes of repositories and archives. Others are plugins of Helm, which run programs.
const SCHEMES: [&str; 3] = ["https://", "http://", "oci://"];

/// The name of a repository while a chart is pulled from it.
const REPOSITORY: &str = "repository";

/// Pulls a chart to a folder.
pub(super) fn pull(
    chart: &NamedChart,
    folder: &Path,
    program: &Path,
    own: Option<&Path>,
    clock: &Clock,
) -> Result<PathBuf, String> {
    let url = chart.repository.trim_end_matches('/');
    if !SCHEMES.iter().any(|scheme| url.starts_with(scheme)) || !is_plain(&chart.name) {
        return Err("its repository has no URL that Helm can pull from".to_owned());
    }
    let target = folder.join(format!("pulled-{}", chart.name));
    fs::create_dir_all(&target).map_err(|error| cannot_write(&error))?;
    let mut command = helm(program, true, folder);
    command
        .arg("pull")
        .arg(with_path("--destination=", &target));
    if !chart.version.is_empty() {
        command.arg(format!("--version={}", chart.version));
    }
    match url.starts_with("oci://") {
        true => command.arg("--").arg(format!("{url}/{}", chart.name)),
        false => {
            let known = add_repository(url, &chart.name, folder, program, clock)?;
            command
                .args(known)
                .arg("--")
                .arg(format!("{REPOSITORY}/{}", chart.name))
        }
    };
    run(command, clock).map_err(|why| format!("it cannot be pulled: {why}"))?;
    let mut entries = fs::read_dir(&target)
        .map_err(|error| cannot_write(&error))?
        .filter_map(Result::ok);
    let archive = entries.find(|entry| {
        entry
            .path()
            .extension()
            .is_some_and(|extension| extension == "tgz")
    });
    let archive = archive
        .ok_or("it cannot be pulled: Helm has written no archive")?
        .path();
    if let Some(own) = own {
        keep(&archive, &folder_of(own, chart));
    }
    Ok(archive)
}

/// Makes a repository known to the runs of Helm in a folder, and checks where its index says that a chart is. Helm pulls by the
/// index that was checked: it is not read from the network again. Returns the options of such a run.
fn add_repository(
    url: &str,
    chart: &str,
    folder: &Path,
    program: &Path,
    clock: &Clock,
) -> Result<[OsString; 2], String> {
    let cache = folder.join("repositories");
    let options = [
        with_path("--repository-config=", &folder.join("repositories.yaml")),
        with_path("--repository-cache=", &cache),
    ];
    let mut command = helm(program, true, folder);
    command
        .args(["repo", "add"])
        .args(&options)
        .args(["--", REPOSITORY, url]);
    run(command, clock).map_err(|why| format!("it cannot be pulled: {why}"))?;
    let text = read_index(&cache, clock.max_bytes())?;
    let document = read(FileId::default(), &text, &mut Sink::default())
        .into_iter()
        .next();
    let root = document.as_ref().map(|document| &*document.root);
    let versions = root
        .and_then(|root| root.get("entries")?.get(chart))
        .map(Node::items)
        .unwrap_or_default();
    let addresses = versions
        .iter()
        .filter_map(|version| version.get("urls"))
        .flat_map(Node::items);
    match addresses.filter_map(Node::as_str).all(is_reachable) {
        true => Ok(options),
        false => {
            Err("the index of its repository names a URL that Helm cannot pull from".to_owned())
        }
    }
}

/// The index that Helm has downloaded.
fn read_index(cache: &Path, max_bytes: u64) -> Result<String, String> {
    let cannot_read =
        |error: std::io::Error| format!("cannot read the index of its repository: {error}");
    let file =
        fs::File::open(cache.join(format!("{REPOSITORY}-index.yaml"))).map_err(cannot_read)?;
    let mut text = String::new();
    let n_bytes = file
        .take(max_bytes.saturating_add(1))
        .read_to_string(&mut text)
        .map_err(cannot_read)?;
    match u64::try_from(n_bytes).is_ok_and(|n_bytes| n_bytes <= max_bytes) {
        true => Ok(text),
        false => Err("the index of its repository is too large".to_owned()),
    }
}

/// Returns whether an address in an index is one that Helm asks by itself: one of its own schemes, or a path below the
/// repository.
fn is_reachable(address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    SCHEMES.iter().any(|scheme| lower.starts_with(scheme)) || !address.contains(':')
}

/// Keeps an archive for later runs. A folder that cannot be written keeps nothing.
fn keep(archive: &Path, folder: &Path) {
    let Some(name) = archive.file_name() else {
        return;
    };
    let _ = private_folder(folder)
        .and_then(|()| fs::read(archive))
        .and_then(|bytes| {
            replace_file(&folder.join(name), Access::Private, |out| {
                out.write_all(&bytes)
            })
        });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_path_or_has_a_scheme_of_helm() {
        for address in [
            "stack.tgz",
            "charts/stack-1.2.3.tgz",
            "/a.tgz",
            "https://a.example/b.tgz",
            "OCI://a.example/b",
        ] {
            assert!(is_reachable(address), "{address}");
        }
        for address in [
            "s3://a/b.tgz",
            "git+https://a/b",
            "file:///etc/passwd",
            "x:y",
            "HTTPSX://a",
        ] {
            assert!(!is_reachable(address), "{address}");
        }
    }
}
