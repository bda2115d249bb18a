//! `promgen route`.

pub(crate) mod answer;
pub(crate) mod print;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;

use crate::cli::args::{CompileArgs, RouteArgs, RouteFormat};
use crate::cli::ask::route::answer::{Route, RouteAll, RouteQuestion};
use crate::cli::environments::{AnswerForm, EachEnvironment, each};
use crate::cli::{Exit, Failure, Io, fs, json, pick, read_project, report};
use promgen_compile::output::{Output, Workload, WorkloadKind};
use promgen_model::Model;
use promgen_model::alerts::NearMiss;
use promgen_model::model::senders::{AlertReach, AlertSenders};
use promgen_prometheus::routing::{Alert, AlertLabels, RoutingTree};
use promgen_targets::trace::find;
use promgen_text::CollectOrdered;
use promgen_text::diag::Diagnostic;
use promgen_text::limits::LIMIT_EXCEEDED;
use promgen_text::source::Sources;
use promgen_text::suggest;

/// An Alertmanager, and its routing tree.
type AlertmanagerTree<'o> = (&'o Workload, &'o RoutingTree);

/// The note about an Alertmanager whose configuration is in a Secret.
const HIDDEN: &str = "its configuration is in a Secret; use --reveal-secrets to print its matchers, receivers and timings";

/// Compiles, prints the receivers and routes of an alert, then reports the findings.
pub(crate) fn run(args: &RouteArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    // What is no list of labels, and there, is a path.
    let first = args
        .labels
        .as_deref()
        .filter(|text| args.all_alerts || is_path(text));
    let asked = if args.all_alerts || first.is_some() || args.labels.is_none() {
        None
    } else {
        Some(asked(args)?)
    };
    if asked.is_none() && !args.all_alerts && args.format != RouteFormat::Text {
        let text =
            "the tree of routes has the format text only: name an alert, or add --all-alerts";
        return Err(Failure::usage("route", ErrorKind::ArgumentConflict, text));
    }
    let firing = args
        .firing
        .as_deref()
        .map(|file| read_firing(file, &args.compile))
        .transpose()?;
    let firing = firing
        .as_deref()
        .map(firing_alerts)
        .transpose()?
        .unwrap_or_default();
    let mut compile = args.compile.clone();
    // The first path is in the place of the labels.
    if let Some(path) = first {
        compile.paths.insert(0, PathBuf::from(path));
    }
    let project = read_project(&compile, io, |options, _| Ok(options))?;
    let form = AnswerForm::json_or_text(args.format == RouteFormat::Json, "route");
    each(
        &project,
        &args.environments,
        &EachEnvironment::of_workloads(form),
        io,
        &mut |model, io| of_environment(args, model, asked.as_ref(), &firing, io),
    )
}

