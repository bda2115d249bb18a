//! README.md, CONTRIBUTING.md and the pages of `docs/` show what promgen prints: every block below `<!-- run -->` is run and
//! compared, and every block below `<!-- file PATH -->` is that file. Some pages are printed by promgen as a whole.
//! `UPDATE_DOCS=1 cargo test --test it docs` rewrites them.

mod pictures;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use promgen_testing::assert_written;

use crate::support::{promgen, root};

const MARK: &str = "<!-- run -->";
const PROMPT: &str = "$ promgen ";

/// The file that the block below such a line shows.
fn shown_file(line: &str) -> Option<String> {
    let path = line.strip_prefix("<!-- file ")?.strip_suffix(" -->")?;
    Some(fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}")))
}

/// The lines that a shell would show for a command: `promgen` with arguments and at most one filter.
fn transcript(command: &str) -> Vec<String> {
    let (promgen_args, filter) = command.split_once(" | ").unwrap_or((command, "cat"));
    let (promgen_args, is_quiet) = match promgen_args.strip_suffix(" 2>/dev/null") {
        Some(args) => (args, true),
        None => (promgen_args, false),
    };
    let ran = promgen(&arguments(promgen_args));
    assert_ne!(ran.code, 2, "{command}: {}", ran.stderr);
    let shown = filtered(ran.stdout.lines().collect(), filter);
    let stderr = if is_quiet { "" } else { &ran.stderr };
    shown
        .into_iter()
        .chain(stderr.lines())
        .map(str::to_owned)
        .collect()
}

/// The arguments of a command; single quotes hold spaces.
fn arguments(text: &str) -> Vec<&str> {
    let mut parts = text.split('\'');
    let mut arguments: Vec<_> = parts
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    while let Some(quoted) = parts.next() {
        arguments.push(quoted);
        arguments.extend(parts.next().unwrap_or_default().split_whitespace());
    }
    arguments
}

/// What is left of the lines: `cat`, `head -n 9`, `grep '^kind:'`, `sed -n '3,9p'` and `sed -n '/^status:/,$p'`.
fn filtered<'l>(lines: Vec<&'l str>, filter: &str) -> Vec<&'l str> {
    let number = |text: &str| text.parse::<usize>().unwrap();
    if filter == "cat" {
        lines
    } else if let Some(n) = filter.strip_prefix("head -n ") {
        lines.into_iter().take(number(n)).collect()
    } else if let Some(start) = filter
        .strip_prefix("grep '^")
        .and_then(|rest| rest.strip_suffix('\''))
    {
        lines
            .into_iter()
            .filter(|line| line.starts_with(start))
            .collect()
    } else if let Some(start) = filter
        .strip_prefix("sed -n '/^")
        .and_then(|rest| rest.strip_suffix("/,$p'"))
    {
        lines
            .into_iter()
            .skip_while(|line| !line.starts_with(start))
            .collect()
    } else if let Some(range) = filter
        .strip_prefix("sed -n '")
        .and_then(|rest| rest.strip_suffix("p'"))
    {
        let (from, to) = range.split_once(',').unwrap();
        lines
            .into_iter()
            .take(number(to))
            .skip(number(from) - 1)
            .collect()
    } else {
        panic!("this test has no such filter: {filter}")
    }
}

/// The text with every block run anew.
fn rerun(text: &str) -> String {
    let (mut out, mut lines) = (Vec::new(), text.lines());
    while let Some(line) = lines.next() {
        out.push(line.to_owned());
        if let Some(file) = shown_file(line) {
            out.extend(lines.next().map(str::to_owned));
            out.extend(file.lines().map(str::to_owned));
            out.extend(
                lines
                    .by_ref()
                    .find(|line| *line == "```")
                    .map(str::to_owned),
            );
            continue;
        }
        if line != MARK {
            continue;
        }
        let opening = lines.next().unwrap_or_default();
        out.push(opening.to_owned());
        for line in lines.by_ref() {
            if let Some(command) = line.strip_prefix(PROMPT) {
                out.push(line.to_owned());
                out.extend(transcript(command));
            } else if line == fence(opening) {
                out.push(line.to_owned());
                break;
            }
        }
    }
    out.join("\n") + "\n"
}

