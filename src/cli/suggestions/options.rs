//! Options that a command does not have.

use std::ffi::OsString;

use clap::{Arg, Command};

use promgen_model::words;
use promgen_text::suggest;

/// An option as it was typed, among all arguments.
pub(super) struct TypedOption<'a> {
    /// The option.
    pub(super) name: &'a str,
    /// All arguments, the program first.
    pub(super) args: &'a [OsString],
}

/// Options with which other tools take paths.
const OF_PATHS: [&str; 22] = [
    "-f",
    "--file",
    "--files",
    "--filename",
    "--path",
    "--paths",
    "--input",
    "--inputs",
    "-i",
    "--dir",
    "--directory",
    "--folder",
    "--manifest",
    "--manifests",
    "--source",
    "-k",
    "--kustomize",
    "-R",
    "-r",
    "--recursive",
    "--root",
    "--in",
];

/// Options of other tools and of earlier versions, and those of promgen. The first that the command has counts.
const OTHERS: [(&[&str], &[&str]); 39] = [
    (
        &[
            "-o",
            "--output",
            "--out",
            "--output-format",
            "--json",
            "--yaml",
            "--sarif",
            "--junit",
            "--outputs",
        ],
        &["format"],
    ),
    (
        &[
            "-o",
            "--out",
            "--output-file",
            "--output-dir",
            "--outfile",
            "--dest",
            "-d",
            "--write",
        ],
        &["output", "report"],
    ),
    (&["--jsonl", "--ndjson", "--case"], &["cases"]),
    (&["--zones", "--zone"], &["random-zones"]),
    (
        &["--rule", "--rules", "--alerts", "--every-alert", "--all"],
        &["all-alerts"],
    ),
    (&["--pods", "--count", "--n"], &["random"]),
    (&["--target", "--targets-file", "--sd"], &["targets"]),
    (
        &[
            "--kubernetes-version",
            "--k8s-version",
            "--k8s",
            "--kubernetes",
            "--kube",
        ],
        &["kube-version", "to-kube-version"],
    ),
    (
        &["--prometheus", "--prom-version", "--prom"],
        &["prometheus-version", "to-prometheus-version"],
    ),
    (
        &[
            "--operator-release",
            "--release",
            "--prometheus-operator-version",
            "--operator",
        ],
        &["operator-version", "to"],
    ),
    (
        &[
            "--features",
            "--feature-gate",
            "--gates",
            "--enable-feature",
            "--feature",
        ],
        &["feature-gates"],
    ),
    (
        &["--env", "--envs", "-e", "--environments", "--overlay"],
        &["environment"],
    ),
    (&["--ns"], &["namespace"]),
    (
        &[
            "--name",
            "--prometheus-name",
            "--alertmanager",
            "--resource",
            "-w",
        ],
        &["workload"],
    ),
    (
        &[
            "--level",
            "--strict",
            "--severity",
            "--error-on",
            "--max-warnings",
            "--min-level",
        ],
        &["fail-on"],
    ),
    (
        &[
            "--skip",
            "--disable",
            "--suppress",
            "--allow",
            "--ignore-rule",
            "--skip-rules",
        ],
        &["ignore"],
    ),
    (
        &[
            "--only",
            "--include",
            "--enable",
            "--codes",
            "--code",
            "--rule",
            "--rules",
            "--check",
            "--checks",
        ],
        &["select"],
    ),
    (
        &["--autofix", "--auto-fix", "--apply", "--in-place"],
        &["fix"],
    ),
    (&["--unsafe", "--fix-unsafe"], &["unsafe-fixes"]),
    (
        &["--dry-run", "--check", "--show-diff"],
        &["diff", "check", "syntax-only"],
    ),
    (
        &["--exit-zero", "--no-fail", "--fail"],
        &["fail-on", "exit-code"],
    ),
    (&["--config-file", "-c", "--settings"], &["config"]),
    (&["--time", "--now", "--date", "--when"], &["at"]),
    (&["--from-version", "--old"], &["from"]),
    (
        &["--to-version", "--new", "--target-version", "--latest"],
        &["to"],
    ),
    (
        &[
            "--against",
            "--base",
            "--baseline-file",
            "--old",
            "--previous",
            "--compare-with",
        ],
        &["compare", "baseline", "live"],
    ),
    (&["--dump", "--from-cluster"], &["live"]),
    (
        &["--expect", "--assertions", "--chainsaw", "--kuttl"],
        &["assert"],
    ),
    (
        &[
            "--secrets",
            "--show-secrets",
            "--with-secrets",
            "--unmask",
            "--show-values",
        ],
        &["reveal-secrets"],
    ),
    (
        &[
            "--source-comments",
            "--comments",
            "--show-source",
            "--origin",
        ],
        &["annotate"],
    ),
    (&["--follow", "-w"], &["watch"]),
    (&["--silent", "-s"], &["quiet"]),
    (
        &["--debug", "--trace-log", "--log-level", "-d"],
        &["verbose"],
    ),
    (
        &["--no-color", "--no-colors", "--colour", "--colors"],
        &["color"],
    ),
    (&["--shard-index", "--index", "-s"], &["shard"]),
    (
        &[
            "--replicas",
            "--to-shards",
            "--shard",
            "--scale",
            "--count",
            "--to",
        ],
        &["shards"],
    ),
    (&["--stats", "--summary"], &["statistics"]),
    (&["--max", "--top", "--head"], &["limit"]),
    (&["--template", "--template-dir", "-t"], &["templates"]),
];

