//! What the packages of one platform consist of.

use std::path::Path;
use std::process::Command;

use super::archive::Entry;
use super::linked::Linked;
use super::table::{Platform, REPOSITORY};
use crate::files;

/// The shells that a package brings completions for, with the usual names of their files.
pub(crate) const SHELLS: [(&str, &str); 5] = [
    ("bash", "promgen.bash"),
    ("elvish", "promgen.elv"),
    ("fish", "promgen.fish"),
    ("powershell", "promgen.ps1"),
    ("zsh", "_promgen"),
];

/// Manual pages and completions, which are the same on every platform.
#[derive(Debug)]
pub(crate) struct Manuals {
    /// Named `promgen.1` and so on.
    pub(crate) pages: Vec<Entry>,
    /// Named as in [`SHELLS`].
    pub(crate) completions: Vec<Entry>,
}

impl Manuals {
    /// Asks a program that runs here.
    pub(crate) fn of(program: &Path) -> Result<Self, String> {
        let folder = files::root().join("target/dist-manuals");
        files::clear(&folder)?;
        files::run(
            Command::new(program)
                .args(["--quiet", "man", "-o"])
                .arg(&folder),
        )?;
        let mut pages = Vec::new();
        for path in files::entries(&folder)? {
            pages.push(Entry::new(files::name(&path), files::read(&path)?));
        }
        let mut completions = Vec::new();
        for (shell, name) in SHELLS {
            let script = files::output(Command::new(program).args(["completions", shell]))?;
            completions.push(Entry::new(name, script));
        }
        Ok(Self { pages, completions })
    }
}

/// What the packages of one platform consist of.
#[derive(Debug)]
pub(crate) struct Contents<'a> {
    pub(crate) program: Entry,
    pub(crate) licence: Entry,
    /// The licences of linked crates.
    pub(crate) notices: Entry,
    pub(crate) readme: Entry,
    /// The list of linked crates.
    pub(crate) sbom: Entry,
    pub(crate) manuals: &'a Manuals,
}

impl<'a> Contents<'a> {
    /// Those of a program.
    pub(crate) fn of(
        platform: &Platform,
        program: Vec<u8>,
        manuals: &'a Manuals,
    ) -> Result<Self, String> {
        let linked = Linked::of(platform)?;
        Ok(Self {
            program: Entry::program(platform.program(), program),
            licence: Entry::new("LICENSE", files::read(&files::root().join("LICENSE"))?),
            notices: Entry::new("NOTICES.md", linked.notices()?),
            readme: readme()?,
            sbom: Entry::new("promgen.cdx.json", linked.sbom(platform)),
            manuals,
        })
    }

    /// The files of an archive.
    pub(crate) fn all(&self) -> Vec<Entry> {
        let mut all: Vec<_> = [
            &self.program,
            &self.licence,
            &self.notices,
            &self.readme,
            &self.sbom,
        ]
        .into_iter()
        .cloned()
        .collect();
        all.extend(
            self.manuals
                .pages
                .iter()
                .map(|page| page.at(format!("man/{}", page.path))),
        );
        all.extend(
            self.manuals
                .completions
                .iter()
                .map(|script| script.at(format!("completions/{}", script.path))),
        );
        all
    }
}

/// README.md, whose links lead to the repository: a package has no other page.
pub(crate) fn readme() -> Result<Entry, String> {
    let text = files::read(&files::root().join("README.md"))?;
    let mut parts = text.split("](");
    let mut absolute = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        absolute.push_str("](");
        if !part.starts_with("http") && !part.starts_with('#') {
            absolute.push_str(&format!("{REPOSITORY}/blob/main/"));
        }
        absolute.push_str(part);
    }
    let pictures = format!("=\"{REPOSITORY}/raw/main/docs/");
    Ok(Entry::new(
        "README.md",
        absolute.replace("=\"docs/", &pictures),
    ))
}
