//! promtool: where it is, and what it says of files in a scratch folder.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::cli::fs::programs::{Printed, Program, RunBounds, Streams, Unfinished, run, set};
use crate::cli::fs::staged::StagedFile;
use promgen_text::limits::{Limit, Limits};

/// The seconds in which it must say its version.
const VERSION_SECONDS: u64 = 5;

/// The number of bytes that it may print with its version.
const MAX_VERSION: u64 = 64 << 10;

/// The variable that names the program.
const VARIABLE: &str = "PROMTOOL";

/// The way to get it.
const HOW: &str = "install promtool from a release of Prometheus (https://prometheus.io/download), and name it with \
                   --promtool or $PROMTOOL";

/// A promtool.
pub(crate) struct Promtool {
    program: PathBuf,
}

impl Promtool {
    /// The one that the user names, that the environment names, or on the PATH.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn find(named: Option<&Path>) -> Result<Self, String> {
        let variable = set(VARIABLE).map(PathBuf::from);
        let named = named.map(Path::to_owned).or(variable);
        if let Some(program) = named {
            return match fs::metadata(&program) {
                Ok(found) if found.is_file() => Ok(Self {
                    program: absolute(&program),
                }),
                _ => Err(format!(
                    "there is no promtool `{}`: {HOW}",
                    program.display()
                )),
            };
        }
        let found = Program::Promtool.find();
        found
            .map(|program| Self { program })
            .map_err(|_| format!("rule tests require promtool: {HOW}"))
    }

    /// The program, as messages name it.
    pub(crate) fn name(&self) -> String {
        self.program.display().to_string()
    }

    /// Its version, such as `3.16.0`.
    pub(crate) fn version(&self) -> Option<String> {
        let mut command = Program::Promtool.at(&self.program);
        command.arg("--version");
        let said = run(
            command,
            Streams::Joined,
            RunBounds::of_seconds(VERSION_SECONDS, MAX_VERSION),
        )
        .ok()?;
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        let version = said
            .split("version ")
            .nth(1)?
            .split([' ', '(', ','])
            .next()?
            .trim();
        (!version.is_empty()).then(|| version.to_owned())
    }

    /// What it says of tests, and whether it ends as if all passed.
    ///
    /// # Errors
    /// It cannot be started, dies, takes too long, or prints too much.
    pub(crate) fn test(
        &self,
        scratch: &Scratch,
        files: &[String],
        limits: &Limits,
    ) -> Result<(String, bool), String> {
        let mut command = Program::Promtool.at(&self.program);
        command
            .args(["test", "rules"])
            .args(files)
            .current_dir(&scratch.0.path);
        let bounds = RunBounds::of_seconds(
            limits.get(Limit::PromtoolSeconds),
            limits.get(Limit::PromtoolBytes),
        );
        let excess = |limit, what: &str| {
            let excess = limits.excess(limit);
            format!("{}; {}", excess.message(what), excess.help())
        };
        let printed = run(command, Streams::Joined, bounds).map_err(|why| match why {
            Unfinished::Unstarted(error) => {
                format!("cannot run promtool `{}`: {error}", self.name())
            }
            Unfinished::Late => excess(Limit::PromtoolSeconds, "`promtool test`"),
            Unfinished::TooMuch => excess(Limit::PromtoolBytes, "what `promtool test` prints"),
            Unfinished::Held => "`promtool test` ends, but leaves its output open".to_owned(),
        })?;
        let Printed { stdout, status, .. } = printed;
        // It ends with 0 if all pass, and with 1 if not.
        if status.code().is_none_or(|code| code > 1) {
            return Err(format!("promtool `{}` dies: {status}", self.name()));
        }
        Ok((
            String::from_utf8_lossy(&stdout).into_owned(),
            status.success(),
        ))
    }
}

fn absolute(program: &Path) -> PathBuf {
    std::path::absolute(program).unwrap_or_else(|_| program.to_owned())
}

/// A folder for the files of a run, which goes with it.
pub(crate) struct Scratch(StagedFile);

impl Scratch {
    /// Makes one.
    pub(crate) fn create() -> io::Result<Self> {
        StagedFile::create(&env::temp_dir(), |path| fs::create_dir(path))
            .map(|(staged, ())| Self(staged))
    }

    /// Writes a file into it.
    pub(crate) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        fs::write(self.0.path.join(name), text)
    }

    /// A text without its path.
    pub(crate) fn hide(&self, text: &str) -> String {
        let path = self.0.path.to_string_lossy();
        text.replace(&format!("{path}/"), "").replace(&*path, "")
    }
}
