//! The recordings: what releases of the operator answer to the corpus, packed.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Outcome, facts, files};

/// The place of the recordings.
fn recordings() -> PathBuf {
    files::root().join("oracle/recordings")
}

/// The archive of the corpus.
pub(crate) fn corpus() -> PathBuf {
    recordings().join("corpus.tar.zst")
}

/// Builds the oracle, and gives the path of its program.
pub(crate) fn oracle() -> Result<PathBuf, String> {
    let program = files::root().join("target/oracle/oracle");
    let mut go = Command::new("go");
    files::run(
        go.args(["build", "-o"])
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

/// What the oracle ends with if some cases have no answer. It says why, and the cause stands where the answer would.
const UNANSWERED: i32 = 3;

/// Asks a release. Yields whether each case has an answer.
pub(crate) fn ask(release: &str, corpus: &Path, answers: &Path) -> Result<bool, String> {
    files::clear(answers)?;
    let mut oracle = Command::new(oracle()?);
    oracle
        .arg("record")
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

/// Records what releases answer to the corpus. A case without an answer is a failure, after the others are packed.
pub(crate) fn command(releases: &[&str]) -> Outcome {
    let mut unanswered = Vec::new();
    for release in releases {
        let answers = files::root().join("target/recorded").join(release);
        if !ask(release, &corpus(), &answers)? {
            unanswered.push(*release);
        }
        pack(&answers, &recordings().join(format!("{release}.tar.zst")))?;
    }
    // The table says which releases are recorded.
    facts::command(&[])?;
    if unanswered.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} left cases without an answer: known_gaps.txt has to list them",
        unanswered.join(", ")
    ))
}
