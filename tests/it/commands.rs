//! Every command, with arguments that make it do its work. The commands, the values of their options and their flags come from
//! the definition of the command line: what has no row here fails every test that runs all commands.

mod documents;
mod place;

use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::sync::LazyLock;

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, Command};
use promgen::cli::{Terminal, reference};

use crate::support::swept;

pub(crate) use place::Place;

/// The place where a row is missing.
const TABLE: &str = "tests/it/commands.rs";

/// What a command prints on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Printed {
    /// An answer, in the form that `--format` selects. Names and values are escaped in it.
    Answer,
    /// Objects and configurations, byte by byte, or the standard input of a pipe: SECURITY.md exempts them.
    Data,
    /// Nothing of an input: it reads none.
    Itself,
}

/// A command with its lines: arguments, and behind `<` what it reads from standard input. What begins with `%` is a part of a
/// [`Place`]. `%out/answer` has the form that `--format` selects.
#[derive(Debug)]
struct Row {
    /// With the names of the commands above it.
    name: &'static str,
    printed: Printed,
    lines: &'static [&'static str],
}

const fn row(name: &'static str, printed: Printed, lines: &'static [&'static str]) -> Row {
    Row {
        name,
        printed,
        lines,
    }
}

const ROWS: &[Row] = &[
    row(
        "lint",
        Printed::Answer,
        &[
            "%in",
            "%in --diff --unsafe-fixes",
            "%in --report %out/answer",
            "%in --write-baseline %out/baseline.json",
            "%in --live %base",
            "%in --metrics %base",
            "%in --shard 1/2",
        ],
    ),
    row("merge", Printed::Answer, &["%part -- %in"]),
    row(
        "explain",
        Printed::Answer,
        &[
            "PG201",
            "gates",
            "--rules",
            "prometheus/d/main %in",
            "servicemonitor/d/sm %in",
            "servicemonitor/d/sm %in --live %base",
            "metric/up %in",
            "metric/up %in --metrics %base",
        ],
    ),
    row("rule", Printed::Itself, &["PG201", "PG2", ""]),
    row("overview", Printed::Answer, &["%in"]),
    row(
        "test",
        Printed::Answer,
        &["%tests", "%tests --report %out/answer"],
    ),
    row(
        "diff",
        Printed::Answer,
        &[
            "%base %in",
            "%in %base",
            "%in --live %base",
            "%base %in --metrics %base",
        ],
    ),
    row(
        "upgrade",
        Printed::Answer,
        &["--from v0.84.0 --to v0.92.0 %in"],
    ),
    row(
        "report",
        Printed::Answer,
        &[
            "%in",
            "%in --compare %base -o %out/answer",
            "%in --tests %results",
        ],
    ),
    row("render", Printed::Data, &["%in", "%in -o %out/"]),
    row(
        "build",
        Printed::Data,
        &["%built", "%built -o %out/built.yaml"],
    ),
    row(
        "config",
        Printed::Data,
        &["%in", "%in --workload Prometheus/d/main"],
    ),
    row("rules", Printed::Data, &["%in", "%in -o %out/"]),
    row(
        "rbac",
        Printed::Data,
        &[
            "%in",
            "%in --check",
            "%in --live %base",
            "%in --workload Prometheus/d/main",
            "%in --operator",
        ],
    ),
    row(
        "status",
        Printed::Answer,
        &[
            "%in",
            "%in --assert",
            "%in --health --expected",
            "%in --live %base",
        ],
    ),
    row("health", Printed::Answer, &["%in"]),
    row(
        "shards",
        Printed::Answer,
        &["%in", "%in --random 9", "%in --rules"],
    ),
    row(
        "which",
        Printed::Answer,
        &["__address__=a:1 %in", "all %in", "--cases - < %cases"],
    ),
    row(
        "trace",
        Printed::Answer,
        &["__address__=a:1 %in", "all %in", "--cases - < %cases"],
    ),
    row("prove", Printed::Answer, &["%in", "%in --random 9"]),
    row(
        "simulate",
        Printed::Answer,
        &[
            "--shards 2..3 %in",
            "--shards 2 --random 9 %in -o %out/answer",
        ],
    ),
    row(
        "route",
        Printed::Answer,
        &[
            "alertname=A,severity=critical --at 2026-11-22T03:00:00Z %in",
            "--all-alerts %in",
        ],
    ),
    // It ends at once without a client. Its requests have tests of their own: `lsp` and `secrets::editor`.
    row("lsp", Printed::Itself, &[""]),
    row("krm", Printed::Data, &["< %linted", "< %rendered"]),
    row(
        "post-render",
        Printed::Data,
        &["< %manifests", "--report %out/answer < %manifests"],
    ),
    row(
        "schema",
        Printed::Itself,
        &["", "Prometheus", "output --format=markdown"],
    ),
    row("completions", Printed::Itself, &[""]),
    row("man", Printed::Itself, &["", "lint", "-o %out/"]),
];

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Json,
    Yaml,
    Csv,
    Html,
    Junit,
    Github,
    Markdown,
    Mermaid,
    Svg,
}

