//! Pulls charts over the network, if the user asks for it, and keeps them for later runs.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::fs::helm::chart::{folder_of, is_plain};
use crate::cli::fs::helm::process::{Clock, run};
use crate::cli::fs::helm::results::private_folder;
use crate::cli::fs::helm::{cannot_write, helm, with_path};
use crate::cli::fs::write::{Access, write_file};
use promgen_resources::rendered::NamedChart;

/// The schemes of repositories. Others are plugins of Helm, which run programs.
const SCHEMES: [&str; 3] = ["https://", "http://", "oci://"];

/// Pulls a chart to a folder.
pub(super) fn pull(
    chart: &NamedChart,
    folder: &Path,
    (own, clock): (Option<&Path>, &Clock),
) -> Result<PathBuf, String> {
    let url = chart.repository.trim_end_matches('/');
    if !SCHEMES.iter().any(|scheme| url.starts_with(scheme)) || !is_plain(&chart.name) {
        return Err("its repository has no URL that Helm can pull from".to_owned());
    }
    let target = folder.join(format!("pulled-{}", chart.name));
    fs::create_dir_all(&target).map_err(|error| cannot_write(&error))?;
    let mut command = helm(true, folder);
    command.arg("pull").arg(with_path("--destination=", &target));
    if !chart.version.is_empty() {
        command.arg(format!("--version={}", chart.version));
    }
    match url.starts_with("oci://") {
        true => command.arg("--").arg(format!("{url}/{}", chart.name)),
        false => command.arg(format!("--repo={url}")).arg("--").arg(&chart.name),
    };
    run(&mut command, clock).map_err(|why| format!("it cannot be pulled: {why}"))?;
    let mut entries = fs::read_dir(&target).map_err(|error| cannot_write(&error))?.filter_map(Result::ok);
    let archive = entries.find(|entry| entry.path().extension().is_some_and(|extension| extension == "tgz"));
    let archive = archive.ok_or("it cannot be pulled: Helm has written no archive")?.path();
    if let Some(own) = own {
        keep(&archive, &folder_of(own, chart));
    }
    Ok(archive)
}

/// Keeps an archive for later runs. A folder that cannot be written keeps nothing.
fn keep(archive: &Path, folder: &Path) {
    let Some(name) = archive.file_name() else { return };
    let _ = private_folder(folder)
        .and_then(|()| fs::read(archive))
        .and_then(|bytes| write_file(&folder.join(name), Access::Private, |out| out.write_all(&bytes)));
}
