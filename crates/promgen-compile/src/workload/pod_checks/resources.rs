//! Requests, limits and claims.

use super::{PodFaults, integer, items, known_text};
use promgen_prometheus::labels::names::{dns1123_subdomain_errors, label_key_errors};
use promgen_text::go::quantity::ParsedQuantity;
use promgen_text::route::Path;
use promgen_text::yaml::Value;

/// The parts of a whole, in which quantities count.
const ONE: i128 = 1_000_000_000;

const ACCESS_MODES: &[&str] = &[
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOnce",
    "ReadWriteOncePod",
];

fn quantity(value: &Value) -> Option<ParsedQuantity> {
    match value {
        Value::Str(text) => ParsedQuantity::parse(text).ok(),
        Value::Int(number) => ParsedQuantity::parse(&number.to_string()).ok(),
        _ => None,
    }
}

/// Returns whether pods may use more of a resource than they ask for.
fn is_elastic(name: &str) -> bool {
    (!name.contains('/') || name.contains("kubernetes.io/")) && !name.starts_with("hugepages-")
}

/// Checks the resources of a container.
pub(super) fn check(resources: Option<&Value>, at: &Path<'_>, out: &mut PodFaults) {
    let Some(resources) = resources else { return };
    let limits = resources.get("limits").and_then(Value::as_map);
    let requests = resources.get("requests").and_then(Value::as_map);
    for (list, amounts) in [("limits", limits), ("requests", requests)] {
        for (name, value) in amounts.into_iter().flatten() {
            let at = at.key(list);
            amount(name, value, &at.key(name), out);
        }
    }
    for (name, value) in requests.into_iter().flatten() {
        let at = at.key("requests");
        let (at, Some(asked)) = (at.key(name), quantity(value)) else {
            continue;
        };
        let limit = limits.and_then(|limits| limits.get(name));
        match limit.map(quantity) {
            Some(Some(limit)) if asked != limit && !is_elastic(name) => {
                out.invalid(
                    &at,
                    &asked.to_string(),
                    &format!("must be equal to {name} limit of {limit}"),
                );
            }
            Some(Some(limit)) if asked > limit => {
                out.invalid(
                    &at,
                    &asked.to_string(),
                    &format!("must be less than or equal to {name} limit of {limit}"),
                );
            }
            None if !is_elastic(name) => {
                out.required(&at, "Limit must be set for non overcommitable resources")
            }
            _ => {}
        }
    }
    let mut names = limits
        .into_iter()
        .chain(requests)
        .flatten()
        .map(|(name, _)| &**name);
    if names.clone().any(|name| name.starts_with("hugepages-"))
        && !names.any(|name| matches!(name, "cpu" | "memory"))
    {
        out.forbidden(at, "HugePages require cpu or memory");
    }
    for (index, claim) in items(resources.get("claims")).iter().enumerate() {
        // The operator gives its pods no claims of devices.
        let at = at.key("claims");
        out.not_found(
            &at.index(index),
            known_text(claim, "name").unwrap_or_default(),
        );
    }
}

fn amount(name: &str, value: &Value, at: &Path<'_>, out: &mut PodFaults) {
    out.complaints(at, name, &label_key_errors(name));
    let is_plain = !name.contains('/');
    if is_plain
        && !matches!(name, "cpu" | "memory" | "ephemeral-storage")
        && !name.starts_with("hugepages-")
    {
        out.invalid(at, name, "must be a standard resource for containers");
    }
    if !is_plain && !name.contains("kubernetes.io/") && name.starts_with("requests.") {
        out.invalid(at, name, "doesn't follow extended resource name standard");
    }
    let Some(amount) = quantity(value) else {
        return;
    };
    if amount.nanos() < 0 {
        out.invalid(
            at,
            &amount.to_string(),
            "must be greater than or equal to 0",
        );
    }
    let is_whole = amount.nanos() % ONE == 0;
    if !is_whole && !is_plain && !name.contains("kubernetes.io/") {
        out.invalid(at, &amount.to_string(), "must be an integer");
    }
}

/// Checks the fields of a set about its claims, and how long pods must be ready.
pub(super) fn claims(spec: &Value, at: &Path<'_>, out: &mut PodFaults) {
    if let Some(seconds) = integer(spec.get("minReadySeconds")).filter(|seconds| *seconds < 0) {
        out.invalid_number(
            &at.key("minReadySeconds"),
            seconds,
            "must be greater than or equal to 0",
        );
    }
    for (index, template) in items(spec.get("volumeClaimTemplates")).iter().enumerate() {
        let at = at.key("volumeClaimTemplates");
        let at = at.index(index);
        claim(template.get("spec"), &at.key("spec"), out);
    }
    let policy = spec.get("persistentVolumeClaimRetentionPolicy");
    for key in ["whenDeleted", "whenScaled"] {
        let at = at.key("persistentVolumeClaimRetentionPolicy");
        out.one_of(
            &at.key(key),
            policy.and_then(|policy| policy.get(key)),
            &["Delete", "Retain"],
        );
    }
}

/// Checks a claim.
pub(super) fn claim(spec: Option<&Value>, at: &Path<'_>, out: &mut PodFaults) {
    let none = Value::Null;
    let spec = spec.unwrap_or(&none);
    let modes = items(spec.get("accessModes"));
    let of_modes = at.key("accessModes");
    if modes.is_empty() {
        out.required(&of_modes, "at least 1 access mode is required");
    }
    for (index, mode) in modes.iter().enumerate() {
        out.one_of(&of_modes.index(index), Some(mode), ACCESS_MODES);
    }
    let is_single = |mode: &Value| mode.as_str() == Some("ReadWriteOncePod");
    if modes.iter().any(is_single) && !modes.iter().all(is_single) {
        out.forbidden(
            &of_modes,
            "may not use ReadWriteOncePod with other access modes",
        );
    }
    let requests = spec
        .get("resources")
        .and_then(|resources| resources.get("requests"));
    let (of_resources, storage) = (
        at.key("resources"),
        requests.and_then(|requests| requests.get("storage")),
    );
    let of_requests = of_resources.key("requests");
    let of_storage = of_requests.key("storage");
    match storage.map(quantity) {
        None => out.required(&of_storage, ""),
        Some(Some(amount)) if amount.nanos() <= 0 => {
            out.invalid(
                &of_storage,
                &amount.to_string(),
                "must be greater than zero",
            );
        }
        Some(Some(amount)) if amount.nanos() % ONE != 0 => {
            out.invalid(&of_storage, &amount.to_string(), "must be an integer");
        }
        Some(_) => {}
    }
    if let Some(class) = known_text(spec, "storageClassName") {
        out.complaints(
            &at.key("storageClassName"),
            class,
            &dns1123_subdomain_errors(class),
        );
    }
    out.one_of(
        &at.key("volumeMode"),
        spec.get("volumeMode"),
        &["Block", "Filesystem"],
    );
    super::scheduling::selector(spec.get("selector"), &at.key("selector"), out);
}
