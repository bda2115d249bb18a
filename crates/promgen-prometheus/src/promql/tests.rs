//! Verdicts on the expressions of Prometheus' own tests.

use serde::Deserialize;

use super::*;
use promgen_testing::{needs, recorded_text};

const NOTHING: Features = Features {
    experimental_functions: false,
    fill_modifiers: false,
    duration_expressions: false,
    extended_selectors: false,
    is_3_14: false,
    is_newer: false,
};
const EVERYTHING: Features = Features {
    experimental_functions: true,
    fill_modifiers: true,
    duration_expressions: true,
    extended_selectors: true,
    is_3_14: true,
    is_newer: false,
};

#[derive(Deserialize)]
struct Case {
    expr: String,
    valid: bool,
}

/// The recorded expressions.
fn cases() -> Vec<Case> {
    serde_json::from_str(&recorded_text("conformance/promql/expressions.json")).unwrap()
}

/// Where we differ and are right. Two were recorded from bytes that are no text; two are the start of an expression that
/// the tests complete.
const DIFFERENT: [&str; 4] = [
    "some_metric{a=\"ÿ\"}",
    "label_replace(a, `b`, `cÿ`, `d`, `.*`)",
    "{'foo\\'bar', ",
    "`",
];

#[needs(recordings)]
#[test]
fn verdicts_are_those_of_prometheus() {
    let (mut wrong, mut checked, mut unknown) = (Vec::new(), 0, 0);
    for Case { expr, valid } in cases() {
        match check(&expr, EVERYTHING) {
            Validity::Unknown(_) => unknown += 1,
            verdict => {
                checked += 1;
                if (verdict == Validity::Valid) != valid && !DIFFERENT.contains(&&*expr) {
                    wrong.push(format!("{expr}: {verdict:?}, and it is {valid}"));
                }
            }
        }
    }
    println!("{checked} expressions checked, {unknown} left open");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(
        unknown * 5 < checked,
        "{unknown} of {checked} expressions are not checked"
    );
}

#[needs(recordings)]
#[test]
fn what_is_switched_off_is_refused_in_recorded_expressions() {
    for Case { expr, .. } in cases() {
        match (check(&expr, NOTHING), check(&expr, EVERYTHING)) {
            (Validity::Invalid(fault), Validity::Valid | Validity::Unknown(_)) => {
                assert!(fault.message.ends_with("not enabled"), "{expr}: {fault}")
            }
            (Validity::Invalid(_), Validity::Invalid(_)) => {}
            (nothing, everything) => assert_eq!(nothing, everything, "{expr}"),
        }
    }
}

#[test]
fn what_is_switched_off_is_refused() {
    for expr in ["rate(x[5m] smoothed)", "x[5m * 2]", "x offset (5m + 1m)"] {
        assert!(
            matches!(check(expr, NOTHING), Validity::Invalid(_)),
            "{expr}"
        );
        assert!(
            matches!(check(expr, EVERYTHING), Validity::Unknown(_)),
            "{expr}"
        );
    }
    let first = "first_over_time(x[5m])";
    assert!(matches!(check(first, NOTHING), Validity::Invalid(_)));
    assert_eq!(
        check(
            first,
            Features {
                is_3_14: true,
                ..NOTHING
            }
        ),
        Validity::Valid
    );
    for expr in ["limitk(1, x)", "sum(mad_over_time(x[5m]))", "x + fill(0) y"] {
        assert!(
            matches!(check(expr, NOTHING), Validity::Invalid(_)),
            "{expr}"
        );
        assert_eq!(check(expr, EVERYTHING), Validity::Valid, "{expr}");
    }
}

/// Printing changes how an expression is written, not what it is; and what was printed is printed as it is.
#[needs(recordings)]
#[test]
fn printed_expressions_are_the_same_expressions() {
    for Case { expr, .. } in cases() {
        if check(&expr, NOTHING) != Validity::Valid {
            continue;
        }
        let once = print::print(&expr).unwrap_or_else(|| panic!("{expr} is not printed"));
        assert_eq!(print::print(&once).as_ref(), Some(&once), "{expr}");
        let [tree, printed] = [&expr, &once].map(|text| shape(&parse(text).expect("valid")));
        assert_eq!(tree, printed, "{expr}");
    }
}

