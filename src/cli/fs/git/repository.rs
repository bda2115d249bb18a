//! A repository, and the runs of `git` in it.
//!
//! A run only reads, asks nobody, and gets the time and the bytes that the limits allow. No shell is involved, and no text of the user
//! reaches `git` but a revision, behind `--end-of-options`, and the path of a file, as a literal one.

use std::cell::Cell;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::cli::fs::git::place::GitPlace;
use crate::cli::fs::git::{GitError, cause, usage};
use crate::cli::fs::programs::{Program, ProgramSession, RunBounds, Streams, Unfinished, run, set};
use promgen_text::limits::{Limit, Limits};

/// The number of settings of the user's environment that are looked at.
const MAX_SETTINGS: usize = 1_000;

/// A repository.
pub(super) struct GitRepository {
    program: PathBuf,
    place: GitPlace,
    pub(super) limits: Limits,
    /// The time that `git` may still take.
    left: Cell<Duration>,
    /// The root of the work tree. `None` if it has no files on the disk.
    pub(super) root: Option<PathBuf>,
    /// The path of the current folder from the root, with `/` at its end.
    pub(super) prefix: String,
}

impl GitRepository {
    /// The repository that contains the current folder, in which a revision is looked for.
    ///
    /// # Errors
    /// There is none, or none that is safe to read.
    pub(super) fn find(revision: &str, limits: &Limits) -> Result<Self, GitError> {
        let program = Program::Git
            .find()
            .map_err(|why| usage(format!("cannot run `git`: {why}")))?;
        let place = GitPlace::find().map_err(|why| GitError::Read(vec![why]))?;
        let absent = || {
            usage(format!(
                "`{revision}` does not exist, and the current folder is in no git repository"
            ))
        };
        let place = place.ok_or_else(absent)?;
        let (root, prefix) = match &place {
            GitPlace::Given | GitPlace::Bare(_) => (None, String::new()),
            GitPlace::WorkTree { root, prefix, .. } => (Some(root.clone()), prefix.clone()),
        };
        let left = Cell::new(Duration::from_secs(
            limits.get(Limit::GitSeconds).min(u64::from(u32::MAX)),
        ));
        let mut found = Self {
            program,
            place,
            limits: *limits,
            left,
            root,
            prefix,
        };
        found.check()?;
        Ok(found)
    }

    /// Checks that `git` finds the same repository, and asks it where a given one has its root.
    fn check(&mut self) -> Result<(), GitError> {
        let (question, expected) = match &self.place {
            GitPlace::Given => {
                // A repository without a work tree has neither.
                self.prefix = self.text(&["rev-parse", "--show-prefix"])?;
                self.root = self
                    .text(&["rev-parse", "--show-toplevel"])
                    .ok()
                    .map(PathBuf::from);
                return Ok(());
            }
            GitPlace::Bare(_) => (["rev-parse", "--is-bare-repository"].as_slice(), "true"),
            GitPlace::WorkTree { .. } => (
                ["rev-parse", "--is-inside-work-tree", "--show-prefix"].as_slice(),
                "true",
            ),
        };
        match self.text(question)? == expected {
            true => Ok(()),
            false => Err(GitError::Read(vec![
                "the repository of the current folder has its files in another folder (`core.worktree`): set GIT_DIR and \
                 GIT_WORK_TREE"
                    .to_owned(),
            ])),
        }
    }

    /// Checks that what is a submodule on the disk was none of the folders of its parent in a revision of that name: a change that puts one
    /// there brings its own revisions.
    pub(super) fn check_parent(&self, revision: &str) -> Result<(), GitError> {
        let GitPlace::WorkTree {
            parent: Some((root, below)),
            prefix,
            ..
        } = &self.place
        else {
            return Ok(());
        };
        let place = GitPlace::WorkTree {
            root: root.clone(),
            prefix: format!("{below}/{prefix}"),
            parent: None,
        };
        let parent = Self {
            program: self.program.clone(),
            place,
            left: self.left.clone(),
            root: None,
            prefix: String::new(),
            ..*self
        };
        let Ok(commit) = parent.text(&[
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &format!("{revision}^{{commit}}"),
        ]) else {
            return Ok(());
        };
        let listed = parent.output(&[
            "ls-tree",
            "-z",
            "--full-tree",
            &commit,
            "--",
            &literal(below),
        ])?;
        match listed.is_empty() || listed.starts_with(b"160000 ") {
            true => Ok(()),
            false => Err(GitError::Read(vec![format!(
                "the current folder is in the submodule `{below}` of `{}`, where `{revision}` has no submodule: its revisions are not \
                 those of the repository above",
                root.display()
            )])),
        }
    }

