//! What expressions come to: values, errors with their places, unknown values, and that nothing takes more than its fuel.

use super::*;
use crate::value::CelObject;
use promgen_text::yaml::node::Node;
use promgen_text::yaml::read::read_slices;
use serde_json::json;

/// A step budget that all but attacks keep to.
const FUEL: u64 = 100_000;

/// The outcome with `o`, an object of JSON that has `u`, which nobody knows, and `l`, a list of 1,000 numbers.
fn outcome(text: &str) -> String {
    let object = json!({"a": 1, "b": [1, 2], "s": "é€x", "m": {"k": null}, "d": 1.5, "big": 9_007_199_254_740_993_u64});
    let numbers: Vec<_> = (0..1_000).map(CelValue::Int).collect();
    let expression = match CelExpression::parse(text) {
        Ok(expression) => expression,
        Err(fault) => return format!("{:?} {}", fault.span.range(), fault.message),
    };
    let unknown = CelValue::Unknown(CelText::Borrowed("chart"));
    let slots: Vec<_> = expression
        .variables()
        .map(|name| match name {
            "o" => CelValue::Json(&object),
            "u" => unknown.clone(),
            "r" => CelValue::map(vec![
                (CelValue::text("u"), unknown.clone()),
                (CelValue::text("a"), CelValue::Int(1)),
            ]),
            "l" => CelValue::List(numbers.clone().into()),
            other => panic!("no value for {other}"),
        })
        .collect();
    match expression.evaluate(&slots, &mut { FUEL }) {
        CelOutcome::Value(value) => format!("{:?}", value.resolved()),
        CelOutcome::Error(error) => format!("{} at {:?}", error.message, &text[error.span.range()]),
        CelOutcome::Unknown(why) => format!("unknown: {}", &*why),
        CelOutcome::OutOfFuel => "fuel".to_owned(),
    }
}

