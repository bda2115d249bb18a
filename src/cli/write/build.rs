//! `promgen build`.

use clap::error::ErrorKind;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::cli::args::{BuildArgs, BuildFormat};
use crate::cli::fs::{Disk, Folders, IgnoredPaths};
use crate::cli::output::{OutputTarget, file_of};
use crate::cli::spare::{SparedFiles, is_earlier_output};
use crate::cli::write::render::redacted;
use crate::cli::{Exit, Failure, Io, charts, fs, json, report};
use promgen_compile::options::Options;
use promgen_compile::output::Output;
use promgen_compile::output::generated::{BUILT, BUILT_ANNOTATION};
use promgen_model::Project;
use promgen_repository::charts::ChartOptions;
use promgen_repository::kustomize::build::build;
use promgen_repository::kustomize::fault::BuildFault;
use promgen_repository::kustomize::object::BuiltObject;
use promgen_repository::kustomize::read::gather::{GatheredFiles, gather};
use promgen_repository::kustomize::read::store::Store;
use promgen_repository::path::KUSTOMIZATION_FILES;
use promgen_repository::print;
use promgen_resources::locate::{self, FindingTexts};
use promgen_text::CollectOrdered;
use promgen_text::diag::{Diagnostic, Level};
use promgen_text::shared::Shared;
use promgen_text::source::{FileId, Sources};
use promgen_text::yaml::Node;

/// Builds a kustomization, prints its objects, then reports the findings.
pub(crate) fn run(args: &BuildArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    if args.annotate && args.format != BuildFormat::Yaml {
        let text = "`--annotate` adds comments, which JSON does not have: use `--format yaml`";
        return Err(Failure::usage("build", ErrorKind::ArgumentConflict, text));
    }
    let folder = folder_of(&args.path);
    let name = folder.to_string_lossy().replace('\\', "/");
    let gathered = gather(&Disk::of([&folder]), &name);
    let sources = gathered.sources();
    let n_bytes = gathered.inputs.iter().map(|input| input.bytes.len()).sum();
    let limits = args.limits.limits().for_input(n_bytes);
    let options = rendered(args, io)?;
    let charts = ChartOptions {
        rendered: options.rendered.as_deref(),
        ..ChartOptions::default()
    };
    let store = Store::new(&gathered, &sources)
        .within(limits)
        .with_charts(charts);
    let store = store.unrestricted(args.restrictor.is_unrestricted());
    let diagnostics = match build(&store, &name) {
        None if gathered.unread.is_empty()
            && let Some(exit) = releases(args, io)? =>
        {
            return Ok(exit);
        }
        None => {
            let unread = gathered
                .unread
                .iter()
                .next()
                .map(|((_, file), why)| format!("cannot read `{file}`: {why}"));
            return Err(Failure::message(
                unread.unwrap_or_else(|| not_a_kustomization(&args.path)),
            ));
        }
        Some(Ok(objects)) => print_all(args, &objects, &sources, io)?,
        Some(Err(fault)) => {
            no_objects(args, io)?;
            finding(&fault, &sources, &gathered)
        }
    };
    drop(store);
    let output = Output {
        diagnostics,
        sources,
        ..Output::default()
    };
    Ok(report::in_full(&output, io))
}

/// Tells programs that there are no objects. The finding and the exit code say why.
fn no_objects(args: &BuildArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    if args.format != BuildFormat::Json || target(args).is_some() {
        return Ok(());
    }
    let text = in_list(&head(), "objects", &[]);
    io.print(|out| out.write_all(text.as_bytes()))
}

/// Prints the objects of the releases in a folder without a kustomization. `None` if there are none.
fn releases(args: &BuildArgs, io: &mut Io<'_>) -> Result<Option<Exit>, Failure> {
    if !args.path.is_dir() {
        return Ok(None);
    }
    let Some(manifests) = read(args, io) else {
        return Ok(None);
    };
    let options = rendered_of(args, &manifests, io)?;
    let project = Project::read(&manifests.inputs, &options);
    let released = project.released();
    if released.is_empty() {
        return Ok(None);
    }
    let object = |node: &Shared<Node>| {
        let mut object = BuiltObject::new(Node::clone(node));
        object.copies.extend(project.copies());
        object
    };
    let objects: Vec<BuiltObject> = released.iter().map(object).collect();
    let mut diagnostics = print_all(args, &objects, project.sources(), io)?;
    let about = promgen_repository::charts::rules::RULES;
    diagnostics.extend(
        project
            .placed()
            .into_iter()
            .filter(|found| about.contains(&&*found.rule)),
    );
    let output = Output {
        diagnostics,
        sources: project.sources().clone(),
        ..Output::default()
    };
    Ok(Some(report::in_full(&output, io)))
}

/// All that is in the folder.
fn read(args: &BuildArgs, io: &mut Io<'_>) -> Option<fs::ReadManifests> {
    let paths = std::slice::from_ref(&args.path);
    let is_ours = is_earlier_output(args.output.as_deref(), paths);
    fs::read_repository(
        paths,
        is_ours,
        Folders::Searched,
        IgnoredPaths::Skipped,
        args.limits.limits(),
        io.stdin,
    )
    .ok()
}

/// The options with what Helm makes of the releases in the folder, if it is asked.
fn rendered(args: &BuildArgs, io: &mut Io<'_>) -> Result<Options, Failure> {
    match args.helm.is_asked().then(|| read(args, io)).flatten() {
        Some(manifests) => rendered_of(args, &manifests, io),
        None => Ok(Options::default()),
    }
}

