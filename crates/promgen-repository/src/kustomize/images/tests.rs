//! Tests of what this module does to objects, and that nothing makes it panic.

use promgen_testing::texts::text_of;
use promgen_text::yaml::Node;
use proptest::prelude::*;

use super::ImageReplacement;
use crate::kustomize::fault::BuildResult;
use crate::kustomize::value::tests::{OBJECT, PATCH, any_node, at, origin, parse};

fn apply(object: &mut Node, entry: &Node) -> BuildResult {
    ImageReplacement::read(entry)?.apply(object)
}

#[track_caller]
fn check(image: &str, entry: &str, expected: &str) {
    let text = format!("{{kind: Custom, any: [{{initContainers: [{{image: '{image}'}}]}}]}}");
    let mut object = parse(OBJECT, &text);
    apply(&mut object, &parse(PATCH, entry)).unwrap();
    assert_eq!(
        at(&object, "any.0.initContainers.0.image").as_str(),
        Some(expected)
    );
}

#[test]
fn names_tags_and_digests() {
    check("nginx", "{name: nginx, newTag: v2}", "nginx:v2");
    check("nginx:1@sha256:ab", "{name: nginx, newTag: v2}", "nginx:v2");
    check(
        "nginx:1",
        "{name: nginx, digest: 'sha256:cd'}",
        "nginx@sha256:cd",
    );
    check(
        "nginx:1",
        "{name: nginx, newTag: v2, digest: 'sha256:cd'}",
        "nginx:v2@sha256:cd",
    );
    check(
        "nginx:1@sha256:ab",
        "{name: nginx, newName: reg:5/web}",
        "reg:5/web:1@sha256:ab",
    );
    check(
        "nginx:1@sha256:ab",
        "{name: nginx, tagSuffix: -x}",
        "nginx:1-x",
    );
    check(
        "reg:50/nginx:1",
        "{name: reg:50/nginx, newTag: v2}",
        "reg:50/nginx:v2",
    );
    check(
        "reg:50/nginx:1",
        "{name: nginx, newTag: v2}",
        "reg:50/nginx:1",
    );
    check("nginx:1", "{name: '.*inx', newTag: v2}", "nginx:v2");
}

#[test]
fn containers_of_pods_are_renamed_twice() {
    let mut object = parse(
        OBJECT,
        "{kind: Pod, spec: {containers: [{image: 'nginx:1'}], initContainers: null}}",
    );
    apply(&mut object, &parse(PATCH, "{name: nginx, tagSuffix: -x}")).unwrap();
    assert_eq!(
        at(&object, "spec.containers.0.image").as_str(),
        Some("nginx:1-x-x")
    );
    assert!(!at(&object, "spec.initContainers").is_null());
}

#[test]
fn definitions_and_other_fields_stay() {
    let texts = [
        "{kind: CustomResourceDefinition, containers: [{image: a}]}",
        "{kind: Pod, spec: {image: a}}",
    ];
    for text in texts {
        let mut object = parse(OBJECT, text);
        apply(&mut object, &parse(PATCH, "{name: a, newTag: b}")).unwrap();
        assert_eq!(object, parse(OBJECT, text));
    }
}

#[test]
fn images_of_volumes_are_renamed() {
    let mut object = parse(
        OBJECT,
        "{spec: {template: {spec: {volumes: [{image: {reference: a}}, {name: x}]}}}}",
    );
    apply(&mut object, &parse(PATCH, "{name: a, newTag: b}")).unwrap();
    assert_eq!(
        at(&object, "spec.template.spec.volumes.0.image.reference").as_str(),
        Some("a:b")
    );
}

#[test]
fn a_new_image_stands_where_its_tag_stands() {
    let (text, entry) = (
        "{containers: [{image: a}, {image: z}]}",
        "{name: a, newName: b, newTag: v2}",
    );
    let mut object = parse(OBJECT, text);
    apply(&mut object, &parse(PATCH, entry)).unwrap();
    assert_eq!(
        origin(at(&object, "containers.0.image"), [text, entry]),
        (PATCH, "v2")
    );
    assert_eq!(
        origin(at(&object, "containers.1.image"), [text, entry]),
        (OBJECT, "z")
    );
}

#[test]
fn what_is_malformed_is_refused() {
    for entry in [
        "{name: a, newTag: 1}",
        "{name: '('}",
        "{name: a, tag: b}",
        "[]",
    ] {
        assert!(
            apply(&mut parse(OBJECT, "{}"), &parse(PATCH, entry)).is_err(),
            "{entry}"
        );
    }
    for object in [
        "{containers: [x]}",
        "{containers: [{image: {}}]}",
        "{spec: {template: text}}",
    ] {
        assert!(
            apply(&mut parse(OBJECT, object), &parse(PATCH, "{name: a}")).is_err(),
            "{object}"
        );
    }
}

proptest! {
    #[test]
    fn nothing_panics(mut object in any_node(), entry in any_node(), name in text_of(&["a", "b", "z", "(", "*", "+", "."], 0..=4)) {
        let _ = apply(&mut object, &entry);
        let text = format!("{{name: '{name}', newTag: x}}");
        let _ = apply(&mut object, &parse(PATCH, &text));
    }
}
