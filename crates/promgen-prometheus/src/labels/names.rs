//! What Kubernetes takes for a label key, a label value or a DNS name, and its words where it does not.
//!
//! Mirrors `IsLabelKey`, `IsLabelValue` and `IsDNS1123Subdomain` of apimachinery. Each function gives all complaints, in
//! order; none means valid.

/// Most bytes of a label value, and of a label key behind the prefix.
const MAX_NAME: usize = 63;
/// Most bytes of a DNS name.
const MAX_SUBDOMAIN: usize = 253;

/// The format of names, as the messages show it.
const NAME_FORMAT: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const NAME_RULE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const NAME_EXAMPLES: &[&str] = &["MyName", "my.name", "123-abc"];

/// Complaints about a label key: a name, or a DNS name, `/` and a name.
#[must_use]
pub fn label_key_errors(key: &str) -> Vec<String> {
    let mut errors = Vec::new();
    let name = match key.split_once('/') {
        None => key,
        Some((prefix, name)) if !name.contains('/') => {
            errors.extend(
                prefix_errors(prefix)
                    .into_iter()
                    .map(|error| format!("prefix part {error}")),
            );
            name
        }
        Some(_) => {
            let format = format_error(NAME_RULE, NAME_FORMAT, NAME_EXAMPLES);
            return vec![format!(
                "a valid label key {format} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        errors.push("name part must be non-empty".to_owned());
    } else if name.len() > MAX_NAME {
        errors.push(format!("name part {}", length_error(MAX_NAME)));
    }
    // An empty or a long name gets this complaint, too: Kubernetes does not stop at the first.
    if !is_name(name) {
        errors.push(format!(
            "name part {}",
            format_error(NAME_RULE, NAME_FORMAT, NAME_EXAMPLES)
        ));
    }
    errors
}

fn prefix_errors(prefix: &str) -> Vec<String> {
    if prefix.is_empty() {
        vec!["must be non-empty".to_owned()]
    } else {
        dns1123_subdomain_errors(prefix)
    }
}

/// Complaints about a label value: a name, or nothing.
#[must_use]
pub fn label_value_errors(value: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if value.len() > MAX_NAME {
        errors.push(length_error(MAX_NAME));
    }
    if !value.is_empty() && !is_name(value) {
        let rule = format!(
            "a valid label must be an empty string or {}",
            NAME_RULE.replacen("must consist", "consist", 1)
        );
        errors.push(format_error(
            &rule,
            &format!("({NAME_FORMAT})?"),
            &["MyValue", "my_value", "12345"],
        ));
    }
    errors
}

/// Complaints about a DNS name, RFC 1123, lower case.
#[must_use]
pub fn dns1123_subdomain_errors(name: &str) -> Vec<String> {
    const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
    let mut errors = Vec::new();
    if name.len() > MAX_SUBDOMAIN {
        errors.push(length_error(MAX_SUBDOMAIN));
    }
    if !name.split('.').all(is_dns_label) {
        let rule = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
                    and must start and end with an alphanumeric character";
        errors.push(format_error(
            rule,
            &format!(r"{LABEL}(\.{LABEL})*"),
            &["example.com"],
        ));
    }
    errors
}

fn is_name(text: &str) -> bool {
    let inner = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    starts_and_ends_with(text, |b| b.is_ascii_alphanumeric()) && text.bytes().all(inner)
}

fn is_dns_label(text: &str) -> bool {
    let alphanumeric = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    starts_and_ends_with(text, alphanumeric) && text.bytes().all(|b| b == b'-' || alphanumeric(b))
}

fn starts_and_ends_with(text: &str, good: impl Fn(u8) -> bool) -> bool {
    matches!((text.bytes().next(), text.bytes().last()), (Some(first), Some(last)) if good(first) && good(last))
}

fn length_error(max: usize) -> String {
    format!("must be no more than {max} bytes")
}

/// A rule with its examples and format. The two spaces between examples are what Kubernetes writes.
fn format_error(rule: &str, format: &str, examples: &[&str]) -> String {
    let examples: Vec<String> = examples
        .iter()
        .map(|example| format!("'{example}', "))
        .collect();
    format!(
        "{rule} (e.g. {}regex used for validation is '{format}')",
        examples.join(" or ")
    )
}
