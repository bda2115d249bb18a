//! What the tests share: running a command in-process, and the places of this repository.

pub(crate) mod asked;

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use promgen::cli::{self, Io, Terminal};
use promgen::{Input, Options, Output, Project};
use promgen_targets::discovery::Discovery;
use regex::Regex;

/// The root of this repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The program that an environment variable names. A test that needs one is ignored unless it is asked for.
pub(crate) fn tool(variable: &str) -> PathBuf {
    let tool = std::env::var_os(variable).filter(|tool| !tool.is_empty());
    tool.unwrap_or_else(|| panic!("the environment variable {variable} names no program"))
        .into()
}

/// A sweep takes every item of that number, unless the environment has `SWEEP=all`.
pub(crate) const SWEEP_STEP: usize = 16;

/// Every sixteenth item of a sweep, from that one on; all of them where the environment has `SWEEP=all`, as in the gate
/// after a change of the program. The
/// sweeps over all fixtures and all commands take most of the time of the tests, and begin at different items.
pub(crate) fn swept<T>(first: usize, items: impl IntoIterator<Item = T>) -> Vec<T> {
    let step = sweep_step();
    items
        .into_iter()
        .skip(if step == 1 { 0 } else { first })
        .step_by(step)
        .collect()
}

/// Whether sweeps take every item.
pub(crate) fn sweeps_all() -> bool {
    sweep_step() == 1
}

/// The number of items of which a sweep of this run takes one.
pub(crate) fn sweep_step() -> usize {
    if std::env::var_os("SWEEP").is_some_and(|sweep| sweep == "all") {
        1
    } else {
        SWEEP_STEP
    }
}

/// What the manifests compile to.
pub(crate) fn compile(inputs: &[Input], options: &Options) -> Output {
    Project::read(inputs, options).model().into_output()
}

/// The same, with what targets are discovered from.
pub(crate) fn discover(inputs: &[Input], options: &Options) -> (Output, Discovery) {
    Project::read(inputs, options)
        .model_with_targets()
        .into_discovery()
}

/// The lint of the manifests.
pub(crate) fn lint(inputs: &[Input], options: &Options) -> Output {
    promgen::lint(&Project::read(
        inputs,
        &Options {
            is_repository: true,
            ..options.clone()
        },
    ))
}

/// What a command did.
#[derive(Debug, PartialEq)]
pub(crate) struct Ran {
    pub(crate) code: u8,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs `promgen` with these arguments and nothing on standard input.
pub(crate) fn promgen(args: &[&str]) -> Ran {
    promgen_with(args, &mut std::io::empty(), Terminal::default())
}

/// The same, with the findings that commands other than `lint` only count.
pub(crate) fn promgen_in_full(args: &[&str]) -> Ran {
    promgen_with(
        args,
        &mut std::io::empty(),
        Terminal {
            shows_findings: true,
            ..Terminal::default()
        },
    )
}

/// Runs `promgen` with that standard input and terminal.
pub(crate) fn promgen_with(args: &[&str], stdin: &mut dyn Read, terminal: Terminal) -> Ran {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut io = Io {
        stdin,
        stdout: &mut stdout,
        stderr: &mut stderr,
        terminal,
    };
    let code = cli::run(["promgen"].iter().chain(args), &mut io).code();
    let text = |bytes| String::from_utf8(bytes).expect("output is text");
    Ran {
        code,
        stdout: text(stdout),
        stderr: text(stderr),
    }
}

/// A text without the colours that `--color always` asks for.
pub(crate) fn without_colours(text: &str) -> String {
    static COLOUR: LazyLock<Regex> = LazyLock::new(|| Regex::new("\x1b\\[[0-9;]*m").unwrap());
    COLOUR.replace_all(text, "").into_owned()
}

/// A writer that fails with that error.
pub(crate) struct Broken(pub(crate) std::io::ErrorKind);

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
