//! The containers of pods.

use std::collections::BTreeSet;

use super::field::PodField;
use super::volumes::{self, VolumesByName};
use super::{probes, resources, security, text};
use promgen_prometheus::labels::names::dns1123_subdomain_errors;

/// The sources of a variable: each field with those that it must have.
const SOURCES: &[(&str, &[&str])] = &[
    ("fieldRef", &["fieldPath"]),
    ("resourceFieldRef", &["resource"]),
    ("configMapKeyRef", &["name", "key"]),
    ("secretKeyRef", &["name", "key"]),
    ("fileKeyRef", &["volumeName", "path", "key"]),
];

/// The fields of a pod that variables can have.
const FIELDS: &[&str] = &[
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

/// Checks the containers of a pod, those before them, and the ports of both.
pub(super) fn check(pod: &PodField<'_, '_>, known: &VolumesByName<'_>) {
    let (mut names, mut host_ports) = (BTreeSet::new(), BTreeSet::new());
    let is_on_host = pod.get("hostNetwork").is(true);
    let containers = pod.get("containers");
    if containers.items().is_empty() {
        containers.required();
    }
    pod.each("containers", |container| {
        common(container, known, &mut names);
        probes::of_container(container);
        ports_of_host(container, is_on_host, &mut host_ports);
    });
    pod.each("initContainers", |container| {
        common(container, known, &mut names);
        // Containers that end before the next one starts may use the same port.
        ports_of_host(container, false, &mut BTreeSet::new());
        if container.get("restartPolicy").known_text() == Some("Always") {
            probes::of_container(container);
            return;
        }
        for key in [
            "lifecycle",
            "livenessProbe",
            "readinessProbe",
            "startupProbe",
        ] {
            let field = container.get(key);
            if field.value.is_some() {
                field.forbidden("may not be set for init containers without restartPolicy=Always");
            }
        }
    });
}

/// What holds for containers of both kinds.
fn common<'v>(
    container: &PodField<'v, '_>,
    known: &VolumesByName<'_>,
    names: &mut BTreeSet<&'v str>,
) {
    let of_name = container.get("name");
    match of_name.known_text() {
        Some(name) => of_name.complaints(name, text::dns_label),
        None => of_name.required(),
    }
    volumes::required(container, &["image"]);
    for (key, supported) in [
        (
            "terminationMessagePolicy",
            &["FallbackToLogsOnError", "File"][..],
        ),
        ("imagePullPolicy", &["Always", "IfNotPresent", "Never"]),
        ("restartPolicy", &["Always", "Never", "OnFailure"]),
    ] {
        container.get(key).empty_or_one_of(supported);
    }
    ports(container);
    container.each("env", variable);
    container.each("envFrom", variables);
    volumes::mounts(container, known);
    resources::check(&container.get("resources"));
    security::container(&container.get("securityContext"));
    if let Some(name) = of_name.known_text()
        && !names.insert(name)
    {
        of_name.duplicate(name);
    }
}

fn ports(container: &PodField<'_, '_>) {
    let mut names = BTreeSet::new();
    container.each("ports", |port| {
        let of_name = port.get("name");
        if let Some(name) = of_name.known_text()
            && text::port_name(name).is_empty()
            && !names.insert(name)
        {
            of_name.duplicate(name);
        }
        of_name.formed(text::port_name);
        let own = port.get("containerPort");
        match own.integer() {
            None | Some(0) => own.required(),
            Some(_) => own.port_number(),
        }
        let of_host = port.get("hostPort");
        if of_host.integer() != Some(0) {
            of_host.port_number();
        }
        port.get("protocol")
            .empty_or_one_of(&["SCTP", "TCP", "UDP"]);
    });
}

/// Checks ports of the node: each once, and those of pods in the network of the host are the ports themselves.
fn ports_of_host(container: &PodField<'_, '_>, is_on_host: bool, taken: &mut BTreeSet<String>) {
    container.each("ports", |port| {
        let (of_host, own) = (port.get("hostPort"), port.get("containerPort").integer());
        let given = of_host.integer().filter(|number| *number != 0);
        if is_on_host && given.is_some() {
            of_host.number(
                |number| Some(number) == own,
                "must match `containerPort` when `hostNetwork` is true",
            );
        }
        // Kubernetes sets the port of the host itself.
        let used = if is_on_host { given.or(own) } else { given };
        let Some(number) = used else { return };
        let key = format!(
            "{}/{}/{number}",
            port.get("protocol").known_text().unwrap_or("TCP"),
            port.get("hostIP").known_text().unwrap_or_default()
        );
        if !taken.insert(key.clone()) {
            of_host.duplicate(&key);
        }
    });
}

fn variable(variable: &PodField<'_, '_>) {
    variable.get("name").required_formed(text::variable);
    let from = variable.get("valueFrom");
    if from.is_set() {
        value_from(&from, variable.get("value").is_empty());
    }
}

/// Checks a Secret or ConfigMap whose keys become variables.
fn variables(from: &PodField<'_, '_>) {
    from.get("prefix").formed(text::variable);
    let keys = ["configMapRef", "secretRef"];
    let sources = keys.iter().map(|key| from.get(key));
    let sources: Vec<_> = sources.filter(PodField::is_set).collect();
    for source in &sources {
        let name = source.get("name");
        match name.known_text() {
            Some(text) => name.complaints(text, dns1123_subdomain_errors),
            None => name.required(),
        }
    }
    match sources.len() {
        0 => from.invalid("", "must specify one of: `configMapRef` or `secretRef`"),
        1 => {}
        _ => from.invalid("", SEVERAL),
    }
}

/// The complaint about several sources.
const SEVERAL: &str = "may not have more than one field specified at a time";

/// Returns whether a variable can have that field of the pod.
fn is_field(path: &str) -> bool {
    const OF_MAPS: [&str; 2] = ["metadata.annotations['", "metadata.labels['"];
    FIELDS.contains(&path)
        || OF_MAPS.iter().any(|map| {
            path.strip_prefix(map)
                .is_some_and(|key| key.ends_with("']"))
        })
}

fn value_from(from: &PodField<'_, '_>, has_no_value: bool) {
    let mut n_sources = 0;
    for (kind, fields) in SOURCES {
        let source = from.get(kind);
        if !source.is_set() {
            continue;
        }
        n_sources += 1;
        volumes::required(&source, fields);
        let of_path = source.get("fieldPath");
        if let Some(path) = of_path.known_text().filter(|path| !is_field(path)) {
            of_path.invalid(
                path,
                &format!("error converting fieldPath: field label not supported: {path}"),
            );
        }
        if !kind.starts_with("file") {
            source.get("key").formed(text::data_key);
        }
    }
    match n_sources {
        0 => from.invalid(
            "",
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
        ),
        _ if !has_no_value => from.invalid("", "may not be specified when `value` is not empty"),
        1 => {}
        _ => from.invalid("", SEVERAL),
    }
}
