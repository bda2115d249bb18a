//! Names of objects in other objects, brought up to date after the objects have got new names.

use std::collections::{BTreeMap, BTreeSet};

use promgen_text::source::Span;
use promgen_text::yaml::{Data, Node, edit};

use super::config::TransformerFields;
use super::{effective_namespace, is_same_namespace};
use crate::id::{Id, or_default};
use crate::kustomize::budget::Budget;
use crate::kustomize::fault::{BuildResult, refuse};
use crate::kustomize::object::BuiltObject;
use crate::kustomize::spec::{FieldSpec, Gvk};
use promgen_text::CollectOrdered;

/// An object that a field may name.
struct ReferenceCandidate {
    id: Id,
    earlier: Vec<Id>,
    prefixes: Vec<String>,
    suffixes: Vec<String>,
}

impl ReferenceCandidate {
    fn original(&self) -> &Id {
        self.earlier.first().unwrap_or(&self.id)
    }
}

/// Sets all names that refer to objects that have another name or namespace now.
///
/// # Errors
/// A name that may mean several objects.
pub(super) fn fix(
    objects: &mut [BuiltObject],
    config: &TransformerFields,
    budget: &Budget,
) -> BuildResult {
    let n_fields: usize = config
        .references
        .iter()
        .map(|reference| reference.fields.len())
        .sum();
    let candidates: Vec<ReferenceCandidate> = objects.iter().map(candidate).collect();
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, candidate) in candidates.iter().enumerate() {
        let names: BTreeSet<&str> = candidate
            .earlier
            .iter()
            .map(|id| id.name.as_str())
            .collect_set();
        names
            .into_iter()
            .for_each(|name| by_name.entry(name).or_default().push(index));
    }
    if by_name.is_empty() {
        return Ok(());
    }
    for (index, object) in objects.iter_mut().enumerate() {
        let original = object.original_id();
        budget.visit(n_fields / 16, object.node.span)?;
        for reference in &config.references {
            for spec in reference
                .fields
                .iter()
                .filter(|spec| spec.of.selects(&original))
            {
                let search = ReferenceSearch::new(
                    &candidates,
                    &by_name,
                    budget,
                    index,
                    &object.node,
                    &reference.target,
                    spec,
                );
                spec.visit(&mut object.node, None, &mut |node, _| search.set(node))?;
            }
        }
    }
    Ok(())
}

fn candidate(object: &BuiltObject) -> ReferenceCandidate {
    ReferenceCandidate {
        id: object.id(),
        earlier: object.earlier_ids().to_vec(),
        prefixes: object.prefixes.clone(),
        suffixes: object.suffixes.clone(),
    }
}

/// The search for the objects that one field of one object names.
struct ReferenceSearch<'c> {
    candidates: &'c [ReferenceCandidate],
    by_name: &'c BTreeMap<&'c str, Vec<usize>>,
    budget: &'c Budget,
    referrer: &'c ReferenceCandidate,
    target: &'c Gvk,
    /// The kind that `roleRef` states.
    role: Option<Gvk>,
    /// Namespaces of the accounts that a binding names.
    namespaces: BTreeSet<String>,
}

impl<'c> ReferenceSearch<'c> {
    fn new(
        candidates: &'c [ReferenceCandidate],
        by_name: &'c BTreeMap<&'c str, Vec<usize>>,
        budget: &'c Budget,
        index: usize,
        object: &Node,
        target: &'c Gvk,
        spec: &FieldSpec,
    ) -> Self {
        let text = |keys: &[&str]| object.text_at(keys).unwrap_or_default();
        let role = spec.path.ends_with("roleRef/name");
        let role = role.then(|| {
            Gvk::new(
                text(&["roleRef", "apiGroup"]),
                "",
                text(&["roleRef", "kind"]),
            )
        });
        let referrer = &candidates[index];
        let namespaces = if referrer.id.kind == "RoleBinding" {
            account_namespaces(object)
        } else {
            BTreeSet::new()
        };
        Self {
            candidates,
            by_name,
            budget,
            referrer,
            target,
            role,
            namespaces,
        }
    }

