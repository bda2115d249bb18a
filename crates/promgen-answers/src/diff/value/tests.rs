//! Tests of value differences.

use super::*;
use promgen_text::yaml::read::read_slices;

fn value(yaml: &str) -> Value {
    read_slices(yaml).unwrap().unwrap().to_value()
}

fn shown(base: &str, head: &str) -> Vec<String> {
    let (base, head) = (value(base), value(head));
    let shades = Shades::new(["hush".to_owned()]);
    let line = |field: FieldChange| {
        let (from, to) = (field.from.unwrap_or_default(), field.to.unwrap_or_default());
        format!("{} {}: {from} -> {to}", field.change.sign(), field.path)
    };
    shades
        .deltas(&diff(&base, &head))
        .into_iter()
        .map(line)
        .collect()
}

#[test]
fn named_items_are_compared_by_name() {
    let base = "{c: [{name: a, image: 1}, {name: b}, {name: c}]}";
    let head = "{c: [{name: b, x.y: 2}, {name: a, image: 2}, {name: d}]}";
    let expected = [
        "~ c:  -> ",
        "~ c[a].image: 1 -> 2",
        "+ c[b][\"x.y\"]:  -> 2",
        "- c[c]: { \"name\": \"c\" } -> ",
        "+ c[d]:  -> { \"name\": \"d\" }",
    ];
    assert_eq!(shown(base, head), expected);
}

#[test]
fn of_other_lists_the_common_ends_are_left_out() {
    assert_eq!(shown("[1, 2, 3]", "[1, 4, 2, 3]"), ["+ [1]:  -> 4"]);
    assert_eq!(
        shown("[{a: 1}, {a: 2}]", "[{a: 1}, {a: 3}]"),
        ["~ [1].a: 2 -> 3"]
    );
    assert_eq!(
        shown("[1, 2]", "[3]"),
        ["- [0]: 1 -> ", "- [1]: 2 -> ", "+ [0]:  -> 3"]
    );
}

#[test]
fn the_order_of_keys_is_no_difference_and_secrets_are_hidden() {
    assert!(shown("{a: 1, b: {c: 1, d: 2}}", "{b: {d: 2, c: 1}, a: 1}").is_empty());
    assert_eq!(
        shown("{a: x}", "{a: say hush now}"),
        ["~ a: x -> <redacted>"]
    );
    assert_eq!(shown("{a: x}", "{a: {b: hush}}"), ["~ a: x -> <redacted>"]);
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![Just(Value::Null), (0..3_i64).prop_map(Value::Int)];
        leaf.prop_recursive(4, 30, 4, |inner| {
            let entries = prop::collection::btree_map(
                prop::sample::select(vec!["name", "b", "c"]),
                inner.clone(),
                0..4,
            );
            prop_oneof![
                prop::collection::vec(inner, 0..4).prop_map(Value::Seq),
                entries.prop_map(|e| Value::Map(e.into_iter().collect())),
            ]
        })
    }

    fn find<'v>(value: &'v Value, path: &[ValueStep]) -> Option<&'v Value> {
        path.iter().try_fold(value, |value, step| match step {
            ValueStep::Key(key) => value.get(key),
            ValueStep::Index(index) => value.as_seq()?.get(*index),
            ValueStep::Named(key, name) => value
                .as_seq()?
                .iter()
                .find(|item| name_of(key, item).as_ref() == Some(name)),
        })
    }

    proptest! {
        #[test]
        fn values_are_equal_if_and_only_if_nothing_is_named(base in any_value(), head in any_value()) {
            prop_assert_eq!(diff(&base, &head).is_empty(), base == head);
            prop_assert!(diff(&base, &base).is_empty());
        }

        #[test]
        fn what_is_named_differs_there(base in any_value(), head in any_value()) {
            for delta in diff(&base, &head).iter().filter(|delta| delta.change != Change::Moved) {
                prop_assert_eq!(delta.from, delta.from.and_then(|_| find(&base, &delta.path)));
                prop_assert_eq!(delta.to, delta.to.and_then(|_| find(&head, &delta.path)));
                prop_assert!(delta.from != delta.to);
            }
        }
    }
}
