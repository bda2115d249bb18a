//! `promgen render`.

mod folder;

use std::io;
use std::path::Path;

use clap::error::ErrorKind;

use crate::cli::args::{Color, RenderArgs};
use crate::cli::ask::jobless;
use crate::cli::spare::Spared;
use crate::cli::times::timed;
use crate::cli::write::status;
use crate::cli::{Exit, Failure, Io, charts, fs, load_with_files, pick, report};
use promgen_compile::output::{Emission, Output, Part, REDACTED_SECRETS};
use promgen_driver::Project;
use promgen_driver::model::Kept;
use promgen_text::diag::Diagnostic;

/// Compiles, writes the output, then reports the findings.
pub(in crate::cli) fn run(args: &RenderArgs, color: Color, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let emission = args.emission();
    check(args, &emission)?;
    status::read_once("render", &args.compile.paths, &[&args.profile.previous])?;
    let (manifests, templates) = load_with_files(&args.compile, io)?;
    let options = args.compile.options(emission.layout, templates);
    let options = status::with_format(&args.profile, (&args.compile, options), color, io)?;
    let options = charts::rendered(options, &manifests.inputs, &args.compile, io)?;
    let mut output =
        timed("compiling", io, |_| Project::read(&manifests.inputs, &options)).model(Kept::Text).into_output();
    let spared = Spared::of(&output, &manifests.files);
    drop(manifests);
    output.diagnostics.extend(redaction(&output, &emission));
    let access = fs::Access::of(options.reveal_secrets);
    let target = args.output.as_deref();
    let written = timed("writing", io, |io| write(&output, &emission, target, (&spared, access), io));
    let exit = report::findings(&output, color, io);
    let is_empty = output.workloads.is_empty() && output.resources.is_empty();
    if is_empty {
        report::note(&format!("nothing to render: {}", pick::no_workload(&output)), io);
    }
    if emission.parts.contains(&Part::Config) {
        output.workloads.iter().for_each(|workload| {
            jobless::note(workload, io);
        });
    }
    written.map(|()| exit)
}

/// Raw files and reports are not objects, so a stream cannot contain them.
fn check(args: &RenderArgs, emission: &Emission) -> Result<(), Failure> {
    let only_files = emission.parts.iter().any(|part| !part.is_objects());
    if only_files && !args.output.as_deref().is_some_and(fs::is_folder) {
        let text = "`--emit raw` and `--emit selection` write files: set a folder with `-o DIR/`";
        return Err(Failure::usage("render", ErrorKind::ArgumentConflict, text));
    }
    Ok(())
}

fn write(
    output: &Output,
    emission: &Emission,
    target: Option<&Path>,
    (spared, access): (&Spared, fs::Access),
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let failed = |name: &str, error: io::Error| Failure::message(format!("cannot write {name}: {error}"));
    match target.filter(|path| *path != Path::new("-")) {
        None => io.print(|out| output.write_stream(emission, out)).map_err(|e| failed("standard output", e)),
        Some(path) if fs::is_folder(path) => {
            let folder = folder::FolderPlan::plan(path, output, emission, spared)?;
            folder.write(access, io).map_err(|e| failed(&format!("`{}`", path.display()), e))?;
            let n_objects = folder.n_objects();
            match n_objects {
                0 => report::written(folder.n_files(), "file", path, io),
                n => report::written(n, "object", path, io),
            }
            Ok(())
        }
        Some(path) => {
            spared.check([path])?;
            fs::write_file(path, access, |out| output.write_stream(emission, out))
                .map_err(|e| failed(&format!("`{}`", path.display()), e))?;
            report::written(output.n_documents(emission), "object", path, io);
            Ok(())
        }
    }
}

/// The warning that the output cannot be deployed. A status contains no secrets.
pub(in crate::cli) fn redaction(output: &Output, emission: &Emission) -> Option<Diagnostic> {
    let shows = emission.parts.contains(&Part::Config) || emission.parts.contains(&Part::Workloads);
    let n = output.redacted;
    let values = if n == 1 { "1 value".to_owned() } else { format!("{n} values") };
    (shows && n > 0).then(|| {
        Diagnostic::placeless(&REDACTED_SECRETS, format!("{values} of Secrets omitted: this output cannot be deployed"))
            .help("use --reveal-secrets to print the values")
    })
}
