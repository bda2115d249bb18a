//! Tests of what this module does to objects, and that nothing makes it panic.

use promgen_text::yaml::Node;
use proptest::prelude::*;

use super::merge;
use crate::kustomize::patch::MergeTypes;
use crate::kustomize::value::tests::{OBJECT, PATCH, any_node, at, origin, parse, shown};
use crate::kustomize::value::text;

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: ";

#[track_caller]
fn check(object: &str, patch: &str, expected: &str) {
    let (object, patch) = (format!("{POD}{object}"), format!("{POD}{patch}"));
    let merged = merge(
        parse(OBJECT, &object),
        &parse(PATCH, &patch),
        &MergeTypes::default(),
    )
    .unwrap()
    .unwrap();
    assert_eq!(shown(merged.get("spec").unwrap()), expected);
}

#[track_caller]
fn fault(object: &str, patch: &str) -> String {
    let (object, patch) = (format!("{POD}{object}"), format!("{POD}{patch}"));
    merge(
        parse(OBJECT, &object),
        &parse(PATCH, &patch),
        &MergeTypes::default(),
    )
    .unwrap_err()
    .message
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
    check(
        &ports(without),
        &ports(with),
        "{containers:[{name:'a',ports:[{containerPort:80,name:'without'}]}]}",
    );
}

#[test]
fn keys_are_compared_as_texts() {
    check(
        "{containers: [{name: a, ports: [{containerPort: 80, name: x}]}]}",
        "{containers: [{name: a, ports: [{containerPort: '80', name: w}]}]}",
        "{containers:[{name:'a',ports:[{containerPort:'80',name:'w'}]}]}",
    );
}

/// Ports as `1/T`, `1/` or `/`: number and protocol. What follows `!` is a directive. Each has its side and its index.
fn ports(texts: &str, side: &str) -> String {
    let port = |(index, text): (usize, &str)| {
        let (keys, directive) = text.split_once('!').unwrap_or((text, ""));
        let (number, protocol) = keys.split_once('/').unwrap();
        let fields = [
            ("port", number),
            ("protocol", protocol),
            ("$patch", directive),
        ];
        let fields: String = fields
            .iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(key, text)| format!("{key}: {text}, "))
            .collect();
        format!("{{{fields}{side}{index}: ''}}")
    };
    let ports: Vec<_> = texts.split_whitespace().enumerate().map(port).collect();
    format!(
        "apiVersion: v1\nkind: Service\nspec: {{ports: [{}]}}\n",
        ports.join(", ")
    )
}

/// The ports of an object and its patch together, as Kustomize builds them. After each stands what it comes from.
#[track_caller]
fn check_ports(object: &str, patch: &str, expected: &str) {
    let (object, patch) = (ports(object, "o"), ports(patch, "p"));
    let merged = merge(
        parse(OBJECT, &object),
        &parse(PATCH, &patch),
        &MergeTypes::default(),
    )
    .unwrap()
    .unwrap();
    let port = |port: &Node| {
        let key = |key| {
            port.get(key)
                .map(|value| text(value).into_owned())
                .unwrap_or_default()
        };
        let is_mark = |key: &&str| !["port", "protocol"].contains(key);
        let mut marks: Vec<_> = port
            .entries()
            .iter()
            .map(|entry| &*entry.key)
            .filter(is_mark)
            .collect();
        marks.sort_unstable();
        format!("{}/{}({})", key("port"), key("protocol"), marks.join(""))
    };
    let merged: Vec<_> = at(&merged, "spec.ports").items().iter().map(port).collect();
    assert_eq!(merged.join(" "), expected);
}

#[test]
fn of_a_port_that_has_a_protocol_a_patch_without_one_is_left_out() {
    check_ports("1/T", "1/", "1/T(o0)");
    check_ports("1/T 2/", "1/ 2/", "1/T(o0) 2/(o1p1)");
    check_ports("1/U", "1/ 1/T", "1/T(p1) 1/U(o0)");
    check_ports("2/T", "1/ 1/T 1/U", "1/U(p2) 1/T(p1) 2/T(o0)");
}

#[test]
fn a_port_without_protocol_displaces_those_ahead_of_it() {
    check_ports("1/T 1/", "1/T", "1/(o1)");
    check_ports("1/ 1/T", "1/T", "1/(o0) 1/T(o1p0)");
    check_ports("1/ 1/T", "1/", "1/(o0) 1/T(o1)");
    check_ports("1/ 1/T 1/T", "1/T", "1/(o0) 1/T(o2)");
    check_ports("1/ 2/T", "1/T 2/U", "2/U(p1) 1/(o0) 2/T(o1)");
}

#[test]
fn a_port_without_protocol_repeats_a_patch() {
    check_ports("1/T 1/U", "1/T!delete 1/", "1/T(p0) 1/U(o1)");
    check_ports("1/T 1/U", "1/T!replace 1/", "1/T(o0p0) 1/U(o1)");
    check_ports("1/T 1/U", "1/ 1/T!delete", "1/U(o1)");
    check_ports("1/U 1/T", "1/ 1/U 1/T!delete", "1/T(p2) 1/U(o0p1)");
    check_ports("1/T", "1/T!delete 1/U 1/", "1/U(p1) 1/T(p0)");
    check_ports("1/ 1/T", "1/T!delete", "1/(o0)");
    check_ports("1/ 1/T", "1/T!replace", "1/(o0) 1/T(o1p0)");
}

