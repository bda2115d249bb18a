//! Whether patterns mean what they mean to Go: the recorded verdicts, error texts and matches.

use std::collections::BTreeMap;

use crate::CollectOrdered;
use crate::go::regex::*;

fn recorded(file: &str) -> String {
    promgen_testing::recorded_text(&format!("conformance/{file}"))
}

fn strings(list: &serde_json::Value) -> Vec<&str> {
    list.as_array()
        .into_iter()
        .flatten()
        .map(|item| item.as_str().expect("text"))
        .collect()
}

#[promgen_testing::needs(recordings)]
#[test]
fn verdicts_texts_and_matches_are_those_of_go() {
    let text = recorded("regex/go.json");
    let data: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let haystacks = strings(&data["haystacks"]);
    for case in data["patterns"].as_array().expect("a list") {
        let pattern = case["pattern"].as_str().expect("text");
        let regex = GoRegex::anchored(pattern);
        assert_eq!(
            check_anchored(pattern).err(),
            regex.as_ref().err().cloned(),
            "{pattern:?}"
        );
        match (regex, case["error"].as_str()) {
            (Err(error), expected) => {
                assert_eq!(Some(error.to_string().as_str()), expected, "{pattern:?}")
            }
            (Ok(regex), expected) => {
                assert_eq!(None, expected, "{pattern:?}");
                let matches: Vec<&str> = haystacks
                    .iter()
                    .copied()
                    .filter(|h| regex.is_match(h))
                    .collect();
                assert_eq!(matches, strings(&case["matches"]), "{pattern:?}");
            }
        }
    }
}

/// The labels after a rule of action replace, as far as patterns and templates decide; `None` for any other rule.
fn replaced(
    labels: &mut BTreeMap<String, String>,
    rule: &serde_json::Value,
) -> Option<RegexResult> {
    let keys = [
        "source_labels",
        "regex",
        "target_label",
        "replacement",
        "separator",
        "action",
    ];
    let rule = rule.as_object()?;
    if rule.iter().any(|(key, value)| {
        !keys.contains(&key.as_str()) || !(value.is_string() || value.is_array())
    }) {
        return None;
    }
    let text = |key: &str, default: &'static str| {
        rule.get(key).map_or(Some(default), |value| value.as_str())
    };
    let target = text("target_label", "")?;
    if text("action", "replace")? != "replace" || target.is_empty() || target.contains('$') {
        return None;
    }
    let regex = match GoRegex::anchored(text("regex", "(.*)")?) {
        Ok(regex) => regex,
        Err(error) => return Some(Err(error)),
    };
    let sources = rule.get("source_labels").map(strings).unwrap_or_default();
    let values: Vec<&str> = sources
        .iter()
        .map(|name| labels.get(*name).map_or("", String::as_str))
        .collect();
    let value = values.join(text("separator", ";")?);
    if let Some(captures) = regex.captures(&value) {
        match captures.expand(&Template::parse(text("replacement", "$1")?)) {
            empty if empty.is_empty() => labels.remove(target),
            result => labels.insert(target.to_owned(), result),
        };
    }
    Some(Ok(()))
}

#[promgen_testing::needs(recordings)]
#[test]
fn replacing_gives_what_prometheus_gives() {
    let text = recorded("relabel/cases.jsonl");
    let mut n_compared = 0;
    for line in text.lines() {
        let case: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let label = |(name, value): (&String, &serde_json::Value)| {
            (name.clone(), value.as_str().unwrap().to_owned())
        };
        let mut labels: BTreeMap<_, _> = case["labels"]
            .as_object()
            .expect("a map")
            .iter()
            .map(label)
            .collect_map();
        labels.retain(|_, value| !value.is_empty());
        let rules = case["rules"].as_array().into_iter().flatten();
        let Some(results) = rules
            .map(|rule| replaced(&mut labels, rule))
            .collect::<Option<Vec<_>>>()
        else {
            continue;
        };
        n_compared += 1;
        match results.into_iter().find_map(Result::err) {
            Some(error) => assert_eq!(
                case["validation_error"],
                error.to_string(),
                "{}",
                case["name"]
            ),
            None if case["error_phase"].is_null() => {
                let expected: BTreeMap<_, _> = case["out"]
                    .as_object()
                    .expect("a map")
                    .iter()
                    .map(label)
                    .collect_map();
                assert_eq!(labels, expected, "{}", case["name"]);
            }
            None => {}
        }
    }
    assert!(
        n_compared > 500,
        "only {n_compared} cases are replacements alone"
    );
}

#[test]
fn error_places_are_those_in_the_users_pattern() {
    let span = |pattern| check_anchored(pattern).expect_err("refused").span;
    assert_eq!(span("ab**"), 2..4);
    assert_eq!(span(r"é\y"), 2..4);
    assert_eq!(span("a[b"), 1..3);
    assert_eq!(span("(a"), 0..2);
    assert_eq!(span(r"a\Qb"), 0..4);
}