/// The backquotes that a line begins with: a block ends with as many as it began with, so that it may hold others.
fn fence(line: &str) -> &str {
    let n_quotes = line.bytes().take_while(|byte| *byte == b'`').count();
    if n_quotes < 3 { "" } else { &line[..n_quotes] }
}

/// Compares a page with what its blocks should be, or rewrites it.
fn check(page: &str) {
    let text = fs::read_to_string(root().join(page)).unwrap();
    assert_written(page, &rerun(&text));
}

/// The pages that promgen prints as a whole, and how.
const PRINTED: &[(&str, &[&str])] = &[
    ("docs/rules.md", &["rule", "--format", "markdown"]),
    (
        "docs/gates.md",
        &["explain", "gates", "--format", "markdown"],
    ),
    (
        "docs/limits.md",
        &["explain", "limits", "--format", "markdown"],
    ),
    (
        "docs/json.md",
        &["schema", "output", "--format", "markdown"],
    ),
    (
        "docs/policy-facts.md",
        &["schema", "facts", "--format", "markdown"],
    ),
    (
        "docs/diff-comment.md",
        &[
            "diff",
            "fixtures/diff/base",
            "fixtures/diff/input",
            "--format",
            "markdown",
        ],
    ),
];

/// The page of all options, which the definition of the command line gives.
const OPTIONS: &str = "docs/options.md";

/// The pages that a person writes, relative to the root.
fn written_pages() -> Vec<String> {
    let mut pages = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned()];
    let is_printed =
        |page: &String| page == OPTIONS || PRINTED.iter().any(|(printed, _)| page == printed);
    pages.extend(
        pages_below("docs")
            .into_iter()
            .filter(|page| !is_printed(page)),
    );
    pages
}

/// All pages below a folder, relative to the root.
fn pages_below(folder: &str) -> Vec<String> {
    let mut folders = vec![root().join(folder)];
    let mut pages = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                pages.push(relative(&path));
            }
        }
    }
    pages.sort_unstable();
    pages
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap()
        .to_str()
        .unwrap()
        .replace('\\', "/")
}

/// Runs a check on every page, on all processors, and reports all pages that fail.
fn for_each(pages: &[String], check: impl Fn(&str) + Sync) {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut failed = Vec::new();
        while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
            let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(page)));
            if ran.is_err() {
                failed.push(page.clone());
            }
        }
        failed
    };
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let failed: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    assert!(failed.is_empty(), "these pages are out of date: {failed:?}");
}

#[test]
fn pages_show_what_promgen_prints() {
    for_each(&written_pages(), check);
}

/// The pages that have a part from the code.
#[test]
fn the_references_are_those_of_the_code() {
    assert_written(OPTIONS, &promgen::cli::reference::options());
    let page = fs::read_to_string(root().join("docs/config.md")).unwrap();
    let (before, rest) = page.split_once("<!-- settings -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- end of settings -->").unwrap();
    let settings = promgen_checks::config::reference();
    let current =
        format!("{before}<!-- settings -->\n\n{settings}\n<!-- end of settings -->{after}");
    assert_written("docs/config.md", &current);
}

#[test]
fn the_reference_pages_are_what_promgen_prints() {
    let pages: Vec<_> = PRINTED.iter().map(|(page, _)| (*page).to_owned()).collect();
    for_each(&pages, |page| {
        let (_, args) = PRINTED
            .iter()
            .find(|(printed, _)| *printed == page)
            .unwrap();
        assert_written(page, &promgen(args).stdout);
    });
}

#[test]
fn the_page_of_versions_names_the_releases_with_recordings() {
    let page = fs::read_to_string(root().join("docs/versions.md")).unwrap();
    let sentence = page
        .split_once("Answers of ")
        .expect("the sentence")
        .1
        .split_once(" are recorded")
        .expect("the sentence")
        .0;
    let named: Vec<&str> = sentence.split(", ").collect();
    let recorded = promgen_resources::release::RELEASES
        .iter()
        .filter(|row| row.is_verified)
        .map(|row| row.operator);
    assert_eq!(named, recorded.collect::<Vec<_>>());
}

