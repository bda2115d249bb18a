//! The files that each file of tests loads.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::args::TestArgs;
use crate::cli::{Failure, Io, charts, fs};
use promgen_compile::options::Options;
use promgen_compile::output::{Layout, Output, Workload, WorkloadKind};
use promgen_model::Project;
use promgen_model::rule_tests::{GroupRules, LoadedFile, LoadedRule, plain};
use promgen_prometheus::routing::RoutingTree;
use promgen_targets::rule_test::read::{RuleSuite, Stated};

/// The files that a file of tests loads.
#[derive(Clone, Default)]
pub(super) struct SuiteRules {
    /// The files of rules.
    pub(super) files: Vec<LoadedFile>,
    /// The workload that mounts them, if there is one.
    pub(super) workload: Option<String>,
    /// Rules of the input that it does not mount.
    pub(super) others: Vec<LoadedRule>,
    /// The routing trees of the Alertmanagers in the input.
    pub(super) trees: Vec<RoutingTree>,
}

impl SuiteRules {
    /// The rules of all files.
    pub(super) fn all(&self) -> impl Iterator<Item = &LoadedRule> {
        self.files.iter().flat_map(|file| &file.rules)
    }
}

/// Loads rules; what several files ask for is read once.
pub(super) struct Loader<'l> {
    args: &'l TestArgs,
    /// The paths of manifests on the command line.
    paths: &'l [PathBuf],
    workspace: &'l fs::Workspace,
    projects: Vec<(Vec<PathBuf>, Arc<Project>)>,
    mounted: Vec<(String, SuiteRules, usize)>,
}

impl<'l> Loader<'l> {
    pub(super) const fn new(
        args: &'l TestArgs,
        paths: &'l [PathBuf],
        workspace: &'l fs::Workspace,
    ) -> Self {
        Self {
            args,
            paths,
            workspace,
            projects: Vec::new(),
            mounted: Vec::new(),
        }
    }

    /// The rules of a file of tests.
    pub(super) fn rules(
        &mut self,
        file: &str,
        suite: &RuleSuite,
        io: &mut Io<'_>,
    ) -> Result<SuiteRules, Failure> {
        let asks_receivers = suite
            .tests
            .iter()
            .flat_map(|test| &test.alerts)
            .flat_map(|alert| &alert.expected)
            .any(|expected| expected.receivers.is_some());
        match &suite.workload {
            Some(workload) if suite.rule_files.is_empty() => {
                self.of_workload(file, workload, suite, io)
            }
            _ => {
                let files = self.as_written(file, suite, io)?;
                let trees = if asks_receivers && !self.paths.is_empty() {
                    self.trees(io)?
                } else {
                    Vec::new()
                };
                Ok(SuiteRules {
                    files,
                    trees,
                    ..SuiteRules::default()
                })
            }
        }
    }

    /// All rules of the paths on the command line.
    pub(super) fn given(&mut self, io: &mut Io<'_>) -> Result<Vec<LoadedRule>, Failure> {
        if self.paths.is_empty() {
            return Ok(Vec::new());
        }
        let project = self.project(self.paths.to_vec(), io)?;
        Ok(project
            .rules_as_written()
            .into_iter()
            .flat_map(|file| file.rules)
            .collect())
    }

    /// The rules that each workload of the paths on the command line mounts.
    pub(super) fn mounts(
        &mut self,
        io: &mut Io<'_>,
    ) -> Result<Vec<(String, Vec<LoadedRule>)>, Failure> {
        if self.paths.is_empty() {
            return Ok(Vec::new());
        }
        let project = self.project(self.paths.to_vec(), io)?;
        let mut all = Vec::new();
        for environment in project.environments() {
            let model = project.compile(environment);
            let groups = GroupRules::of(&model);
            for workload in evaluating(model.output()) {
                let rules = groups
                    .mounted(workload)
                    .into_iter()
                    .flat_map(|file| file.rules)
                    .collect();
                all.push((workload.id.to_string(), rules));
            }
        }
        Ok(all)
    }

    fn as_written(
        &mut self,
        file: &str,
        suite: &RuleSuite,
        io: &mut Io<'_>,
    ) -> Result<Vec<LoadedFile>, Failure> {
        let folder = Path::new(file).parent().unwrap_or_else(|| Path::new(""));
        let boundary = self.workspace.found(folder);
        // Outside of a repository, the current folder is one.
        let current = fs::Workspace::of(&[]).found(Path::new("."));
        let (mut files, mut manifests) = (Vec::new(), Vec::new());
        for Stated {
            value,
            place: (line, column),
        } in &suite.rule_files
        {
            let failed = |why: String| Failure::message(format!("{file}:{line}:{column}: {why}"));
            let paths: Vec<PathBuf> = fs::matching(&folder.join(value))
                .into_iter()
                .map(fs::short)
                .collect();
            if paths.is_empty() {
                return Err(failed(format!("`{value}` does not exist")));
            }
            for path in paths {
                let checked = boundary
                    .check(&path)
                    .or_else(|error| current.check(&path).map_err(|_| error));
                checked.map_err(|error| failed(fs::cannot_read(&path, &error)))?;
                let within = if boundary.check(&path).is_ok() {
                    &boundary
                } else {
                    &current
                };
                let read = if path.is_dir() {
                    None
                } else {
                    Some(fs::read_input(&path, within).map_err(failed)?)
                };
                match read.as_ref().and_then(plain) {
                    Some(rules) => files.push(rules),
                    None => manifests.push(path),
                }
            }
        }
        if !manifests.is_empty() {
            files.extend(self.project(manifests, io)?.rules_as_written());
        }
        Ok(files)
    }