#[test]
fn go_texts_without_anchors() {
    let text = |pattern| check(pattern).expect_err("refused").to_string();
    assert_eq!(
        text(r"a\"),
        "error parsing regexp: trailing backslash at end of expression: ``"
    );
    assert_eq!(
        text("(?"),
        "error parsing regexp: invalid or unsupported Perl syntax: `(?`"
    );
    assert_eq!(
        text("(?<"),
        "error parsing regexp: invalid or unsupported Perl syntax: `(?<`"
    );
    assert_eq!(
        text(r"\p"),
        r"error parsing regexp: invalid character class range: `\p`"
    );
    assert_eq!(
        text("a{2}?*"),
        "error parsing regexp: invalid nested repetition operator: `{2}?*`"
    );
    assert_eq!(
        text("a{3,2}"),
        "error parsing regexp: invalid repeat count: `{3,2}`"
    );
    assert_eq!(
        text(r"\x{}"),
        r"error parsing regexp: invalid escape sequence: `\x{}`"
    );
}

#[test]
fn groups_are_numbered_and_named_as_in_go() {
    let regex = GoRegex::new(r"(a){0}(?P<x>b)?(?<x>c)").expect("a valid pattern");
    let captures = regex.captures("-c").expect("a match");
    assert_eq!(regex.n_groups(), 3);
    assert_eq!(
        (
            captures.get(0),
            captures.get(1),
            captures.get(2),
            captures.get(3)
        ),
        (Some("c"), None, None, Some("c"))
    );
    assert_eq!(captures.name("x"), Some("c"));
    assert_eq!(captures.range(3), Some(1..2));
    assert_eq!(
        regex.replace_all("bcac", &Template::parse("<$x>")),
        "<b>a<c>"
    );
}

#[test]
fn trees_may_be_1000_levels_high() {
    let nest = |levels: usize| ["(".repeat(levels), "a".to_owned(), ")".repeat(levels)].concat();
    assert!(
        GoRegex::new(&nest(999))
            .expect("a valid pattern")
            .is_match("a")
    );
    let error = GoRegex::new(&nest(1000)).expect_err("too high");
    assert_eq!(error.kind, ErrorKind::NestsTooDeeply);
    let plain = ["(?:".repeat(100_000), "a".to_owned(), ")".repeat(100_000)].concat();
    assert!(
        GoRegex::new(&plain)
            .expect("groups that capture nothing are no levels")
            .is_match("a")
    );
}

#[test]
fn large_counts_of_large_classes_compile() {
    for pattern in [
        r"\pL{30}",
        r"(?i)[^k]{1000}",
        r"(\w+\s*){0,1000}",
        "(?s).{0,1000}",
    ] {
        assert!(GoRegex::new(pattern).is_ok(), "{pattern}");
    }
    for pattern in [r"\pL{1000}", r"(?:\PL\pN){500}"] {
        assert!(check(pattern).is_ok(), "{pattern}");
        assert_eq!(
            GoRegex::new(pattern).unwrap_err().kind,
            ErrorKind::BeyondLimit,
            "{pattern}"
        );
    }
}

#[test]
fn hostile_patterns_end_soon() {
    let n = 100_000;
    for part in [
        "(", "[", "{", "[[:", "(?:a|", "(?:", "a**", r"\Q", "(?P<", "a{1000}", r"\pL", "|", "(a",
        r"\", "[^", "a|",
    ] {
        let _ = check(&part.repeat(n));
    }
    for pattern in [
        r"(?:\pL{1000}\pN?){1}".repeat(50),
        "(?:ab*){1000}".repeat(2000),
        "(?:a|".repeat(n) + &")".repeat(n),
    ] {
        if let Err(error) = GoRegex::new(&pattern) {
            assert!(
                matches!(error.kind, ErrorKind::TooLarge | ErrorKind::BeyondLimit),
                "{error}"
            );
        }
    }
}

mod any_pattern {
    use promgen_testing::texts::any_text;
    use proptest::prelude::*;

    use super::*;

    /// Meaningful pieces, so that random patterns get past the first character.
    fn patterns() -> impl Strategy<Value = String> {
        const TOKENS: &[&str] = &[
            "a",
            "k",
            "é",
            "_",
            "-",
            " ",
            "\n",
            ".",
            "^",
            "$",
            "|",
            "(",
            ")",
            "(?:",
            "(?i)",
            "(?-s:",
            "(?P<n>",
            "(?<",
            "(?",
            "*",
            "+?",
            "??",
            "{2}",
            "{0,}",
            "{1001}",
            "{40}",
            "{,3}",
            "{",
            "}",
            "[",
            "]",
            "[^",
            "[a-",
            "[:alpha:]",
            "&&",
            "\\",
            r"\d",
            r"\W",
            r"\b",
            r"\B",
            r"\z",
            r"\Q",
            r"\E",
            r"\pL",
            r"\p{^Lu}",
            r"\p{",
            r"\x{D800}",
            r"\x{",
            r"\01",
            r"\8",
        ];
        let token = prop_oneof![8 => proptest::sample::select(TOKENS).prop_map(str::to_owned), 1 => any_text()];
        proptest::collection::vec(token, 0..24).prop_map(|tokens| tokens.concat())
    }

    proptest! {
        #[test]
        fn is_refused_or_compiles(pattern in patterns(), text in any_text(), template in any_text()) {
            let verdict = check_anchored(&pattern);
            match GoRegex::anchored(&pattern) {
                Ok(regex) => {
                    prop_assert_eq!(verdict, Ok(()));
                    let template = Template::parse(&template);
                    let _ = regex.replace_all(&text, &template);
                    if let Some(captures) = regex.captures(&text) {
                        let _ = captures.expand(&template);
                    }
                }
                Err(error) => {
                    prop_assert!(error.span.start <= error.span.end && pattern.get(error.span.clone()).is_some());
                    prop_assert_eq!(verdict, Err(error));
                }
            }
        }
    }
}

#[test]
fn all_matches_are_those_of_go() {
    let found = |pattern: &str, text: &'static str, most| {
        GoRegex::new(pattern).map(|regex| regex.find_all(text, most))
    };
    assert_eq!(found("[0-9]+", "a1b22", usize::MAX), Ok(vec!["1", "22"]));
    assert_eq!(found("[0-9]+", "a1b22", 1), Ok(vec!["1"]));
    assert_eq!(found("^abc$", "abc", usize::MAX), Ok(vec!["abc"]));
    assert_eq!(found("x*", "ab", usize::MAX), Ok(vec!["", "", ""]));
}
