//! CustomResourceDefinitions that decide: which of them there are, and for which objects.

use promgen_text::diag::Sink;
use promgen_text::route::DocId;
use promgen_text::shared::{Keyed, Shared};
use promgen_text::source::{FileId, Input};
use promgen_text::version::Version;
use promgen_text::yaml::Node;
use promgen_text::yaml::read::read;

use super::{GivenFacts, judge, metadata, structural};
use crate::api::Kind;
use crate::document::{Document, Manifest, Manifests};
use crate::release;

/// The annotation of the operator's CustomResourceDefinitions with the release.
pub const VERSION_ANNOTATION: &str = "operator.prometheus.io/version";

/// A CustomResourceDefinition of a kind of the operator. It is equal to itself only.
#[derive(Clone, Debug)]
struct KindDefinition {
    kind: Kind,
    node: Shared<Node>,
}

/// The CustomResourceDefinitions that say what the API server accepts, the first one of a kind first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Definitions(Vec<KindDefinition>);

impl PartialEq for KindDefinition {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.node.is_same(&other.node)
    }
}

impl KindDefinition {
    fn of(node: &Shared<Node>) -> Option<Self> {
        if node.text_of("kind") != Some("CustomResourceDefinition") {
            return None;
        }
        let text = |keys: &[&str]| node.text_at(keys);
        let (group, name) = (text(&["spec", "group"])?, text(&["spec", "names", "kind"])?);
        let kind = super::kinds().find(|kind| kind.group() == group && kind.as_str() == name)?;
        Some(Self {
            kind,
            node: node.clone(),
        })
    }

    /// The release of the operator that it is of, if it says so.
    fn release(&self) -> Option<Version> {
        let text = self
            .node
            .find(&["metadata", "annotations", VERSION_ANNOTATION])?
            .as_str()?;
        release::parse(text).ok()
    }

    /// Returns whether promgen has all that it says: it is of a release that promgen knows.
    fn is_known(&self) -> bool {
        self.release()
            .is_some_and(|version| !release::is_newer(&version))
    }
}

impl Definitions {
    /// Reads the definitions of texts, whatever else they hold.
    ///
    /// # Errors
    /// What is wrong with the first text that is no YAML, or that there are none.
    pub fn read(inputs: &[Input]) -> Result<Self, String> {
        let mut found = Vec::new();
        for input in inputs {
            let mut sink = Sink::default();
            let text = String::from_utf8_lossy(&input.bytes);
            let documents = read(FileId::new(0), &text, &mut sink);
            if let Some(fault) = sink.diagnostics().first() {
                return Err(format!("{}: {}", input.name, fault.message));
            }
            let roots = documents.into_iter().map(|document| document.root);
            found.extend(
                roots
                    .flat_map(listed)
                    .filter_map(|node| KindDefinition::of(&node)),
            );
        }
        match found.is_empty() {
            true => Err(format!(
                "there is no CustomResourceDefinition of {}",
                Kind::Prometheus.group()
            )),
            false => Ok(Self(found)),
        }
    }

    /// These, and after them those that promgen does not know: among the objects of a run, and for a newer release those of a given
    /// table.
    #[must_use]
    pub fn with_those_of(
        &self,
        manifests: &Manifests,
        operator: &Version,
        facts: Option<&GivenFacts>,
    ) -> Self {
        let is_definition = |object: &Manifest<'_>| object.group == "apiextensions.k8s.io";
        let among = manifests
            .iter()
            .filter(is_definition)
            .filter_map(|object| KindDefinition::of(object.node));
        let given = facts
            .filter(|_| release::is_newer(operator))
            .into_iter()
            .flat_map(|facts| &facts.definitions.0);
        let unknown = among
            .chain(given.cloned())
            .filter(|definition| !definition.is_known());
        Self(self.0.iter().cloned().chain(unknown).collect())
    }

    /// The release of the operator that they are of.
    #[must_use]
    pub fn release(&self) -> Option<Version> {
        self.0.iter().find_map(KindDefinition::release)
    }

    /// The schema that decides about a document. `None`: promgen's own one does. Documents that were converted are no longer as
    /// their definition has them.
    #[must_use]
    pub fn of(&self, document: &Document) -> Option<DefinedSchema> {
        let is_its = |definition: &&KindDefinition| {
            definition.kind == document.kind && !document.is_converted
        };
        let definition = self.0.iter().find(is_its)?;
        let version = document
            .node
            .get("apiVersion")?
            .as_str()?
            .rsplit('/')
            .next()?;
        let schema = definition
            .node
            .derive_for(&version.to_owned(), |node| served(node, version));
        schema.is_some().then_some(DefinedSchema(schema))
    }
}

/// The items of a list of objects, or the object itself.
fn listed(node: Shared<Node>) -> Vec<Shared<Node>> {
    match node
        .get("items")
        .filter(|_| node.text_of("kind") == Some("List"))
    {
        Some(items) => items.items().iter().cloned().map(Shared::new).collect(),
        None => vec![node],
    }
}

/// The schema of a version of a definition.
fn served(definition: &Node, version: &str) -> Option<structural::Schema> {
    let is_asked = |item: &&Node| item.text_of("name") == Some(version);
    let versions = definition.find(&["spec", "versions"])?.items();
    let schema = versions
        .iter()
        .find(is_asked)?
        .find(&["schema", "openAPIV3Schema"])?;
    schema.is_map().then(|| structural::Schema::of(schema))
}

