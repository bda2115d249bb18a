//! The recorded cases: what goes in, for which target, and what comes out.

use std::fs;
use std::path::{Path, PathBuf};

use promgen_text::sorted::SortedMap;

use promgen::gates::Target;
use promgen::version::Version;
use promgen::{Assume, Emission, Input, Layout, Options};

use super::compare;

/// Families that are compared by other tests, or not yet at all.
const ELSEWHERE: &[&str] = &["admission", "cluster", "operators", "promql", "regex", "relabel", "repositories", "yaml"];

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
        Self { file: file.to_owned(), what }
    }
}

/// All cases of all families, by name.
pub(super) fn all(root: &Path) -> Vec<Case> {
    let mut cases = Vec::new();
    for family in folders(root).into_iter().filter(|f| !ELSEWHERE.contains(&f.as_str())) {
        for case in folders(&root.join(&family)) {
            let folder = root.join(&family).join(&case);
            let inputs = [folder.join("input"), folder.join("input.yaml")];
            let Some(input) = inputs.into_iter().find(|i| i.exists()) else { continue };
            for variant in std::iter::once(None).chain(VARIANTS.iter().map(|v| Some(*v))) {
                let suffix = variant.map(|v| format!("@{v}")).unwrap_or_default();
                let expected = folder.join(format!("expected{suffix}"));
                if expected.is_dir() {
                    let (family, input) = (family.clone(), input.clone());
                    cases.push(Case { name: format!("{family}/{case}{suffix}"), family, input, expected, variant });
                }
            }
        }
    }
    cases
}

pub(crate) fn folders(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap().map(|e| e.unwrap());
    let mut names: Vec<_> =
        entries.filter(|e| e.path().is_dir()).map(|e| e.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// All files below a folder, by their path relative to it.
pub(crate) fn files(root: &Path) -> SortedMap<String, PathBuf> {
    let (mut found, mut todo) = (SortedMap::new(), vec![root.to_owned()]);
    while let Some(folder) = todo.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
                found.insert(name, path);
            }
        }
    }
    found
}

impl Case {
    /// What does not agree; nothing if all does.
    pub(super) fn run(&self) -> Vec<Difference> {
        let have = self.render();
        let expected = files(&self.expected);
        let mut why = Vec::new();
        for (name, path) in &expected {
            match have.get(name) {
                None => why.push(Difference::new(name, "is missing")),
                Some(got) if compare::same(name, &fs::read_to_string(path).unwrap(), got) => {}
                Some(_) => why.push(Difference::new(name, "differs")),
            }
        }
        if self.variant.is_none() {
            let tops: Vec<&str> = expected.keys().filter_map(|n| n.split('/').next()).collect();
            let ours = have.keys().filter(|n| !expected.contains_key(*n) && !n.ends_with(NOT_RECORDED));
            let unexpected = ours.filter(|n| tops.contains(&n.split('/').next().unwrap_or_default()));
            why.extend(unexpected.map(|n| Difference::new(n, "is not expected")));
        }
        why
    }

    fn render(&self) -> SortedMap<String, String> {
        let inputs: Vec<Input> = if self.input.is_dir() {
            let files = files(&self.input);
            files.values().map(|p| Input::new(p.to_string_lossy(), fs::read(p).unwrap())).collect()
        } else {
            vec![Input::new(self.input.to_string_lossy(), fs::read(&self.input).unwrap())]
        };
        let options = Options {
            target: target(self.variant),
            assume: Assume::Missing,
            layout: Layout::Operator,
            reveal_secrets: true,
            ..Options::default()
        };
        let output = crate::support::compile(&inputs, &options);
        let emission = Emission { layout: Layout::Operator, ..Emission::default() };
        let write = |file: promgen::output::File<'_>| {
            let mut bytes = Vec::new();
            file.write(&mut bytes).unwrap();
            (file.path, String::from_utf8(bytes).unwrap())
        };
        output.files(&emission).into_iter().map(write).collect()
    }
}

/// The target of a case, or of a variant of it.
pub(crate) fn target(variant: Option<&str>) -> Target {
    let mut target = Target::default();
    for feature in ["PrometheusAgentDaemonSet", "StatusForConfigurationResources"] {
        target.features.insert(feature.to_owned(), true);
    }
    match variant {
        None => {}
        Some("k134") => target.kubernetes = Version::new(1, 34, 0),
        Some("gatesoff") => {
            for feature in ["PrometheusTopologySharding", "PrometheusShardRetentionPolicy"] {
                target.features.insert(feature.to_owned(), false);
            }
        }
        Some(version) => target.default_prometheus = Some(version.to_owned()),
    }
    target
}
