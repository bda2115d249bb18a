//! Tests of what this module does to objects, and that nothing makes it panic.

use proptest::prelude::*;

use super::apply;
use crate::kustomize::object::BuiltObject;
use crate::kustomize::value::tests::{OBJECT, PATCH, any_node, at, origin, parse, shown};

const ENTRY: &str = "{name: web, count: 3}";

fn scaled<'s>(object: &'s str, entry: &'s str) -> (bool, BuiltObject) {
    let mut object = BuiltObject::new(parse(OBJECT, object));
    (apply(&mut object, &parse(PATCH, entry)).unwrap(), object)
}

#[test]
fn workloads_of_that_name_get_the_count() {
    let (found, object) = scaled("{kind: Deployment, metadata: {name: web}}", ENTRY);
    assert!(found);
    assert_eq!(shown(at(&object.node, "spec")), "{replicas:3}");
    let (_, object) = scaled(
        "{kind: ReplicaSet, metadata: {name: web}, spec: {replicas: '1'}}",
        ENTRY,
    );
    assert_eq!(
        shown(at(&object.node, "spec")),
        "{replicas:'3'}",
        "quotes stay"
    );
    assert!(!scaled("{kind: DaemonSet, metadata: {name: web}}", ENTRY).0);
    assert!(!scaled("{kind: Deployment, metadata: {name: other}}", ENTRY).0);
}

#[test]
fn earlier_names_count_too() {
    let mut object = BuiltObject::new(parse(
        OBJECT,
        "{kind: StatefulSet, metadata: {name: a-web}}",
    ));
    object.ids[0].name = "web".to_owned();
    assert!(apply(&mut object, &parse(PATCH, ENTRY)).unwrap());
}

#[test]
fn the_count_stands_where_the_entry_has_it() {
    let text = "{kind: Deployment, metadata: {name: web}, spec: {replicas: 1}}";
    let (_, object) = scaled(text, ENTRY);
    assert_eq!(
        origin(at(&object.node, "spec.replicas"), [text, ENTRY]),
        (PATCH, "3")
    );
}

proptest! {
    #[test]
    fn nothing_panics(object in any_node(), entry in any_node()) {
        let mut object = BuiltObject::new(object);
        let _ = apply(&mut object, &entry);
        let _ = apply(&mut object, &parse(PATCH, "{name: '', count: 1}"));
    }
}
