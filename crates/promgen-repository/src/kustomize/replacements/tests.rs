//! Tests of what this module does to objects, and that nothing makes it panic.

use promgen_testing::texts::text_of;
use proptest::prelude::*;

use super::apply;
use crate::kustomize::object::BuiltObject;
use crate::kustomize::value::tests::{OBJECT, PATCH, any_node, at, origin, parse, shown};

const SOURCE: &str =
    "{kind: ConfigMap, metadata: {name: cm}, data: {a: '8080', b: x-y-z}, n: 5, m: {k: v}}";
const TARGET: &str = "{kind: T, metadata: {name: t}, spec: {s: foo, i: 3, m: {}, d: a-b, \
                      c: [{name: x, v: p}, {name: xy, v: q}]}}";

fn replaced(entry: &str) -> Result<Vec<BuiltObject>, String> {
    let mut objects = [SOURCE, TARGET].map(|text| BuiltObject::new(parse(OBJECT, text)));
    apply(&mut objects, &parse(PATCH, entry)).map_err(|fault| fault.message)?;
    Ok(objects.into())
}

#[track_caller]
fn check(source: &str, target: &str, path: &str, expected: &str) {
    let entry = format!("{{{source}, targets: [{{select: {{kind: T}}, {target}}}]}}");
    assert_eq!(
        shown(at(&replaced(&entry).unwrap()[1].node, path)),
        expected,
        "{entry}"
    );
}

#[track_caller]
fn fault(source: &str, target: &str, expected: &str) {
    let entry = format!("{{{source}, targets: [{{select: {{kind: T}}, {target}}}]}}");
    assert_eq!(replaced(&entry).unwrap_err(), expected);
}

#[test]
fn values_are_copied() {
    let a = "source: {kind: ConfigMap, fieldPath: data.a}";
    check(a, "fieldPaths: [spec.s]", "spec.s", "'8080'");
    check(a, "fieldPaths: [spec.i]", "spec.i", "8080");
    check(a, "fieldPaths: [spec.m]", "spec.m", "'8080'");
    check(
        a,
        "fieldPaths: [spec.new], options: {create: true}",
        "spec.new",
        "8080",
    );
    check(
        a,
        "fieldPaths: ['spec.c.[name=x].v']",
        "spec.c",
        "[{name:'x',v:'8080'},{name:'xy',v:'8080'}]",
    );
    check(
        a,
        "fieldPaths: ['spec.c.[name=^x$].v']",
        "spec.c",
        "[{name:'x',v:'8080'},{name:'xy',v:'q'}]",
    );
    check(
        a,
        "fieldPaths: ['spec.c.*.v']",
        "spec.c",
        "[{name:'x',v:'8080'},{name:'xy',v:'8080'}]",
    );
    check(
        a,
        "fieldPaths: ['metadata.annotations.[a.b/c]'], options: {create: true}",
        "metadata.annotations",
        "{a.b/c:8080}",
    );
    check(
        "source: {kind: ConfigMap, fieldPath: m}",
        "fieldPaths: [spec.m]",
        "spec.m",
        "{k:'v'}",
    );
    check("sourceValue: '7'", "fieldPaths: [spec.m]", "spec.m", "7");
    check(
        "source: {kind: ConfigMap}",
        "fieldPaths: []",
        "metadata.name",
        "'cm'",
    );
}

#[test]
fn parts_of_texts_are_copied() {
    let b = "source: {kind: ConfigMap, fieldPath: data.b, options: {delimiter: '-', index: 1}}";
    check(b, "fieldPaths: [spec.s]", "spec.s", "'y'");
    check(
        b,
        "fieldPaths: [spec.d], options: {delimiter: '-', index: 1}",
        "spec.d",
        "'a-y'",
    );
    check(
        b,
        "fieldPaths: [spec.d], options: {delimiter: '-', index: -1}",
        "spec.d",
        "'y-a-b'",
    );
    check(
        b,
        "fieldPaths: [spec.d], options: {delimiter: '-', index: 9}",
        "spec.d",
        "'a-b-y'",
    );
}

#[test]
fn rejected_objects_stay() {
    let a = "source: {kind: ConfigMap, fieldPath: data.a}";
    check(
        a,
        "reject: [{name: t}], fieldPaths: [spec.s]",
        "spec.s",
        "'foo'",
    );
    check(
        a,
        "reject: [{labelSelector: '!a'}], fieldPaths: [spec.s]",
        "spec.s",
        "'foo'",
    );
}

#[test]
fn what_is_missing_is_a_fault() {
    let a = "source: {kind: ConfigMap, fieldPath: data.a}";
    fault(
        a,
        "fieldPaths: [spec.no]",
        "`spec.no`: the target of the replacement has no such field",
    );
    fault(
        a,
        "fieldPaths: [spec.c.7]",
        "`spec.c.7`: index 7 of a list of 2 items",
    );
    fault(
        a,
        "fieldPaths: [spec.s.t]",
        "`spec.s.t`: expected a map, found a scalar",
    );
    fault(
        "source: {kind: ConfigMap, fieldPath: data.b}",
        "fieldPaths: [spec.i]",
        "the value does not fit the field, which is a whole number",
    );
    fault(
        "source: {kind: Nothing}",
        "fieldPaths: [spec.s]",
        "the source of the replacement is no object",
    );
    fault(
        "source: {}",
        "fieldPaths: [spec.s]",
        "the source of the replacement is several objects",
    );
    fault(
        "source: {kind: T, fieldPath: spec.no}",
        "fieldPaths: [spec.s]",
        "the source of the replacement, T t, has no `spec.no`",
    );
}

#[test]
fn a_copied_value_stands_where_its_source_stands() {
    let entry = "{source: {kind: ConfigMap, fieldPath: data.a}, targets: [{select: {kind: T}, fieldPaths: [spec.s]}]}";
    let objects = replaced(entry).unwrap();
    assert_eq!(
        origin(at(&objects[1].node, "spec.s"), [SOURCE, entry]),
        (OBJECT, "'8080'")
    );
}

proptest! {
    #[test]
    fn nothing_panics(source in any_node(), target in any_node(), entry in any_node()) {
        let _ = apply(&mut [BuiltObject::new(source), BuiltObject::new(target)], &entry);
    }

    #[test]
    fn no_path_panics(
        target in any_node(),
        path in text_of(
            &["spec", "metadata", "a", "0", "3", "-", "*", "[name=a]", "[=a]", "[=aaa]", "[a.b]", "[", ".", "\\", "=", "]"],
            0..=5,
        ),
        from in text_of(&["data", ".", "a", "[", "=", "0", "-"], 0..=5),
        create in any::<bool>(),
    ) {
        let entry = format!(
            "{{source: {{kind: ConfigMap, fieldPath: '{from}'}}, \
             targets: [{{select: {{}}, fieldPaths: ['{path}'], options: {{create: {create}}}}}]}}"
        );
        let mut objects = [BuiltObject::new(parse(OBJECT, SOURCE)), BuiltObject::new(target)];
        let _ = apply(&mut objects, &parse(PATCH, &entry));
    }
}
