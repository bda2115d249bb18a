//! `promgen explain`.

pub(crate) mod answer;
mod gates;
mod limits;
mod lineage;
mod picture;
mod policy;
mod rules;
mod tree;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::error::ErrorKind;

use crate::cli::args::{ExplainArgs, ExplainFormat, ReferenceFormat, RuleArgs, Topic};
use crate::cli::ask::explain::gates::About;
use crate::cli::ask::explain::picture::PictureForm;
use crate::cli::environments::{self, AnswerForm, EachEnvironment};
use crate::cli::paint::Paint;
use crate::cli::{Exit, Failure, Io, fs, read_project, report};
use promgen_answers::explain::lineage::LineageQuery;
use promgen_answers::explain::{self, ExplanationStep, ResourceQuery, StepState, explain};
use promgen_compile::options::Options;
use promgen_model::Project;
use promgen_model::environments::names;
use promgen_model::resource_name::ResourceName;
use promgen_repository::model::Environment;
use promgen_text::CollectOrdered;
use promgen_text::diag::{Level, RuleRef};
use promgen_text::source::Sources;

/// Prints a rule, the list of rules, the table of version gates, that of limits, or the explanation of a resource.
pub(crate) fn run(args: &ExplainArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let about = match (
        args.compile.prometheus_version(),
        args.compile.operator_version(),
    ) {
        (Some(version), _) => About::Prometheus(version),
        (None, Some(version)) => About::Operator(version),
        (None, None) => About::All,
    };
    if !args.metrics.metrics.is_empty() && !matches!(args.topic, Some(Topic::Lineage(_))) {
        let needed = "--metrics requires a metric, a job, an alert or a recorded series, such as `promgen explain metric/up`";
        return Err(conflict(needed));
    }
    let meaningful: &[&str] = match &args.topic {
        Some(Topic::Resource(of)) => {
            return resource(args, &of.clone().in_namespace(args.compile.namespace()), io);
        }
        Some(Topic::Lineage(of)) => return lineage::run(args, of, io),
        Some(Topic::Policy(name)) if !name.is_empty() => return policy::run(args, name, io),
        Some(Topic::Gates) => &["prometheus_version", "operator_version"],
        Some(Topic::Limits | Topic::Rule(_) | Topic::Family(_) | Topic::Policy(_)) | None => &[],
    };
    if let Some(option) = args.compile.meaningless(meaningful) {
        let text = match &args.topic {
            Some(Topic::Gates) => format!("{option} has no effect on the table of versions"),
            Some(Topic::Limits) => format!("{option} has no effect on the table of limits"),
            _ => format!("{option} has no effect on rules: they are the same for every target"),
        };
        return Err(conflict(&text));
    }
    if args.live.live.is_some() {
        return Err(conflict(
            "--live requires a resource, such as `promgen explain servicemonitor/shop/cart`",
        ));
    }
    if !args.compile.paths.is_empty() {
        return Err(conflict(
            "a PATH requires a resource, such as `promgen explain servicemonitor/shop/cart PATH`",
        ));
    }
    let topic = match &args.topic {
        Some(Topic::Rule(rule)) => FixedTopic::Rule(rule.clone()),
        Some(Topic::Gates) => FixedTopic::Gates(about),
        Some(Topic::Limits) => FixedTopic::Limits,
        Some(Topic::Family(family)) => FixedTopic::Rules(rules::of_family(family)),
        Some(Topic::Policy(_)) => FixedTopic::Rules(policy::rules(io)?),
        Some(Topic::Resource(_) | Topic::Lineage(_)) | None => {
            FixedTopic::Rules(promgen_checks::rules::all())
        }
    };
    let Some(format) = args.format.of_reference() else {
        return Err(conflict(
            "a picture requires a resource, such as `promgen explain prometheus/k8s --format svg`",
        ));
    };
    io.print(|out| topic.print(format, out))?;
    Ok(Exit::Clean)
}

