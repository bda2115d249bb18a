//! One document of the output, and how it is written.
//!
//! In: a workload and the part of it to write. Out: YAML or JSON on a writer. A configuration Secret is written in two
//! steps, first its shell, then the configuration, copied piece by piece around its placeholders.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::output::generated::{ANNOTATION, COMMENT, NO_UID};
use crate::output::json::{AsJson, serialize_entries};
use crate::output::normal::{SharedOutput, SharedServices, applicable};
use crate::output::{
    AnswerHead, Config, Emission, Expandable, Format, Output, OutputObject, Part, Payload,
    ResourceStatus, ShardConfig, Workload, size,
};
use crate::sharding::plan::Shard;
use promgen_text::diag::escape;
use promgen_text::yaml::emit::{self, Dialect};
use promgen_text::yaml::{Map, Value};

/// A unit of output: one document or one file.
#[derive(Clone, Copy, Debug)]
pub enum OutputDocument<'o> {
    /// An object that the operator would create, as the operator hands it to its client.
    Object(&'o Workload, &'o OutputObject),
    /// An object of a workload, as it can be applied.
    Applied(&'o Workload, &'o OutputObject),
    /// An object that several workloads share.
    Shared(&'o Value),
    /// The custom resource with its expected status.
    Resource(&'o Workload),
    /// The expected status, with the identity of the custom resource.
    Status(&'o Workload),
    /// A resource that workloads select, with its expected status.
    Selected(&'o ResourceStatus),
    /// The configuration itself, of one shard or with its placeholders.
    Config(&'o Config, Option<&'o Shard>),
    /// The configuration of the web server.
    WebConfig(&'o str),
    /// A file of rules.
    Rules(&'o str),
    /// The verdicts of the workload on the resources that it selects; JSON in any format.
    Selection(&'o Workload),
    /// The bindings that the operator writes into the status of these resources.
    Bindings(&'o Workload),
    /// The list of the files of a folder, for `kubectl apply -k`.
    Kustomization(&'o [String]),
    /// The error with which the operator stops.
    Error(&'o str),
}

impl<'o> OutputDocument<'o> {
    /// Writes it as a file of its own.
    ///
    /// # Errors
    /// The error of the writer.
    pub fn write(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        match *self {
            OutputDocument::Config(config, Some(shard)) => config
                .texts()
                .try_for_each(|text| write!(out, "{}", Expandable::new(text).into_shard(shard))),
            OutputDocument::Config(config, None) => config
                .texts()
                .try_for_each(|text| out.write_all(text.as_bytes())),
            OutputDocument::WebConfig(text) | OutputDocument::Rules(text) => {
                out.write_all(text.as_bytes())
            }
            OutputDocument::Selection(workload) => {
                escape::write_json(&AsJson(&workload.selected.to_value()), out)
            }
            OutputDocument::Bindings(workload) => {
                print_values(&workload.selected.bindings(&workload.id), format, out)
            }
            OutputDocument::Error(text) => writeln!(out, "{text}"),
            OutputDocument::Kustomization(paths) => print_kustomization(paths, out),
            _ => match format {
                Format::Yaml => YamlPrinter::default().print(self, out),
                Format::Json | Format::Answer(_) => escape::write_json_manifest(&Single(self), out),
            },
        }
    }

    /// Returns whether it is a Kubernetes object.
    pub(super) const fn is_object(&self) -> bool {
        matches!(
            self,
            OutputDocument::Object(..)
                | OutputDocument::Applied(..)
                | OutputDocument::Shared(_)
                | OutputDocument::Resource(_)
                | OutputDocument::Selected(_)
        )
    }

    /// Returns whether a file of it carries the mark of generated documents: a comment or an annotation.
    pub(super) const fn carries_mark(&self) -> bool {
        self.is_object()
            || matches!(
                self,
                OutputDocument::Status(_)
                    | OutputDocument::Bindings(_)
                    | OutputDocument::Kustomization(_)
            )
    }

    /// The object without its payload. `None` if it is not an object.
    pub(super) fn shell(&self) -> Option<Cow<'o, Value>> {
        match *self {
            OutputDocument::Object(_, object) => Some(object.value()),
            OutputDocument::Shared(value) => Some(Cow::Borrowed(value)),
            // It says itself where it lives, or lives in none.
            OutputDocument::Applied(_, object) if object.part == Part::Rbac => Some(object.value()),
            OutputDocument::Applied(workload, object) => {
                Some(applicable(object.value(), &workload.id.namespace))
            }
            OutputDocument::Resource(workload) => Some(Cow::Owned(with_status(
                &workload.resource,
                &workload.status,
            ))),
            OutputDocument::Status(workload) => Some(Cow::Owned(status_shell(workload).into())),
            OutputDocument::Selected(selected) => Some(Cow::Owned(with_status(
                &selected.resource,
                &selected.status,
            ))),
            _ => None,
        }
    }

    /// The shard of a StatefulSet or a configuration, if there are several or it is that of a zone.
    fn shard(&self) -> Option<(&'o Workload, &'o Shard)> {
        let (OutputDocument::Object(workload, object) | OutputDocument::Applied(workload, object)) =
            *self
        else {
            return None;
        };
        let index = match object.payload {
            Some(Payload::Shard(index)) => index,
            Some(Payload::Gzip) => return None,
            None => object.file.strip_prefix("statefulset-")?.parse().ok()?,
        };
        let shard = workload
            .plan
            .shards
            .iter()
            .find(|shard| shard.index == index)?;
        (workload.plan.shards.len() > 1 || shard.zone.is_some()).then_some((workload, shard))
    }

    /// The configuration that the object contains. `None` if the operator writes none either.
    pub(super) fn filling(&self) -> Option<ConfigFilling<'o>> {
        let (OutputDocument::Object(workload, object) | OutputDocument::Applied(workload, object)) =
            *self
        else {
            return None;
        };
        let shard = match object.payload? {
            Payload::Gzip => None,
            Payload::Shard(index) => Some(workload.plan.shards.iter().find(|s| s.index == index)?),
        };
        Some(ConfigFilling {
            workload,
            object,
            config: workload.config.as_ref()?,
            shard,
        })
    }
}

/// The comment above the document of a shard: `# Prometheus/shop/main, shard 3 of 9, zone b`.
fn push_shard(out: &mut String, workload: &Workload, shard: &Shard) {
    let zone = shard
        .zone
        .as_deref()
        .map(|zone| format!(", zone {zone}"))
        .unwrap_or_default();
    let line = format!(
        "{}, shard {} of {}{zone}",
        workload.id,
        shard.index,
        workload.plan.shards.len()
    );
    out.push_str("# ");
    out.push_str(&escape::line(&line));
    out.push('\n');
}

/// A custom resource with its status.
fn with_status(resource: &Value, status: &Value) -> Value {
    let mut map = resource.as_map().cloned().unwrap_or_default();
    map.set("status", status.clone());
    map.into()
}

/// The identity and the status of a custom resource.
fn status_shell(workload: &Workload) -> Map {
    let mut map = Map::new();
    map.push_some("apiVersion", workload.resource.get("apiVersion").cloned());
    map.push("kind", workload.id.kind.kind());
    let metadata = Map::new()
        .with("name", workload.id.name.clone())
        .with("namespace", workload.id.namespace.clone());
    map.push("metadata", metadata);
    map.push("status", workload.status.clone());
    map
}

/// A configuration to write into a Secret.
#[derive(Clone, Copy)]
pub(super) struct ConfigFilling<'o> {
    workload: &'o Workload,
    /// The Secret, which may already contain other keys.
    object: &'o OutputObject,
    pub(super) config: &'o Config,
    /// The shard whose Secret it is; none for the operator's own form.
    pub(super) shard: Option<&'o Shard>,
}

impl<'o> ConfigFilling<'o> {
    /// The key of the configuration.
    fn key(self) -> String {
        let stem = self.workload.id.kind.config_stem();
        if self.shard.is_some() {
            format!("{stem}.yaml")
        } else {
            format!("{stem}.yaml.gz")
        }
    }

    /// The map of the Secret that contains it.
    const fn part(self) -> &'static str {
        if self.shard.is_some() {
            "stringData"
        } else {
            "data"
        }
    }

    /// The other keys of that map, which are at the end of the Secret.
    fn beside(self) -> Option<Map> {
        self.object
            .value()
            .get(self.part())
            .and_then(Value::as_map)
            .cloned()
    }

    /// Begins the map, unless it has already begun.
    fn write_header(self, out: &mut dyn Write) -> io::Result<()> {
        if self.beside().is_some() {
            Ok(())
        } else {
            writeln!(out, "{}:", self.part())
        }
    }

    fn gzip_base64(self) -> String {
        BASE64_STANDARD.encode(size::gzip(self.config.text().as_bytes()))
    }
}

/// The documents of the stream, in order, as they can be applied.
pub(super) fn documents<'o>(
    workloads: &'o [Arc<Workload>],
    parts: &'o BTreeSet<Part>,
    shared: &'o SharedServices<'_>,
) -> impl Iterator<Item = OutputDocument<'o>> + Clone {
    workloads.iter().flat_map(move |workload| {
        let objects = move |part: Part| {
            let of_part = workload
                .objects
                .iter()
                .filter(move |object| parts.contains(&part) && object.part == part);
            of_part.filter_map(move |object| applied(workload, object, shared))
        };
        let resource = parts
            .contains(&Part::Status)
            .then_some(OutputDocument::Resource(workload));
        let objects = [Part::Config, Part::Workloads, Part::Rbac, Part::Status]
            .into_iter()
            .flat_map(objects);
        objects.chain(resource)
    })
}

fn applied<'o>(
    workload: &'o Workload,
    object: &'o OutputObject,
    shared: &'o SharedServices<'_>,
) -> Option<OutputDocument<'o>> {
    match shared.place(object, &workload.id.namespace) {
        SharedOutput::Own => Some(OutputDocument::Applied(workload, object)),
        SharedOutput::Merged(value) => Some(OutputDocument::Shared(value)),
        SharedOutput::Elsewhere => None,
    }
}

/// The resources that workloads select, as documents.
fn selected<'o>(
    output: &'o Output,
    emission: &Emission,
) -> impl Iterator<Item = OutputDocument<'o>> + Clone {
    let emitted = emission.parts.contains(&Part::Status);
    output
        .resources
        .iter()
        .filter(move |_| emitted)
        .map(OutputDocument::Selected)
}

