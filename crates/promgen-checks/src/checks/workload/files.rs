//! Files that a configuration names and that no volume of the pods has.

use std::collections::{BTreeMap, BTreeSet};

use crate::checks::routing;
use promgen_compile::output::{Workload, WorkloadKind};
use promgen_model::model::World;
use promgen_model::scraping::needs::ScrapingServer;
use promgen_resources::api::Kind;
use promgen_resources::document::{self, Document};
use promgen_text::CollectOrdered;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::{At, Path, Segment};
use promgen_text::yaml::{Data, Node, Value};

rules! {
    /// ## What it does
    /// Finds files that a monitor or workload names (`caFile`, `certFile`, `keyFile`, `credentialsFile`, …) below no path that
    /// the container of the workload mounts, and those that a configuration of Alertmanager or a job in a Secret names. Of a
    /// Secret, it prints no path.
    ///
    /// ## Why is this bad?
    /// The program does not find the file: scrapes or remote writes fail, or the pod does not start. Secrets are below
    /// `/etc/prometheus/secrets/NAME` only if `spec.secrets` of the workload lists them.
    ///
    /// False positives: an image of your own may have the file.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main}
    /// spec:
    ///   remoteWrite:
    ///   - url: https://metrics.example.org/write
    ///     tlsConfig: {caFile: /etc/prometheus/secrets/corporate-ca/ca.crt}
    /// ```
    /// Use instead: a Secret that the workload mounts.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main}
    /// spec:
    ///   secrets: [corporate-ca]
    ///   remoteWrite:
    ///   - url: https://metrics.example.org/write
    ///     tlsConfig: {caFile: /etc/prometheus/secrets/corporate-ca/ca.crt}
    /// ```
    UNMOUNTED_FILE = "PG521" "unmounted-file" Warning: "a file that nothing mounts into the pods";
}

/// Fields whose text is the path of a file in the container.
const FIELDS: &[&str] = &[
    "caFile",
    "certFile",
    "keyFile",
    "bearerTokenFile",
    "credentialsFile",
    "objectStorageConfigFile",
    "tracingConfigFile",
    "alertRelabelConfigFile",
];

/// The field with the discoveries that read targets from files.
const FILES_OF_TARGETS: &str = "fileSDConfigs";

/// Folders that images of the programs and the kubelet fill.
const FILLED: &[&str] = &[
    "/etc/ssl/",
    "/etc/pki/",
    "/usr/",
    "/var/run/secrets/",
    "/run/secrets/",
    "/proc/",
    "/sys/",
    "/dev/",
];

/// Checks every workload and what it selects.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    let documents: BTreeMap<(Kind, String), &Document> = model
        .documents()
        .iter()
        .map(|document| {
            (
                (
                    document.kind,
                    format!("{}/{}", document.namespace, document.name),
                ),
                document,
            )
        })
        .collect_map();
    for workload in model
        .workloads
        .iter()
        .filter(|workload| !workload.is_stand_in)
    {
        let Some(of_program) = mounts(workload, container_of(workload.id.kind)) else {
            continue;
        };
        // It mounts other volumes than Prometheus, beside it.
        let of_sidecar = mounts(workload, "thanos-sidecar");
        let (id, mut seen) = (&workload.id, BTreeSet::new());
        let own = id.kind.resource().map(|kind| (kind, id.key()));
        let accepted = workload.selected.accepted();
        let selected =
            accepted.filter_map(|(kind, resource)| Some((Kind::named(kind)?, resource.key())));
        in_alertmanager(workload, &of_program, sink);
        in_jobs(model, workload, &of_program, sink);
        for key in own.into_iter().chain(selected) {
            let Some(document) = documents
                .get(&key)
                .filter(|document| seen.insert(document.id))
            else {
                continue;
            };
            let Some(spec) = document.node.get("spec") else {
                continue;
            };
            let Some(document) = document::find(model.documents(), document.id) else {
                continue;
            };
            files(spec, &Path::root().key("spec"), &mut |at, path| {
                let (name, route) = (id.what(), at.to_route());
                let is_of_sidecar = id.kind == WorkloadKind::Prometheus
                    && route.0.get(1) == Some(&Segment::Key("thanos".into()));
                let (found, whose) = match &of_sidecar {
                    Some(of_sidecar) if is_of_sidecar => (
                        missing_of_sidecar(path, of_sidecar),
                        format!("the Thanos sidecar of {name}"),
                    ),
                    _ => (
                        missing(path, &of_program, id.kind),
                        format!("the pods of {name}"),
                    ),
                };
                if let Some(help) = found {
                    let message = format!("no volume is mounted at `{path}` in {whose}");
                    sink.report(
                        Diagnostic::new(
                            &UNMOUNTED_FILE,
                            At {
                                doc: document.id,
                                route,
                            },
                            message,
                        )
                        .help(help),
                    );
                }
            });
        }
    }
}

