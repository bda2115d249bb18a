//! Tests of which objects a target selects.

use super::PatchSelector;
use crate::kustomize::object::BuiltObject;
use crate::kustomize::value::tests::{OBJECT, PATCH, parse};

const POD: &str =
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web-1, labels: {app: web}}}";

#[track_caller]
fn check(target: &str, expected: bool) {
    let selector = PatchSelector::read(&parse(PATCH, target)).unwrap();
    assert_eq!(
        selector.matches(&BuiltObject::new(parse(OBJECT, POD))),
        expected,
        "{target}"
    );
}

#[test]
fn all_conditions_hold() {
    check("{}", true);
    check(
        "{kind: Deployment, group: apps, version: v1, name: web-.}",
        true,
    );
    check("{name: web}", false);
    check("{name: web|web-1}", true);
    check("{group: ''}", true);
    check("{namespace: default}", true);
    check(
        "{labelSelector: 'app in (web, db)', annotationSelector: '!app'}",
        true,
    );
    check("{labelSelector: app!=web}", false);
}

#[test]
fn earlier_names_count_too() {
    let mut object = BuiltObject::new(parse(OBJECT, POD));
    object.ids[0].name = "first".to_owned();
    let matches = |target| {
        PatchSelector::read(&parse(PATCH, target))
            .unwrap()
            .matches(&object)
    };
    assert!(matches("{name: first}"));
    assert!(matches("{name: web-1}"));
}

#[test]
fn malformed_targets_are_refused() {
    for target in [
        "{name: '('}",
        "{names: a}",
        "{name: 1}",
        "{labelSelector: 'a b'}",
        "[]",
    ] {
        assert!(
            PatchSelector::read(&parse(PATCH, target)).is_err(),
            "{target}"
        );
    }
}