/// The schema of a definition that decides about a document. It is equal to itself only.
#[derive(Clone)]
pub struct DefinedSchema(Keyed<String, Option<structural::Schema>>);

impl PartialEq for DefinedSchema {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq::<Option<structural::Schema>>(&*self.0, &*other.0)
    }
}

/// Checks a document by the schema of a definition. Returns false if the API server refuses it.
#[must_use]
pub fn validate_by(
    schema: &DefinedSchema,
    node: &Node,
    kind: Kind,
    doc: DocId,
    sink: &mut Sink,
) -> bool {
    let fits = schema
        .0
        .as_ref()
        .is_none_or(|schema| judge::document(node, schema, doc, sink));
    let named = metadata::check(node, kind, doc, sink);
    fits && named
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFINITION: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: prometheuses.monitoring.coreos.com, annotations: {operator.prometheus.io/version: 9.0.0}}
spec:
  group: monitoring.coreos.com
  names: {kind: Prometheus}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [speed]
            properties:
              speed: {type: string, enum: [slow, fast]}
              rest: {type: object, x-kubernetes-preserve-unknown-fields: true}
              labels: {type: object, additionalProperties: {type: string, minLength: 2}, maxProperties: 2}
              shards: {type: integer, format: int32, minimum: 2, maximum: 4}
              load: {type: number, maximum: 1}
              port: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}
              name: {type: string, pattern: ^a+$, maxLength: 3}
              items:
                type: array
                maxItems: 3
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [a, b]
                items: {type: object, properties: {a: {type: string}, b: {type: string, default: x}}}
              set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
";

    fn found(spec: &str, definition: &str) -> (Vec<String>, usize) {
        let text = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: a}}\nspec: {spec}\n---\n{definition}"
        );
        let mut sink = Sink::default();
        let manifests =
            Manifests::read(read(FileId::new(0), &text, &mut sink), "default", &mut sink);
        let document = &manifests.documents[0];
        let definitions = Definitions::default().with_those_of(&manifests, &release::LATER, None);
        let schema = definitions.of(document).expect("the definition decides");
        let fits = validate_by(
            &schema,
            &document.node,
            document.kind,
            document.id,
            &mut sink,
        );
        let n_open = sink.unchecked().len();
        let found: Vec<String> = sink
            .into_diagnostics()
            .into_iter()
            .map(|d| format!("{} {}", d.rule.code, d.message))
            .collect();
        assert_eq!(
            fits,
            found.iter().all(|text| text.starts_with("PG010")),
            "{found:?}"
        );
        (found, n_open)
    }

    #[test]
    fn a_definition_decides_what_the_api_server_accepts() {
        for right in [
            "{speed: fast, rest: {a: [1]}, labels: {a: bb}, shards: 3, load: 0.5, port: web, name: aa, set: [a, b]}",
            "{speed: slow, port: 3, items: [{a: a}, {a: a, b: z}], labels: null}",
        ] {
            assert_eq!(found(right, DEFINITION), (vec![], 0), "{right}");
        }
        let wrong = "{sped: fast, speed: quick, shards: 5, load: 2, port: [], name: baaa, set: [a, a], labels: {a: b},
          items: [{a: a}, {a: a, b: x}]}";
        let expected = [
            "PG010 unknown field \"spec.sped\"",
            "PG013 spec.speed: Unsupported value: \"quick\": supported values: \"slow\", \"fast\"",
            "PG016 spec.shards: Invalid value: 5: spec.shards in body should be less than or equal to 4",
            "PG016 spec.load: Invalid value: 2: spec.load in body should be less than or equal to 1",
            "PG011 spec.port: Invalid value: \"array\": spec.port in body must be of type integer,string: \"array\"",
            "PG016 spec.name: Invalid value: \"baaa\": spec.name in body should be at most 3 chars long",
            "PG020 spec.set[1]: Duplicate value: \"a\"",
            "PG016 spec.labels.a: Invalid value: \"b\": spec.labels.a in body should be at least 2 chars long",
            "PG020 spec.items[1]: Duplicate value: {\"a\":\"a\",\"b\":\"x\"}",
        ];
        assert_eq!(
            found(wrong, DEFINITION),
            (expected.map(str::to_owned).to_vec(), 0)
        );
        assert_eq!(
            found("{}", DEFINITION).0,
            ["PG012 spec.speed: Required value"]
        );
    }

    #[test]
    fn what_is_not_understood_is_not_checked() {
        let odd = DEFINITION
            .replace("pattern: ^a+$", "pattern: '(?<'")
            .replace("maximum: 1}", "not: {}}");
        assert_eq!(found("{speed: fast, name: zz, load: 7}", &odd), (vec![], 2));
    }

    #[test]
    fn a_definition_of_a_known_release_leaves_the_decision_to_promgen() {
        let known = DEFINITION.replace("9.0.0", "0.93.1");
        let mut sink = Sink::default();
        let manifests = Manifests::read(
            read(FileId::new(0), &known, &mut sink),
            "default",
            &mut sink,
        );
        assert_eq!(
            Definitions::default().with_those_of(&manifests, &release::LATER, None),
            Definitions::default()
        );
        let given = Definitions::read(&[Input::new("crd.yaml", known)]).unwrap();
        assert_eq!(given.release(), release::parse("v0.93.1").ok());
        assert!(
            Definitions::read(&[Input::new("a.yaml", "a: 1")])
                .unwrap_err()
                .contains("monitoring.coreos.com")
        );
    }
}
