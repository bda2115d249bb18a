//! Field by field: our schemas say what the table of facts says, and the table what the CRDs say.

use crate::facts::types::FactTypes;
use crate::facts::{FactTable, WHOLE};
use crate::schema::tests::*;

/// Keywords that have to be equal. `default`, `required`, `properties`, `items` and `additionalProperties` are
/// compared too, each in its own way.
const KEYWORDS: &[&str] = &[
    "type",
    "format",
    "enum",
    "pattern",
    "minimum",
    "maximum",
    "minLength",
    "minItems",
    "anyOf",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-validations",
];

/// Where we differ on purpose: a path (`*` for any start) and why.
const DELIBERATE: &[(&str, &str)] = &[
    (".apiVersion", "we name the one version as a constant"),
    (".kind", "we name the one kind as a constant"),
    (
        ".metadata",
        "the CRD leaves it to the API server; we check it ourselves",
    ),
    (
        "",
        "apiVersion, kind and metadata are required of every object",
    ),
];

fn resolve<'v>(root: &'v Value, schema: &'v Value) -> Value {
    let Some(name) = schema["$ref"]
        .as_str()
        .and_then(|r| r.strip_prefix("#/$defs/"))
    else {
        return schema.clone();
    };
    let mut resolved = root["$defs"][name].as_object().cloned().unwrap_or_default();
    resolved.extend(
        schema
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(k, _)| *k != "$ref")
            .map(|(k, v)| (k.clone(), v.clone())),
    );
    Value::Object(resolved)
}

fn names(value: &Value) -> BTreeSet<&str> {
    match value {
        Value::Object(map) => map.keys().map(String::as_str).collect(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => BTreeSet::new(),
    }
}

struct Comparison<'r> {
    root: &'r Value,
    differences: Vec<String>,
    fields: usize,
}

impl Comparison<'_> {
    fn same(&mut self, path: &str, what: &str, ours: &Value, theirs: &Value) {
        let deliberate = DELIBERATE.iter().any(|(p, _)| *p == path);
        if ours != theirs && !deliberate {
            self.differences
                .push(format!("{path} {what}: ours {ours}, the CRD's {theirs}"));
        }
    }

    fn schema(&mut self, path: &str, ours: &Value, theirs: &Value) {
        let ours = resolve(self.root, ours);
        self.fields += 1;
        for keyword in KEYWORDS {
            // A length says nothing beside the list of all allowed texts.
            if !(*keyword == "minLength" && theirs["enum"].is_array()) {
                self.same(path, keyword, &ours[*keyword], &theirs[*keyword]);
            }
        }
        self.list_type(path, &ours, theirs);
        self.same(path, "default", &ours["default"], &theirs["default"]);
        let (required, wanted) = (names(&ours["required"]), names(&theirs["required"]));
        self.same(path, "required", &json!(required), &json!(wanted));
        if path == ".metadata" {
            return;
        }
        let (properties, wanted) = (names(&ours["properties"]), names(&theirs["properties"]));
        self.same(path, "properties", &json!(properties), &json!(wanted));
        for name in properties.intersection(&wanted) {
            self.schema(
                &format!("{path}.{name}"),
                &ours["properties"][name],
                &theirs["properties"][name],
            );
        }
        for (keyword, step) in [("items", "[]"), ("additionalProperties", "{}")] {
            if theirs[keyword].is_object() {
                self.schema(&format!("{path}{step}"), &ours[keyword], &theirs[keyword]);
            } else {
                self.same(path, keyword, &ours[keyword], &theirs[keyword]);
            }
        }
    }

    /// `atomic` says how patches merge, which is not our business.
    fn list_type(&mut self, path: &str, ours: &Value, theirs: &Value) {
        let theirs = &theirs["x-kubernetes-list-type"];
        let theirs = if theirs == "atomic" {
            &Value::Null
        } else {
            theirs
        };
        self.same(
            path,
            "x-kubernetes-list-type",
            &ours["x-kubernetes-list-type"],
            theirs,
        );
    }
}

/// The description of a kind in the text of a CRD.
fn description_in(text: &str, kind: Kind) -> Value {
    description_of(text, kind.api_version().split_once('/').unwrap().1)
}

/// The description of a version in the text of a CRD.
fn description_of(text: &str, version: &str) -> Value {
    let crd = serde_yaml::Deserializer::from_str(text)
        .next()
        .map(|d| Value::deserialize(d).unwrap())
        .unwrap();
    let versions = crd["spec"]["versions"].as_array().unwrap();
    versions.iter().find(|v| v["name"] == version).unwrap()["schema"]["openAPIV3Schema"].clone()
}

fn plural(kind: Kind) -> String {
    match kind {
        Kind::Prometheus => "prometheuses".to_owned(),
        _ => format!("{}s", kind.as_str().to_lowercase()),
    }
}

