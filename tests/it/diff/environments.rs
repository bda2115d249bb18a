//! `promgen diff` of projects: several environments, and resources that no workload selects.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use promgen::compare::environments::{Compared, EnvironmentFilter, projects};
use promgen::{Input, Options, Project};
use promgen_answers::diff::WorkloadChanges;
use promgen_answers::diff::value::Change;
use promgen_compile::output::{Emission, Part};
use promgen_testing::needs;
use rayon::prelude::*;

use super::{cases, inputs, tree};
use crate::support::{root, sweep_step, swept};

/// The number of pairs.
const N_PAIRS: usize = 100;

fn compared(base: &[Input], head: &[Input], asked: &EnvironmentFilter) -> Compared {
    let read = |inputs| Project::read_side(inputs, &Options::default());
    projects(&read(base), &read(head), asked, &|_, _| ()).unwrap()
}

fn recorded_cases() -> Vec<PathBuf> {
    let recorded = crate::conformance::root();
    let of_family = |family| {
        cases(&recorded.join(family))
            .into_iter()
            .step_by(7)
            .take(12)
    };
    ["mixed", "selection", "rules", "statefulset"]
        .into_iter()
        .flat_map(of_family)
        .collect()
}

/// The files of a case in a folder.
fn below(folder: &str, case: &[Input]) -> Vec<Input> {
    case.iter()
        .map(|input| Input {
            name: format!("{folder}/{}", input.name),
            ..input.clone()
        })
        .collect()
}

/// The tree of each environment, by its folders.
fn trees(inputs: &[Input]) -> BTreeMap<Vec<String>, BTreeMap<String, Vec<u8>>> {
    let project = Project::read_side(inputs, &Options::default());
    let of = |environment| tree(&project.compile(environment).into_output());
    project
        .environments()
        .iter()
        .map(|environment| (environment.folders.clone(), of(environment)))
        .collect()
}

fn check_counterparts(cases: &[PathBuf]) {
    let read: Vec<Vec<Input>> = cases.iter().map(|case| inputs(case)).collect();
    let pairs: Vec<usize> = (0..read.len() - 2).take(N_PAIRS).collect();
    let faults: Vec<String> = pairs
        .into_par_iter()
        .flat_map(|n| {
            let side = |one: usize, two: usize| {
                [below("envs/one", &read[one]), below("envs/two", &read[two])].concat()
            };
            let base = side(n, n + 1);
            let mut faults = Vec::new();
            for (what, head) in [
                ("itself", side(n, n + 1)),
                ("two", side(n, n + 2)),
                ("one", side(n + 2, n + 1)),
            ] {
                let (old, new) = (trees(&base), trees(&head));
                // Where other folders share an environment, each is compared as a whole: their trees have no counterpart.
                if old.keys().collect::<Vec<_>>() != new.keys().collect::<Vec<_>>() {
                    continue;
                }
                let Compared { changes, .. } =
                    compared(&base, &head, &EnvironmentFilter::default());
                let kept = changes
                    .workloads
                    .iter()
                    .any(|workload| workload.kept.is_some());
                let says = !changes.files.is_empty();
                if says != (old != new) && !kept {
                    faults.push(format!("{}: against {what}: {says}", cases[n].display()));
                }
            }
            faults
        })
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn every_environment_is_compared_with_its_counterpart() {
    check_counterparts(&swept(1, cases(&root().join("fixtures"))));
}

#[needs(recordings)]
#[test]
fn every_recorded_environment_is_compared_with_its_counterpart() {
    check_counterparts(&recorded_cases());
}

/// A document of a workload.
fn is_workload(document: &str) -> bool {
    [
        "Prometheus",
        "PrometheusAgent",
        "Alertmanager",
        "ThanosRuler",
    ]
    .iter()
    .any(|kind| {
        document
            .lines()
            .any(|line| line.trim_end() == format!("kind: {kind}"))
    })
}

/// The inputs without workloads.
fn without_workloads(inputs: &[Input]) -> Vec<Input> {
    let strip = |input: &Input| {
        let text = String::from_utf8_lossy(&input.bytes).into_owned();
        let kept: Vec<&str> = text
            .split("\n---")
            .filter(|document| !is_workload(document))
            .collect();
        Input {
            bytes: kept.join("\n---").into_bytes().into(),
            ..input.clone()
        }
    };
    inputs.iter().map(strip).collect()
}

const DEFAULTS: &str = "
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: any, namespace: any}
spec:
  serviceMonitorSelector: {}
  serviceMonitorNamespaceSelector: {}
  podMonitorSelector: {}
  podMonitorNamespaceSelector: {}
  probeSelector: {}
  probeNamespaceSelector: {}
  scrapeConfigSelector: {}
  scrapeConfigNamespaceSelector: {}
  ruleSelector: {}
  ruleNamespaceSelector: {}
