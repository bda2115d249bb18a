//! The containers of pods.

use std::collections::BTreeSet;

use super::probes;
use super::resources;
use super::security;
use super::volumes::{self, VolumesByName};
use super::{PodFaults, integer, is_empty, items, known_text, text};
use promgen_prometheus::labels::names::dns1123_subdomain_errors;
use promgen_text::route::Path;
use promgen_text::yaml::Value;

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
pub(super) fn check(pod: &Value, known: &VolumesByName<'_>, at: &Path<'_>, out: &mut PodFaults) {
    let mut names = BTreeSet::new();
    let is_on_host = pod.get("hostNetwork") == Some(&Value::Bool(true));
    let mut host_ports = BTreeSet::new();
    if items(pod.get("containers")).is_empty() {
        out.required(&at.key("containers"), "");
    }
    for (index, container) in items(pod.get("containers")).iter().enumerate() {
        let at = at.key("containers");
        let at = at.index(index);
        common(container, known, &at, out);
        named_once(container, &mut names, &at, out);
        probes::of_container(container, &at, out);
        ports_of_host(container, is_on_host, &mut host_ports, (&at, out));
    }
    for (index, container) in items(pod.get("initContainers")).iter().enumerate() {
        let at = at.key("initContainers");
        let at = at.index(index);
        common(container, known, &at, out);
        named_once(container, &mut names, &at, out);
        // Containers that end before the next one starts may use the same port.
        ports_of_host(container, false, &mut BTreeSet::new(), (&at, out));
        if known_text(container, "restartPolicy") == Some("Always") {
            probes::of_container(container, &at, out);
        } else {
            for key in [
                "lifecycle",
                "livenessProbe",
                "readinessProbe",
                "startupProbe",
            ] {
                if container.get(key).is_some() {
                    out.forbidden(
                        &at.key(key),
                        "may not be set for init containers without restartPolicy=Always",
                    );
                }
            }
        }
    }
}

fn named_once<'v>(
    container: &'v Value,
    names: &mut BTreeSet<&'v str>,
    at: &Path<'_>,
    out: &mut PodFaults,
) {
    if let Some(name) = known_text(container, "name")
        && !names.insert(name)
    {
        out.duplicate(&at.key("name"), name);
    }
}

/// What holds for containers of both kinds.
fn common(container: &Value, known: &VolumesByName<'_>, at: &Path<'_>, out: &mut PodFaults) {
    match known_text(container, "name") {
        Some(name) => out.complaints(&at.key("name"), name, &text::dns_label(name)),
        None => out.required(&at.key("name"), ""),
    }
    if is_empty(container, "image") {
        out.required(&at.key("image"), "");
    }
    for (key, supported) in [
        (
            "terminationMessagePolicy",
            &["FallbackToLogsOnError", "File"][..],
        ),
        ("imagePullPolicy", &["Always", "IfNotPresent", "Never"]),
        ("restartPolicy", &["Always", "Never", "OnFailure"]),
    ] {
        if !is_empty(container, key) {
            out.one_of(&at.key(key), container.get(key), supported);
        }
    }
    ports(container, at, out);
    environment(container, at, out);
    volumes::mounts(container, known, at, out);
    resources::check(container.get("resources"), &at.key("resources"), out);
    security::container(
        container.get("securityContext"),
        &at.key("securityContext"),
        out,
    );
}

fn ports(container: &Value, at: &Path<'_>, out: &mut PodFaults) {
    let mut names = BTreeSet::new();
    for (index, port) in items(container.get("ports")).iter().enumerate() {
        let at = at.key("ports");
        let at = at.index(index);
        if let Some(name) = known_text(port, "name") {
            let complaints = text::port_name(name);
            if complaints.is_empty() && !names.insert(name) {
                out.duplicate(&at.key("name"), name);
            }
            out.complaints(&at.key("name"), name, &complaints);
        }
        match integer(port.get("containerPort")) {
            None | Some(0) => out.required(&at.key("containerPort"), ""),
            Some(number) => port_number(number, &at.key("containerPort"), out),
        }
        if let Some(number) = integer(port.get("hostPort")).filter(|number| *number != 0) {
            port_number(number, &at.key("hostPort"), out);
        }
        if !is_empty(port, "protocol") {
            out.one_of(
                &at.key("protocol"),
                port.get("protocol"),
                &["SCTP", "TCP", "UDP"],
            );
        }
    }
}

/// Checks the number of a port.
pub(super) fn port_number(number: i64, at: &Path<'_>, out: &mut PodFaults) {
    if !(1..=65_535).contains(&number) {
        out.invalid_number(at, number, "must be between 1 and 65535, inclusive");
    }
}

