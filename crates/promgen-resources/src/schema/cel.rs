//! The rules of CustomResourceDefinitions, which are written in CEL.
//!
//! What promgen does not evaluate is unknown, and so is what takes too long or is an error in CEL: the rule is then not checked.

use promgen_cel::{CelExpression, CelOutcome, CelValue};
use serde_json::Value;

/// Whether a value keeps to a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleVerdict {
    Holds,
    Fails,
    /// The rule has something that promgen does not evaluate.
    Unknown,
}

/// How much work the evaluation of a rule is at most.
const FUEL: u64 = 1_000_000;

/// Names of fields that are no names in CEL are written with these.
const ESCAPE: &str = "__";

/// Checks a value by a rule. A rule about the change of a value holds for one that is new.
pub(super) fn check(rule: &str, value: &Value) -> RuleVerdict {
    if rule.contains("oldSelf") {
        return RuleVerdict::Holds;
    }
    let Ok(expression) = CelExpression::parse(rule) else {
        return RuleVerdict::Unknown;
    };
    if rule.contains(ESCAPE) || expression.variables().any(|name| name != "self") {
        return RuleVerdict::Unknown;
    }
    match expression.evaluate(&[CelValue::Json(value)], &mut { FUEL }) {
        CelOutcome::Value(value) => match value.resolved() {
            CelValue::Bool(true) => RuleVerdict::Holds,
            CelValue::Bool(false) => RuleVerdict::Fails,
            _ => RuleVerdict::Unknown,
        },
        CelOutcome::Error(_) | CelOutcome::Unknown(_) | CelOutcome::OutOfFuel => {
            RuleVerdict::Unknown
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rules_hold_fail_or_are_not_evaluated() {
        let value =
            json!({"mode": "DaemonSet", "shards": 2, "list": [1, 2], "auth": {}, "map": {"a": 1}});
        let holds = [
            "!(has(self.mode) && self.mode == 'DaemonSet' && has(self.replicas))",
            "self.list.all(i, i > 0) && self.shards == 2 && self.mode.matches('^D')",
            "self.shards >= oldSelf.shards",
            "has(self.auth) ? self.mode in ['DaemonSet', \"x\"] : false",
            "size(self.list) == 2 && self.list[1] == 2 && self.map['a'] == 1 && 'a' in self.map",
            "self.list.map(i, i * 2).exists(i, i == 4) && self.list.exists_one(i, i == 1)",
            "self.mode.startsWith('Dae') && self.mode + 'x' == 'DaemonSetx' && self.shards - 3 == -1",
            "true || self.missing == 1",
            "self.shards / 2 == 1 && self.?replicas.orValue(1) == 1 && self.mode.lowerAscii() == 'daemonset'",
            "duration('90s') > duration('1m') && self.map.all(k, v, k == 'a' && v == 1)",
            r"'a.b'.matches('^a\\.b$') && 'it\'s'.size() == 4",
        ];
        let fails = [
            "!has(self.auth) || has(self.other)",
            "[has(self.auth), has(self.mode), has(self.x)].filter(x, x).size() <= 1",
            "self.missing == 1 && false",
            "!(self.shards <= 2.5)",
        ];
        let unknown = [
            "isURL(self.mode)",
            "self.mode",
            "self.mode ==",
            "self.missing == 1",
            "self.list.all(i)",
            "1 < 'a'",
            "(",
            "",
            "a.b",
            "self.shards / 0 == 1",
            "has(self.my__dash__field)",
        ];
        let of = |verdict: RuleVerdict| move |rule: &str| (rule.to_owned(), verdict);
        let expected = holds.map(of(RuleVerdict::Holds)).into_iter();
        let expected = expected
            .chain(fails.map(of(RuleVerdict::Fails)))
            .chain(unknown.map(of(RuleVerdict::Unknown)));
        for (rule, expected) in expected {
            assert_eq!(check(&rule, &value), expected, "{rule}");
        }
    }

    #[test]
    fn what_is_too_deep_or_takes_too_long_is_not_evaluated() {
        let many = json!({"list": vec![0; 2000]});
        let deep = [
            format!("{}true{}", "(".repeat(100_000), ")".repeat(100_000)),
            format!("{}true", "true ? true : ".repeat(100_000)),
            format!("{}true", "!".repeat(100_000)),
            format!("self{}", ".a".repeat(100_000)),
            format!("1{} > 0", "+1".repeat(100_000)),
            format!("{}1{} == 1", "[".repeat(100_000), "]".repeat(100_000)),
            "self.list.all(a, self.list.all(b, a == b))".to_owned(),
            r"self.list.all(a, 'x'.matches('\\pL{8}x|x'))".to_owned(),
        ];
        for rule in deep {
            assert_eq!(check(&rule, &many), RuleVerdict::Unknown, "{}", &rule[..20]);
        }
    }
}
