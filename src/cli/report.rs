//! Output on standard error: findings, a summary, failures, usage.
//!
//! Errors in writing standard error are dropped, because there is nowhere to report them.

use std::cmp::Reverse;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::cli::fs::TreeChanges;
use crate::cli::{Exit, Io, Terminal, Verbosity};
use promgen_compile::output::{CheckedCounts, Output};
use promgen_text::diag::count::counted;
use promgen_text::diag::format::text::{self, Style};
use promgen_text::diag::{Diagnostic, Level, Place, count, escape};
use promgen_text::source::{Input, Sources};
use promgen_text::yaml::read::INVALID_YAML;

/// The rules about what is not compiled, or not as a whole: they decide the answer.
const DECIDING: [&str; 12] = [
    "PG001", "PG004", "PG005", "PG007", "PG008", "PG030", "PG203", "PG204", "PG217", "PG502",
    "PG504", "PG505",
];

/// Says in a line how many findings there are, beside an answer: `lint` prints them. What decides the answer is
/// printed, and what has no place, which is about the answer as a whole. With `--verbose`, all are.
pub(super) fn findings(output: &Output, io: &mut Io<'_>) -> Exit {
    if io.terminal.shows_findings {
        return in_full(output, io);
    }
    left_out(output, io);
    deciding(&output.diagnostics, &output.sources, io);
    let placed = output.diagnostics.iter().filter(|found| !decides(found));
    let grave = placed
        .filter(|found| found.level > Level::Info)
        .cloned()
        .collect::<Vec<_>>();
    if let Some(summary) = count::by_level(&grave) {
        note(
            &format!("{summary}: `promgen lint` shows these and more"),
            io,
        );
    }
    exit(output)
}

fn decides(found: &Diagnostic) -> bool {
    found.span.is_none() || DECIDING.contains(&&*found.rule.code)
}

/// Prints the findings that decide an answer.
pub(super) fn deciding(diagnostics: &[Diagnostic], sources: &Sources, io: &mut Io<'_>) {
    let style = style(io.terminal.stderr_color, io.terminal);
    for diagnostic in diagnostics
        .iter()
        .filter(|found| decides(found) && found.level > Level::Info)
    {
        let _ = writeln!(io.stderr, "{}", text::render(diagnostic, sources, style));
    }
}

/// Prints all findings and their summary.
pub(super) fn in_full(output: &Output, io: &mut Io<'_>) -> Exit {
    left_out(output, io);
    out_of_scope(output.n_out_of_scope, io);
    let style = style(io.terminal.stderr_color, io.terminal);
    let mut out = BufWriter::new(&mut *io.stderr);
    let _ = write_findings(&output.diagnostics, &output.sources, style, &mut out)
        .and_then(|()| out.flush());
    drop(out);
    conclusion(&output.diagnostics, io);
    exit(output)
}

/// Prints the errors, which are why there is no answer.
pub(super) fn errors(output: &Output, io: &mut Io<'_>) {
    let style = style(io.terminal.stderr_color, io.terminal);
    // They may be printed already.
    let is_new = |found: &&Diagnostic| found.level == Level::Error && !io.terminal.shows_findings;
    for diagnostic in output
        .diagnostics
        .iter()
        .filter(is_new)
        .filter(|found| found.span.is_some())
    {
        let _ = writeln!(
            io.stderr,
            "{}",
            text::render(diagnostic, &output.sources, style)
        );
    }
}

fn exit(output: &Output) -> Exit {
    if output.worst_level() == Some(Level::Error) {
        Exit::Findings
    } else {
        Exit::Clean
    }
}

/// The style of findings on a stream with or without colors.
pub(super) const fn style(color: bool, terminal: Terminal) -> Style {
    Style {
        color,
        width: terminal.width,
        shortens_infos: false,
    }
}

/// The number of findings that are shown with their source. Nobody reads more, and to lay out the source takes time.
const MAX_WITH_SOURCE: usize = 4_000;

