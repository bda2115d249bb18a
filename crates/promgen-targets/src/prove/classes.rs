//! Classes of targets that only differ in the residue of a hash.
//!
//! In: the sharding rules, and the zones. Out: for each class, the numbers of residues of the hash with one shard, none, or
//! several. The hashed label stands for any non-empty text without `;`, which joins labels in rules; a zone that is not one
//! of the workload's stands for any such text but the names of its zones.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::assign::{Assigner, Assignment};
use promgen_prometheus::relabel::program::{ANY, OTHER};
use promgen_prometheus::relabel::{LabelSet, RuleError};

/// The label that makes every shard scrape a target. Operator: `__tmp_disable_sharding`.
pub(super) const EXEMPT: &str = "__tmp_disable_sharding";
/// The label that is hashed instead of the address. Operator: `__tmp_hash`.
pub(super) const HASH: &str = "__tmp_hash";
/// The maximum number of runs of the rules.
const MAX_RUNS: u64 = 3_000_000;
/// The maximum number of zones.
const MAX_ZONES: usize = 256;
/// The maximum number of zones of a second label.
const MAX_SECOND: usize = 3;

/// The common labels of the targets of a class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClassKind {
    /// Nothing: zones do not matter.
    Any,
    /// The zone.
    Zone(String),
    /// Two labels set different zones.
    TwoZones,
    /// Their zone is not one of the workload's.
    OtherZone,
    /// No label sets their zone.
    NoZone,
    /// They disable sharding, in any zone.
    Exempt,
}

impl ClassKind {
    /// Returns whether exactly one shard must scrape such targets.
    #[must_use]
    pub const fn is_shared(&self) -> bool {
        match self {
            Self::Any | Self::Zone(_) | Self::TwoZones => true,
            Self::OtherZone | Self::NoZone | Self::Exempt => false,
        }
    }
}

/// A class of targets, and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetClass {
    /// The common labels of the targets.
    pub kind: ClassKind,
    /// The number of label sets of the class.
    pub n_ways: usize,
    /// The outcome.
    pub outcome: Coverage,
}

impl TargetClass {
    /// Returns whether exactly one shard scrapes each target, if required.
    #[must_use]
    pub fn holds(&self) -> bool {
        !self.kind.is_shared()
            || (self.outcome.uncovered.is_empty() && self.outcome.doubled.is_empty())
    }
}

/// The number of shards that scrape the targets of a class, by residue of their hash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The number of cases: label sets times residues.
    pub n_cases: u64,
    /// The residues without a shard.
    pub uncovered: BTreeSet<u64>,
    /// The shards that scrape the same targets.
    pub doubled: BTreeSet<Vec<u32>>,
    /// The shards that scrape any.
    pub shards: BTreeSet<u32>,
}

impl Coverage {
    fn add(&mut self, residue: u64, shards: Vec<u32>) {
        self.n_cases += 1;
        self.shards.extend(&shards);
        match shards.len() {
            0 => drop(self.uncovered.insert(residue)),
            1 => {}
            _ => drop(self.doubled.insert(shards)),
        }
    }
}

/// The result for each class. `fixed` are labels that a job sets for all its targets.
///
/// # Errors
/// Why the rules cannot be run on classes.
pub(super) fn classes(
    assigner: &Assigner,
    zones: &[String],
    fixed: &[(&str, &str)],
) -> Result<Vec<TargetClass>, String> {
    let deciding = assigner
        .deciding()
        .ok_or("rules match names of labels, so any label may decide")?;
    if let Some(label) = deciding
        .labels
        .iter()
        .find(|label| zones.is_empty() && !is_known(label, fixed))
    {
        return Err(format!(
            "rules also read the label `{label}`, whose values are not known"
        ));
    }
    if zones.len() > MAX_ZONES {
        return Err(format!(
            "{} zones exceed the maximum of {MAX_ZONES}",
            zones.len()
        ));
    }
    let members = Members {
        zones,
        hashed: &deciding.hashed,
        labels: &deciding.labels,
    }
    .all();
    if (members.len() as u64).saturating_mul(deciding.n_residues) > MAX_RUNS {
        return Err(format!(
            "too many classes: {} times {} residues",
            members.len(),
            deciding.n_residues
        ));
    }
    let none_of: Rc<[String]> = zones.into();
    let mut classes: Vec<TargetClass> = Vec::new();
    for (kind, mut labels) in members {
        for (name, value) in fixed {
            labels.set(*name, *value);
        }
        let at = classes
            .iter()
            .position(|class| class.kind == kind)
            .unwrap_or_else(|| {
                classes.push(TargetClass {
                    kind,
                    n_ways: 0,
                    outcome: Coverage::default(),
                });
                classes.len() - 1
            });
        let class = &mut classes[at];
        let is_of_other_zone = labels.iter().any(|(_, value)| value.contains(OTHER));
        class.n_ways += 1;
        for residue in 0..deciding.n_residues {
            match assigner.assign_all(&labels, residue, &none_of) {
                Some(Assignment::Kept(shards)) => class.outcome.add(residue, shards),
                Some(Assignment::Dropped) => class.outcome.add(residue, Vec::new()),
                Some(Assignment::TooMuch(rule)) => {
                    return Err(RuleError::too_much(rule).to_string());
                }
                None if is_of_other_zone => {
                    return Err("rules also match labels whose values are not known, as they may be other than a zone"
                        .to_owned());
                }
                None => return Err("rules also match the hashed text".to_owned()),
            }
        }
    }
    classes.sort_by(|a, b| a.kind.cmp(&b.kind));
    Ok(classes)
}