/// What there is no option for.
const WORDS: [(&[&str], &str); 10] = [
    (
        &[
            "--exclude",
            "--exclude-dir",
            "--skip-dirs",
            "--skip-files",
            "--ignore-path",
        ],
        "paths that are left out stand in promgen.yaml: `exclude: [\"old/**\"]`",
    ),
    (
        &["-A", "--all-namespaces"],
        "all namespaces of the input are read: leave it out",
    ),
    (
        &["-l", "--selector", "--label"],
        "all objects of the input are read: leave it out, or name files",
    ),
    (
        &["--kubeconfig", "--context", "--cluster", "--server"],
        "promgen reads no cluster: `kubectl get KIND -A -o yaml | promgen … -` passes on what is there",
    ),
    (
        &["--set", "--values"],
        "promgen reads the values of a release in the input; `helm template … | promgen … -` passes on any others",
    ),
    (
        &["--force", "--yes", "-y"],
        "there is nothing to confirm: leave it out",
    ),
    (
        &[
            "--changed-since",
            "--since",
            "--changed",
            "--new-only",
            "--diff-base",
        ],
        "`promgen diff REVISION` says what a change does, and what it adds to the findings",
    ),
    (
        &["--help-all", "--full-help", "--usage"],
        "`--help` lists every option, `-h` the own ones",
    ),
    (
        &["--labels", "--alert", "--alertname"],
        "labels are an argument without an option, as in `alertname=CartDown,severity=critical`",
    ),
    (
        &["--kind", "--name", "--type"],
        "a resource is one argument, as in `servicemonitor/shop/cart`",
    ),
];

/// Returns whether an argument is an option with which other tools take paths.
pub(super) fn is_of_paths(arg: &str) -> bool {
    OF_PATHS.contains(&arg)
}

/// The command among the arguments.
pub(super) fn command_of<'c>(root: &'c Command, args: &[OsString]) -> Option<&'c Command> {
    args.iter()
        .skip(1)
        .filter_map(|arg| arg.to_str())
        .find_map(|arg| root.find_subcommand(arg))
}

/// The most likely meaning.
pub(super) fn tip(typed: &TypedOption<'_>, root: &Command) -> Option<String> {
    let name = typed.name.split('=').next().unwrap_or_default();
    let Some(command) = command_of(root, typed.args) else {
        return of_another(name.trim_start_matches('-'), root, root);
    };
    let own: Vec<&Arg> = command
        .get_arguments()
        .filter(|arg| arg.get_long().is_some())
        .collect();
    let has_paths = command.get_positionals().next().is_some();
    if has_paths && OF_PATHS.contains(&name) {
        return Some(format!(
            "paths are arguments without an option: `{}`",
            without(typed.args, name)
        ));
    }
    if let Some(arg) = output(typed, name, &own).and_then(|meant| {
        own.iter()
            .find(|arg| arg.get_long().is_some_and(|long| meant.contains(&long)))
    }) {
        return Some(format!("{} is the option of that meaning", spelled(arg)));
    }
    let known = OTHERS.iter().filter(|(names, _)| names.contains(&name));
    let found = known
        .flat_map(|(_, meant)| *meant)
        .find_map(|meant| own.iter().find(|arg| arg.get_long() == Some(meant)));
    if let Some(arg) = found {
        return Some(format!("{} is the option of that meaning", spelled(arg)));
    }
    if let Some((_, help)) = WORDS.iter().find(|(names, _)| names.contains(&name)) {
        return Some((*help).to_owned());
    }
    let word = name.trim_start_matches('-');
    near(word, &own)
        .or_else(|| of_another(word, command, root))
        .or_else(|| of_shards(word))
}

