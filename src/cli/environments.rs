//! Answers for every environment of what a command is given.
//!
//! In: a project, which of its environments are asked about, and a question. Out: the answers, equal ones once, each below the
//! names of its environments, which are those that `lint` and `diff` print. The worst exit code counts. Of a project with one
//! environment, the answer is as it is.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::cli::args::EnvironmentArgs;
use crate::cli::{Exit, Failure, Io, json, report};
use promgen_answers::explain;
use promgen_compile::output::Output;
use promgen_model::environments::{self, EnvironmentAccount};
use promgen_model::model::lineage;
use promgen_model::{Model, Project};
use promgen_repository::model::Environment;
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, RuleRef, escape};
use promgen_text::source::Span;
use promgen_text::yaml::Node;

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerForm {
    /// Text for people.
    Text,
    /// Text that is for one environment: of several answers, none is printed.
    Single,
    /// YAML, or another form in which a line with `#` says nothing.
    Commented,
    /// Diagrams of Mermaid.
    Diagrams,
    /// One JSON value of that command, also if there is nothing to answer.
    Json(&'static str),
    /// A list of objects, as kubectl prints it: of several answers, one list of all.
    List,
}

impl AnswerForm {
    /// The JSON of a command, if that is asked for, or text for people.
    pub(crate) const fn json_or_text(is_json: bool, command: &'static str) -> Self {
        if is_json {
            Self::Json(command)
        } else {
            Self::Text
        }
    }
}

/// A question to each environment.
pub(crate) struct EachEnvironment<'q> {
    /// It is about targets, of which there must not be more than the limits allow.
    pub(crate) is_about_targets: bool,
    /// The form of the answers.
    pub(crate) form: AnswerForm,
    /// A test that an environment has something to answer about. If none has, all are asked.
    pub(crate) is_asked: &'q dyn Fn(&Environment) -> bool,
}

impl EachEnvironment<'_> {
    /// A question about workloads.
    pub(crate) const fn of_workloads(form: AnswerForm) -> Self {
        Self {
            is_about_targets: false,
            form,
            is_asked: &has_workload,
        }
    }

    /// A question about the targets of workloads.
    pub(crate) const fn of_targets(form: AnswerForm) -> Self {
        Self {
            is_about_targets: true,
            ..Self::of_workloads(form)
        }
    }
}

/// The maximum number of environments that the head of an answer names.
const MAX_NAMES: usize = 5;

/// The question to an environment.
struct Answer {
    name: String,
    text: Vec<u8>,
    notes: Vec<u8>,
    exit: Result<Exit, Failure>,
}

/// The names of environments with the same answer, and the answer.
type Group = (Vec<String>, Vec<u8>);

/// Warns about files of metrics that are of no job.
pub(crate) fn unused_metrics(projects: &[&Arc<Project>], io: &mut Io<'_>) {
    for text in lineage::of_no_job(projects) {
        report::note(&text, io);
    }
}

/// Returns whether an environment has a workload of its own.
pub(crate) fn has_workload(environment: &Environment) -> bool {
    holds(environment, &|root| {
        let kind = root.get("kind").and_then(Node::as_str).unwrap_or_default();
        [
            "Prometheus",
            "PrometheusAgent",
            "Alertmanager",
            "ThanosRuler",
        ]
        .contains(&kind)
            && is_of_operator(root)
    })
}

/// Returns whether an object is one of the operator's.
fn is_of_operator(root: &Node) -> bool {
    root.get("apiVersion")
        .and_then(Node::as_str)
        .is_some_and(|version| version.starts_with("monitoring.coreos.com/"))
}

/// Returns whether an environment has an object of its own, in a list or alone.
pub(crate) fn holds(environment: &Environment, is_it: &dyn Fn(&Node) -> bool) -> bool {
    explain::own_roots(environment).any(|root| is_it(&root))
}

