//! The real kustomize takes a rendered folder as it is. Runs where `KUSTOMIZE` names the program; `.ci/run` builds it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize as _;
use serde_json::Value;

use crate::conformance::cases;
use crate::support::{promgen, root, tool};

fn build(kustomize: &Path, folder: &Path) -> String {
    let output = Command::new(kustomize)
        .arg("build")
        .arg(folder)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}: {}",
        folder.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// What tells an object from others, and the object.
fn objects(yaml: &str) -> BTreeSet<String> {
    let documents = serde_yaml::Deserializer::from_str(yaml)
        .map(|document| Value::deserialize(document).unwrap());
    documents.map(|object| object.to_string()).collect()
}

/// Keys of a map in any order.
fn sorted(objects: BTreeSet<String>) -> BTreeSet<String> {
    fn sort(value: &mut Value) {
        match value {
            Value::Object(map) => {
                map.sort_keys();
                map.values_mut().for_each(sort);
            }
            Value::Array(items) => items.iter_mut().for_each(sort),
            _ => {}
        }
    }
    let sort = |text: String| {
        let mut value: Value = serde_json::from_str(&text).unwrap();
        sort(&mut value);
        value.to_string()
    };
    objects.into_iter().map(sort).collect()
}

#[test]
#[ignore = "needs KUSTOMIZE, the program kustomize"]
fn a_rendered_folder_is_a_kustomization() {
    let kustomize = tool("KUSTOMIZE");
    let mut n_objects = 0;
    for case in cases::folders(&root().join("fixtures")) {
        let input = root().join("fixtures").join(&case).join("input");
        if !input.is_dir() {
            continue;
        }
        for format in ["yaml", "json"] {
            let folder = tempfile::tempdir().unwrap();
            let (input, out) = (input.to_str().unwrap(), folder.path().to_str().unwrap());
            let args = [
                "render",
                input,
                "--emit",
                "config,workloads,status",
                "--format",
                "yaml",
            ];
            let stream = promgen(&args).stdout;
            if stream.is_empty() {
                continue;
            }
            promgen(&["render", input, "--format", format, "-o", out]);
            let listed = fs::read_to_string(folder.path().join("kustomization.yaml")).unwrap();
            assert!(listed.contains("resources:"), "{case}: {listed}");
            let mut built = build(&kustomize, folder.path());
            if format == "json" {
                let marks = built
                    .lines()
                    .filter(|line| line.contains("promgen.dev/generated"))
                    .count();
                assert!(marks > 0, "{case}: JSON carries the mark as an annotation");
                // The mark is all that the annotations of some objects hold.
                built = without_marks(&built);
            }
            let (built, expected) = (sorted(objects(&built)), sorted(objects(&stream)));
            assert_eq!(built, expected, "{case}");
            n_objects += built.len();
        }
    }
    assert!(n_objects > 100, "{n_objects}");
}

fn without_marks(yaml: &str) -> String {
    let mut out = String::new();
    for document in serde_yaml::Deserializer::from_str(yaml) {
        let mut value = Value::deserialize(document).unwrap();
        if let Some(metadata) = value["metadata"].as_object_mut()
            && let Some(annotations) = metadata
                .get_mut("annotations")
                .and_then(Value::as_object_mut)
        {
            annotations.remove("promgen.dev/generated");
            if annotations.is_empty() {
                metadata.remove("annotations");
            }
        }
        out += &format!("---\n{value}\n");
    }
    out
}
