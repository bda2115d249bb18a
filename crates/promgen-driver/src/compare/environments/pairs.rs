//! Which environment of one side is the counterpart of which of the other: that with the same folders.

use std::sync::Arc;

use crate::project::Project;
use promgen_repository::model::Environment;
use promgen_repository::path;
use promgen_text::sorted::SortedSet;

/// The environments of a side, with their folders as both sides name them.
pub(super) struct SideEnvironments<'a> {
    environments: Vec<NamedEnvironment<'a>>,
}

struct NamedEnvironment<'a> {
    environment: &'a Environment,
    folders: SortedSet<String>,
    name: String,
}

/// An environment, and its counterpart.
pub(super) struct Pair<'a> {
    pub(super) name: String,
    pub(super) base: Option<&'a Environment>,
    pub(super) head: Option<&'a Environment>,
}

impl<'a> SideEnvironments<'a> {
    pub(super) fn new(project: &'a Arc<Project>, root: Option<&str>) -> Self {
        let environments = project.environments();
        let below = |folder: &String| {
            let root = root.map(|root| path::join(".", root));
            match root.as_deref().and_then(|root| path::below(folder, root)) {
                Some(below) => below.to_owned(),
                None if root.as_ref() == Some(folder) => ".".to_owned(),
                None => folder.clone(),
            }
        };
        let folders: Vec<Vec<String>> = environments.iter().map(|of| of.folders.iter().map(below).collect()).collect();
        let all: Vec<&[String]> = folders.iter().map(Vec::as_slice).collect();
        let named = environments.iter().enumerate().map(|(n, environment)| NamedEnvironment {
            environment,
            folders: folders[n].iter().cloned().collect(),
            name: name(n, &all),
        });
        Self { environments: named.collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.environments.len()
    }

    fn names(&self) -> impl Iterator<Item = &String> {
        self.environments.iter().map(|of| &of.name)
    }
}

/// The names of environments: each the folder that tells it from the others.
#[must_use]
pub fn names(environments: &[Environment]) -> Vec<String> {
    (0..environments.len()).map(|n| name_of(environments, n)).collect()
}

/// The name of the environment of that number.
#[must_use]
pub fn name_of(environments: &[Environment], n: usize) -> String {
    let folders: Vec<&[String]> = environments.iter().map(|of| of.folders.as_slice()).collect();
    name(n, &folders)
}

/// The folder that tells an environment from the others: the one that is named most like one of another environment.
fn name(n: usize, all: &[&[String]]) -> String {
    let likeness = |folder: &str| {
        let others = all.iter().enumerate().filter(|(other, _)| *other != n).flat_map(|(_, folders)| *folders);
        others.map(|other| common(folder, other)).max().unwrap_or_default()
    };
    // The first of the likest.
    let likest = all[n].iter().rev().max_by_key(|folder| likeness(folder));
    likest.cloned().unwrap_or_else(|| ".".to_owned())
}

/// The number of parts that two paths have in common, from their starts and from their ends.
fn common(a: &str, b: &str) -> usize {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.split('/').collect(), b.split('/').collect());
    let from_start = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let from_end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    from_start + from_end
}

/// The pairs, in the order of the base; what only the head has comes last.
///
/// # Errors
/// No environment is one of those that are asked about.
pub(super) fn pairs<'a>([base, head]: &[SideEnvironments<'a>; 2], asked: &[String]) -> Result<Vec<Pair<'a>>, String> {
    let counterparts = counterparts(base, head);
    let taken: SortedSet<usize> = counterparts.iter().copied().flatten().collect();
    let of_base = base.environments.iter().zip(&counterparts).map(|(old, new)| {
        let new = new.map(|new| &head.environments[new]);
        let name = new.map_or(&old.name, |new| &new.name).clone();
        (Pair { name, base: Some(old.environment), head: new.map(|new| new.environment) }, vec![old], new)
    });
    let of_head = head.environments.iter().enumerate().filter(|(n, _)| !taken.contains(n)).map(|(_, new)| {
        (Pair { name: new.name.clone(), base: None, head: Some(new.environment) }, Vec::new(), Some(new))
    });
    let is_asked = |(_, old, new): &(Pair<'_>, Vec<&NamedEnvironment<'_>>, Option<&NamedEnvironment<'_>>)| {
        asked.is_empty() || old.iter().copied().chain(*new).any(|of| asked.iter().any(|asked| matches(of, asked)))
    };
    let pairs: Vec<Pair<'a>> = of_base.chain(of_head).filter(is_asked).map(|(pair, ..)| pair).collect();
    if pairs.is_empty() && !asked.is_empty() {
        let names: SortedSet<&String> = base.names().chain(head.names()).collect();
        let names: Vec<String> = names.into_iter().map(|name| format!("\n  {name}")).collect();
        return Err(format!("no environment `{}`; existing ones:{}", asked.join(", "), names.concat()));
    }
    Ok(pairs)
}

/// Whether an environment is the one of a folder, given as a path or by its last part.
fn matches(of: &NamedEnvironment<'_>, asked: &str) -> bool {
    let asked = asked.trim_end_matches('/');
    of.folders.iter().any(|folder| folder == asked || folder.rsplit('/').next() == Some(asked))
}

/// The number of the counterpart of each environment of the base.
fn counterparts(base: &SideEnvironments<'_>, head: &SideEnvironments<'_>) -> Vec<Option<usize>> {
    let mut found = vec![None; base.len()];
    let mut taken = SortedSet::new();
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
    let left: Vec<usize> = (0..found.len()).filter(|old| found[*old].is_none()).collect();
    let free: Vec<usize> = (0..head.len()).filter(|new| !taken.contains(new)).collect();
    if let ([old], [new]) = (&*left, &*free) {
        found[*old] = Some(*new);
    }
    found
}
