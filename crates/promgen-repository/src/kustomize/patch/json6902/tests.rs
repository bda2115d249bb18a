//! Tests of what this module does to objects, and that nothing makes it panic.

use promgen_testing::texts::text_of;
use proptest::prelude::*;

use super::apply;
use crate::kustomize::value::tests::{OBJECT, PATCH, any_node, at, origin, parse, shown};

#[track_caller]
fn check(object: &str, operations: &str, expected: &str) {
    assert_eq!(
        shown(&apply(parse(OBJECT, object), &parse(PATCH, operations)).unwrap()),
        expected
    );
}

#[track_caller]
fn fault(operations: &str, expected: &str) {
    let fault = apply(
        parse(OBJECT, "{a: 1, l: [1], n: null}"),
        &parse(PATCH, operations),
    )
    .unwrap_err();
    assert_eq!(fault.message, expected);
}

#[test]
fn operations_apply_in_order() {
    check(
        "{a: [1, 2]}",
        "[{op: add, path: /a/-, value: 3}, {op: remove, path: /a/0}]",
        "{a:[2,3]}",
    );
    check(
        "{a: 1}",
        "[{op: move, from: /a, path: /b}, {op: copy, from: /b, path: /c}]",
        "{b:1,c:1}",
    );
    check(
        "{a: [1]}",
        "[{op: add, path: /a/-1, value: 2}, {op: replace, path: /a/-2, value: 0}]",
        "{a:[0,2]}",
    );
    check(
        "{a: {x/y: 1, '~': 2}}",
        "[{op: remove, path: /a/x~1y}, {op: replace, path: /a/~0, value: 3}]",
        "{a:{~:3}}",
    );
    check(
        "{a: {b: 1, c: 2}}",
        "[{op: test, path: /a, value: {c: 2, b: 1.0}}]",
        "{a:{b:1,c:2}}",
    );
}

#[test]
fn a_missing_key_is_null_to_replace_and_copy() {
    check(
        "{a: 1}",
        "[{op: replace, path: /b, value: 2}, {op: copy, from: /x, path: /c}]",
        "{a:1,b:2,c:null}",
    );
    check(
        "{a: 1}",
        "[{op: test, path: /b, value: null}, {op: add, path: /c}]",
        "{a:1,c:null}",
    );
    check(
        "{a: 1}",
        "[{op: add, path: ignored/b, value: 2}]",
        "{a:1,b:2}",
    );
}

#[test]
fn missing_places_are_faults() {
    fault("[{op: remove, path: /x}]", "the object has no `/x`");
    fault(
        "[{op: add, path: /x/y, value: 1}]",
        "the object has no `/x/y`",
    );
    fault(
        "[{op: add, path: /n/y, value: 1}]",
        "the object has no `/n/y`",
    );
    fault(
        "[{op: add, path: /l/2, value: 1}]",
        "the object has no `/l/2`",
    );
    fault(
        "[{op: replace, path: /l/1, value: 1}]",
        "the object has no `/l/1`",
    );
    fault("[{op: remove, path: /l/-}]", "the object has no `/l/-`");
    fault("[{op: move, from: /x, path: /y}]", "the object has no `/x`");
    fault(
        "[{op: test, path: /a, value: 2}]",
        "the test of `/a` fails: the object has another value",
    );
    fault(
        "[{op: touch, path: /a}]",
        "unknown operation; known are add, remove, replace, move, copy, test",
    );
    fault("[{op: add}]", "the operation lacks `path`");
    fault("[{path: /a}]", "the operation lacks `op`");
    fault("{op: add}", "expected a list of operations, found a map");
    fault(
        "[{op: replace, path: '', value: [1]}]",
        "the patch leaves no object",
    );
}

#[test]
fn annotations_are_texts_afterwards() {
    let object = "{metadata: {annotations: {a: 5, b: x}, labels: {a: 5}}}";
    check(
        object,
        "[]",
        "{metadata:{annotations:{a:'5',b:'x'},labels:{a:5}}}",
    );
    check("{metadata: {annotations: {}}}", "[]", "{metadata:{}}");
}

#[test]
fn each_value_keeps_its_place() {
    let (object, patch) = (
        "{a: {b: old}, c: keep}",
        "[{op: replace, path: /a/b, value: new}, {op: copy, from: /c, path: /d}]",
    );
    let patched = apply(parse(OBJECT, object), &parse(PATCH, patch)).unwrap();
    assert_eq!(origin(at(&patched, "a.b"), [object, patch]), (PATCH, "new"));
    assert_eq!(origin(at(&patched, "d"), [object, patch]), (OBJECT, "keep"));
    assert_eq!(at(&patched, "a").span.file, OBJECT);
}

#[test]
fn an_object_cannot_grow_without_end() {
    let double = "{op: copy, from: /a, path: /a/-}, ".repeat(64);
    let fault = apply(
        parse(OBJECT, "{a: [1, 2, 3]}"),
        &parse(PATCH, &format!("[{double}]")),
    )
    .unwrap_err();
    assert!(
        fault
            .message
            .starts_with("the kustomization exceeds the limit `build-bytes` of "),
        "{fault}"
    );
    let deeper = "{op: copy, from: /a, path: /a/b}, ".repeat(600);
    let fault = apply(
        parse(OBJECT, "{a: {}}"),
        &parse(PATCH, &format!("[{deeper}]")),
    )
    .unwrap_err();
    assert!(
        fault.message.starts_with("the patch nests more than"),
        "{fault}"
    );
}

proptest! {
    #[test]
    fn nothing_panics(object in any_node(), operations in any_node()) {
        let _ = apply(object, &operations);
    }

    #[test]
    fn no_operation_panics(
        object in any_node(),
        op in proptest::sample::select(vec!["add", "remove", "replace", "move", "copy", "test"]),
        path in text_of(&["/a", "/spec", "/name", "/0", "/1", "/-", "/-1", "/~0"], 0..=3),
        from in text_of(&["/a", "/spec", "/name", "/0", "/1", "/-", "/-9"], 0..=3),
        value in any_node(),
    ) {
        let text = format!("[{{op: {op}, path: '{path}', from: '{from}', value: 1}}]");
        let mut operations = parse(PATCH, &text);
        if let promgen_text::yaml::Data::Seq(items) = &mut operations.data {
            promgen_text::yaml::edit::set(&mut items[0], "value", value.span, value);
        }
        let _ = apply(object, &operations);
    }
}