/// The number of documents of the stream.
pub(super) fn count(output: &Output, emission: &Emission) -> usize {
    let shared = SharedServices::of(&output.workloads);
    documents(&output.workloads, &emission.parts, &shared)
        .chain(selected(output, emission))
        .count()
}

/// Writes all documents as one stream.
pub(super) fn write_stream(
    output: &Output,
    emission: &Emission,
    out: &mut dyn Write,
) -> io::Result<()> {
    let shared = SharedServices::of(&output.workloads);
    let documents =
        documents(&output.workloads, &emission.parts, &shared).chain(selected(output, emission));
    match emission.format {
        Format::Json => escape::write_json_manifest(&JsonDocuments(None, documents), out),
        Format::Answer(head) => {
            escape::write_json_manifest(&JsonDocuments(Some(head), documents), out)
        }
        Format::Yaml => {
            let mut printer = YamlPrinter {
                names_shards: true,
                ..YamlPrinter::default()
            };
            for (i, document) in documents.enumerate() {
                if i > 0 {
                    out.write_all(b"---\n")?;
                }
                printer.print(&document, out)?;
            }
            Ok(())
        }
    }
}

/// A kustomization that lists files.
fn print_kustomization(paths: &[String], out: &mut dyn Write) -> io::Result<()> {
    let resources: Vec<Value> = paths.iter().map(|path| Value::from(path.clone())).collect();
    let map = Map::new()
        .with("apiVersion", "kustomize.config.k8s.io/v1beta1")
        .with("kind", "Kustomization")
        .with("resources", resources);
    write!(out, "{COMMENT}\n{}", emit::to_string(&map.into(), DIALECT))
}

