//! The environments of a project: what `lint`, `diff`, the page and the editor call them, what a user calls them, and what of the
//! limits they take.

use std::collections::BTreeMap;

use crate::glob::Globs;
use promgen_repository::model::Environment;
use promgen_text::diag::Diagnostic;
use promgen_text::limits::{Excess, LIMIT_EXCEEDED, Limit, Limits};
use promgen_text::suggest::is_like;

/// What environments take of the limits of a run, whoever asks them one after the other.
#[derive(Clone, Copy, Debug)]
pub struct EnvironmentAccount {
    limits: Limits,
    bytes: u64,
    objects: u64,
}

impl EnvironmentAccount {
    /// The account of a run with these limits.
    #[must_use]
    pub const fn new(limits: Limits) -> Self {
        Self {
            limits,
            bytes: 0,
            objects: 0,
        }
    }

    /// Spends the objects of environments.
    pub fn add<'e>(&mut self, environments: impl IntoIterator<Item = &'e Environment>) {
        self.objects += environments.into_iter().map(Environment::cost).sum::<u64>();
    }

    /// Spends the findings about one, and the bytes that it compiles to.
    pub const fn add_answer(&mut self, n_findings: usize, n_bytes: u64) {
        self.objects += n_findings as u64;
        self.bytes += n_bytes;
    }

    /// The limit that is exceeded.
    #[must_use]
    pub fn excess(&self) -> Option<Excess> {
        let used = [
            (Limit::CheckedBytes, self.bytes),
            (Limit::EnvironmentObjects, self.objects),
        ];
        let exceeded = used
            .into_iter()
            .find(|(limit, used)| *used > self.limits.get(*limit));
        exceeded.map(|(limit, _)| self.limits.excess(limit))
    }
}

/// The finding that some environments are left out, as a limit is exceeded. `n_done` and `n_all` are the costs of those before,
/// and of all.
#[must_use]
pub fn left_out(excess: &Excess, n_done: u64, n_all: u64, help: String) -> Diagnostic {
    // Nothing done tells nothing of the rest.
    let needed = if n_done == 0 {
        excess.max.saturating_add(n_all)
    } else {
        excess.extrapolated(n_done, n_all)
    };
    let found = Diagnostic::placeless(
        &LIMIT_EXCEEDED,
        excess.message("what the environments hold"),
    );
    found.help(excess.help_for(needed)).help(help)
}

/// The names of environments: each the folder that Flux or Argo CD starts from, or that tells it from the others.
#[must_use]
pub fn names(environments: &[Environment]) -> Vec<String> {
    names_below(environments, &str::to_owned)
}

/// The same, with folders as `below` gives them.
pub fn names_below(environments: &[Environment], below: &dyn Fn(&str) -> String) -> Vec<String> {
    let mut names: Vec<Option<String>> = vec![None; environments.len()];
    for which in [0, 1] {
        let start = |n: usize| environments[n].starts()[which].filter(|start| *start != ".");
        let open: Vec<usize> = (0..names.len()).filter(|n| names[*n].is_none()).collect();
        let n_each = counted(open.iter().filter_map(|n| start(*n)));
        for n in open {
            names[n] = start(n)
                .filter(|start| n_each[start] == 1)
                .map(below)
                .filter(|name| !is_taken(&names, name));
        }
    }
    let told: Vec<Vec<String>> = environments
        .iter()
        .map(|of| told(of).into_iter().map(below).collect())
        .collect();
    let told: Vec<&[String]> = told.iter().map(Vec::as_slice).collect();
    let of_folders =
        |n: usize| of_cluster(environments, n, below).unwrap_or_else(|| name(n, &told));
    let names: Vec<String> = (0..)
        .zip(names)
        .map(|(n, name)| name.unwrap_or_else(|| of_folders(n)))
        .collect();
    let n_each = counted(&names);
    let with_applier =
        |(name, of): (&String, &Environment)| match of.applier().filter(|_| n_each[name] > 1) {
            Some(applier) => format!("{name} ({applier})"),
            None => name.clone(),
        };
    names.iter().zip(environments).map(with_applier).collect()
}

fn is_taken(names: &[Option<String>], name: &str) -> bool {
    names.iter().flatten().any(|other| other == name)
}

fn counted<T: Ord>(all: impl IntoIterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    all.into_iter()
        .for_each(|one| *counts.entry(one).or_default() += 1);
    counts
}

