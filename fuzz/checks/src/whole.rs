//! Whole runs: manifests through all phases, as the commands run them.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::sync::LazyLock;

use promgen::cli::{self, Io, Terminal};
use promgen::compare::{compare, drift};
use promgen::{Input, Project};
use promgen_compile::options::{Assume, Options, Profile};
use promgen_compile::output::{Emission, Format, Layout, Output};
use promgen_compile::sharding::MAX_SHARDS;
use promgen_repository::kustomize::build::build;
use promgen_repository::kustomize::read::gather::{Content, Files, gather};
use promgen_repository::kustomize::read::store::Store;
use promgen_repository::path::join;
use promgen_repository::print;
use promgen_text::diag::format::text::{self, Style};
use promgen_text::diag::format::{github, gitlab, json, junit, markdown, sarif};
use promgen_text::diag::{Diagnostic, Sink};
use promgen_text::source::{FileId, Sources};
use promgen_text::yaml::read::read;
use regex::bytes::Regex;

use crate::{files, within};

/// What a shard counts for: the number in `shards: 1000` stands for as many objects.
const BYTES_OF_SHARD: usize = 128;

/// The size of manifests, by which memory is bounded.
fn size(data: &[u8]) -> usize {
    static SHARDS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"shards["']?\s*:\s*["']?(\d+)"#).expect("a pattern"));
    let numbers = SHARDS
        .captures_iter(data)
        .filter_map(|found| str::from_utf8(&found[1]).ok()?.parse::<usize>().ok());
    data.len()
        + numbers
            .filter(|number| *number <= MAX_SHARDS as usize)
            .sum::<usize>()
            * BYTES_OF_SHARD
}

/// Compiles as `lint` and as `render` do, and prints everything in every format. What is written can be read.
pub fn compile(data: &[u8]) {
    within(size(data), || {
        let (inputs, choice) = (files::split(data), files::choice(data));
        for lint in [true, false] {
            let options = Options {
                is_repository: lint,
                ..options(choice)
            };
            let project = Project::read(&inputs, &options);
            let output = if lint {
                promgen::lint(&project)
            } else {
                project.model().into_output()
            };
            print_findings(&output.diagnostics, &output.suppressed, &output.sources);
            print_objects(output, options.layout);
        }
    });
}

/// Options that bits choose.
fn options(bits: u8) -> Options {
    let is_set = |bit: u8| bits & (1 << bit) != 0;
    Options {
        assume: if is_set(0) {
            Assume::Missing
        } else {
            Assume::Ready
        },
        layout: if is_set(1) {
            Layout::Operator
        } else {
            Layout::PerShard
        },
        profile: [
            Profile::Operator,
            Profile::Proposal,
            Profile::Stackable,
            Profile::Aso,
        ][usize::from(bits >> 2 & 3)],
        reveal_secrets: is_set(4),
        operator_only: is_set(5),
        ..Options::default()
    }
}

/// The findings in all formats. All places are in the texts.
pub(crate) fn print_findings(
    findings: &[Diagnostic],
    suppressed: &[Diagnostic],
    sources: &Sources,
) {
    let out = &mut io::sink();
    for finding in findings {
        let shown = text::render(finding, sources, Style::default());
        assert!(
            shown.contains(&*finding.rule.code),
            "a finding without its code: {shown}"
        );
    }
    let written = sarif::write(findings, suppressed, sources, out)
        .and_then(|()| json::write(findings, sources, out))
        .and_then(|()| junit::write(findings, sources, out))
        .and_then(|()| markdown::write(findings, sources, out))
        .and_then(|()| gitlab::write(findings, sources, out))
        .and_then(|()| github::write(findings, sources, out));
    written.expect("a sink takes everything");
}

fn print_objects(mut output: Output, layout: Layout) {
    let mut written = Vec::new();
    for format in [Format::Yaml, Format::Json] {
        let emission = Emission {
            format,
            layout,
            ..Emission::default()
        };
        written.clear();
        output
            .write_stream(&emission, &mut written)
            .expect("a vector takes everything");
        is_readable(&written);
        for file in output.files(&emission) {
            file.write(&mut io::sink())
                .expect("a sink takes everything");
        }
    }
    output.annotate();
    is_readable(output.to_yaml().as_bytes());
}

/// What promgen writes, it reads.
fn is_readable(written: &[u8]) {
    let text = str::from_utf8(written).expect("everything written is text");
    let mut sink = Sink::default();
    read(FileId::new(0), text, &mut sink);
    let first = sink.diagnostics().first().map(|found| &found.message);
    assert_eq!(first, None, "what is written cannot be read: {text}");
}

/// Compares manifests in the files below `base/` with those below `head/`, as folders, as a cluster and its manifests, and for
/// another version of Prometheus.
pub fn diff(data: &[u8]) {
    // Both sides of a comparison are compiled, and linted.
    within(size(data) * 4, || {
        let (files, choice) = (files::split(data), files::choice(data));
        let (head, base): (Vec<_>, Vec<_>) = files
            .into_iter()
            .partition(|file| file.name.starts_with("head/"));
        let options = options(choice & 0b1_1101);
        let side = |inputs: &[Input]| Project::read_side(inputs, &options).model();
        let (old, new) = (side(&base), side(&head));
        let _ = compare(&old, &new);
        print_findings(&new.output().diagnostics, &[], &new.output().sources);
        let _ = drift(&head, &options, &base);
        let format = ["text", "json", "markdown"][usize::from(choice) % 3];
        let base: Vec<u8> = base
            .iter()
            .flat_map(|file| file.bytes.iter().copied())
            .collect();
        command(
            &[
                "diff",
                "-",
                "--from-prometheus-version",
                "v2.45.0",
                "--to-prometheus-version",
                "v3.5.0",
                "--format",
                format,
            ],
            &base,
        );
    });
}

