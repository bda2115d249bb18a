//! The messages of the operator, Kubernetes and Go in plain words, and the fix that they leave out.
//!
//! Statuses and events have the messages as they are; findings have these.

use promgen_text::go::regex;
use promgen_text::suggest::closest;

/// The operators of a label selector.
const OPERATORS: [&str; 4] = ["In", "NotIn", "Exists", "DoesNotExist"];

/// The types of Go that a message may name.
const TYPES: [(&str, &str); 9] = [
    ("[]string", "a list of strings"),
    ("string", "a string"),
    ("bool", "true or false"),
    ("v1.NonEmptyDuration", "a duration such as 5m"),
    ("v1alpha1.MatchType", "one of =, !=, =~ and !~"),
    (
        "[]v1alpha1.Matcher",
        "a list of matchers, each with `name`, `value` and `matchType`",
    ),
    (
        "v1alpha1.Matcher",
        "a matcher, with `name`, `value` and `matchType`",
    ),
    ("[]v1.JSON", "a list of routes"),
    (
        "v1alpha1.Route",
        "a route, with fields such as `receiver` and `matchers`",
    ),
];

/// The message without the words of Go's JSON decoder.
pub(super) fn plain(message: &str) -> String {
    if let Some((before, name)) = message.split_once("json: unknown field ") {
        return format!("{before}unknown field {name}");
    }
    let Some((before, rest)) = message.split_once("json: cannot unmarshal ") else {
        return message.to_owned();
    };
    let Some((found, rest)) = rest.split_once(" into Go ") else {
        return message.to_owned();
    };
    let Some((what, wanted)) = rest.split_once(" of type ") else {
        return message.to_owned();
    };
    let subject = match what.rsplit_once('.') {
        Some((_, field)) => format!("`{field}`"),
        None => "it".to_owned(),
    };
    let known = TYPES
        .iter()
        .find(|(name, _)| *name == wanted)
        .map_or(wanted, |(_, words)| words);
    format!(
        "{before}{subject} is {}; it has to be {known}",
        article(found)
    )
}

fn article(kind: &str) -> String {
    match kind {
        "array" => "a list".to_owned(),
        "object" => "a map".to_owned(),
        "bool" => "a boolean".to_owned(),
        kind => format!("a {kind}"),
    }
}

/// The remedy for the subject of a message.
pub(crate) fn help(message: &str) -> Option<String> {
    if let Some(before) = message.strip_suffix(" is not a valid label selector operator") {
        let word = before.rsplit('"').nth(1).unwrap_or_default();
        let meant =
            closest(word, OPERATORS.into_iter()).map(|meant| format!("did you mean {meant}? "));
        return Some(format!(
            "{}use In, NotIn, Exists or DoesNotExist",
            meant.unwrap_or_default()
        ));
    }
    if let Some((pattern, _)) = message
        .split_once("invalid regex ")
        .and_then(|(_, rest)| rest.split_once(" for relabel "))
    {
        return regex::advice(pattern);
    }
    if message.contains("failed to parse") && message.contains("version: ") {
        return Some(
            "write a version such as v3.13.2; `image` names an image with any other tag".to_owned(),
        );
    }
    let fixed = [
        (
            "for 'in', 'notin' operators, values set can't be empty",
            "add `values`, or use the operator Exists",
        ),
        (
            "values set must be empty for exists and does not exist",
            "remove `values`, or use the operator In or NotIn",
        ),
        (
            "unsupported scheme \"\" for URL",
            "a URL begins with its scheme: write `https://` or `http://` before it",
        ),
        (
            "unsupported scheme ",
            "a URL begins with `https://` or `http://`",
        ),
        ("missing host for URL", "a URL has a host behind `https://`"),
        (
            "missing port in address",
            "add the port, as in `smtp.example.com:587`",
        ),
        (
            "cannot be equal or greater than end time",
            "a range ends on the day on which it starts: write two, one to 24:00 and one from 00:00",
        ),
        (
            "requires non-zero modulus",
            "add `modulus`: the hash is divided by it",
        ),
    ];
    fixed
        .iter()
        .find(|(text, _)| message.contains(text))
        .map(|(_, help)| (*help).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_go_become_plain_words() {
        for (message, expected) in [
            (
                "route[0]: json: unknown field \"match\"",
                "route[0]: unknown field \"match\"",
            ),
            (
                "route[1]: json: cannot unmarshal string into Go struct field Route.groupBy of type []string",
                "route[1]: `groupBy` is a string; it has to be a list of strings",
            ),
            (
                "json: cannot unmarshal array into Go value of type v1alpha1.Route",
                "it is a list; it has to be a route, with fields such as `receiver` and `matchers`",
            ),
            ("anything else", "anything else"),
        ] {
            assert_eq!(plain(message), expected);
        }
    }

    #[test]
    fn what_a_message_leaves_out_is_added() {
        let of_operator = help("\"in\" is not a valid label selector operator").unwrap();
        assert_eq!(
            of_operator,
            "did you mean In? use In, NotIn, Exists or DoesNotExist"
        );
        assert!(
            help("a: unsupported scheme \"\" for URL")
                .unwrap()
                .contains("https://")
        );
        assert!(
            help("[0]: invalid regex *a for relabel configuration: error")
                .unwrap()
                .contains("`.*a`")
        );
        assert_eq!(help("nothing known"), None);
    }
}
