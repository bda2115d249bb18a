//! README.md, docs/pipelines.md and docs/sharding.md show what promgen prints: every block below `<!-- run -->` is run and compared, and every
//! block below `<!-- file PATH -->` is that file. The other pages of `docs/` are printed by promgen as a whole.
//! `UPDATE_DOCS=1 cargo test docs` rewrites them.

use std::fs;

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
    let ran = promgen(&promgen_args.split_whitespace().collect::<Vec<_>>());
    let shown = filtered(ran.stdout.lines().collect(), filter);
    let stderr = if is_quiet { "" } else { &ran.stderr };
    shown.into_iter().chain(stderr.lines()).map(str::to_owned).collect()
}

/// What is left of the lines: `cat`, `head -n 9`, `grep '^kind:'`, `sed -n '3,9p'` and `sed -n '/^status:/,$p'`.
fn filtered<'l>(lines: Vec<&'l str>, filter: &str) -> Vec<&'l str> {
    let number = |text: &str| text.parse::<usize>().unwrap();
    if filter == "cat" {
        lines
    } else if let Some(n) = filter.strip_prefix("head -n ") {
        lines.into_iter().take(number(n)).collect()
    } else if let Some(start) = filter.strip_prefix("grep '^").and_then(|rest| rest.strip_suffix('\'')) {
        lines.into_iter().filter(|line| line.starts_with(start)).collect()
    } else if let Some(start) = filter.strip_prefix("sed -n '/^").and_then(|rest| rest.strip_suffix("/,$p'")) {
        lines.into_iter().skip_while(|line| !line.starts_with(start)).collect()
    } else if let Some(range) = filter.strip_prefix("sed -n '").and_then(|rest| rest.strip_suffix("p'")) {
        let (from, to) = range.split_once(',').unwrap();
        lines.into_iter().take(number(to)).skip(number(from) - 1).collect()
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
            out.extend(lines.by_ref().find(|line| *line == "```").map(str::to_owned));
            continue;
        }
        if line != MARK {
            continue;
        }
        out.extend(lines.next().map(str::to_owned));
        for line in lines.by_ref() {
            if let Some(command) = line.strip_prefix(PROMPT) {
                out.push(line.to_owned());
                out.extend(transcript(command));
            } else if line == "```" {
                out.push(line.to_owned());
                break;
            }
        }
    }
    out.join("\n") + "\n"
}

/// Compares a page with what its blocks should be, or rewrites it.
fn check(page: &str) {
    let path = root().join(page);
    let text = fs::read_to_string(&path).unwrap();
    let rerun = rerun(&text);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(path, rerun).unwrap();
        return;
    }
    assert_current(page, &text, &rerun);
}

/// Shows where a page differs from what it should be.
fn assert_current(page: &str, text: &str, current: &str) {
    if text != current {
        let diff = similar::TextDiff::from_lines(text, current);
        let shown = diff.unified_diff().header(page, "current").to_string();
        panic!("{page} is out of date: run UPDATE_DOCS=1 cargo test docs\n{shown}");
    }
}

#[test]
fn the_readme_shows_what_promgen_prints() {
    check("README.md");
}

#[test]
fn the_page_on_sharding_shows_what_promgen_prints() {
    check("docs/sharding.md");
}

#[test]
fn the_page_on_pipelines_shows_the_files() {
    check("docs/pipelines.md");
    check("docs/charts.md");
}

#[test]
fn the_reference_pages_are_what_promgen_prints() {
    for (page, args) in [
        ("rules", &["explain", "--format", "markdown"][..]),
        ("gates", &["explain", "gates", "--format", "markdown"]),
        ("limits", &["explain", "limits", "--format", "markdown"]),
        ("json", &["schema", "output", "--format", "markdown"]),
        ("diff-comment", &["diff", "fixtures/diff/base", "fixtures/diff/input", "--format", "markdown"]),
    ] {
        let path = root().join("docs").join(page).with_extension("md");
        let printed = promgen(args).stdout;
        if std::env::var_os("UPDATE_DOCS").is_some() {
            fs::write(path, printed).unwrap();
        } else {
            assert_current(&format!("docs/{page}.md"), &fs::read_to_string(&path).unwrap_or_default(), &printed);
        }
    }
}

#[test]
fn the_pictures_of_a_comment_show_the_current_one() {
    let docs = root().join("docs");
    let digest = md5_other::compute(fs::read(docs.join("diff-comment.md")).unwrap());
    let expected = format!("tEXtSource\0md5 {digest:x}");
    for picture in ["diff-comment.png", "diff-comment-dark.png"] {
        let bytes = fs::read(docs.join(picture)).unwrap();
        let names_source = bytes.windows(expected.len()).any(|window| window == expected.as_bytes());
        assert!(names_source, "docs/{picture} is not drawn from docs/diff-comment.md: run .ci/comment");
    }
}

#[test]
fn the_readme_names_every_command_and_exit_code() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let help = promgen(&["--help"]).stdout;
    let (_, commands) = help.split_once("Check:\n").unwrap();
    // What is indented further goes on from the line before.
    let starts = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    for line in commands.lines().take_while(|line| *line != "Options:").filter(starts) {
        let command = line.split_whitespace().next().unwrap();
        assert!(
            command == "help" || text.contains(&format!("promgen {command}")),
            "README.md lacks `promgen {command}`"
        );
    }
    for code in ["| 0 |", "| 1 |", "| 2 |"] {
        assert!(text.contains(code), "README.md lacks the exit code {code}");
    }
}