/// The environments that are asked about, each with its name.
///
/// # Errors
/// None has the name that is asked for; lists the existing ones.
pub(crate) fn chosen<'p>(
    project: &'p Project,
    args: &EnvironmentArgs,
) -> Result<Vec<(String, &'p Environment)>, Failure> {
    let mut names = environments::names(project.environments());
    let named = |number: usize| {
        (
            std::mem::take(&mut names[number]),
            &project.environments()[number],
        )
    };
    Ok(numbers(project, args)?.into_iter().map(named).collect())
}

/// The numbers of the environments that are asked about, in their order.
///
/// # Errors
/// As [`chosen`].
pub(crate) fn numbers(project: &Project, args: &EnvironmentArgs) -> Result<Vec<usize>, Failure> {
    let (all, EnvironmentArgs { environment: asked }) = (project.environments(), args);
    if asked.is_empty() {
        return Ok((0..all.len()).collect());
    }
    let names = environments::names(all);
    let is_meant = |number: &usize| {
        asked
            .iter()
            .any(|asked| environments::is_asked(&all[*number], &names[*number], asked))
    };
    let chosen: Vec<usize> = (0..all.len()).filter(is_meant).collect();
    if chosen.is_empty() {
        Err(Failure::message(environments::missing(asked, &names)))
    } else {
        Ok(chosen)
    }
}

/// The chosen environments that have something to answer about; all of them, if none has.
///
/// # Errors
/// None has the name that is asked for.
pub(crate) fn asked<'p>(
    project: &'p Project,
    args: &EnvironmentArgs,
    is_asked: &dyn Fn(&Environment) -> bool,
) -> Result<Vec<(String, &'p Environment)>, Failure> {
    let mut chosen = chosen(project, args)?;
    if chosen.len() > 1 && chosen.iter().any(|(_, environment)| is_asked(environment)) {
        chosen.retain(|(_, environment)| is_asked(environment));
    }
    Ok(chosen)
}

/// The only environment that is asked about, for a command that writes what one output holds once.
///
/// # Errors
/// There are several; lists them.
pub(crate) fn only<'p>(
    project: &'p Project,
    args: &EnvironmentArgs,
    what: &str,
    io: &mut Io<'_>,
) -> Result<Option<&'p Environment>, Failure> {
    let asked = asked(project, args, &has_workload)?;
    match asked.as_slice() {
        [] => Ok(None),
        [(_, only)] => Ok(Some(*only)),
        several => Err(cannot_share(
            what,
            several.iter().map(|(name, _)| name.as_str()),
            io,
        )),
    }
}

/// Asks each environment.
pub(crate) fn each(
    project: &Arc<Project>,
    args: &EnvironmentArgs,
    question: &EachEnvironment<'_>,
    io: &mut Io<'_>,
    ask: &mut dyn FnMut(Model, &mut Io<'_>) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let chosen = asked(project, args, question.is_asked)?;
    unused_metrics(&[project], io);
    let compile = |environment: &Environment| match question.is_about_targets {
        true => project.compile_with_targets(environment, 0),
        false => project.compile(environment),
    };
    if let [] | [_] = chosen.as_slice() {
        let none = Environment::default();
        let model = compile(chosen.first().map_or(&none, |(_, environment)| environment));
        return match question.form {
            AnswerForm::Json(command) => answered(command, io, |io| ask(model, io)),
            _ => ask(model, io),
        };
    }
    let mut known: BTreeSet<(Option<Span>, RuleRef, String)> = BTreeSet::new();
    let mut answers = Vec::with_capacity(chosen.len());
    let mut account = EnvironmentAccount::new(project.limits());
    let cost = |of: &[(String, &Environment)]| {
        of.iter()
            .map(|(_, environment)| environment.cost())
            .sum::<u64>()
    };
    let mut left_out = None;
    for (n, (name, environment)) in chosen.iter().enumerate() {
        account.add([*environment]);
        if let Some(excess) = account.excess() {
            let help = format!(
                "{} of {} not answered",
                counted(chosen.len() - n, "environment"),
                chosen.len()
            );
            left_out = Some(environments::left_out(
                &excess,
                cost(&chosen[..n]),
                cost(&chosen),
                help,
            ));
            break;
        }
        // What was said of an environment is not said again of another.
        let mut is_new = |found: &Diagnostic| {
            known.insert((found.span, found.rule.clone(), found.message.clone()))
        };
        let model = compile(environment);
        account.add_answer(model.output().diagnostics.len(), model.spent());
        let model = model.with_found(&mut is_new);
        let (mut text, mut notes) = (Vec::new(), Vec::new());
        let exit = ask(
            model,
            &mut Io {
                stdin: &mut std::io::empty(),
                stdout: &mut text,
                stderr: &mut notes,
                terminal: io.terminal,
            },
        );
        answers.push(Answer {
            name: name.clone(),
            text,
            notes,
            exit,
        });
    }
    let exit = print(answers, question.form, io)?;
    let Some(left_out) = left_out else {
        return Ok(exit);
    };
    let output = Output {
        diagnostics: vec![left_out],
        ..Output::default()
    };
    Ok(exit.max(report::in_full(&output, io)))
}

/// What is written passes, and is counted.
struct CountedWriter<'w> {
    inner: &'w mut dyn io::Write,
    n_bytes: usize,
}

