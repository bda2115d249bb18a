//! The recordings: what releases of the operator answer to the corpus, packed.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Outcome, corpus, facts, files};

/// The place of the recordings.
fn recordings() -> PathBuf {
    files::root().join("oracle/recordings")
}

/// The end of the name of an archive.
const ARCHIVE: &str = ".tar.zst";

/// The archive of a name: a release, or the corpus.
fn archive(name: &str) -> PathBuf {
    recordings().join(format!("{name}{ARCHIVE}"))
}

/// The archive of the corpus.
pub(crate) fn corpus() -> PathBuf {
    archive("corpus")
}

/// Builds the oracle, and gives the path of its program. It is built as it builds the operator (`oracle/build.go`): what both need is
/// compiled once.
pub(crate) fn oracle() -> Result<PathBuf, String> {
    let program = files::root().join("target/oracle/oracle");
    let mut go = Command::new("go");
    files::run(
        go.env("CGO_ENABLED", "0")
            .args(["build", "-trimpath", "-o"])
            .arg(&program)
            .arg(".")
            .current_dir(files::root().join("oracle")),
    )?;
    Ok(program)
}

/// Packs a folder.
pub(crate) fn pack(folder: &Path, archive: &Path) -> Outcome {
    files::run(Command::new(oracle()?).arg("pack").arg(folder).arg(archive))
}

/// Empties a folder, and unpacks an archive there.
fn unpack(archive: &Path, folder: &Path) -> Outcome {
    files::clear(folder)?;
    files::run(
        Command::new(oracle()?)
            .arg("unpack")
            .arg(archive)
            .arg(folder),
    )
}

/// What the oracle ends with if some cases have no answer. It says why, and the cause stands where the answer would.
const UNANSWERED: i32 = 3;

/// Asks a release about the cases that have no answer in the folder yet. Yields whether each case has one.
pub(crate) fn ask(release: &str, corpus: &Path, answers: &Path) -> Result<bool, String> {
    let mut oracle = Command::new(oracle()?);
    oracle
        .args(["record", "--keep"])
        .arg("--home")
        .arg(files::root().join("target/oracle"));
    let status = oracle
        .arg("--corpus")
        .arg(corpus)
        .arg("--out")
        .arg(answers)
        .arg(release)
        .status();
    match status.map_err(|why| format!("{oracle:?}: {why}"))?.code() {
        Some(0) => Ok(true),
        Some(UNANSWERED) => Ok(false),
        code => Err(format!("{oracle:?}: ended with {code:?}")),
    }
}

/// The folder of the answers of a release.
fn answers(release: &str) -> PathBuf {
    files::root().join("target/recorded").join(release)
}

/// Records what releases answer to the corpus. A case without an answer is a failure, after the others are packed.
pub(crate) fn command(releases: &[&str]) -> Outcome {
    for release in releases {
        files::clear(&answers(release))?;
    }
    let added = add(releases);
    // The table says which releases are recorded.
    facts::command(&[])?;
    added
}

/// Adds what the folders of answers lack, and packs them.
fn add(releases: &[&str]) -> Outcome {
    let mut unanswered = Vec::new();
    for release in releases {
        let answers = answers(release);
        if !ask(release, &corpus(), &answers)? {
            unanswered.push(*release);
        }
        pack(&answers, &archive(release))?;
    }
    if unanswered.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} left cases without an answer: known_gaps.txt has to list them",
        unanswered.join(", ")
    ))
}

/// Keeps an input as a case of the corpus, by a name, and adds what each recorded release answers to it.
pub(crate) fn keep(input: &str, name: &str) -> Outcome {
    let text = files::read(Path::new(input))?;
    let cause = corpus::inputs().join(format!("{name}.yaml"));
    if cause.exists() && files::read(&cause)? != text {
        return Err(format!("{} is another input", cause.display()));
    }
    files::write(&cause, &text)?;
    let cases = files::root().join("target/corpus");
    unpack(&corpus(), &cases)?;
    corpus::add_cause(&cases, &cause)?;
    pack(&cases, &corpus())?;
    let archives = files::entries(&recordings())?.into_iter();
    let names: Vec<String> = archives
        .filter(|archive| *archive != corpus())
        .filter_map(|archive| Some(files::name(&archive).strip_suffix(ARCHIVE)?.to_owned()))
        .collect();
    let releases: Vec<&str> = names.iter().map(String::as_str).collect();
    for release in &releases {
        unpack(&archive(release), &answers(release))?;
    }
    add(&releases)
}
