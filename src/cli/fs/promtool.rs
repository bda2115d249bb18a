//! promtool: where it is, and what it says of files in a scratch folder.

use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::cli::fs::helm::process::ChildProcess;
use crate::cli::fs::read_limited;
use crate::cli::fs::staged::StagedFile;

/// The time that promtool may take.
const MAX_TIME: Duration = Duration::from_secs(600);

/// The number of bytes of its output that are read.
const MAX_OUTPUT: u64 = 64 << 20;

/// The variable that names the program.
const VARIABLE: &str = "PROMTOOL";

/// The way to get it.
const HOW: &str = "install promtool from a release of Prometheus (https://prometheus.io/download), and name it with \
                   --promtool or $PROMTOOL";

/// A promtool.
pub(in crate::cli) struct Promtool {
    program: PathBuf,
}

impl Promtool {
    /// The one that the user names, that the environment names, or on the PATH.
    ///
    /// # Errors
    /// There is none.
    pub(in crate::cli) fn find(named: Option<&Path>) -> Result<Self, String> {
        let variable = env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
        let named = named.map(Path::to_owned).or(variable);
        if let Some(program) = named {
            return match fs::metadata(&program) {
                Ok(found) if found.is_file() => Ok(Self { program: absolute(&program) }),
                _ => Err(format!("there is no promtool `{}`: {HOW}", program.display())),
            };
        }
        let name = if cfg!(windows) { "promtool.exe" } else { "promtool" };
        let path = env::var_os("PATH").unwrap_or_default();
        // A relative folder could be one of the repository.
        let mut folders = env::split_paths(&path).filter(|folder| folder.is_absolute());
        let found = folders.find_map(|folder| Some(folder.join(name)).filter(|program| program.is_file()));
        found.map(|program| Self { program }).ok_or_else(|| format!("rule tests require promtool: {HOW}"))
    }

    /// The program, as messages name it.
    pub(in crate::cli) fn name(&self) -> String {
        self.program.display().to_string()
    }

    /// Its version, such as `3.16.0`.
    pub(in crate::cli) fn version(&self) -> Option<String> {
        let said = Command::new(&self.program).arg("--version").stdin(Stdio::null()).output().ok()?;
        let said = [said.stdout, said.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        let version = said.split("version ").nth(1)?.split([' ', '(', ',']).next()?.trim();
        (!version.is_empty()).then(|| version.to_owned())
    }

    /// What it says of tests, and whether it ends as if all passed.
    ///
    /// # Errors
    /// It cannot be started, dies, or takes too long.
    pub(in crate::cli) fn test(&self, scratch: &Scratch, files: &[String]) -> Result<(String, bool), String> {
        let failed = |error: io::Error| format!("cannot run promtool `{}`: {error}", self.name());
        let path = scratch.0.path.join("output");
        let output = File::create(&path).map_err(failed)?;
        let errors = output.try_clone().map_err(failed)?;
        let mut command = Command::new(&self.program);
        command.args(["test", "rules"]).args(files).current_dir(&scratch.0.path);
        command.stdin(Stdio::null()).stdout(output).stderr(errors);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = ChildProcess::of(command.spawn().map_err(failed)?);
        let ended = child.wait(Instant::now() + MAX_TIME);
        let status = ended.ok_or_else(|| format!("promtool takes more than {} s", MAX_TIME.as_secs()))?;
        let file = File::open(&path).map_err(failed)?;
        let bytes = read_limited(io::Read::take(file, MAX_OUTPUT), 0).map_err(failed)?;
        // It ends with 0 if all pass, and with 1 if not.
        if status.code().is_none_or(|code| code > 1) {
            return Err(format!("promtool `{}` dies: {status}", self.name()));
        }
        Ok((String::from_utf8_lossy(&bytes).into_owned(), status.success()))
    }
}

fn absolute(program: &Path) -> PathBuf {
    std::path::absolute(program).unwrap_or_else(|_| program.to_owned())
}

/// A folder for the files of a run, which goes with it.
pub(in crate::cli) struct Scratch(StagedFile);

impl Scratch {
    /// Makes one.
    pub(in crate::cli) fn create() -> io::Result<Self> {
        StagedFile::create(&env::temp_dir(), |path| fs::create_dir(path)).map(|(staged, ())| Self(staged))
    }

    /// Writes a file into it.
    pub(in crate::cli) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        fs::write(self.0.path.join(name), text)
    }

    /// A text without its path.
    pub(in crate::cli) fn hide(&self, text: &str) -> String {
        let path = self.0.path.to_string_lossy();
        text.replace(&format!("{path}/"), "").replace(&*path, "")
    }
}