/// Writes YAML; caches what the Secrets of one workload share.
#[derive(Default)]
struct YamlPrinter<'o> {
    buffer: String,
    /// A comment says which shard a document is of. In a folder, its path does, and its text is the same for any
    /// number.
    names_shards: bool,
    /// The configuration that was printed last, indented as a block of a Secret.
    block: Option<(&'o Config, Expandable<'static>)>,
}

/// Objects keep the conventional order of their keys, so they are written in the dialect that does not sort.
const DIALECT: Dialect = Dialect::YamlV2;

/// The indentation of a key of `stringData`.
const BLOCK_INDENT: &str = "  ";

impl<'o> YamlPrinter<'o> {
    fn print(&mut self, document: &OutputDocument<'o>, out: &mut dyn Write) -> io::Result<()> {
        self.buffer.clear();
        if let Some(shell) = document.shell() {
            self.buffer.push_str(COMMENT);
            self.buffer.push('\n');
            if let Some((workload, shard)) = document.shard().filter(|_| self.names_shards) {
                push_shard(&mut self.buffer, workload, shard);
            }
            emit::write(&mut self.buffer, &shell, DIALECT, 0);
        }
        out.write_all(self.buffer.as_bytes())?;
        document
            .filling()
            .map_or(Ok(()), |filling| self.print_filling(filling, out))
    }