fn rendered_of(
    args: &BuildArgs,
    manifests: &fs::ReadManifests,
    io: &mut Io<'_>,
) -> Result<Options, Failure> {
    let limits = args.limits.limits();
    let options = Options {
        is_repository: true,
        is_unrestricted: args.restrictor.is_unrestricted(),
        limits,
        reveal_secrets: args.reveal_secrets,
        ..Options::default()
    };
    let paths = std::slice::from_ref(&args.path);
    let asked = charts::ChartRequest {
        helm: &args.helm,
        paths,
        kube_version: None,
        revision: None,
    };
    charts::of(options, &manifests.inputs, &asked, io)
}

/// The folder of a kustomization that is given by its file.
fn folder_of(path: &Path) -> PathBuf {
    let is_file = path
        .file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| KUSTOMIZATION_FILES.contains(&name));
    match path.parent().filter(|_| is_file) {
        Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
        Some(parent) => parent.to_owned(),
        None => path.to_owned(),
    }
}

fn not_a_kustomization(path: &Path) -> String {
    let shown = path.display();
    if !path.exists() {
        format!("cannot read `{shown}`: it does not exist")
    } else if !path.is_dir() {
        format!("`{shown}` is not a kustomization: expected a folder, or its kustomization.yaml")
    } else if fs::has(path, "Chart.yaml") {
        format!("`{shown}` is a Helm chart, not a kustomization: use `helm template {shown}`")
    } else {
        format!("`{shown}` has no kustomization.yaml: its manifests are used as they are")
    }
}

/// The finding for what prevents the build. Without a result, that is an error in any case.
fn finding(fault: &BuildFault, sources: &Sources, gathered: &GatheredFiles) -> Vec<Diagnostic> {
    let ids: BTreeMap<&str, FileId> = sources
        .files()
        .map(|(id, file)| (file.name.as_str(), id))
        .collect_map();
    let private = gathered.private(|path| ids.get(path));
    let found = fault.diagnostic().level(Level::Error);
    locate::place(
        vec![found],
        &[],
        FindingTexts {
            sources,
            n_manifests: sources.files().count(),
            private: &private,
        },
    )
}

fn print_all(
    args: &BuildArgs,
    objects: &[BuiltObject],
    sources: &Sources,
    io: &mut Io<'_>,
) -> Result<Vec<Diagnostic>, Failure> {
    let mut n_redacted = 0;
    let mut texts = Vec::with_capacity(objects.len());
    for object in objects {
        let node = if args.reveal_secrets {
            object.node.clone()
        } else {
            let (node, n) = print::redacted(object);
            n_redacted += n;
            node
        };
        texts.push(match args.format {
            BuildFormat::Json | BuildFormat::List => print::json(&node),
            BuildFormat::Yaml if args.annotate => print::annotated(&node, sources),
            BuildFormat::Yaml => print::yaml(&node),
        });
    }
    let is_file = target(args).is_some();
    let text = match args.format {
        // In a file, the mark says that the next run may replace it.
        BuildFormat::Yaml if is_file => texts
            .iter()
            .map(|text| format!("{BUILT}\n{text}"))
            .collect::<Vec<_>>()
            .join("---\n"),
        BuildFormat::Yaml => texts.join("---\n"),
        BuildFormat::Json => in_list(&head(), "objects", &texts),
        BuildFormat::List if is_file => in_list(
            &format!(
                "{LIST},\n  \"metadata\": {{\"annotations\": {{{BUILT_ANNOTATION:?}: \"true\"}}}}"
            ),
            "items",
            &texts,
        ),
        BuildFormat::List => in_list(LIST, "items", &texts),
    };
    write(args, texts.len(), &text, sources, io)?;
    Ok(redacted(n_redacted).into_iter().collect())
}

/// The head of the command's JSON.
fn head() -> String {
    format!("\"version\": {},\n  \"command\": \"build\"", json::VERSION)
}

/// The head of a list of objects.
const LIST: &str = "\"apiVersion\": \"v1\",\n  \"kind\": \"List\"";

/// The file to write. `None`: standard output.
fn target(args: &BuildArgs) -> Option<&Path> {
    file_of(args.output.as_ref())
}

/// Writes the objects to the file of --output or to standard output.
fn write(
    args: &BuildArgs,
    n_objects: usize,
    text: &str,
    sources: &Sources,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let path = target(args);
    if path.is_some() {
        SparedFiles::files(sources.files().map(|(_, file)| Path::new(&file.name)))
            .check_output(path, args.force.replaces())?;
    }
    let destination = OutputTarget {
        path,
        reveals_secrets: args.reveal_secrets,
        force: args.force,
    };
    destination.write(n_objects, "object", io, |out| {
        out.write_all(text.as_bytes())
    })
}

/// Objects, each a JSON text of its own, as a list below a key.
fn in_list(head: &str, key: &str, objects: &[String]) -> String {
    // No text of JSON has a line break in it.
    let indented = |object: &String| {
        object
            .trim_end()
            .lines()
            .map(|line| format!("    {line}"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let objects: Vec<String> = objects.iter().map(indented).collect();
    let objects = if objects.is_empty() {
        "[]".to_owned()
    } else {
        format!("[\n{}\n  ]", objects.join(",\n"))
    };
    format!("{{\n  {head},\n  \"{key}\": {objects}\n}}\n")
}
