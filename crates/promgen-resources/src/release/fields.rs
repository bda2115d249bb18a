//! The fields that each release of the operator added, and how a release prunes those that it lacks.
//!
//! In: an object as it is written, and a release. Out: the object as the API server of that release keeps it, with what was
//! dropped. The rows stand in the table of facts.

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::api::Kind;
use crate::{facts, release};
use promgen_text::route::{Segment, ValueRoute};
use promgen_text::shared::Shared;
use promgen_text::source::Span;
use promgen_text::version::Version;
use promgen_text::yaml::{Data, Node};

/// A field that a release added.
#[derive(Debug, PartialEq, Eq)]
pub struct FieldRow {
    /// The kind that has it.
    pub kind: &'static str,
    /// Its path: `spec.endpoints[].noProxy`.
    pub path: &'static str,
    /// The first release that has it.
    pub since: Version,
    /// The steps of the path; `None` for the items of a list.
    steps: Vec<Option<&'static str>>,
}

impl FieldRow {
    /// The steps of its path.
    pub(crate) fn steps(&self) -> &[Option<&'static str>] {
        &self.steps
    }
}

/// A field that the API server of a release drops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrunedField {
    /// The place of its key.
    pub span: Span,
    /// Its route in the object.
    pub route: ValueRoute,
    /// The first release that has it.
    pub since: Version,
}

/// All rows, by release and in the order of kinds and paths.
pub fn rows() -> &'static [FieldRow] {
    static ROWS: OnceLock<Vec<FieldRow>> = OnceLock::new();
    ROWS.get_or_init(|| {
        facts::blocks("changes")
            .filter_map(|(release, line)| row(release, line))
            .collect()
    })
}

fn row(release: &'static str, line: &'static str) -> Option<FieldRow> {
    let (kind, path) = line.strip_prefix("+ ")?.split_once(' ')?;
    Some(FieldRow {
        kind,
        path,
        since: release::of_tag(release),
        steps: steps(path),
    })
}

/// The steps of a path; `None` for the items of a list.
pub(crate) fn steps(path: &'static str) -> Vec<Option<&'static str>> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        let name = part.trim_end_matches("[]");
        steps.push(Some(name));
        steps.extend(std::iter::repeat_n(None, (part.len() - name.len()) / 2));
    }
    steps
}

/// The rows of fields that a kind lacks in a release.
pub(crate) fn lacking(kind: Kind, operator: &Version) -> impl Iterator<Item = &'static FieldRow> {
    rows()
        .iter()
        .filter(move |row| row.kind == kind.as_str() && row.since > *operator)
}

/// The steps to the fields that an AlertmanagerConfig of v1beta1 lacks.
#[cfg(test)]
pub(crate) fn lacking_in_beta() -> impl Iterator<Item = Vec<Option<&'static str>>> {
    let lines = facts::blocks("version").filter_map(|(_, line)| line.strip_prefix("+ "));
    lines
        .filter_map(|line| line.split_once(' '))
        .map(|(_, path)| steps(path))
}

/// Drops the fields of an object that a release lacks. Returns what was dropped, in the order of the rows.
pub fn prune(kind: Kind, node: &mut Shared<Node>, operator: &Version) -> Vec<PrunedField> {
    let mut pruned = Vec::new();
    for row in lacking(kind, operator) {
        if has(node, &row.steps) {
            remove(
                node.make_mut(),
                &row.steps,
                &mut Vec::new(),
                &mut |span, route| {
                    pruned.push(PrunedField {
                        span,
                        route,
                        since: row.since.clone(),
                    });
                },
            );
        }
    }
    pruned
}

/// Returns whether there is something to drop.
fn has(node: &Node, steps: &[Option<&str>]) -> bool {
    match steps {
        [] => true,
        [Some(key), rest @ ..] => node.get(key).is_some_and(|value| has(value, rest)),
        [None, rest @ ..] => node.items().iter().any(|item| has(item, rest)),
    }
}

/// Drops what stands at the end of the steps.
fn remove(
    node: &mut Node,
    steps: &[Option<&'static str>],
    way: &mut Vec<Segment>,
    dropped: &mut impl FnMut(Span, ValueRoute),
) {
    match (&mut node.data, steps) {
        (Data::Map(entries), [Some(key)]) => entries.retain(|entry| {
            let is_other = entry.key != *key;
            if !is_other {
                way.push(Segment::Key(Cow::Borrowed(*key)));
                dropped(entry.key_span, ValueRoute(way.clone()));
                way.pop();
            }
            is_other
        }),
        (Data::Map(entries), [Some(key), rest @ ..]) => {
            for entry in entries.iter_mut().filter(|entry| entry.key == *key) {
                way.push(Segment::Key(Cow::Borrowed(*key)));
                remove(&mut entry.value, rest, way, dropped);
                way.pop();
            }
        }
        (Data::Seq(items), [None, rest @ ..]) => {
            for (index, item) in items.iter_mut().enumerate() {
                way.push(Segment::Index(index));
                remove(item, rest, way, dropped);
                way.pop();
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::emit::{Dialect, to_string};
    use promgen_text::yaml::read::read;

    #[test]
    fn a_release_keeps_what_it_knows() {
        let text = "spec: {endpoints: [{port: a, noProxy: b}, {noProxy: c}], serviceDiscoveryRole: Endpoints}\n";
        let node = || {
            read(FileId::new(0), text, &mut Sink::default())[0]
                .root
                .clone()
        };
        let pruned = |version: &str| {
            let mut node = node();
            let operator = release::parse(version).unwrap();
            let pruned = prune(Kind::ServiceMonitor, &mut node, &operator);
            let routes = pruned
                .iter()
                .map(|p| format!("{} {}", p.since, p.route))
                .collect::<Vec<_>>();
            (
                routes,
                node.to_value()
                    .get("spec")
                    .map(|spec| to_string(spec, Dialect::Sigs)),
            )
        };
        let (routes, left) = pruned("v0.83.0");
        let both = [
            "0.84.0 spec.endpoints[0].noProxy",
            "0.84.0 spec.endpoints[1].noProxy",
        ];
        assert_eq!(
            routes,
            [both[0], both[1], "0.86.0 spec.serviceDiscoveryRole"]
        );
        assert_eq!(left.as_deref(), Some("endpoints:\n- port: a\n- {}\n"));
        assert_eq!(pruned("v0.85.0").0, ["0.86.0 spec.serviceDiscoveryRole"]);
        assert_eq!(pruned("v0.86.0").0, Vec::<String>::new());
    }

    #[test]
    fn every_row_has_a_release_and_a_kind() {
        assert_eq!(
            rows().len(),
            facts::blocks("changes")
                .filter(|(_, line)| line.starts_with('+'))
                .count()
        );
        assert!(rows().is_sorted_by_key(|row| &row.since));
        for row in rows() {
            assert!(
                Kind::ALL.iter().any(|kind| kind.as_str() == row.kind),
                "{row:?}"
            );
        }
    }
}
