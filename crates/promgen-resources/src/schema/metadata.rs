//! Names, namespaces, labels and annotations: what every object has to get right.

use crate::api::Kind;
use promgen_text::diag::{Diagnostic, Place, Sink, rules};
use promgen_text::route::{At, DocId};
use promgen_text::yaml::{Entry, Node};

rules! {
    /// ## What it does
    /// Finds names, namespaces, labels and annotations that Kubernetes does not allow.
    ///
    /// ## Why is this bad?
    /// The API server refuses the object. A namespace such as `FILLED BY THE OPERATOR` is most likely a template that
    /// was never rendered.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata:
    ///   name: My_Monitor
    /// spec:
    ///   selector: {}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata:
    ///   name: my-monitor
    /// spec:
    ///   selector: {}
    /// ```
    INVALID_METADATA = "PG015" "invalid-metadata" Error: "a name, namespace, label or annotation that Kubernetes does not allow";
}

const MAX_ANNOTATIONS: usize = 256 * 1024;
// In the words of the API server, whose reasons these are.
const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const NAME_PART: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const QUALIFIED: &str = "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";

const MAX_SUBDOMAIN: usize = 253;
const MAX_LABEL: usize = 63;

/// Checks the metadata of a document. What is absent or of the wrong type is the walk's business, except for the name.
pub(super) fn check(node: &Node, kind: Kind, doc: DocId, sink: &mut Sink) -> bool {
    let Some(metadata) = node.get("metadata").filter(|m| !m.is_null()) else {
        return true;
    };
    let at = At::doc(doc).key("metadata");
    let mut found = Vec::new();
    match metadata.get("name").filter(|n| !n.is_null()) {
        None => found.push(fault(at.clone().key("name"), "Required value")),
        Some(name) => found.extend(
            name.as_str()
                .into_iter()
                .flat_map(|n| name_faults(n, kind, &at)),
        ),
    }
    if let Some(namespace) = metadata.text_of("namespace")
        && !namespace.is_empty()
    {
        let at = at.clone().key("namespace");
        found.extend(
            label_faults(namespace)
                .into_iter()
                .map(|wanted| invalid(at.clone(), namespace, &wanted)),
        );
    }
    labels(metadata, &at, &mut found);
    annotations(metadata, &at, &mut found);
    let fine = found.is_empty();
    found
        .into_iter()
        .for_each(|diagnostic| sink.report(diagnostic));
    fine
}

fn name_faults(name: &str, kind: Kind, at: &At) -> Vec<Diagnostic> {
    let at = at.clone().key("name");
    if name.is_empty() {
        return vec![fault(at, "Required value")];
    }
    let wanted = if kind == Kind::Namespace {
        label_faults(name)
    } else {
        subdomain_faults(name)
    };
    wanted
        .into_iter()
        .map(|wanted| invalid(at.clone(), name, &wanted))
        .collect()
}

fn labels(metadata: &Node, at: &At, found: &mut Vec<Diagnostic>) {
    let at = at.clone().key("labels");
    for Entry { key, value, .. } in metadata
        .get("labels")
        .map(Node::entries)
        .unwrap_or_default()
    {
        found.extend(
            key_faults(key)
                .into_iter()
                .map(|wanted| invalid_key(&at, key, &wanted)),
        );
        let Some(text) = value.as_str() else { continue };
        let too_long = (text.len() > MAX_LABEL).then(|| too_long(MAX_LABEL));
        let wrong = (!text.is_empty() && !is_qualified(text)).then(|| LABEL_VALUE.to_owned());
        // The API server names the map, we point at the value.
        found.extend(too_long.into_iter().chain(wrong).map(|wanted| {
            let message = format!("{}: Invalid value: {text:?}: {wanted}", at.route);
            Diagnostic::new(&INVALID_METADATA, at.clone().key(key.to_string()), message)
        }));
    }
}

fn annotations(metadata: &Node, at: &At, found: &mut Vec<Diagnostic>) {
    let at = at.clone().key("annotations");
    let mut size = 0;
    for Entry { key, value, .. } in metadata
        .get("annotations")
        .map(Node::entries)
        .unwrap_or_default()
    {
        found.extend(
            key_faults(&key.to_ascii_lowercase())
                .into_iter()
                .map(|wanted| invalid_key(&at, key, &wanted)),
        );
        size += key.len() + value.as_str().map_or(0, str::len);
    }
    if size > MAX_ANNOTATIONS {
        found.push(fault(
            at,
            &format!("Too long: may not be more than {MAX_ANNOTATIONS} bytes"),
        ));
    }
}