impl io::Write for CountedWriter<'_> {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(part)?;
        self.n_bytes += n;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Asks one environment for a JSON value. Where there is nothing to answer, as all that is asked about is refused, no environment
/// has an answer: programs get that instead of nothing.
fn answered(
    command: &'static str,
    io: &mut Io<'_>,
    ask: impl FnOnce(&mut Io<'_>) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let terminal = io.terminal;
    let mut stdout = CountedWriter {
        inner: &mut *io.stdout,
        n_bytes: 0,
    };
    let exit = ask(&mut Io {
        stdin: &mut *io.stdin,
        stdout: &mut stdout,
        stderr: &mut *io.stderr,
        terminal,
    })?;
    if stdout.n_bytes == 0 {
        print_text(&json(&[], command), io)?;
    }
    Ok(exit)
}

fn print_text(text: &[u8], io: &mut Io<'_>) -> Result<(), Failure> {
    io.print(|out| out.write_all(text))
}

/// Prints the answers, and what there is to say about them. One that fails is a note, unless all do.
fn print(answers: Vec<Answer>, form: AnswerForm, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let mut worst = Exit::Clean;
    let (mut groups, mut failures): (Vec<Group>, Vec<(String, Failure)>) = (Vec::new(), Vec::new());
    let mut notes: Vec<(String, String)> = Vec::new();
    for Answer {
        name,
        text,
        notes: said,
        exit,
    } in answers
    {
        notes.push((name.clone(), String::from_utf8_lossy(&said).into_owned()));
        match exit {
            Ok(exit) => {
                worst = if exit.code() > worst.code() {
                    exit
                } else {
                    worst
                };
                match groups.iter_mut().find(|(_, known)| *known == text) {
                    Some((names, _)) => names.push(name),
                    None => groups.push((vec![name], text)),
                }
            }
            Err(failure) => failures.push((name, failure)),
        }
    }
    groups.retain(|(_, text)| !text.is_empty());
    if form == AnswerForm::Single && groups.len() > 1 {
        let names = groups
            .iter()
            .flat_map(|(names, _)| names.iter().map(String::as_str));
        return Err(cannot_share("what is asked for", names, io));
    }
    let is_unanswered = groups.is_empty();
    if !is_unanswered || failures.is_empty() {
        print_text(&joined(&groups, form), io)?;
    }
    print_notes(&notes, io);
    for (name, failure) in failures {
        match failure {
            // The first one stands for all.
            Failure::Messages(_) if is_unanswered => return Err(failure),
            Failure::Messages(why) => {
                report::note(&format!("no answer for {name}: {}", why.join("; ")), io)
            }
            // Arguments are wrong for all environments.
            Failure::Usage(_) => return Err(failure),
        }
    }
    Ok(worst)
}

/// Prints what there is to say about the answers, each note once: with its environments, if it is not about all of them.
fn print_notes(notes: &[(String, String)], io: &mut Io<'_>) {
    const NOTE: &str = "note: ";
    let mut known = BTreeSet::new();
    for line in notes
        .iter()
        .flat_map(|(_, said)| said.split_inclusive('\n'))
    {
        let Some(note) = line.strip_prefix(NOTE) else {
            let _ = io.stderr.write_all(line.as_bytes());
            continue;
        };
        let says =
            |(_, said): &&(String, String)| said.split_inclusive('\n').any(|other| other == line);
        let names: Vec<String> = notes
            .iter()
            .filter(says)
            .map(|(name, _)| name.clone())
            .collect();
        if !known.insert(line) {
            continue;
        }
        let whose = if names.len() == notes.len() {
            String::new()
        } else {
            format!("{}: ", listed(&names))
        };
        let _ = write!(io.stderr, "{NOTE}{whose}{note}");
    }
}

/// The answers as one text.
fn joined(groups: &[Group], form: AnswerForm) -> Vec<u8> {
    match form {
        AnswerForm::Json(command) => return json(groups, command),
        AnswerForm::List => return list(groups),
        _ => {}
    }
    let mut out = Vec::new();
    for (n, (names, text)) in groups.iter().enumerate() {
        let head = listed(names);
        match form {
            AnswerForm::Single => {}
            AnswerForm::Commented => {
                if n > 0 {
                    out.extend(b"---\n");
                }
                out.extend(format!("# in {head}\n").as_bytes());
            }
            AnswerForm::Diagrams => out.extend(format!("%% in {head}\n").as_bytes()),
            AnswerForm::Text | AnswerForm::Json(_) | AnswerForm::List => {
                if n > 0 {
                    out.push(b'\n');
                }
                out.extend(format!("in {head}:\n").as_bytes());
            }
        }
        out.extend(text);
    }
    out
}

/// The answers as one JSON value: each with the names of its environments.
fn json(groups: &[Group], command: &'static str) -> Vec<u8> {
    let answer = |(names, text): &Group| {
        let mut entry = Map::new();
        entry.insert("environments".to_owned(), names.clone().into());
        if let Ok(Value::Object(fields)) = serde_json::from_slice(text) {
            let own = fields
                .into_iter()
                .filter(|(key, _)| !["version", "command"].contains(&key.as_str()));
            entry.extend(own);
        }
        Value::Object(entry)
    };
    let all: Vec<Value> = groups.iter().map(answer).collect();
    json::text(command, serde_json::json!({ "environments": all })).into_bytes()
}

/// Lists of objects as one.
fn list(groups: &[Group]) -> Vec<u8> {
    let mut lists = groups
        .iter()
        .filter_map(|(_, text)| serde_json::from_slice::<Value>(text).ok());
    let Some(mut all) = lists.next() else {
        return Vec::new();
    };
    let items = |list: &mut Value| {
        list.get_mut("items")
            .and_then(Value::as_array_mut)
            .map(std::mem::take)
    };
    let more: Vec<Value> = lists
        .filter_map(|mut list| items(&mut list))
        .flatten()
        .collect();
    if let Some(items) = all.get_mut("items").and_then(Value::as_array_mut) {
        items.extend(more);
    }
    let mut text = Vec::new();
    escape::write_json_manifest(&all, &mut text).expect("a vector takes every byte");
    text
}

/// `clusters/a, clusters/b and 8 more`.
fn listed(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| escape::line(name)).collect();
    report::listed(&names, MAX_NAMES)
}

/// The failure of a command that can write one environment, and is asked for several.
pub(crate) fn cannot_share<'n>(
    what: &str,
    names: impl Iterator<Item = &'n str>,
    io: &mut Io<'_>,
) -> Failure {
    report::note(
        "`--environment NAME` chooses one of them, and so does the folder of one as PATH",
        io,
    );
    let list: Vec<String> = names.map(|name| format!("\n  {name}")).collect();
    Failure::message(format!(
        "{what} differs between environments, and one output cannot hold all:{}",
        list.concat()
    ))
}