    fn of_workload(
        &mut self,
        file: &str,
        asked: &Stated<String>,
        suite: &RuleSuite,
        io: &mut Io<'_>,
    ) -> Result<SuiteRules, Failure> {
        let known = self.mounted.iter().find(|(name, ..)| *name == asked.value);
        let (rules, n_shards) = match known {
            Some((_, rules, n_shards)) => (rules.clone(), *n_shards),
            None => {
                let (rules, n_shards) = self.mounted_by(file, asked, io)?;
                self.mounted
                    .push((asked.value.clone(), rules.clone(), n_shards));
                (rules, n_shards)
            }
        };
        match &suite.shard {
            Some(Stated {
                value,
                place: (line, column),
            }) if *value >= n_shards as u64 => {
                let last = n_shards.saturating_sub(1);
                let text = format!(
                    "{file}:{line}:{column}: {} has no shard {value}: the last is {last}",
                    asked.value
                );
                Err(Failure::message(text))
            }
            _ => Ok(rules),
        }
    }

    fn mounted_by(
        &mut self,
        file: &str,
        asked: &Stated<String>,
        io: &mut Io<'_>,
    ) -> Result<(SuiteRules, usize), Failure> {
        let project = self.project(self.inputs(), io)?;
        let mut known = Vec::new();
        for environment in project.environments() {
            let model = project.compile(environment);
            let groups = GroupRules::of(&model);
            let output = model.into_output();
            for workload in evaluating(&output) {
                let name = format!("{}/{}", workload.id.namespace, workload.id.name);
                if name != asked.value && workload.id.to_string() != asked.value {
                    known.push(name);
                    continue;
                }
                let files = groups.mounted(workload);
                let is_mounted =
                    |rule: &&LoadedRule| files.iter().any(|file| file.rules.contains(rule));
                let others = groups
                    .all()
                    .filter(|rule| !is_mounted(rule))
                    .cloned()
                    .collect();
                let trees = trees(&output);
                let n_shards = workload.plan.shards.len().max(1);
                return Ok((
                    SuiteRules {
                        files,
                        workload: Some(name),
                        others,
                        trees,
                    },
                    n_shards,
                ));
            }
        }
        let (line, column) = asked.place;
        let known = if known.is_empty() {
            "none".to_owned()
        } else {
            known.join(", ")
        };
        let text = format!(
            "{file}:{line}:{column}: no Prometheus or ThanosRuler `{}` in the manifests; there are: {known}",
            asked.value
        );
        Err(Failure::message(text))
    }

    fn inputs(&self) -> Vec<PathBuf> {
        fs::or_current(self.paths).to_vec()
    }

    fn trees(&mut self, io: &mut Io<'_>) -> Result<Vec<RoutingTree>, Failure> {
        let project = self.project(self.inputs(), io)?;
        let of = |environment| trees(&project.compile(environment).into_output());
        Ok(project.environments().iter().flat_map(of).collect())
    }

    fn project(&mut self, paths: Vec<PathBuf>, io: &mut Io<'_>) -> Result<Arc<Project>, Failure> {
        if let Some((_, project)) = self.projects.iter().find(|(known, _)| *known == paths) {
            return Ok(Arc::clone(project));
        }
        let limits = self.args.limits.limits();
        let read = fs::read_again(
            &fs::ReadManifests::default(),
            &paths,
            |_| false,
            fs::Folders::Built,
            fs::IgnoredPaths::of(self.args.trust.is_some()),
            limits,
            io.stdin,
        );
        let read = read.map_err(Failure::Messages)?;
        let options = Options {
            layout: Layout::Operator,
            limits,
            ..Options::default()
        };
        let options = Options {
            heeds_marks: self.args.trust.is_none(),
            ..options
        };
        let asked = charts::ChartRequest {
            helm: &self.args.helm,
            paths: &paths,
            kube_version: None,
            revision: None,
        };
        let options = charts::of(options, &read.inputs, &asked, io)?;
        let project = Project::read(&read.inputs, &options);
        self.projects.push((paths, Arc::clone(&project)));
        Ok(project)
    }
}

/// The workloads that evaluate rules.
fn evaluating(output: &Output) -> impl Iterator<Item = &Workload> {
    let evaluates = |kind| matches!(kind, WorkloadKind::Prometheus | WorkloadKind::ThanosRuler);
    output
        .each_workload()
        .filter(move |workload| evaluates(workload.id.kind))
}

fn trees(output: &Output) -> Vec<RoutingTree> {
    output
        .each_workload()
        .filter_map(|workload| workload.routing.clone())
        .collect()
}
