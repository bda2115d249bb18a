//! Runs `helm`, for charts that lie in the repository or in a cache.
//!
//! In: what releases want rendered, and where charts may be. Out: the stream that `helm template` prints for each, or why there
//! is none. No shell is involved, and no text of the repository begins an argument of its own. Values reach Helm in a file that
//! only the user may read, and that is removed afterwards. Without [`Ask::pulls`], Helm has no network.

mod assembled;
mod chart;
pub(in crate::cli::fs) mod process;
mod pull;
mod results;

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cli::fs::git::Revision;
use crate::cli::fs::helm::chart::{ChartFinder, FoundChart};
use crate::cli::fs::helm::process::{Clock, run};
use crate::cli::fs::helm::results::Results;
use crate::cli::fs::programs::{Program, set};
use crate::cli::fs::staged::StagedFile;
use crate::cli::fs::write::Access;
use promgen_resources::rendered::{NamedChart, Rendered, Request};
use promgen_text::limits::{Limit, Limits};
use promgen_text::parallel;

/// The number of releases that are rendered at the same time.
const AT_ONCE: usize = 4;

/// The longest name of a release that Helm takes.
const MAX_NAME: usize = 53;

/// What the cluster of a run has, and Helm by itself does not know of: charts ask for it before they make a monitor.
const API_VERSIONS: &str = "monitoring.coreos.com/v1,monitoring.coreos.com/v1alpha1,monitoring.coreos.com/v1beta1,\
     monitoring.coreos.com/v1/Alertmanager,monitoring.coreos.com/v1/PodMonitor,monitoring.coreos.com/v1/Probe,\
     monitoring.coreos.com/v1/Prometheus,monitoring.coreos.com/v1/PrometheusRule,\
     monitoring.coreos.com/v1/ServiceMonitor,monitoring.coreos.com/v1/ThanosRuler,\
     monitoring.coreos.com/v1alpha1/AlertmanagerConfig,monitoring.coreos.com/v1alpha1/PrometheusAgent,\
     monitoring.coreos.com/v1alpha1/ScrapeConfig,monitoring.coreos.com/v1beta1/AlertmanagerConfig";

/// Where Helm finds nobody: without a network, everything goes there.
const NOWHERE: &str = "http://127.0.0.1:1";

/// The way Helm is asked.
pub(crate) struct Ask<'a> {
    /// The paths of the run.
    pub(crate) paths: &'a [PathBuf],
    /// Charts may be pulled over the network.
    pub(crate) pulls: bool,
    /// The version of Kubernetes, if the user says one.
    pub(crate) kube_version: Option<String>,
    /// The revision that the charts of the repository are read from. `None`: from the disk.
    pub(crate) revision: Option<&'a Revision>,
    /// The limits of the run.
    pub(crate) limits: Limits,
}

/// Renders releases, each within the limits; all of them within those of the run.
///
/// # Errors
/// There is no `helm`, or no folder for temporary files.
pub(crate) fn render(
    wanted: &BTreeSet<&Request>,
    ask: &Ask<'_>,
    rendered: &mut Rendered,
) -> Result<(), String> {
    let clock = Clock::new(&ask.limits);
    let helm = Helm::start(ask, &clock)?;
    let max_bytes = usize::try_from(ask.limits.get(Limit::HelmBytes)).unwrap_or(usize::MAX);
    let all: Vec<&&Request> = wanted.iter().collect();
    for some in all.chunks(AT_ONCE) {
        let results = parallel::map(some, 1, |request| (**request, helm.render(request)));
        for (request, result) in results {
            let n_bytes = result.as_ref().map_or(0, String::len);
            let result = match rendered.n_bytes().saturating_add(n_bytes) > max_bytes {
                true => Err(ask
                    .limits
                    .excess(Limit::HelmBytes)
                    .message("what Helm prints")),
                false => result,
            };
            rendered.insert(request.clone(), result);
        }
    }
    Ok(())
}