/// The classes of targets that are of one of several kinds.
pub(super) fn merged(all: Vec<Vec<TargetClass>>) -> Vec<TargetClass> {
    let mut merged: Vec<TargetClass> = Vec::new();
    for class in all.into_iter().flatten() {
        let Some(known) = merged.iter_mut().find(|known| known.kind == class.kind) else {
            merged.push(class);
            continue;
        };
        known.n_ways += class.n_ways;
        let Coverage {
            n_cases,
            uncovered,
            doubled,
            shards,
        } = class.outcome;
        known.outcome.n_cases += n_cases;
        known.outcome.uncovered.extend(uncovered);
        known.outcome.doubled.extend(doubled);
        known.outcome.shards.extend(shards);
    }
    merged
}

/// Returns whether a class says what a target has in a label that sets no zone.
fn is_known(label: &str, fixed: &[(&str, &str)]) -> bool {
    label == EXEMPT || fixed.iter().any(|(name, _)| *name == label)
}

/// The inputs of the targets of classes.
struct Members<'m> {
    zones: &'m [String],
    hashed: &'m [&'m str],
    labels: &'m [&'m str],
}

impl Members<'_> {
    /// Every label set of every class.
    fn all(&self) -> Vec<(ClassKind, LabelSet)> {
        let mut members = Vec::new();
        for base in self.bases() {
            if self.labels.contains(&EXEMPT) {
                let exempt = with(&base, EXEMPT, "true");
                members.extend(
                    self.places(&exempt)
                        .into_iter()
                        .map(|(_, labels)| (ClassKind::Exempt, labels)),
                );
            }
            members.extend(self.places(&base));
        }
        members
    }

    /// The hashed label: the address, or its override.
    fn bases(&self) -> Vec<LabelSet> {
        let any = ANY.to_string();
        let base: LabelSet = self
            .hashed
            .iter()
            .filter(|name| **name != HASH)
            .map(|name| (*name, any.as_str()))
            .collect();
        let overridden = self.hashed.contains(&HASH).then(|| with(&base, HASH, &any));
        std::iter::once(base).chain(overridden).collect()
    }

    /// The places where such a target may be.
    fn places(&self, base: &LabelSet) -> Vec<(ClassKind, LabelSet)> {
        let zone_labels = self.zone_labels();
        if zone_labels.is_empty() || self.zones.is_empty() {
            return vec![(ClassKind::Any, base.clone())];
        }
        let mut places = vec![(ClassKind::NoZone, base.clone())];
        let other = OTHER.to_string();
        for label in &zone_labels {
            places.push((ClassKind::OtherZone, self.with_zone(base, label, &other)));
            for zone in self.zones {
                let labels = self.with_zone(base, label, zone);
                for second in zone_labels.iter().filter(|second| *second > label) {
                    let others = self
                        .zones
                        .iter()
                        .filter(|other| *other != zone)
                        .take(MAX_SECOND);
                    places.extend(others.map(|other| {
                        (ClassKind::TwoZones, self.with_zone(&labels, second, other))
                    }));
                }
                places.push((ClassKind::Zone(zone.clone()), labels));
            }
        }
        places
    }

    /// The labels that set a zone.
    fn zone_labels(&self) -> Vec<&str> {
        self.labels
            .iter()
            .filter(|name| is_zone_label(name))
            .copied()
            .collect()
    }

    /// The labels with a zone in one of them, and its `labelpresent` counterpart, which discovery sets for labels of objects.
    fn with_zone(&self, base: &LabelSet, label: &str, zone: &str) -> LabelSet {
        let labels = with(base, label, zone);
        let present = label.replacen("_label_", PRESENT, 1);
        let is_read = present != label && self.labels.contains(&present.as_str());
        if is_read {
            with(&labels, &present, "true")
        } else {
            labels
        }
    }
}

