//! `test --watch`: the tests of a file run again if the file or one of its manifests has changed.

use std::path::PathBuf;
use std::sync::Arc;

use crate::cli::args::TestArgs;
use crate::cli::check::test::{
    FileResults, TestedManifests, finish, manifest_paths, once, options, read_manifests, rules,
    suites,
};
use crate::cli::watch::{Rerun, changed};
use crate::cli::{Exit, Failure, Io, fs};
use promgen_model::Project;
use promgen_targets::relabel_test::read::Suite;
use promgen_targets::rule_test::read::is_rule_test;
use promgen_text::source::Input;

/// `test`, again and again.
pub(super) struct TestRerun<'a> {
    args: &'a TestArgs,
    files: fs::ReadManifests,
    suites: Vec<ReadSuite>,
    /// The manifests that the test files name, whether they exist or not.
    named: Vec<PathBuf>,
    /// Some test rules: then all run again.
    tests_rules: bool,
    /// The rules that they name.
    loaded: fs::ReadManifests,
}

/// A test file.
struct ReadSuite {
    file: String,
    suite: Suite,
    paths: Vec<PathBuf>,
    manifests: fs::ReadManifests,
    project: Option<Arc<Project>>,
    /// The results, and what the run has said on standard error. `None` if something has changed since.
    results: Option<(FileResults, Vec<u8>)>,
}

impl<'a> TestRerun<'a> {
    pub(super) fn new(args: &'a TestArgs) -> Self {
        Self {
            args,
            files: fs::ReadManifests::default(),
            suites: Vec::new(),
            named: Vec::new(),
            tests_rules: false,
            loaded: fs::ReadManifests::default(),
        }
    }

    /// Reads the manifests of a test file, with the names of those that differ from what was read before.
    fn read_suite(
        &mut self,
        file: &str,
        suite: Suite,
        is_changed: bool,
        io: &mut Io<'_>,
    ) -> Result<(ReadSuite, Vec<String>), Failure> {
        let paths = manifest_paths(file, &suite, &fs::Workspace::of(&self.args.files))?;
        self.named.extend(paths.iter().cloned());
        let none = fs::ReadManifests::default();
        let known = self.suites.iter().position(|suite| suite.file == file);
        let earlier = known.map_or(&none, |known| &self.suites[known].manifests);
        let manifests = read_manifests(self.args, file, &paths, earlier, io)?;
        let names = changed(&earlier.inputs, &manifests.inputs, |_| false);
        let (mut project, mut results) = (None, None);
        if let Some(known) = known.map(|known| &mut self.suites[known]) {
            // Should another file fail, this one has changed all the same.
            if is_changed || !names.is_empty() {
                known.results = None;
            }
            (project, results) = (known.project.clone(), known.results.clone());
        }
        Ok((
            ReadSuite {
                file: file.to_owned(),
                suite,
                paths,
                manifests,
                project,
                results,
            },
            names,
        ))
    }

    /// Runs what has changed.
    fn results(&mut self, io: &mut Io<'_>) -> Result<Vec<FileResults>, Failure> {
        let mut all = Vec::with_capacity(self.suites.len());
        for suite in &mut self.suites {
            let (results, said) = match suite.results.take() {
                Some(results) => results,
                None => suite.run(self.args, io)?,
            };
            let _ = io.stderr.write_all(&said);
            all.push(results.clone());
            suite.results = Some((results, said));
        }
        Ok(all)
    }
}

impl ReadSuite {
    fn run(&mut self, args: &TestArgs, io: &mut Io<'_>) -> Result<(FileResults, Vec<u8>), Failure> {
        let mut said = Vec::new();
        let io = &mut io.with_stderr(&mut said);
        let options = options(args, &self.file, &self.suite)?;
        let earlier = self.project.as_deref();
        let compiled = TestedManifests::compile(
            args,
            options,
            &self.paths,
            &self.manifests.inputs,
            earlier,
            io,
        )?;
        let results = compiled.results(args, &self.file, &self.suite);
        self.project = Some(compiled.project);
        Ok((results, said))
    }
}

impl Rerun for TestRerun<'_> {
    fn read(&mut self, io: &mut Io<'_>) -> Result<Vec<String>, Failure> {
        let workspace = fs::Workspace::of(&self.args.files);
        let files =
            fs::read_files(&self.args.files, &workspace, io.stdin).map_err(Failure::Messages)?;
        let mut names = changed(&self.files.inputs, &files.inputs, |_| false);
        self.named.clear();
        let of_rules: Vec<&Input> = files
            .inputs
            .iter()
            .filter(|input| is_rule_test(input))
            .collect();
        self.tests_rules = !of_rules.is_empty();
        if self.tests_rules {
            self.named
                .extend(of_rules.into_iter().flat_map(rules::named));
            let loaded = read_manifests(self.args, "rule_files", &self.named, &self.loaded, io)?;
            names.extend(changed(&self.loaded.inputs, &loaded.inputs, |_| false));
            (self.files, self.loaded) = (files, loaded);
            return Ok(names);
        }
        let mut read = Vec::new();
        for (file, suite) in suites(self.args, &files.inputs, io)? {
            let is_changed = names.iter().any(|name| name == file);
            let (suite, others) = self.read_suite(file, suite, is_changed, io)?;
            names.extend(others);
            read.push(suite);
        }
        (self.files, self.suites) = (files, read);
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn run(&mut self, io: &mut Io<'_>) -> Result<Exit, Failure> {
        if self.tests_rules {
            return once(self.args, io);
        }
        let results = self.results(io)?;
        let manifests = self.suites.iter().flat_map(|suite| &suite.manifests.files);
        let read = self
            .files
            .files
            .iter()
            .chain(manifests)
            .flatten()
            .map(PathBuf::as_path);
        finish(self.args, &results, None, read, io)
    }

    fn paths(&self) -> &[PathBuf] {
        &self.args.files
    }

    fn places(&self) -> fs::WatchedPlaces {
        let read = Some(&self.files).filter(|files| !files.inputs.is_empty());
        let mut places = fs::WatchedPlaces::of_run(read, &self.args.files, false);
        for suite in &self.suites {
            places.extend(fs::WatchedPlaces::of(&suite.manifests, &suite.paths));
        }
        places.add_files(&self.named);
        places
    }
}
