//! JSON patches (RFC 6902), as the library of Kustomize applies them.
//!
//! It differs from the standard: `replace` and `copy` take a missing key of a map as null, negative indices count from
//! the end, and the text before the first `/` of a path is not read. Afterwards the annotations of the object are texts.

use std::borrow::Cow;

use promgen_text::source::Span;
use promgen_text::yaml::{Data, Node, edit};

use crate::kustomize::budget::Budget;
use crate::kustomize::fault::{BuildFault, BuildResult, refuse};
use crate::kustomize::value::{MAX_DEPTH, ValueKind, expected, kind, size, text_as, write_texts};

/// Applies the operations of a JSON patch in order.
///
/// # Errors
/// An operation is malformed, a `test` fails, or a path does not exist.
pub fn apply(object: Node, operations: &Node) -> BuildResult<Node> {
    apply_within(object, operations, &Budget::default())
}

/// Applies the operations within the budget of a build.
pub(in crate::kustomize) fn apply_within(
    object: Node,
    operations: &Node,
    budget: &Budget,
) -> BuildResult<Node> {
    let Data::Seq(list) = &operations.data else {
        return Err(expected("a list of operations", operations));
    };
    let mut document = PatchedDocument {
        root: object,
        passed: 0,
        budget,
    };
    for operation in list {
        document.apply(operation)?;
    }
    let PatchedDocument { mut root, .. } = document;
    if kind(&root) != ValueKind::Map {
        return refuse(operations.span, "the patch leaves no object");
    }
    write_texts(&mut root, "annotations");
    Ok(root)
}

/// The number of values that stand directly in a collection.
fn length(node: &Node) -> usize {
    node.items().len() + node.entries().len()
}

struct PatchedDocument<'b> {
    root: Node,
    budget: &'b Budget,
    /// The number of values that were passed on the way to them.
    passed: usize,
}

/// A path of an operation, split into the place of a collection and the key in it.
struct OperationPath<'p> {
    span: Span,
    text: &'p str,
    parents: Vec<Cow<'p, str>>,
    key: Cow<'p, str>,
}

impl<'p> OperationPath<'p> {
    fn read(operation: &'p Node, field: &str) -> BuildResult<Self> {
        let Some(value) = operation.get(field) else {
            return refuse(operation.span, format!("the operation lacks `{field}`"));
        };
        let text = text_as("a path", value)?;
        // The text before the first `/` is skipped, whatever it is.
        let mut parents: Vec<_> = text.split('/').skip(1).map(unescaped).collect();
        let key = parents.pop().unwrap_or_default();
        Ok(Self {
            span: value.span,
            text,
            parents,
            key,
        })
    }

    /// Returns whether the path names a place in the object, and not the object.
    fn is_within(&self) -> bool {
        self.text.contains('/')
    }

    fn missing(&self) -> BuildFault {
        BuildFault::new(self.span, format!("the object has no `{}`", self.text))
    }
}

/// A key without its escapes: `~1` is a slash, `~0` a tilde.
fn unescaped(part: &str) -> Cow<'_, str> {
    if !part.contains('~') {
        return Cow::Borrowed(part);
    }
    let mut text = String::with_capacity(part.len());
    let mut rest = part;
    while let Some(at) = rest.find('~') {
        text.push_str(&rest[..at]);
        let (plain, length) = match rest.as_bytes().get(at + 1) {
            // One pass: `~01` is `~1`, and no slash.
            Some(b'1') => ('/', 2),
            Some(b'0') => ('~', 2),
            _ => ('~', 1),
        };
        text.push(plain);
        rest = &rest[at + length..];
    }
    text.push_str(rest);
    Cow::Owned(text)
}