/// The forms by the names that users type.
const FORMS: &[(&str, Form)] = &[
    ("csv", Form::Csv),
    ("github", Form::Github),
    ("gitlab", Form::Json),
    ("html", Form::Html),
    ("json", Form::Json),
    ("junit", Form::Junit),
    ("list", Form::Json),
    ("markdown", Form::Markdown),
    ("mermaid", Form::Mermaid),
    ("sarif", Form::Json),
    ("svg", Form::Svg),
    ("table", Form::Text),
    ("text", Form::Text),
    ("yaml", Form::Yaml),
];

/// Options with values to choose from that select no form.
const SETTINGS: &[&str] = &[
    "assume",
    "color",
    "emit",
    "fail_on",
    "layout",
    "load_restrictor",
    "profile",
    "shell",
    "sort",
];

/// Flags that no line may have.
const LEFT_OUT: &[(&str, &str)] = &[
    (
        "fix",
        "it changes the input, which other lines read; --diff prints the same",
    ),
    ("helm", "it starts another program"),
    ("helm_pull", "it uses the network"),
    ("reveal_secrets", "it prints what others hide"),
    ("watch", "it does not end"),
    ("no_clear", "it requires --watch"),
    ("open", "it starts another program"),
];

/// The values to choose from, of which an option takes one.
fn values(arg: &Arg) -> Vec<String> {
    arg.get_possible_values()
        .iter()
        .map(|value| value.get_name().to_owned())
        .collect()
}

fn is_setting(arg: &Arg) -> bool {
    SETTINGS.contains(&arg.get_id().as_str())
}

fn is_flag(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::SetTrue)
        && !LEFT_OUT.iter().any(|(left, _)| arg.get_id() == *left)
}

fn form_of(value: &str) -> Option<Form> {
    FORMS
        .iter()
        .find(|(name, _)| *name == value)
        .map(|(_, form)| *form)
}

/// All commands that do something, with the names of those above them.
fn commands(root: &Command) -> Vec<(String, &Command)> {
    let mut found = Vec::new();
    for command in root.get_subcommands() {
        let name = command.get_name();
        if !command.is_subcommand_required_set() {
            found.push((name.to_owned(), command));
        }
        found.extend(
            commands(command)
                .into_iter()
                .map(|(below, command)| (format!("{name} {below}"), command)),
        );
    }
    found
}

/// What the table lacks, and what it has in excess.
fn faults(root: &Command) -> Vec<String> {
    let commands = commands(root);
    let mut faults = Vec::new();
    for (name, command) in &commands {
        if !ROWS.iter().any(|row| row.name == name) {
            faults.push(format!(
                "`promgen {name}` has no row in {TABLE}: add the arguments that make it do its work"
            ));
        }
        for arg in command.get_arguments().filter(|arg| !is_setting(arg)) {
            for value in values(arg).iter().filter(|value| form_of(value).is_none()) {
                faults.push(format!(
                    "`{value}`, a value of `{}` of `promgen {name}`, has no row in {TABLE}: add it to FORMS, or its option to SETTINGS",
                    arg.get_id()
                ));
            }
        }
    }
    let gone = ROWS
        .iter()
        .filter(|row| !commands.iter().any(|(name, _)| name == row.name));
    faults.extend(gone.map(|row| {
        format!(
            "`promgen {}` has a row in {TABLE}, and is no command",
            row.name
        )
    }));
    faults
}

/// A command with arguments.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    row: &'static Row,
    /// The parts of it.
    text: &'static str,
    args: Vec<String>,
    stdin: Option<&'static str>,
    /// The form that its options select.
    form: Form,
    /// It stands in the table as it is.
    pub(crate) is_plain: bool,
}

