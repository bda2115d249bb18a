//! Whatever is accepted can be read, and is still accepted when written back.

use crate::release::CURRENT;
use proptest::prelude::*;
use serde_json::Map;

use crate::document::documents;
use promgen_text::source::FileId;
use promgen_text::yaml;
use promgen_text::yaml::read::read as parse;

use crate::schema::tests::*;

/// Choices, made from random bytes; all zero when they run out, so that documents end.
struct Choices<'b>(std::slice::Iter<'b, u8>);

impl Choices<'_> {
    fn below(&mut self, n: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % n
    }

    fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }
}

/// Texts that are right for some fields and wrong for others.
const TEXTS: &[&str] = &[
    "",
    "a",
    "30s",
    "1Gi",
    "0",
    "500MB",
    "http://a/b",
    "https://a",
    "2026-08-01T12:00:00Z",
    "Topology",
    "topology",
    "RollingUpdate",
    "é😀",
];

/// A value that most likely fits a schema.
fn value(root: &Value, schema: &Value, choices: &mut Choices<'_>, depth: usize) -> Value {
    let schema = match schema["$ref"]
        .as_str()
        .and_then(|r| r.strip_prefix("#/$defs/"))
    {
        Some(name) => &root["$defs"][name],
        None => schema,
    };
    if choices.below(64) == 63 {
        return anything(choices);
    }
    if let Some(values) = schema["enum"].as_array() {
        return choices.pick(values).clone();
    }
    let dialect = &schema["x-promgen-dialect"];
    if dialect.is_object() && choices.below(2) == 1 {
        return value(root, &dialect["schema"], choices, depth);
    }
    match schema["type"].as_str() {
        Some("object") if schema["properties"].is_object() => object(root, schema, choices, depth),
        Some("object") => {
            let keys = ["a", "b"].iter().take(choices.below(3));
            keys.map(|k| {
                (
                    (*k).to_owned(),
                    value(root, &schema["additionalProperties"], choices, depth + 1),
                )
            })
            .collect()
        }
        Some("array") => (0..choices.below(3))
            .map(|_| value(root, &schema["items"], choices, depth + 1))
            .collect(),
        Some("string") => (*choices.pick(TEXTS)).into(),
        Some("integer") => (*choices.pick(&[0, 1, 3, 60, 100_000, -1])).into(),
        Some("boolean") => (choices.below(2) == 1).into(),
        _ if choices.below(2) == 1 => 8080.into(),
        _ => "1Gi".into(),
    }
}

fn object(root: &Value, schema: &Value, choices: &mut Choices<'_>, depth: usize) -> Value {
    let required = schema["required"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let mut map = Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let wanted = required.iter().any(|r| r == name) || (depth < 8 && choices.below(8) == 1);
        if wanted {
            map.insert(name.clone(), value(root, property, choices, depth + 1));
        }
    }
    map.into()
}

fn anything(choices: &mut Choices<'_>) -> Value {
    [
        json!(null),
        json!(true),
        json!(7),
        json!(1.5),
        json!("x"),
        json!([]),
        json!({}),
        json!([1, {"a": "b"}]),
    ][choices.below(8)]
    .clone()
}

fn through<T: Resource + yaml::encode::Encode>(node: &Node) -> yaml::Value {
    yaml::to_value(&yaml::decode::<T>(node).unwrap())
}

/// Reads an accepted document and writes it back. `None` for kinds without types.
fn rewritten(kind: Kind, node: &Node) -> Option<yaml::Value> {
    let through: fn(&Node) -> yaml::Value = match kind {
        Kind::Prometheus => through::<Prometheus>,
        Kind::PrometheusAgent => through::<PrometheusAgent>,
        Kind::Alertmanager => through::<Alertmanager>,
        Kind::ThanosRuler => through::<ThanosRuler>,
        Kind::AlertmanagerConfig => through::<AlertmanagerConfig>,
        Kind::ServiceMonitor => through::<ServiceMonitor>,
        Kind::PodMonitor => through::<PodMonitor>,
        Kind::Probe => through::<Probe>,
        Kind::ScrapeConfig => through::<ScrapeConfig>,
        Kind::PrometheusRule => through::<PrometheusRule>,
        _ => return None,
    };
    Some(through(node))
}

/// Checks a text of one document; what it holds, if it is accepted, as it is written back.
fn accepted(text: &str, kind: Kind) -> Option<yaml::Value> {
    let mut sink = Sink::default();
    let documents = documents(parse(FileId::new(0), text, &mut sink), "default", &mut sink);
    let [document] = &documents[..] else {
        return None;
    };
    validate(
        &document.node,
        kind,
        &CURRENT.version,
        document.id,
        &mut sink,
    )
    .then(|| rewritten(kind, &document.node))
    .flatten()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, max_shrink_iters: 200, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn what_is_accepted_is_read_and_accepted_again(which in 0..kinds().count(), bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let kind = kinds().nth(which).unwrap();
        let schema = of_operator(kind).unwrap();
        let mut choices = Choices(bytes.iter());
        let mut document = json!({ "apiVersion": kind.api_version(), "kind": kind.as_str(), "metadata": { "name": "a" } });
        document["spec"] = value(&schema, &schema["properties"]["spec"], &mut choices, 0);
        if let Some(written) = accepted(&document.to_string(), kind) {
            let yaml::Value::Map(mut map) = written.clone() else { panic!("a map") };
            map.push("apiVersion", kind.api_version());
            map.push("kind", kind.as_str());
            let text = yaml::emit::to_string(&map.into(), yaml::emit::Dialect::Sigs);
            prop_assert_eq!(accepted(&text, kind), Some(written), "{}", text);
        }
    }
}
