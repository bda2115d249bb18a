//! The names of things in the page: those that links lead to are the same in every run.

use std::fmt::Write as _;

use promgen_repository::model::Environment;

/// What an environment is called.
#[derive(Clone, Debug)]
pub(super) struct Names {
    /// Its folders, as people read them.
    pub(super) title: String,
    /// The folders.
    pub(super) folders: Vec<String>,
    /// What the ids of its parts begin with: nothing, if it is the only one.
    prefix: String,
}

impl Names {
    /// The names of an environment, which is one of several or the only one.
    pub(super) fn of(environment: &Environment, is_one_of_several: bool) -> Self {
        let folders: Vec<String> = environment.folders.iter().map(|folder| named(folder)).collect();
        let title = if folders.is_empty() { "All manifests".to_owned() } else { folders.join(", ") };
        let prefix = if is_one_of_several { format!("{}:", folders.join("+")) } else { String::new() };
        Self { title, folders, prefix }
    }

    /// The id of a part.
    pub(super) fn id(&self, of: &str) -> String {
        id(&format!("{}{of}", self.prefix))
    }

    /// Whether a comparison calls it so: without a name, there is only one.
    pub(super) fn is(&self, name: Option<&str>) -> bool {
        let is_it = |name: &str| {
            let ends = |folder: &String| folder == name || folder.ends_with(&format!("/{name}"));
            self.title == name || self.folders.iter().any(ends)
        };
        name.is_none_or(is_it)
    }
}

fn named(folder: &str) -> String {
    if folder.is_empty() || folder == "." { "the root folder".to_owned() } else { folder.to_owned() }
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