/// The files that the configuration of an Alertmanager names.
fn in_alertmanager(workload: &Workload, mounts: &[String], sink: &mut Sink) {
    let (id, tree) = (&workload.id, workload.routing.iter());
    for file in tree
        .flat_map(|tree| &tree.files)
        .filter(|file| !has(&file.path, mounts))
    {
        let path = if file.source.is_secret {
            String::new()
        } else {
            format!(" `{}`", file.path)
        };
        let field = file.field;
        let message = format!(
            "`{field}` names a file{path} where no volume is mounted in the pods of Alertmanager {}/{}",
            id.namespace, id.name
        );
        let finding = routing::finding(&UNMOUNTED_FILE, &file.source, |at| at, message);
        let help = format!("the pods mount volumes at {}", mounts.join(", "));
        finding
            .into_iter()
            .for_each(|finding| sink.report(finding.help(help.clone())));
    }
}

/// The files that jobs of a Secret name.
fn in_jobs(model: &World<'_>, workload: &Workload, mounts: &[String], sink: &mut Sink) {
    let Some(scraper) = ScrapingServer::of(model, workload) else {
        return;
    };
    let Some(secret) = scraper.secret_jobs() else {
        return;
    };
    for (index, job) in &secret.jobs {
        let mut fields = BTreeSet::new();
        job.section
            .iter()
            .for_each(|(key, value)| unmounted(key, value, mounts, &mut fields));
        if !fields.is_empty() {
            let (who, fields) = (
                secret.name(*index, job),
                Vec::from_iter(fields).join("`, `"),
            );
            let message = format!(
                "{who} names a file where no volume is mounted in the pods of {}: `{fields}`",
                scraper.what()
            );
            let help = format!("the pods mount volumes at {}", mounts.join(", "));
            sink.report(
                Diagnostic::new(&UNMOUNTED_FILE, secret.reference.clone(), message).help(help),
            );
        }
    }
}

/// The fields of a job that Prometheus reads files of.
const FIELDS_OF_JOBS: [&str; 8] = [
    "bearer_token_file",
    "ca_file",
    "cert_file",
    "client_secret_file",
    "credentials_file",
    "files",
    "key_file",
    "password_file",
];

/// The fields below a key of a job that name a file which nothing mounts.
fn unmounted(key: &str, value: &Value, mounts: &[String], found: &mut BTreeSet<&'static str>) {
    match value {
        Value::Map(map) => map
            .iter()
            .for_each(|(key, value)| unmounted(key, value, mounts, found)),
        Value::Seq(items) => items
            .iter()
            .for_each(|item| unmounted(key, item, mounts, found)),
        _ => {
            let is_missing = value
                .as_str()
                .is_some_and(|path| path.starts_with('/') && !has(path, mounts));
            found.extend(
                FIELDS_OF_JOBS
                    .into_iter()
                    .filter(|field| is_missing && *field == key),
            );
        }
    }
}

