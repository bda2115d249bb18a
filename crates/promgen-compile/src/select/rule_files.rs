//! Rule files: what the operator makes of PrometheusRules.
//!
//! In: the groups of a resource, and their target. Out: the text of its file or the reason why there is none, and the
//! ConfigMaps of files. The steps are the operator's: enforce a label (`enforce`), drop the fields that the version
//! does not support (`sanitize`), write and check the rest (`validate`), pack files (`pack`). Selection happens
//! elsewhere.

mod enforce;
mod pack;
mod sanitize;
mod validate;

use std::ops::Range;

pub use enforce::EnforcedLabel;
pub(crate) use pack::pack;
use promgen_prometheus::promql::{Construct, Features};
use promgen_prometheus::relabel::NameScheme;
use promgen_resources::api::PrometheusRuleSpec;
use promgen_resources::gates::{self, Gate, Versions};
use promgen_text::diag::Place;
use promgen_text::route::{At, DocId, ValueRoute};
use promgen_text::yaml::{Value, emit, to_value};

/// Most bytes of a rule file, and of all files in a ConfigMap. Operator: `MaxConfigMapDataSize`, half of what a Secret
/// may hold, because the rest of an object counts too.
const MAX_BYTES: usize = 1 << 19;

/// A file of rules.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedRuleFile {
    /// Its name.
    pub name: String,
    /// Its content.
    pub text: String,
    /// The byte at which each group begins.
    pub groups: Vec<usize>,
    /// The PrometheusRule.
    pub doc: DocId,
}

/// The target of rules.
#[derive(Clone, Copy, Debug)]
pub struct RuleTarget<'a> {
    /// The versions.
    pub versions: &'a Versions,
    /// The program that evaluates them.
    pub reader: RuleEvaluator,
    /// The enabled features.
    pub features: Features,
}

/// A program that evaluates rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleEvaluator {
    /// Prometheus.
    Prometheus,
    /// Thanos Ruler.
    Thanos,
}

/// The gates of the fields that only some versions support.
struct FieldGates {
    group_labels: &'static Gate,
    group_limit: &'static Gate,
    group_query_offset: &'static Gate,
    keep_firing_for: &'static Gate,
}

impl RuleTarget<'_> {
    /// The valid label names.
    fn names(&self) -> NameScheme {
        match self.reader {
            RuleEvaluator::Prometheus => NameScheme::checked(self.versions),
            RuleEvaluator::Thanos => NameScheme::checked_by_thanos(self.versions),
        }
    }

    const fn gates(&self) -> FieldGates {
        match self.reader {
            RuleEvaluator::Prometheus => FieldGates {
                group_labels: &gates::RULE_GROUP_LABELS,
                group_limit: &gates::RULE_GROUP_LIMIT,
                group_query_offset: &gates::RULE_GROUP_QUERY_OFFSET,
                keep_firing_for: &gates::RULE_KEEP_FIRING_FOR,
            },
            RuleEvaluator::Thanos => FieldGates {
                group_labels: &gates::THANOS_RULE_GROUP_LABELS,
                group_limit: &gates::THANOS_RULE_GROUP_LIMIT,
                group_query_offset: &gates::THANOS_RULE_GROUP_QUERY_OFFSET,
                keep_firing_for: &gates::THANOS_RULE_KEEP_FIRING_FOR,
            },
        }
    }
}

/// Something that is wrong with a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleFault {
    /// Where.
    pub route: ValueRoute,
    /// The part of the value there, in bytes, if it is a text of which a part is wrong.
    pub part: Option<Range<usize>>,
    /// The rule or the group that it is about, as in `alert Down`. Empty for all of them.
    pub subject: String,
    /// The message, close to Prometheus' own.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
}

impl RuleFault {
    /// A fault of a whole value.
    fn new(route: ValueRoute, message: impl Into<String>) -> Self {
        Self {
            route,
            part: None,
            subject: String::new(),
            message: message.into(),
            help: None,
        }
    }

    /// Its place.
    #[must_use]
    pub fn place(&self, doc: DocId) -> Place {
        let at = At {
            doc,
            route: self.route.clone(),
        };
        match &self.part {
            Some(part) => Place::Within(at, part.clone()),
            None => Place::At(at),
        }
    }
}

/// The result for a resource.
#[derive(Clone, Debug, PartialEq)]
pub enum RuleFileResult {
    /// A file.
    Written(WrittenRuleFile),
    /// The operator refuses it with this message, for these reasons, of which there may be none.
    Refused(String, Vec<RuleFault>),
    /// The operator skips it silently, because it cannot enforce the label.
    PassedOver(RuleFault),
}

/// The content of a file, and the findings about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WrittenRuleFile {
    /// Its content.
    pub text: String,
    /// The byte at which each group begins.
    pub groups: Vec<usize>,
    /// Fields that were left out, because the version lacks them.
    pub dropped: Vec<(&'static Gate, ValueRoute)>,
    /// Expressions that could not be checked.
    pub unchecked: Vec<(Construct, ValueRoute)>,
}

/// Makes the file of a resource. Operator: `generateRulesConfiguration`.
pub fn write(
    spec: &PrometheusRuleSpec,
    target: RuleTarget<'_>,
    enforced: Option<EnforcedLabel<'_>>,
) -> RuleFileResult {
    let mut spec = spec.clone();
    if let Some(fault) = enforced.and_then(|enforced| enforced.apply(&mut spec)) {
        return RuleFileResult::PassedOver(fault);
    }
    let dropped = sanitize::sanitize(&mut spec, target);
    // Printed before empty durations are dropped: the operator marshals first, so the file has them.
    let (text, groups) = match printed(&spec) {
        Ok(printed) => printed,
        Err(error) => {
            return RuleFileResult::Refused(
                format!("failed to marshal content: {error}"),
                Vec::new(),
            );
        }
    };
    let checked = validate::validate(&spec, target);
    let mut faults = checked.faults;
    if enforced.is_some() {
        // The expressions are not those of the manifest any more.
        faults.iter_mut().for_each(|fault| fault.part = None);
    }
    faults.extend(too_long(&text, &mut spec));
    if !faults.is_empty() {
        return RuleFileResult::Refused("invalid rule".to_owned(), faults);
    }
    RuleFileResult::Written(WrittenRuleFile {
        text,
        groups,
        dropped,
        unchecked: checked.unchecked,
    })
}

/// The text of a file, and the byte at which each group begins.
fn printed(spec: &PrometheusRuleSpec) -> Result<(String, Vec<usize>), String> {
    match to_value(spec) {
        Value::Map(mut map) => match map.remove("groups") {
            Some(groups) => emit::to_sigs_list("groups", groups),
            None => emit::to_sigs_string(&map.into()).map(|text| (text, Vec::new())),
        },
        other => emit::to_sigs_string(&other).map(|text| (text, Vec::new())),
    }
}

/// Returns whether the file exceeds the size of a ConfigMap. The operator measures it without empty durations, but
/// writes them.
fn too_long(text: &str, spec: &mut PrometheusRuleSpec) -> Option<RuleFault> {
    if text.len() <= MAX_BYTES {
        return None;
    }
    sanitize::drop_empty_durations(spec);
    let length = printed(spec).map_or(text.len(), |(text, _)| text.len());
    let message =
        format!("the rule file has {length} bytes, and {MAX_BYTES} are the most that fit");
    (length > MAX_BYTES).then(|| RuleFault::new(ValueRoute::root().key("spec"), message))
}

#[cfg(test)]
mod tests;
