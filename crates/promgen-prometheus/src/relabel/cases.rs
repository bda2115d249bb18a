//! Cases of relabeling as lines of JSON: labels and rules in, labels or a verdict out.
//!
//! In: `{"name": …, "scheme": "utf8" | "legacy", "labels": {…}, "rules": […]}`. Out: `{"name": …, "keep": …, "out": …,
//! "error": …}`, where `out` is null for a target that is dropped and for rules that are refused.

use serde_json::{Map, Value as Json};

use crate::relabel::{LabelSet, NameScheme, RuleError, StopRule, relabel, rules};
use promgen_text::yaml::Value;

/// Answers one case.
///
/// # Errors
/// What is wrong with the line; where its rules are wrong, that is the answer.
pub fn answer(line: &str) -> Result<String, String> {
    let case: Json = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let Json::Object(mut case) = case else {
        return Err("a case is an object".to_owned());
    };
    let scheme = scheme(case.get("scheme"))?;
    let labels = labels(case.get("labels"))?;
    let rules_given = match case.remove("rules") {
        None | Some(Json::Null) => Vec::new(),
        Some(Json::Array(rules)) => rules.into_iter().map(Value::from).collect(),
        Some(_) => return Err("`rules` is a list".to_owned()),
    };
    let (out, error) = match rules(&rules_given, scheme) {
        Err(error) => (None, Some(error.to_string())),
        Ok(rules) => match relabel(&labels, &rules) {
            Ok(labels) => (Some(labels), None),
            Err(StopRule::Dropped(_)) => (None, None),
            Err(StopRule::TooMuch(rule)) => (None, Some(RuleError::too_much(rule).to_string())),
        },
    };
    let mut answer = Map::new();
    answer.insert("name".to_owned(), case.remove("name").unwrap_or(Json::Null));
    answer.insert("keep".to_owned(), out.is_some().into());
    answer.insert(
        "out".to_owned(),
        out.map_or(Json::Null, |labels| to_json(&labels)),
    );
    answer.insert("error".to_owned(), error.into());
    Ok(Json::Object(answer).to_string())
}

fn scheme(value: Option<&Json>) -> Result<NameScheme, String> {
    match value {
        None | Some(Json::Null) => Ok(NameScheme::Utf8),
        Some(Json::String(name)) if name == "utf8" => Ok(NameScheme::Utf8),
        Some(Json::String(name)) if name == "legacy" => Ok(NameScheme::Legacy),
        Some(_) => Err("`scheme` is utf8 or legacy".to_owned()),
    }
}

fn labels(value: Option<&Json>) -> Result<LabelSet, String> {
    let entries = match value {
        None | Some(Json::Null) => return Ok(LabelSet::default()),
        Some(Json::Object(entries)) => entries,
        Some(_) => return Err("`labels` is an object".to_owned()),
    };
    let label = |(name, value): (&String, &Json)| match value {
        Json::String(value) => Ok((name.clone(), value.clone())),
        _ => Err(format!("the value of the label `{name}` is a text")),
    };
    entries.iter().map(label).collect()
}

fn to_json(labels: &LabelSet) -> Json {
    labels
        .iter()
        .map(|(name, value)| (name.to_owned(), Json::from(value)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_has_an_answer_and_a_broken_line_none() {
        let rules = r#"[{"source_labels": ["a"], "target_label": "b", "replacement": "x$1"}]"#;
        let line = format!(r#"{{"name": "n", "labels": {{"a": "1", "c": ""}}, "rules": {rules}}}"#);
        assert_eq!(
            answer(&line).unwrap(),
            r#"{"name":"n","keep":true,"out":{"a":"1","b":"x1"},"error":null}"#
        );
        let line = r#"{"name": "n", "rules": [{"action": "keep", "regex": "x"}]}"#;
        assert_eq!(
            answer(line).unwrap(),
            r#"{"name":"n","keep":false,"out":null,"error":null}"#
        );
        let line = r#"{"name": "n", "rules": [{"action": "nope"}]}"#;
        assert!(
            answer(line)
                .unwrap()
                .contains(r#""error":"unknown relabel action \"nope\"""#)
        );
        for broken in [
            "",
            "[]",
            "{\"labels\": 1}",
            "{\"labels\": {\"a\": 1}}",
            "{\"scheme\": \"x\"}",
            "{\"rules\": {}}",
        ] {
            answer(broken).unwrap_err();
        }
    }
}
