//! Reads the source: what the architecture promises about it holds.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

use crate::support::root;

/// Longest file that is still about one thing.
const MAX_LINES: usize = 1_000;

/// Types of two API groups that have one name there: `core/v1.Probe`, which a container has, and `monitoring/v1.Probe`, which
/// is a resource.
const NAMES_OF_TWO_APIS: &[&str] = &["Probe"];

/// The place of the product's code.
const CODE: &[&str] = &["src", "crates"];

struct SourceFile {
    /// Relative to the root, with `/`.
    path: String,
    text: String,
}

impl SourceFile {
    /// The crate that it belongs to, and the module below that crate's root: `promgen-text`, `yaml` for
    /// `crates/promgen-text/src/yaml/emit/tree.rs`.
    fn module(&self) -> (&str, &str) {
        let (name, below) = match self.path.strip_prefix("crates/") {
            Some(path) => path.split_once("/src/").unwrap_or((path, "")),
            None => (
                "promgen",
                self.path.strip_prefix("src/").unwrap_or(&self.path),
            ),
        };
        (name, below.split(['/', '.']).next().unwrap_or_default())
    }

    /// Returns whether all of it is compiled for tests only.
    fn is_test(&self) -> bool {
        ["/tests.rs", "/tests/", "/verdicts.rs", "/promgen-testing/"]
            .iter()
            .any(|part| self.path.contains(part))
    }

    /// What stands before the unit tests.
    fn product(&self) -> &str {
        let tests = Regex::new(r"#\[cfg\(test\)\]\nmod \w+ \{").unwrap();
        tests.split(&self.text).next().unwrap_or_default()
    }

