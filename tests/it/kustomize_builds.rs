//! Random kustomizations, built by the real kustomize and by promgen. Runs where `KUSTOMIZE` names the program, with the seeds
//! `KUSTOMIZE_SEEDS` (`0..800`). A build that the real one refuses has to be refused here, too.

pub(crate) mod generate;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use rayon::prelude::*;

use promgen_repository::kustomize::build::build;
use promgen_repository::kustomize::read::gather::{Content, Files, gather};
use promgen_repository::kustomize::read::store::Store;
use promgen_repository::print;
use promgen_text::diag::Sink;
use promgen_text::source::FileId;
use promgen_text::yaml::Value;
use promgen_text::yaml::read::read;

use crate::support::tool;

struct Memory<'m>(&'m BTreeMap<String, String>);

impl Files for Memory<'_> {
    fn read(&self, path: &str) -> Content {
        Content::of(self.0.get(path).map(|text| text.clone().into_bytes()))
    }

    fn is_folder(&self, path: &str) -> bool {
        self.0.keys().any(|file| {
            file.strip_prefix(path)
                .is_some_and(|rest| rest.starts_with('/'))
        })
    }
}

fn ours(files: &BTreeMap<String, String>) -> Result<String, String> {
    let gathered = gather(&Memory(files), "top");
    let sources = gathered.sources();
    let store = Store::new(&gathered, &sources);
    match build(&store, "top").unwrap() {
        Ok(objects) => Ok(objects
            .iter()
            .map(|object| print::yaml(&object.node))
            .collect::<Vec<_>>()
            .join("---\n")),
        Err(fault) => {
            let file = sources.file(fault.span.file);
            Err(format!(
                "{}:{}: {}",
                file.name,
                sources.start(fault.span),
                fault.message
            ))
        }
    }
}

fn real(kustomize: &Path, files: &BTreeMap<String, String>) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let output = Command::new(kustomize)
        .arg("build")
        .arg(folder.path().join("top"))
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    if output.status.success() {
        Ok(text(output.stdout))
    } else {
        Err(text(output.stderr))
    }
}

/// Objects as data, in the order in which they stand there.
fn data(yaml: &str) -> Vec<Value> {
    let documents = read(FileId::new(0), yaml, &mut Sink::default());
    documents
        .iter()
        .map(|document| sorted(document.root.to_value()))
        .collect()
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Map(map) => {
            let mut entries = map.into_entries();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Map(
                entries
                    .into_iter()
                    .map(|(key, value)| (key, sorted(value)))
                    .collect(),
            )
        }
        Value::Seq(items) => Value::Seq(items.into_iter().map(sorted).collect()),
        other => other,
    }
}

fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("KUSTOMIZE_SEEDS").unwrap_or_else(|_| "0..800".to_owned());
    let (from, to) = given.split_once("..").unwrap();
    from.parse().unwrap()..to.parse().unwrap()
}

enum Outcome {
    Alike,
    Refused,
    Differs(String),
}

fn compare(kustomize: &Path, seed: u64) -> Outcome {
    let files = generate::files(seed);
    match (real(kustomize, &files), ours(&files)) {
        (Ok(real), Ok(ours)) if real == ours || data(&real) == data(&ours) => Outcome::Alike,
        (Ok(real), Ok(ours)) => {
            let line = real.lines().zip(ours.lines()).position(|(a, b)| a != b);
            Outcome::Differs(format!(
                "seed {seed}: the objects differ, from line {line:?} on"
            ))
        }
        (Err(_), Err(_)) => Outcome::Refused,
        (Ok(_), Err(ours)) => Outcome::Differs(format!("seed {seed}: refused here: {ours}")),
        (Err(real), Ok(_)) => {
            Outcome::Differs(format!("seed {seed}: refused by Kustomize: {real}"))
        }
    }
}

#[test]
#[ignore = "needs KUSTOMIZE, the program kustomize"]
fn random_kustomizations_are_built_as_kustomize_builds_them() {
    let kustomize = tool("KUSTOMIZE");
    let seeds = seeds();
    let n_seeds = usize::try_from(seeds.end - seeds.start).unwrap();
    let outcomes: Vec<Outcome> = seeds
        .into_par_iter()
        .map(|seed| compare(&kustomize, seed))
        .collect();
    let n_built = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, Outcome::Alike))
        .count();
    let faults: Vec<String> = outcomes
        .into_iter()
        .filter_map(|outcome| match outcome {
            Outcome::Differs(fault) => Some(fault),
            Outcome::Alike | Outcome::Refused => None,
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(
        n_built * 2 > n_seeds,
        "only {n_built} of {n_seeds} can be built at all"
    );
    println!("{n_built} of {n_seeds} random kustomizations can be built, and are built alike");
}

#[test]
fn a_value_of_a_patch_points_into_the_patch() {
    let files = BTreeMap::from(
        [
            ("base/kustomization.yaml", "resources: [a.yaml]\n"),
            ("base/a.yaml", "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\nspec:\n  type: NodePort\n"),
            (
                "top/kustomization.yaml",
                "namespace: shop\nresources: [../base]\npatches:\n- patch: |\n    apiVersion: v1\n    kind: Service\n    \
                 metadata: {name: a}\n    spec:\n      type: ClusterIP\n      clusterIP: None\n",
            ),
        ]
        .map(|(path, text)| (path.to_owned(), text.to_owned())),
    );
    let gathered = gather(&Memory(&files), "top");
    let sources = gathered.sources();
    let objects = build(&Store::new(&gathered, &sources), "top")
        .unwrap()
        .unwrap();
    let printed = print::annotated(&objects[0].node, &sources);
    let expected = "apiVersion: v1  # base/a.yaml:1\nkind: Service  # base/a.yaml:2\nmetadata:\n  name: a  # base/a.yaml:4\n  \
                    namespace: shop  # top/kustomization.yaml:1\nspec:\n  clusterIP: None  # top/kustomization.yaml:10\n  \
                    type: ClusterIP  # top/kustomization.yaml:9\n";
    assert_eq!(printed, expected);
}