/// A tree without places and without what may be written in two ways.
fn shape(tree: &Tree) -> Vec<String> {
    let parts = tree
        .nodes()
        .iter()
        .filter(|node| !matches!(node.kind, ExprKind::Unary(_) | ExprKind::Number));
    parts
        .map(|node| format!("{:?} {}", node.yields, name_of(&node.kind)))
        .collect()
}

fn name_of(kind: &ExprKind) -> String {
    match kind {
        ExprKind::Number | ExprKind::Text | ExprKind::Unary(_) => String::new(),
        ExprKind::Range(_) => "range".to_owned(),
        ExprKind::Subquery(_) => "subquery".to_owned(),
        ExprKind::Paren(_) => "paren".to_owned(),
        ExprKind::Selector(selector) => {
            let name = selector.name.iter().map(|name| format!("__name__={name}"));
            let matchers = selector
                .matchers
                .iter()
                .map(|m| format!("{}{}{}", m.label, m.operator, m.value));
            let mut all: Vec<_> = name.chain(matchers).collect();
            all.sort_unstable();
            all.join(",")
        }
        ExprKind::Binary(binary) => format!("{} {:?}", binary.operator, binary.matching.many),
        ExprKind::Call(call) => call.function.name.to_owned(),
        ExprKind::Aggregate(aggregate) => aggregate.operator.to_owned(),
    }
}

#[test]
fn literals_are_in_range() {
    for bad in [
        "1e400",
        "x[0]",
        "x[1e30]",
        "x offset 9e30",
        "x offset -9e30",
        "x[5m:9e30]",
        "x @ 1e30",
        "x @ nan",
    ] {
        assert!(matches!(check(bad, NOTHING), Validity::Invalid(_)), "{bad}");
    }
    for good in [
        "1_000",
        "x[1.5]",
        "x offset -1",
        "x @ -1",
        "0x1F",
        "x offset 0",
    ] {
        assert_eq!(check(good, NOTHING), Validity::Valid, "{good}");
    }
}

#[test]
fn patterns_are_those_of_go() {
    for good in [
        r#"x{a=~"[[:word:]]\\pN"}"#,
        r#"x{a=~"(?P<n>a)(?P<n>b)"}"#,
        r#"{a=~".+"}"#,
        "x{a=~`a{,1}`}",
    ] {
        assert_eq!(check(good, NOTHING), Validity::Valid, "{good}");
    }
    for bad in [
        r#"x{a=~"("}"#,
        r#"x{a=~"\\C"}"#,
        r#"x{a=~"a{1001}"}"#,
        r#"{a=~".*"}"#,
        r#"x{a=~"\xff"}"#,
    ] {
        assert!(matches!(check(bad, NOTHING), Validity::Invalid(_)), "{bad}");
    }
}

#[test]
fn hostile_texts_end() {
    let deep = [
        format!("{}x", "-".repeat(100_000)),
        format!("{}x", "x ^ ".repeat(100_000)),
        "x{".repeat(100_000),
        "sum by (".repeat(100_000),
        "x[5m:]".to_owned() + &"[5m:]".repeat(50_000),
        "(".repeat(100_000),
        format!("{}1{}", "(".repeat(1900), ")".repeat(1900)),
        format!("a{}", " + a".repeat(1900)),
        format!("{}x{}", "sum(".repeat(900), ")".repeat(900)),
        "a + ".repeat(100_000),
        "\"".to_owned() + &"\\".repeat(100_001),
        "x{".to_owned() + &"a=~\"a\",".repeat(900) + "}",
        "\u{0}\u{7f}é☺".to_owned(),
    ];
    for text in deep {
        let _ = check(&text, NOTHING);
        let _ = enforce(&text, "a", "b");
    }
}

const SELECTS_ALL: &str = "the selector selects all series: no matcher refuses an empty value";