    /// A run of `git` that reads and asks nobody: it takes no locks, fetches nothing, and takes no object for another.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Program::Git.at(&self.program);
        command
            .args(args)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_TERMINAL_PROMPT", "0");
        // Git before 2.39.4 fetches what is missing, unless it may use no protocol.
        command
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("LC_ALL", "C");
        if let GitPlace::Bare(root) | GitPlace::WorkTree { root, .. } = &self.place {
            command
                .env_remove("GIT_WORK_TREE")
                .env_remove("GIT_COMMON_DIR");
            command.env("GIT_CEILING_DIRECTORIES", root.parent().unwrap_or(root));
        }
        if let GitPlace::WorkTree { prefix, .. } = &self.place {
            // From the current folder: not every program of Windows runs in an absolute path without links.
            let ups = prefix
                .split('/')
                .filter(|part| !part.is_empty())
                .map(|_| "..");
            command.current_dir(ups.fold(PathBuf::from("."), |path, up| path.join(up)));
        }
        command.envs(trusted_folders());
        command
    }

    /// What a run prints.
    ///
    /// # Errors
    /// It fails, or exceeds a limit.
    pub(super) fn output(&self, args: &[&str]) -> Result<Vec<u8>, GitError> {
        let start = Instant::now();
        let bounds = RunBounds {
            deadline: start + self.left.get(),
            max_bytes: self.limits.get(Limit::GitBytes),
        };
        let printed = run(self.command(args), Streams::Apart, bounds);
        self.left
            .set(self.left.get().saturating_sub(start.elapsed()));
        match printed {
            Ok(printed) if printed.status.success() => Ok(printed.stdout),
            Ok(printed) => Err(cause::of_run(args[0], &printed.stderr)),
            Err(Unfinished::Unstarted(error)) => Err(usage(format!("cannot run `git`: {error}"))),
            Err(Unfinished::Late) => Err(self.late(args[0])),
            Err(Unfinished::TooMuch) => {
                Err(self.excess(Limit::GitBytes, &format!("what `git {}` prints", args[0])))
            }
            Err(Unfinished::Held) => Err(GitError::Read(vec![format!(
                "`git {}` ends, but leaves its output open",
                args[0]
            )])),
        }
    }

    pub(super) fn is_success(&self, args: &[&str]) -> bool {
        self.output(args).is_ok()
    }

    /// The text that a run prints, without the line breaks at its end.
    pub(super) fn text(&self, args: &[&str]) -> Result<String, GitError> {
        Ok(String::from_utf8_lossy(&self.output(args)?)
            .trim_end_matches(['\r', '\n'])
            .to_owned())
    }

    /// A run that answers questions.
    pub(super) fn session(&self, args: &[&str]) -> Result<ProgramSession, GitError> {
        let started = ProgramSession::start(self.command(args), self.left.get());
        started.map_err(|error| usage(format!("cannot run `git`: {error}")))
    }

    /// The error about a run that takes too long.
    pub(super) fn late(&self, command: &str) -> GitError {
        self.left.set(Duration::ZERO);
        self.excess(Limit::GitSeconds, &format!("`git {command}`"))
    }

    /// The error about something that exceeds a limit.
    pub(super) fn excess(&self, limit: Limit, what: &str) -> GitError {
        let excess = self.limits.excess(limit);
        GitError::Read(vec![format!("{}; {}", excess.message(what), excess.help())])
    }
}

/// The path of a file as `git` takes it, without patterns.
pub(super) fn literal(path: &str) -> String {
    format!(":(literal){path}")
}

/// The folders whose owner the user's environment trusts, as a run of `git` reads them. No other setting there concerns a run that reads,
/// and some are tokens.
fn trusted_folders() -> Vec<(String, OsString)> {
    let count = set("GIT_CONFIG_COUNT")
        .and_then(|count| count.to_str()?.parse::<usize>().ok())
        .unwrap_or(0);
    let is_trust = |at: &usize| {
        set(&format!("GIT_CONFIG_KEY_{at}")).is_some_and(|key| key.eq_ignore_ascii_case(TRUST))
    };
    let folders = (0..count.min(MAX_SETTINGS))
        .filter(is_trust)
        .map(|at| set(&format!("GIT_CONFIG_VALUE_{at}")).unwrap_or_default());
    let mut variables: Vec<(String, OsString)> = folders
        .enumerate()
        .flat_map(|(at, folder)| {
            [
                (format!("GIT_CONFIG_KEY_{at}"), TRUST.into()),
                (format!("GIT_CONFIG_VALUE_{at}"), folder),
            ]
        })
        .collect();
    variables.push((
        "GIT_CONFIG_COUNT".to_owned(),
        (variables.len() / 2).to_string().into(),
    ));
    variables
}

/// The setting that names folders of other users.
const TRUST: &str = "safe.directory";
