//! The names of things in the page: those that links lead to are the same in every run.

use std::fmt::Write as _;

use promgen_model::environments;
use promgen_repository::model::Environment;

/// The name of an environment.
#[derive(Clone, Debug)]
pub(super) struct Names {
    /// The folder that tells it from the others, as `promgen diff` calls it.
    pub(super) title: String,
    /// All its folders.
    pub(super) folders: Vec<String>,
    /// The prefix of the ids of its parts: nothing, if it is the only one.
    prefix: String,
}

impl Names {
    /// The names of each environment.
    pub(super) fn of(environments: &[Environment]) -> Vec<Self> {
        let is_alone = environments.len() == 1;
        let names = environments::names(environments)
            .into_iter()
            .zip(environments);
        names
            .map(|(name, environment)| Self::of_one(&name, environment, is_alone))
            .collect()
    }

    fn of_one(name: &str, environment: &Environment, is_alone: bool) -> Self {
        let folders: Vec<String> = environment
            .folders
            .iter()
            .map(|folder| named(folder))
            .collect();
        let title = if folders.is_empty() {
            "All manifests".to_owned()
        } else {
            named(name)
        };
        let prefix = if is_alone {
            String::new()
        } else {
            format!("{title}:")
        };
        Self {
            title,
            folders,
            prefix,
        }
    }

    /// The id of a part.
    pub(super) fn id(&self, of: &str) -> String {
        id(&format!("{}{of}", self.prefix))
    }

    /// Returns whether a comparison calls it so: without a name, there is only one.
    pub(super) fn is(&self, name: Option<&str>) -> bool {
        let is_it = |name: &str| {
            let ends = |folder: &String| folder == name || folder.ends_with(&format!("/{name}"));
            self.title == name || self.folders.iter().any(ends)
        };
        name.is_none_or(is_it)
    }
}

fn named(folder: &str) -> String {
    if folder.is_empty() || folder == "." {
        "the root folder".to_owned()
    } else {
        folder.to_owned()
    }
}

/// An id without characters that a link cannot have.
pub(super) fn id(text: &str) -> String {
    let mut id = String::new();
    for c in text.chars() {
        match c {
            c if c.is_ascii_alphanumeric() || "/:._+-".contains(c) => id.push(c),
            c => write!(id, "_{:x}", u32::from(c)).expect("a string takes every character"),
        }
    }
    id
}
