//! A project that is read after another one is the project that is read alone.

use std::fs;
use std::sync::Arc;

use crate::support::{root, swept};
use promgen::{Assume, Input, Options, Project};
use promgen_resources::gates::Target;
use promgen_resources::release;
use promgen_text::version::Version;

/// The inputs of some fixtures, and of the first one with one character less, one more, and one file less.
fn folders() -> Vec<Vec<Input>> {
    let mut folders: Vec<_> = fs::read_dir(root().join("fixtures"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort_unstable();
    let inputs = |folder: &std::path::PathBuf| {
        let mut files: Vec<_> = fs::read_dir(folder.join("input"))
            .ok()?
            .map(|entry| entry.unwrap().path())
            .collect();
        files.retain(|file| {
            file.extension()
                .is_some_and(|extension| extension == "yaml")
        });
        files.sort_unstable();
        let input =
            |file: &std::path::PathBuf| Input::new(file.to_string_lossy(), fs::read(file).unwrap());
        Some(files.iter().map(input).collect::<Vec<_>>())
    };
    folders
        .iter()
        .filter_map(inputs)
        .filter(|inputs| inputs.len() > 1)
        .collect()
}

/// What lint finds, and what is compiled.
fn answers(project: &std::sync::Arc<Project>) -> (String, String) {
    let lint = promgen::lint(project);
    let span = |span: promgen_text::source::Span| {
        (
            lint.sources.file(span.file).name.as_str(),
            span.start,
            span.end,
        )
    };
    let place =
        |d: &promgen::Diagnostic| format!("{:?} {} {}", d.span.map(span), d.rule.code, d.message);
    let found = lint
        .diagnostics
        .iter()
        .map(place)
        .collect::<Vec<_>>()
        .join("\n");
    (found, project.model().into_output().to_yaml())
}

#[test]
fn what_was_read_before_changes_nothing() {
    let options = Options {
        is_repository: true,
        ..Options::default()
    };
    let mut project = Project::read(&[], &options);
    for inputs in swept(0, folders().into_iter().take(40)) {
        let mut edited = inputs.clone();
        edited[0].bytes = inputs[0].bytes[..inputs[0].bytes.len() - 1].into();
        let mut longer = inputs.clone();
        longer[1].bytes = [&*inputs[1].bytes, b"\n---\n- nothing\n"].concat().into();
        let shorter = inputs[1..].to_vec();
        for inputs in [&inputs, &edited, &inputs, &longer, &shorter, &inputs] {
            project = project.with(inputs, &options);
            assert!(
                answers(&project) == answers(&Project::read(inputs, &options)),
                "{}",
                inputs[0].name
            );
        }
    }
}

#[test]
fn files_that_come_and_go_leave_the_others_as_they_were_read() {
    let service = |name: &str| {
        Input::new(
            format!("{name}.yaml"),
            format!("{{apiVersion: v1, kind: Service, metadata: {{name: {name}}}}}"),
        )
    };
    let read = |project: &Arc<Project>, name: &str| {
        let is_asked = |document: &&promgen_text::yaml::read::ParsedDocument| {
            project.sources().file(document.span.file).name == format!("{name}.yaml")
        };
        project.environments()[0]
            .documents
            .iter()
            .find(is_asked)
            .unwrap()
            .root
            .clone()
    };
    let options = Options::default();
    let first = Project::read(&["b", "d"].map(service), &options);
    let more = first.with(&["a", "b", "c", "d", "e"].map(service), &options);
    let fewer = more.with(&["d"].map(service), &options);
    assert!(read(&first, "b").is_same(&read(&more, "b")));
    assert!(
        [&more, &fewer]
            .iter()
            .all(|project| read(&first, "d").is_same(&read(project, "d")))
    );
}

/// Other releases, versions, namespaces and assumptions: what a document gives depends on them.
fn all_options() -> Vec<Options> {
    let versions = |operator: &str, prometheus: &str| Target {
        operator: release::parse(operator).ok(),
        prometheus: Version::parse(prometheus),
        ..Target::default()
    };
    let repository = || Options {
        is_repository: true,
        ..Options::default()
    };
    vec![
        repository(),
        Options {
            target: versions("v0.80.0", "v2.40.0"),
            ..repository()
        },
        Options {
            namespace: "elsewhere".to_owned(),
            ..repository()
        },
        Options {
            target: versions("v0.86.1", "v3.5.0"),
            assume: Assume::Missing,
            ..repository()
        },
        Options {
            reveal_secrets: true,
            operator_only: true,
            ..repository()
        },
    ]
}

#[test]
fn what_was_derived_for_other_options_changes_nothing() {
    let all = all_options();
    for inputs in swept(2, folders()) {
        let mut project = Project::read(&inputs, &all[0]);
        for options in all.iter().chain(&all) {
            project = project.with(&inputs, options);
            assert!(
                answers(&project) == answers(&Project::read(&inputs, options)),
                "{}",
                inputs[0].name
            );
        }
    }
}

/// A Prometheus with what it reads, and one that reads nothing.
const FLEET: [(&str, &str); 6] = [
    (
        "prometheus.yaml",
        "{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: main, namespace: a}, \
         spec: {podMonitorSelector: {}, podMonitorNamespaceSelector: {matchLabels: {team: x}}, ruleSelector: {}}}",
    ),
    (
        "monitor.yaml",
        "{apiVersion: monitoring.coreos.com/v1, kind: PodMonitor, metadata: {name: app, namespace: b}, \
         spec: {selector: {matchLabels: {app: app}}, podMetricsEndpoints: [{port: web, \
         authorization: {credentials: {name: token, key: token}}}]}}",
    ),
    (
        "namespace.yaml",
        "{apiVersion: v1, kind: Namespace, metadata: {name: b, labels: {team: x}}}",
    ),
    (
        "token.yaml",
        "{apiVersion: v1, kind: Secret, metadata: {name: token, namespace: b}, stringData: {token: first}}",
    ),
    (
        "other.yaml",
        "{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: other, namespace: c}, spec: {}}",
    ),
    (
        "application.yaml",
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: app, namespace: b}}",
    ),
];

