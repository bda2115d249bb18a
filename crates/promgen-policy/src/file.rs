//! Files of policies, as they are written: `*.policy.yaml`, and `policies` of `promgen.yaml`.
//!
//! In: a text. Out: a [`PolicyText`] for each policy that can be read, with the node that it was read from, and findings about the rest.

use std::collections::BTreeMap;

use promgen_text::diag::{Diagnostic, Level, Sink, rules};
use promgen_text::source::{FileId, Sources, Span};
use promgen_text::yaml::read::read;
use promgen_text::yaml::{Node, typed_node};
use serde::Deserialize;

use crate::facts;

rules! {
    /// ## What it does
    /// Finds policies that cannot be read: unknown fields, expressions that are none or that ask for facts which there are not, names that
    /// occur twice. Each is left out, and the others are checked. A warning is about a pattern such as `^a|b$`, in which `^` and `$` belong
    /// to one alternative each.
    ///
    /// ## Why is this bad?
    /// A policy that is left out finds nothing.
    ///
    /// ## Example
    /// ```yaml
    /// policies:
    /// - name: alerts-have-a-team
    ///   match: {kind: alert}
    ///   require: has(rule.lables.team)
    /// ```
    /// Use instead: `has(rule.labels.team)`. `promgen schema facts` and `docs/policies.md` list the facts.
    INVALID_POLICY = "PG032" "invalid-policy" Error: "a policy that cannot be read";
}

/// The file of settings, which may have policies too.
const SETTINGS: &str = "promgen.yaml";

/// The most policies of a run.
const MAX_POLICIES: usize = 1000;

/// The most bytes of a file of policies.
const MAX_BYTES: usize = 256 << 10;

/// The JSON Schema of a file of policies. A test writes it from the types.
pub const SCHEMA: &str = include_str!("file/schema.json");

/// A file of policies.
#[cfg(test)]
#[derive(schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "its policies and tests are read one by one")]
struct PolicyFile {
    /// The version of the facts that the policies ask for: 1.
    #[serde(default)]
    facts: Option<u32>,
    /// The policies.
    policies: Vec<PolicyText>,
    /// Tests of the policies, which `promgen test FILE` runs.
    #[serde(default)]
    tests: Vec<TestText>,
}

/// A policy: a rule of your own over what is compiled.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PolicyText {
    /// Its name in kebab case. Its code is `policy/NAME`.
    pub(crate) name: String,
    /// The level of its findings: `error`, `warning` (the default) or `info`.
    #[serde(default)]
    pub(crate) level: Option<LevelText>,
    /// What it is about.
    #[serde(rename = "match")]
    pub(crate) matching: MatchText,
    /// Expressions with names, for others of the policy: `variables.NAME`.
    #[serde(default)]
    pub(crate) variables: Vec<VariableText>,
    /// A CEL expression that has to be true.
    #[serde(default)]
    pub(crate) require: Option<String>,
    /// A CEL expression that must not be true. A list that is not empty is a finding for each item, at the place of the item.
    #[serde(default)]
    pub(crate) forbid: Option<String>,
    /// The text of its findings, with CEL expressions in `{{ }}`.
    #[serde(default)]
    pub(crate) message: Option<String>,
    /// The place of its findings: `rule.annotations.summary`, `object.spec.retention`. Default: that of what it is about.
    #[serde(default)]
    pub(crate) at: Option<String>,
    /// A value that mends a finding, for `--fix`.
    #[serde(default)]
    pub(crate) fix: Option<FixText>,
    /// What an error of an expression is, such as a key that is not there: `fail` (the default) is a finding, `ignore` is none.
    #[serde(default)]
    pub(crate) on_error: PolicyChoice,
    /// What it is if a fact is not known that decides: `ignore` (the default) is counted, `fail` is a finding.
    #[serde(default)]
    pub(crate) not_decided: Option<PolicyChoice>,
    /// Advice, or a link, printed with each finding.
    #[serde(default)]
    pub(crate) help: Option<String>,
}

/// What a policy is about. All must hold; of a list one has to.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct MatchText {
    /// What is looked at: `alert`, `record`, `rule` (both), `endpoint`, `workload`, `route`, `receiver`, or objects of a kind, such as
    /// `ServiceMonitor`. Not in `except`.
    #[serde(default)]
    pub(crate) kind: PolicyTexts,
    /// Globs of names: of the alert or the recorded series, of the receiver, and of the object for everything else.
    #[serde(default)]
    pub(crate) names: PolicyTexts,
    /// Globs of namespaces.
    #[serde(default)]
    pub(crate) namespaces: PolicyTexts,
    /// Labels of the object, each with a glob of values.
    #[serde(default)]
    pub(crate) labels: BTreeMap<String, String>,
    /// Workloads that select or have it, as globs of `Kind/namespace/name`.
    #[serde(default)]
    pub(crate) workload: PolicyTexts,
    /// Globs of the names of environments, as `lint` prints them.
    #[serde(default)]
    pub(crate) environments: PolicyTexts,
    /// Globs of files.
    #[serde(default)]
    pub(crate) paths: PolicyTexts,
    /// What it is not about, though the rest holds.
    #[serde(default)]
    pub(crate) except: Option<Box<Self>>,
}

/// An expression with a name.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct VariableText {
    /// Its name.
    pub(crate) name: String,
    /// The expression, in CEL.
    pub(crate) expression: String,
}

