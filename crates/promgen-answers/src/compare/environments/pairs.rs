//! Which environment of one side is the counterpart of which of the other: that with the same folders.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use promgen_model::Project;
use promgen_model::environments::{is_named, missing, names_below};
use promgen_repository::model::Environment;
use promgen_repository::path;
use promgen_text::CollectOrdered;

/// The environments of a side, with their folders as both sides name them.
pub(super) struct SideEnvironments<'a> {
    environments: Vec<NamedEnvironment<'a>>,
}

#[derive(Clone)]
struct NamedEnvironment<'a> {
    environment: Cow<'a, Environment>,
    folders: BTreeSet<String>,
    /// The same, in the order of the environment.
    below: Vec<String>,
    name: String,
}

/// An environment, and its counterpart.
pub(super) struct Pair<'a> {
    pub(super) name: String,
    pub(super) base: Option<Cow<'a, Environment>>,
    pub(super) head: Option<Cow<'a, Environment>>,
}

impl<'a> SideEnvironments<'a> {
    pub(super) fn new(project: &'a Arc<Project>, root: Option<&str>) -> Self {
        let environments = project.environments();
        let below = |folder: &str| {
            let root = root.map(|root| path::join(".", root));
            match root.as_deref().and_then(|root| path::below(folder, root)) {
                Some(below) => below.to_owned(),
                None if root.as_deref() == Some(folder) => ".".to_owned(),
                None => folder.to_owned(),
            }
        };
        let folders = environments.iter().map(|of| {
            of.folders
                .iter()
                .map(|folder| below(folder))
                .collect::<Vec<_>>()
        });
        let names = names_below(environments, &below);
        let named =
            environments
                .iter()
                .zip(folders)
                .zip(names)
                .map(|((environment, below), name)| NamedEnvironment {
                    environment: Cow::Borrowed(environment),
                    folders: below.iter().cloned().collect(),
                    below,
                    name,
                });
        Self {
            environments: named.collect(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.environments.len()
    }

    /// The side with each environment split that is several on the other side: what differs in nothing is one environment.
    fn split(&self, other: &Self) -> Self {
        let mut environments = Vec::with_capacity(self.environments.len());
        for of in &self.environments {
            // What several of them apply tells none from the others.
            let holders = |folder: &String| {
                other
                    .environments
                    .iter()
                    .filter(|of| of.folders.contains(folder))
                    .count()
            };
            let groups = other
                .environments
                .iter()
                .map(|other| other.folders.intersection(&of.folders).cloned().collect());
            let is_own = |group: &BTreeSet<String>| group.iter().any(|folder| holders(folder) == 1);
            let groups: Vec<BTreeSet<String>> = groups.filter(is_own).collect();
            if groups.len() < 2 {
                environments.push(of.clone());
                continue;
            }
            // The folders of the project itself, which may lie in the folder of a side.
            let written = |group: &BTreeSet<String>| {
                let all = of.environment.folders.iter().zip(&of.below);
                all.filter(|(_, below)| group.contains(*below))
                    .map(|(folder, _)| folder.clone())
                    .collect_set()
            };
            let own: Vec<BTreeSet<String>> = groups.iter().map(written).collect();
            let parts = of.environment.split(&own);
            for (environment, group) in parts.into_iter().zip(groups) {
                let likest = other
                    .environments
                    .iter()
                    .find(|other| !other.folders.is_disjoint(&group));
                let name = likest.map_or(&of.name, |other| &other.name).clone();
                let below = group.iter().cloned().collect();
                environments.push(NamedEnvironment {
                    environment: Cow::Owned(environment),
                    folders: group,
                    below,
                    name,
                });
            }
        }
        Self { environments }
    }

    fn names(&self) -> impl Iterator<Item = &String> {
        self.environments.iter().map(|of| &of.name)
    }
}

/// The pairs, in the order of the base; what only the head has comes last.
///
/// # Errors
/// No environment is one of those that are asked about.
pub(super) fn pairs<'a>(
    [base, head]: &[SideEnvironments<'a>; 2],
    asked: &[String],
) -> Result<Vec<Pair<'a>>, String> {
    let (base, head) = (&base.split(head), &head.split(base));
    let counterparts = counterparts(base, head);
    let taken: BTreeSet<usize> = counterparts.iter().copied().flatten().collect_set();
    let of_base = base
        .environments
        .iter()
        .zip(&counterparts)
        .map(|(old, new)| {
            let new = new.map(|new| &head.environments[new]);
            let name = new.map_or(&old.name, |new| &new.name).clone();
            let (base, head) = (
                Some(old.environment.clone()),
                new.map(|new| new.environment.clone()),
            );
            (Pair { name, base, head }, vec![old], new)
        });
    let of_head = head
        .environments
        .iter()
        .enumerate()
        .filter(|(n, _)| !taken.contains(n))
        .map(|(_, new)| {
            (
                Pair {
                    name: new.name.clone(),
                    base: None,
                    head: Some(new.environment.clone()),
                },
                Vec::new(),
                Some(new),
            )
        });
    let is_asked = |(_, old, new): &(
        Pair<'_>,
        Vec<&NamedEnvironment<'_>>,
        Option<&NamedEnvironment<'_>>,
    )| {
        asked.is_empty()
            || old
                .iter()
                .copied()
                .chain(*new)
                .any(|of| asked.iter().any(|asked| matches(of, asked)))
    };
    let pairs: Vec<Pair<'a>> = of_base
        .chain(of_head)
        .filter(is_asked)
        .map(|(pair, ..)| pair)
        .collect();
    if pairs.is_empty() && !asked.is_empty() {
        let names: BTreeSet<&String> = base.names().chain(head.names()).collect_set();
        let names: Vec<String> = names.into_iter().cloned().collect();
        return Err(missing(asked, &names));
    }
    Ok(pairs)
}

/// Returns whether an environment is the one of a name or folder, given as a path or by its last part.
fn matches(of: &NamedEnvironment<'_>, asked: &str) -> bool {
    is_named(of.folders.iter().chain([&of.name]), asked)
}

/// The number of the counterpart of each environment of the base.
fn counterparts(base: &SideEnvironments<'_>, head: &SideEnvironments<'_>) -> Vec<Option<usize>> {
    let mut found = vec![None; base.len()];
    let mut taken = BTreeSet::new();
    let mut candidates = Vec::new();
    for (old, a) in base.environments.iter().enumerate() {
        for (new, b) in head.environments.iter().enumerate() {
            let n_same = a.folders.intersection(&b.folders).count();
            if n_same > 0 {
                candidates.push((a.name != b.name, std::cmp::Reverse(n_same), old, new));
            }
        }
    }
    candidates.sort_unstable();
    for (_, _, old, new) in candidates {
        if found[old].is_none() && taken.insert(new) {
            found[old] = Some(new);
        }
    }
    // What is left on both sides was renamed.
    let left: Vec<usize> = (0..found.len())
        .filter(|old| found[*old].is_none())
        .collect();
    let free: Vec<usize> = (0..head.len()).filter(|new| !taken.contains(new)).collect();
    if let ([old], [new]) = (&*left, &*free) {
        found[*old] = Some(*new);
    }
    found
}