/// The place and the words of an error, and the help.
#[test]
#[expect(clippy::too_many_lines, reason = "a flat table")]
fn errors_are_placed_where_they_are() {
    for (text, place, message, help) in [
        (
            "raet(x[5m])",
            "raet",
            "unknown function \"raet\"",
            "did you mean \"rate\"?",
        ),
        (
            "sum(rate(x[5m])",
            "(",
            "the parenthesis is not closed",
            "add `)`",
        ),
        (
            "1 + x)",
            ")",
            "a parenthesis is closed that is not open",
            "remove it, or open it before",
        ),
        (
            "rate(x)",
            "x",
            "rate takes a range vector, found an instant vector",
            "add a range, as in `[5m]`",
        ),
        (
            "sum(x[5m])",
            "x[5m]",
            "sum takes an instant vector, found a range vector",
            "remove the range, or aggregate it over time",
        ),
        (
            "1 == 2",
            "1 == 2",
            "a comparison of scalars lacks `bool`",
            "write `== bool`",
        ),
        ("topk(x)", "topk(x)", "topk takes 2 arguments, found 1", ""),
        (
            "x{a=b}",
            "b",
            "unexpected `b` in a selector, expected a text in quotes",
            "write `\"b\"`",
        ),
        ("x{a='b}", "'b}", "the text is not closed", "add '"),
        (
            "x{a=~'('}",
            "'('",
            "error parsing regexp: missing closing ): `(`",
            "a parenthesis is not closed: add `)`, or write `\\(` for the character",
        ),
        (
            "{a=''}",
            "{a=''}",
            SELECTS_ALL,
            "name a metric, or add a matcher such as `job!=\"\"`",
        ),
        (
            "x +",
            "",
            "unexpected end of the expression, expected an operand",
            "",
        ),
        ("x y", "y", "unexpected `y`", ""),
        (
            "(x)[5m]",
            "[",
            "only a selector has a range",
            "a subquery takes any instant vector: write `[5m:]` in place of `[5m]`",
        ),
        (
            "sum(x) offset 5m",
            "offset",
            "`offset` stands behind a selector, a range or a subquery only",
            "",
        ),
        (
            "x and 1",
            "x and 1",
            "`and` takes instant vectors, found a scalar",
            "",
        ),
        (
            "x = 1",
            "=",
            "unexpected `=`",
            "write `==` to compare; `=` is for matchers in braces",
        ),
        ("x && y", "&", "unexpected `&`", "write `and`"),
        (
            "x > 1 for 5m",
            "for",
            "unexpected `for`",
            "`for` is a field of its own beside `expr`: `for: 5m`",
        ),
        (
            "x > 5%",
            "",
            "unexpected end of the expression, expected an operand",
            "`%` is the remainder of a division: 5% is 0.05",
        ),
        (
            "rate(x[5min])",
            "5min",
            "`5min` is neither a number nor a duration",
            "write `5m`; units are ms, s, m, h, d, w and y",
        ),
        (
            "x > 5GiB",
            "5GiB",
            "`5GiB` is neither a number nor a duration",
            "numbers have no unit: write `5 * 1024^3`",
        ),
        (
            "x\u{a0}> 1",
            "\u{a0}",
            "unexpected a no-break space (U+00A0)",
            "type a plain space in its place",
        ),
        (
            "x{a=\u{201c}b\u{201d}}",
            "\u{201c}",
            "unexpected a typographic quote (U+201C)",
            "write `\"` in its place",
        ),
        (
            "rate(sum by (a) (x)[5m])",
            "[",
            "only a selector has a range",
            "take the rate first, then aggregate: `sum by (a) (rate(x[5m]))`",
        ),
        (
            "avg_over_time(x, 5m)",
            "avg_over_time(x, 5m)",
            "avg_over_time takes 1 argument, found 2",
            "the range stands in brackets behind the selector, as in `x[10m]`",
        ),
    ] {
        let Validity::Invalid(fault) = check(text, EVERYTHING) else {
            panic!("{text} is taken")
        };
        let help = Some(help)
            .filter(|help| !help.is_empty())
            .map(str::to_owned);
        assert_eq!(
            (&text[fault.span.clone()], &*fault.message, fault.help),
            (place, message, help),
            "{text}"
        );
    }
}

/// Without a feature, and as it binds.
#[test]
fn operators_bind_as_in_prometheus() {
    for (text, operator) in [
        ("a + b * c", "+"),
        ("a * b + c", "+"),
        ("a or b and c", "or"),
        ("a == b + c", "=="),
        ("a ^ b * c", "*"),
    ] {
        let tree = parse(text).unwrap();
        assert!(
            matches!(&tree.root().kind, ExprKind::Binary(binary) if binary.operator == operator),
            "{text}"
        );
    }
    let tree = parse("-a ^ b").unwrap();
    assert!(
        matches!(tree.root().kind, ExprKind::Unary(_)),
        "a power binds closer than a sign"
    );
}