/// Prints a rule, or the list of rules.
pub(crate) fn rule(args: &RuleArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let topic = match &args.topic {
        Some(Topic::Rule(rule)) => FixedTopic::Rule(rule.clone()),
        Some(Topic::Family(family)) => FixedTopic::Rules(rules::of_family(family)),
        Some(Topic::Policy(name)) if name.is_empty() => FixedTopic::Rules(policy::rules(io)?),
        Some(Topic::Policy(name)) => FixedTopic::Rule(policy::rule(name, io)?),
        Some(_) | None => FixedTopic::Rules(promgen_checks::rules::all()),
    };
    io.print(|out| topic.print(args.format, out))?;
    Ok(Exit::Clean)
}

fn conflict(text: &str) -> Failure {
    Failure::usage("explain", ErrorKind::ArgumentConflict, text)
}

/// The topics that do not depend on manifests.
enum FixedTopic<'a> {
    Rule(RuleRef),
    Rules(Vec<RuleRef>),
    Gates(About<'a>),
    Limits,
}

impl FixedTopic<'_> {
    fn print(&self, format: ReferenceFormat, out: &mut dyn Write) -> std::io::Result<()> {
        use ReferenceFormat::{Json, Markdown, Text};
        match (self, format) {
            (Self::Rule(rule), Text) => rules::one(rule, out),
            (Self::Rule(rule), Markdown) => rules::section(rule, out),
            (Self::Rule(rule), Json) => rules::json(std::slice::from_ref(rule), out),
            (Self::Rules(rules), Text) => rules::list(rules, out),
            (Self::Rules(rules), Markdown) => rules::page(rules, out),
            (Self::Rules(rules), Json) => rules::json(rules, out),
            (Self::Gates(about), Text) => gates::table(*about, out),
            (Self::Gates(about), Markdown) => gates::page(*about, out),
            (Self::Gates(about), Json) => gates::json(*about, out),
            (Self::Limits, Text) => limits::table(out),
            (Self::Limits, Markdown) => limits::page(out),
            (Self::Limits, Json) => limits::json(out),
        }
    }
}

/// Compiles, and prints the explanation of a resource in each environment that has it. Says how many findings there are only if the
/// resource does not exist, as they may be the reason.
fn resource(args: &ExplainArgs, of: &ResourceQuery, io: &mut Io<'_>) -> Result<Exit, Failure> {
    if args.format == ExplainFormat::Markdown {
        return Err(conflict("`--format markdown` does not apply to a resource"));
    }
    let project = read_project(&args.compile, io, |options, io| {
        args.live.over(options, &args.compile.paths, io.stdin)
    })?;
    let options = project.options();
    let chosen = environments::chosen(&project, &args.environments)?;
    let all = || chosen.iter().map(|(_, environment)| *environment);
    let meant = match of.resolve(all(), &options.namespace).as_slice() {
        [meant] => meant.clone(),
        [] => return not_found(args, of, &project, &chosen, io),
        several => {
            let text = format!(
                "several resources are named {of}; name one as in{}",
                listed(several)
            );
            return Err(Failure::message(text));
        }
    };
    let (form, picture) = match args.format {
        ExplainFormat::Json => (AnswerForm::Json("explain"), None),
        ExplainFormat::Svg => (AnswerForm::Single, Some(PictureForm::Svg)),
        ExplainFormat::Mermaid => (AnswerForm::Diagrams, Some(PictureForm::Mermaid)),
        ExplainFormat::Text | ExplainFormat::Markdown => (AnswerForm::Text, None),
    };
    let has = |environment: &Environment| explain::has(environment, &meant, &options.namespace);
    let question = EachEnvironment {
        is_about_targets: true,
        form,
        is_asked: &has,
    };
    let is_lacking = !all().any(environments::has_workload);
    let elsewhere = if is_lacking {
        elsewhere(args, options, io)
    } else {
        Vec::new()
    };
    environments::each(
        &project,
        &args.environments,
        &question,
        io,
        &mut |model, io| {
            let step = explain(&model, &meant)
                .map_err(|_| Failure::message(format!("{meant} not found")))?;
            let step = if elsewhere.is_empty() {
                step
            } else {
                step.elsewhere(&elsewhere)
            };
            let sources = &model.output().sources;
            let drawn = picture
                .map(|form| picture::text(&model, &meant, &step, form))
                .transpose()?;
            match drawn {
                None => print(&step, sources, form, io),
                Some(picture) => {
                    io.print(|out| out.write_all(picture.as_bytes()))?;
                    Ok(exit_of(&step))
                }
            }
        },
    )
}

