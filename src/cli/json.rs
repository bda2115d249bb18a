//! The JSON that commands print for other programs: its envelope, its types, and their schemas.
//!
//! Every output has the version of the format and the command on top. A workload is `KIND/NAMESPACE/NAME`, as --workload
//! takes it; a place is `file`, `line` and `column`.

mod page;
mod tested;

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;

use promgen_text::diag::escape;
use promgen_text::source::{Sources, Span};
use promgen_text::yaml::Value;
use promgen_text::yaml::emit::to_json;

pub(crate) use page::page;
pub(crate) use tested::{EvaluatedRules, TestOutcome, TestedFile, TestedRule, Tests};

use promgen_text::diag::format::json::Envelope;
pub(crate) use promgen_text::diag::format::json::VERSION;

/// Writes the output of a command.
pub(crate) fn write<T: Serialize>(
    command: &'static str,
    output: T,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    escape::write_json(
        &Envelope {
            version: VERSION,
            command,
            output,
        },
        out,
    )
}

/// The file and the line of a place.
pub(crate) fn place(span: Option<Span>, sources: &Sources) -> (Option<String>, Option<usize>) {
    (
        span.map(|span| sources.file(span.file).name.clone()),
        span.map(|span| sources.start(span).line),
    )
}

/// The output of a command as a text.
pub(crate) fn text<T: Serialize>(command: &'static str, output: T) -> String {
    let mut out = Vec::new();
    write(command, output, &mut out).expect("a vector takes every byte");
    String::from_utf8(out).expect("JSON is UTF-8")
}

/// An answer as a value, which YAML prints, too.
pub(crate) fn value<T: Serialize>(answer: &T) -> Value {
    serde_json::to_value(answer)
        .expect("the keys of an answer are texts")
        .into()
}

/// Writes the answer of a command, with numbers and texts as the manifests have them.
pub(crate) fn write_answer<T: Serialize>(
    command: &'static str,
    answer: &T,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let value = value(&Envelope {
        version: VERSION,
        command,
        output: answer,
    });
    write!(out, "{}", escape::json(&to_json(&value)))
}

/// Labels, by name.
pub(crate) type Labels = BTreeMap<String, String>;

/// Declares the types of an answer: see [`promgen_text::answers`].
macro_rules! answers {
    ($($types:tt)+) => {
        promgen_text::answers! { (Debug, serde::Serialize) (pub(crate)) $($types)+ }
    };
}
pub(crate) use answers;

/// An output with a schema.
pub(crate) struct DescribedOutput {
    /// Its name, which is that of the command, and of its option after a dash.
    pub(crate) name: &'static str,
    /// The command line that prints it.
    pub(crate) line: &'static str,
    /// The description.
    pub(crate) about: &'static str,
    /// Its JSON Schema, draft 2020-12. A test writes it from the type of the output.
    pub(crate) schema: &'static str,
}

impl DescribedOutput {
    /// Its JSON Schema as a value.
    fn parsed_schema(&self) -> serde_json::Value {
        serde_json::from_str(self.schema).expect("a test wrote JSON")
    }
}

/// An output whose schema is in the file of its name.
macro_rules! described {
    ($name:literal, $line:literal, $about:literal) => {
        DescribedOutput {
            name: $name,
            line: $line,
            about: $about,
            schema: include_str!(concat!("json/schemas/", $name, ".json")),
        }
    };
}

/// All outputs with a schema.
#[rustfmt::skip]
pub(crate) static OUTPUTS: &[DescribedOutput] = &[
    described!("lint", "promgen lint --format json", "The findings."),
    described!("render", "promgen render --format json", "The rendered objects."),
    described!("build", "promgen build --format json", "The objects that are built."),
    described!("status", "promgen status --format json", "The resources with their expected statuses."),
    described!("explain", "promgen explain --format json", "Rules, version gates, limits, or the explanation of a resource: whichever was asked for."),
    described!("test", "promgen test --format json", "The results of tests, by file."),
    described!("diff", "promgen diff --format json", "What changes in meaning."),
    described!("diff-live", "promgen diff --live FILE --format json", "What differs between a cluster and its manifests, and why."),
    described!("upgrade", "promgen upgrade --format json", "What an upgrade of the operator changes, step by step."),
    described!("health", "promgen status --health --format json", "What other tools say about the status of each workload."),
    described!("shards", "promgen shards --format json", "The targets of each shard."),
    described!("shards-rules", "promgen shards --rules --format json", "The sharding rules and the placement of each shard."),
    described!("which", "promgen which TARGET --format json", "The shards that scrape a target."),
    described!("trace", "promgen which --trace TARGET --format json", "The effect of each relabel rule on a target."),
    described!("prove", "promgen prove --format json", "Whether exactly one shard scrapes every target."),
    described!("simulate", "promgen simulate --format json", "What other numbers of shards do."),
    described!("route", "promgen route LABELS --format json", "The routes and receivers of an alert."),
    described!("route-all-alerts", "promgen route --all-alerts --format json", "The receivers of every alert in the input."),
    described!("report", "promgen report --format json", "What the page of `promgen report` shows."),
];

#[cfg(test)]
mod tests {
    use schemars::generate::SchemaSettings;
    use schemars::{JsonSchema, Schema};

    use super::*;
    use crate::cli::ask::diff::upgrade::Steps;
    use crate::cli::ask::{explain, prove, route, shards, simulate, trace, which};
    use crate::cli::check::health;
    use crate::cli::write::page::Page;
    use promgen_answers::diff::outline::Whole;
    use promgen_answers::drift::Drift;
    use promgen_testing::assert_written;
    use promgen_text::diag::format::json::Findings;