impl Line {
    /// Returns whether it is the first line of its command.
    pub(crate) fn is_first(&self) -> bool {
        self.is_plain && self.is_of_first()
    }

    /// Returns whether it is one of those that the first line of its command has become.
    pub(crate) fn is_of_first(&self) -> bool {
        self.row.lines.first() == Some(&self.text)
    }

    /// Returns whether it reads an input.
    pub(crate) fn reads(&self) -> bool {
        self.text.contains('%') && self.row.printed != Printed::Itself
    }

    /// Returns whether an argument of it is a part of the place.
    pub(crate) fn names_files(&self) -> bool {
        self.args.iter().any(|arg| arg.starts_with('%'))
    }

    /// The form of what it prints. `None`: data.
    pub(crate) fn printed(&self) -> Option<Form> {
        // The file of a report has the form. A diff is one in any.
        let is_text = self
            .args
            .iter()
            .any(|arg| ["--report", "--diff"].contains(&arg.as_str()));
        let form = if is_text { Form::Text } else { self.form };
        (self.row.printed == Printed::Answer).then_some(form)
    }

    /// The form of a file that it writes. `None`: data.
    pub(crate) fn written(&self, name: &str) -> Option<Form> {
        match Path::new(name).file_name().and_then(OsStr::to_str) {
            Some("answer") => Some(self.form),
            Some("baseline.json") => Some(Form::Json),
            _ => None,
        }
    }

    /// Returns whether its command has an option.
    pub(crate) fn knows(&self, option: &str) -> bool {
        let commands = commands(&ALL.1);
        let (_, command) = commands
            .iter()
            .find(|(name, _)| name == self.row.name)
            .expect("lines have commands");
        command
            .get_arguments()
            .any(|arg| arg.get_long() == Some(option))
    }

    /// The line with one more option, or with another value of it.
    pub(crate) fn with(&self, option: &str, value: &str) -> Self {
        let option = format!("--{option}");
        let mut line = self.clone();
        if let Some(at) = line.args.iter().position(|arg| *arg == option) {
            line.args[at + 1] = value.to_owned();
            return line;
        }
        let typed = option + "=";
        line.args.retain(|arg| !arg.starts_with(&typed));
        line.args.push(typed + value);
        line
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "promgen {} {}", self.row.name, self.args.join(" "))?;
        self.stdin
            .iter()
            .try_for_each(|stdin| write!(f, " < {stdin}"))
    }
}

/// The lines of a row: each of its own as it is, then with one value of each option and at most one flag more; together they
/// have all.
fn variants(row: &'static Row, command: &Command) -> Vec<Line> {
    let choices = command
        .get_arguments()
        .map(|arg| (arg, values(arg)))
        .filter(|(_, values)| !values.is_empty());
    let choices: Vec<(&Arg, Vec<String>)> = choices.collect();
    let flags: Vec<&Arg> = command.get_arguments().filter(|arg| is_flag(arg)).collect();
    let n_values = choices
        .iter()
        .map(|(_, values)| values.len())
        .max()
        .unwrap_or_default();
    let mut lines = Vec::new();
    for (number, text) in row.lines.iter().enumerate() {
        let (args, stdin) = text
            .split_once("< ")
            .map_or((*text, None), |(args, stdin)| (args, Some(stdin)));
        let plain = Line {
            row,
            text,
            args: args.split_whitespace().map(str::to_owned).collect(),
            stdin,
            form: Form::Text,
            is_plain: true,
        };
        let typed = typed_args(command, &plain.args);
        // The options of manifests are refused where none are read.
        let reads = text.replace("%cases", "").contains('%');
        let fits = |arg: &Arg| {
            let is_read = reads || arg.get_help_heading() != Some("Manifests");
            is_read && !typed.iter().any(|other| excludes(command, arg, other))
        };
        let flags: Vec<_> = flags.iter().filter(|flag| fits(flag)).collect();
        for index in 0..=n_values.max(flags.len()) {
            let mut line = Line {
                is_plain: index == 0,
                ..plain.clone()
            };
            for (arg, values) in choices.iter().filter(|(arg, _)| fits(arg)) {
                let default = arg
                    .get_default_values()
                    .first()
                    .and_then(|value| value.to_str());
                let (value, is_typed) = match index.checked_sub(1) {
                    Some(index) => (values[(index + number) % values.len()].as_str(), true),
                    None => (default.unwrap_or(&values[0]), arg.is_positional()),
                };
                let typed = arg
                    .get_long()
                    .map_or_else(|| value.to_owned(), |long| format!("--{long}={value}"));
                line.args.extend(is_typed.then_some(typed));
                line.form = if is_setting(arg) {
                    line.form
                } else {
                    form_of(value).unwrap()
                };
            }
            let flag = index.checked_sub(1).and_then(|index| flags.get(index));
            line.args
                .extend(flag.map(|flag| format!("--{}", flag.get_long().unwrap())));
            lines.push(line);
        }
    }
    lines
}