/// Checks ports of the node: each once, and those of pods in the network of the host are the ports themselves.
fn ports_of_host(
    container: &Value,
    is_on_host: bool,
    taken: &mut BTreeSet<String>,
    (at, out): (&Path<'_>, &mut PodFaults),
) {
    for (index, port) in items(container.get("ports")).iter().enumerate() {
        let at = at.key("ports");
        let at = at.index(index);
        let (own, protocol) = (
            integer(port.get("containerPort")),
            known_text(port, "protocol").unwrap_or("TCP"),
        );
        let given = integer(port.get("hostPort")).filter(|number| *number != 0);
        if let Some(number) = given.filter(|_| is_on_host && given != own) {
            out.invalid_number(
                &at.key("hostPort"),
                number,
                "must match `containerPort` when `hostNetwork` is true",
            );
        }
        // Kubernetes sets the port of the host itself.
        let used = if is_on_host { given.or(own) } else { given };
        let Some(number) = used else { continue };
        let key = format!(
            "{protocol}/{}/{number}",
            known_text(port, "hostIP").unwrap_or_default()
        );
        if !taken.insert(key.clone()) {
            out.duplicate(&at.key("hostPort"), &key);
        }
    }
}

fn environment(container: &Value, at: &Path<'_>, out: &mut PodFaults) {
    for (index, variable) in items(container.get("env")).iter().enumerate() {
        let at = at.key("env");
        let at = at.index(index);
        match known_text(variable, "name") {
            Some(name) => out.complaints(&at.key("name"), name, &text::variable(name)),
            None if is_empty(variable, "name") => out.required(&at.key("name"), ""),
            None => {}
        }
        if let Some(from) = variable
            .get("valueFrom")
            .filter(|from| **from != Value::Null)
        {
            value_from(from, is_empty(variable, "value"), &at.key("valueFrom"), out);
        }
    }
    for (index, from) in items(container.get("envFrom")).iter().enumerate() {
        let at = at.key("envFrom");
        let at = at.index(index);
        if let Some(prefix) = known_text(from, "prefix") {
            out.complaints(&at.key("prefix"), prefix, &text::variable(prefix));
        }
        let sources = ["configMapRef", "secretRef"]
            .into_iter()
            .filter_map(|key| Some((key, from.get(key)?)));
        let sources: Vec<_> = sources
            .filter(|(_, source)| **source != Value::Null)
            .collect();
        for (key, source) in &sources {
            let at = at.key(key);
            match known_text(source, "name") {
                Some(name) => {
                    out.complaints(&at.key("name"), name, &dns1123_subdomain_errors(name))
                }
                None => out.required(&at.key("name"), ""),
            }
        }
        match sources.len() {
            0 => out.invalid(
                &at,
                "",
                "must specify one of: `configMapRef` or `secretRef`",
            ),
            1 => {}
            _ => out.invalid(
                &at,
                "",
                "may not have more than one field specified at a time",
            ),
        }
    }
}

/// Returns whether a variable can have that field of the pod.
fn is_field(path: &str) -> bool {
    const OF_MAPS: [&str; 2] = ["metadata.annotations['", "metadata.labels['"];
    FIELDS.contains(&path)
        || OF_MAPS.iter().any(|map| {
            path.strip_prefix(map)
                .is_some_and(|key| key.ends_with("']"))
        })
}

fn value_from(from: &Value, has_no_value: bool, at: &Path<'_>, out: &mut PodFaults) {
    let is_set = |key: &str| from.get(key).filter(|source| **source != Value::Null);
    let sources: Vec<_> = SOURCES
        .iter()
        .filter_map(|(key, fields)| Some((*key, *fields, is_set(key)?)))
        .collect();
    for (key, fields, source) in &sources {
        let at = at.key(key);
        for field in fields.iter().filter(|field| is_empty(source, field)) {
            out.required(&at.key(field), "");
        }
        if let Some(path) = known_text(source, "fieldPath").filter(|path| !is_field(path)) {
            out.invalid(
                &at.key("fieldPath"),
                path,
                &format!("error converting fieldPath: field label not supported: {path}"),
            );
        }
        if let Some(key) = known_text(source, "key").filter(|_| !key.starts_with("file")) {
            text::data_key(key, &at.key("key"), out);
        }
    }
    match sources.len() {
        0 => out.invalid(
            at,
            "",
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
        ),
        _ if !has_no_value => out.invalid(at, "", "may not be specified when `value` is not empty"),
        1 => {}
        _ => out.invalid(at, "", "may not have more than one field specified at a time"),
    }
}
