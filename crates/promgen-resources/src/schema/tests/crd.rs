//! Field by field: our schemas say what the CRDs say.

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
    (".metadata", "the CRD leaves it to the API server; we check it ourselves"),
    ("", "apiVersion, kind and metadata are required of every object"),
];

fn resolve<'v>(root: &'v Value, schema: &'v Value) -> Value {
    let Some(name) = schema["$ref"].as_str().and_then(|r| r.strip_prefix("#/$defs/")) else { return schema.clone() };
    let mut resolved = root["$defs"][name].as_object().cloned().unwrap_or_default();
    resolved.extend(
        schema.as_object().into_iter().flatten().filter(|(k, _)| *k != "$ref").map(|(k, v)| (k.clone(), v.clone())),
    );
    Value::Object(resolved)
}

fn names(value: &Value) -> SortedSet<&str> {
    match value {
        Value::Object(map) => map.keys().map(String::as_str).collect(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => SortedSet::new(),
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
            self.differences.push(format!("{path} {what}: ours {ours}, the CRD's {theirs}"));
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
            self.schema(&format!("{path}.{name}"), &ours["properties"][name], &theirs["properties"][name]);
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
        let theirs = if theirs == "atomic" { &Value::Null } else { theirs };
        self.same(path, "x-kubernetes-list-type", &ours["x-kubernetes-list-type"], theirs);
    }
}

/// The description of a kind in the text of a CRD.
fn description_in(text: &str, kind: Kind) -> Value {
    description_of(text, kind.api_version().split_once('/').unwrap().1)
}

/// The description of a version in the text of a CRD.
fn description_of(text: &str, version: &str) -> Value {
    let crd = serde_yaml::Deserializer::from_str(text).next().map(|d| Value::deserialize(d).unwrap()).unwrap();
    let versions = crd["spec"]["versions"].as_array().unwrap();
    versions.iter().find(|v| v["name"] == version).unwrap()["schema"]["openAPIV3Schema"].clone()
}

fn plural(kind: Kind) -> String {
    match kind {
        Kind::Prometheus => "prometheuses".to_owned(),
        _ => format!("{}s", kind.as_str().to_lowercase()),
    }
}

/// The custom resources of all minor releases, by release and plural.
fn definitions() -> Option<tempfile::TempDir> {
    let archive = shared("crds/releases.tar.xz")?;
    let folder = tempfile::TempDir::new().unwrap();
    let done = std::process::Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(folder.path()).status();
    let is_done = done.is_ok_and(|status| status.success());
    if !is_done {
        println!("skipped: `tar` does not take {} apart", archive.display());
    }
    is_done.then_some(folder)
}

/// The description of a kind in a release. `None` for a patch release, and for a kind that it does not have.
fn defined(folder: &tempfile::TempDir, release: &Release, kind: Kind) -> Option<Value> {
    let path = folder.path().join(release.operator).join(format!("{}.yaml", plural(kind)));
    path.is_file().then(|| description_in(&read(&path), kind))
}

#[test]
fn our_schemas_are_those_of_the_newest_crds() {
    let Some(folder) = definitions() else { return };
    for kind in kinds() {
        let theirs = RELEASES.iter().rev().find_map(|release| defined(&folder, release, kind)).unwrap();
        let ours = of_operator(kind).unwrap();
        let mut comparison = Comparison { root: &ours, differences: Vec::new(), fields: 0 };
        comparison.schema("", &ours, &theirs);
        println!("{}: {} schemas compared", kind.as_str(), comparison.fields);
        assert!(comparison.differences.is_empty(), "{}:\n{}", kind.as_str(), comparison.differences.join("\n"));
    }
}

#[test]
fn the_schemas_of_older_releases_are_those_of_their_crds() {
    let Some(folder) = definitions() else { return };
    let (mut n_compared, mut found) = (0, Vec::new());
    for release in RELEASES {
        for kind in kinds() {
            let Some(mut theirs) = defined(&folder, release, kind) else { continue };
            let mut ours = of_operator(kind).unwrap();
            as_of::restrict(&mut ours, kind, &release.version);
            // Controllers write it, and nothing checks it in a manifest.
            for schema in [&mut ours, &mut theirs] {
                schema["properties"].as_object_mut().unwrap().remove("status");
                schema.as_object_mut().unwrap().remove("required");
            }
            let mut comparison = Comparison { root: &ours, differences: Vec::new(), fields: 0 };
            comparison.schema("", &ours, &theirs);
            let name = format!("{} {}", release.operator, kind.as_str());
            found.extend(comparison.differences.into_iter().map(|difference| format!("{name} {difference}")));
            n_compared += 1;
        }
    }
    println!("{n_compared} schemas compared");
    // A list of values came in the place of a length, of which the rows then know nothing.
    found.retain(|difference| !difference.contains(".opsgenieConfigs[].responders[].type minLength: ours null"));
    assert!(found.is_empty(), "{}\n{}", found.len(), found.join("\n"));
    assert!(n_compared >= 160, "{n_compared} schemas compared");
}

/// What v1beta1 says otherwise than the stored version, in the form of the rows.
fn differences(path: &str, stored: &Value, beta: &Value, rows: &mut Vec<String>) {
    let list_type =
        |schema: &Value| schema["x-kubernetes-list-type"].as_str().filter(|t| *t != "atomic").map(str::to_owned);
    for keyword in ["minLength", "minItems"] {
        if stored[keyword] != beta[keyword] {
            rows.push(format!("{path} {keyword} {}", beta[keyword]));
        }
    }
    if list_type(stored) != list_type(beta) {
        assert_eq!(list_type(beta), None, "{path}");
        rows.push(format!("{path} list-type null"));
    }
    let fields = |schema: &Value| schema["properties"].as_object().cloned().unwrap_or_default();
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    for (name, beta_field) in fields(beta) {
        // The API server converts it.
        let stored_name = if below(&name) == "spec.timeIntervals" { "muteTimeIntervals" } else { &name };
        let is_required = |schema: &Value, name: &str| names(&schema["required"]).contains(name);
        if is_required(stored, stored_name) != is_required(beta, &name) {
            rows.push(format!("{} required {}", below(stored_name), is_required(beta, &name)));
        }
        differences(&below(stored_name), &stored["properties"][stored_name], &beta_field, rows);
    }
    if beta["items"].is_object() {
        differences(&format!("{path}[]"), &stored["items"], &beta["items"], rows);
    }
}

/// The rows of v1beta1 are those of the newest custom resource. `UPDATE_FIELDS=1` rewrites them.
#[test]
fn the_rows_of_v1beta1_are_those_of_the_crds() {
    let Some(folder) = definitions() else { return };
    let texts =
        RELEASES.iter().rev().map(|release| folder.path().join(release.operator).join("alertmanagerconfigs.yaml"));
    let text = read(&texts.into_iter().find(|path| path.is_file()).unwrap());
    let mut rows = Vec::new();
    differences("", &description_of(&text, "v1alpha1"), &description_of(&text, "v1beta1"), &mut rows);
    rows.sort_unstable();
    let text = format!("{BETA_HEAD}{}\n", rows.join("\n"));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/release/beta.txt");
    if std::env::var_os("UPDATE_FIELDS").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    assert!(read(&file) == text, "{} differs: run with UPDATE_FIELDS=1", file.display());
}

const BETA_HEAD: &str = "\
# What the schema of an AlertmanagerConfig of v1beta1 says otherwise than that of the stored version, as `path keyword value`, by
# the names of the stored version. `UPDATE_FIELDS=1 cargo test -p promgen-resources -- the_rows_of_v1beta1` derives it.
";