/// The options among arguments.
fn typed_args<'c>(command: &'c Command, typed: &[String]) -> Vec<&'c Arg> {
    let is_typed = |arg: &&Arg| {
        let long = arg.get_long().map(|long| format!("--{long}"));
        let short = arg.get_short().map(|short| format!("-{short}"));
        let typed = typed.iter().map(|typed| {
            typed
                .split_once('=')
                .map_or(typed.as_str(), |(name, _)| name)
        });
        typed
            .into_iter()
            .any(|typed| long.as_deref() == Some(typed) || short.as_deref() == Some(typed))
    };
    command.get_arguments().filter(is_typed).collect()
}

/// Returns whether an argument cannot stand beside another one, or is the same.
fn excludes(command: &Command, one: &Arg, other: &Arg) -> bool {
    let conflicts = |one: &Arg, other: &Arg| {
        command
            .get_arg_conflicts_with(one)
            .iter()
            .any(|found| found.get_id() == other.get_id())
    };
    one.get_id() == other.get_id() || conflicts(one, other) || conflicts(other, one)
}

/// All lines of all commands, and the definition of the command line.
static ALL: LazyLock<(Vec<Line>, Command)> = LazyLock::new(|| {
    let root = reference::definition();
    let faults = faults(&root);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let commands = commands(&root);
    let command = |row: &Row| {
        commands
            .iter()
            .find(|(name, _)| name == row.name)
            .expect("rows have commands")
            .1
    };
    let lines = ROWS
        .iter()
        .flat_map(|row| variants(row, command(row)))
        .collect();
    (lines, root)
});

/// All lines of all commands: each value of each option that has values to choose from, and each flag, is in one of them.
pub(crate) fn lines() -> &'static [Line] {
    &ALL.0
}

/// An argument of a command, and a line that may have it.
pub(crate) struct Asked {
    line: Line,
    arg: &'static Arg,
}

impl Asked {
    /// Returns whether its value is a path.
    pub(crate) fn is_path(&self) -> bool {
        is_path(self.arg)
    }

    /// The line with that value of the argument.
    pub(crate) fn with(&self, value: &str) -> Line {
        if let Some(long) = self.arg.get_long() {
            return self.line.with(long, value);
        }
        let mut line = self.line.clone();
        let is_place = |arg: &String| arg.starts_with('%');
        let at = if self.is_path() {
            line.args.iter().position(is_place)
        } else {
            None
        };
        line.args[at.unwrap_or_default()] = value.to_owned();
        line
    }
}

fn is_path(arg: &Arg) -> bool {
    arg.get_value_parser().type_id() == ValueParser::path_buf().type_id()
}

/// Every argument of every command that takes a value and that help shows: a hidden one is refused, or another one's second name.
pub(crate) fn arguments() -> Vec<Asked> {
    let (lines, root) = &*ALL;
    let of_command = |(name, command): (String, &'static Command)| {
        let lines: Vec<&Line> = lines
            .iter()
            .filter(|line| line.row.name == name && line.is_plain)
            .collect();
        let args = command
            .get_arguments()
            .filter(|arg| arg.get_action().takes_values() && !arg.is_hide_set());
        args.filter_map(|arg| {
            Some(Asked {
                line: line_for(command, arg, &lines)?.clone(),
                arg,
            })
        })
        .collect::<Vec<_>>()
    };
    commands(root).into_iter().flat_map(of_command).collect()
}

/// The first of some lines that has an argument, or else that may have it.
fn line_for<'l>(command: &Command, arg: &Arg, lines: &[&'l Line]) -> Option<&'l Line> {
    let Some(long) = arg.get_long() else {
        let takes = |line: &&&Line| {
            if is_path(arg) {
                line.reads()
            } else {
                !line.args.is_empty()
            }
        };
        return lines.iter().find(takes).copied();
    };
    let long = format!("--{long}");
    let has = |line: &&&Line| line.args.contains(&long);
    let fits = |line: &&&Line| {
        let reads = line.reads() || arg.get_help_heading() != Some("Manifests");
        reads
            && !typed_args(command, &line.args)
                .iter()
                .any(|other| excludes(command, arg, other))
    };
    lines
        .iter()
        .find(has)
        .or_else(|| lines.iter().find(fits))
        .copied()
}

