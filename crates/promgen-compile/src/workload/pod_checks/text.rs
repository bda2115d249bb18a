//! The texts of pods that have a form: names, keys, labels, annotations.

use super::field::PodField;
use promgen_prometheus::labels::names::{label_key_errors, label_value_errors};
use promgen_text::yaml::Value;

/// The most bytes of all annotations.
const MAX_ANNOTATIONS: usize = 256 << 10;

/// Complaints about the name of a volume or container.
pub(super) fn dns_label(text: &str) -> Vec<String> {
    let alphanumeric = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let mut complaints = Vec::new();
    if text.len() > 63 {
        complaints.push("must be no more than 63 bytes".to_owned());
    }
    if !has_ends(text, alphanumeric) || !text.bytes().all(|b| b == b'-' || alphanumeric(b)) {
        complaints.push(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an \
             alphanumeric character"
                .to_owned(),
        );
    }
    complaints
}

/// Complaints about the name of a port.
pub(super) fn port_name(text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    if text.len() > 15 {
        complaints.push("must be no more than 15 bytes");
    }
    if text.is_empty()
        || !text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    {
        complaints.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
    }
    if !text.bytes().any(|b| b.is_ascii_lowercase()) {
        complaints.push("must contain at least one letter (a-z)");
    }
    if text.contains("--") {
        complaints.push("must not contain consecutive hyphens");
    }
    if text.starts_with('-') || text.ends_with('-') {
        complaints.push("must not begin or end with a hyphen");
    }
    complaints.into_iter().map(str::to_owned).collect()
}

/// Complaints about the name of an environment variable.
pub(super) fn variable(text: &str) -> Vec<String> {
    let is_fine = !text.is_empty()
        && text
            .bytes()
            .all(|b| (b' '..=b'~').contains(&b) && b != b'=');
    unless(
        is_fine,
        "a valid environment variable name must consist only of printable ASCII characters other than '='",
    )
}

/// Complaints about a key of a Secret or ConfigMap.
pub(super) fn data_key(text: &str) -> Vec<String> {
    let is_fine = text.len() <= 253
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        && text != "."
        && !text.starts_with("..");
    unless(
        is_fine,
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    )
}

fn unless(is_fine: bool, complaint: &str) -> Vec<String> {
    (!is_fine)
        .then(|| complaint.to_owned())
        .into_iter()
        .collect()
}

/// Returns whether the first and the last byte of a text are such bytes.
pub(super) fn has_ends(text: &str, fits: impl Fn(u8) -> bool) -> bool {
    text.bytes().next().is_some_and(&fits) && text.bytes().last().is_some_and(&fits)
}

/// Checks labels.
pub(super) fn labels(labels: &PodField<'_, '_>) {
    for (key, value) in labels.entries() {
        let label = labels.get(key);
        label.complaints(key, label_key_errors);
        if let Value::Str(text) = value {
            label.complaints(text, label_value_errors);
        }
    }
}

/// Checks annotations. Their keys may have upper case.
pub(super) fn annotations(annotations: &PodField<'_, '_>) {
    let mut size = 0;
    for (key, value) in annotations.entries() {
        size += key.len() + value.as_str().map_or(0, str::len);
        annotations
            .get(key)
            .complaints(key, |key| label_key_errors(&key.to_ascii_lowercase()));
    }
    if size > MAX_ANNOTATIONS {
        annotations.fault(format!(
            "Too long: may not be more than {MAX_ANNOTATIONS} bytes"
        ));
    }
}

/// Checks a path below a volume: relative, without steps up.
pub(super) fn descending(path: &PodField<'_, '_>) {
    let text = path.known_text().unwrap_or_default();
    if text.starts_with('/') {
        path.invalid(text, "must be a relative path");
    }
    no_steps_up(path);
}

/// Checks a path that may not lead up.
pub(super) fn no_steps_up(path: &PodField<'_, '_>) {
    let text = path.known_text().unwrap_or_default();
    if text.split('/').any(|part| part == "..") {
        path.invalid(text, "must not contain '..'");
    }
}

/// Checks a path of a file in a volume, whose names Kubernetes reserves in part.
pub(super) fn file_path(path: &PodField<'_, '_>) {
    descending(path);
    let text = path.known_text().unwrap_or_default();
    if text.starts_with("..") && !text.starts_with("../") {
        path.invalid(text, "must not start with '..'");
    }
}
