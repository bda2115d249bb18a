//! Packages of Debian and of RPM, which nfpm makes.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::archive::{self, Entry, MADE};
use super::contents::Contents;
use super::table::{DESCRIPTION, Format, Platform, REPOSITORY, VERSION};
use crate::files;

/// The time of the files, which nfpm takes as text.
const TIME: &str = "1980-01-01T00:00:00Z";

/// The bytes of a package, which the program `nfpm` makes.
pub(crate) fn package(
    nfpm: &Path,
    platform: &Platform,
    contents: &Contents<'_>,
    format: Format,
) -> Result<Vec<u8>, String> {
    let folder = files::root().join("target/dist-nfpm");
    files::clear(&folder)?;
    let mut listed = Vec::new();
    for entry in installed(contents, format)? {
        files::write_bytes(&folder.join("root").join(&entry.path), &entry.bytes)?;
        listed.push(listed_file(&entry));
    }
    files::write(
        &folder.join("nfpm.json"),
        &format!("{:#}\n", described(platform, &listed)),
    )?;
    let mut command = Command::new(nfpm);
    command
        .current_dir(&folder)
        .env("SOURCE_DATE_EPOCH", MADE.to_string());
    command.args([
        "package",
        "--config",
        "nfpm.json",
        "--target",
        "package",
        "--packager",
    ]);
    command.arg(if format == Format::Deb { "deb" } else { "rpm" });
    // nfpm says what it does.
    files::output(&mut command)?;
    files::read_bytes(&folder.join("package"))
}

/// The files of the package, at their places below `/`.
fn installed(contents: &Contents<'_>, format: Format) -> Result<Vec<Entry>, String> {
    let documents = "usr/share/doc/promgen";
    let mut installed = vec![
        contents.program.at("usr/bin/promgen"),
        contents.licence.at(format!("{documents}/copyright")),
        contents.notices.at(format!("{documents}/NOTICES.md")),
        contents.sbom.at(format!("{documents}/promgen.cdx.json")),
    ];
    for page in &contents.manuals.pages {
        installed.push(Entry::new(
            format!("usr/share/man/man1/{}.gz", page.path),
            archive::gzip(&page.bytes)?,
        ));
    }
    let zsh = if format == Format::Deb {
        "vendor-completions"
    } else {
        "site-functions"
    };
    for script in &contents.manuals.completions {
        let place = match script.path.as_str() {
            "promgen.bash" => "usr/share/bash-completion/completions/promgen".to_owned(),
            "promgen.fish" => "usr/share/fish/vendor_completions.d/promgen.fish".to_owned(),
            "_promgen" => format!("usr/share/zsh/{zsh}/_promgen"),
            // The other shells have no place for what packages bring.
            _ => continue,
        };
        installed.push(script.at(place));
    }
    Ok(installed)
}

/// What nfpm is told of a file.
fn listed_file(entry: &Entry) -> Value {
    json!({
        "src": format!("root/{}", entry.path),
        "dst": format!("/{}", entry.path),
        "file_info": {"mode": entry.mode(), "mtime": TIME, "owner": "root", "group": "root"},
    })
}

/// What nfpm is told of the package.
fn described(platform: &Platform, listed: &[Value]) -> Value {
    json!({
        "name": "promgen",
        "arch": platform.arch,
        "platform": platform.os,
        "version": VERSION,
        "release": "1",
        "section": "utils",
        "priority": "optional",
        "maintainer": "The maintainers of promgen <promgen@users.noreply.github.com>",
        "description": DESCRIPTION,
        "homepage": REPOSITORY,
        "license": "Apache-2.0",
        "mtime": TIME,
        "rpm": {"buildhost": "promgen"},
        "contents": listed,
    })
}
