//! Prometheus' own word on what `promgen config` prints for the fixtures: `promtool check config --syntax-only`.
//!
//! `PROMTOOL` names the program, and `.ci/run` builds one. Fixtures whose
//! configuration the operator itself writes in a form that Prometheus refuses carry our warning about it.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use promgen::{Input, Layout, Options, Output};
use promgen_compile::output::WorkloadKind;
use promgen_text::version::Version;

use crate::support::{root, tool};

/// Operator: it writes what Prometheus refuses, and we warn.
const REFUSED: &str = "PG303";

fn version_of(promtool: &PathBuf) -> Version {
    let printed = Command::new(promtool)
        .arg("--version")
        .output()
        .unwrap()
        .stdout;
    let printed = String::from_utf8(printed).unwrap();
    let given = std::env::var("PROMTOOL_VERSION").ok();
    let word = printed.split_whitespace().nth(2).map(str::to_owned);
    // One that was not built by Prometheus' own scripts does not know its version.
    let version = given.or(word).unwrap_or_default();
    Version::parse(&version)
        .unwrap_or_else(|| panic!("set PROMTOOL_VERSION: promtool says {printed}"))
}

/// What promtool says against the configuration, if anything.
fn complaint(promtool: &PathBuf, is_agent: bool, config: &str) -> Option<String> {
    let mut command = Command::new(promtool);
    command
        .args(["check", "config", "--syntax-only"])
        .args(is_agent.then_some("--agent"))
        .arg("/dev/stdin");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(config.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (!output.status.success()).then(|| String::from_utf8_lossy(&said).into_owned())
}

/// The configuration with the variables that are filled in later: a number before a unit, a duration elsewhere.
fn filled_in(config: &str) -> String {
    let mut parts = config.split("${");
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let name = part.split('}').next().unwrap_or_default();
        let is_variable = name.len() > 1
            && name
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        match part
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix('}'))
            .filter(|_| is_variable)
        {
            Some(rest) if rest.starts_with(char::is_alphabetic) => filled.extend(["30", rest]),
            Some(rest) => filled.extend(["30s", rest]),
            None => filled.extend(["${", part]),
        }
    }
    filled
}

fn add_inputs(folder: &std::path::Path, inputs: &mut Vec<Input>) {
    for path in std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        if path.is_dir() {
            add_inputs(&path, inputs);
        } else {
            inputs.push(Input::new(
                path.to_string_lossy(),
                std::fs::read(&path).unwrap(),
            ));
        }
    }
}

fn compile(case: &std::path::Path, version: &Version) -> Output {
    let mut inputs = Vec::new();
    add_inputs(&case.join("input"), &mut inputs);
    inputs.sort_by(|a, b| a.name.cmp(&b.name));
    let mut options = Options {
        layout: Layout::Operator,
        reveal_secrets: true,
        ..Options::default()
    };
    options.target.prometheus = Some(version.clone());
    crate::support::compile(&inputs, &options)
}

#[test]
#[ignore = "needs PROMTOOL, the program promtool"]
fn prometheus_takes_the_configuration_of_every_fixture() {
    let promtool = tool("PROMTOOL");
    let version = version_of(&promtool);
    let (mut n_checked, mut faults) = (0, Vec::new());
    for case in std::fs::read_dir(root().join("fixtures"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        let output = compile(&case, &version);
        let warned = output.diagnostics.iter().any(|d| d.rule.code == REFUSED);
        for workload in &output.workloads {
            let Some(config) = &workload.config else {
                continue;
            };
            let is_agent = match workload.id.kind {
                WorkloadKind::Prometheus => false,
                WorkloadKind::PrometheusAgent => true,
                // Configurations of other programs.
                WorkloadKind::Alertmanager | WorkloadKind::ThanosRuler => continue,
            };
            for shard in &workload.plan.shards {
                n_checked += 1;
                let complaint = complaint(
                    &promtool,
                    is_agent,
                    &filled_in(&config.expand(shard).text()),
                );
                if complaint.is_some() != warned {
                    faults.push(format!(
                        "{} {} shard {}: {complaint:?}",
                        case.display(),
                        workload.id,
                        shard.index
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(n_checked > 20, "only {n_checked} configurations");
}
