//! The configuration of the KRM function: an object whose fields are options of `lint` or `render`.
//!
//! In: `functionConfig`. Out: the arguments of the command. Each field becomes an option on a command line, so that clap
//! checks the values here as it does there.

use clap::Parser as _;

use crate::cli::args::{Cli, Command, LintArgs, RenderArgs};
use promgen_compile::output::Part;
use promgen_text::yaml::{Data, Node};

/// The task of the function.
#[derive(Debug)]
pub(super) enum Task {
    /// Check the items.
    Lint(Box<LintArgs>),
    /// Add the objects that the operator creates.
    Render(Box<RenderArgs>),
}

/// Fields for both modes, and those of one.
const COMMON: &[&str] = &[
    "namespace",
    "assume",
    "kubeVersion",
    "prometheusVersion",
    "defaultPrometheusVersion",
    "featureGates",
];
const OF_LINT: &[&str] = &["failOn", "select", "ignore", "all"];
const OF_RENDER: &[&str] = &["emit", "layout", "revealSecrets"];
/// Options without a value.
const FLAGS: &[&str] = &["all", "revealSecrets"];

impl Task {
    /// The task of a configuration: without one, to lint.
    ///
    /// # Errors
    /// A field or a value that is not supported.
    pub(super) fn of(config: Option<&Node>) -> Result<Self, String> {
        let fields = config.map_or(Ok(&[][..]), fields)?;
        let mut mode = "lint".to_owned();
        let mut options = Vec::new();
        for field in fields {
            if field.key == "mode" {
                mode = text(&field.key, &field.value)?;
            } else {
                options.push((field.key.as_ref(), text(&field.key, &field.value)?));
            }
        }
        let (own, mut line) = match mode.as_str() {
            "lint" => (
                OF_LINT,
                vec!["promgen".to_owned(), mode.clone(), "--no-config".to_owned()],
            ),
            "render" => (OF_RENDER, vec!["promgen".to_owned(), mode.clone()]),
            _ => return Err(format!("unknown mode `{mode}`; expected lint or render")),
        };
        for (key, value) in &options {
            if !own.contains(key) && !COMMON.contains(key) {
                let known: Vec<_> = ["mode"].iter().chain(own).chain(COMMON).copied().collect();
                return Err(format!(
                    "unknown field `{key}` in mode {mode}; expected one of: {}",
                    known.join(", ")
                ));
            }
            line.extend(option(key, value)?);
        }
        if mode == "render" && !options.iter().any(|(key, _)| *key == "emit") {
            line.push("--emit=config,workloads".to_owned());
        }
        Self::parse(&line)
    }

    fn parse(line: &[String]) -> Result<Self, String> {
        let cli = Cli::try_parse_from(line).map_err(|error| first_paragraph(&error.to_string()))?;
        match cli.command {
            Command::Lint(args) => Ok(Self::Lint(args)),
            Command::Render(args) => {
                let is_new = |part: &Part| matches!(part, Part::Config | Part::Workloads);
                let parts = args.emission().parts;
                if parts.iter().all(is_new) {
                    Ok(Self::Render(args))
                } else {
                    Err(
                        "`emit` supports config and workloads: the other parts are no new objects"
                            .to_owned(),
                    )
                }
            }
            _ => unreachable!("the line has one of these commands"),
        }
    }
}

/// The fields of a `ConfigMap`, or of the kind `Promgen`.
fn fields(config: &Node) -> Result<&[promgen_text::yaml::Entry], String> {
    let kind = config
        .get("kind")
        .and_then(Node::as_str)
        .unwrap_or_default();
    let fields = match kind {
        "ConfigMap" => config.get("data"),
        "Promgen" => config.get("spec"),
        _ => {
            return Err(format!(
                "unsupported kind `{kind}`; expected ConfigMap or Promgen"
            ));
        }
    };
    Ok(fields.map_or(&[], Node::entries))
}

/// A value as on a command line: the items of a list separated by commas.
fn text(key: &str, value: &Node) -> Result<String, String> {
    match &value.data {
        Data::String(text) => Ok(text.to_string()),
        Data::Bool(value) => Ok(value.to_string()),
        Data::Seq(items) => {
            let items: Result<Vec<_>, _> = items.iter().map(|item| text(key, item)).collect();
            Ok(items?.join(","))
        }
        Data::Null | Data::Int(_) | Data::Uint(_) | Data::Float(_) | Data::Map(_) => Err(format!(
            "`{key}`: expected text, true or false, or a list of texts"
        )),
    }
}

/// The option of a field. `None` for a flag that is not set.
fn option(key: &str, value: &str) -> Result<Option<String>, String> {
    let name = kebab(key);
    if !FLAGS.contains(&key) {
        return Ok(Some(format!("--{name}={value}")));
    }
    match value {
        "true" => Ok(Some(format!("--{name}"))),
        "false" => Ok(None),
        _ => Err(format!("`{key}`: expected true or false, found `{value}`")),
    }
}

/// `fail-on` for `failOn`.
fn kebab(key: &str) -> String {
    let mut name = String::with_capacity(key.len() + 4);
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            name.push('-');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// The message of clap without the usage.
fn first_paragraph(message: &str) -> String {
    let message = message.strip_prefix("error: ").unwrap_or(message);
    message
        .lines()
        .take_while(|line| !line.is_empty())
        .map(str::trim)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::FailOnArg;
    use crate::cli::pipe::krm::list::only_document;

    fn task(text: &str) -> Result<Task, String> {
        Task::of(Some(&only_document(text).unwrap()))
    }

    #[test]
    fn the_kind_and_the_mode_decide() {
        assert!(matches!(Task::of(None), Ok(Task::Lint(_))));
        assert!(matches!(task("kind: ConfigMap\n"), Ok(Task::Lint(_))));
        let lint = task(
            "kind: Promgen\nspec: {mode: lint, failOn: warning, select: [PG1, idle-shard], all: true}\n",
        );
        let Ok(Task::Lint(args)) = lint else {
            panic!("{lint:?}")
        };
        assert_eq!(
            (
                args.fail_on,
                args.select.len(),
                args.all,
                args.settings.no_config
            ),
            (Some(FailOnArg::Warning), 2, true, true)
        );
        let render = task(
            "kind: ConfigMap\ndata: {mode: render, revealSecrets: 'false', kubeVersion: '1.34'}\n",
        );
        let Ok(Task::Render(args)) = render else {
            panic!("{render:?}")
        };
        assert_eq!(
            args.emission().parts.into_iter().collect::<Vec<_>>(),
            [Part::Config, Part::Workloads]
        );
    }

    #[test]
    fn what_is_not_supported_is_named() {
        for (text, expected) in [
            ("kind: Deployment", "unsupported kind `Deployment`"),
            (
                "kind: ConfigMap\ndata: {mode: check}",
                "unknown mode `check`",
            ),
            (
                "kind: ConfigMap\ndata: {baseline: x}",
                "unknown field `baseline` in mode lint; expected one of: mode, fail",
            ),
            (
                "kind: ConfigMap\ndata: {emit: config}",
                "unknown field `emit` in mode lint",
            ),
            (
                "kind: ConfigMap\ndata: {failOn: never-ever}",
                "invalid value 'never-ever' for '--fail-on <LEVEL>'",
            ),
            (
                "kind: ConfigMap\ndata: {all: sure}",
                "`all`: expected true or false",
            ),
            (
                "kind: ConfigMap\ndata: {select: {}}",
                "`select`: expected text",
            ),
            (
                "kind: ConfigMap\ndata: {mode: render, emit: status}",
                "`emit` supports config and workloads",
            ),
        ] {
            let error = task(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
