//! The recorded cases: what goes in, for which target, and what comes out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use promgen::Project;
use promgen::{Assume, Emission, Input, Layout, Options, Output};
use promgen_answers::diff::WorkloadChanges;
use promgen_answers::diff::listed::Listed;
use promgen_answers::diff::losses::Losses;
use promgen_resources::gates::{FEATURES, STATUS_BINDINGS, Target};
use promgen_resources::release::{RELEASES, Release};
use promgen_text::diag::Level;
use promgen_text::version::Version;
use tempfile::TempDir;

use super::{compare, releases};

/// Families that are compared by other tests, or not yet at all.
const ELSEWHERE: &[&str] = &[
    "admission",
    "cluster",
    "operators",
    "promql",
    "regex",
    "relabel",
    "repositories",
    "yaml",
];

/// Families whose answers stand in one archive, of the release that answers all cases.
const PACKED: &[&str] = &["random", "zero", "releases"];

/// What promgen shows of a ruler, and the recordings have only within its Secret.
const NOT_RECORDED: &str = "/remote-write.yaml";

/// Targets other than the default.
const VARIANTS: &[&str] = &["k134", "gatesoff", "v2.45.0", "v2.55.1", "v3.5.0"];

/// One case for one target.
pub(super) struct Case {
    /// `family/case`, and `@variant` for another target than the default.
    pub(super) name: String,
    pub(super) family: String,
    input: PathBuf,
    expected: PathBuf,
    variant: Option<&'static str>,
    /// The release that answers, and the folder of the files that it answers differently than `expected`.
    release: Option<(&'static Release, PathBuf)>,
}

/// A file that does not agree.
pub(super) struct Difference {
    /// Its path in the tree.
    pub(super) file: String,
    /// Why not.
    pub(super) what: &'static str,
}

impl Difference {
    fn new(file: &str, what: &'static str) -> Self {
        Self {
            file: file.to_owned(),
            what,
        }
    }
}

/// All cases of all families, by name.
pub(super) fn all(root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for family in folders(root)
        .into_iter()
        .filter(|f| !ELSEWHERE.contains(&f.as_str()))
    {
        for case in folders(&root.join(&family)) {
            let folder = root.join(&family).join(&case);
            let inputs = [folder.join("input"), folder.join("input.yaml")];
            let Some(input) = inputs.into_iter().find(|i| i.exists()) else {
                continue;
            };
            for variant in std::iter::once(None).chain(VARIANTS.iter().map(|v| Some(*v))) {
                let suffix = variant.map(|v| format!("@{v}")).unwrap_or_default();
                let expected = folder.join(format!("expected{suffix}"));
                if expected.is_dir() {
                    let (family, input) = (family.clone(), input.clone());
                    let name = format!("{family}/{case}{suffix}");
                    cases.push(Case {
                        name,
                        family,
                        input,
                        expected,
                        variant,
                        release: None,
                    });
                }
            }
        }
    }
    cases
}

/// The cases of the families whose answers stand in one archive. The folder holds the answers as long as they are compared.
pub(super) fn packed(root: &Path) -> (TempDir, Vec<Case>) {
    let unpacked = TempDir::new().unwrap();
    let mut cases = Vec::new();
    for family in PACKED {
        let answers = unpacked.path().join(family);
        fs::create_dir(&answers).unwrap();
        releases::unpack(&root.join(family).join("expected.tar.xz"), &answers);
        for case in folders(&root.join(family)) {
            let expected = answers.join(&case);
            let input = root.join(family).join(&case).join("input.yaml");
            let (family, name) = ((*family).to_owned(), format!("{family}/{case}"));
            cases.push(Case {
                name,
                family,
                input,
                expected,
                variant: None,
                release: None,
            });
        }
    }
    (unpacked, cases)
}

pub(crate) fn folders(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap().map(|e| e.unwrap());
    let mut names: Vec<_> = entries
        .filter(|e| e.path().is_dir())
        .map(|e| e.file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    names
}

/// All files below a folder, by their path relative to it.
pub(crate) fn files(root: &Path) -> BTreeMap<String, PathBuf> {
    let (mut found, mut todo) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else {
                let name = path
                    .strip_prefix(root)
                    .unwrap()
                    .to_string_lossy()
                    .replace('\\', "/");
                found.insert(name, path);
            }
        }
    }
    found
}

impl Case {
    /// The same case, as a release answers it. `recorded` is the folder of its recordings.
    pub(super) fn answered_by(self, release: &'static Release, recorded: &Path) -> Self {
        Self {
            release: Some((release, recorded.join(&self.name))),
            ..self
        }
    }

