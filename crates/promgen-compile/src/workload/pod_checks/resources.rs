//! Requests, limits and claims.

use super::field::PodField;
use promgen_prometheus::labels::names::{dns1123_subdomain_errors, label_key_errors};
use promgen_text::go::quantity::ParsedQuantity;
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
pub(super) fn check(resources: &PodField<'_, '_>) {
    let (limits, requests) = (resources.get("limits"), resources.get("requests"));
    for list in [&limits, &requests] {
        for (name, value) in list.entries() {
            amount(name, value, &list.get(name));
        }
    }
    for (name, value) in requests.entries() {
        let (request, limit) = (requests.get(name), limits.get(name));
        let Some(asked) = quantity(value) else {
            continue;
        };
        match limit.value.map(quantity) {
            Some(Some(limit)) if asked != limit && !is_elastic(name) => request.invalid(
                &asked.to_string(),
                &format!("must be equal to {name} limit of {limit}"),
            ),
            Some(Some(limit)) if asked > limit => request.invalid(
                &asked.to_string(),
                &format!("must be less than or equal to {name} limit of {limit}"),
            ),
            None if !is_elastic(name) => {
                request.required_as("Limit must be set for non overcommitable resources")
            }
            _ => {}
        }
    }
    let names = || {
        limits
            .entries()
            .chain(requests.entries())
            .map(|(name, _)| name)
    };
    if names().any(|name| name.starts_with("hugepages-"))
        && !names().any(|name| matches!(name, "cpu" | "memory"))
    {
        resources.forbidden("HugePages require cpu or memory");
    }
    // The operator gives its pods no claims of devices.
    resources.each("claims", |claim| {
        claim.not_found(claim.get("name").known_text().unwrap_or_default())
    });
}

fn amount(name: &str, value: &Value, field: &PodField<'_, '_>) {
    field.complaints(name, label_key_errors);
    let is_plain = !name.contains('/');
    if is_plain
        && !matches!(name, "cpu" | "memory" | "ephemeral-storage")
        && !name.starts_with("hugepages-")
    {
        field.invalid(name, "must be a standard resource for containers");
    }
    if !is_plain && !name.contains("kubernetes.io/") && name.starts_with("requests.") {
        field.invalid(name, "doesn't follow extended resource name standard");
    }
    let Some(amount) = quantity(value) else {
        return;
    };
    if amount.nanos() < 0 {
        field.invalid(&amount.to_string(), "must be greater than or equal to 0");
    }
    let is_whole = amount.nanos() % ONE == 0;
    if !is_whole && !is_plain && !name.contains("kubernetes.io/") {
        field.invalid(&amount.to_string(), "must be an integer");
    }
}

/// Checks the fields of a set about its claims, and how long pods must be ready.
pub(super) fn claims(spec: &PodField<'_, '_>) {
    spec.get("minReadySeconds")
        .number(|seconds| seconds >= 0, "must be greater than or equal to 0");
    spec.each("volumeClaimTemplates", |template| {
        claim(&template.get("spec"))
    });
    let policy = spec.get("persistentVolumeClaimRetentionPolicy");
    for key in ["whenDeleted", "whenScaled"] {
        policy.get(key).one_of(&["Delete", "Retain"]);
    }
}

/// Checks a claim.
pub(super) fn claim(spec: &PodField<'_, '_>) {
    let list = spec.get("accessModes");
    let modes = list.items();
    if modes.is_empty() {
        list.required_as("at least 1 access mode is required");
    }
    spec.each("accessModes", |mode| mode.one_of(ACCESS_MODES));
    let is_single = |mode: &Value| mode.as_str() == Some("ReadWriteOncePod");
    if modes.iter().any(is_single) && !modes.iter().all(is_single) {
        list.forbidden("may not use ReadWriteOncePod with other access modes");
    }
    let resources = spec.get("resources");
    let requests = resources.get("requests");
    let storage = requests.get("storage");
    match storage.value.map(quantity) {
        None => storage.required(),
        Some(Some(amount)) if amount.nanos() <= 0 => {
            storage.invalid(&amount.to_string(), "must be greater than zero");
        }
        Some(Some(amount)) if amount.nanos() % ONE != 0 => {
            storage.invalid(&amount.to_string(), "must be an integer");
        }
        Some(_) => {}
    }
    spec.get("storageClassName")
        .formed(dns1123_subdomain_errors);
    spec.get("volumeMode").one_of(&["Block", "Filesystem"]);
    super::scheduling::selector(&spec.get("selector"));
}