/// The custom resources of the releases beside the project, by release and plural.
fn definitions() -> tempfile::TempDir {
    let folder = tempfile::TempDir::new().unwrap();
    for archive in ["crds/releases.tar.xz", "crds/patch-releases.tar.xz"] {
        let archive = shared(archive);
        let done = std::process::Command::new("tar")
            .arg("-xf")
            .arg(&archive)
            .arg("-C")
            .arg(folder.path())
            .status();
        assert!(
            done.is_ok_and(|status| status.success()),
            "`tar` does not take {} apart",
            archive.display()
        );
    }
    folder
}

/// The description of a kind in a release. `None` for a release that is not there.
fn defined(folder: &tempfile::TempDir, release: &Release, kind: Kind) -> Option<Value> {
    let path = folder
        .path()
        .join(release.operator)
        .join(format!("{}.yaml", plural(kind)));
    path.is_file().then(|| description_in(&read(&path), kind))
}

/// Controllers write the status, and nothing checks it in a manifest.
fn without_status(mut schema: Value) -> Value {
    schema["properties"]
        .as_object_mut()
        .unwrap()
        .remove("status");
    schema.as_object_mut().unwrap().remove("required");
    schema
}

/// What the schema of a kind in a release says otherwise than another one, each difference with its place.
fn compared(name: &str, ours: &Value, theirs: &Value) -> Vec<String> {
    let mut comparison = Comparison {
        root: ours,
        differences: Vec::new(),
        fields: 0,
    };
    comparison.schema("", ours, theirs);
    assert!(comparison.fields > 20, "{name}: {}", comparison.fields);
    comparison
        .differences
        .into_iter()
        .map(|difference| format!("{name} {difference}"))
        .collect()
}

fn table() -> FactTypes<'static> {
    FactTable::read(WHOLE).unwrap().types
}

#[test]
fn our_schemas_are_those_of_the_table() {
    let table = table();
    let differences = kinds().flat_map(|kind| {
        compared(
            kind.as_str(),
            &of_operator(kind).unwrap(),
            &table.schema(kind.as_str()).unwrap(),
        )
    });
    let differences: Vec<String> = differences.collect();
    assert!(
        differences.is_empty(),
        "{}\n{}",
        differences.len(),
        differences.join("\n")
    );
}

/// The schemas of older releases, as ours refer to definitions and those of the table do not.
#[test]
fn our_schemas_of_older_releases_are_those_of_the_table() {
    let table = table();
    let mut found = Vec::new();
    for release in RELEASES.iter().step_by(5) {
        for kind in kinds() {
            let (mut ours, mut theirs) = (
                of_operator(kind).unwrap(),
                table.schema(kind.as_str()).unwrap(),
            );
            [&mut ours, &mut theirs]
                .into_iter()
                .for_each(|schema| as_of(schema, kind, &release.version));
            let name = format!("{} {}", release.operator, kind.as_str());
            found.extend(compared(&name, &ours, &theirs));
        }
    }
    // A list of values came in the place of a length, of which our descriptions have one only.
    found.retain(|difference| {
        !difference.contains(".opsgenieConfigs[].responders[].type minLength: ours null")
    });
    assert!(found.is_empty(), "{}\n{}", found.len(), found.join("\n"));
}

#[needs(recordings, tar)]
#[test]
fn the_table_says_what_the_crds_say() {
    let folder = definitions();
    let (table, mut found, mut n_compared) = (table(), Vec::new(), 0);
    for release in RELEASES.iter() {
        for kind in kinds() {
            let Some(theirs) = defined(&folder, release, kind) else {
                continue;
            };
            let mut ours = table.schema(kind.as_str()).unwrap();
            as_of(&mut ours, kind, &release.version);
            let name = format!("{} {}", release.operator, kind.as_str());
            found.extend(compared(
                &name,
                &without_status(ours),
                &without_status(theirs),
            ));
            n_compared += 1;
        }
    }
    println!("{n_compared} schemas compared");
    assert!(found.is_empty(), "{}\n{}", found.len(), found.join("\n"));
    assert!(n_compared >= 190, "{n_compared} schemas compared");
}

#[needs(recordings, tar)]
#[test]
fn the_table_says_what_the_crd_of_v1beta1_says() {
    let folder = definitions();
    let paths = RELEASES.iter().rev().map(|release| {
        folder
            .path()
            .join(release.operator)
            .join("alertmanagerconfigs.yaml")
    });
    let theirs = description_of(
        &read(&paths.into_iter().find(|path| path.is_file()).unwrap()),
        "v1beta1",
    );
    let ours = as_of::of_beta(table().schema("AlertmanagerConfig").unwrap());
    let found = compared("v1beta1", &without_status(ours), &without_status(theirs));
    assert!(found.is_empty(), "{}\n{}", found.len(), found.join("\n"));
}