    /// The files that are expected.
    pub(super) fn expected(&self) -> BTreeMap<String, PathBuf> {
        let mut expected = files(&self.expected);
        let Some((release, recorded)) = self.release.as_ref() else {
            return expected;
        };
        if recorded.is_dir() {
            expected.extend(files(recorded));
        }
        if let Some(absent) = expected.remove("absent.txt") {
            fs::read_to_string(absent)
                .unwrap()
                .lines()
                .for_each(|file| drop(expected.remove(file)));
        }
        expected.retain(|name, _| !is_unstated(release, name));
        expected
    }

    /// What does not agree; nothing if all does.
    pub(super) fn run(&self) -> Vec<Difference> {
        let have = self.render();
        let expected = self.expected();
        let mut why = Vec::new();
        for (name, path) in &expected {
            match have.get(name) {
                None => why.push(Difference::new(name, "is missing")),
                Some(got) if compare::same(name, &fs::read_to_string(path).unwrap(), got) => {}
                Some(_) => why.push(Difference::new(name, "differs")),
            }
        }
        if self.variant.is_none() {
            let tops: Vec<&str> = expected
                .keys()
                .filter_map(|n| n.split('/').next())
                .collect();
            let is_recorded = |n: &&String| {
                self.release
                    .as_ref()
                    .is_none_or(|(release, _)| !is_unstated(release, n))
            };
            let ours = have
                .keys()
                .filter(|n| !expected.contains_key(*n) && !n.ends_with(NOT_RECORDED));
            // The process of the operator says nothing of what it selects for a workload that is paused or fails before.
            let is_packed = PACKED.contains(&self.family.as_str());
            let ours = ours
                .filter(is_recorded)
                .filter(|n| !(is_packed && n.ends_with("/selection.json")));
            let unexpected =
                ours.filter(|n| tops.contains(&n.split('/').next().unwrap_or_default()));
            why.extend(unexpected.map(|n| Difference::new(n, "is not expected")));
        }
        why
    }

    fn project(&self) -> Arc<Project> {
        let (inputs, options) = (self.inputs(), self.options());
        let limits = options.limits.divided(2);
        Project::read(
            &inputs,
            &Options {
                reveal_secrets: false,
                layout: Layout::PerShard,
                limits,
                ..options
            },
        )
    }

    /// The folders of the workloads that a comparison with another answer names for what the operator writes: a field that
    /// one of the releases prunes, the default version of a workload with an error, and a selection that is not recorded may
    /// change nothing else.
    pub(super) fn named_as_changed(&self, other: &Self) -> BTreeSet<String> {
        let (base, head) = (self.project(), other.project());
        let is_stated = self.states(other, "selection.json");
        let changes =
            promgen::compare::compare(&base.model_with_targets(), &head.model_with_targets());
        let is_written = |workload: &&WorkloadChanges| {
            let selection = (workload.selection.clone(), workload.losses.clone());
            let (selection, losses) = if is_stated {
                (Listed::default(), Losses::default())
            } else {
                selection
            };
            let of_manifest = WorkloadChanges {
                workload: workload.workload.clone(),
                change: workload.change,
                version: workload.version.clone(),
                shards: workload.shards.clone(),
                fields: workload.fields.clone(),
                selection,
                losses,
                ..WorkloadChanges::default()
            };
            !workload.is_stand_in && **workload != of_manifest
        };
        let named = changes.workloads.iter().filter(is_written);
        named
            .map(|workload| folder_of(&workload.workload))
            .collect()
    }

    /// The folders of the workloads of which a recorded file differs from that of another answer. A workload that neither
    /// operator can compile has no empty ConfigMap of rules.
    pub(super) fn recorded_as_changed(&self, other: &Self) -> BTreeSet<String> {
        let (old, new) = (self.expected(), other.expected());
        let read = |path: &PathBuf| fs::read_to_string(path).unwrap();
        let differs = |name: &&String| match (old.get(*name), new.get(*name)) {
            (Some(old), Some(new)) => old != new && !compare::same(name, &read(old), &read(new)),
            (old, new) => old.is_some() != new.is_some(),
        };
        let is_compiled = |name: &&String| {
            let error = format!(
                "{}/error.txt",
                name.splitn(4, '/').take(3).collect::<Vec<_>>().join("/")
            );
            let is_empty = || {
                new.get(*name)
                    .is_none_or(|path| !read(path).contains("\ndata:"))
            };
            !(name.contains("/configmap-")
                && old.contains_key(&error)
                && new.contains_key(&error)
                && is_empty())
        };
        let names: BTreeSet<&String> = old.keys().chain(new.keys()).filter(is_compiled).collect();
        let changed = names
            .into_iter()
            .filter(|name| self.states(other, name) && !name.ends_with("bindings.yaml"));
        changed
            .filter(differs)
            .map(|name| name.splitn(4, '/').take(3).collect::<Vec<_>>().join("/"))
            .collect()
    }