/// The fleet with other texts of some files.
fn fleet(changes: &[(&str, &str)]) -> Vec<Input> {
    let text = |name: &str, text: &'static str| {
        let changed = changes.iter().find(|(changed, _)| *changed == name);
        changed.map_or_else(|| text.to_owned(), |(_, text)| (*text).to_owned())
    };
    FLEET
        .iter()
        .map(|(name, written)| Input::new(*name, text(name, written).into_bytes()))
        .collect()
}

/// The names of the workloads that are compiled again after a change, and not taken from before.
fn compiled_again(changes: &[(&str, &str)]) -> Vec<String> {
    let options = Options {
        assume: Assume::Missing,
        ..Options::default()
    };
    // The first project that follows another one keeps what it compiles.
    let project = Project::read(&[], &options).with(&fleet(&[]), &options);
    let before = project.model().into_output();
    let changed = project.with(&fleet(changes), &options);
    let after = changed.model().into_output();
    assert_eq!(
        after.to_yaml(),
        Project::read(&fleet(changes), &options)
            .model()
            .into_output()
            .to_yaml()
    );
    let is_new = |new: &&Arc<promgen_compile::output::Workload>| {
        !before.workloads.iter().any(|old| Arc::ptr_eq(old, new))
    };
    after
        .workloads
        .iter()
        .filter(is_new)
        .map(|workload| workload.id.name.clone())
        .collect()
}

#[test]
fn a_workload_is_compiled_again_when_it_reads_something_else() {
    let nothing: [&str; 0] = [];
    assert_eq!(compiled_again(&[]), nothing);
    let application = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: app, namespace: b, labels: {a: b}}}";
    assert_eq!(
        compiled_again(&[("application.yaml", application)]),
        nothing
    );
    let changes = [
        ("monitor.yaml", FLEET[1].1.replace("port: web", "port: metrics")),
        ("namespace.yaml", FLEET[2].1.replace("team: x", "team: z")),
        ("token.yaml", FLEET[3].1.replace("first", "second")),
        ("token.yaml", FLEET[3].1.replace("name: token", "name: nothing")),
        // A resource that it selects, an object that it had not found, and the state of its pods.
        ("application.yaml", FLEET[1].1.replace("name: app", "name: another")),
        (
            "application.yaml",
            "{apiVersion: v1, kind: Pod, metadata: {name: main-0, namespace: a, uid: x}, status: {phase: Failed}}"
                .into(),
        ),
        ("prometheus.yaml", FLEET[0].1.replace("ruleSelector: {}", "shards: 2")),
    ];
    for (file, text) in changes {
        assert_eq!(compiled_again(&[(file, &text)]), ["main"], "{file}: {text}");
    }
    // Documents that come and go leave those of later files what they are.
    let more = format!(
        "{{apiVersion: v1, kind: Namespace, metadata: {{name: first}}}}\n---\n{}",
        FLEET[2].1
    );
    assert_eq!(compiled_again(&[("namespace.yaml", &more)]), nothing);
    assert_eq!(compiled_again(&[("prometheus.yaml", FLEET[2].1)]), nothing);
    assert_eq!(compiled_again(&[("prometheus.yaml", "")]), nothing);
    assert_eq!(
        compiled_again(&[(
            "other.yaml",
            &FLEET[4].1.replace("spec: {}", "spec: {shards: 2}")
        )]),
        ["other"]
    );
}
