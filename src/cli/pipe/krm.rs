//! `promgen krm`: a KRM function, such as for Kustomize.
//!
//! In: a `ResourceList` on standard input. Out: the list on standard output, with results, and in mode render with the
//! objects that the operator creates. Findings also go to standard error, because orchestrators show that of a function
//! that fails.

mod config;
mod list;
mod results;

use crate::cli::args::{LintArgs, RenderArgs};
use crate::cli::check::lint;
use crate::cli::pipe::krm::config::Task;
use crate::cli::pipe::krm::list::ResourceList;
use crate::cli::{Exit, Failure, Io, fs, report};
use promgen_compile::output::generated::{ANNOTATION, NO_UID};
use promgen_compile::output::{Emission, Format, Output};
use promgen_model::Project;
use promgen_text::diag::Level;
use promgen_text::source::Input;
use promgen_text::yaml::{Map, Node, Value};

/// Reads a list, and prints it with the results of its task.
pub(crate) fn run(io: &mut Io<'_>) -> Result<Exit, Failure> {
    let input = fs::read_standard_input(io.stdin).map_err(Failure::message)?;
    let not_utf8 = || Failure::message("cannot read standard input: it is not UTF-8");
    let text = input.bytes.as_text().ok_or_else(not_utf8)?;
    let list = ResourceList::parse(text)
        .map_err(|why| Failure::message(format!("cannot read standard input: {why}")))?;
    let task = Task::of(list.config())
        .map_err(|why| Failure::message(format!("functionConfig: {why}")))?;
    let keep: Vec<bool> = match &task {
        Task::Lint(_) => vec![true; list.items().len()],
        // The objects of an earlier run are replaced.
        Task::Render(_) => list
            .items()
            .iter()
            .map(|item| !is_generated(item))
            .collect(),
    };
    let kept: Vec<_> = list
        .items()
        .iter()
        .zip(&keep)
        .filter(|(_, keep)| **keep)
        .map(|(item, _)| item)
        .collect();
    let inputs: Vec<_> = kept
        .iter()
        .enumerate()
        .map(|(index, item)| input_of(index, item, &list))
        .collect();
    let (more, output, exit) = match task {
        Task::Lint(args) => linted(&args, &inputs)?,
        Task::Render(args) => rendered(&args, &inputs)?,
    };
    let results = output
        .diagnostics
        .iter()
        .map(|found| results::result(found, &kept, &output.sources))
        .collect();
    let text = list.with(&keep, more, results);
    io.print(|out| out.write_all(text.as_bytes()))?;
    report::in_full(&output, io);
    Ok(exit)
}

fn linted(args: &LintArgs, inputs: &[Input]) -> Result<(Vec<Value>, Output, Exit), Failure> {
    let (output, exit) = lint::of_inputs(args, inputs)?;
    Ok((Vec::new(), output, exit))
}

fn rendered(args: &RenderArgs, inputs: &[Input]) -> Result<(Vec<Value>, Output, Exit), Failure> {
    let emission = Emission {
        format: Format::Json,
        ..args.emission()
    };
    let mut output = Project::read(inputs, &args.compile.options(emission.layout, Vec::new()))
        .model()
        .into_output();
    output
        .diagnostics
        .extend(crate::cli::write::render::redaction(&output, &emission));
    let mut stream = Vec::new();
    output
        .write_stream(&emission, &mut stream)
        .map_err(|error| Failure::message(format!("cannot print the objects: {error}")))?;
    let objects = objects(&String::from_utf8_lossy(&stream))?;
    let exit = if output.worst_level() == Some(Level::Error) {
        Exit::Findings
    } else {
        Exit::Clean
    };
    Ok((objects, output, exit))
}

/// The objects of a stream of our own, each with the mark by which the next run recognizes it.
fn objects(stream: &str) -> Result<Vec<Value>, Failure> {
    if stream.trim().is_empty() {
        return Ok(Vec::new());
    }
    let root = list::only_document(stream).map_err(Failure::message)?;
    let objects = root
        .get("items")
        .map_or_else(|| std::slice::from_ref(&root), Node::items);
    Ok(objects
        .iter()
        .map(|object| marked(object.to_value()))
        .collect())
}

fn marked(object: Value) -> Value {
    let Value::Map(mut object) = object else {
        return object;
    };
    let map = |value: Option<Value>| {
        if let Some(Value::Map(map)) = value {
            map
        } else {
            Map::default()
        }
    };
    let mut metadata = map(object.get("metadata").cloned());
    let mut annotations = map(metadata.get("annotations").cloned());
    annotations.set(ANNOTATION, NO_UID);
    metadata.set("annotations", annotations);
    object.set("metadata", metadata);
    object.into()
}

fn is_generated(item: &Node) -> bool {
    item.find(&["metadata", "annotations", ANNOTATION])
        .and_then(Node::as_str)
        == Some(NO_UID)
}

/// An item as a text, named by the file that it was read from, or else by its own name.
fn input_of(index: usize, item: &Node, list: &ResourceList<'_>) -> Input {
    let name = match results::origin(item) {
        Some((path, 0)) => path.to_owned(),
        Some((path, document)) => format!("{path} (document {})", document + 1),
        None => results::name(item).unwrap_or_else(|| format!("<item {}>", index + 1)),
    };
    Input::new(name, list.document(item))
}