/// The program, with all that its runs share.
struct Helm<'a> {
    ask: &'a Ask<'a>,
    clock: &'a Clock,
    program: PathBuf,
    version: String,
    finder: ChartFinder,
    /// The folder of what promgen keeps for later runs.
    own: Option<PathBuf>,
    results: Option<Results>,
    scratch: StagedFile,
}

impl<'a> Helm<'a> {
    fn start(ask: &'a Ask<'a>, clock: &'a Clock) -> Result<Self, String> {
        let scratch = scratch(&env::temp_dir())?;
        let failed = |why: String| format!("cannot run `helm`: {why}");
        let program = Program::Helm.find().map_err(failed)?;
        let text = |args: &[&str]| {
            let mut command = helm(&program, ask.pulls, &scratch.path);
            command.args(args);
            let printed = run(command, clock).map_err(failed)?;
            Ok::<_, String>(String::from_utf8_lossy(&printed).trim().to_owned())
        };
        let version = text(&["version", "--short"])?;
        let cache = Some(text(&["env", "HELM_REPOSITORY_CACHE"])?).filter(|path| !path.is_empty());
        let own = own_cache();
        let finder = ChartFinder::new(ask.paths, cache.map(PathBuf::from), own.clone());
        let results = own
            .as_deref()
            .map(|own| Results::in_folder(&own.join("helm")));
        Ok(Self {
            ask,
            clock,
            program,
            version,
            finder,
            own,
            results,
            scratch,
        })
    }

    fn render(&self, request: &Request) -> Result<String, String> {
        if !is_name(&request.name) {
            return Err("Helm takes no release of that name".to_owned());
        }
        let folder = scratch(&self.scratch.path)?;
        let assembled = self.chart(request, &folder.path)?;
        let key = self
            .results
            .as_ref()
            .filter(|_| !request.holds_secrets)
            .map(|results| {
                let kube = self.ask.kube_version.clone().unwrap_or_default();
                let parts = [
                    &self.version,
                    &kube,
                    &request.name,
                    &request.namespace,
                    &assembled.digest,
                    &request.values,
                ];
                (results, results::key(&parts.map(String::as_str)))
            });
        let max = usize::try_from(self.clock.max_bytes()).unwrap_or(usize::MAX);
        if let Some(known) = key
            .as_ref()
            .and_then(|(results, key)| results.read(key, max))
        {
            return Ok(known);
        }
        let printed = self.template(request, &assembled.path, &folder.path);
        let stream = printed
            .map_err(|why| self.without_paths(&why, request, &assembled.path, &folder.path))?;
        if let Some((results, key)) = &key {
            results.write(key, &stream);
        }
        Ok(stream)
    }

    fn template(&self, request: &Request, chart: &Path, folder: &Path) -> Result<String, String> {
        let values = folder.join("values.json");
        let write = |path: &Path| {
            Access::Private
                .new_file()
                .open(path)?
                .write_all(request.values.as_bytes())
        };
        write(&values).map_err(|error| cannot_write(&error))?;
        let mut command = helm(&self.program, self.ask.pulls, folder);
        command
            .arg("template")
            .arg(format!("--namespace={}", request.namespace))
            .arg(with_path("--values=", &values));
        command
            .args(["--include-crds=false", "--skip-tests"])
            .arg(format!("--api-versions={API_VERSIONS}"));
        command.args(
            self.ask
                .kube_version
                .iter()
                .map(|version| format!("--kube-version={version}")),
        );
        command.arg("--").arg(&request.name).arg(chart);
        let printed = run(command, self.clock)?;
        String::from_utf8(printed).map_err(|_| "what Helm prints is not UTF-8".to_owned())
    }

    /// A message of Helm without the paths of this machine.
    fn without_paths(&self, why: &str, request: &Request, chart: &Path, folder: &Path) -> String {
        let name = request.chart.to_string();
        let real = fs::canonicalize(chart).unwrap_or_else(|_| chart.to_owned());
        let named = [&real, chart].iter().fold(why.to_owned(), |text, path| {
            replaced(&text, path, name.trim_matches('`'))
        });
        let rest = format!("{}/", folder.display());
        named
            .replace(&rest, "")
            .replace(&format!("{}/", self.scratch.path.display()), "")
    }