/// The meaning of an option for the output, if its value is no format: a file.
fn output(typed: &TypedOption<'_>, name: &str, own: &[&Arg]) -> Option<&'static [&'static str]> {
    let is_output = ["-o", "--output", "--out"].contains(&name);
    let at = typed.args.iter().position(|arg| {
        arg.to_str()
            .is_some_and(|arg| arg.split('=').next() == Some(name))
    })?;
    let typed_value = typed.args[at]
        .to_str()?
        .split_once('=')
        .map(|(_, value)| value.to_owned());
    let value = typed_value.or_else(|| typed.args.get(at + 1)?.to_str().map(str::to_owned))?;
    let formats = own
        .iter()
        .find(|arg| arg.get_long() == Some("format"))
        .map(|arg| arg.get_possible_values());
    let formats: Vec<String> = formats
        .iter()
        .flatten()
        .map(|format| format.get_name().to_owned())
        .collect();
    let is_format = value == "yaml"
        || formats
            .iter()
            .any(|format| suggest::is_like(&value, format));
    (is_output && !is_format).then_some(&["output", "report"])
}

/// An option that is spelled almost so, or that has the words among its own.
fn near(word: &str, own: &[&Arg]) -> Option<String> {
    let shown = || own.iter().filter(|arg| !arg.is_hide_set());
    if let Some(meant) = suggest::closest(word, shown().filter_map(|arg| arg.get_long())) {
        let arg = shown().find(|arg| arg.get_long() == Some(meant))?;
        return Some(format!("did you mean {}?", spelled(arg)));
    }
    let parts: Vec<&str> = word.split('-').filter(|part| part.len() > 2).collect();
    let has = |long: &str| {
        parts.iter().all(|part| {
            long.split('-')
                .any(|own| own == *part || own.trim_end_matches('s') == *part)
        })
    };
    let longer: Vec<String> = shown()
        .filter(|arg| !parts.is_empty() && arg.get_long().is_some_and(has))
        .map(|arg| spelled(arg))
        .collect();
    (1..=3)
        .contains(&longer.len())
        .then(|| format!("did you mean {}?", longer.join(" or ")))
}

/// The commands that have an option of that name.
fn of_another(word: &str, command: &Command, root: &Command) -> Option<String> {
    const MAX_COMMANDS: usize = 3;
    let has = |other: &&Command| {
        other
            .get_arguments()
            .any(|arg| arg.get_long() == Some(word) && !arg.is_hide_set())
    };
    let others = root
        .get_subcommands()
        .filter(|other| other.get_name() != command.get_name() && !other.is_hide_set());
    let names: Vec<String> = others
        .filter(has)
        .map(|other| format!("`promgen {}`", other.get_name()))
        .collect();
    (1..=MAX_COMMANDS)
        .contains(&names.len())
        .then(|| format!("`--{word}` is an option of {}", words::and(&names)))
}

/// The command that changes how many shards there are.
fn of_shards(word: &str) -> Option<String> {
    let is_count = matches!(word, "replicas" | "scale" | "to-shards" | "count");
    is_count
        .then(|| "`promgen simulate --shards N` says what another number of shards does".to_owned())
}

/// The option as one types it.
fn spelled(arg: &Arg) -> String {
    let long = arg.get_long().unwrap_or_default();
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .map(|value| value.get_name().to_owned())
        .collect();
    match (arg.get_action().takes_values(), arg.get_value_names()) {
        (true, _) if (1..=8).contains(&values.len()) => {
            format!("`--{long}` ({})", values.join(", "))
        }
        (true, Some([name, ..])) => format!("`--{long} {name}`"),
        _ => format!("`--{long}`"),
    }
}

/// The arguments as they were typed, without one of them.
fn without(args: &[OsString], name: &str) -> String {
    let mut shown = vec!["promgen".to_owned()];
    for arg in args.iter().skip(1) {
        let text = arg.to_string_lossy();
        match text.strip_prefix(name) {
            Some("") => {}
            Some(rest) if rest.starts_with('=') => shown.push(rest[1..].to_owned()),
            Some(_) | None => shown.push(text.into_owned()),
        }
    }
    shown.join(" ")
}