#[test]
fn the_page_of_charts_lists_what_the_table_cannot_say() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let table = read("crates/promgen-repository/facts/chart.txt");
    let page = read("docs/charts.md");
    let unknown = |text: &str| -> Vec<String> {
        let rows = text.lines().filter(|line| line.starts_with("unknown "));
        rows.map(str::to_owned).collect()
    };
    assert_eq!(unknown(&page), unknown(&table));
}

/// A command that a page shows without running it could print something else.
#[test]
fn every_shown_command_of_promgen_is_run() {
    let mut faults = Vec::new();
    for page in written_pages() {
        let text = fs::read_to_string(root().join(&page)).unwrap();
        let lines: Vec<_> = text.lines().collect();
        let is_run = |opening: usize| opening > 0 && lines[opening - 1] == MARK;
        let mut opening = None;
        for (i, line) in lines.iter().enumerate() {
            let found = fence(line);
            if !found.is_empty() && opening.is_none_or(|at: usize| fence(lines[at]) == found) {
                opening = if opening.is_some() { None } else { Some(i) };
            } else if line.starts_with(PROMPT) && !opening.is_some_and(is_run) {
                faults.push(format!("{page}:{}: {line}", i + 1));
            }
        }
    }
    assert!(faults.is_empty(), "not below {MARK}: {faults:#?}");
}

/// What pages say of commands in passing: in backquotes in a sentence, or as a line of a block.
fn claims(text: &str) -> Vec<&str> {
    let mut is_block = false;
    let mut claims = Vec::new();
    for line in text.lines() {
        is_block ^= !fence(line).is_empty();
        match is_block {
            true => claims.push(line),
            false => claims.extend(line.split('`').skip(1).step_by(2)),
        }
    }
    let of_promgen = claims
        .into_iter()
        .filter_map(|line| line.strip_prefix("promgen "));
    of_promgen
        .map(|line| line.split(['|', '#', ';']).next().unwrap())
        .collect()
}

/// A command that a page names must be there, and have the options that it is named with.
#[test]
fn every_named_command_and_option_is_there() {
    // The first lines of tables, not of commands.
    let is_other = |word: &str| ["facts", "exporters"].contains(&word);
    let mut helps: BTreeMap<String, String> = BTreeMap::new();
    let (mut faults, mut n_claims) = (Vec::new(), 0);
    for page in written_pages() {
        let text = fs::read_to_string(root().join(&page)).unwrap();
        for claim in claims(&text) {
            let mut words = claim.split_whitespace();
            let command = words.next().unwrap_or_default();
            if is_other(command) || !command.bytes().all(|b| b.is_ascii_lowercase() || b == b'-') {
                continue;
            }
            let help = helps.entry(command.to_owned()).or_insert_with(|| {
                let ran = promgen(&[command, "--help"]);
                assert_eq!(ran.code, 0, "{page}: `promgen {claim}`");
                ran.stdout
            });
            let options = words.map(|word| word.split('=').next().unwrap());
            let has = |option: &&str| help.split([' ', ',', '\n']).any(|word| word == *option);
            let lacks = options
                .filter(|word| word.starts_with("--"))
                .find(|option| !has(option));
            faults.extend(lacks.map(|option| format!("{page}: `promgen {claim}`: {option}")));
            n_claims += 1;
        }
    }
    assert!(n_claims > 100, "{n_claims}");
    assert!(faults.is_empty(), "{faults:#?}");
}

/// The book has every page, and only those: mdBook leaves out the others in silence.
#[test]
fn the_book_has_every_page() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let mut listed: Vec<_> = summary
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(page, _)| format!("docs/{}", page.trim_start_matches("./")))
        .collect();
    listed.sort_unstable();
    let mut pages = pages_below("docs");
    pages.retain(|page| page != "docs/SUMMARY.md");
    assert_eq!(listed, pages);
}

