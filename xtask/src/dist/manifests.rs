//! What other repositories take: manifests of package managers, filled from the table and the checksums of the archives. The folder
//! `xtask/manifests` has a folder for each, with the files as they stand there.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior, Value, context};
use serde::Serialize;

use super::table::{DESCRIPTION, Format, IMAGE, NPM, PLATFORMS, REPOSITORY, VERSION, WHEEL};
use super::{Made, archive::Entry};
use crate::files;

/// What a template knows of a platform.
#[derive(Debug, Serialize)]
struct Listed {
    target: &'static str,
    os: &'static str,
    arch: &'static str,
    nix: String,
    program: &'static str,
    archive: String,
    sha256: String,
    /// The zip archive, where there is one.
    zip: Option<String>,
    zip_sha256: Option<String>,
}

/// All files, filled.
pub(crate) fn filled(made: &Made) -> Result<Vec<Entry>, String> {
    let mut listed = Vec::new();
    for platform in PLATFORMS {
        let archive = platform.file(Format::TarGz);
        let zip = platform
            .formats
            .contains(&Format::Zip)
            .then(|| platform.file(Format::Zip));
        listed.push(Listed {
            target: platform.target,
            os: platform.os,
            arch: platform.arch,
            nix: platform.nix(),
            program: platform.program(),
            sha256: made.sum(&archive)?,
            archive,
            zip_sha256: zip.as_ref().map(|zip| made.sum(zip)).transpose()?,
            zip,
        });
    }
    let values = context! {
        version => VERSION, description => DESCRIPTION, repository => REPOSITORY, image => IMAGE,
        wheel => WHEEL, npm => NPM, platforms => Value::from(Serde(&listed)),
        downloads => format!("{REPOSITORY}/releases/download/v{VERSION}"),
    };
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build();
    environment.set_syntax(syntax.map_err(|why| why.to_string())?);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    let folder = files::root().join("xtask/manifests");
    let mut filled = Vec::new();
    for path in files::below(&folder)? {
        let place = path
            .strip_prefix(&folder)
            .map_err(|why| why.to_string())?
            .to_string_lossy()
            .replace('\\', "/");
        let text = environment
            .render_str(&files::read(&path)?, &values)
            .map_err(|why| format!("xtask/manifests/{place}: {why}"))?;
        let runs = text.starts_with("#!");
        filled.push(if runs {
            Entry::program(place, text)
        } else {
            Entry::new(place, text)
        });
    }
    Ok(filled)
}
