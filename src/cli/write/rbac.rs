//! `promgen rbac`.

use std::io::{self, Write};

use crate::cli::args::RbacArgs;
use crate::cli::environments::{AnswerForm, EachEnvironment, each};
use crate::cli::{Exit, Failure, Io, pick, read_project, report};
use promgen_answers::rbac::{self, Permissions, RbacQuestion};
use promgen_compile::output::{Output, Workload};
use promgen_model::Model;
use promgen_text::yaml::Value;
use promgen_text::yaml::emit::{self, Dialect};

/// Compiles, prints the Roles and bindings that the configurations need, then reports the findings.
pub(crate) fn run(args: &RbacArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let project = read_project(&args.compile, io, |options, io| {
        args.live.over(options, &args.compile.paths, io.stdin)
    })?;
    each(
        &project,
        &args.environments,
        &EachEnvironment::of_workloads(AnswerForm::Commented),
        io,
        &mut |model, io| of_environment(args, &model, io),
    )
}

/// Prints the objects for an environment, then reports the findings.
fn of_environment(args: &RbacArgs, model: &Model, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let permissions = match permissions(args, model) {
        Ok(permissions) => permissions,
        Err(reason) => {
            let exit = report::in_full(model.output(), io);
            return pick::nothing(reason, model.output(), exit, io);
        }
    };
    io.print(|out| write(&permissions.objects, out))?;
    let exit = report::findings(model.output(), io);
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