    fn print_filling(&mut self, filling: ConfigFilling<'o>, out: &mut dyn Write) -> io::Result<()> {
        let key = filling.key();
        let Some(shard) = filling.shard else {
            filling.write_header(out)?;
            return writeln!(out, "  {key}: {}", filling.gzip_base64());
        };
        filling.write_header(out)?;
        let block = self.block_of(&key, filling.config);
        let is_plain = shard
            .zone
            .as_deref()
            .is_none_or(|zone| zone.bytes().all(|b| b.is_ascii_graphic()));
        if is_plain
            && block
                .as_str()
                .starts_with(&format!("{BLOCK_INDENT}{key}: |\n"))
        {
            return write!(out, "{}", block.of(shard));
        }
        let text = filling.config.expand(shard).text();
        self.buffer.clear();
        emit::write_text_entry(&mut self.buffer, &key, &text, DIALECT, BLOCK_INDENT.len());
        out.write_all(self.buffer.as_bytes())
    }

    /// The configuration with its placeholders as an entry of `stringData`, made once for all shards: in a literal
    /// block, the text between the placeholders is the same for each.
    fn block_of(&mut self, key: &str, config: &'o Config) -> &Expandable<'static> {
        let known = self
            .block
            .take()
            .filter(|(of, _)| std::ptr::eq(*of, config));
        let block = known.unwrap_or_else(|| {
            let mut block = String::new();
            // The text is big, and is not kept for this. A line of 40 bytes is indented by four more.
            block.reserve_exact(config.expected_length() / 10 * 11);
            if !emit::write_lines_entry(&mut block, key, config.texts(), BLOCK_INDENT.len()) {
                emit::write_text_entry(&mut block, key, config.text(), DIALECT, BLOCK_INDENT.len());
            }
            (config, Expandable::new(block.into()))
        });
        &self.block.insert(block).1
    }
}

/// Several documents: YAML between `---` lines, or a JSON `JsonList`.
fn print_values(values: &[Value], format: Format, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Json | Format::Answer(_) => {
            escape::write_json_manifest(&JsonDocuments(None, values.iter().map(AsJson)), out)
        }
        Format::Yaml => {
            let document =
                |value: &Value| format!("{COMMENT}\n{}", emit::to_string(value, DIALECT));
            let documents: Vec<_> = values.iter().map(document).collect();
            out.write_all(documents.join("---\n").as_bytes())
        }
    }
}

