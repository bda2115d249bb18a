//! Tests of what this module does to objects, and that nothing makes it panic.

use proptest::prelude::*;

use super::merge;
use crate::kustomize::value::tests::{OBJECT, PATCH, any_node, at, origin, parse, shown};

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: ";

#[track_caller]
fn check(object: &str, patch: &str, expected: &str) {
    let (object, patch) = (format!("{POD}{object}"), format!("{POD}{patch}"));
    let merged = merge(parse(OBJECT, &object), &parse(PATCH, &patch)).unwrap().unwrap();
    assert_eq!(shown(merged.get("spec").unwrap()), expected);
}

#[track_caller]
fn fault(object: &str, patch: &str) -> String {
    let (object, patch) = (format!("{POD}{object}"), format!("{POD}{patch}"));
    merge(parse(OBJECT, &object), &parse(PATCH, &patch)).unwrap_err().message
}

#[test]
fn items_of_the_patch_come_first() {
    check(
        "{containers: [{name: a}, {name: b}, {name: c}]}",
        "{containers: [{name: c, image: x}, {name: d}]}",
        "{containers:[{name:'c',image:'x'},{name:'d'},{name:'a'},{name:'b'}]}",
    );
}

#[test]
fn with_two_keys_only_new_items_come_first() {
    check(
        "{containers: [{name: a, ports: [{containerPort: 1, protocol: TCP}, {containerPort: 1, protocol: UDP}]}]}",
        "{containers: [{name: a, ports: [{containerPort: 1, protocol: UDP, name: u}, {containerPort: 2, protocol: TCP}]}]}",
        "{containers:[{name:'a',ports:[{containerPort:2,protocol:'TCP'},{containerPort:1,protocol:'TCP'},\
         {containerPort:1,protocol:'UDP',name:'u'}]}]}",
    );
}

#[test]
fn a_port_without_protocol_is_another_than_one_with_it() {
    let ports = |ports: &str| format!("{{containers: [{{name: a, ports: [{ports}]}}]}}");
    let with = "{containerPort: 80, protocol: TCP, name: with}";
    let without = "{containerPort: 80, name: without}";
    check(
        &ports(with),
        &ports(without),
        "{containers:[{name:'a',ports:[{containerPort:80,protocol:'TCP',name:'with'}]}]}",
    );
    check(&ports(without), &ports(with), "{containers:[{name:'a',ports:[{containerPort:80,name:'without'}]}]}");
}

#[test]
fn keys_are_compared_as_texts() {
    check(
        "{containers: [{name: a, ports: [{containerPort: 80, name: x}]}]}",
        "{containers: [{name: a, ports: [{containerPort: '80', name: w}]}]}",
        "{containers:[{name:'a',ports:[{containerPort:'80',name:'w'}]}]}",
    );
}

#[test]
fn an_item_without_its_key_empties_the_list() {
    check("{containers: [{name: a}, {name: b}]}", "{containers: [{image: x}]}", "{containers:[]}");
}

#[test]
fn the_last_of_several_items_with_one_key_stands() {
    check(
        "{containers: [{name: a, image: x}, {name: b}, {name: a, image: z}]}",
        "{containers: [{name: a, image: w}]}",
        "{containers:[{name:'a',image:'z'},{name:'b'}]}",
    );
}

#[test]
fn directives_delete_and_replace() {
    check(
        "{containers: [{name: a}, {name: b}]}",
        "{containers: [{name: a, $patch: delete}]}",
        "{containers:[{name:'b'}]}",
    );
    check("{containers: [{name: a}]}", "{containers: [{$patch: replace}, {name: c}]}", "{containers:[{name:'c'}]}");
    check("{containers: [{name: a}], x: 1}", "{containers: [{$patch: delete}]}", "{x:1}");
    check("{a: {b: 1, c: 2}}", "{a: {$patch: replace, d: 3}}", "{a:{d:3}}");
    check("{a: {b: 1}, x: 1}", "{a: {$patch: delete}}", "{x:1}");
    check("{x: 1}", "{a: {b: {$patch: delete}, c: null, d: {$patch: merge, e: 1}}}", "{x:1,a:{d:{e:1}}}");
    let deleted = format!("{POD}{{}}\n$patch: delete\n");
    let object = format!("{POD}{{}}\n");
    assert_eq!(merge(parse(OBJECT, &object), &parse(PATCH, &deleted)), Ok(None));
}