/// Writes findings, each followed by an empty line, unless it is one line among others.
pub(super) fn write_findings(
    diagnostics: &[Diagnostic],
    sources: &Sources,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let is_line = |diagnostic: &Diagnostic| style.shortens_infos && diagnostic.level == Level::Info;
    let (first, others) = diagnostics.split_at(diagnostics.len().min(MAX_WITH_SOURCE));
    for alike in first.chunk_by(|a, b| is_line(a) == is_line(b)) {
        for diagnostic in alike {
            match is_line(diagnostic) {
                true => write!(out, "{}", text::line(diagnostic, sources, style))?,
                false => writeln!(out, "{}", text::render(diagnostic, sources, style))?,
            }
        }
        if alike.first().is_some_and(is_line) {
            writeln!(out)?;
        }
    }
    others
        .iter()
        .try_for_each(|diagnostic| writeln!(out, "{}", text::brief(diagnostic, sources)))
}

/// Findings as a text for standard error, without colors.
pub(super) fn text(diagnostics: Vec<Diagnostic>, sources: &Sources) -> String {
    let placed = diagnostics.into_iter().map(|mut diagnostic| {
        diagnostic.span = diagnostic.place.as_ref().and_then(Place::bytes);
        text::render(&diagnostic, sources, Style::default())
    });
    placed.collect::<Vec<_>>().join("\n")
}

/// Prints the number of findings, and where to read more.
pub(super) fn conclusion(diagnostics: &[Diagnostic], io: &mut Io<'_>) {
    if io.terminal.verbosity == Verbosity::Quiet {
        return;
    }
    if let Some(summary) = count::by_level(diagnostics) {
        let _ = writeln!(io.stderr, "{summary}");
    }
    let gravest = diagnostics
        .iter()
        .filter(|d| !d.rule.is_policy())
        .max_by_key(|d| (d.level, Reverse(&d.rule)));
    if let Some(gravest) = gravest.filter(|d| d.level > Level::Info) {
        let _ = writeln!(
            io.stderr,
            "for more about a code, try `promgen rule {}`",
            gravest.rule.code
        );
    }
    let _ = io.stderr.flush();
}

/// Prints error messages.
pub(super) fn failures(messages: &[String], io: &mut Io<'_>) {
    for message in messages {
        // A finding says itself what it is.
        let head = if message.starts_with("error[") {
            ""
        } else {
            "error: "
        };
        let _ = writeln!(io.stderr, "{head}{}", escape::lines(message));
    }
    let _ = io.stderr.flush();
}

/// Prints how to mend what failed.
pub(super) fn help(text: &str, io: &mut Io<'_>) {
    let _ = writeln!(io.stderr, "help: {}", escape::line(text));
}

/// A text as one line, with control characters escaped.
pub(super) fn one_line(text: &str) -> String {
    escape::line(text)
}

/// Prints which documents in the input are skipped because promgen generated them.
pub(super) fn left_out(output: &Output, io: &mut Io<'_>) {
    const SHOWN: usize = 3;
    let n = output.generated.documents();
    if n == 0 {
        return;
    }
    let files: Vec<_> = output.generated.files().collect();
    let names: Vec<_> = files
        .iter()
        .take(SHOWN)
        .map(|file| format!("`{}`", output.sources.file(*file).name))
        .collect();
    let more = match files.len().saturating_sub(SHOWN) {
        0 => String::new(),
        1 => " and 1 more file".to_owned(),
        n => format!(" and {n} more files"),
    };
    let documents = counted(n, "document");
    note(
        &format!(
            "skipped {documents} that promgen generated: {}{more}",
            names.join(", ")
        ),
        io,
    );
}