/// Documents as JSON: a list, or the answer of a command.
struct JsonDocuments<I>(Option<AnswerHead>, I);

impl<I: Iterator<Item: Serialize> + Clone> Serialize for JsonDocuments<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(4))?;
        if let Some(head) = self.0 {
            map.serialize_entry("version", &head.version)?;
            map.serialize_entry("command", head.command)?;
        } else {
            map.serialize_entry("apiVersion", "v1")?;
            map.serialize_entry("kind", "List")?;
        }
        // In both, so that a later run knows what it wrote.
        map.serialize_entry("metadata", &AsJson(&marked(Map::new())))?;
        let items = if self.0.is_some() { "objects" } else { "items" };
        map.serialize_entry(items, &ItemSequence(self.1.clone()))?;
        map.end()
    }
}

struct ItemSequence<I>(I);

impl<I: Iterator<Item: Serialize> + Clone> Serialize for ItemSequence<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone())
    }
}

/// An object that is a JSON text of its own, which carries the mark.
struct Single<'d, 'o>(&'d OutputDocument<'o>);

impl Serialize for Single<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut shell = self.0.shell().map(Cow::into_owned);
        if let Some(Value::Map(map)) = &mut shell {
            let metadata = map
                .get("metadata")
                .and_then(Value::as_map)
                .cloned()
                .unwrap_or_default();
            map.set("metadata", marked(metadata));
        }
        serialize_object(shell.as_ref(), self.0.filling(), serializer)
    }
}

impl Serialize for OutputDocument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_object(self.shell().as_deref(), self.filling(), serializer)
    }
}

/// Metadata with the mark among its annotations.
fn marked(mut metadata: Map) -> Value {
    let mut annotations = metadata
        .get("annotations")
        .and_then(Value::as_map)
        .cloned()
        .unwrap_or_default();
    let uid = metadata
        .get("uid")
        .and_then(Value::as_str)
        .filter(|uid| !uid.is_empty())
        .unwrap_or(NO_UID)
        .to_owned();
    annotations.set(ANNOTATION, uid);
    metadata.set("annotations", annotations);
    metadata.into()
}

/// An object with its payload, which replaces the map that contains it.
fn serialize_object<S: Serializer>(
    shell: Option<&Value>,
    filling: Option<ConfigFilling<'_>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut entries = serializer.serialize_map(None)?;
    let part = filling.map(ConfigFilling::part);
    for (key, value) in shell
        .and_then(Value::as_map)
        .into_iter()
        .flat_map(Map::iter)
    {
        if part.is_none_or(|part| key != part) {
            entries.serialize_entry(key, &AsJson(value))?;
        }
    }
    if let Some(filling) = filling {
        entries.serialize_entry(filling.part(), &filling)?;
    }
    entries.end()
}

impl Serialize for ConfigFilling<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut entries = serializer.serialize_map(None)?;
        if let Some(beside) = self.beside() {
            serialize_entries(&beside, &mut entries)?;
        }
        match self.shard {
            Some(shard) => {
                entries.serialize_entry(&self.key(), &Streamed(&self.config.expand(shard)))?
            }
            None => {
                entries.serialize_entry(&self.key(), &AsJson(&Value::from(self.gzip_base64())))?
            }
        }
        entries.end()
    }
}

/// Text that is escaped while it is built.
struct Streamed<'e>(&'e ShardConfig<'e>);

