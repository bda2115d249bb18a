//! The recordings: what releases of the operator answer to the corpus, packed.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Outcome, facts, files};

/// Where the recordings stand.
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
    files::run(go.args(["build", "-o"]).arg(&program).arg(".").current_dir(files::root().join("oracle")))?;
    Ok(program)
}

/// Packs a folder.
pub(crate) fn pack(folder: &Path, archive: &Path) -> Outcome {
    files::run(Command::new(oracle()?).arg("pack").arg(folder).arg(archive))
}

/// Asks a release, and fails if a case has no answer.
pub(crate) fn ask(release: &str, corpus: &Path, answers: &Path) -> Outcome {
    files::clear(answers)?;
    let mut oracle = Command::new(oracle()?);
    oracle.arg("record").arg("--home").arg(files::root().join("target/oracle"));
    files::run(oracle.arg("--corpus").arg(corpus).arg("--out").arg(answers).arg(release))
}

/// Records what releases answer to the corpus.
pub(crate) fn command(releases: &[&str]) -> Outcome {
    for release in releases {
        let answers = files::root().join("target/recorded").join(release);
        ask(release, &corpus(), &answers)?;
        pack(&answers, &recordings().join(format!("{release}.tar.zst")))?;
    }
    // The table says which releases are recorded.
    facts::command(&[])
}