/// `a, b and 3 more`: at most so many names.
pub(super) fn listed(names: &[String], max: usize) -> String {
    let first = names.get(..max).unwrap_or(names).join(", ");
    match names.len().saturating_sub(max) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// The number of things that a note names as set aside.
const MAX_ASIDE: usize = 3;

/// The rules about what is not read or not applied: resources of the operator may be in it.
const SET_ASIDE: [&str; 4] = ["PG050", "PG051", "PG053", "PG805"];

/// Prints that a lint had nothing to look at, and what it set aside. A document that is an error as a text may be a resource.
pub(super) fn nothing_checked(output: &Output, io: &mut Io<'_>) {
    let checked = &output.checked;
    let is_unread = |of: &Diagnostic| *of.rule == INVALID_YAML && of.level == Level::Error;
    let is_judged = checked.policies.values().any(|policy| policy.judged > 0);
    if checked.resources == 0 && !is_judged && !output.diagnostics.iter().any(is_unread) {
        let found = output.diagnostics.iter();
        let aside = found.filter(|found| SET_ASIDE.contains(&&*found.rule.code));
        let aside: Vec<String> = aside
            .map(|found| format!("{} ({})", found.message, found.rule.code))
            .collect();
        let why = match aside.is_empty() {
            true => "no resource of the operator in the input: nothing was checked".to_owned(),
            false => format!(
                "nothing of the operator was checked: {}",
                listed(&aside, MAX_ASIDE)
            ),
        };
        note(&why, io);
    }
    for (group, n) in &checked.lookalikes {
        let resources = counted(*n, "resource");
        note(
            &format!("{resources} of the group {group} not checked: it is of another operator"),
            io,
        );
    }
}

/// Prints what policies leave open, and those that are about nothing in the input.
fn policies(checked: &CheckedCounts, io: &mut Io<'_>) {
    for (name, count) in &checked.policies {
        if count.judged == 0 {
            note(&format!("policy/{name} is about nothing in the input"), io);
        }
        if let Some(first) = &count.first {
            let (n, of) = (count.not_decided, count.judged);
            let text = format!("policy/{name} is not decided for {n} of {of}: {first}");
            note(&text, io);
        }
    }
}

/// Prints what a lint looked at.
pub(super) fn checked(checked: &CheckedCounts, io: &mut Io<'_>) {
    policies(checked, io);
    let &CheckedCounts {
        rules,
        selected_rules,
        monitors,
        selected_monitors,
        alertmanager_configs,
        selecting,
        resources,
        ..
    } = checked;
    if rules + monitors + alertmanager_configs == 0 {
        if resources > 0 {
            note(
                &format!("{} of the operator checked", counted(resources, "resource")),
                io,
            );
        }
        return;
    }
    let looked_at = [
        (rules, "rule"),
        (monitors, "monitor"),
        (alertmanager_configs, "AlertmanagerConfig"),
    ];
    let mut all: Vec<String> = looked_at
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| counted(n, what))
        .collect();
    let last = all.pop().unwrap_or_default();
    let selected = match selecting {
        0 => "no Prometheus in the input selects any, so selection is not checked".to_owned(),
        n => {
            let (monitors, rules) = (
                counted(selected_monitors, "monitor"),
                counted(selected_rules, "rule"),
            );
            format!(
                "{monitors} and {rules} selected by {}",
                counted(n, "workload")
            )
        }
    };
    let first = if all.is_empty() {
        String::new()
    } else {
        format!("{} and ", all.join(", "))
    };
    note(&format!("{first}{last} checked; {selected}"), io);
}

/// Prints how many findings do not concern the operator.
pub(super) fn out_of_scope(n_findings: usize, io: &mut Io<'_>) {
    if n_findings > 0 {
        let findings = counted(n_findings, "finding");
        let text =
            "about objects that do not concern the operator: `promgen lint --all` shows them";
        note(&format!("{findings} {text}"), io);
    }
}

/// Prints which files were read, if the user asks for that.
pub(super) fn read(inputs: &[Input], io: &mut Io<'_>) {
    if io.terminal.verbosity < Verbosity::Verbose {
        return;
    }
    for input in inputs {
        note(
            &format!(
                "read `{}`: {}",
                input.name,
                counted(input.bytes.len(), "byte")
            ),
            io,
        );
    }
    let n_bytes = inputs.iter().map(|input| input.bytes.len()).sum();
    note(
        &format!(
            "read {}, {}",
            counted(inputs.len(), "file"),
            counted(n_bytes, "byte")
        ),
        io,
    );
}

/// Prints a note, unless the run is quiet.
pub(super) fn note(message: &str, io: &mut Io<'_>) {
    if io.terminal.verbosity == Verbosity::Quiet {
        return;
    }
    let _ = writeln!(io.stderr, "note: {}", escape::line(message));
}

/// Prints what was written, unless the run is quiet: `37 objects written to out/`.
pub(super) fn written(n: usize, what: &str, target: &Path, io: &mut Io<'_>) {
    if io.terminal.verbosity == Verbosity::Quiet {
        return;
    }
    let line = format!("{} written to {}", counted(n, what), target.display());
    let _ = writeln!(io.stderr, "{}", escape::line(&line));
}