/// A value that mends a finding.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct FixText {
    /// The field that gets it: `object.spec.retention`.
    pub(crate) set: String,
    /// The value, a CEL expression.
    pub(crate) value: String,
    /// Whether `--fix` sets it without `--unsafe-fixes`.
    #[serde(default)]
    pub(crate) safe: bool,
}

/// A test of a policy.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct TestText {
    /// Its name.
    pub(crate) name: String,
    /// The policy, one of the file.
    pub(crate) policy: String,
    /// The objects, as in a file of manifests.
    pub(crate) input: String,
    /// The findings, all of them, in any order. Default: none.
    #[serde(default)]
    pub(crate) findings: Vec<ExpectedText>,
    /// About how many things the policy is not decided.
    #[serde(default)]
    pub(crate) not_decided: usize,
}

/// A finding that is expected.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub(crate) enum ExpectedText {
    /// A part of its message.
    Message(String),
    /// Its place.
    At(ExpectedPlace),
}

/// The place of a finding that is expected.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectedPlace {
    /// The line of the input, from 1.
    pub(crate) line: usize,
    /// A part of its message.
    #[serde(default)]
    pub(crate) message: String,
}

/// A level.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum LevelText {
    /// It does not work.
    Error,
    /// Most likely not as intended.
    Warning,
    /// Information.
    Info,
}

/// Whether something is a finding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum PolicyChoice {
    /// It is.
    #[default]
    Fail,
    /// It is not.
    Ignore,
}

/// A text, or a list of texts.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub(crate) enum PolicyTexts {
    /// None.
    #[default]
    None,
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl PolicyTexts {
    pub(crate) fn all(&self) -> &[String] {
        match self {
            Self::None => &[],
            Self::One(text) => std::slice::from_ref(text),
            Self::Many(texts) => texts,
        }
    }
}

impl From<LevelText> for Level {
    fn from(level: LevelText) -> Self {
        match level {
            LevelText::Error => Self::Error,
            LevelText::Warning => Self::Warning,
            LevelText::Info => Self::Info,
        }
    }
}

/// The policies of files that can be read, each with its node.
pub(crate) fn read_all(
    files: impl IntoIterator<Item = FileId>,
    sources: &Sources,
    sink: &mut Sink,
) -> Vec<(PolicyText, Node)> {
    let mut all = Vec::new();
    for file in files {
        let source = sources.file(file);
        if source.text.len() > MAX_BYTES {
            let message = format!("a file of policies of more than {} KiB", MAX_BYTES >> 10);
            sink.report(Diagnostic::new(
                &INVALID_POLICY,
                Span::new(file, 0, 0),
                message,
            ));
            continue;
        }
        let is_settings = source.name.ends_with(SETTINGS);
        let mut faults = Sink::default();
        let documents = read(file, &source.text, &mut faults);
        // What is wrong with settings is said where they are read.
        for fault in faults
            .into_diagnostics()
            .into_iter()
            .filter(|_| !is_settings)
        {
            let place = fault.place.unwrap_or_else(|| Span::new(file, 0, 0).into());
            let found = Diagnostic::new(&INVALID_POLICY, place, fault.message);
            sink.report(found.helps(fault.help));
        }
        for document in documents {
            of_document(&document.root, is_settings, sink, &mut all);
        }
    }
    if let Some((_, node)) = all.get(MAX_POLICIES) {
        let message = format!("more than {MAX_POLICIES} policies");
        sink.report(Diagnostic::new(&INVALID_POLICY, node.span, message));
        all.truncate(MAX_POLICIES);
    }
    all
}

fn of_document(root: &Node, is_settings: bool, sink: &mut Sink, all: &mut Vec<(PolicyText, Node)>) {
    let mut fault = |span, message: String| {
        sink.report(Diagnostic::new(&INVALID_POLICY, span, message));
    };
    if !is_settings {
        for entry in root.entries() {
            match (&*entry.key, &entry.value) {
                ("policies" | "tests", _) => {}
                ("facts", version) => match version.data {
                    promgen_text::yaml::Data::Int(asked)
                        if (1..=i64::from(facts::VERSION)).contains(&asked) => {}
                    _ => fault(
                        version.span,
                        format!("this promgen knows version {} of the facts", facts::VERSION),
                    ),
                },
                (other, _) => fault(entry.key_span, format!("unknown field `{other}`")),
            }
        }
        let list = root.get("policies");
        let is_list =
            |node: &Node| node.is_null() || matches!(node.data, promgen_text::yaml::Data::Seq(_));
        match list {
            None if !root.is_null() => {
                fault(root.span, "expected a map with `policies`".to_owned());
            }
            Some(list) if !is_list(list) => {
                fault(list.span, "expected a list of policies".to_owned());
            }
            _ => {}
        }
    }
    for node in root.items_of("policies") {
        // A path of a file with policies, which the settings name.
        if is_settings && node.as_str().is_some() {
            continue;
        }
        match typed_node(node) {
            Ok(policy) => all.push((policy, node.clone())),
            Err(mismatch) => sink.report(mismatch.diagnostic(&INVALID_POLICY, node)),
        }
    }
}

#[cfg(test)]
mod tests {
    use schemars::SchemaGenerator;

    use super::*;

    #[test]
    fn the_schema_is_that_of_the_types() {
        let mut schema = SchemaGenerator::default()
            .into_root_schema_for::<PolicyFile>()
            .to_value();
        schema["title"] = "*.policy.yaml".into();
        promgen_testing::assert_written(
            "crates/promgen-policy/src/file/schema.json",
            &format!("{schema:#}\n"),
        );
    }
}