impl PatchedDocument<'_> {
    fn apply(&mut self, operation: &Node) -> BuildResult {
        let Some(name) = operation.get("op") else {
            return refuse(operation.span, "the operation lacks `op`");
        };
        let path = OperationPath::read(operation, "path")?;
        // Without a value, null is written.
        let value = || {
            let value = operation.get("value").cloned();
            value.unwrap_or(edit::null(operation.span))
        };
        match name.as_str() {
            Some("add") => self.add(&path, value()),
            Some("remove") => self.remove(&path).map(drop),
            Some("replace") => self.replace(&path, value()),
            Some("test") => {
                self.budget.visit(
                    operation.get("value").map_or(1, |value| size(value).0),
                    path.span,
                )?;
                self.test(&path, &value())
            }
            Some("move") => {
                let from = OperationPath::read(operation, "from")?;
                let value = self.remove(&from)?;
                self.add(&path, value)
            }
            Some("copy") => {
                let from = OperationPath::read(operation, "from")?;
                let value = self.get(&from)?.cloned();
                self.add(&path, value.unwrap_or(edit::null(from.span)))
            }
            _ => refuse(
                name.span,
                "unknown operation; known are add, remove, replace, move, copy, test",
            ),
        }
    }

    fn add(&mut self, path: &OperationPath<'_>, value: Node) -> BuildResult {
        self.spend(path, &value)?;
        match &mut self.parent(path)?.data {
            Data::Seq(items) => {
                // `-` is the place behind the last item.
                let at = if path.key == "-" {
                    Some(items.len())
                } else {
                    index(&path.key, items.len() + 1)
                };
                let at = at
                    .filter(|at| *at <= items.len())
                    .ok_or_else(|| path.missing())?;
                items.insert(at, value);
            }
            Data::Map(entries) => edit::put(entries, (&*path.key).into(), path.span, value),
            _ => return Err(path.missing()),
        }
        Ok(())
    }

    fn remove(&mut self, path: &OperationPath<'_>) -> BuildResult<Node> {
        match &mut self.parent(path)?.data {
            Data::Seq(items) => {
                let at = index(&path.key, items.len()).filter(|at| *at < items.len());
                Ok(items.remove(at.ok_or_else(|| path.missing())?))
            }
            Data::Map(entries) => {
                let at = entries.iter().position(|entry| entry.key == *path.key);
                Ok(entries.remove(at.ok_or_else(|| path.missing())?).value)
            }
            _ => Err(path.missing()),
        }
    }

    fn replace(&mut self, path: &OperationPath<'_>, value: Node) -> BuildResult {
        if path.text.is_empty() {
            self.root = value;
            return Ok(());
        }
        self.spend(path, &value)?;
        match &mut self.parent(path)?.data {
            Data::Seq(items) => {
                let at = index(&path.key, items.len()).ok_or_else(|| path.missing())?;
                *items.get_mut(at).ok_or_else(|| path.missing())? = value;
            }
            Data::Map(entries) => edit::put(entries, (&*path.key).into(), path.span, value),
            _ => return Err(path.missing()),
        }
        Ok(())
    }

    fn test(&mut self, path: &OperationPath<'_>, value: &Node) -> BuildResult {
        let found = if path.text.is_empty() {
            Some(&self.root)
        } else {
            self.get(path)?
        };
        // A missing key tests as null.
        if found.map_or(value.is_null(), |found| is_equal(found, value)) {
            return Ok(());
        }
        refuse(
            path.span,
            format!(
                "the test of `{}` fails: the object has another value",
                path.text
            ),
        )
    }

    /// The value of a path. `None`: its last key is not in its map.
    fn get(&mut self, path: &OperationPath<'_>) -> BuildResult<Option<&Node>> {
        let parent = &*self.parent(path)?;
        match &parent.data {
            Data::Seq(items) => {
                let found = index(&path.key, items.len()).and_then(|at| items.get(at));
                found.map(Some).ok_or_else(|| path.missing())
            }
            _ => Ok(parent.get(&path.key)),
        }
    }

    /// The collection that holds what a path names.
    fn parent(&mut self, path: &OperationPath<'_>) -> BuildResult<&mut Node> {
        if !path.is_within() {
            return Err(path.missing());
        }
        let before = self.passed;
        let mut node = &mut self.root;
        self.passed += length(node);
        for part in &path.parents {
            let is_list = kind(node) == ValueKind::List;
            let next = if is_list {
                item_mut(node, part)
            } else {
                node.get_mut(part)
            };
            node = next.ok_or_else(|| path.missing())?;
            self.passed += length(node);
        }
        // A look at a key takes little.
        self.budget
            .visit((self.passed - before) / 8 + 1, path.span)?;
        match kind(node) {
            ValueKind::Map | ValueKind::List => Ok(node),
            _ => Err(path.missing()),
        }
    }

    /// Keeps the object small: operations can double it each time.
    fn spend(&mut self, path: &OperationPath<'_>, value: &Node) -> BuildResult {
        let (_, depth) = size(value);
        self.budget.write_node(value, path.span)?;
        if depth + path.parents.len() >= MAX_DEPTH {
            return refuse(
                path.span,
                format!("the patch nests more than {MAX_DEPTH} collections"),
            );
        }
        Ok(())
    }
}

fn item_mut<'n>(node: &'n mut Node, part: &str) -> Option<&'n mut Node> {
    let Data::Seq(items) = &mut node.data else {
        return None;
    };
    let at = index(part, items.len())?;
    items.get_mut(at)
}

/// An index of a list of that length; a negative one counts from the end.
fn index(part: &str, length: usize) -> Option<usize> {
    let at: i64 = part.parse().ok()?;
    if at < 0 {
        length.checked_sub(usize::try_from(at.unsigned_abs()).ok()?)
    } else {
        usize::try_from(at).ok()
    }
}

/// Returns whether two values are the same, wherever they stand and in whatever order.
fn is_equal(a: &Node, b: &Node) -> bool {
    match (&a.data, &b.data) {
        (Data::Seq(a), Data::Seq(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equal(a, b))
        }
        (Data::Map(_), Data::Map(_)) => {
            a.entries().len() == b.entries().len()
                && edit::sorted_entries(a)
                    .into_iter()
                    .zip(edit::sorted_entries(b))
                    .all(|(a, b)| a.key == b.key && is_equal(&a.value, &b.value))
        }
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests;
