//! The texts of pods that have a form: names, keys, labels, annotations.

use super::PodFaults;
use promgen_prometheus::labels::names::{label_key_errors, label_value_errors};
use promgen_text::route::Path;
use promgen_text::yaml::Value;

/// The most bytes of all annotations.
const MAX_ANNOTATIONS: usize = 256 << 10;

/// Complaints about the name of a volume or container.
pub(super) fn dns_label(text: &str) -> Vec<String> {
    let alphanumeric = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let (first, last) = (text.bytes().next(), text.bytes().last());
    let is_ended = first.is_some_and(alphanumeric) && last.is_some_and(alphanumeric);
    let mut complaints = Vec::new();
    if text.len() > 63 {
        complaints.push("must be no more than 63 bytes".to_owned());
    }
    if !is_ended || !text.bytes().all(|b| b == b'-' || alphanumeric(b)) {
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
    let complaint = "a valid environment variable name must consist only of printable ASCII characters other than '='";
    (!is_fine)
        .then(|| complaint.to_owned())
        .into_iter()
        .collect()
}

/// Checks a key of a Secret or ConfigMap.
pub(super) fn data_key(text: &str, at: &Path<'_>, out: &mut PodFaults) {
    let is_fine = text.len() <= 253
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        && text != "."
        && !text.starts_with("..");
    if !is_fine {
        let why = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
        out.invalid(at, text, why);
    }
}

/// Checks labels.
pub(super) fn labels(labels: Option<&Value>, at: &Path<'_>, out: &mut PodFaults) {
    for (key, value) in labels.and_then(Value::as_map).into_iter().flatten() {
        let at = at.key(key);
        out.complaints(&at, key, &label_key_errors(key));
        if let Value::Str(text) = value {
            out.complaints(&at, text, &label_value_errors(text));
        }
    }
}

/// Checks annotations. Their keys may have upper case.
pub(super) fn annotations(annotations: Option<&Value>, at: &Path<'_>, out: &mut PodFaults) {
    let mut size = 0;
    for (key, value) in annotations.and_then(Value::as_map).into_iter().flatten() {
        size += key.len() + value.as_str().map_or(0, str::len);
        out.complaints(
            &at.key(key),
            key,
            &label_key_errors(&key.to_ascii_lowercase()),
        );
    }
    if size > MAX_ANNOTATIONS {
        out.push(
            at,
            format!("Too long: may not be more than {MAX_ANNOTATIONS} bytes"),
        );
    }
}

/// Checks a path below a volume: relative, without steps up.
pub(super) fn descending(text: &str, at: &Path<'_>, out: &mut PodFaults) {
    if text.starts_with('/') {
        out.invalid(at, text, "must be a relative path");
    }
    no_steps_up(text, at, out);
}

/// Checks a path that may not lead up.
pub(super) fn no_steps_up(text: &str, at: &Path<'_>, out: &mut PodFaults) {
    if text.split('/').any(|part| part == "..") {
        out.invalid(at, text, "must not contain '..'");
    }
}

/// Checks a path of a file in a volume, whose names Kubernetes reserves in part.
pub(super) fn file_path(text: &str, at: &Path<'_>, out: &mut PodFaults) {
    descending(text, at, out);
    if text.starts_with("..") && !text.starts_with("../") {
        out.invalid(at, text, "must not start with '..'");
    }
}
