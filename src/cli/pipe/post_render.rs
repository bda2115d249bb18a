//! `promgen post-render`: a post-renderer for Helm.
//!
//! In: the rendered manifests of a chart on standard input. Out: the same bytes on standard output, unless the findings
//! fail the run. A finding is placed in the template that its document names.

use clap::error::ErrorKind;

use crate::cli::args::{LintArgs, PostRenderArgs};
use crate::cli::check::lint;
use crate::cli::{Exit, Failure, Io, fs, report};
use promgen_text::source::Input;

/// The text that Helm 3 writes at the start of each document, before the path of the template.
const SOURCE: &str = "# Source: ";
/// The annotation with the path of the template that Helm 4 adds to each document, and removes afterwards.
const ANNOTATION: &str = "postrenderer.helm.sh/postrender-filename: ";

/// Checks the stream, and passes it on if it is good enough.
pub(crate) fn run(args: &PostRenderArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    check(&args.lint)?;
    let stream = fs::read_standard_input(io.stdin).map_err(Failure::message)?;
    let (output, exit) = lint::of_inputs(&args.lint, &documents(stream.clone()))?;
    report::in_full(&output, io);
    lint::write_report(&args.lint, &output, io)?;
    if exit == Exit::Clean {
        io.print(|out| out.write_all(&stream.bytes))?;
    }
    Ok(exit)
}

/// Refuses the options that would change the stream.
fn check(args: &LintArgs) -> Result<(), Failure> {
    let unsupported = [
        ("PATH", !args.compile.paths.is_empty()),
        ("--helm", args.compile.helm.is_asked()),
        ("--fix", args.fix),
        ("--diff", args.diff),
        ("--write-baseline", args.write_baseline.is_some()),
        ("--watch", args.rerun.watch),
        ("--live", args.live.live.is_some()),
        ("--environment", !args.environments.environment.is_empty()),
    ];
    match unsupported.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => {
            let text = format!(
                "{name} is not supported: this command reads standard input and passes it on"
            );
            Err(Failure::usage(
                "post-render",
                ErrorKind::ArgumentConflict,
                &text,
            ))
        }
        None => Ok(()),
    }
}

/// The documents of a stream, each named by its template. A document without one has the name of the one before.
fn documents(stream: Input) -> Vec<Input> {
    let Some(text) = stream.bytes.as_text() else {
        return vec![stream];
    };
    let mut name = stream.name;
    let mut documents = Vec::new();
    for document in split(text) {
        if let Some(template) = document.lines().find_map(template) {
            template.clone_into(&mut name);
        }
        documents.push(Input::new(name.clone(), document));
    }
    documents
}

/// The path of a template, if the line names one.
fn template(line: &str) -> Option<&str> {
    let annotation = || line.trim_start().strip_prefix(ANNOTATION);
    let path = line.strip_prefix(SOURCE).or_else(annotation)?;
    Some(path.trim().trim_matches(['\'', '"']))
}

/// The documents of a text, each with the `---` before it.
fn split(text: &str) -> Vec<&str> {
    let is_separator = |line: &str| {
        line.strip_prefix("---")
            .is_some_and(|rest| rest.trim_start() != rest || rest.is_empty())
    };
    let mut documents = Vec::new();
    let (mut start, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        if is_separator(line) && at > start {
            documents.push(&text[start..at]);
            start = at;
        }
        at += line.len();
    }
    documents.push(&text[start..]);
    documents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_named_by_their_templates() {
        let text = "---\n# Source: shop/templates/a.yaml\na: |\n  ---\n--- # next\nb: 1\n---\n# Source: shop/templates/c.yaml\nc: 1\n---x: 1";
        let documents = documents(Input::new("<stdin>", text));
        let found: Vec<_> = documents
            .iter()
            .map(|input| (input.name.as_str(), input.bytes.len()))
            .collect();
        let (a, c) = ("shop/templates/a.yaml", "shop/templates/c.yaml");
        assert_eq!(found, [(a, 47), (a, 16), (c, 48)]);
        let joined: Vec<u8> = documents
            .iter()
            .flat_map(|input| input.bytes.iter().copied())
            .collect();
        assert_eq!(joined, text.as_bytes());
    }

    #[test]
    fn helm_4_names_the_template_in_an_annotation() {
        for quoted in ["'a/b.yaml'", "\"a/b.yaml\"", "a/b.yaml"] {
            let text = format!("    postrenderer.helm.sh/postrender-filename: {quoted}");
            assert_eq!(template(&text), Some("a/b.yaml"));
        }
        assert_eq!(
            template("name: postrenderer.helm.sh/postrender-filename: a"),
            None
        );
    }
}