/// Prints the receivers and routes of an environment, then reports the findings.
fn of_environment(
    args: &RouteArgs,
    model: Model,
    asked: Option<&AlertLabels>,
    firing: &[AlertLabels],
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let (alerts, senders) = (model.alerts(), model.senders().clone());
    let limits = model.project().options().limits;
    let (mut output, is_default) = match args.workload {
        Some(_) => (model.into_output(), false),
        None => model.into_output_with_default(&[WorkloadKind::Alertmanager]),
    };
    let subjects = subjects(args, &output);
    let unknown = unknown(args, &output);
    unknown.iter().for_each(|why| report::note(why, io));
    if subjects.is_empty() {
        let exit = report::in_full(&output, io);
        if !unknown.is_empty() {
            return Ok(Exit::Findings);
        }
        let ids: Vec<_> = alertmanagers(&output).map(|of| &of.id).collect();
        let nobody = |alert: &Alert| senders.nobody(&alert.resource, &ids);
        let reasons: Option<BTreeSet<String>> = alerts.iter().map(nobody).collect();
        let why = reasons.into_iter().flatten().next();
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        let reason = no_subject(args, &output) + &why;
        return pick::nothing(reason, &output, exit, io);
    }
    let named = asked
        .map(|labels| of_rule(labels, &alerts, &senders))
        .unwrap_or_default();
    let taken = match named.as_slice() {
        [only] => Some(only.labels.clone()),
        _ => None,
    };
    if let Some(first) = named.first() {
        let name = first.labels.get(ALERT_NAME).map_or("", String::as_str);
        report::note(
            &format!(
                "with the labels of {name} in PrometheusRule {}",
                first.resource
            ),
            io,
        );
    }
    let asked = taken.as_ref().or(asked);
    if let Some(labels) = asked {
        about_labels(labels, &alerts, &subjects, io);
    }
    if let Some(labels) = asked.filter(|_| named.len() < 2) {
        about_rules(labels, &alerts, &senders, &subjects, io);
    }
    let is_open = |alert: &&Alert| {
        let mut ends = subjects.iter().flat_map(|(_, tree)| tree.ends(alert));
        ends.any(|(_, why)| why.is_some())
    };
    let answer = match asked {
        // One for each namespace of its series.
        Some(_) if named.len() > 1 || named.iter().any(is_open) => {
            RouteAnswer::Rules(named.into_iter().cloned().collect(), senders)
        }
        Some(labels) => RouteAnswer::One {
            labels: labels.clone(),
            firing: firing.to_vec(),
        },
        None if args.all_alerts => RouteAnswer::Rules(alerts, senders),
        None => RouteAnswer::Tree,
    };
    if let RouteAnswer::Rules(alerts, _) = &answer
        && let Some(excess) = RoutingTree::excess(
            &limits,
            alerts.len(),
            subjects.iter().map(|(_, tree)| *tree),
        )
    {
        let message = excess.message("what the alerts in the input take");
        let found = Diagnostic::placeless(&LIMIT_EXCEEDED, message).help(excess.help());
        output.diagnostics.push(found);
        return Ok(report::in_full(&output, io));
    }
    io.print(|out| answer.print(args, &subjects, &output.sources, out))?;
    if is_default {
        report::note(
            "no Alertmanager found: routed as one with default settings does that takes every configuration",
            io,
        );
    }
    for (workload, _) in subjects
        .iter()
        .filter(|(_, tree)| tree.root.source.is_secret)
    {
        report::note(&format!("{}: {HIDDEN}", workload.id), io);
    }
    Ok(report::findings(&output, io))
}

/// The alerts of the only rule whose alert is asked for by its name alone: of several with the same labels, one.
fn of_rule<'a>(asked: &AlertLabels, alerts: &'a [Alert], senders: &AlertSenders) -> Vec<&'a Alert> {
    let Some(name) = asked.get(ALERT_NAME).filter(|_| asked.len() == 1) else {
        return Vec::new();
    };
    let of_name = |is_evaluated: bool| {
        let is_it = move |alert: &&Alert| {
            !matches!(senders.evaluated(&alert.resource), AlertReach::No(_)) == is_evaluated
        };
        let named = alerts
            .iter()
            .filter(move |alert| alert.labels.get(ALERT_NAME) == Some(name));
        named.filter(is_it).collect::<Vec<&Alert>>()
    };
    let mut named = of_name(true);
    if named.is_empty() {
        named = of_name(false);
    }
    let Some(first) = named.first().copied() else {
        return named;
    };
    let is_same_rule =
        |other: &&Alert| (&other.resource, other.span) == (&first.resource, first.span);
    if named.iter().all(|other| other.labels == first.labels) {
        named.truncate(1);
    } else if !named.iter().all(is_same_rule) {
        named.clear();
    }
    named
}

/// Returns whether a text in the place of labels is a path.
fn is_path(text: &str) -> bool {
    text == "-" || !text.contains('=') && !fs::is_absent(Path::new(text))
}

