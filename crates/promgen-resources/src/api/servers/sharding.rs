//! The assignment of targets to shards, in two dialects.

use promgen_derive::api;

use crate::api::scraping::scrape::RelabelConfig;
use crate::api::{rules, string_enum};
use promgen_text::describe::{Describe, Field, ObjectType, Type, TypeDialect};
use promgen_text::yaml::{Node, Value, decode, encode};

/// The assignment of targets to shards, in one of two dialects.
///
/// A lower-case `mode` (`classic`, `topology`) selects that of the original proposal, as do fields that only it has beside no
/// `mode`; anything else is the operator's. Both name the same plan.
#[derive(Clone, Debug, PartialEq)]
pub enum ShardingStrategy {
    /// The original proposal's.
    Proposal(ProposalSharding),
    /// The operator's.
    Operator(OperatorSharding),
}

impl Default for ShardingStrategy {
    fn default() -> Self {
        Self::Operator(OperatorSharding::default())
    }
}

impl decode::Decode for ShardingStrategy {
    fn read(&mut self, node: &Node) -> decode::Result {
        let Type::Object(own) = Self::describe() else {
            return Ok(());
        };
        *self = if decode::dialect_of(own, node).is_some() {
            Self::Proposal(decode::decoded(node)?)
        } else {
            Self::Operator(decode::decoded(node)?)
        };
        Ok(())
    }
}

/// The description of the field in editors.
const DESCRIPTION: &str = "How targets are shared among shards, in the dialect of the operator (mode Address or Topology), \
                           or of the zone-aware sharding proposal (mode classic or topology).";

/// The advice for a strategy that fits neither dialect.
const BOTH: &str = "the operator's dialect has `mode: Address`, or `mode: Topology` with `topology: {values: [zone-a, zone-b]}`; \
                    the proposal's has `mode: classic`, or `mode: topology` with `topology: [zone-a, zone-b]`";

impl encode::Encode for ShardingStrategy {
    fn encode(&self) -> Option<Value> {
        match self {
            Self::Proposal(proposal) => proposal.encode(),
            Self::Operator(operator) => operator.encode(),
        }
    }
}

impl Describe for ShardingStrategy {
    /// The operator's description, as in its CRD, with the proposal's as an alternative.
    fn describe() -> &'static Type {
        static PROPOSAL: TypeDialect = TypeDialect {
            field: "mode",
            values: ProposalMode::TEXTS,
            of: ProposalSharding::describe,
            both: BOTH,
        };
        static OPERATOR: &[Field] = &[Field {
            of: OperatorSharding::describe,
            ..Field::OPTIONAL
        }];
        static TYPE: Type = Type::Object(ObjectType {
            name: "ShardingStrategy",
            doc: DESCRIPTION,
            fields: OPERATOR,
            dialect: Some(&PROPOSAL),
            ..ObjectType::EMPTY
        });
        &TYPE
    }
}

/// Sharding in the dialect of the original proposal.
#[api]
pub struct ProposalSharding {
    /// Relabel rules that run first, so that they can create the label.
    pub additional_relabel_config: Option<Vec<RelabelConfig>>,
    /// The label to go by. Default `__address__` for `classic`, `topology.kubernetes.io/zone` for `topology`.
    pub label: Option<String>,
    /// The meaning of the label. Default `classic`.
    pub mode: Option<ProposalMode>,
    /// The zones, for `topology`.
    pub topology: Option<Vec<String>>,
}

impl ProposalSharding {
    /// The meaning of the label.
    #[must_use]
    pub fn mode(&self) -> ProposalMode {
        self.mode.unwrap_or(ProposalMode::Classic)
    }
}

string_enum! {
    /// The meaning of the label in the proposal's dialect.
    pub enum ProposalMode {
        /// A text to hash.
        Classic = "classic",
        /// The zone of the target.
        Topology = "topology",
    }
}

/// Sharding in the dialect of the operator.
#[api(validations = rules::SHARDING)]
#[api(of = "monitoring/v1.ShardingStrategy")]
pub struct OperatorSharding {
    /// Whether targets are assigned by address or by zone. Default `Address`.
    pub mode: Option<ShardingMode>,
    /// The zones, with mode `Topology`.
    pub topology: Option<TopologySharding>,
}

/// The zones that shards are assigned onto.
///
/// Operator: monitoring/v1.ShardingStrategy, its `topology`.
#[api]
pub struct TopologySharding {
    /// The external label that names the shard's zone. Default `zone`; empty means none.
    pub external_label_name: Option<String>,
    /// The zones, as the zone label of nodes has them. At most as many as there are shards.
    pub values: Option<Vec<String>>,
}

string_enum! {
    /// The assignment of targets to shards.
    pub enum ShardingMode {
        /// By the hash of their address.
        Address = "Address",
        /// By their zone, and within it by the hash of their address.
        Topology = "Topology",
    }
}