/// Returns whether a label that decides, and is not hashed, sets a zone.
pub(super) fn is_zone_label(name: &str) -> bool {
    name != EXEMPT && !name.contains(PRESENT)
}

/// The part of the name of a label for the presence of another.
const PRESENT: &str = "_labelpresent_";

fn with(base: &LabelSet, name: &str, value: &str) -> LabelSet {
    let mut labels = base.clone();
    labels.set(name, value);
    labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_compile::sharding::plan::{Plan, Surplus};
    use promgen_prometheus::relabel::NameScheme;
    use promgen_text::yaml::Value;
    use promgen_text::yaml::read::read_slices;

    fn of_rules(yaml: &str, fixed: &[(&str, &str)]) -> Result<Vec<TargetClass>, String> {
        let Value::Seq(rules) = read_slices(yaml).unwrap().unwrap().to_value() else {
            panic!("no list: {yaml}")
        };
        classes(
            &Assigner::new(&rules, &Plan::address(2).shards, NameScheme::Utf8).unwrap(),
            &[],
            fixed,
        )
    }

    fn of_zone_rules(yaml: &str) -> Result<Vec<TargetClass>, String> {
        let Value::Seq(rules) = read_slices(yaml).unwrap().unwrap().to_value() else {
            panic!("no list: {yaml}")
        };
        let plan = Plan::topology(
            2,
            &["zone-a".to_owned(), "zone-b".to_owned()],
            Surplus::Idle,
        );
        classes(
            &Assigner::new(&rules, &plan.shards, NameScheme::Utf8).unwrap(),
            &plan.zones,
            &[],
        )
    }

    #[test]
    fn what_a_label_has_beside_zones_is_not_known() {
        let zonal = "{action: keep, source_labels: [zone], regex: $(TOPOLOGY_ZONE)}";
        let classes = of_zone_rules(&format!("[{zonal}]")).unwrap();
        assert!(classes.iter().all(TargetClass::holds));
        let other = classes
            .iter()
            .find(|class| class.kind == ClassKind::OtherZone)
            .unwrap();
        assert!(other.outcome.shards.is_empty() && !other.outcome.uncovered.is_empty());
        let why =
            "rules also match labels whose values are not known, as they may be other than a zone";
        for regex in ["canary.*", "canary", "(x)(y)?.*", "[a-f].*"] {
            let dropped =
                format!("[{{action: drop, source_labels: [pod], regex: '{regex}'}}, {zonal}]");
            assert_eq!(of_zone_rules(&dropped), Err(why.to_owned()), "{regex}");
        }
    }

    #[test]
    fn a_label_that_only_some_targets_have_is_no_class_of_all() {
        let dealt = "{action: hashmod, source_labels: [__address__], modulus: 2, target_label: h}, \
                     {action: keep, source_labels: [h, __tmp_disable_sharding], regex: '$(SHARD);|.+;.+'}";
        let dropped = format!("[{dealt}, {{action: drop, source_labels: [pod], regex: canary.*}}]");
        let all = of_rules(&format!("[{dealt}]"), &[]).unwrap();
        assert!(
            all.iter().any(|class| class.kind == ClassKind::Any)
                && all.iter().all(TargetClass::holds)
        );
        let why = "rules also read the label `pod`, whose values are not known";
        assert_eq!(of_rules(&dropped, &[]), Err(why.to_owned()));
        assert!(
            of_rules(&dropped, &[("pod", "web")])
                .unwrap()
                .iter()
                .all(TargetClass::holds)
        );
        assert!(
            !of_rules(&dropped, &[("pod", "canary-1")])
                .unwrap()
                .iter()
                .all(TargetClass::holds)
        );
    }
}
