//! Why `git` cannot answer, and what helps.
//!
//! In: what a run printed, or what is missing. Out: a message that names the cause and the remedy, as far as the repository
//! says them.

use crate::cli::fs::git::repository::GitRepository;
use crate::cli::fs::git::{GitError, short};
use promgen_text::diag::count::counted;
use promgen_text::suggest::closest;

/// The remedy for a clone without its history.
const UNSHALLOW: &str = "`git fetch --unshallow` gets the history; in GitHub Actions, set `fetch-depth: 0` of actions/checkout";

/// The remedy for a clone without contents.
const REFETCH: &str = "clone it without `--filter`, or run `git fetch --refetch --no-filter`; in GitHub Actions, set neither \
                       `filter` nor `sparse-checkout` of actions/checkout";

/// The failure of a run, by what it printed on standard error.
pub(super) fn of_run(command: &str, stderr: &[u8]) -> GitError {
    let said = String::from_utf8_lossy(stderr);
    // Git before 2.35.3 says `unsafe repository`.
    if said.contains("dubious ownership") || said.contains("unsafe repository") {
        let folder = shell_word(said.split('\'').nth(1).unwrap_or("*"));
        return GitError::Read(vec![format!(
            "git does not read the repository {folder}, because another user owns it: \
             `git config --global --add safe.directory {folder}` allows it"
        )]);
    }
    let why = said
        .lines()
        .find_map(|line| line.strip_prefix("fatal: "))
        .map(|why| format!(": {why}"));
    GitError::Usage(format!("`git {command}` failed{}", why.unwrap_or_default()))
}

/// Why there is no revision of that name.
pub(super) fn of_missing_revision(repository: &GitRepository, name: &str) -> GitError {
    if is_shallow(repository) {
        return GitError::Read(vec![format!(
            "`{name}` is neither a path nor a git revision of this clone, which is shallow: {UNSHALLOW}"
        )]);
    }
    let text = format!("`{name}` is neither a path nor a git revision");
    GitError::Usage(match remote_branch(repository, name) {
        Some((remote, branch)) => {
            format!(
                "{text}: `git fetch {remote} {branch}:refs/remotes/{remote}/{branch}` gets that branch"
            )
        }
        None => match near_revision(repository, name) {
            Some(near) => format!("{text}; did you mean `{near}`?"),
            None => text,
        },
    })
}

/// The branch or tag that a name is almost that of.
fn near_revision(repository: &GitRepository, name: &str) -> Option<String> {
    const MAX_REFS: &str = "--count=1000";
    let listed = repository.output(&[
        "for-each-ref",
        MAX_REFS,
        "--format=%(refname:short)",
        "refs/heads",
        "refs/tags",
        "refs/remotes",
    ]);
    let listed = String::from_utf8(listed.ok()?).ok()?;
    closest(name, listed.lines()).map(str::to_owned)
}

/// Why two commits have no common ancestor.
pub(super) fn of_missing_ancestor(repository: &GitRepository, a: &str, b: &str) -> GitError {
    let text = format!("{} and {} have no common ancestor", short(a), short(b));
    if is_shallow(repository) {
        return GitError::Read(vec![format!(
            "{text} in this clone, which is shallow: {UNSHALLOW}"
        )]);
    }
    GitError::Usage(text)
}

/// Why the files of a commit cannot be listed.
pub(super) fn of_unlisted(repository: &GitRepository, commit: &str, error: GitError) -> GitError {
    // What exceeds a limit is no partial clone.
    if matches!(error, GitError::Usage(_)) && is_partial(repository) {
        let commit = short(commit);
        return GitError::Read(vec![format!(
            "this is a partial clone, which lacks the folders of {commit}, and promgen fetches nothing: {REFETCH}"
        )]);
    }
    error
}

/// Why the content of a file cannot be read, if the repository does not have it.
pub(super) fn of_missing_content(repository: &GitRepository, commit: &str) -> Option<String> {
    let listed = repository
        .text(&[
            "rev-list",
            "--objects",
            "--no-walk",
            "--missing=print",
            commit,
        ])
        .ok()?;
    let files = match listed.lines().filter(|line| line.starts_with('?')).count() {
        0 => return None,
        n => counted(n, "file"),
    };
    let commit = short(commit);
    Some(match is_partial(repository) {
        true => format!(
            "this is a partial clone, which lacks the content of {files} of {commit}, and promgen fetches nothing: {REFETCH}"
        ),
        false => {
            format!("the repository lacks the content of {files} of {commit}: `git fsck` says more")
        }
    })
}

/// Why nothing in a submodule can be read.
pub(super) fn of_submodule(path: &str, submodule: &str) -> String {
    format!(
        "`{path}` is in the submodule `{submodule}`, which is another repository: run `promgen diff` in its folder, with its \
         revisions"
    )
}

/// A text as a word for a shell: a message may be copied into one.
fn shell_word(text: &str) -> String {
    match text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// Returns whether a character means nothing to a shell.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "/._-".contains(c)
}

fn is_shallow(repository: &GitRepository) -> bool {
    repository
        .text(&["rev-parse", "--is-shallow-repository"])
        .is_ok_and(|said| said == "true")
}

/// Returns whether contents are left with a remote until something asks for them.
fn is_partial(repository: &GitRepository) -> bool {
    repository.is_success(&[
        "config",
        "--get-regexp",
        r"^(remote\..*\.promisor|extensions\.partialclone)$",
    ])
}

/// The remote and the branch that a name may be of.
fn remote_branch(repository: &GitRepository, name: &str) -> Option<(String, String)> {
    let remotes = String::from_utf8(repository.output(&["remote"]).ok()?).ok()?;
    let (remote, branch) = remotes.lines().find_map(|remote| {
        let branch = name.strip_prefix(remote)?.strip_prefix('/')?;
        Some((remote, branch))
    })?;
    (!branch.is_empty() && name.chars().all(is_plain))
        .then(|| (remote.to_owned(), branch.to_owned()))
}
