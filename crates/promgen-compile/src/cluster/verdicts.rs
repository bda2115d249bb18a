//! Our verdicts are those of the API server.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cluster::Cluster;
use promgen_resources::document::{Document, documents};
use promgen_resources::schema::{Definitions, kinds, validate};
use promgen_testing::{needs, recorded as shared};
use promgen_text::diag::{Diagnostic, Sink};
use promgen_text::source::{FileId, Sources};
use promgen_text::version::Version;
use promgen_text::yaml::read::read as parse;

/// Families of which the API server accepted every resource.
const ACCEPTED: &[&str] = &[
    "alertmanager-generated",
    "config",
    "daemonset",
    "generated",
    "mixed",
    "rules",
    "selection",
    "statefulset",
    "status",
    "webconfig",
];

/// The release whose custom resources the API server had.
const RECORDED: Version = Version::new(0, 93, 0);

#[expect(
    clippy::disallowed_methods,
    reason = "a test over data beside the project"
)]
fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort_unstable();
    paths
}

/// The manifests of a case: `input.yaml`, or all files of `input/`.
fn manifests(case: &Path) -> Vec<PathBuf> {
    let file = case.join("input.yaml");
    if file.exists() {
        vec![file]
    } else {
        sorted(&case.join("input"))
    }
}

/// Calls `f` with every document of a case, and with what we find in it.
fn for_each_document(case: &Path, mut f: impl FnMut(&str, &Document, bool, &[Diagnostic])) {
    let mut sources = Sources::default();
    let files: Vec<FileId> = manifests(case)
        .into_iter()
        .map(|path| {
            sources.add(
                path.file_name().unwrap().to_string_lossy().into_owned(),
                read(&path),
            )
        })
        .collect();
    for file in files {
        let source = sources.file(file);
        let mut sink = Sink::default();
        let parsed = parse(file, &source.text, &mut sink);
        for document in documents(parsed, "default", &mut sink) {
            let mut sink = Sink::default();
            let fits = validate(
                &document.node,
                document.kind,
                &RECORDED,
                document.id,
                &mut sink,
            );
            f(&source.name, &document, fits, sink.diagnostics());
        }
    }
}

/// The words of the API server about a resource, as `field: message`, in order; `None` if it accepted it.
type ApiServerErrors = Option<Vec<String>>;

/// Verdicts of a case, by file (where it names one), kind, namespace, name.
fn verdicts(case: &Path) -> BTreeMap<[String; 3], ApiServerErrors> {
    let verdict: Value = serde_json::from_str(&read(&case.join("verdict.json"))).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let resources = verdict.as_array().unwrap().iter();
    resources
        .map(|resource| {
            let key = [
                text(&resource["kind"]),
                text(&resource["namespace"]),
                text(&resource["name"]),
            ];
            let causes = resource["causes"]
                .as_array()
                .map(Vec::as_slice)
                .unwrap_or_default();
            let mut causes: Vec<String> = causes
                .iter()
                .filter(|cause| cause["field"] != "<nil>")
                .map(|cause| format!("{}: {}", text(&cause["field"]), text(&cause["message"])))
                .collect();
            causes.sort_unstable();
            (key, (resource["accepted"] != true).then_some(causes))
        })
        .collect()
}

/// The findings in the words of the API server. What an uncovered zone means, beside its words, is for people.
fn worded(found: &[Diagnostic]) -> Vec<String> {
    let api_server = found
        .iter()
        .filter(|diagnostic| diagnostic.rule.name != "uncovered-zone");
    let mut words: Vec<String> = api_server
        .map(|diagnostic| diagnostic.message.clone())
        .collect();
    words.sort_unstable();
    words
}

#[needs(recordings)]
#[test]
fn what_the_api_server_refuses_is_refused_in_its_words() {
    let (mut agree, mut untyped, mut faults) = (0, 0, Vec::new());
    for family in ["conformance/admission", "conformance/wild"] {
        let folder = shared(family);
        for case in sorted(&folder)
            .into_iter()
            .filter(|case| case.join("verdict.json").exists())
        {
            let verdicts = verdicts(&case);
            for_each_document(&case, |_, document, fits, found| {
                let key = [document.kind.as_str(), &document.namespace, &document.name]
                    .map(str::to_owned);
                let Some(verdict) = verdicts.get(&key) else {
                    return;
                };
                if kinds().all(|kind| kind != document.kind) && verdict.is_some() {
                    untyped += 1;
                    return;
                }
                let ours = (!fits).then(|| worded(found));
                // The API server names no cause where it knows no such namespace.
                let same = ours == *verdict
                    || verdict.as_ref().is_some_and(Vec::is_empty) && ours.is_some();
                if same {
                    agree += 1;
                } else {
                    faults.push(format!(
                        "{}: {key:?}: ours {ours:?}, the API server's {verdict:?}",
                        case.display()
                    ));
                }
            });
        }
    }
    assert!(
        agree > 300 && untyped < 20,
        "{agree} verdicts agree, {untyped} refusals are of kinds without types"
    );
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Cases with lists that hold an item twice, which the schema refuses and the recording does not. The list may only shrink.
const GAPS: [&str; 3] = ["am2-13-0124", "am2-13-0383", "am2-13-0490"];

#[needs(recordings)]
#[test]
fn what_the_api_server_accepts_is_accepted_and_read() {
    let folder = shared("conformance");
    let (mut n_documents, mut faults, mut gaps) = (0, Vec::new(), BTreeSet::new());
    let cases = ACCEPTED
        .iter()
        .flat_map(|family| sorted(&folder.join(family)));
    for case in cases.filter(|case| case.is_dir()) {
        for_each_document(&case, |_, document, _, found| {
            n_documents += 1;
            let name = case
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if !found.is_empty() && GAPS.contains(&&*name) {
                gaps.insert(name);
                return;
            }
            if !found.is_empty() {
                faults.push(format!(
                    "{}: {}: {:?}",
                    case.display(),
                    document.resource(),
                    worded(found)
                ));
            }
            let mut sink = Sink::default();
            let cluster = Cluster::load(
                std::slice::from_ref(document),
                &RECORDED,
                &Definitions::default(),
                &mut sink,
            );
            if cluster == Cluster::default() {
                faults.push(format!(
                    "{}: {}: not read: {:?}",
                    case.display(),
                    document.resource(),
                    sink.diagnostics()
                ));
            }
        });
    }
    assert!(n_documents > 5_000, "{n_documents} documents");
    assert_eq!(
        gaps.len(),
        GAPS.len(),
        "some case is accepted now: take it off the list"
    );
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        faults.join("\n")
    );
}
