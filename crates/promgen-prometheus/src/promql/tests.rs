//! Verdicts on the expressions of Prometheus' own tests.

use promql_parser::parser;
use serde::Deserialize;

use crate::promql::*;
use promgen_testing::recorded_text;

const NOTHING: Features = Features { experimental_functions: false, fill_modifiers: false };
const EVERYTHING: Features = Features { experimental_functions: true, fill_modifiers: true };

#[derive(Deserialize)]
struct Case {
    expr: String,
    valid: bool,
}

/// The recorded expressions, if they stand beside the project.
fn cases() -> Vec<Case> {
    let text = recorded_text("conformance/promql/expressions.json");
    text.map(|text| serde_json::from_str(&text).unwrap()).unwrap_or_default()
}

/// Where we differ and are right. Two were recorded from bytes that are no text; two are the start of an expression that
/// the tests complete.
const DIFFERENT: [&str; 4] = ["some_metric{a=\"ÿ\"}", "label_replace(a, `b`, `cÿ`, `d`, `.*`)", "{'foo\\'bar', ", "`"];

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
    assert!(unknown * 5 < checked || checked == 0, "{unknown} of {checked} expressions are not checked");
}

#[test]
fn what_is_switched_off_is_refused() {
    for Case { expr, .. } in cases() {
        match (check(&expr, NOTHING), check(&expr, EVERYTHING)) {
            (Validity::Invalid(reason), Validity::Valid | Validity::Unknown(_)) => {
                assert!(reason.ends_with("not enabled"), "{expr}: {reason}")
            }
            (nothing, everything) => assert_eq!(nothing, everything, "{expr}"),
        }
    }
    for expr in ["limitk(1, x)", "sum(mad_over_time(x[5m]))", "x + fill(0) y"] {
        assert!(matches!(check(expr, NOTHING), Validity::Invalid(_)), "{expr}");
        assert_eq!(check(expr, EVERYTHING), Validity::Valid, "{expr}");
    }
}

/// Printing changes how an expression is written, not what it is; and what was printed is printed as it is.
#[test]
fn printed_expressions_are_the_same_expressions() {
    for Case { expr, .. } in cases() {
        if check(&expr, NOTHING) != Validity::Valid {
            continue;
        }
        let once = print::print(&expr).unwrap_or_else(|| panic!("{expr} is not printed"));
        assert_eq!(print::print(&once).as_ref(), Some(&once), "{expr}");
        let trees = [&expr, &once].map(|text| parser::parse(text).map(|tree| tree.to_string()));
        assert_eq!(trees[0], trees[1], "{expr}");
    }
}

#[test]
fn literals_are_in_range() {
    for bad in ["1e400", "x[0]", "x[1e30]", "x offset 9e30", "x offset -9e30", "x[5m:9e30]", "x @ 1e30", "x @ nan"] {
        assert!(matches!(check(bad, NOTHING), Validity::Invalid(_)), "{bad}");
    }
    for good in ["1_000", "x[1.5]", "x offset -1", "x @ -1", "0x1F", "x offset 0"] {
        assert_eq!(check(good, NOTHING), Validity::Valid, "{good}");
    }
}

#[test]
fn patterns_are_those_of_go() {
    for good in [r#"x{a=~"[[:word:]]\\pN"}"#, r#"x{a=~"(?P<n>a)(?P<n>b)"}"#, r#"{a=~".+"}"#, "x{a=~`a{,1}`}"] {
        assert_eq!(check(good, NOTHING), Validity::Valid, "{good}");
    }
    for bad in [r#"x{a=~"("}"#, r#"x{a=~"\\C"}"#, r#"x{a=~"a{1001}"}"#, r#"{a=~".*"}"#, r#"x{a=~"\xff"}"#] {
        assert!(matches!(check(bad, NOTHING), Validity::Invalid(_)), "{bad}");
    }
}

#[test]
fn hostile_texts_end() {
    let deep = [
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