    /// Returns whether its API server refuses a resource that it did not refuse when it was recorded: it has
    /// constraints that v0.93.1 lacks, and was asked without them but for some families.
    pub(super) fn is_recorded_without_refusals(&self) -> bool {
        const ASKED: &[&str] = &["random", "zero", "releases", "wild"];
        let refusals = |target: Target| {
            let output = crate::support::compile(
                &self.inputs(),
                &Options {
                    target,
                    ..self.options()
                },
            );
            let errors = output
                .diagnostics
                .into_iter()
                .filter(|d| d.level == Level::Error && d.rule.code.starts_with("PG0"));
            errors.count()
        };
        let is_asked = ASKED.contains(&self.family.as_str());
        !is_asked && refusals(self.options().target) > refusals(target(self.variant))
    }

    /// Returns whether the recordings of both have files of that name.
    fn states(&self, other: &Self, name: &str) -> bool {
        let releases = [self, other].map(|case| case.release.as_ref());
        !releases
            .into_iter()
            .flatten()
            .any(|(release, _)| is_unstated(release, name))
    }

    fn inputs(&self) -> Vec<Input> {
        if !self.input.is_dir() {
            return vec![Input::new(
                self.input.to_string_lossy(),
                fs::read(&self.input).unwrap(),
            )];
        }
        files(&self.input)
            .values()
            .map(|p| Input::new(p.to_string_lossy(), fs::read(p).unwrap()))
            .collect()
    }

    fn options(&self) -> Options {
        Options {
            target: target_of(
                self.release
                    .as_ref()
                    .map_or_else(answering, |(release, _)| release),
                self.variant,
            ),
            assume: Assume::Missing,
            layout: Layout::Operator,
            reveal_secrets: true,
            ..Options::default()
        }
    }

    pub(super) fn render(&self) -> BTreeMap<String, String> {
        let (inputs, options) = (self.inputs(), self.options());
        tree(&crate::support::compile(&inputs, &options))
    }
}

/// What is written of an output in the operator's layout, by path.
pub(crate) fn tree(output: &Output) -> BTreeMap<String, String> {
    let emission = Emission {
        layout: Layout::Operator,
        ..Emission::default()
    };
    let write = |file: promgen_compile::output::OutputFile<'_>| {
        let mut bytes = Vec::new();
        file.write(&mut bytes).unwrap();
        (file.path, String::from_utf8(bytes).unwrap())
    };
    output.files(&emission).into_iter().map(write).collect()
}

/// The folder of a workload that is called `Prometheus/shop/main`.
fn folder_of(workload: &str) -> String {
    let (kind, rest) = workload.split_once('/').unwrap_or((workload, ""));
    format!("{}/{rest}", kind.to_lowercase())
}

/// Returns whether a file was not recorded for a release: it writes no status of configuration resources.
fn is_unstated(release: &Release, file: &str) -> bool {
    !STATUS_BINDINGS.admits(&release.version)
        && (file.ends_with("selection.json") || file.ends_with("bindings.yaml"))
}

/// The release that answers the cases. Those of its main branch before v0.94 have its archive over them.
pub(super) fn answering() -> &'static Release {
    RELEASES
        .iter()
        .find(|release| release.operator == "v0.93.1")
        .unwrap()
}

/// The target of a case, or of a variant of it.
pub(crate) fn target(variant: Option<&str>) -> Target {
    target_of(answering(), variant)
}

/// A release with the operands and, as far as it knows them, the feature gates of the recordings.
fn target_of(release: &Release, variant: Option<&str>) -> Target {
    let known = FEATURES
        .iter()
        .filter(|feature| feature.is_known(&release.version));
    let mut target = Target {
        operator: Some(release.version.clone()),
        default_prometheus: Some("v3.13.2".to_owned()),
        default_alertmanager: Some("v0.33.1".to_owned()),
        default_thanos: Some("v0.42.4".to_owned()),
        reloader_image: Some(
            "quay.io/prometheus-operator/prometheus-config-reloader:v0.93.0".to_owned(),
        ),
        features: known
            .map(|feature| (feature.name.to_owned(), true))
            .collect(),
        ..Target::default()
    };
    match variant {
        None => {}
        Some("k134") => target.kubernetes = Version::new(1, 34, 0),
        Some("gatesoff") => {
            for feature in [
                "PrometheusTopologySharding",
                "PrometheusShardRetentionPolicy",
            ] {
                target.features.insert(feature.to_owned(), false);
            }
        }
        Some(version) => target.default_prometheus = Some(version.to_owned()),
    }
    target
}