    /// Sets the name that a value is or has. Values of other types name nothing.
    fn set(&self, node: &mut Node) -> BuildResult {
        match &mut node.data {
            Data::Seq(items) => items.iter_mut().try_for_each(|item| self.set(item)),
            Data::Map(_) => self.set_map(node),
            Data::String(old) => {
                if let Some(found) = self.find(old, None, node.span)?
                    && found.id.name != *old
                {
                    self.budget.write(found.id.name.len(), node.span)?;
                    *old = found.id.name.as_str().into();
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A reference with a name and perhaps a namespace.
    fn set_map(&self, node: &mut Node) -> BuildResult {
        let Some(name) = node.get("name") else {
            return refuse(node.span, "the reference requires `name`");
        };
        let (old, span) = (name.as_str().unwrap_or_default().to_owned(), name.span);
        let namespace = node
            .get("namespace")
            .map(|namespace| namespace.as_str().unwrap_or_default().to_owned());
        let Some(found) = self.find(&old, namespace.as_deref(), span)? else {
            return Ok(());
        };
        self.budget
            .write(found.id.name.len() + found.id.namespace.len(), span)?;
        if found.id.name != old {
            edit::set(node, "name", span, edit::text(found.id.name.clone(), span));
        }
        if !found.id.namespace.is_empty() && namespace.as_ref() != Some(&found.id.namespace) {
            let place = node
                .get("namespace")
                .map_or(span, |namespace| namespace.span);
            edit::set(
                node,
                "namespace",
                place,
                edit::text(found.id.namespace.clone(), place),
            );
        }
        Ok(())
    }

    fn find(
        &self,
        name: &str,
        namespace: Option<&str>,
        span: Span,
    ) -> BuildResult<Option<&'c ReferenceCandidate>> {
        let named = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        self.budget.visit(1 + named.len(), span)?;
        let mut found: Vec<&ReferenceCandidate> =
            named.iter().map(|index| &self.candidates[*index]).collect();
        found.retain(|candidate| self.is_reachable(candidate));
        if let Some(namespace) = namespace {
            self.budget.visit(self.candidates.len(), span)?;
            self.retain_namespace(&mut found, namespace);
        }
        found.retain(|candidate| {
            let selects = |gvk: &Gvk| candidate.earlier.iter().any(|id| gvk.selects(id));
            selects(self.target)
                && self.role.as_ref().is_none_or(&selects)
                && self.is_near(candidate)
        });
        if found.len() > 1 {
            found.retain(|candidate| self.has_same_affixes(candidate));
        }
        match found.as_slice() {
            [] => Ok(None),
            [first, rest @ ..] if rest.iter().all(|other| other.id.name == first.id.name) => {
                Ok(Some(first))
            }
            [..] => refuse(span, format!("`{name}` may mean several objects")),
        }
    }

    /// Returns whether the referrer may name the candidate at all.
    fn is_reachable(&self, candidate: &ReferenceCandidate) -> bool {
        self.referrer.id.is_cluster_scoped()
            || candidate.id.is_cluster_scoped()
            || is_same_namespace(&self.referrer.id, &candidate.id)
            || self.namespaces.contains(&candidate.id.namespace)
    }

    /// Leaves the candidates of a namespace that a reference states: as they were at first if any object was there then,
    /// or else as they are.
    fn retain_namespace(&self, found: &mut Vec<&ReferenceCandidate>, namespace: &str) {
        let was_there = |candidate: &ReferenceCandidate| {
            effective_namespace(candidate.original()) == or_default(namespace)
        };
        if self
            .candidates
            .iter()
            .any(|candidate| was_there(candidate) && self.is_reachable(candidate))
        {
            return found.retain(|candidate| was_there(candidate));
        }
        found.retain(|candidate| effective_namespace(&candidate.id) == or_default(namespace));
    }

    /// Returns whether the candidate is where names without a namespace are looked up.
    fn is_near(&self, candidate: &ReferenceCandidate) -> bool {
        self.referrer.id.is_cluster_scoped()
            || candidate.id.is_cluster_scoped()
            || candidate.id.kind == "ServiceAccount"
            || is_same_namespace(&self.referrer.id, &candidate.id)
    }

    /// Returns whether both got the same prefixes and suffixes, as those of one base do.
    fn has_same_affixes(&self, candidate: &ReferenceCandidate) -> bool {
        have_same_end(&self.referrer.prefixes, &candidate.prefixes)
            && have_same_end(&self.referrer.suffixes, &candidate.suffixes)
    }
}

/// Returns whether the longer list ends in the shorter one. None is the end of none only.
fn have_same_end(a: &[String], b: &[String]) -> bool {
    a.is_empty() == b.is_empty() && (a.ends_with(b) || b.ends_with(a))
}

fn account_namespaces(object: &Node) -> BTreeSet<String> {
    let subjects = object.items_of("subjects");
    let accounts = subjects
        .iter()
        .filter(|subject| subject.text_of("kind") == Some("ServiceAccount"));
    accounts
        .filter_map(|subject| subject.text_of("namespace"))
        .map(ToOwned::to_owned)
        .collect_set()
}
