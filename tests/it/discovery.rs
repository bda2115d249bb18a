//! What is discovered, against what Prometheus' own discovery answered.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use promgen::diag::Sink;
use promgen::discovery::{Attach, Discovery, Group, Labels, Query, Role};
use promgen::source::FileId;
use promgen::yaml;
use serde::Deserialize;

use crate::conformance;

#[derive(Deserialize)]
struct Set {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    role: String,
    attach_metadata: Switches,
    namespaces: Namespaces,
    own_namespace_value: Option<String>,
    groups: Vec<Source>,
    targets: Vec<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "as recorded")]
struct Switches {
    node: bool,
    namespace: bool,
    deployment: bool,
    job: bool,
    cronjob: bool,
}

#[derive(Deserialize)]
struct Namespaces {
    own_namespace: bool,
    names: Vec<String>,
}

#[derive(Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Source {
    source: String,
    target_count: usize,
}

impl Case {
    fn query(&self) -> Query {
        let mut query = Query::new(Role::parse(&self.role).unwrap());
        let own = self.own_namespace_value.clone().filter(|_| self.namespaces.own_namespace);
        query.namespaces = self.namespaces.names.iter().cloned().chain(own).collect::<BTreeSet<_>>();
        let Switches { node, namespace, deployment, job, cronjob } = self.attach_metadata;
        query.attach = Attach { node, namespace, deployment, job, cronjob };
        query
    }

    /// What differs, if anything does.
    fn difference(&self, groups: &[Group]) -> Option<String> {
        let mut sources: Vec<_> =
            groups.iter().map(|g| Source { source: g.source.clone(), target_count: g.targets.len() }).collect();
        sources.sort();
        let mut expected: Vec<_> = self.groups.iter().collect();
        expected.sort();
        if !sources.iter().eq(expected.iter().copied()) {
            return Some(format!("groups\n  {sources:?}\n  {expected:?}"));
        }
        let plain = |labels: Labels| -> BTreeMap<String, String> {
            labels.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
        };
        let mut targets: Vec<_> = groups.iter().flat_map(Group::merged).map(plain).collect();
        targets.sort();
        let mut expected = self.targets.clone();
        expected.sort();
        let (ours, theirs) = targets.iter().zip(&expected).find(|(ours, theirs)| ours != theirs)?;
        let only = |a: &BTreeMap<String, String>, b: &BTreeMap<String, String>| {
            a.iter().filter(|(k, v)| b.get(*k) != Some(v)).map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>()
        };
        Some(format!("targets\n  only ours: {:?}\n  only theirs: {:?}", only(ours, theirs), only(theirs, ours)))
    }
}

fn discovery(manifests: &str) -> Discovery {
    let mut sink = Sink::default();
    let documents = yaml::read::read(FileId(0), manifests, &mut sink);
    assert!(sink.diagnostics().is_empty(), "{:?}", sink.diagnostics());
    let discovery = Discovery::new(documents.iter().map(|document| &document.root), "default");
    assert!(discovery.refused().is_empty(), "{:?}", discovery.refused());
    discovery
}

#[test]
fn recorded_discoveries_agree_label_for_label() {
    let Some(root) = conformance::root() else { return };
    let folder = root.join("relabel/discovery");
    let mut paths: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    assert!(!paths.is_empty(), "no recorded discovery in {}", folder.display());
    let (mut n_cases, mut differences) = (0, Vec::new());
    for path in paths {
        let set: Set = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let discovery = discovery(&fs::read_to_string(path.with_extension("yaml")).unwrap());
        for (index, case) in set.cases.iter().enumerate() {
            n_cases += 1;
            if let Some(what) = case.difference(&discovery.targets(&case.query())) {
                differences.push(format!("{} {index} {}: {what}", path.display(), case.role));
            }
        }
    }
    assert!(differences.is_empty(), "{} of {n_cases} differ\n{}", differences.len(), differences.join("\n"));
}
