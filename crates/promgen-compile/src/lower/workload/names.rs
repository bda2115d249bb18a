//! The names of a workload's objects, and the labels that select them.
//!
//! Names follow the operator's: they are how a cluster recognises what is there already.

use promgen_text::yaml::StringMap;

use xxhash_rust::xxh64::xxh64;

/// The manager of the operator's objects.
pub(crate) const MANAGER: &str = "prometheus-operator";
/// The application, on everything that runs.
pub(crate) const APP_LABEL: &str = "app.kubernetes.io/name";
/// The version of what runs, on pods.
pub(crate) const VERSION_LABEL: &str = "app.kubernetes.io/version";

/// The longest label, and so the longest name of a volume, in characters.
const MAX_LABEL: usize = 63;
/// The error about a label that ends in a hyphen. Kubernetes: `IsDNS1123Label`.
const NO_LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must \
                        start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for \
                        validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
/// The length of a name before its hash.
const MAX_BEFORE_HASH: usize = 54;
/// Characters of the hash.
const HASH_LEN: usize = 8;

/// The Secret with the web server's configuration of a workload whose objects have that prefix.
pub fn web_config(prefixed: &str) -> String {
    format!("{prefixed}-web-config")
}

/// A Secret with certificates and keys.
pub(crate) fn tls_assets(prefixed: &str, index: usize) -> String {
    format!("{prefixed}-tls-assets-{index}")
}

/// A ConfigMap with rule files.
pub fn rule_files(prefixed: &str, index: usize) -> String {
    format!("{prefixed}-rulefiles-{index}")
}

/// The labels that everything the operator creates has; later releases add a well-known one.
pub(crate) fn managed_labels(is_well_known: bool) -> StringMap {
    let well_known = is_well_known.then_some("app.kubernetes.io/managed-by");
    [Some("managed-by"), well_known]
        .into_iter()
        .flatten()
        .map(|key| (key.into(), MANAGER.into()))
        .collect()
}

/// The labels that select all pods of a workload of any kind: `application` is the value of [`APP_LABEL`].
pub(crate) fn pod_labels(application: &str, name: &str) -> StringMap {
    labels([
        (APP_LABEL, application),
        ("app.kubernetes.io/instance", name),
        ("app.kubernetes.io/managed-by", MANAGER),
    ])
}

/// A selector of labels as text: `key=value`, joined by commas.
pub(crate) fn selector_text(labels: &StringMap) -> String {
    let pairs = labels.iter().map(|(key, value)| format!("{key}={value}"));
    pairs.collect::<Vec<_>>().join(",")
}

/// A map of labels.
pub fn labels<const N: usize>(pairs: [(&str, &str); N]) -> StringMap {
    pairs
        .into_iter()
        .map(|(key, value)| (key.into(), value.into()))
        .collect()
}

/// The volume of a Secret or ConfigMap that the user lists, cut at the length of a label.
///
/// Operator: `ResourceNamer.DNS1123Label`.
///
/// # Errors
/// No such name comes out, in the words of the Kubernetes library.
pub fn volume(prefix: &str, name: &str) -> Result<String, String> {
    let mut label = sanitized(prefix, name);
    label.truncate(MAX_LABEL);
    // A sanitized name is a label, except for a hyphen that the cut leaves at the end.
    if label.ends_with('-') {
        Err(NO_LABEL.to_owned())
    } else {
        Ok(label)
    }
}

/// The volume of something whose name may be long: shortened, and made unique by a hash of the name.
///
/// Operator: `ResourceNamer.UniqueDNS1123Label`.
pub(crate) fn unique_volume(prefix: &str, name: &str) -> String {
    // Without leading zeros, as Go prints it: a hash may be shorter than eight digits.
    let hash = format!("{:x}", xxh64(name.as_bytes(), 0));
    let mut label = sanitized(prefix, name);
    label.truncate(MAX_BEFORE_HASH);
    label.push('-');
    label.push_str(&hash[..hash.len().min(HASH_LEN)]);
    label
}

/// Prefix and name in lower case, with a hyphen for each run of characters that a label cannot have.
fn sanitized(prefix: &str, name: &str) -> String {
    let mut label = String::new();
    for c in format!("{prefix}-{name}").to_lowercase().chars() {
        let fits = c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if fits {
            label.push(c);
        } else if !label.ends_with(REPLACED) {
            label.push(REPLACED);
        }
    }
    label.replace(REPLACED, "-").trim_matches('-').to_owned()
}

/// Stands for a run of characters that do not fit, until all are found: real hyphens may precede it.
const REPLACED: char = '\0';

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_are_labels() {
        assert_eq!(
            volume("secret", "My.Secret__x").unwrap(),
            "secret-my-secret-x"
        );
        assert_eq!(volume("secret", "a-._-b-").unwrap(), "secret-a---b");
        assert_eq!(
            volume("configmap", &"x".repeat(60)).unwrap(),
            format!("configmap-{}", "x".repeat(53))
        );
        let cut = volume("configmap", &format!("{}-y", "x".repeat(52))).unwrap_err();
        assert!(
            cut.starts_with("a lowercase RFC 1123 label must consist of"),
            "{cut}"
        );
    }

    #[test]
    fn long_volumes_end_in_a_hash_of_the_name() {
        let key = |name: &str| unique_volume("web-config-tls-secret-key", name);
        assert_eq!(
            key("some-secret"),
            "web-config-tls-secret-key-some-secret-3556f148"
        );
        assert_eq!(
            key("test-secret"),
            "web-config-tls-secret-key-test-secret-f9e12a15"
        );
        assert_eq!(key(&"s".repeat(80)).len(), 63);
    }
}
