//! Changes the number of shards or the zones of a workload.
//!
//! In: the document of a workload, and a [`Reshard`]. Out: the changed document, which is checked and compiled like any
//! other.

use promgen_resources::api::servers::sharding::{ProposalMode, ShardingMode, ShardingStrategy};
use promgen_text::shared::SharedItems;
use promgen_text::source::Span;
use promgen_text::yaml::{self, Data, Entry, Node};

/// Another number of shards, or other zones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reshard {
    /// The number of shards.
    pub shards: u32,
    /// The zones, if not those of the document. An empty list removes all zones.
    pub zones: Option<Vec<String>>,
}

impl Reshard {
    /// The document with that number of shards and those zones. Zones are written in the dialect of the document, or
    /// in the operator's.
    #[must_use]
    pub fn apply(&self, document: &Node) -> Node {
        let mut document = document.clone();
        let span = document.span;
        let spec = field(&mut document, "spec");
        *field(spec, "shards") = node(Data::Int(self.shards.into()), span);
        if let Some(zones) = &self.zones {
            set_zones(field(spec, "shardingStrategy"), zones, span);
        }
        document
    }
}

fn set_zones(strategy: &mut Node, zones: &[String], span: Span) {
    let text = |text: &str| node(Data::String(text.into()), span);
    let list = || {
        node(
            Data::Seq(zones.iter().map(|zone| text(zone)).collect()),
            span,
        )
    };
    match yaml::decode(strategy) {
        Ok(ShardingStrategy::Proposal(proposal)) => {
            // The label of `classic` is what is hashed, that of `topology` the zone.
            if proposal.mode() == ProposalMode::Classic {
                remove(strategy, "label");
            }
            let mode = if zones.is_empty() {
                ProposalMode::Classic
            } else {
                ProposalMode::Topology
            };
            *field(strategy, "mode") = text(mode.as_str());
            *field(strategy, "topology") = list();
        }
        Ok(ShardingStrategy::Operator(_)) | Err(_) => {
            let mode = if zones.is_empty() {
                ShardingMode::Address
            } else {
                ShardingMode::Topology
            };
            *field(strategy, "mode") = text(mode.as_str());
            if zones.is_empty() {
                remove(strategy, "topology");
            } else {
                *field(field(strategy, "topology"), "values") = list();
            }
        }
    }
}

const fn node(data: Data, span: Span) -> Node {
    Node { span, data }
}

/// The value of that key, which is created if it is missing. A value that is not a map becomes one.
fn field<'n>(of: &'n mut Node, key: &'static str) -> &'n mut Node {
    let span = of.span;
    if !matches!(of.data, Data::Map(_)) {
        of.data = Data::Map(SharedItems::default());
    }
    let Data::Map(entries) = &mut of.data else {
        unreachable!("it was made a map")
    };
    let at = entries
        .iter()
        .position(|entry| entry.key == key)
        .unwrap_or_else(|| {
            entries.push(Entry {
                key: key.into(),
                key_span: span,
                value: node(Data::Null, span),
            });
            entries.len() - 1
        });
    &mut entries[at].value
}

fn remove(from: &mut Node, key: &str) {
    if let Data::Map(entries) = &mut from.data {
        entries.retain(|entry| entry.key != key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::emit::to_json;
    use promgen_text::yaml::read::read;

    fn applied(text: &str, shards: u32, zones: Option<&[&str]>) -> String {
        let zones = zones.map(|zones| zones.iter().map(|zone| (*zone).to_owned()).collect());
        let documents = read(FileId::new(0), text, &mut Sink::default());
        let node = Reshard { shards, zones }.apply(&documents[0].root);
        to_json(&node.to_value())
            .split_whitespace()
            .collect::<Vec<_>>()
            .join("")
            .replace('"', "")
    }

    #[test]
    fn numbers_are_set_and_made() {
        assert_eq!(
            applied("spec: {shards: 2, replicas: 1}", 5, None),
            "{spec:{shards:5,replicas:1}}"
        );
        assert_eq!(
            applied("kind: Prometheus", 5, None),
            "{kind:Prometheus,spec:{shards:5}}"
        );
        assert_eq!(applied("[]", 5, None), "{spec:{shards:5}}");
    }

    #[test]
    fn zones_are_written_in_the_dialect_of_the_document() {
        let zones = Some(&["a", "b"][..]);
        assert_eq!(
            applied("{}", 2, zones),
            "{spec:{shards:2,shardingStrategy:{mode:Topology,topology:{values:[a,b]}}}}"
        );
        let operator = "spec: {shardingStrategy: {mode: Topology, topology: {externalLabelName: x, values: [c]}}}";
        assert_eq!(
            applied(operator, 2, zones),
            "{spec:{shardingStrategy:{mode:Topology,topology:{externalLabelName:x,values:[a,b]}},shards:2}}"
        );
        assert_eq!(
            applied(operator, 2, Some(&[])),
            "{spec:{shardingStrategy:{mode:Address},shards:2}}"
        );
        assert_eq!(
            applied(
                "spec: {shardingStrategy: {mode: classic, label: x}}",
                2,
                zones
            ),
            "{spec:{shardingStrategy:{mode:topology,topology:[a,b]},shards:2}}"
        );
        assert_eq!(
            applied(
                "spec: {shardingStrategy: {mode: topology, label: x, topology: [c]}}",
                2,
                zones
            ),
            "{spec:{shardingStrategy:{mode:topology,label:x,topology:[a,b]},shards:2}}"
        );
    }
}