#[test]
fn a_directive_within_a_repeated_patch_acts_once() {
    let service =
        |port: &str| format!("apiVersion: v1\nkind: Service\nspec: {{ports: [{port}]}}\n");
    let object = service("{port: 1, protocol: T, x: {a: 1}}");
    let patch = service(
        "{port: 1, protocol: T, x: {d: {$patch: delete, b: 2}}, z: {$patch: delete, c: 3}}, {port: 1}",
    );
    let merged = merge(
        parse(OBJECT, &object),
        &parse(PATCH, &patch),
        &MergeTypes::default(),
    )
    .unwrap()
    .unwrap();
    let expected = "[{port:1,protocol:'T',x:{a:1,d:{b:2}},z:{c:3}}]";
    assert_eq!(shown(at(&merged, "spec.ports")), expected);
}

#[test]
fn nothing_deletes_a_port_without_protocol_among_others() {
    check_ports("1/ 2/T", "1/!delete", "1/(o0) 2/T(o1)");
    check_ports("1/ 2/", "1/!delete", "2/(o1)");
}

#[test]
fn where_no_port_has_a_protocol_one_without_number_displaces_those_ahead_of_it() {
    check_ports("1/ 2/", "3/ 2/", "3/(p0) 2/(o1p1) 1/(o0)");
    check_ports("1/ / 2/ 3/ 2/", "3/ 4/", "/(o1) 2/(o4) 3/(o3p0)");
    check_ports("1/ 2/ 3/", "/", "3/(o2) 1/(o0) 2/(o1)");
}

#[test]
fn an_item_without_its_keys_clears_the_list() {
    check(
        "{containers: [{name: a}, {name: b}]}",
        "{containers: [{image: x}]}",
        "{containers:[]}",
    );
    check(
        "{containers: [{name: a, x: 1}, {name: b}]}",
        "{containers: [{name: a, image: x}, {image: y}, {name: b, image: z}]}",
        "{containers:[{name:'a',x:1,image:'x'},{name:'b',image:'z'}]}",
    );
    check(
        "{containers: [{name: a}, {x: 1}]}",
        "{containers: [{name: c}]}",
        "{containers:[{x:1}]}",
    );
    check(
        "{containers: [{name: a}, {}, {name: b}]}",
        "{containers: [{name: c}]}",
        "{containers:[{name:'c'},{name:'a'}]}",
    );
    check(
        "{containers: [{name: a}]}",
        "{containers: [{name: b}, text]}",
        "{containers:[{name:'b'}]}",
    );
    check_ports("1/T 2/U", "2/U / 1/T", "2/U(o1p0) 1/T(p2)");
    check_ports("1/T / 2/U", "3/T", "/(o1)");
}

#[test]
fn ports_that_lack_different_keys_are_refused() {
    let refused = |object: &str, patch: &str| {
        let (object, patch) = (ports(object, "o"), ports(patch, "p"));
        let fault = merge(
            parse(OBJECT, &object),
            &parse(PATCH, &patch),
            &MergeTypes::default(),
        )
        .unwrap_err();
        assert!(
            fault.is_unsupported
                && fault
                    .message
                    .starts_with("the item lacks `port`, which others"),
            "{fault}"
        );
    };
    refused("1/T", "/T");
    refused("/T 1/T", "2/T");
    refused("1/T 2/", "/");
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
    check(
        "{containers: [{name: a}]}",
        "{containers: [{$patch: replace}, {name: c}]}",
        "{containers:[{name:'c'}]}",
    );
    check(
        "{containers: [{name: a}], x: 1}",
        "{containers: [{$patch: delete}]}",
        "{x:1}",
    );
    check(
        "{a: {b: 1, c: 2}}",
        "{a: {$patch: replace, d: 3}}",
        "{a:{d:3}}",
    );
    check("{a: {b: 1}, x: 1}", "{a: {$patch: delete}}", "{x:1}");
    check(
        "{x: 1}",
        "{a: {b: {$patch: delete}, c: null, d: {$patch: merge, e: 1}}}",
        "{x:1,a:{d:{e:1}}}",
    );
    let deleted = format!("{POD}{{}}\n$patch: delete\n");
    let object = format!("{POD}{{}}\n");
    assert_eq!(
        merge(
            parse(OBJECT, &object),
            &parse(PATCH, &deleted),
            &MergeTypes::default()
        ),
        Ok(None)
    );
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
    check(
        "{}",
        "{$setElementOrder/containers: [{name: a}]}",
        "{$setElementOrder/containers:[{name:'a'}]}",
    );
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
    let merged = merge(
        parse(OBJECT, object),
        &parse(PATCH, patch),
        &MergeTypes::default(),
    )
    .unwrap()
    .unwrap();
    assert_eq!(shown(at(&merged, "spec")), "{containers:[{name:'b'}]}");
}