---
apiVersion: monitoring.coreos.com/v1
kind: Alertmanager
metadata: {name: any, namespace: any}
spec:
  alertmanagerConfigSelector: {}
  alertmanagerConfigNamespaceSelector: {}
";

/// The configurations and rule files of workloads that select everything.
fn configurations(inputs: &[Input]) -> BTreeMap<String, Vec<u8>> {
    let mut inputs = inputs.to_vec();
    inputs.push(Input::new(
        "defaults.yaml".to_owned(),
        DEFAULTS.as_bytes().to_vec(),
    ));
    let output = Project::read_side(&inputs, &Options::default())
        .model()
        .into_output();
    let emission = Emission {
        parts: BTreeSet::from([Part::Raw]),
        ..promgen_answers::diff::files::emission()
    };
    let files = output.files(&emission).into_iter().map(|file| {
        let mut bytes = Vec::new();
        file.write(&mut bytes).unwrap();
        (file.path.clone(), bytes)
    });
    files.collect()
}

/// Returns whether there is one environment at most, and no workload in it: lists may have some still. A scrape class
/// may be one of the workload that is elsewhere, but not one of a workload with defaults.
fn has_no_workload(inputs: &[Input]) -> bool {
    if inputs
        .iter()
        .any(|input| String::from_utf8_lossy(&input.bytes).contains("scrapeClass:"))
    {
        return false;
    }
    let project = Project::read_side(inputs, &Options::default());
    let output = project.model().into_output();
    project.environments().len() <= 1 && output.workloads.is_empty() && output.refused.is_empty()
}

/// Compares each case with the next one; how many pairs differ.
fn check_without_workloads(cases: &[PathBuf]) -> usize {
    let read: Vec<Vec<Input>> = cases
        .iter()
        .map(|case| without_workloads(&inputs(case)))
        .collect();
    let (n_differing, faults) = swept(1, 0..read.len() - 1)
        .into_par_iter()
        .filter(|n| {
            [&read[*n], &read[*n + 1]]
                .iter()
                .all(|inputs| has_no_workload(inputs))
        })
        .map(|n| {
            let (base, head) = (&read[n], &read[n + 1]);
            let differs = configurations(base) != configurations(head);
            let Compared { changes, .. } = compared(base, head, &EnvironmentFilter::default());
            let says_so = |workload: &WorkloadChanges| {
                !workload.jobs.is_empty()
                    || !workload.rules.is_empty()
                    || !workload.settings.is_empty()
            };
            let says = changes.workloads.iter().any(says_so);
            let fault = (differs != says)
                .then(|| format!("{}: differs: {differs}, says: {says}", cases[n].display()));
            (usize::from(differs), fault.into_iter().collect::<Vec<_>>())
        })
        .reduce(|| (0, Vec::new()), |a, b| (a.0 + b.0, [a.1, b.1].concat()));
    assert!(faults.is_empty(), "{faults:#?}");
    n_differing
}

#[test]
fn resources_without_a_workload_are_compared_as_one_with_defaults_uses_them() {
    let n_differing = check_without_workloads(&cases(&root().join("fixtures")));
    assert!(n_differing * sweep_step() > 20, "{n_differing}");
}

#[needs(recordings)]
#[test]
fn recorded_resources_without_a_workload_are_compared_as_one_with_defaults_uses_them() {
    let n_differing = check_without_workloads(&recorded_cases());
    assert!(n_differing * sweep_step() > 10, "{n_differing}");
}