#[test]
fn values_are_those_of_the_language() {
    for (text, expected) in [
        ("1 + 2 * 3 - 4 / 2 % 2", "Int(7)"),
        ("-9223372036854775808", "Int(-9223372036854775808)"),
        ("o.big + 1", "Int(9007199254740994)"),
        ("1u < 2 && 2 < 2.5 && 1 == 1.0", "Bool(true)"),
        ("o.s.size() == 3 && size(b'é') == 2", "Bool(true)"),
        (
            r#"r'\d' + "\u00e9\x41\101" + '''a'b'''"#,
            r#"Text("\\déAAa'b")"#,
        ),
        ("o.m == {'k': null} && 'k' in o.m", "Bool(true)"),
        ("{1: 'x', 'b': 2, true: 3}[1u]", r#"Text("x")"#),
        (
            "{'b': 1, 'a': 2}.map(k, k)",
            r#"List([Text("a"), Text("b")])"#,
        ),
        ("o.b.map(x, x > 1, x * 2) == [4]", "Bool(true)"),
        (
            "[5, 6].all(i, v, v > i) && {'a': 1}.exists(k, v, k == 'a' && v == 1)",
            "Bool(true)",
        ),
        (
            "{'a': 1}.transformMap(k, v, v + 1) == {'a': 2}",
            "Bool(true)",
        ),
        ("o.?x.?y.orValue('no')", r#"Text("no")"#),
        (
            "o.?a.optMap(a, a + 1).orValue(0) + [1][?5].orValue(7)",
            "Int(9)",
        ),
        ("[?o.?x, ?o.?a] == [1] && {?'x': o.?x} == {}", "Bool(true)"),
        (
            "duration('90s').getMinutes() == 1 && string(duration('90s')) == '90s'",
            "Bool(true)",
        ),
        (
            "type(1) == int && type(duration('1s')) == google.protobuf.Duration",
            "Bool(true)",
        ),
        (
            "'aXbXc'.split('X', 2).join('-') + 'abc'.substring(1, 2)",
            r#"Text("a-bXcb")"#,
        ),
        (
            "o.s.indexOf('x') == 2 && o.s.charAt(0) == 'é' && 'aXa'.lastIndexOf('a') == 2",
            "Bool(true)",
        ),
        (
            "'a1b22'.findAll('[0-9]+') == ['1', '22'] && 'a1'.find('[0-9]') == '1'",
            "Bool(true)",
        ),
        (
            "[3, 1].min() + [3, 1].max() + [3, 1].sum() == 8 && [1, 3].isSorted()",
            "Bool(true)",
        ),
        (
            "string(1e21) + string(1.0) + string(1234567.5)",
            r#"Text("1e+2111.2345675e+06")"#,
        ),
        (
            "!!true && 1 - -1 == 2 && -(1) == -1 // a comment",
            "Bool(true)",
        ),
        ("true ? 1 : 1 / 0", "Int(1)"),
    ] {
        assert_eq!(outcome(text), expected, "{text}");
    }
}

#[test]
fn errors_have_a_place() {
    for (text, expected) in [
        ("1 + o.nope", r#"no such key: nope at "o.nope""#),
        ("o.b[2] == 1", r#"index out of bounds: 2 at "o.b[2]""#),
        ("1 + (2 / 0)", r#"division by zero at "(2 / 0)""#),
        (
            "o.nope == 1 || 1 / 0 == 1",
            r#"no such key: nope at "o.nope""#,
        ),
        (
            "9223372036854775807 + 1",
            r#"integer overflow at "9223372036854775807 + 1""#,
        ),
        (
            "true && o.a",
            r#"expected a bool, found a int at "true && o.a""#,
        ),
        ("1 + 'a'", r#"no such overload: int + string at "1 + 'a'""#),
        ("[0, 1].all(x, 1 / x > 0)", r#"division by zero at "1 / x""#),
        (
            "'a'.matches('(')",
            r#"error parsing regexp: missing closing ): `(` at "'a'.matches('(')""#,
        ),
        (
            "duration('1d')",
            r#"`1d` is no duration at "duration('1d')""#,
        ),
        ("0.0 / 0.0 < 1", r#"NaN has no order at "0.0 / 0.0 < 1""#),
        ("size(1)", r#"no such overload for (int) at "size(1)""#),
    ] {
        assert_eq!(outcome(text), expected, "{text}");
    }
}

#[test]
fn faults_have_a_place() {
    for (text, expected) in [
        ("1 +", "3..3 expected an expression, found the end"),
        ("(1", "2..2 expected `)`, found the end"),
        ("a b", "2..3 expected the end of the expression, found `b`"),
        ("'a", "0..1 the text has no closing quote"),
        (r"'\q'", "1..3 unknown escape sequence"),
        ("o.nope()", "2..6 unknown function `nope`"),
        ("size()", "0..4 `size` does not take 0 arguments"),
        (
            "contains('a', 'b')",
            "0..8 `contains` is a function of a value: `x.contains(…)`",
        ),
        (
            "Foo{a: 1}",
            "0..3 values of protobuf messages are not supported",
        ),
        ("package", "0..7 `package` is a reserved word"),
        ("9223372036854775808", "0..19 the int is too large"),
        (
            "has(o)",
            "0..6 expected one field in `has`, as in `has(a.b)`",
        ),
        ("[1].all(1, true)", "8..9 expected a name, found a number"),
        ("timestamp('x')", "0..9 timestamps are not supported"),
        ("a # b", "2..3 unexpected `#`"),
    ] {
        assert_eq!(outcome(text), expected, "{text}");
    }
}

#[test]
fn unknown_is_absorbed_where_another_part_decides() {
    for (text, expected) in [
        ("u && false", "Bool(false)"),
        ("true || u", "Bool(true)"),
        ("[1, 2].all(x, x == 1 ? u : false)", "Bool(false)"),
        ("[1, 2].exists(x, x == 1 ? u : true)", "Bool(true)"),
        ("[1, u] == [2, 5] || 1 in [1, 2]", "Bool(true)"),
        ("r.a == 1", "Bool(true)"),
    ] {
        assert_eq!(outcome(text), expected, "{text}");
    }
    for text in [
        "u && true",
        "u || 1 / 0 == 1",
        "1 / 0 == 1 || u",
        "!u",
        "u ? 1 : 2",
        "u == u",
        "[u]",
        "has(r.u)",
        "has(u.x)",
        "u.x.y",
        "r.?u.orValue(true)",
        "r.?u.or(optional.of(true)).orValue(true)",
        "u.or(optional.of(1))",
        "u.orValue(optional.of(1))",
        "r.?u.or(1 / 0)",
        "r[?'u'].hasValue()",
        "size([u]) == 1",
        "'a' in u",
        "u.all(x, x)",
        "[1].map(x, u)",
        "string(u)",
        "r == {'u': 1, 'a': 1}",
        "u + 1",
        "r.map(k, r[k])",
        "[1].exists_one(x, u)",
        "[1].filter(x, u)",
        "{'a': u}",
        "o.b[u]",
    ] {
        assert_eq!(outcome(text), "unknown: chart", "{text}");
    }
    assert!(outcome("u + 1 / 0").starts_with("division by zero"));
}

#[test]
fn nothing_takes_more_than_its_fuel_and_its_stack() {
    let chain = |part: &str, n: usize| format!("o{}", part.repeat(n));
    let attacks = [
        "l.all(a, l.all(b, l.all(c, a + b + c >= 0)))".to_owned(),
        chain(".b.map(x, [x, x])", 60)
            .replacen("o.b", "l", 1)
            .replace(".b.map", ".map"),
        format!(
            "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'{}",
            ".replace('a', 'aaaaaaaaaaaaaaaa')".repeat(60)
        ),
        format!("['a']{}", ".map(x, x + x)".repeat(40)),
        format!("[l]{} == [l]", ".map(x, x + x)".repeat(40)),
        r"'a'.matches('\\pL{1000}|x')".to_owned(),
        r"l.all(x, 'x'.matches('\\pL{9}|x|' + string(x)))".to_owned(),
        r"l.all(x, 'x'.matches('\\pL{8}x|x'))".to_owned(),
    ];
    let deep = [
        format!("{}1{}", "(".repeat(2_000), ")".repeat(2_000)),
        format!("{}1{}", "[".repeat(2_000), "]".repeat(2_000)),
        format!("{}1{}", "{1:".repeat(1_000), "}".repeat(1_000)),
        format!("1{}", "+1".repeat(2_000)),
        format!("{}1", "true?1:".repeat(500)),
        chain(".a", 2_000),
        chain("[0]", 1_000),
        chain(".m.map(x,x)", 300),
        format!("{}true", "!-".repeat(1_000)),
        format!("{}1{}", "[1].map(x,".repeat(300), ")".repeat(300)),
        format!("{}(1{}", "(1+".repeat(60), "+1)".repeat(900)),
        " ".repeat(5_000),
    ];
    // As large as the others, and allowed.
    let wide = [
        format!("{}true", "!".repeat(4_000)),
        format!("true{}", "&&true".repeat(600)),
        format!("false{}", "||false".repeat(500)),
        format!("1{} > 0", "+1".repeat(100)),
        format!("{}true{}", "(".repeat(60), ")".repeat(60)),
        format!("1 in [{}1]", "2,".repeat(2_000)),
        format!("{}true{}", "[1].all(x,".repeat(50), ")".repeat(50)),
    ];
    // The stack of a thread of a pool is larger.
    let check = move || {
        for text in attacks {
            assert_eq!(outcome(&text), "fuel", "{text}");
        }
        for text in deep {
            let fault = CelExpression::parse(&text).expect_err(&text).message;
            assert!(!fault.is_empty(), "{text}");
        }
        for text in wide {
            assert_eq!(
                outcome(&text),
                "Bool(true)".replace(
                    "true",
                    if text.starts_with("false") {
                        "false"
                    } else {
                        "true"
                    }
                ),
                "{text}"
            );
        }
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    thread.spawn(check).unwrap().join().unwrap();
}

#[test]
fn items_of_a_document_keep_their_places() {
    let text = "port: 1.0\nhuge: 18446744073709551615\nlist:\n- {name: a, up: yes}\n- {name: b}\n";
    let node: Node = read_slices(text).unwrap().unwrap();
    let of = |text: &str| {
        let expression = CelExpression::parse(text).unwrap();
        let found: Vec<usize> = match expression.evaluate(&[CelValue::Node(&node)], &mut { FUEL }) {
            CelOutcome::Value(CelValue::List(items)) => items
                .iter()
                .map(|item| item.node().map_or(0, |node| node.span.start as usize))
                .collect(),
            CelOutcome::Value(CelValue::Bool(value)) => vec![usize::from(value)],
            other => panic!("{other:?}"),
        };
        found
    };
    let place = |part: &str| text.find(part).unwrap();
    assert_eq!(of("n.list.filter(x, !has(x.up))"), [place("{name: b")]);
    assert_eq!(of("n.list.map(x, x.name)"), [place("a, up"), place("b}")]);
    assert_eq!(
        of("n.list.filter(x, x.name == 'b') + [1]"),
        [place("{name: b"), 0]
    );
    // Numbers are as the API server has them.
    assert_eq!(
        of("type(n.port) == int && type(n.huge) == double && n.list[0].up"),
        [1]
    );
}

/// An object that counts which of its fields are asked for.
struct Lazy(std::sync::atomic::AtomicUsize);

impl CelObject for Lazy {
    fn field(&self, name: &str) -> Option<CelValue<'_>> {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        ["a", "b"].contains(&name).then(|| CelValue::text(name))
    }

    fn keys(&self) -> Vec<CelText<'_>> {
        vec![CelText::Borrowed("b"), CelText::Borrowed("a")]
    }
}

#[test]
fn fields_of_an_object_are_computed_when_they_are_asked_for() {
    let lazy = Lazy(0.into());
    let expression =
        CelExpression::parse("o.map(k, k) == ['a', 'b'] && o.a == 'a' || o.b == 'b'").unwrap();
    let outcome = expression.evaluate(&[CelValue::Object(&lazy)], &mut { FUEL });
    assert!(
        matches!(outcome, CelOutcome::Value(CelValue::Bool(true))),
        "{outcome:?}"
    );
    assert_eq!(lazy.0.into_inner(), 1);
}