#[test]
fn replace_at_an_item_changes_nothing() {
    check(
        "{containers: [{name: a, image: x}]}",
        "{containers: [{name: a, $patch: replace}]}",
        "{containers:[{name:'a',image:'x'}]}",
    );
}

#[test]
fn other_instructions_are_fields() {
    check("{}", "{$setElementOrder/containers: [{name: a}]}", "{$setElementOrder/containers:[{name:'a'}]}");
}

#[test]
fn other_lists_are_replaced_as_they_are_written() {
    check(
        "{other: [{name: a}]}",
        "{other: [{$patch: delete}, null, {b: null}]}",
        "{other:[{$patch:'delete'},null,{b:null}]}",
    );
    let object = "apiVersion: my.io/v1\nkind: Pod\nspec: {containers: [{name: a}]}\n";
    let patch = "apiVersion: my.io/v1\nkind: Pod\nspec: {containers: [{name: b}]}\n";
    let merged = merge(parse(OBJECT, object), &parse(PATCH, patch)).unwrap().unwrap();
    assert_eq!(shown(at(&merged, "spec")), "{containers:[{name:'b'}]}");
}

#[test]
fn finalizers_are_a_set() {
    let object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {finalizers: [a, b, a]}\n";
    let patch = "apiVersion: v1\nkind: ConfigMap\nmetadata: {finalizers: [c, b]}\n";
    let merged = merge(parse(OBJECT, object), &parse(PATCH, patch)).unwrap().unwrap();
    assert_eq!(shown(at(&merged, "metadata.finalizers")), "['c','b','a']");
}

#[test]
fn null_removes_and_a_written_null_stays() {
    check("{a: 1, b: {c: 1}}", "{a: null, b: {c: ~}}", "{b:{}}");
    check("\n  a: null\n  b:\n  c: 1\n", "{x: 1}", "{a:null,c:1,x:1}");
}

#[test]
fn what_stood_in_quotes_stays_text() {
    check("{a: '3', b: x, c: 'x', d: 3}", "{a: 5, b: 5, c: true, d: '5'}", "{a:'5',b:5,c:'true',d:'5'}");
}

#[test]
fn other_shapes_are_refused() {
    assert_eq!(fault("{a: x}", "{a: {b: c}}"), "the patch has a map where the object has a scalar");
    assert_eq!(fault("{a: {}}", "{a: {$patch: no}}"), "`$patch` is none of `merge`, `replace` and `delete`");
}

#[test]
fn each_value_keeps_its_place() {
    let object =
        format!("{POD}{{containers: [{{name: a, image: old, env: [{{name: E, value: keep}}]}}], host: here}}\n");
    let patch = format!("{POD}{{containers: [{{name: a, image: new}}, {{name: b, image: other}}], host: there}}\n");
    let merged = merge(parse(OBJECT, &object), &parse(PATCH, &patch)).unwrap().unwrap();
    let spec = at(&merged, "spec");
    let of = |path| origin(at(spec, path), [&object, &patch]);
    assert_eq!(of("containers.0.image"), (PATCH, "new"));
    assert_eq!(of("containers.0.env.0.value"), (OBJECT, "keep"));
    assert_eq!(of("containers.1.image"), (PATCH, "other"));
    assert_eq!(of("host"), (PATCH, "there"));
    assert_eq!(spec.span.file.0, OBJECT, "a map that changes only within keeps its place");
    assert_eq!(at(spec, "containers.0").span.file.0, OBJECT);
    assert_eq!(at(spec, "containers.1").span.file.0, PATCH);
    assert_eq!(spec.entry("host").unwrap().key_span.file.0, PATCH);
}

#[test]
fn long_lists_take_no_long_time() {
    let items: Vec<_> = (0..50_000).map(|i| format!("{{name: n{i}}}")).collect();
    let pod = format!("{POD}{{containers: [{}]}}\n", items.join(", "));
    let merged = merge(parse(OBJECT, &pod), &parse(PATCH, &pod)).unwrap().unwrap();
    assert_eq!(at(&merged, "spec.containers").items().len(), 50_000);
    let items: Vec<_> = (0..50_000).map(|_| "{image: x}").collect();
    assert!(fault(&format!("{{containers: [{}]}}", items.join(", ")), "{}").contains("more than 1000 items"));
}

proptest! {
    #[test]
    fn nothing_panics(object in any_node(), patch in any_node()) {
        let _ = merge(object, &patch);
    }
}
