//! CustomResourceDefinitions in the input: they say what a release has that promgen does not know.

use promgen_text::diag::{Diagnostic, Place, Sink, Unchecked};
use promgen_text::route::{At, Segment, ValueRoute};
use promgen_text::suggest;
use promgen_text::yaml::{Data, Node};

use super::scalar::unsupported;
use super::walk::UNKNOWN_FIELD;
use crate::api::Kind;
use crate::document::{self, Manifests};

/// A part of a schema that takes anything.
const PRESERVES: &str = "x-kubernetes-preserve-unknown-fields";

/// How many fields of objects and definitions are looked at in all, to find those that promgen does not know. What is beyond it
/// stays open.
const MAX_STEPS: usize = 1 << 23;

/// Checks by CustomResourceDefinitions what was left open, as far as the input has them. The rest stays open.
pub fn check_unchecked(manifests: &Manifests, sink: &mut Sink) {
    let unchecked = sink.take_unchecked();
    if unchecked.is_empty() {
        return;
    }
    let definitions: Vec<&Node> = manifests
        .iter()
        .filter(|object| object.kind == "CustomResourceDefinition" && object.group == "apiextensions.k8s.io")
        .map(|object| &**object.node)
        .collect();
    let mut judge = Judge { left: MAX_STEPS };
    for Unchecked { noun, at } in unchecked {
        let document = document::find(&manifests.documents, at.doc);
        let schema = document.and_then(|document| {
            let version = document.node.get("apiVersion")?.as_str()?.rsplit('/').next()?;
            definitions.iter().find_map(|definition| schema(definition, document.kind, version))
        });
        let mut found = Vec::new();
        let judged =
            document.zip(schema).and_then(|(document, schema)| judge.value(&at, &document.node, schema, &mut found));
        match judged {
            Some(()) => found.into_iter().for_each(|finding| sink.report(finding)),
            None => sink.leave_unchecked(noun, at),
        }
    }
}

/// The schema that a definition has for a version of a kind.
fn schema<'n>(definition: &'n Node, kind: Kind, version: &str) -> Option<&'n Node> {
    let spec = definition.get("spec")?;
    let text = |keys: &[&str]| spec.find(keys).and_then(Node::as_str);
    if text(&["group"]) != Some(kind.group()) || text(&["names", "kind"]) != Some(kind.as_str()) {
        return None;
    }
    let is_asked = |item: &&Node| item.get("name").and_then(Node::as_str) == Some(version);
    spec.get("versions")?.items().iter().find(is_asked)?.find(&["schema", "openAPIV3Schema"])
}

/// What a schema says of a key.
enum Below<'n> {
    /// The schema of its value.
    Schema(&'n Node),
    /// Anything goes.
    Open,
    /// There is no such key.
    Nothing,
}

/// Judges values by schemas, up to a number of steps. `None` of its functions: that is exceeded.
struct Judge {
    left: usize,
}

impl Judge {
    fn take(&mut self, n: usize) -> Option<()> {
        self.left = self.left.checked_sub(n + 1)?;
        Some(())
    }

