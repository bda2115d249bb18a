//! `promgen post-render`: a post-renderer for Helm 3.
//!
//! In: the rendered manifests of a chart on standard input. Out: the same bytes on standard output, unless the findings
//! fail the run. A finding is placed in the template that the `# Source:` comment of its document names.

use clap::Parser as _;
use clap::error::ErrorKind;

use crate::cli::args::{Cli, Color, Command, LintArgs, PostRenderArgs};
use crate::cli::check::lint;
use crate::cli::{Exit, Failure, Io, fs, report};
use promgen_text::source::Input;

/// What Helm writes at the start of each document, before the path of the template.
const SOURCE: &str = "# Source: ";

/// Checks the stream, and passes it on if it is good enough.
pub(in crate::cli) fn run(args: &PostRenderArgs, color: Color, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let options = options(args)?;
    let stream = fs::read_standard_input(io.stdin).map_err(Failure::message)?;
    let (output, exit) = lint::of_inputs(&options, &documents(stream.clone()))?;
    report::findings(&output, color, io);
    if exit == Exit::Clean {
        io.print(|out| out.write_all(&stream.bytes))
            .map_err(|error| Failure::message(format!("cannot write standard output: {error}")))?;
    }
    Ok(exit)
}

/// The options of `lint`.
fn options(args: &PostRenderArgs) -> Result<LintArgs, Failure> {
    let line = ["promgen", "lint"].iter().map(Into::into).chain(args.options.iter().cloned());
    let cli = Cli::try_parse_from(line).map_err(Failure::Usage)?;
    let Command::Lint(options) = cli.command else { unreachable!("the line has this command") };
    let unsupported = [
        ("PATH", !options.compile.paths.is_empty()),
        ("--fix", options.fix),
        ("--diff", options.diff),
        ("--write-baseline", options.write_baseline.is_some()),
    ];
    match unsupported.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => {
            let text = format!("{name} is not supported: this command reads standard input and passes it on");
            Err(Failure::usage("post-render", ErrorKind::ArgumentConflict, &text))
        }
        None => Ok(*options),
    }
}

/// The documents of a stream, each named by its template. Without such a comment, the name is that of the one before.
fn documents(stream: Input) -> Vec<Input> {
    let Ok(text) = String::from_utf8(stream.bytes.clone()) else { return vec![stream] };
    let mut name = stream.name;
    let mut documents = Vec::new();
    for document in split(&text) {
        if let Some(source) = document.lines().find_map(|line| line.strip_prefix(SOURCE)) {
            source.trim().clone_into(&mut name);
        }
        documents.push(Input::new(name.clone(), document));
    }
    documents
}

/// The documents of a text, each with the `---` before it.
fn split(text: &str) -> Vec<&str> {
    let is_separator =
        |line: &str| line.strip_prefix("---").is_some_and(|rest| rest.trim_start() != rest || rest.is_empty());
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
        let found: Vec<_> = documents.iter().map(|input| (input.name.as_str(), input.bytes.len())).collect();
        let (a, c) = ("shop/templates/a.yaml", "shop/templates/c.yaml");
        assert_eq!(found, [(a, 47), (a, 16), (c, 48)]);
        let joined: Vec<u8> = documents.iter().flat_map(|input| input.bytes.iter().copied()).collect();
        assert_eq!(joined, text.as_bytes());
    }
}
