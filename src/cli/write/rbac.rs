//! `promgen rbac`.

use std::io::{self, Write};

use crate::cli::args::{Color, RbacArgs};
use crate::cli::environments::{AnswerForm, EachEnvironment, each, has_workload};
use crate::cli::{Exit, Failure, Io, charts, load, pick, report};
use promgen_compile::output::{Layout, Output, Workload};
use promgen_driver::rbac::{self, Permissions, RbacQuestion};
use promgen_driver::{Model, Project};
use promgen_text::yaml::Value;
use promgen_text::yaml::emit::{self, Dialect};

/// Compiles, prints the Roles and bindings that the configurations need, then reports the findings.
pub(in crate::cli) fn run(args: &RbacArgs, color: Color, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let (inputs, templates) = load(&args.compile, io)?;
    let options = args.compile.options(Layout::Operator, templates);
    let options = args.live.over(options, &args.compile.paths, io.stdin)?;
    let options = charts::rendered(options, &inputs, &args.compile, io)?;
    let project = Project::read(&inputs, &options);
    drop(inputs);
    let question = EachEnvironment {
        is_about_targets: false,
        form: AnswerForm::Commented,
        is_asked: &has_workload,
    };
    each(
        &project,
        &args.environments,
        &question,
        io,
        &mut |model, io| of_environment(args, &model, color, io),
    )
}

/// Prints the objects for an environment, then reports the findings.
fn of_environment(
    args: &RbacArgs,
    model: &Model,
    color: Color,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let permissions = match permissions(args, model) {
        Ok(permissions) => permissions,
        Err(reason) => {
            let exit = report::in_full(model.output(), color, io);
            return pick::nothing(reason, model.output(), exit, io);
        }
    };
    io.print(|out| write(&permissions.objects, out))
        .map_err(|error| Failure::message(format!("cannot write standard output: {error}")))?;
    let exit = report::findings(model.output(), color, io);
    permissions
        .unknown
        .iter()
        .for_each(|why| report::note(&format!("not known: {why}"), io));
    if permissions.objects.is_empty() && permissions.unknown.is_empty() {
        let what = if args.check {
            "nothing is missing"
        } else {
            "nothing is needed: no job asks the API server"
        };
        report::note(what, io);
    }
    Ok(if args.check && !permissions.objects.is_empty() {
        Exit::Findings
    } else {
        exit
    })
}

/// The objects that are asked for.
fn permissions(args: &RbacArgs, model: &Model) -> Result<Permissions, String> {
    let asked = if args.check {
        RbacQuestion::Missing
    } else {
        RbacQuestion::Needed
    };
    if args.operator {
        let none = || Permissions {
            unknown: vec!["the input has no Deployment of the operator".to_owned()],
            ..Permissions::default()
        };
        return Ok(rbac::of_operator(model, asked).unwrap_or_else(none));
    }
    let output: &Output = model.output();
    let all: Vec<&Workload> = output
        .each_workload()
        .filter(|workload| workload.id.kind.has_shards())
        .collect();
    match &args.workload {
        Some(name) => {
            let id = &pick::find(name, &all, output)?.id;
            Ok(rbac::of_workloads(model, &|other| other == id, asked))
        }
        None if all.is_empty() => Err(pick::no_scraper(output)),
        None => Ok(rbac::of_workloads(model, &|_| true, asked)),
    }
}

/// Writes objects as documents.
pub(super) fn write(objects: &[Value], out: &mut dyn Write) -> io::Result<()> {
    for (number, object) in objects.iter().enumerate() {
        if number > 0 {
            writeln!(out, "---")?;
        }
        out.write_all(emit::to_string(object, Dialect::Sigs).as_bytes())?;
    }
    Ok(())
}
