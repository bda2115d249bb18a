//! The programs that promgen starts: which they are, where they are looked for, and which variables they get.
//!
//! No other module starts a process. A program is taken from an absolute folder of the PATH: a relative one may be a folder of the
//! repository. Its environment is a list of variables that it needs, and never the rest: a pipeline has tokens there.
//! In: a program, and in [`run`] the bounds of a run. Out: what it prints, or why it does not end well.

mod child;
mod run;
mod session;

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(super) use child::end_all;
pub(super) use run::{Printed, RunBounds, Streams, Unfinished, run};
pub(super) use session::ProgramSession;

/// A program that promgen may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Program {
    /// Reads revisions.
    Git,
    /// Renders charts.
    Helm,
    /// The same, and pulls them over the network.
    HelmPull,
    /// Tests rules.
    Promtool,
    /// Shows a page: the program of the system for that.
    Viewer,
}

/// The variables that every program gets: where files of its own are, the language, and what Windows needs.
const OF_ALL: &[&str] = &[
    "HOME",
    "USER",
    "LOGNAME",
    "USERPROFILE",
    "TMPDIR",
    "TEMP",
    "TMP",
    "LANG",
    "LC_ALL",
    "TZ",
    "LD_LIBRARY_PATH",
    "SYSTEMROOT",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
];

/// Where a repository is, and settings of the user.
const OF_GIT: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_EXEC_PATH",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "XDG_CONFIG_HOME",
];

/// Where charts are.
const OF_HELM: &[&str] = &[
    "HELM_CACHE_HOME",
    "HELM_CONFIG_HOME",
    "HELM_DATA_HOME",
    "HELM_REPOSITORY_CACHE",
    "HELM_REPOSITORY_CONFIG",
    "HELM_REGISTRY_CONFIG",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];

/// The way to a network.
const OF_NETWORK: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

/// The screen, and the choice of a browser.
const OF_VIEWER: &[&str] = &[
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "XDG_CURRENT_DESKTOP",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_DATA_HOME",
    "XDG_DATA_DIRS",
    "BROWSER",
];

impl Program {
    /// The name of its file.
    fn file_name(self) -> String {
        let name = match self {
            Self::Git => "git",
            Self::Helm | Self::HelmPull => "helm",
            Self::Promtool => "promtool",
            Self::Viewer if cfg!(target_os = "macos") => "open",
            Self::Viewer if cfg!(windows) => "explorer",
            Self::Viewer => "xdg-open",
        };
        format!("{name}{}", env::consts::EXE_SUFFIX)
    }

    /// The variables that it gets if they are set, besides the PATH and those that a run sets itself.
    fn variables(self) -> impl Iterator<Item = &'static str> {
        let own: [&[&str]; 2] = match self {
            Self::Git => [OF_GIT, &[]],
            Self::Helm => [OF_HELM, &[]],
            Self::HelmPull => [OF_HELM, OF_NETWORK],
            Self::Promtool => [&[], &[]],
            Self::Viewer => [OF_VIEWER, &[]],
        };
        OF_ALL.iter().chain(own.into_iter().flatten()).copied()
    }

    /// Its file.
    ///
    /// # Errors
    /// No absolute folder of the PATH has one.
    pub(super) fn find(self) -> Result<PathBuf, String> {
        let file = self.file_name();
        let found = folders(&set("PATH").unwrap_or_default())
            .map(|folder| folder.join(&file))
            .find(|file| is_program(file));
        found.ok_or_else(|| format!("no absolute folder of the PATH has `{file}`"))
    }

    /// A run of that file: with the variables that the program gets, and without an input.
    pub(super) fn at(self, file: &Path) -> Command {
        let mut command = Command::new(file);
        command.env_clear().stdin(Stdio::null());
        command.envs(self.variables().filter_map(|name| Some((name, set(name)?))));
        // What the program itself starts has a place that is no folder of the repository either.
        if let Ok(path) = env::join_paths(folders(&set("PATH").unwrap_or_default())) {
            command.env("PATH", path);
        }
        command
    }
}

/// The value of a variable that is set.
pub(super) fn set(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// The folders of a PATH that are the same wherever promgen runs.
fn folders(path: &OsStr) -> impl Iterator<Item = PathBuf> {
    env::split_paths(path).filter(|folder| folder.is_absolute())
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

/// Shows a file in the program that the system has for it. Nothing waits for that, and nobody reads what it prints.
///
/// # Errors
/// There is none.
pub(crate) fn open(path: &Path) -> Result<(), String> {
    let failed = |why: String| format!("cannot open `{}`: {why}", path.display());
    let mut command = Program::Viewer.at(&Program::Viewer.find().map_err(failed)?);
    command
        .arg(path)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
        .spawn()
        .map(drop)
        .map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;

    const ALL: [Program; 5] = [
        Program::Git,
        Program::Helm,
        Program::HelmPull,
        Program::Promtool,
        Program::Viewer,
    ];

    fn page(name: &str) -> String {
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name))
            .unwrap()
            .replace('\n', " ")
    }

    /// The words of a text that stand between backticks.
    fn quoted(text: &str) -> BTreeSet<&str> {
        text.split('`').skip(1).step_by(2).collect()
    }

    #[test]
    fn the_pages_name_every_program_and_every_variable() {
        let (security, sends) = (page("SECURITY.md"), page("docs/sends-nothing.md"));
        let sentence = security
            .split("starts no program but ")
            .nth(1)
            .unwrap()
            .split('.')
            .next()
            .unwrap();
        // Those of other systems are named as well.
        let names = ["git", "helm", "promtool", "xdg-open", "open", "explorer"];
        assert_eq!(quoted(sentence), BTreeSet::from(names));
        let said = quoted(&sends);
        for program in ALL {
            let name = program.file_name();
            assert!(
                names.contains(&name.trim_end_matches(".exe")) && said.contains(&*name),
                "{name}"
            );
            for variable in program.variables().chain(["PATH"]) {
                assert!(
                    said.contains(variable),
                    "docs/sends-nothing.md does not say that {name} gets {variable}"
                );
            }
        }
        let is_secret = |name: &str| {
            ["TOKEN", "PASSWORD", "SECRET", "KEY"]
                .iter()
                .any(|word| name.contains(word))
        };
        assert!(
            !ALL.iter()
                .flat_map(|program| program.variables())
                .any(is_secret)
        );
    }

    #[test]
    fn only_absolute_folders_are_searched() {
        let path = env::join_paths([
            "", ".", "bin", "./bin", "../bin", "~", "~/bin", "/usr/bin", "/a b",
        ])
        .unwrap();
        let expected = if cfg!(windows) {
            vec![]
        } else {
            vec![PathBuf::from("/usr/bin"), PathBuf::from("/a b")]
        };
        assert_eq!(folders(&path).collect::<Vec<_>>(), expected);
    }

    #[cfg(unix)]
    #[test]
    fn a_program_gets_nothing_but_its_variables() {
        let command = Program::Promtool.at(Path::new("/usr/bin/env"));
        let printed = run(command, Streams::Apart, RunBounds::of_seconds(20, 1 << 20)).unwrap();
        let printed = String::from_utf8(printed.stdout).unwrap();
        let names: Vec<&str> = printed
            .lines()
            .filter_map(|line| line.split('=').next())
            .collect();
        // Cargo sets more than ten variables of its own.
        assert!(env::vars_os().any(|(name, _)| name == "CARGO_MANIFEST_DIR"));
        assert!(
            names
                .iter()
                .all(|name| *name == "PATH" || OF_ALL.contains(name)),
            "{names:?}"
        );
    }
}
