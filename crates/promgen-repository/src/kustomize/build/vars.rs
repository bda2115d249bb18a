//! `vars`: values of objects in texts of others, as `$(NAME)`.

use std::collections::BTreeMap;

use promgen_resources::secrecy::SecretTexts;
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Node};

use super::config::TransformerFields;
use crate::id::{Id, split_api_version};
use crate::kustomize::budget::Budget;
use crate::kustomize::fault::{BuildFault, BuildResult, refuse};
use crate::kustomize::object::BuiltObject;
use crate::kustomize::read::kustomization::Kustomization;

/// A variable.
#[derive(Clone, Debug)]
pub(super) struct Var {
    name: String,
    span: Span,
    /// The field of the object that has the value.
    path: String,
}

/// Adds the variables of a kustomization to those of its bases, and marks the objects that they name.
///
/// # Errors
/// A variable is there twice, or may mean several objects.
pub(super) fn define(
    vars: &mut Vec<Var>,
    objects: &mut [BuiltObject],
    kustomization: &Kustomization,
    budget: &Budget,
) -> BuildResult {
    for item in kustomization.items("vars") {
        let text = |keys: &[&str]| item.text_at(keys).unwrap_or_default();
        let path = Some(text(&["fieldref", "fieldPath"]))
            .filter(|path| !path.is_empty())
            .unwrap_or("metadata.name");
        let var = Var {
            name: text(&["name"]).to_owned(),
            span: item.span,
            path: path.to_owned(),
        };
        let (group, version) = match text(&["objref", "apiVersion"]) {
            "" => (text(&["objref", "group"]), text(&["objref", "version"])),
            api_version => split_api_version(api_version),
        };
        let id = Id {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: text(&["objref", "kind"]).to_owned(),
            name: text(&["objref", "name"]).to_owned(),
            namespace: text(&["objref", "namespace"]).to_owned(),
        };
        add(vars, var.clone(), budget)?;
        budget.visit(
            objects.iter().map(|object| object.ids.len()).sum(),
            var.span,
        )?;
        mark(objects, &id, &var)?;
    }
    Ok(())
}

/// Adds a variable, which has to be new.
///
/// # Errors
/// It is not.
pub(super) fn add(vars: &mut Vec<Var>, var: Var, budget: &Budget) -> BuildResult {
    budget.visit(1 + vars.len() / 4, var.span)?;
    if vars.iter().any(|other| other.name == var.name) {
        return refuse(var.span, format!("variable `{}` is there twice", var.name));
    }
    vars.push(var);
    Ok(())
}

fn mark(objects: &mut [BuiltObject], id: &Id, var: &Var) -> BuildResult {
    let is_meant = |other: &Id| {
        let in_namespace = id.namespace.is_empty() || super::is_same_namespace(other, id);
        in_namespace
            && (&other.group, &other.version, &other.kind, &other.name)
                == (&id.group, &id.version, &id.kind, &id.name)
    };
    let mut found = objects
        .iter_mut()
        .filter(|object| object.ids.iter().any(is_meant));
    let (first, second) = (found.next(), found.next());
    if second.is_some() {
        return refuse(
            var.span,
            format!("variable `{}` may mean several objects", var.name),
        );
    }
    if let Some(object) = first {
        object.vars.push(var.name.clone());
    }
    Ok(())
}

/// Replaces all variables by their values.
///
/// # Errors
/// The object or the field of a variable is absent.
pub(super) fn resolve(
    objects: &mut [BuiltObject],
    vars: &[Var],
    config: &TransformerFields,
    secrets: &SecretTexts,
    budget: &Budget,
) -> BuildResult {
    if vars.is_empty() {
        return Ok(());
    }
    let mut values: BTreeMap<String, Node> = BTreeMap::new();
    for var in vars {
        budget.visit(objects.len() + vars.len() / 4, var.span)?;
        let Some(object) = objects
            .iter()
            .find(|object| object.vars.contains(&var.name))
        else {
            budget.excuse(BuildFault::lacking(
                var.span,
                format!("no object is the one of variable `{}`", var.name),
            ))?;
            continue;
        };
        values.insert(var.name.clone(), value(&object.node, var)?);
    }
    // What is no scalar is left as it stands.
    values.retain(|_, value| !value.is_collection());
    let values = &Values {
        values,
        secrets,
        budget,
    };
    for object in objects {
        // The kind as written decides which fields may hold variables.
        let id = object.original_id();
        budget.visit(config.var_references.len() / 4, object.node.span)?;
        for spec in config
            .var_references
            .iter()
            .filter(|spec| spec.of.selects(&id))
        {
            spec.visit(&mut object.node, None, &mut |node, _| values.replace(node))?;
        }
    }
    Ok(())
}