    /// Objects of Kubernetes, which are printed one by one, declared for their schema.
    #[derive(Serialize, JsonSchema)]
    struct Objects {
        /// The mark by which a later run knows what promgen has written; `build` writes none.
        metadata: Option<serde_json::Value>,
        /// The objects, each as its kind says.
        objects: Vec<serde_json::Value>,
    }

    /// The name of an output, and what makes its schema from its type.
    type SchemaOfType = (&'static str, fn() -> Schema);

    /// The type of each output.
    const TYPES: &[SchemaOfType] = &[
        ("lint", enveloped::<Findings<'_>>),
        ("render", enveloped::<Objects>),
        ("build", enveloped::<Objects>),
        ("status", enveloped::<Objects>),
        ("explain", enveloped::<explain::answer::Explained>),
        ("test", enveloped::<Tests>),
        ("diff", enveloped::<Whole<'_>>),
        ("diff-live", enveloped::<Drift>),
        ("upgrade", enveloped::<Steps<'_>>),
        ("health", enveloped::<health::Health>),
        ("shards", enveloped::<shards::answer::Shards>),
        ("shards-rules", enveloped::<shards::rules::ShardRules>),
        ("which", enveloped::<which::answer::Which>),
        ("trace", enveloped::<trace::answer::Trace>),
        ("prove", enveloped::<prove::answer::Prove>),
        ("simulate", enveloped::<simulate::answer::Simulate>),
        ("route", enveloped::<route::answer::Route>),
        ("route-all-alerts", enveloped::<route::answer::RouteAll>),
        ("report", enveloped::<Page<'_>>),
    ];

    fn plain<T: JsonSchema>() -> Schema {
        SchemaSettings::draft2020_12()
            .for_serialize()
            .into_generator()
            .into_root_schema_for::<T>()
    }

    fn enveloped<T: JsonSchema>() -> Schema {
        plain::<Envelope<T>>()
    }

    /// The outputs that answer for each environment.
    const FOR_ENVIRONMENTS: &[&str] = &[
        "render",
        "status",
        "explain",
        "health",
        "shards",
        "shards-rules",
        "which",
        "trace",
        "prove",
        "simulate",
        "route",
        "route-all-alerts",
    ];

    /// The schema of an answer, or of the answers of several environments.
    fn for_environments(schema: &mut serde_json::Value) {
        use serde_json::{Value, json};

        let of_all = |key: &&str| matches!(*key, "version" | "command");
        let required = schema["required"].take();
        let own: Vec<&str> = required
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let own: Vec<&str> = own.into_iter().filter(|key| !of_all(key)).collect();
        let mut keys = schema["properties"].clone();
        let entry = keys.as_object_mut().expect("an object");
        entry.retain(|key, _| !of_all(&key.as_str()));
        entry.insert(
            "environments".to_owned(),
            json!({ "type": "array", "items": { "type": "string" }, "description": "The environments with this answer." }),
        );
        let needed: Vec<&str> = own.iter().copied().chain(["environments"]).collect();
        schema["properties"]["environments"] = json!({
            "type": "array",
            "items": { "type": "object", "properties": keys, "required": needed },
            "description": "The answers, if several environments are asked; the keys of an answer are in its entries then.",
        });
        schema["required"] = json!(["version", "command"]);
        schema["anyOf"] = json!([{ "required": own }, { "required": ["environments"] }]);
    }

    #[test]
    fn schemas_are_those_of_the_types() {
        assert_eq!(OUTPUTS.len(), TYPES.len());
        for (output, (name, schema)) in OUTPUTS.iter().zip(TYPES) {
            assert_eq!(output.name, *name);
            let mut schema = schema().to_value();
            if FOR_ENVIRONMENTS.contains(name) {
                for_environments(&mut schema);
            }
            schema["title"] = format!("`{}`", output.line).into();
            schema["description"] = output.about.into();
            schema["$id"] = format!(
                "{}/schemas/{name}-v{VERSION}.json",
                env!("CARGO_PKG_REPOSITORY")
            )
            .into();
            let text = format!("{schema:#}\n");
            assert_written(&format!("src/cli/json/schemas/{name}.json"), &text);
        }
    }

    #[test]
    fn a_type_is_the_same_in_every_output() {
        let mut all: BTreeMap<String, serde_json::Value> = BTreeMap::new();
        for output in OUTPUTS {
            let schema = output.parsed_schema();
            let defined = schema
                .get("$defs")
                .and_then(serde_json::Value::as_object)
                .into_iter()
                .flatten();
            for (name, schema) in defined {
                let known = all.entry(name.clone()).or_insert_with(|| schema.clone());
                assert_eq!(known, schema, "{name} in {}", output.name);
            }
        }
    }

    #[test]
    fn every_key_says_what_it_is() {
        for output in OUTPUTS {
            let schema = output.parsed_schema();
            let types = schema
                .get("$defs")
                .and_then(serde_json::Value::as_object)
                .into_iter()
                .flatten();
            for (name, schema) in types {
                let keys = schema
                    .get("properties")
                    .and_then(serde_json::Value::as_object)
                    .into_iter()
                    .flatten();
                for (key, schema) in keys {
                    assert!(
                        schema.get("description").is_some(),
                        "{name}.{key} in {}",
                        output.name
                    );
                }
            }
        }
    }
}