fn listed(names: &[ResourceName]) -> String {
    names
        .iter()
        .map(|name| {
            format!(
                "
  {name}"
            )
        })
        .collect()
}

/// Tells why no resource has a name: nobody applies it, or it does not exist.
fn not_found(
    args: &ExplainArgs,
    of: &ResourceQuery,
    project: &Arc<Project>,
    chosen: &[(String, &Environment)],
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let all = || chosen.iter().map(|(_, environment)| *environment);
    let model = project.compile(all().next().unwrap_or(&Environment::default()));
    // One that cannot be read is no document of its name.
    let unread = || {
        let mut refused = model.refused_objects().into_iter();
        let name = refused.find(|name| of.may_mean(name))?;
        explain(&model, &name).ok()
    };
    if let Some(step) = explain::unapplied(project, of).or_else(unread) {
        let form = AnswerForm::json_or_text(args.format == ExplainFormat::Json, "explain");
        print(&step, project.sources(), form, io)?;
        return Ok(Exit::Findings);
    }
    // A name without a kind may be that of a series.
    let series = LineageQuery::of_any_kind(&of.to_string())
        .find(|query| explain::lineage::explain(&model, query).is_some());
    let output = model.into_output();
    if output.worst_level() == Some(Level::Error) {
        report::findings(&output, io);
    }
    let near = listed(&of.near(all(), &project.options().namespace));
    let near = match (series, project.unread_charts()) {
        (Some(LineageQuery { kind, name }), _) => {
            format!("; `promgen explain {}/{name}` explains it", kind.as_str())
        }
        _ if !near.is_empty() => format!("; did you mean{near}"),
        (None, Some(unread)) => format!("; {unread}"),
        (None, None) => String::new(),
    };
    Err(Failure::message(format!("{of} not found{near}")))
}

/// Prints an explanation. What breaks is a finding.
fn print(
    step: &ExplanationStep,
    sources: &Sources,
    form: AnswerForm,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let paint = Paint::of(io.terminal);
    io.print(|out| match form {
        AnswerForm::Json(_) => tree::json(step, sources, out),
        _ => tree::text(step, sources, paint, out),
    })?;
    Ok(exit_of(step))
}

fn exit_of(step: &ExplanationStep) -> Exit {
    if step.state == StepState::Breaks {
        Exit::Findings
    } else {
        Exit::Clean
    }
}

/// The environments of the repository that have a workload, if only a part of it is given.
fn elsewhere(args: &ExplainArgs, options: &Options, io: &mut Io<'_>) -> Vec<String> {
    let current = fs::absolute(Path::new("."));
    let is_part = |path: &PathBuf| {
        path != Path::new("-")
            && fs::absolute(path)
                .parent()
                .is_some_and(|p| p.starts_with(&current))
    };
    if args.compile.paths.is_empty()
        || !args.compile.paths.iter().all(is_part)
        || !fs::may_be_repository(&current)
    {
        return Vec::new();
    }
    let read = fs::read_repository(
        &[PathBuf::from(".")],
        |_| false,
        fs::Folders::Searched,
        fs::IgnoredPaths::Skipped,
        options.limits,
        io.stdin,
    );
    let Ok(manifests) = read else {
        return Vec::new();
    };
    let project = Project::read(
        &manifests.inputs,
        &Options {
            is_repository: true,
            ..options.clone()
        },
    );
    let names = names(project.environments());
    let with_workload = names
        .into_iter()
        .zip(project.environments())
        .filter(|(_, of)| environments::has_workload(of));
    // A name stands for all environments of a folder.
    let named: BTreeSet<String> = with_workload.map(|(name, _)| name).collect_set();
    named.into_iter().collect()
}
