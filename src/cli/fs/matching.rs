//! Paths with patterns of the shell, which a file has and no shell has expanded.

use std::fs;
use std::path::{Component, Path, PathBuf};

use promgen_text::go::regex::GoRegex;

/// The most paths of a pattern.
const MAX_FOUND: usize = 10_000;

/// The paths that a path means, sorted: itself, if it has no pattern and exists.
pub(crate) fn matching(path: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for part in path.components() {
        let name = part.as_os_str().to_string_lossy();
        let is_pattern = matches!(part, Component::Normal(_)) && name.contains(['*', '?']);
        match pattern(&name).filter(|_| is_pattern) {
            Some(pattern) => {
                found = found
                    .iter()
                    .flat_map(|folder| children(folder, &pattern))
                    .take(MAX_FOUND)
                    .collect()
            }
            None => found.iter_mut().for_each(|path| path.push(part)),
        }
    }
    found.retain(|path| path.exists());
    found.sort();
    found
}

fn children(folder: &Path, pattern: &GoRegex) -> Vec<PathBuf> {
    let listed = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let entries = fs::read_dir(listed).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    // A shell passes over hidden files.
    names
        .filter(|name| !name.starts_with('.') && pattern.is_match(name))
        .map(|name| folder.join(name))
        .collect()
}

/// The expression of a pattern: `*` is any text, `?` any character.
fn pattern(text: &str) -> Option<GoRegex> {
    let part = |c: char| match c {
        '*' => ".*".to_owned(),
        '?' => ".".to_owned(),
        c if c.is_alphanumeric() => c.to_string(),
        c => format!("\\x{{{:x}}}", u32::from(c)),
    };
    GoRegex::new(&format!("^{}$", text.chars().map(part).collect::<String>())).ok()
}