/// Files in memory.
struct Memory(BTreeMap<String, Vec<u8>>);

impl Files for Memory {
    fn read(&self, path: &str) -> Content {
        Content::of(self.0.get(path).cloned())
    }

    fn is_folder(&self, path: &str) -> bool {
        let is_below = |name: &str| {
            name.strip_prefix(path)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        path == "." || self.0.keys().any(|name| is_below(name))
    }
}

/// Builds the kustomization of the root, or of the first folder that has one, and prints it in all forms.
pub fn kustomize(data: &[u8]) {
    within(size(data), || {
        let inputs = files::split(data);
        let memory = Memory(
            inputs
                .into_iter()
                .map(|file| (join(".", &file.name), file.bytes.to_vec()))
                .collect(),
        );
        let folder = memory
            .0
            .keys()
            .find_map(|name| name.strip_suffix("kustomization.yaml"));
        let folder = join(".", folder.unwrap_or_default());
        let gathered = gather(&memory, &folder);
        let sources = gathered.sources();
        let store = Store::new(&gathered, &sources);
        match build(&store, &folder) {
            None => {}
            Some(Err(fault)) => print_findings(&[fault.diagnostic()], &[], &sources),
            Some(Ok(objects)) => {
                for object in &objects {
                    let (node, _) = print::redacted(object);
                    is_readable(print::yaml(&node).as_bytes());
                    is_readable(print::annotated(&node, &sources).as_bytes());
                    let _ = print::json(&object.node);
                }
            }
        }
    });
}

/// Runs the KRM function, and the post-renderer, on a text. The list that comes out is one that goes in.
pub fn krm(data: &[u8]) {
    within(size(data) * 2, || {
        let (exit, out) = command(&["krm"], data);
        if exit != cli::Exit::Failure {
            is_readable(&out);
            let (again, _) = command(&["krm"], &out);
            assert_ne!(
                again,
                cli::Exit::Failure,
                "what is written is refused: {}",
                String::from_utf8_lossy(&out)
            );
        }
        command(&["post-render", "--no-config"], data);
    });
}

/// Commands that ask something of manifests, each with all that it needs.
const COMMANDS: &[&[&str]] = &[
    &["shards", "-"],
    &["shards", "-", "--rules", "--format", "json"],
    &["prove", "-", "--random", "50"],
    &["prove", "-", "--format", "json"],
    &["simulate", "-", "--shards", "1..4", "--targets", "50"],
    &["config", "-"],
    &["config", "-", "--annotate"],
    &["status", "-"],
    &["status", "-", "--profile", "aso"],
    &["health", "-"],
    &["rules", "-"],
    &["which", "pod/shop/cart-0", "-"],
    &["which", "10.0.0.1:8080", "-", "--format", "json"],
    &["trace", "all", "-"],
    &["trace", "all", "-", "--format", "json"],
    &["trace", "--cases", "-"],
    &["route", "severity=critical", "-", "--format", "json"],
    &["route", "severity=critical", "team=shop", "-"],
    &["explain", "Prometheus/main", "-"],
    &["explain", "ServiceMonitor/shop/cart", "-"],
    &["explain", "PodMonitor/cart", "-", "--format", "json"],
    &["lint", "-", "--no-config", "--fix", "--unsafe-fixes"],
    &["lint", "-", "--no-config", "--diff", "--all"],
    &[
        "render",
        "-",
        "--layout",
        "operator",
        "--emit",
        "config,workloads,status",
    ],
];

/// Runs a command on manifests at its standard input.
pub fn commands(data: &[u8]) {
    let args = COMMANDS[usize::from(files::choice(data)) % COMMANDS.len()];
    within(size(data), || command(args, data));
}

/// Runs promgen in this process. Its output, and how it ended.
fn command(args: &[&str], mut stdin: &[u8]) -> (cli::Exit, Vec<u8>) {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let io = &mut Io {
        stdin: &mut stdin,
        stdout: &mut stdout,
        stderr: &mut stderr,
        terminal: Terminal::default(),
    };
    let exit = cli::run(["promgen"].iter().chain(args), io);
    stderr.flush().expect("a vector takes everything");
    str::from_utf8(&stderr).expect("messages are text");
    (exit, stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_one() {
        for args in COMMANDS {
            let mut stderr = Vec::new();
            let io = &mut Io {
                stdin: &mut &b""[..],
                stdout: &mut io::sink(),
                stderr: &mut stderr,
                terminal: Terminal::default(),
            };
            cli::run(["promgen"].iter().chain(*args), io);
            let said = String::from_utf8_lossy(&stderr);
            assert!(!said.contains("Usage:"), "{args:?}: {said}");
        }
    }
}