/// Says which labels of an alert neither rules nor routes have, where another one has almost that name.
fn about_labels(
    asked: &AlertLabels,
    alerts: &[Alert],
    subjects: &[AlertmanagerTree<'_>],
    io: &mut Io<'_>,
) {
    let nodes = subjects.iter().flat_map(|(_, tree)| tree.routes());
    let shown = nodes.filter(|(_, node, _)| !node.source.is_secret);
    let of_routes = shown.flat_map(|(_, node, _)| &node.matchers);
    let known: BTreeSet<&str> = alerts
        .iter()
        .flat_map(|alert| alert.labels.keys())
        .chain(of_routes.map(|matcher| &matcher.name))
        .map(String::as_str)
        .collect_set();
    for label in asked.keys().filter(|label| label.len() >= MIN_LABEL) {
        let is_known = known.contains(label.as_str())
            || subjects
                .iter()
                .any(|(_, tree)| tree.asked().any(|(asked, _)| asked == label));
        if let Some(near) = suggest::closest(label, known.iter().copied()).filter(|_| !is_known) {
            let note = format!("no rule and no route has the label {label}; did you mean {near}?");
            report::note(&note, io);
        }
    }
}

/// Shorter labels, such as `node` and `code`, are like one another.
const MIN_LABEL: usize = 5;

/// Says what the rules of the input give the alert that is asked about, beside what the question says.
fn about_rules(
    asked: &AlertLabels,
    alerts: &[Alert],
    senders: &AlertSenders,
    subjects: &[AlertmanagerTree<'_>],
    io: &mut Io<'_>,
) {
    let Some(name) = asked.get(ALERT_NAME) else {
        return;
    };
    let is_same = |alert: &&Alert| {
        asked
            .iter()
            .all(|(label, value)| alert.labels.get(label).is_none_or(|own| own == value))
    };
    let named = alerts
        .iter()
        .filter(|alert| alert.labels.get(ALERT_NAME) == Some(name));
    if named.clone().next().is_none() {
        let names = alerts
            .iter()
            .filter_map(|alert| alert.labels.get(ALERT_NAME))
            .map(String::as_str);
        if let Some(near) = suggest::closest(name, names) {
            report::note(
                &format!("no rule in the input has the alert {name}; did you mean {near}?"),
                io,
            );
        }
    }
    for alert in named.filter(is_same).take(MAX_RULES) {
        let rule = format!("PrometheusRule {}", alert.resource);
        let reach = subjects
            .iter()
            .map(|(workload, _)| senders.reach(&alert.resource, &workload.id));
        match AlertReach::best(reach) {
            Some(AlertReach::No(why)) => {
                report::note(&format!("{rule} has {name}, but {why}"), io);
                continue;
            }
            Some(AlertReach::Unknown(why)) => {
                let note = format!("whether {name} of {rule} gets there is unknown: {why}");
                report::note(&note, io);
            }
            Some(AlertReach::Yes) | None => {}
        }
        let lacks = |label: &&String| !asked.contains_key(*label);
        if alert.labels.keys().any(|label| lacks(&label)) {
            let pairs: Vec<String> = alert
                .labels
                .iter()
                .map(|(label, value)| format!("{label}={value}"))
                .collect();
            report::note(
                &format!(
                    "{rule} gives {name} more labels: ask with {}",
                    pairs.join(",")
                ),
                io,
            );
        }
        for (workload, tree) in subjects {
            if let Some(why) = tree.ends(alert).into_iter().find_map(|(_, why)| why) {
                let note = format!(
                    "{}: which routes take {name} of {rule} is unknown: {why}",
                    workload.id
                );
                report::note(&note, io);
            }
            if let Some(NearMiss { wanted, left }) = NearMiss::of(alert, tree) {
                report::note(
                    &format!(
                        "{}: {name} of {rule} needs {wanted} to notify anybody: {left}",
                        workload.id
                    ),
                    io,
                );
            }
        }
    }
}

/// The most rules of one name that are told of.
const MAX_RULES: usize = 5;

const ALERT_NAME: &str = "alertname";

/// What there is to say of an Alertmanager whose configuration is in a Secret that is not in the input.
const UNKNOWN: &str = "its routes are not known, as its configuration is not in the input";

/// The Alertmanagers.
fn alertmanagers(output: &Output) -> impl Iterator<Item = &Workload> {
    output
        .each_workload()
        .filter(|workload| workload.id.kind == WorkloadKind::Alertmanager)
}

/// The Alertmanagers that are asked about.
fn asked_about<'o>(args: &RouteArgs, output: &'o Output) -> impl Iterator<Item = &'o Workload> {
    let is_asked = |workload: &&Workload| {
        let wanted = args.workload.as_ref();
        wanted.is_none_or(|wanted| wanted.fits(&workload.id))
    };
    alertmanagers(output).filter(is_asked)
}

/// Why the routes of the Alertmanagers that are asked about are not known.
fn unknown(args: &RouteArgs, output: &Output) -> Vec<String> {
    let is_unknown = |workload: &&Workload| {
        let is_written = workload.config.is_some() || workload.is_paused();
        is_written && workload.routing.is_none() && workload.error.is_none()
    };
    let why = |workload: &Workload| match workload.idle().filter(|_| workload.is_paused()) {
        Some(idle) => format!(
            "{}: its routes are not known, as it has {idle}",
            workload.id
        ),
        None => format!("{}: {UNKNOWN}", workload.id),
    };
    asked_about(args, output)
        .filter(is_unknown)
        .map(why)
        .collect()
}