/// The folders of an environment that may lend it a name: those that something applies, if there are some.
fn told(environment: &Environment) -> Vec<&str> {
    let applied: Vec<&str> = environment.applied_folders().collect();
    if applied.is_empty() {
        environment.folders.iter().map(String::as_str).collect()
    } else {
        applied
    }
}

/// The name of an environment that shares a folder with that of another cluster.
fn of_cluster(
    environments: &[Environment],
    n: usize,
    below: &dyn Fn(&str) -> String,
) -> Option<String> {
    let (own, cluster) = (&environments[n], environments[n].cluster.as_ref()?);
    let is_apart =
        |other: &&Environment| other.cluster.as_ref().is_some_and(|other| other != cluster);
    let others: Vec<&Environment> = environments.iter().filter(is_apart).collect();
    let shared = own
        .folders
        .iter()
        .find(|folder| others.iter().any(|other| other.folders.contains(folder)))?;
    Some(format!("{} ({cluster})", below(shared)))
}

/// Returns whether an environment of that name is asked for: by its name, its cluster, or one of its folders.
#[must_use]
pub fn is_asked(environment: &Environment, name: &str, asked: &str) -> bool {
    let is_cluster = || environment.cluster.as_deref() == Some(asked);
    is_named(&environment.folders, asked) || is_cluster() || is_named([&name.to_owned()], asked)
}

/// The folder that tells an environment from the others: the one that is named most like one of another environment.
pub fn name(n: usize, all: &[&[String]]) -> String {
    let likeness = |folder: &str| {
        let others = all
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != n)
            .flat_map(|(_, folders)| *folders);
        others
            .map(|other| common(folder, other))
            .max()
            .unwrap_or_default()
    };
    // What several environments apply tells none from the others.
    let is_shared = |folder: &String| {
        all.iter()
            .enumerate()
            .any(|(other, folders)| other != n && folders.contains(folder))
    };
    let own: Vec<&String> = all[n].iter().filter(|folder| !is_shared(folder)).collect();
    let told = if own.is_empty() {
        all[n].iter().collect()
    } else {
        own
    };
    // The first of the likest.
    let likest = told.into_iter().rev().max_by_key(|folder| likeness(folder));
    likest.cloned().unwrap_or_else(|| ".".to_owned())
}

/// The number of parts that two paths have in common, from their starts and from their ends.
fn common(a: &str, b: &str) -> usize {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.split('/').collect(), b.split('/').collect());
    let from_start = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let from_end = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    from_start + from_end
}

/// The message about an environment that there is not: the one that is most likely meant, and all names.
#[must_use]
pub fn missing(asked: &[String], names: &[String]) -> String {
    let last = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    let near = asked.iter().find_map(|asked| {
        let beginning = names
            .iter()
            .find(|name| last(name).starts_with(&last(asked)));
        let lasts: Vec<String> = names.iter().map(|name| last(name)).collect();
        let slip = || {
            names
                .iter()
                .zip(&lasts)
                .find(|(_, own)| is_like(&last(asked), own))
        };
        beginning.or_else(|| slip().map(|(name, _)| name))
    });
    let near = near
        .map(|near| format!("did you mean `{near}`? "))
        .unwrap_or_default();
    let listed: String = names.iter().map(|name| format!("\n  {name}")).collect();
    format!(
        "no environment `{}`; {near}existing ones:{listed}",
        asked.join(", ")
    )
}

/// Returns whether one of some folders is meant by a path, by its last part, or by a glob.
#[must_use]
pub fn is_named<'f>(folders: impl IntoIterator<Item = &'f String>, asked: &str) -> bool {
    let asked = asked
        .strip_prefix("./")
        .unwrap_or(asked)
        .trim_end_matches('/');
    let globs = asked
        .contains(['*', '?'])
        .then(|| Globs::new([&*format!("**/{asked}")]));
    folders.into_iter().any(|folder| {
        let is_it = folder == asked || folder.rsplit('/').next() == Some(asked);
        is_it || globs.as_ref().is_some_and(|globs| globs.is_match(folder))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_that_was_meant_is_named() {
        let names = ["overlays/production", "overlays/staging"].map(str::to_owned);
        let told = |asked: &str| missing(&[asked.to_owned()], &names);
        assert!(told("prod").starts_with(
            "no environment `prod`; did you mean `overlays/production`? existing ones:\n"
        ));
        assert!(told("overlays/stagin").contains("did you mean `overlays/staging`?"));
        assert!(!told("eu").contains("did you mean"));
    }
}