fn kustomized(folder: &str, retention: &str) -> Vec<Input> {
    let kustomization = format!(
        "resources: [../../base]\npatches:\n- target: {{kind: Prometheus}}\n  patch: |-\n    - {{op: add, path: /spec/retention, value: {retention}}}\n"
    );
    vec![Input::new(
        format!("overlays/{folder}/kustomization.yaml"),
        kustomization.into_bytes(),
    )]
}

fn base() -> Vec<Input> {
    let manifest = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: main, namespace: shop}\nspec: {}\n";
    vec![
        Input::new(
            "base/kustomization.yaml".to_owned(),
            b"resources: [r.yaml]\n".to_vec(),
        ),
        Input::new("base/r.yaml".to_owned(), manifest.as_bytes().to_vec()),
    ]
}

#[test]
fn environments_that_one_side_lacks_are_named() {
    let old = [
        base(),
        kustomized("prod", "5d"),
        kustomized("staging", "1d"),
    ]
    .concat();
    let new = [
        base(),
        kustomized("dev", "2h"),
        kustomized("prod", "5d"),
        kustomized("staging", "1d"),
    ]
    .concat();
    for (old, new, change) in [(&old, &new, Change::Added), (&new, &old, Change::Removed)] {
        let changes = compared(old, new, &EnvironmentFilter::default()).changes;
        let environments: Vec<_> = changes
            .environments
            .iter()
            .map(|of| (of.environment.as_str(), of.change))
            .collect();
        assert_eq!(environments, [("overlays/dev", change)]);
        let workloads: Vec<_> = changes
            .workloads
            .iter()
            .map(|of| (of.environment.as_deref(), of.change))
            .collect();
        assert_eq!(workloads, [(Some("overlays/dev"), change)]);
    }
}

#[test]
fn environments_can_be_chosen() {
    let old = [
        base(),
        kustomized("prod", "5d"),
        kustomized("staging", "1d"),
    ]
    .concat();
    let new = [
        base(),
        kustomized("prod", "6d"),
        kustomized("staging", "2d"),
    ]
    .concat();
    let asked = |name: &str| EnvironmentFilter {
        environments: vec![name.to_owned()],
        ..EnvironmentFilter::default()
    };
    for name in ["prod", "overlays/prod", "overlays/prod/"] {
        let changes = compared(&old, &new, &asked(name)).changes;
        let environments: Vec<_> = changes
            .workloads
            .iter()
            .map(|of| of.environment.as_deref())
            .collect();
        assert_eq!(environments, [Some("overlays/prod")]);
    }
    let read = |inputs| Project::read_side(inputs, &Options::default());
    let wrong = projects(&read(&old), &read(&new), &asked("pord"), &|_, _| ()).unwrap_err();
    assert!(
        wrong.contains("no environment `pord`") && wrong.contains("overlays/staging"),
        "{wrong}"
    );
}

#[test]
fn what_is_only_written_in_another_way_is_named() {
    let with = |name: &str| {
        let text = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitors\nmetadata: {{name: a, namespace: b}}\nspec: {{jobLabel: {name}}}\n"
        );
        vec![Input::new("m.yaml".to_owned(), text.into_bytes())]
    };
    let changes = compared(&with("y"), &with("z"), &EnvironmentFilter::default()).changes;
    assert!(changes.is_empty());
    let named: Vec<&str> = changes
        .only_written
        .items
        .iter()
        .map(|of| of.resource.as_str())
        .collect();
    assert_eq!(named, ["ServiceMonitors/b/a"]);
}

#[test]
fn what_does_not_parse_is_not_equal() {
    let broken = || {
        vec![Input::new(
            "m.yaml".to_owned(),
            b"a: [\napiVersion: monitoring.coreos.com/v1\n".to_vec(),
        )]
    };
    let compared = compared(&broken(), &broken(), &EnvironmentFilter::default());
    assert!(
        compared
            .not_compared
            .iter()
            .any(|what| what.contains("m.yaml")),
        "{:?}",
        compared.not_compared
    );
    let none = vec![Input::new(
        "m.yaml".to_owned(),
        b"kind: ConfigMap\n".to_vec(),
    )];
    let compared = self::compared(&none, &none, &EnvironmentFilter::default());
    assert_eq!(
        compared.not_compared,
        ["neither side has a resource of the operator"]
    );
}