#[test]
fn finalizers_are_a_set() {
    let object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {finalizers: [a, b, a]}\n";
    let patch = "apiVersion: v1\nkind: ConfigMap\nmetadata: {finalizers: [c, b]}\n";
    let merged = merge(
        parse(OBJECT, object),
        &parse(PATCH, patch),
        &MergeTypes::default(),
    )
    .unwrap()
    .unwrap();
    assert_eq!(shown(at(&merged, "metadata.finalizers")), "['c','b','a']");
    let patch = "apiVersion: v1\nkind: ConfigMap\nmetadata: {finalizers: [{$patch: delete}, null, b, {}]}\n";
    let object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n";
    let merged = merge(
        parse(OBJECT, object),
        &parse(PATCH, patch),
        &MergeTypes::default(),
    )
    .unwrap()
    .unwrap();
    assert_eq!(shown(at(&merged, "metadata.finalizers")), "['b']");
}

#[test]
fn null_removes_and_a_written_null_stays() {
    check("{a: 1, b: {c: 1}}", "{a: null, b: {c: ~}}", "{b:{}}");
    check("\n  a: null\n  b:\n  c: 1\n", "{x: 1}", "{a:null,c:1,x:1}");
}

#[test]
fn what_stood_in_quotes_stays_text() {
    check(
        "{a: '3', b: x, c: 'x', d: 3}",
        "{a: 5, b: 5, c: true, d: '5'}",
        "{a:'5',b:5,c:'true',d:'5'}",
    );
}

#[test]
fn other_shapes_are_refused() {
    assert_eq!(
        fault("{a: x}", "{a: {b: c}}"),
        "the patch has a map where the object has a scalar"
    );
    assert_eq!(
        fault("{a: {}}", "{a: {$patch: no}}"),
        "invalid `$patch`: use `merge`, `replace` or `delete`"
    );
}

#[test]
fn each_value_keeps_its_place() {
    let object = format!(
        "{POD}{{containers: [{{name: a, image: old, env: [{{name: E, value: keep}}]}}], host: here}}\n"
    );
    let patch = format!(
        "{POD}{{containers: [{{name: a, image: new}}, {{name: b, image: other}}], host: there}}\n"
    );
    let merged = merge(
        parse(OBJECT, &object),
        &parse(PATCH, &patch),
        &MergeTypes::default(),
    )
    .unwrap()
    .unwrap();
    let spec = at(&merged, "spec");
    let of = |path| origin(at(spec, path), [&object, &patch]);
    assert_eq!(of("containers.0.image"), (PATCH, "new"));
    assert_eq!(of("containers.0.env.0.value"), (OBJECT, "keep"));
    assert_eq!(of("containers.1.image"), (PATCH, "other"));
    assert_eq!(of("host"), (PATCH, "there"));
    assert_eq!(
        spec.span.file, OBJECT,
        "a map that changes only within keeps its place"
    );
    assert_eq!(at(spec, "containers.0").span.file, OBJECT);
    assert_eq!(at(spec, "containers.1").span.file, PATCH);
    assert_eq!(spec.entry("host").unwrap().key_span.file, PATCH);
}

#[test]
fn long_lists_take_no_long_time() {
    let items: Vec<_> = (0..50_000).map(|i| format!("{{name: n{i}}}")).collect();
    let pod = format!("{POD}{{containers: [{}]}}\n", items.join(", "));
    let merged = merge(
        parse(OBJECT, &pod),
        &parse(PATCH, &pod),
        &MergeTypes::default(),
    )
    .unwrap()
    .unwrap();
    assert_eq!(at(&merged, "spec.containers").items().len(), 50_000);
    check(
        &format!(
            "{{containers: [{}{{image: x}}]}}",
            "{image: y}, ".repeat(50_000)
        ),
        "{}",
        "{containers:[{image:'x'}]}",
    );
}

#[test]
fn long_lists_of_ports_take_no_long_time() {
    let ports = |from: u32| (0..50_000).map(move |i| i * 7 % 50_000 + from);
    let complete = ports(0).map(|i| format!("{{port: {i}, protocol: TCP}}"));
    let partial = ports(0).map(|i| format!("{{port: {i}}}"));
    let others = ports(60_000).map(|i| format!("{{port: {i}}}"));
    let list = |items: &mut dyn Iterator<Item = String>| items.collect::<Vec<_>>().join(", ");
    let service =
        |ports: String| format!("apiVersion: v1\nkind: Service\nspec: {{ports: [{ports}]}}\n");
    let object = service(list(&mut complete.clone().chain(partial.clone())));
    let patch = service(list(&mut partial.chain(complete).chain(others)));
    let merged = merge(
        parse(OBJECT, &object),
        &parse(PATCH, &patch),
        &MergeTypes::default(),
    )
    .unwrap()
    .unwrap();
    assert_eq!(at(&merged, "spec.ports").items().len(), 100_000);
}

proptest! {
    #[test]
    fn nothing_panics(object in any_node(), patch in any_node()) {
        let _ = merge(object, &patch, &MergeTypes::default());
    }
}