/// The value of a path such as `spec.ports[0].port`.
fn value(object: &Node, var: &Var) -> BuildResult<Node> {
    // An escaped dot is no separator. NUL cannot stand in YAML, so it is free to stand in for it.
    let escaped = var.path.replace("\\.", "\u{0}");
    let mut node = object;
    for part in escaped.split('.') {
        let part = part.replace('\u{0}', ".");
        let (key, index) = match part.strip_suffix(']').and_then(|part| part.split_once('[')) {
            Some((key, index)) => (key, Some(index)),
            None => (part.as_str(), None),
        };
        let found = node.get(key).and_then(|value| match index {
            Some(index) => value.items().get(index.parse::<usize>().ok()?),
            None => Some(value),
        });
        let absent = || {
            BuildFault::new(
                var.span,
                format!(
                    "the object of variable `{}` has no `{}`",
                    var.name, var.path
                ),
            )
        };
        node = found.ok_or_else(absent)?;
    }
    Ok(node.clone())
}

/// The values of all variables.
struct Values<'v> {
    values: BTreeMap<String, Node>,
    secrets: &'v SecretTexts,
    budget: &'v Budget,
}

impl Values<'_> {
    fn replace(&self, node: &mut Node) -> BuildResult {
        match &mut node.data {
            Data::String(text) => {
                if let Some(ExpandedText { data, secret }) = self.expand(text, node.span)? {
                    *node = Node {
                        span: secret.unwrap_or(node.span),
                        data,
                    };
                }
            }
            Data::Seq(items) => {
                for item in items {
                    if !matches!(item.data, Data::String(_)) {
                        return refuse(
                            item.span,
                            "a field with variables requires a list of strings",
                        );
                    }
                    self.replace(item)?;
                }
            }
            Data::Map(entries) => {
                for entry in entries
                    .iter_mut()
                    .filter(|entry| matches!(entry.value.data, Data::String(_)))
                {
                    self.replace(&mut entry.value)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The text with its variables replaced, or the value of the only variable that it consists of. `$$` is a dollar sign.
    /// `None` if nothing changes.
    fn expand(&self, text: &str, span: Span) -> BuildResult<Option<ExpandedText>> {
        let mut secret = None;
        let mut get = |name: &str| {
            let value = self.values.get(name)?;
            secret = secret.or(Some(value.span).filter(|span| self.secrets.holds(*span)));
            Some(&value.data)
        };
        let data = expand(text, &mut get, &|n_bytes| self.budget.write(n_bytes, span))?;
        Ok(data.map(|data| ExpandedText { data, secret }))
    }
}

/// A text with its variables replaced.
struct ExpandedText {
    data: Data,
    /// The place of a value that is a secret. The text is one, too.
    secret: Option<Span>,
}

/// The text with its variables replaced.
///
/// # Errors
/// `write` refuses what the text grows by.
fn expand<'n: 'n>(
    text: &str,
    get: &mut dyn FnMut(&str) -> Option<&'n Data>,
    write: &dyn Fn(usize) -> BuildResult,
) -> BuildResult<Option<Data>> {
    // A text that is one variable gets its value with its type: a number stays a number.
    if let Some(value) = text
        .strip_prefix("$(")
        .and_then(|rest| rest.strip_suffix(')'))
        .and_then(&mut *get)
    {
        write(length(value))?;
        return Ok(Some(value.clone()));
    }
    write(text.len())?;
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let name = after
            .strip_prefix('(')
            .and_then(|inner| inner.split_once(')'));
        rest = match (after.chars().next(), name) {
            (Some('$'), _) => {
                out.push('$');
                &after[1..]
            }
            (Some('('), Some((name, rest))) => {
                match get(name) {
                    Some(value) => {
                        write(length(value))?;
                        out.push_str(&value.scalar_text().unwrap_or_default());
                    }
                    // An unknown variable is left as it is written: it may be one of the container's.
                    None => out.extend(["$(", name, ")"]),
                }
                rest
            }
            (Some(c), _) => {
                out.extend(['$', c]);
                &after[c.len_utf8()..]
            }
            (None, _) => {
                out.push('$');
                after
            }
        };
    }
    out.push_str(rest);
    Ok((out != text).then_some(Data::String(out.into())))
}

/// The bytes of a value that may be long.
fn length(value: &Data) -> usize {
    if let Data::String(text) = value {
        text.len()
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_expanded_as_kubernetes_does() {
        let values = BTreeMap::from([
            ("A".to_owned(), Data::String("x".into())),
            ("N".to_owned(), Data::Int(80)),
        ]);
        let text =
            |text: &str| match expand(text, &mut |name| values.get(name), &|_| Ok(())).unwrap() {
                Some(Data::String(text)) => text.to_string(),
                other => format!("{other:?}"),
            };
        assert_eq!(text("$(A).$(N)"), "x.80");
        assert_eq!(text("$(U) $$(A) $(A"), "$(U) $(A) $(A");
        assert_eq!(text("$A $$"), "$A $");
        assert_eq!(text("$(N)"), "Some(Int(80))");
        assert_eq!(text("$(U)$"), "None");
    }
}