impl Serialize for Streamed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::io::Read as _;

    use flate2::read::GzDecoder;

    use super::*;
    use crate::output::sample;

    const SHARD_1: &str = "shard: 1\n\nzone:\n- b $(POD_NAME)\n";

    fn json(output: &Output, emission: &Emission) -> serde_json::Value {
        let mut bytes = Vec::new();
        output.write_stream(emission, &mut bytes).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    fn as_json(parts: &[Part]) -> Emission {
        let parts: BTreeSet<_> = parts.iter().copied().collect();
        Emission {
            parts,
            format: Format::Json,
            ..Emission::default()
        }
    }

    const ALL: [Part; 3] = [Part::Config, Part::Workloads, Part::Status];

    #[test]
    fn a_list_holds_configurations_then_workloads_then_the_resource() {
        let list = json(&sample::per_shard(), &as_json(&ALL));
        let kinds: Vec<_> = list["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|i| i["kind"].as_str().unwrap())
            .collect();
        assert_eq!(list["kind"], "List");
        assert_eq!(
            kinds,
            [
                "Secret",
                "Secret",
                "StatefulSet",
                "StatefulSet",
                "Prometheus"
            ]
        );
        assert_eq!(list["items"][1]["stringData"]["prometheus.yaml"], SHARD_1);
        assert_eq!(list["items"][4]["status"]["shards"], 2);
    }

    #[test]
    fn only_the_parts_that_are_asked_for_are_written() {
        for (part, kinds) in [
            (Part::Config, "SecretSecret"),
            (Part::Workloads, "StatefulSetStatefulSet"),
        ] {
            let list = json(&sample::per_shard(), &as_json(&[part]));
            let items = list["items"].as_array().unwrap();
            assert_eq!(
                items
                    .iter()
                    .map(|i| i["kind"].as_str().unwrap())
                    .collect::<String>(),
                kinds
            );
        }
    }

    #[test]
    fn the_operators_own_secret_is_compressed_and_the_same_each_time() {
        let data = |output: &Output| {
            json(output, &as_json(&ALL))["items"][0]["data"]["prometheus.yaml.gz"].clone()
        };
        let (output, mut text) = (sample::operator(), String::new());
        let compressed = BASE64_STANDARD
            .decode(data(&output).as_str().unwrap())
            .unwrap();
        GzDecoder::new(compressed.as_slice())
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, output.workloads[0].config.as_ref().unwrap().text());
        assert_eq!(data(&output), data(&sample::operator()));
    }

    fn yaml(output: &Output) -> Vec<serde_json::Value> {
        use serde::Deserialize as _;
        let text = output.to_yaml();
        let documents = serde_yaml::Deserializer::from_str(&text);
        documents
            .map(|document| serde_json::Value::deserialize(document).unwrap())
            .collect()
    }

    #[test]
    fn the_stream_is_the_list_in_another_syntax() {
        for output in [sample::per_shard(), sample::operator()] {
            let list = json(&output, &as_json(&ALL));
            assert_eq!(&yaml(&output), list["items"].as_array().unwrap());
        }
    }

    #[test]
    fn what_does_not_fit_a_literal_block_is_quoted() {
        let mut output = sample::per_shard();
        for (text, zone) in [
            ("a: $(TOPOLOGY_ZONE)\n", " \n\u{1}é"),
            ("\u{7}\t", "z"),
            (" a\n", "z"),
            ("\n\n", "z"),
            ("", "z"),
        ] {
            Arc::make_mut(&mut output.workloads[0]).config =
                Some(Config::of_text(text, Vec::new()));
            Arc::make_mut(&mut output.workloads[0]).plan.shards[0].zone = Some(zone.into());
            let expected = text.replace("$(TOPOLOGY_ZONE)", zone);
            assert_eq!(
                yaml(&output)[0]["stringData"]["prometheus.yaml"],
                expected.as_str(),
                "{text:?} {zone:?}"
            );
        }
    }

    #[test]
    fn a_document_of_the_stream_reads_well() {
        let text = sample::per_shard().to_yaml();
        let secret = text.split("---\n").nth(1).unwrap();
        insta::assert_snapshot!(secret, @r#"
        # promgen: generated
        # Prometheus/monitoring/k8s, shard 1 of 2, zone b
        apiVersion: v1
        kind: Secret
        metadata:
          name: prometheus-k8s-shard-1
          namespace: monitoring
        stringData:
          prometheus.yaml: |
            shard: 1

            zone:
            - b $(POD_NAME)
        "#);
    }
}
