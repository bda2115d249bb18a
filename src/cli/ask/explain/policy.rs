//! The explanation of a policy: what it is about, and its verdict on each of these.

use std::sync::Arc;

use clap::Parser as _;

use super::{conflict, print};
use crate::cli::args::{Cli, Command, CompileArgs, ExplainArgs, ExplainFormat};
use crate::cli::check::lint;
use crate::cli::environments::{self, AnswerForm, EachEnvironment};
use crate::cli::{Exit, Failure, Io};
use promgen_answers::explain::{ExplanationStep, StepState};
use promgen_model::{Model, Project};
use promgen_policy::{PolicyJudgement, PolicyScope, PolicyVerdict, UserPolicies, UserPolicy};
use promgen_repository::model::Environment;
use promgen_resources::locate;
use promgen_text::diag::{RuleRef, Sink};
use promgen_text::suggest;

/// Compiles, and prints the verdicts of a policy in each environment.
pub(super) fn run(args: &ExplainArgs, name: &str, io: &mut Io<'_>) -> Result<Exit, Failure> {
    if !matches!(args.format, ExplainFormat::Text | ExplainFormat::Json) {
        return Err(conflict("this format does not apply to a policy"));
    }
    let project = project(Some(&args.compile), io)?;
    let policies = UserPolicies::of(&project);
    let number = number(&policies, name)?;
    let form = AnswerForm::json_or_text(args.format == ExplainFormat::Json, "explain");
    let question = EachEnvironment {
        is_about_targets: false,
        form,
        is_asked: &|_| true,
    };
    let chosen = environments::chosen(&project, &args.environments)?;
    let mut chosen = chosen.into_iter();
    environments::each(
        &project,
        &args.environments,
        &question,
        io,
        &mut |model, io| {
            let step = explained(&policies, number, &model, chosen.next().as_ref());
            print(&step, &model.output().sources, form, io)
        },
    )
}

/// The rules of all policies of the current folder, with those that its settings name.
pub(super) fn rules(io: &mut Io<'_>) -> Result<Vec<RuleRef>, Failure> {
    let project = project(None, io)?;
    Ok(UserPolicies::of(&project).rules().collect())
}

/// The rule of a policy, by its name.
pub(super) fn rule(name: &str, io: &mut Io<'_>) -> Result<RuleRef, Failure> {
    let rules = rules(io)?;
    let found = rules.iter().find(|rule| rule.name == name);
    found.cloned().ok_or_else(|| {
        let names = rules.iter().map(|rule| &*rule.name);
        unknown(name, names)
    })
}

fn unknown<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Failure {
    let meant = suggest::closest(name, names);
    let meant = meant.map(|meant| format!("; did you mean policy/{meant}?"));
    let help = "; policies stand in files `*.policy.yaml`, and in promgen.yaml";
    let meant = meant.unwrap_or_else(|| help.to_owned());
    Failure::message(format!("unknown policy `{name}`{meant}"))
}

/// The project that `lint` checks with these arguments, or with none.
fn project(args: Option<&CompileArgs>, io: &mut Io<'_>) -> Result<Arc<Project>, Failure> {
    let cli = Cli::try_parse_from(["promgen", "lint"]).map_err(Failure::Usage)?;
    let Command::Lint(mut lint_args) = cli.command else {
        return Err(Failure::message("`lint` is another command"));
    };
    if let Some(args) = args {
        lint_args.compile = args.clone();
    }
    lint::unchecked_project(&lint_args, io)
}

/// The number of a policy.
fn number(policies: &UserPolicies, name: &str) -> Result<usize, Failure> {
    let mut all = policies.all.iter();
    let names = policies.all.iter().map(|policy| &*policy.rule.name);
    let found = all.position(|policy| policy.rule.name == name);
    found.ok_or_else(|| unknown(name, names))
}

fn explained(
    policies: &UserPolicies,
    number: usize,
    model: &Model,
    chosen: Option<&(String, &Environment)>,
) -> ExplanationStep {
    let partial = chosen.map(|(_, environment)| &environment.partial);
    let scope = PolicyScope {
        environment: chosen.map(|(name, _)| name.as_str()),
        is_own: &|_| true,
        is_partial: &|file| partial.is_some_and(|partial| partial.contains(&file)),
        lists_all: true,
    };
    let mut sink = Sink::default();
    let (stand_ins, _) = model.stand_ins_with_cost(&mut Sink::default());
    let judged = model.view(&stand_ins, |world| {
        policies.judge(model, world, scope, &mut sink)
    });
    let judged: Vec<&PolicyJudgement> = judged
        .judgements
        .iter()
        .filter(|judgement| judgement.policy == number)
        .collect();
    let steps: Vec<ExplanationStep> = judged.iter().map(|of| step(of, model)).collect();
    let policy = &policies.all[number];
    ExplanationStep {
        state: state(&steps),
        text: title(policy, steps.len()),
        span: Some(policy.span),
        help: Vec::new(),
        steps,
    }
}

/// What a policy wants, and of how many things.
fn title(policy: &UserPolicy, n_steps: usize) -> String {
    let rule = &policy.rule;
    let about = match n_steps {
        0 => "; it is about nothing in the input".to_owned(),
        _ => String::new(),
    };
    format!("{} ({}) {}{about}", rule.code, rule.level, policy.wants())
}

/// The state of a policy: it breaks where one thing breaks it.
fn state(steps: &[ExplanationStep]) -> StepState {
    let has = |state| steps.iter().any(|step| step.state == state);
    if has(StepState::Breaks) {
        StepState::Breaks
    } else if has(StepState::Unknown) || steps.is_empty() {
        StepState::Unknown
    } else {
        StepState::Holds
    }
}

fn step(judgement: &PolicyJudgement, model: &Model) -> ExplanationStep {
    let what = &judgement.what;
    let (state, text) = match &judgement.verdict {
        PolicyVerdict::Holds => (StepState::Holds, what.clone()),
        PolicyVerdict::Broken(message) if message.starts_with(what.as_str()) => {
            (StepState::Breaks, message.clone())
        }
        PolicyVerdict::Broken(message) => (StepState::Breaks, format!("{what}: {message}")),
        PolicyVerdict::NotDecided(why) => (StepState::Unknown, format!("{what}: {why}")),
        PolicyVerdict::Failed(why) => (StepState::Breaks, format!("{what}: {why}")),
        PolicyVerdict::TooLong => (
            StepState::Unknown,
            format!("{what}: the evaluation takes too many steps"),
        ),
    };
    let documents = &model.manifests().documents;
    let sources = model.project().sources();
    let span = locate::spans(std::slice::from_ref(&judgement.place), documents, sources);
    ExplanationStep {
        state,
        text,
        span: span.into_iter().flatten().next(),
        help: Vec::new(),
        steps: Vec::new(),
    }
}
