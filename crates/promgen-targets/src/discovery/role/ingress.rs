//! Role `ingress`: a target for each path, for probes from outside.

use crate::discovery::object::{DiscoveredIngress, IngressRule};
use crate::discovery::scope::QueryScope;
use crate::discovery::text::{TargetLabels, Text, meta, set_known};
use crate::discovery::{ADDRESS, LabelledObject, TargetGroup};

/// The group of an ingress.
pub(crate) fn group<'d>(
    scope: &QueryScope<'d>,
    known: &'d LabelledObject<DiscoveredIngress>,
) -> Option<TargetGroup> {
    let ingress = &known.object;
    let mut group = scope.group("ingress", known);
    let class = ingress.spec.ingress_class_name.as_ref().map(Text::from);
    set_known(&mut group.labels, [(meta!("ingress_class_name"), class)]);
    for rule in &ingress.spec.rules {
        let scheme = if is_encrypted(ingress, &rule.host) {
            "https"
        } else {
            "http"
        };
        for path in paths(rule) {
            scope.push(&mut group, target(&rule.host, scheme, path));
        }
    }
    Some(group)
}

fn target(host: &str, scheme: &'static str, path: &str) -> TargetLabels {
    let host = Text::from(host);
    TargetLabels::from([
        (Text::from_static(ADDRESS), host.clone()),
        (meta!("ingress_host"), host),
        (meta!("ingress_scheme"), Text::from_static(scheme)),
        (meta!("ingress_path"), Text::from(path)),
    ])
}

/// The paths of a rule. A rule without `http` matches every path.
fn paths(rule: &IngressRule) -> Vec<&str> {
    let Some(http) = &rule.http else {
        return vec!["/"];
    };
    let paths = http.paths.iter().map(|path| &*path.path);
    paths
        .map(|path| if path.is_empty() { "/" } else { path })
        .collect()
}

fn is_encrypted(ingress: &DiscoveredIngress, host: &str) -> bool {
    ingress
        .spec
        .tls
        .iter()
        .flat_map(|tls| &tls.hosts)
        .any(|pattern| covers(pattern, host))
}

/// Returns whether a name of a certificate covers a host: it is the same, or has a star in place of its first part.
fn covers(pattern: &str, host: &str) -> bool {
    let (first, rest) = split_first(pattern);
    pattern == host || first == "*" && rest == split_first(host).1
}

fn split_first(name: &str) -> (&str, Option<&str>) {
    name.split_once('.')
        .map_or((name, None), |(first, rest)| (first, Some(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_one_part() {
        for (pattern, host, expected) in [
            ("a.example.com", "a.example.com", true),
            ("*.example.com", "a.example.com", true),
            ("*.example.com", "a.b.example.com", false),
            ("*.example.com", "example.com", false),
            ("*", "single", true),
            ("*", "", true),
            ("*", "a.b", false),
            ("", "", true),
            ("a*.example.com", "ab.example.com", false),
        ] {
            assert_eq!(covers(pattern, host), expected, "{pattern} {host}");
        }
    }
}
