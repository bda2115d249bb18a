//! Asks Helm for the releases of an input, if the user wants it.
//!
//! The library says which releases want rendering, `fs` runs Helm, and the options hold what it made of them.

use std::path::PathBuf;
use std::sync::Arc;

use crate::cli::args::{CompileArgs, HelmArgs};
use crate::cli::fs::{self, Revision};
use crate::cli::times::timed;
use crate::cli::{Failure, Io};
use promgen_compile::options::Options;
use promgen_model::Project;
use promgen_resources::gates::Target;
use promgen_resources::rendered::Rendered;
use promgen_text::source::Input;
use promgen_text::version::Version;

/// The arguments of a command that concern charts.
#[derive(Clone, Copy)]
pub(super) struct ChartRequest<'a> {
    /// The options that say that Helm is asked.
    pub(super) helm: &'a HelmArgs,
    /// The paths of the run.
    pub(super) paths: &'a [PathBuf],
    /// The version of Kubernetes, if the user gives one.
    pub(super) kube_version: Option<&'a Version>,
    /// The revision that the input is of.
    pub(super) revision: Option<&'a Revision>,
}

/// The options with what Helm makes of the releases in the input.
pub(super) fn rendered(
    options: Options,
    inputs: &[Input],
    args: &CompileArgs,
    io: &mut Io<'_>,
) -> Result<Options, Failure> {
    let asked = ChartRequest {
        helm: &args.helm,
        paths: &args.paths,
        kube_version: args.kube_version(),
        revision: None,
    };
    of(options, inputs, &asked, io)
}

/// The options with the releases of the paths of a command, in a revision if there is one.
pub(super) fn of(
    options: Options,
    inputs: &[Input],
    asked: &ChartRequest<'_>,
    io: &mut Io<'_>,
) -> Result<Options, Failure> {
    let ChartRequest {
        helm,
        paths,
        kube_version,
        revision,
    } = *asked;
    if !helm.is_asked() {
        return Ok(options);
    }
    let asks = Options {
        rendered: Some(Arc::default()),
        ..options
    };
    let project = timed("looking for charts", io, |_| Project::read(inputs, &asks));
    let wanted = project.wanted();
    if wanted.is_empty() {
        return Ok(asks);
    }
    // Helm has a version of its own unless the user says one.
    let of_options =
        Some(&asks.target.kubernetes).filter(|version| **version != Target::default().kubernetes);
    let kube_version = of_options
        .or(kube_version)
        .map(|v| format!("{}.{}.{}", v.major, v.minor, v.patch));
    let limits = asks.limits;
    let ask = fs::Ask {
        paths,
        pulls: helm.helm_pull,
        kube_version,
        revision,
        limits,
    };
    let mut results = Rendered::default();
    timed("rendering charts", io, |_| {
        fs::render(&wanted, &ask, &mut results)
    })
    .map_err(Failure::message)?;
    Ok(Options {
        rendered: Some(Arc::new(results)),
        ..asks
    })
}