#[test]
fn a_command_and_a_format_without_a_row_are_asked_for() {
    let root = reference::definition;
    let none: [&str; 0] = [];
    assert_eq!(faults(&root()), none);
    let imaginary = || Command::new("imagine").arg(Arg::new("output").long("output"));
    for (root, expected) in [
        (root().subcommand(imaginary()), "`promgen imagine`"),
        (
            root().subcommand(imaginary().hide(true)),
            "`promgen imagine`",
        ),
        (
            root().mut_subcommand("schema", |schema| schema.subcommand(imaginary())),
            "`promgen schema imagine`",
        ),
        (
            root().mut_subcommand("lint", |lint| {
                lint.mut_arg("format", |format| {
                    format.value_parser(["text", "imaginary"])
                })
            }),
            "`imaginary`, a value of `format` of `promgen lint`,",
        ),
        (
            root().mut_subcommand("man", |man| {
                man.arg(Arg::new("as").long("as").value_parser(["imaginary"]))
            }),
            "`imaginary`, a value of `as` of `promgen man`,",
        ),
    ] {
        let faults = faults(&root);
        let [fault] = faults.as_slice() else {
            panic!("{expected}: {faults:?}")
        };
        assert!(
            fault.starts_with(&format!("{expected} has no row in tests/it/commands.rs: ")),
            "{fault}"
        );
    }
}

/// Manifests of which every command has something to tell.
pub(crate) const GOOD: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: main, namespace: d}
spec: {shards: 2, serviceMonitorSelector: {}, ruleSelector: {}}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: sm, namespace: d}
spec: {selector: {}, endpoints: [{port: web}]}
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: r, namespace: d}
spec: {groups: [{name: g, rules: [{alert: A, expr: up == 0, labels: {severity: critical}}]}]}
---
apiVersion: monitoring.coreos.com/v1
kind: Alertmanager
metadata: {name: am, namespace: d}
spec: {alertmanagerConfigSelector: {}}
---
apiVersion: monitoring.coreos.com/v1alpha1
kind: AlertmanagerConfig
metadata: {name: ac, namespace: d}
spec: {route: {receiver: r}, receivers: [{name: r}]}
---
apiVersion: v1
kind: Service
metadata: {name: s, namespace: d}
spec: {ports: [{name: web, port: 80}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: s, namespace: d, labels: {kubernetes.io/service-name: s}}
addressType: IPv4
endpoints: [{addresses: [10.0.0.1]}]
ports: [{name: web, port: 80}]
";

#[test]
fn every_line_works_and_every_option_is_in_one() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("in.yaml"), GOOD).unwrap();
    let place = Place::new(folder.path(), "in.yaml", GOOD);
    let refused: Vec<_> = swept(7, lines())
        .into_iter()
        .map(|line| (line, line.run(&place, Terminal::default()).0))
        .filter(|(_, ran)| ran.code >= 2)
        .collect();
    let mut faults: Vec<String> = refused
        .iter()
        .filter(|(line, _)| line.is_plain)
        .map(|(line, ran)| format!("{line}: {}", ran.stderr))
        .collect();
    // In the gate, all lines are run.
    let works: Vec<&Line> = lines()
        .iter()
        .filter(|line| {
            !refused
                .iter()
                .any(|(refused, _)| std::ptr::eq(*refused, *line))
        })
        .collect();
    for (name, command) in commands(&ALL.1) {
        let has = |option: &str| {
            works
                .iter()
                .any(|line| line.row.name == name && line.args.iter().any(|arg| arg == option))
        };
        // A pipe hides what it refuses.
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            let long = arg.get_long().map(|long| format!("--{long}"));
            let options: Vec<String> = match (values(arg), &long) {
                (values, _) if values.is_empty() && is_flag(arg) => long.into_iter().collect(),
                (values, Some(long)) => values
                    .iter()
                    .map(|value| format!("{long}={value}"))
                    .collect(),
                (values, None) => values,
            };
            faults.extend(
                options
                    .iter()
                    .filter(|option| !has(option))
                    .map(|option| format!("promgen {name} {option}: in no line that works")),
            );
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