/// The name of the container that runs the program of a workload.
const fn container_of(kind: WorkloadKind) -> &'static str {
    match kind {
        WorkloadKind::Prometheus | WorkloadKind::PrometheusAgent => "prometheus",
        WorkloadKind::Alertmanager => "alertmanager",
        WorkloadKind::ThanosRuler => "thanos-ruler",
    }
}

/// The folders and files that a container of a workload mounts. `None` if there is none, or if somebody else makes the pods.
fn mounts(workload: &Workload, name: &str) -> Option<Vec<String>> {
    let value = workload.sets().next()?.value();
    let containers = value
        .get("spec")?
        .get("template")?
        .get("spec")?
        .get("containers")?
        .as_seq()?;
    let container = containers
        .iter()
        .find(|container| container.text_of("name") == Some(name))?;
    let mounts = container.items_of("volumeMounts").iter();
    Some(
        mounts
            .filter_map(|mount| mount.get("mountPath")?.as_str())
            .map(str::to_owned)
            .collect(),
    )
}

/// Calls the function with each path of a file, and where it stands.
fn files(node: &Node, at: &Path<'_>, look: &mut dyn FnMut(&Path<'_>, &str)) {
    match &node.data {
        Data::Map(_) => {
            for entry in node.entries() {
                let key = entry.key.as_str();
                let at = at.key(key);
                match entry.value.as_str() {
                    Some(path) if FIELDS.contains(&key) && path.starts_with('/') => look(&at, path),
                    None if key == FILES_OF_TARGETS => files_of_targets(&entry.value, &at, look),
                    _ => files(&entry.value, &at, look),
                }
            }
        }
        Data::Seq(items) => {
            for (index, item) in items.iter().enumerate() {
                files(item, &at.index(index), look);
            }
        }
        _ => {}
    }
}

/// Calls the function with each file that targets are read from.
fn files_of_targets(node: &Node, at: &Path<'_>, look: &mut dyn FnMut(&Path<'_>, &str)) {
    for (index, discovery) in node.items().iter().enumerate() {
        let at = at.index(index);
        let at = at.key("files");
        let paths = discovery.items_of("files");
        for (index, path) in paths
            .iter()
            .enumerate()
            .filter_map(|(index, path)| Some((index, path.as_str()?)))
        {
            if path.starts_with('/') {
                look(&at.index(index), path);
            }
        }
    }
}

/// Returns whether a container has a file.
fn has(path: &str, mounts: &[String]) -> bool {
    let is_below = |mount: &String| {
        let folder = mount.trim_end_matches('/');
        path.strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    mounts.iter().any(is_below) || FILLED.iter().any(|folder| path.starts_with(folder))
}

/// The way to mount a file of the Thanos sidecar that nothing mounts there.
fn missing_of_sidecar(path: &str, mounts: &[String]) -> Option<String> {
    let help = "mount it with `spec.volumes` and `spec.thanos.volumeMounts`: `spec.secrets` and `spec.configMaps` are for Prometheus alone";
    (!has(path, mounts)).then(|| help.to_owned())
}

/// The way to mount a file that nothing mounts.
fn missing(path: &str, mounts: &[String], kind: WorkloadKind) -> Option<String> {
    if has(path, mounts) {
        return None;
    }
    let root = match kind {
        WorkloadKind::Prometheus | WorkloadKind::PrometheusAgent => "/etc/prometheus/",
        WorkloadKind::Alertmanager => "/etc/alertmanager/",
        WorkloadKind::ThanosRuler => "/etc/thanos/",
    };
    for (folder, field) in [("secrets/", "secrets"), ("configmaps/", "configMaps")] {
        let name = path
            .strip_prefix(root)
            .and_then(|rest| rest.strip_prefix(folder))
            .and_then(|rest| rest.split('/').next());
        if let Some(name) = name {
            return Some(format!("add {name} to `spec.{field}` of the workload"));
        }
    }
    Some("mount it with `volumes` and `volumeMounts`, or refer to a Secret or ConfigMap instead of a file".to_owned())
}
