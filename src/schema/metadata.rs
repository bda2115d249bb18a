//! Names, namespaces, labels and annotations: what every object has to get right.

use crate::api::Kind;
use crate::diag::{Diagnostic, Place, Sink, rule};
use crate::route::{At, DocId};
use crate::yaml::{Entry, Node};

rule! {
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
    pub(super) static INVALID_METADATA = "PG015" "invalid-metadata" {
        summary: "a name, namespace, label or annotation that Kubernetes does not allow",
        level: Error, since: "0.1.0",
    }
}

const MAX_ANNOTATIONS: usize = 256 * 1024;
const SUBDOMAIN: &str = "must be a lower-case RFC 1123 subdomain: letters, digits, '-' and '.', a letter or digit at both ends of each part, at most 253 characters";
const LABEL: &str = "must be a lower-case RFC 1123 label: letters, digits and '-', a letter or digit at both ends, at most 63 characters";
const QUALIFIED: &str =
    "must be letters, digits, '-', '_' and '.', a letter or digit at both ends, at most 63 characters";

/// Checks the metadata of a document. What is absent or of the wrong type is the walk's business, except for the name.
pub(super) fn check(node: &Node<'_>, kind: Kind, doc: DocId, sink: &mut Sink) -> bool {
    let Some(metadata) = node.get("metadata").filter(|m| !m.is_null()) else { return true };
    let at = At::doc(doc).key("metadata");
    let mut found = Vec::new();
    match metadata.get("name").filter(|n| !n.is_null()) {
        None => found.push(fault(at.clone().key("name"), "Required value")),
        Some(name) => found.extend(name.as_str().and_then(|n| name_fault(n, kind, &at))),
    }
    if let Some(namespace) = metadata.get("namespace").and_then(Node::as_str)
        && !namespace.is_empty()
        && !is_label(namespace)
    {
        found.push(invalid(at.clone().key("namespace"), namespace, LABEL));
    }
    labels(metadata, &at, &mut found);
    annotations(metadata, &at, &mut found);
    let fine = found.is_empty();
    found.into_iter().for_each(|diagnostic| sink.report(diagnostic));
    fine
}

fn name_fault(name: &str, kind: Kind, at: &At) -> Option<Diagnostic> {
    let at = at.clone().key("name");
    if name.is_empty() {
        return Some(fault(at, "Required value"));
    }
    match kind {
        Kind::Namespace => (!is_label(name)).then(|| invalid(at, name, LABEL)),
        _ => (!is_subdomain(name)).then(|| invalid(at, name, SUBDOMAIN)),
    }
}

fn labels(metadata: &Node<'_>, at: &At, found: &mut Vec<Diagnostic>) {
    let at = at.clone().key("labels");
    for Entry { key, value, .. } in metadata.get("labels").map(Node::entries).unwrap_or_default() {
        if let Some(wanted) = key_fault(key) {
            found.push(invalid_key(&at, key, wanted));
        }
        if let Some(text) = value.as_str()
            && !text.is_empty()
            && !is_qualified(text)
        {
            found.push(invalid(at.clone().key(key.clone().into_owned()), text, QUALIFIED));
        }
    }
}

fn annotations(metadata: &Node<'_>, at: &At, found: &mut Vec<Diagnostic>) {
    let at = at.clone().key("annotations");
    let mut size = 0;
    for Entry { key, value, .. } in metadata.get("annotations").map(Node::entries).unwrap_or_default() {
        if let Some(wanted) = key_fault(key) {
            found.push(invalid_key(&at, key, wanted));
        }
        size += key.len() + value.as_str().map_or(0, str::len);
    }
    if size > MAX_ANNOTATIONS {
        found.push(fault(at, &format!("Too long: may not be more than {MAX_ANNOTATIONS} bytes")));
    }
}

/// What is wrong with the key of a label or annotation: an optional domain, a slash, a name.
fn key_fault(key: &str) -> Option<&'static str> {
    let name = match key.split_once('/') {
        Some((prefix, _)) if !is_subdomain(&prefix.to_ascii_lowercase()) => return Some(SUBDOMAIN),
        Some((_, name)) => name,
        None => key,
    };
    (!is_qualified(name)).then_some(QUALIFIED)
}

fn is_subdomain(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_dns_part)
}

fn is_label(text: &str) -> bool {
    text.len() <= 63 && is_dns_part(text)
}

fn is_dns_part(text: &str) -> bool {
    let alphanumeric = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit();
    ends(text, alphanumeric) && text.bytes().all(|c| alphanumeric(c) || c == b'-')
}

fn is_qualified(text: &str) -> bool {
    let alphanumeric = |c: u8| c.is_ascii_alphanumeric();
    text.len() <= 63
        && ends(text, alphanumeric)
        && text.bytes().all(|c| alphanumeric(c) || matches!(c, b'-' | b'_' | b'.'))
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
    fault(at, &format!("Invalid value: {value:?}: {wanted}"))
}

fn invalid_key(at: &At, key: &str, wanted: &str) -> Diagnostic {
    let message = format!("{}: Invalid value: {key:?}: {wanted}", at.route);
    Diagnostic::new(&INVALID_METADATA, Place::Key(at.clone().key(key.to_owned())), message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_subdomains() {
        assert!(is_subdomain("a") && is_subdomain("a-b.c1") && is_subdomain(&"a".repeat(253)));
        assert!(!is_subdomain("") && !is_subdomain("A") && !is_subdomain("a..b") && !is_subdomain("a-"));
        assert!(!is_subdomain(&"a".repeat(254)));
        assert!(!is_label("a.b") && !is_label(&"a".repeat(64)));
    }

    #[test]
    fn keys_have_an_optional_domain() {
        for good in ["app", "app.kubernetes.io/name", "A_b.c", "Example.COM/x"] {
            assert_eq!(key_fault(good), None, "{good}");
        }
        for bad in ["", "/a", "a/", "a/b/c", "-a", "a b", "ex ample/x"] {
            assert!(key_fault(bad).is_some(), "{bad}");
        }
    }
}