/// The faults of the key of a label or annotation: an optional domain, a slash, a name.
fn key_faults(key: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let name = match key.split('/').collect::<Vec<_>>()[..] {
        [name] => name,
        [prefix, name] => {
            if prefix.is_empty() {
                faults.push("prefix part must be non-empty".to_owned());
            } else {
                faults.extend(
                    subdomain_faults(prefix)
                        .into_iter()
                        .map(|wanted| format!("prefix part {wanted}")),
                );
            }
            name
        }
        _ => return vec![QUALIFIED.to_owned()],
    };
    if name.is_empty() {
        faults.push("name part must be non-empty".to_owned());
    } else if name.len() > MAX_LABEL {
        faults.push(format!("name part {}", too_long(MAX_LABEL)));
    }
    if !is_qualified(name) {
        faults.push(NAME_PART.to_owned());
    }
    faults
}

fn too_long(most: usize) -> String {
    format!("must be no more than {most} characters")
}

fn subdomain_faults(text: &str) -> Vec<String> {
    let too_long = (text.len() > MAX_SUBDOMAIN).then(|| too_long(MAX_SUBDOMAIN));
    let wrong = (!text.split('.').all(is_dns_part)).then(|| SUBDOMAIN.to_owned());
    too_long.into_iter().chain(wrong).collect()
}

fn label_faults(text: &str) -> Vec<String> {
    let too_long = (text.len() > MAX_LABEL).then(|| too_long(MAX_LABEL));
    let wrong = (!is_dns_part(text)).then(|| LABEL.to_owned());
    too_long.into_iter().chain(wrong).collect()
}

fn is_dns_part(text: &str) -> bool {
    let alphanumeric = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
    ends(text, alphanumeric) && text.bytes().all(|c| alphanumeric(c) || c == b'-')
}

fn is_qualified(text: &str) -> bool {
    let alphanumeric = |c: u8| c.is_ascii_alphanumeric();
    ends(text, alphanumeric)
        && text
            .bytes()
            .all(|c| alphanumeric(c) || matches!(c, b'-' | b'_' | b'.'))
}

fn ends(text: &str, fits: impl Fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(|c| fits(*c)) && bytes.last().is_some_and(|c| fits(*c))
}

fn fault(at: At, what: &str) -> Diagnostic {
    let message = format!("{}: {what}", at.route);
    Diagnostic::new(&INVALID_METADATA, at, message)
}

fn invalid(at: At, value: &str, wanted: &str) -> Diagnostic {
    let found = fault(at, &format!("Invalid value: {value:?}: {wanted}"));
    let meant = value.to_ascii_lowercase().replace('_', "-");
    if meant != value && meant.split('.').all(is_dns_part) {
        found.help(format!("write `{meant}`"))
    } else {
        found
    }
}

fn invalid_key(at: &At, key: &str, wanted: &str) -> Diagnostic {
    let message = format!("{}: Invalid value: {key:?}: {wanted}", at.route);
    Diagnostic::new(
        &INVALID_METADATA,
        Place::Key(at.clone().key(key.to_owned())),
        message,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_subdomains() {
        for good in ["a", "a-b.c1", &"a".repeat(253)] {
            assert!(subdomain_faults(good).is_empty(), "{good}");
        }
        for bad in ["", "A", "a..b", "a-"] {
            assert_eq!(subdomain_faults(bad), [SUBDOMAIN], "{bad}");
        }
        assert_eq!(
            subdomain_faults(&"a".repeat(254)),
            ["must be no more than 253 characters"]
        );
        assert_eq!(label_faults("a.b"), [LABEL]);
        assert_eq!(
            label_faults(&"a".repeat(64)),
            ["must be no more than 63 characters"]
        );
    }

    #[test]
    fn keys_have_an_optional_domain() {
        for good in ["app", "app.kubernetes.io/name", "A_b.c", "example.com/x"] {
            assert!(key_faults(good).is_empty(), "{good}");
        }
        for bad in [
            "",
            "/a",
            "a/",
            "a/b/c",
            "-a",
            "a b",
            "ex ample/x",
            "Example.COM/x",
        ] {
            assert!(!key_faults(bad).is_empty(), "{bad}");
        }
    }
}