    /// The lines that are compiled into the product, without comments: no unit tests, nothing that runs at build time.
    fn code(&self) -> impl Iterator<Item = &str> {
        let is_left_out = self.is_test()
            || self.path.contains("/promgen-derive/")
            || self.path.ends_with("/build.rs");
        self.product()
            .lines()
            .filter(move |line| !is_left_out && !line.trim_start().starts_with("//"))
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort_unstable();
    for path in entries {
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

fn files_of(folders: &[&str]) -> Vec<SourceFile> {
    let mut paths = Vec::new();
    for folder in folders
        .iter()
        .map(|folder| root().join(folder))
        .filter(|folder| folder.is_dir())
    {
        collect(&folder, &mut paths);
    }
    let relative = |path: &Path| {
        path.strip_prefix(root())
            .unwrap()
            .to_str()
            .unwrap()
            .replace('\\', "/")
    };
    let rust = paths
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "rs"));
    rust.map(|path| SourceFile {
        path: relative(&path),
        text: fs::read_to_string(path).unwrap(),
    })
    .collect()
}

/// Lines of the product that hold the pattern, outside of the files that may.
fn lines_with(pattern: &str, may: &[&str]) -> Vec<String> {
    let regex = Regex::new(pattern).unwrap();
    let mut found = Vec::new();
    // Few files hold any: a search in the whole text is cheap.
    let is_asked = |file: &&SourceFile| {
        !may.iter().any(|prefix| file.path.starts_with(prefix)) && regex.is_match(&file.text)
    };
    for file in files_of(CODE).iter().filter(is_asked) {
        found.extend(
            file.code()
                .filter(|line| regex.is_match(line))
                .map(|line| format!("{}: {line}", file.path)),
        );
    }
    found
}

#[test]
fn every_file_says_what_it_is_for_and_is_about_one_thing() {
    let mut faults = Vec::new();
    for file in files_of(&["src", "crates", "tests", "benches"]) {
        if !file.text.starts_with("//!") {
            faults.push(format!("{} does not start with //!", file.path));
        }
        if file.text.lines().count() > MAX_LINES {
            faults.push(format!("{} has more than {MAX_LINES} lines", file.path));
        }
        if file.path.ends_with("/mod.rs") {
            faults.push(format!("{} should be a file beside its folder", file.path));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// A test that lacks what it needs is ignored, with the reason in the summary: `#[needs(…)]` or `#[ignore = "needs …"]`.
#[test]
fn no_test_passes_for_want_of_what_it_needs() {
    let says_so = Regex::new(r#"print(ln)?!\(\s*"skip"#).unwrap();
    let files = files_of(&["crates", "tests"]);
    let faults: Vec<_> = files
        .iter()
        .filter(|file| says_so.is_match(&file.text))
        .map(|file| &file.path)
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
    let ignored = Regex::new(r#"#\[ignore(\]|\s*=\s*"([^"]*)")"#).unwrap();
    for file in &files {
        for found in ignored.captures_iter(&file.text) {
            let reason = found.get(2).map_or("", |reason| reason.as_str());
            assert!(reason.starts_with("needs "), "{}: {}", file.path, &found[0]);
        }
    }
}

#[test]
fn each_dependency_is_named_where_it_belongs() {
    for (dependency, may) in [
        (
            r"\bminijinja\b",
            &["crates/promgen-compile/src/sharding/template"][..],
        ),
        (
            r"\bjiff\b",
            &["crates/promgen-prometheus/src/routing/zone.rs"],
        ),
        (
            r"\b(serde_yaml|serde_path_to_error)\b",
            &["crates/promgen-text/src/yaml/own.rs"],
        ),
        (r"\b(clap|anstream|terminal_size)::", &["src/cli"]),
        // Any other place could pass on the environment, or wait without end.
        (r"\bCommand::new\(", &["src/cli/fs/programs.rs"]),
        (r"\brustix::", &["src/cli/fs/programs/child.rs"]),
        (r"\bnotify::", &["src/cli/fs/watcher.rs"]),
        (
            r"\bannotate_snippets\b",
            &[
                "crates/promgen-text/src/diag/format/text.rs",
                "src/cli/report.rs",
            ],
        ),
        (
            r"\b(std::fs|fs::(read|write|File|metadata|create|rename|remove))\b",
            &["src/cli/fs"],
        ),
        (
            r"\bstd::(env|process|time|net::(Tcp|Udp|ToSocket)\w*)\b",
            &["src/cli", "src/main.rs"],
        ),
    ] {
        let faults = lines_with(dependency, may);
        assert!(faults.is_empty(), "{dependency}: {faults:#?}");
    }
}

#[test]
fn versions_are_compared_in_one_table() {
    let faults = lines_with(
        r#"\bVersion::(new\(|parse\(")"#,
        &[
            "crates/promgen-resources/src/gates.rs",
            "crates/promgen-resources/src/gates/",
            "crates/promgen-resources/src/release.rs",
            "crates/promgen-text/src/version.rs",
        ],
    );
    assert!(faults.is_empty(), "{faults:#?}");
}

/// For each crate and module, the modules of that crate that it names and an example of where.
fn imports() -> BTreeMap<String, BTreeMap<String, BTreeMap<String, String>>> {
    let (single, group) = (
        Regex::new(r"\bcrate::(\w+)").unwrap(),
        Regex::new(r"\bcrate::\{([^}]*)").unwrap(),
    );
    let mut graphs: BTreeMap<String, BTreeMap<String, BTreeMap<String, String>>> = BTreeMap::new();
    for file in files_of(CODE) {
        let ((krate, from), code) = (file.module(), file.code().collect::<Vec<_>>().join("\n"));
        let mut names: Vec<_> = single
            .captures_iter(&code)
            .map(|c| c[1].to_owned())
            .collect();
        for list in group.captures_iter(&code) {
            names.extend(
                list[1]
                    .split(',')
                    .filter_map(|item| item.trim().split("::").next())
                    .map(str::to_owned),
            );
        }
        let imported = graphs
            .entry(krate.to_owned())
            .or_default()
            .entry(from.to_owned())
            .or_default();
        for name in names
            .into_iter()
            .filter(|name| name != from && !name.is_empty())
        {
            imported.insert(name, file.path.clone());
        }
    }
    graphs
}

#[test]
fn modules_import_only_downwards() {
    for (krate, imports) in imports() {
        check_direction(&krate, imports);
    }
}

fn check_direction(krate: &str, imports: BTreeMap<String, BTreeMap<String, String>>) {
    let mut pending: BTreeMap<_, _> = imports
        .into_iter()
        .filter(|(module, _)| module != "lib" && module != "main")
        .collect();
    loop {
        let imports_no_pending = |imports: &BTreeMap<String, String>| {
            !imports.keys().any(|name| pending.contains_key(name))
        };
        let placed: Vec<_> = pending
            .iter()
            .filter(|(_, imports)| imports_no_pending(imports))
            .map(|(module, _)| module.clone())
            .collect();
        if placed.is_empty() {
            break;
        }
        pending.retain(|module, _| !placed.contains(module));
    }
    let names = pending.keys();
    assert!(
        pending.is_empty(),
        "{krate}: these modules import one another in a circle, or one that does: {:?}",
        names.collect::<Vec<_>>()
    );
}

/// What stands side by side is compiled at the same time.
#[test]
fn checks_answers_and_the_editor_know_nothing_of_each_other() {
    let side_by_side = ["promgen-answers", "promgen-checks", "promgen-editor"];
    for name in side_by_side {
        let manifest = root().join("crates").join(name).join("Cargo.toml");
        let manifest = fs::read_to_string(manifest).unwrap();
        let is_known = |other: &&str| *other != name && manifest.contains(*other);
        let known: Vec<_> = side_by_side.iter().copied().filter(is_known).collect();
        assert!(known.is_empty(), "{name}: {known:?}");
    }
}

#[test]
fn only_the_binary_imports_the_command_line() {
    for (module, imports) in imports().into_values().flatten() {
        let may = ["lib", "main", "cli"].contains(&module.as_str());
        assert!(may || !imports.contains_key("cli"), "{}", imports["cli"]);
    }
}

/// The names of the types that a file declares, without those of unit tests and those that belong to a trait.
fn type_names(file: &SourceFile) -> Vec<String> {
    let declaration =
        Regex::new(r"(?m)^( *)(?:pub(?:\([^)]*\))? )?(struct|enum|trait|type|union) (\w+)")
            .unwrap();
    let declared = declaration
        .captures_iter(file.product())
        .filter(|c| &c[2] != "type" || c[1].is_empty());
    declared.map(|c| c[3].to_owned()).collect()
}

#[test]
fn a_type_name_means_one_thing() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files_of(CODE).iter().filter(|file| !file.is_test()) {
        for name in type_names(file) {
            places.entry(name).or_default().push(file.path.clone());
        }
    }
    places.retain(|name, files| files.len() > 1 && !NAMES_OF_TWO_APIS.contains(&name.as_str()));
    assert!(
        places.is_empty(),
        "these names are declared more than once: {places:#?}"
    );
}

#[test]
fn no_committed_text_names_a_place_of_one_machine() {
    let place = ["/wo", "rk/"].concat();
    let mut paths = Vec::new();
    for folder in [
        "src",
        "crates",
        "tests",
        "benches",
        "fixtures",
        "templates",
        "snapshots",
        "docs",
        ".ci",
        ".github",
    ] {
        let folder = root().join(folder);
        if folder.is_dir() {
            collect(&folder, &mut paths);
        }
    }
    paths.extend(
        [
            "README.md",
            "CONTRIBUTING.md",
            "CHANGELOG.md",
            "SECURITY.md",
            "Cargo.toml",
            "book.toml",
        ]
        .map(|name| root().join(name)),
    );
    // What a failed test left behind is not committed.
    paths.retain(|path| path.extension().is_none_or(|extension| extension != "new"));
    let named: Vec<_> = paths
        .iter()
        .filter(|p| fs::read_to_string(p).is_ok_and(|text| text.contains(&place)))
        .collect();
    assert!(named.is_empty(), "{named:?}");
}
