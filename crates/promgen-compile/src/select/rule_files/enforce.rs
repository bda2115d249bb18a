//! The label that ties the rules of a resource to its namespace.

use crate::paths::SPEC;
use crate::select::rule_files::RuleFault;
use promgen_prometheus::promql::{Features, Validity, check, enforce};
use promgen_resources::api::{IntOrString, PrometheusRuleSpec};

/// A label that is added to all rules of a resource and required of all series that they read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnforcedLabel<'a> {
    /// The label. Operator: `enforcedNamespaceLabel`.
    pub label: &'a str,
    /// Its value: the namespace of the resource.
    pub value: &'a str,
    /// The operator's parser is that of Prometheus 3.14 or later.
    pub is_3_14: bool,
}

impl EnforcedLabel<'_> {
    /// Enforces the label in every rule, until there is one in which it cannot be done. Operator: `EnforceNamespaceLabel`.
    pub(super) fn apply(self, spec: &mut PrometheusRuleSpec) -> Option<RuleFault> {
        let (path, mut fault) = (SPEC, None);
        let groups = path.key("groups");
        for (index, group) in spec.groups.iter_mut().flatten().enumerate() {
            let group_path = groups.index(index);
            let rules = group_path.key("rules");
            for (index, rule) in group.rules.iter_mut().flatten().enumerate() {
                // A label of the user with this name is replaced.
                rule.labels
                    .get_or_insert_default()
                    .insert(self.label.into(), self.value.into());
                match self.rewritten(&rule.expr.to_string()) {
                    Ok(expr) => rule.expr = IntOrString::String(expr),
                    Err(message) => {
                        let route = rules.index(index).key("expr").to_route();
                        // The first one is reported, as the operator stops there.
                        fault.get_or_insert_with(|| RuleFault::new(route, message));
                    }
                }
            }
        }
        fault
    }

    /// The expression with the label in every selector. Whatever is switched on in Prometheus, the operator reads it here
    /// with everything switched off.
    fn rewritten(self, expr: &str) -> Result<String, String> {
        let refused = match check(
            expr,
            Features {
                is_3_14: self.is_3_14,
                ..Features::default()
            },
        ) {
            Validity::Valid => "it cannot be printed".to_owned(),
            Validity::Unknown(construct) => format!("it uses {}", construct.what),
            Validity::Invalid(fault) => return Err(fault.message),
        };
        enforce(expr, self.label, self.value).ok_or(refused)
    }
}