/// Why there is no Alertmanager to ask.
fn no_subject(args: &RouteArgs, output: &Output) -> String {
    let all: Vec<_> = alertmanagers(output).collect();
    let named = args
        .workload
        .as_ref()
        .map(|wanted| pick::find(wanted, &all, output));
    match named {
        Some(Err(reason)) => reason,
        Some(Ok(workload)) => format!("{} has no configuration", workload.id),
        None => "no Alertmanager with a configuration found".to_owned(),
    }
}

/// The text of a file on the command line.
fn read_firing(file: &Path, compile: &CompileArgs) -> Result<String, Failure> {
    let boundary = fs::Workspace::of(&compile.paths).typed(file);
    fs::read_text(file, &boundary).map_err(Failure::message)
}

/// The answer.
enum RouteAnswer {
    /// The routes of one alert.
    One {
        labels: AlertLabels,
        firing: Vec<AlertLabels>,
    },
    /// The receivers of all alerts in the input.
    Rules(Vec<Alert>, AlertSenders),
    /// All routes.
    Tree,
}

impl RouteAnswer {
    fn print(
        &self,
        args: &RouteArgs,
        subjects: &[AlertmanagerTree<'_>],
        sources: &Sources,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match self {
            Self::One { labels, firing } => {
                let question = RouteQuestion {
                    labels,
                    firing,
                    at: args.at,
                    sources,
                };
                match args.format {
                    RouteFormat::Text | RouteFormat::Mermaid => {
                        each_apart(subjects, out, |subject, out| {
                            print::text(subject, question, out)
                        })
                    }
                    RouteFormat::Json => {
                        json::write_answer("route", &Route::of(subjects, question), out)
                    }
                }
            }
            Self::Tree => each_apart(subjects, out, |subject, out| {
                print::whole(subject, args.at, sources, out)
            }),
            Self::Rules(alerts, senders) => match args.format {
                RouteFormat::Text => print::table(subjects, alerts, senders, out),
                RouteFormat::Json => {
                    let answer = RouteAll::of(subjects, alerts, senders, sources);
                    json::write_answer("route", &answer, out)
                }
                RouteFormat::Mermaid => print::mermaid(subjects, alerts, senders, out),
            },
        }
    }
}

/// Prints something about each Alertmanager, with an empty line between.
fn each_apart(
    subjects: &[AlertmanagerTree<'_>],
    out: &mut dyn Write,
    print: impl Fn(AlertmanagerTree<'_>, &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    for (index, subject) in subjects.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        print(*subject, out)?;
    }
    Ok(())
}

/// The labels of the alert.
fn asked(args: &RouteArgs) -> Result<AlertLabels, Failure> {
    let usage = |text: &str| Failure::usage("route", ErrorKind::ValueValidation, text);
    let text = args.labels.as_deref().unwrap_or_default();
    if args.format == RouteFormat::Mermaid {
        return Err(usage("--format mermaid requires --all-alerts"));
    }
    let alert = text.split_once('/').filter(|(kind, _)| {
        ["alert", "alerts"]
            .iter()
            .any(|word| kind.eq_ignore_ascii_case(word))
    });
    if let Some((_, name)) = alert {
        let name = name.rsplit('/').next().unwrap_or(name);
        return Ok(AlertLabels::from([(
            ALERT_NAME.to_owned(),
            name.to_owned(),
        )]));
    }
    labels(text).map_err(|error| match text.contains('=') {
        true => usage(&error),
        false => {
            let help = match text.split_once(':') {
                Some((name, _)) => format!("labels are written as in `{name}=VALUE`"),
                None => format!(
                    "an alert is asked for by its name with `alertname={text}`, or `alert/{text}`"
                ),
            };
            usage(&format!("{error}: {help}"))
        }
    })
}

/// Labels, without the empty ones.
fn labels(text: &str) -> Result<AlertLabels, String> {
    let read = find::labels(text)?;
    let pairs = read
        .into_iter()
        .map(|(name, value)| (name.to_string(), value.to_string()));
    Ok(pairs.filter(|(_, value)| !value.is_empty()).collect_map())
}

/// The firing alerts, one per line. Skips empty lines and lines that begin with `#`.
fn firing_alerts(text: &str) -> Result<Vec<AlertLabels>, Failure> {
    let lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| labels(line).map_err(|error| Failure::message(format!("--firing: {error}"))))
        .collect()
}

fn subjects<'o>(args: &RouteArgs, output: &'o Output) -> Vec<AlertmanagerTree<'o>> {
    asked_about(args, output)
        .filter_map(|workload| Some((workload, workload.routing.as_ref()?)))
        .collect()
}
