//! What was recorded from real clusters: manifests and what `kubectl get` showed, taken together, give the operator's
//! configuration and, to the second, the status that it wrote.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use promgen::{Assume, Input, Layout, Options, Output};
use promgen_resources::gates::Target;
use promgen_testing::needs;
use promgen_text::version::Version;
use promgen_text::yaml::emit::to_json;
use serde_json::Value;

use super::{cases, root};

/// The manifests of a case, then what was observed.
fn compile(case: &Path) -> Output {
    let mut inputs = Vec::new();
    for folder in ["input", "observed"] {
        for path in cases::files(&case.join(folder)).into_values() {
            inputs.push(Input::new(path.to_string_lossy(), fs::read(&path).unwrap()));
        }
    }
    let name = case.file_name().unwrap().to_string_lossy();
    let kubernetes = name
        .strip_prefix("kubernetes-")
        .map_or(Version::new(1, 36, 3), |v| Version::parse(v).unwrap());
    let options = Options {
        target: Target {
            kubernetes,
            features: BTreeMap::new(),
            ..cases::target(None)
        },
        assume: Assume::Missing,
        layout: Layout::Operator,
        reveal_secrets: true,
        ..Options::default()
    };
    crate::support::compile(&inputs, &options)
}

/// The files of a case whose names start and end so, with what stands between.
fn named(case: &Path, start: &str, end: &str) -> Vec<(String, PathBuf)> {
    let files = cases::files(case);
    let name = |path: &str| Some(path.strip_prefix(start)?.strip_suffix(end)?.to_owned());
    files
        .into_iter()
        .filter_map(|(path, file)| Some((name(&path)?, file)))
        .collect()
}

#[needs(recordings)]
#[test]
fn a_real_cluster_is_what_its_manifests_and_pods_make_it() {
    let root = root();
    let mut compared = 0;
    for case in fs::read_dir(root.join("cluster"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        let output = compile(&case);
        let workload = |name: &str| output.workloads.iter().find(|w| w.id.name == name).unwrap();
        for (name, file) in named(&case, "status-", ".json") {
            let expected: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
            let got: Value = serde_json::from_str(&to_json(&workload(&name).status)).unwrap();
            assert_eq!(got, expected, "{}: {name}", case.display());
            compared += 1;
        }
        for (name, file) in named(&case, "secret-prometheus-", "--prometheus.yaml") {
            let got = workload(&name).config.as_ref().unwrap().text();
            assert_eq!(
                *got,
                fs::read_to_string(file).unwrap(),
                "{}: {name}",
                case.display()
            );
            compared += 1;
        }
    }
    assert!(compared > 0, "the folder holds cases");
}