/// Every link from one page to another leads somewhere, and every picture is there.
#[test]
fn links_between_pages_lead_somewhere() {
    let mut faults = Vec::new();
    let mut pages = written_pages();
    pages.extend(PRINTED.iter().map(|(page, _)| (*page).to_owned()));
    pages.extend(["SECURITY.md".to_owned(), "CHANGELOG.md".to_owned()]);
    for page in &pages {
        let text = prose(&fs::read_to_string(root().join(page)).unwrap());
        for link in links(&text) {
            if !leads_somewhere(page, &link) {
                faults.push(format!("{page}: {link}"));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// The text without its blocks of code.
fn prose(text: &str) -> String {
    let mut opened = "";
    let kept = text.lines().filter(|line| {
        let found = fence(line.trim_start());
        let is_fence = !found.is_empty() && (opened.is_empty() || found == opened);
        if is_fence {
            opened = if opened.is_empty() { found } else { "" };
        }
        !is_fence && opened.is_empty()
    });
    kept.collect::<Vec<_>>().join("\n")
}

/// The destinations of the links and pictures of a page.
fn links(text: &str) -> Vec<String> {
    let pattern = regex::Regex::new(r#"\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)""#).unwrap();
    let found = pattern
        .captures_iter(text)
        .filter_map(|groups| groups.get(1).or_else(|| groups.get(2)));
    found.map(|group| group.as_str().to_owned()).collect()
}

/// The place of the repository, as pages outside of it name its files.
const REPOSITORY: &str = "https://github.com/promgen/promgen/";

fn leads_somewhere(page: &str, link: &str) -> bool {
    let local = link.strip_prefix(REPOSITORY).and_then(|rest| {
        rest.strip_prefix("blob/main/")
            .or_else(|| rest.strip_prefix("tree/main/"))
            .map(PathBuf::from)
    });
    let (path, anchor) = match local {
        Some(path) => (root().join(path), None),
        None if link.contains("://") || link.starts_with("mailto:") => return true,
        None => {
            let (path, anchor) = link
                .split_once('#')
                .map_or((link, None), |(path, anchor)| (path, Some(anchor)));
            let own = root().join(page);
            (
                if path.is_empty() {
                    own
                } else {
                    own.parent().unwrap().join(path)
                },
                anchor,
            )
        }
    };
    let Some(anchor) = anchor else {
        return path.exists();
    };
    let text = prose(&fs::read_to_string(path).unwrap_or_default());
    text.lines()
        .filter_map(|line| line.strip_prefix('#'))
        .any(|heading| slug(heading) == anchor)
}

/// The anchor of a heading, as GitHub and mdBook make it.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text
        .chars()
        .filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Phrases that were marked by readers, in what they read: pages, rules, options, and the output that pages show.
#[test]
fn pages_are_written_in_the_words_of_the_field() {
    let marked = [
        // "in the input", except for a part or an amount of it.
        r"\bof the input\b",
        r"(?i)\bseed 00\d",
        r"\bis there twice\b",
        r"\bmade-up\b",
    ];
    let marked = marked.map(|pattern| regex::Regex::new(pattern).unwrap());
    let fine =
        regex::Regex::new(r#"(?:parts?|KiB|bytes|size) of the input|not "of the input""#).unwrap();
    let mut faults = Vec::new();
    for page in pages_below("docs")
        .into_iter()
        .chain(["README.md", "CONTRIBUTING.md", "SECURITY.md"].map(str::to_owned))
    {
        let text = fs::read_to_string(root().join(&page)).unwrap();
        for (i, line) in text.lines().enumerate() {
            let line = fine.replace_all(line, "");
            let found = marked.iter().find(|pattern| pattern.is_match(&line));
            faults.extend(found.map(|pattern| format!("{page}:{}: {pattern}", i + 1)));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn the_readme_names_every_command_and_each_has_a_page() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(
        text.lines().count() <= 250,
        "README.md has {} lines",
        text.lines().count()
    );
    for command in commands() {
        let page = format!("docs/commands/{command}.md");
        assert!(text.contains(&page), "README.md does not link to {page}");
        let page = fs::read_to_string(root().join(&page)).unwrap_or_default();
        assert!(
            page.contains(&format!("promgen {command}")),
            "the page of {command} does not show it"
        );
    }
    let output = fs::read_to_string(root().join("docs/output.md")).unwrap();
    for code in ["| 0 |", "| 1 |", "| 2 |"] {
        assert!(
            output.contains(code),
            "docs/output.md lacks the exit code {code}"
        );
    }
}

/// The commands of promgen.
fn commands() -> Vec<String> {
    promgen::cli::reference::commands()
}