/// Prints what changed in a folder of output, unless the run is quiet: `37 objects written to out/` if all of it is new, or
/// `2 changed files written to out/`.
pub(super) fn written_tree(
    changes: TreeChanges,
    n: usize,
    what: &str,
    target: &Path,
    io: &mut Io<'_>,
) {
    match changes.written {
        0 if changes.removed == 0 => unchanged(target, io),
        0 => {}
        all if all == changes.files => written(n, what, target, io),
        some => written(some, "changed file", target, io),
    }
    if changes.removed > 0 {
        note(
            &format!(
                "{} removed from `{}`",
                counted(changes.removed, "outdated file"),
                target.display()
            ),
            io,
        );
    }
}

/// Prints that output has its content already, unless the run is quiet.
pub(super) fn unchanged(target: &Path, io: &mut Io<'_>) {
    note(&format!("nothing changes in `{}`", target.display()), io);
}

/// Prints the output of clap: help and version to standard output, errors to standard error.
pub(super) fn usage(error: &clap::Error, io: &mut Io<'_>) -> Exit {
    let text = error.render();
    if error.use_stderr() {
        // An argument with terminal control characters is escaped, without colors.
        let plain = text.to_string();
        let harmless = escape::lines(&plain);
        let is_styled = io.terminal.stderr_color && plain == harmless;
        let _ = if is_styled {
            write!(io.stderr, "{}", text.ansi())
        } else {
            write!(io.stderr, "{harmless}")
        };
        return Exit::Failure;
    }
    let is_colored = io.terminal.stdout_color;
    match io.print(|out| {
        if is_colored {
            write!(out, "{}", text.ansi())
        } else {
            write!(out, "{text}")
        }
    }) {
        Ok(()) => Exit::Clean,
        Err(_) => Exit::Failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::Cli;
    use clap::Parser as _;
    use promgen_compile::output::REDACTED_SECRETS;

    fn report(levels: &[Level], terminal: Terminal) -> (Exit, String) {
        let finding =
            |level: &Level| Diagnostic::placeless(&REDACTED_SECRETS, "something").level(*level);
        let output = Output {
            diagnostics: levels.iter().map(finding).collect(),
            ..Output::default()
        };
        let (mut stdin, mut stdout, mut stderr) = (std::io::empty(), std::io::sink(), Vec::new());
        let mut io = Io {
            stdin: &mut stdin,
            stdout: &mut stdout,
            stderr: &mut stderr,
            terminal,
        };
        let exit = in_full(&output, &mut io);
        (exit, String::from_utf8(stderr).unwrap())
    }

    #[test]
    fn findings_are_counted_by_level_and_errors_decide() {
        use Level::{Error, Info, Warning};
        for (levels, exit, summary) in [
            (
                &[Warning, Info, Info][..],
                Exit::Clean,
                "1 warning, 2 infos",
            ),
            (
                &[Error, Warning, Error, Warning],
                Exit::Findings,
                "2 errors, 2 warnings",
            ),
        ] {
            let (code, text) = report(levels, Terminal::default());
            assert_eq!(code, exit);
            assert!(
                text.ends_with(&format!(
                    "\n{summary}\nfor more about a code, try `promgen rule PG501`\n"
                )),
                "{text}"
            );
            assert_eq!(text.matches("[PG501]: something").count(), levels.len());
        }
        assert_eq!(
            report(&[], Terminal::default()),
            (Exit::Clean, String::new())
        );
        assert!(
            report(&[Info], Terminal::default())
                .1
                .ends_with("\n1 info\n")
        );
    }

    #[test]
    fn the_user_has_the_last_word_about_colours() {
        let shows = Terminal {
            stderr_color: true,
            ..Terminal::default()
        };
        for (color, terminal, expected) in [
            ("auto", shows, true),
            ("auto", Terminal::default(), false),
            ("always", Terminal::default(), true),
            ("never", shows, false),
        ] {
            let cli = Cli::try_parse_from(["promgen", "lint", "--color", color]).unwrap();
            assert_eq!(
                report(&[Level::Warning], cli.terminal(terminal))
                    .1
                    .contains('\u{1b}'),
                expected,
                "{color}"
            );
        }
    }
}