    fn below<'n>(&mut self, schema: &'n Node, segment: &Segment) -> Option<Below<'n>> {
        let is_true = |node: Option<&Node>| node.is_some_and(|node| node.data == Data::Bool(true));
        let found = match segment {
            Segment::Key(key) => {
                let fields = schema.get("properties");
                self.take(fields.map_or(0, |fields| fields.entries().len()))?;
                let named = fields.and_then(|fields| fields.get(key));
                named.or_else(|| schema.get("additionalProperties").filter(|other| matches!(other.data, Data::Map(_))))
            }
            Segment::Index(_) => schema.get("items"),
        };
        Some(match found {
            Some(found) => Below::Schema(found),
            // A part that says nothing of its fields takes any.
            None if is_true(schema.get(PRESERVES)) || is_true(schema.get("additionalProperties")) => Below::Open,
            None if schema.get("properties").is_none() && schema.get("items").is_none() => Below::Open,
            None => Below::Nothing,
        })
    }

    /// Judges a value of which promgen knows nothing by the schema of its document.
    fn value(&mut self, at: &At, root: &Node, schema: &Node, found: &mut Vec<Diagnostic>) -> Option<()> {
        let (mut node, mut schema) = (root, schema);
        for (index, segment) in at.route.0.iter().enumerate() {
            match self.below(schema, segment)? {
                Below::Schema(next) => schema = next,
                Below::Open => return Some(()),
                Below::Nothing => {
                    let route = ValueRoute(at.route.0[..=index].to_vec());
                    found.push(unknown(At { doc: at.doc, route }, schema));
                    return Some(());
                }
            }
            self.take(node.entries().len())?;
            let next = match segment {
                Segment::Key(key) => node.get(key),
                Segment::Index(index) => node.items().get(*index),
            };
            let Some(next) = next else { return Some(()) };
            node = next;
        }
        self.walk(at, node, schema, found)
    }

    fn walk(&mut self, at: &At, node: &Node, schema: &Node, found: &mut Vec<Diagnostic>) -> Option<()> {
        match &node.data {
            Data::Map(entries) => entries.iter().try_for_each(|entry| {
                let at = at.clone().key(entry.key.to_string());
                match self.below(schema, &Segment::Key(entry.key.to_string().into()))? {
                    Below::Schema(schema) => self.walk(&at, &entry.value, schema, found)?,
                    Below::Open => {}
                    Below::Nothing => found.push(unknown(at, schema)),
                }
                Some(())
            }),
            Data::Seq(items) => {
                let Some(schema) = schema.get("items") else { return Some(()) };
                items.iter().enumerate().try_for_each(|(index, item)| {
                    self.take(0)?;
                    self.walk(&at.clone().index(index), item, schema, found)
                })
            }
            Data::String(text) => {
                let values = schema.get("enum").map_or(&[][..], Node::items);
                self.take(values.len())?;
                let values: Vec<&str> = values.iter().filter_map(Node::as_str).collect();
                if !values.is_empty() && !values.contains(&&**text) {
                    found.push(unsupported(text, &values, at));
                }
                Some(())
            }
            _ => Some(()),
        }
    }
}

fn unknown(at: At, schema: &Node) -> Diagnostic {
    let name = at.route.0.last().and_then(Segment::key).unwrap_or_default().to_owned();
    let fields = schema.get("properties").map_or(&[][..], Node::entries);
    let meant = suggest::closest(&name, fields.iter().map(|field| &*field.key));
    let message = format!("unknown field \"{}\"", at.route);
    let finding = Diagnostic::new(&UNKNOWN_FIELD, Place::Key(at), message);
    match meant {
        Some(meant) => finding.help(format!("did you mean \"{meant}\"?")),
        None => finding,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release;
    use promgen_text::source::FileId;

    const DEFINITION: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: prometheuses.monitoring.coreos.com}
spec:
  group: monitoring.coreos.com
  names: {kind: Prometheus}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          spec:
            properties:
              future: {type: object, properties: {speed: {type: string, enum: [slow, fast]}, rest: {x-kubernetes-preserve-unknown-fields: true}}}
              labels: {type: object, additionalProperties: {type: string}}
              logLevel: {type: string, enum: [debug, silent]}
";

    fn found(spec: &str, definition: &str) -> (Vec<String>, usize) {
        let text = format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: a}}\nspec: {spec}\n---\n{definition}"
        );
        let mut sink = Sink::default();
        let parsed = promgen_text::yaml::read::read(FileId::new(0), &text, &mut sink);
        let manifests = Manifests::read(parsed, "default", &mut sink);
        let document = &manifests.documents[0];
        let _ = super::super::validate(&document.node, document.kind, &release::LATER, document.id, &mut sink);
        check_unchecked(&manifests, &mut sink);
        let n_open = sink.unchecked().len();
        (sink.into_diagnostics().into_iter().map(|d| format!("{} {}", d.rule.code, d.message)).collect(), n_open)
    }

    #[test]
    fn a_definition_decides_what_promgen_does_not_know() {
        assert_eq!(found("{future: {speed: fast}, nothing: 1}", ""), (vec![], 2));
        let ok = "{future: {speed: fast, rest: {a: [1]}}, labels: {a: b}, logLevel: silent}";
        assert_eq!(found(ok, DEFINITION), (vec![], 0));
        let wrong = "{future: {sped: fast, speed: quick}, nothing: 1, logLevel: loud}";
        let expected = [
            "PG010 unknown field \"spec.future.sped\"",
            "PG013 spec.future.speed: Unsupported value: \"quick\": supported values: \"slow\", \"fast\"",
            "PG010 unknown field \"spec.nothing\"",
            "PG013 spec.logLevel: Unsupported value: \"loud\": supported values: \"debug\", \"silent\"",
        ];
        assert_eq!(found(wrong, DEFINITION), (expected.map(str::to_owned).to_vec(), 0));
    }
}
