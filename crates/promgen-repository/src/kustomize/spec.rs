//! Kinds of objects, in Kustomize's order; fields of objects by path: which objects have them, and their values.

use promgen_text::route::Segment;
use promgen_text::shared::SharedItems;
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Node, edit};

use crate::id::Id;
use crate::kustomize::fault::{BuildResult, refuse};

/// Kinds that others depend on.
pub(super) const FIRST: [&str; 22] = [
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
];

/// Kinds that depend on others.
pub(super) const LAST: [&str; 2] = [
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];

/// The place of a kind: kinds that neither list has stand between them.
pub(super) fn rank(kind: &str, first: &[&str], last: &[&str]) -> (i8, usize) {
    let place = |kinds: &[&str]| kinds.iter().position(|known| *known == kind);
    place(first)
        .map(|at| (0, at))
        .or_else(|| place(last).map(|at| (2, at)))
        .unwrap_or((1, 0))
}

/// A group, version and kind. What is empty matches anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Gvk {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
}

impl Gvk {
    /// One from texts.
    pub(super) fn new(group: &str, version: &str, kind: &str) -> Self {
        Self {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
        }
    }

    /// Reads the fields `group`, `version` and `kind`.
    pub(super) fn read(node: &Node) -> Self {
        let text = |key: &str| node.text_of(key).unwrap_or_default();
        Self::new(text("group"), text("version"), text("kind"))
    }

    /// Returns whether it matches all that another one does.
    pub(super) fn includes(&self, other: &Self) -> bool {
        self.matches(&other.group, &other.version, &other.kind)
    }

    fn matches(&self, group: &str, version: &str, kind: &str) -> bool {
        let matches = |wanted: &str, found: &str| wanted.is_empty() || wanted == found;
        matches(&self.group, group) && matches(&self.version, version) && matches(&self.kind, kind)
    }

    /// The place where Kustomize puts it in a list.
    pub(super) fn rank(&self) -> ((i8, usize), [&str; 3]) {
        let or = |text: &'static str, own| {
            if String::is_empty(own) {
                text
            } else {
                own.as_str()
            }
        };
        (
            rank(&self.kind, &FIRST, &LAST),
            [
                or("[noKind]", &self.kind),
                or("[noVer]", &self.version),
                or("[noGrp]", &self.group),
            ],
        )
    }

    /// Returns whether it matches the kind of an object.
    pub(super) fn selects(&self, id: &Id) -> bool {
        self.matches(&id.group, &id.version, &id.kind)
    }
}

/// A field of some kinds of objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FieldSpec {
    /// The kinds.
    pub(super) of: Gvk,
    /// The path, its parts separated by `/`; `\/` is a slash in a part, `[]` at the end of a part means a list.
    pub(super) path: String,
    /// The field is made where it is absent.
    pub(super) create: bool,
    parts: Vec<String>,
}

impl FieldSpec {
    /// The field of a path.
    pub(super) fn new(of: Gvk, path: String, create: bool) -> Self {
        Self {
            parts: parts(&path),
            of,
            path,
            create,
        }
    }

    /// A field that the kustomization names.
    pub(super) fn read(node: &Node) -> Self {
        let path = node.text_of("path").unwrap_or_default().to_owned();
        Self::new(Gvk::read(node), path, node.is_true("create"))
    }
    /// Calls a function with each value of the field. Where the field is absent and to be made, it is null at the place `made`.
    ///
    /// # Errors
    /// The path leads through a value that is neither map nor list, or the function fails.
    pub(super) fn visit(
        &self,
        object: &mut Node,
        made: Option<Span>,
        change: ChangeFn<'_, '_>,
    ) -> BuildResult {
        let visit = Visit {
            create: made.filter(|_| self.create),
            path: &self.path,
        };
        visit.node(object, &self.parts, &mut Vec::new(), change)
    }
}

/// The parts of a path.
fn parts(path: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut is_open = false;
    for part in path.trim_start_matches('/').split('/') {
        let (text, continues) = part
            .strip_suffix('\\')
            .map_or((part, false), |text| (text, true));
        match parts.last_mut().filter(|_| is_open) {
            Some(last) => {
                last.push('/');
                last.push_str(text);
            }
            None => parts.push(text.to_owned()),
        }
        is_open = continues;
    }
    parts
}

struct Visit<'p> {
    create: Option<Span>,
    path: &'p str,
}

/// The change of a value; it gets the route to the value, too.
pub(super) type ChangeFn<'c, 's> = &'c mut dyn FnMut(&mut Node, &[Segment]) -> BuildResult;

impl Visit<'_> {
    fn node(
        &self,
        node: &mut Node,
        parts: &[String],
        way: &mut Vec<Segment>,
        change: ChangeFn<'_, '_>,
    ) -> BuildResult {
        let Some((part, rest)) = parts.split_first() else {
            return change(node, way);
        };
        match &mut node.data {
            Data::Null => Ok(()),
            Data::Seq(items) => items.iter_mut().enumerate().try_for_each(|(index, item)| {
                way.push(Segment::Index(index));
                let result = self.node(item, parts, way, &mut *change);
                way.pop();
                result
            }),
            Data::Map(_) => self.entry(node, part, rest, way, change),
            _ => refuse(
                node.span,
                format!(
                    "path `{}` leads through a value that is neither map nor list",
                    self.path
                ),
            ),
        }
    }

    fn entry(
        &self,
        node: &mut Node,
        part: &str,
        rest: &[String],
        way: &mut Vec<Segment>,
        change: ChangeFn<'_, '_>,
    ) -> BuildResult {
        let (key, is_list) = part
            .strip_suffix("[]")
            .map_or((part, false), |key| (key, true));
        if key.is_empty() {
            return Ok(());
        }
        let place = self.create.filter(|_| !is_list);
        let found = match place {
            Some(place) => edit::get_or_insert(node, key, || edit::null(place)),
            None => node.get_mut(key),
        };
        let Some(value) = found else { return Ok(()) };
        match place {
            _ if !value.is_null() => {}
            _ if is_list => value.data = Data::Seq(SharedItems::default()),
            Some(place) if !rest.is_empty() => *value = edit::map(place),
            _ => {}
        }
        way.push(Segment::Key(key.to_owned().into()));
        let result = self.node(value, rest, way, change);
        way.pop();
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escaped_slash_is_part_of_a_key() {
        let parts = parts("metadata/annotations/a.io\\/b/c");
        assert_eq!(parts, ["metadata", "annotations", "a.io/b", "c"]);
    }
}