    fn pull(&self, named: &NamedChart, folder: &Path) -> Result<PathBuf, String> {
        match self.ask.pulls {
            true => pull::pull(
                named,
                folder,
                &self.program,
                self.own.as_deref(),
                self.clock,
            ),
            false => Err(ABSENT.to_owned()),
        }
    }

    /// The chart of a request, with the charts that it depends on.
    fn chart(&self, request: &Request, folder: &Path) -> Result<assembled::AssembledChart, String> {
        let found = match self.ask.revision {
            Some(revision) => {
                self.finder
                    .find_in_revision(&request.chart, revision, &self.ask.limits, folder)?
            }
            None => self.finder.find(&request.chart)?,
        };
        let pull = |named: &NamedChart| {
            self.finder
                .named(named)
                .map_or_else(|| self.pull(named, folder), Ok)
        };
        let path = match found {
            FoundChart::At(path) => path,
            FoundChart::Absent(Some(named)) => pull(named)?,
            FoundChart::Absent(None) => return Err("it is not in the repository".to_owned()),
        };
        assembled::assemble(&path, folder, &|path| self.finder.check(path), &pull)
    }
}

/// The message about a chart that is nowhere.
const ABSENT: &str = "it is neither in the repository nor in Helm's cache; `--helm-pull` pulls it";

/// Returns whether Helm takes a name for a release. One that begins with `-` would be an option.
fn is_name(name: &str) -> bool {
    let is_part = |part: &str| {
        let is_edge =
            |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        is_edge(part.chars().next()) && is_edge(part.chars().last()) && part.chars().all(is_inner)
    };
    name.len() <= MAX_NAME && name.split('.').all(is_part)
}

/// A run of Helm that asks nobody, and reaches nobody unless it may.
fn helm(program: &Path, has_network: bool, folder: &Path) -> Command {
    let mut command = if has_network {
        Program::HelmPull
    } else {
        Program::Helm
    }
    .at(program);
    command.current_dir(folder);
    // No cluster is asked, and no file that describes one is read.
    command.env("KUBECONFIG", folder.join("none"));
    // Plugins of the user would run for addresses with schemes of their own.
    command.env("HELM_PLUGINS", folder.join("none"));
    if !has_network {
        command.envs(
            ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].map(|name| (name, NOWHERE)),
        );
    }
    command
}

/// A folder for one run, which only the user may read, and which is removed.
fn scratch(folder: &Path) -> Result<StagedFile, String> {
    let created = StagedFile::create(folder, |path| Access::Private.new_folder().create(path));
    created
        .map(|(staged, ())| staged)
        .map_err(|error| cannot_write(&error))
}

fn cannot_write(error: &io::Error) -> String {
    format!("cannot write a temporary file: {error}")
}

fn with_path(option: &str, path: &Path) -> OsString {
    let mut arg = OsString::from(option);
    arg.push(path);
    arg
}

fn replaced(text: &str, path: &Path, name: &str) -> String {
    text.replace(&*path.to_string_lossy(), name)
}

/// The folder of what promgen keeps for later runs.
fn own_cache() -> Option<PathBuf> {
    let set = |name: &str| set(name).map(PathBuf::from);
    let home = || {
        set("HOME")
            .or_else(|| set("USERPROFILE"))
            .map(|home| home.join(".cache"))
    };
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    set("PROMGEN_CACHE_DIR")
        .map(|path| std::path::absolute(&path).unwrap_or(path))
        .or_else(|| {
            set("XDG_CACHE_HOME")
                .and_then(absolute)
                .or_else(home)
                .map(|path| path.join("promgen"))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_no_name_of_a_release() {
        for name in ["shop", "a1.b-2"] {
            assert!(is_name(name), "{name}");
        }
        for name in [
            "",
            "-x",
            "--post-renderer=x",
            "a b",
            "A",
            "a.",
            "a/../b",
            &"a".repeat(54),
        ] {
            assert!(!is_name(name), "{name}");
        }
    }
}
