//! What appliers make of the objects of a folder.

use super::*;
use promgen_text::yaml::read::read;

/// The documents of `objects` in a folder, as YAML in one line each, after the appliers had their way.
fn applied(appliers: &str, folder: &str, objects: &str) -> Vec<String> {
    let mut sources = Sources::default();
    let file = sources.add("a".to_owned(), appliers.to_owned());
    let documents = read(file, appliers, &mut Sink::default());
    let all = documents.iter().map(|document| (document, None));
    let appliers = Appliers::read(all, &sources, |_, _, _| None);
    let file = sources.add("b".to_owned(), objects.to_owned());
    let documents = read(file, objects, &mut Sink::default());
    let (mut builds, build) = (
        Vec::new(),
        Build {
            documents,
            ..Build::new(folder)
        },
    );
    appliers.in_all_ways(
        vec![build],
        &mut builds,
        &Limits::default(),
        Spent::default(),
        &mut Sink::default(),
    );
    appliers.apply_all(
        &mut builds,
        &sources,
        Limits::default(),
        Spent::default(),
        &mut Sink::default(),
    );
    builds
        .iter()
        .flat_map(|build| &build.documents)
        .map(|document| format!("{:?}", document.root.to_value()))
        .collect()
}

const FLUX: &str = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nspec:\n  path: ./apps/shop\n  targetNamespace: shop\n  postBuild: {substitute: {PORT: \"80\"}}\n";

#[test]
fn flux_sets_namespaces_and_variables() {
    let object = "kind: Service\napiVersion: v1\nmetadata: {name: a, namespace: b}\nspec:\n  port: ${PORT}\n  text: \"${PORT}\"\n  size: ${SIZE:=3}\n  other: ${OTHER}\n";
    let found = applied(FLUX, "apps/shop", object).join("");
    for part in [
        "\"namespace\": Str(\"shop\")",
        "\"port\": Int(80)",
        "\"text\": Str(\"80\")",
        "\"size\": Int(3)",
        "${OTHER}",
    ] {
        assert!(found.contains(part), "{part}: {found}");
    }
    assert!(
        applied(FLUX, "apps/other", object)
            .join("")
            .contains("Str(\"b\")")
    );
}

#[test]
fn flux_leaves_one_of_two_dollars() {
    let of = |flux: &str, text: &str| {
        let object = format!(
            "{{kind: A, apiVersion: v1, metadata: {{name: a}}, spec: {{text: '{text}'}}}}\n"
        );
        let found = applied(flux, "apps/shop", &object).join("");
        let (_, text) = found.split_once("\"text\": Str(\"").unwrap();
        text.split_once("\")").unwrap().0.to_owned()
    };
    for (text, applied) in [
        ("{{ $$labels.job }}", "{{ $labels.job }}"),
        ("$${PORT} ${PORT}", "${PORT} 80"),
        ("$$$${PORT}", "$${PORT}"),
        ("$1 ${OTHER} a$", "$1 ${OTHER} a$"),
        ("$$ ${PORT", "$ ${PORT"),
    ] {
        assert_eq!(of(FLUX, text), applied, "{text}");
    }
    // Without a variable, Flux fills in nothing.
    let plain = FLUX.replace("  postBuild: {substitute: {PORT: \"80\"}}\n", "");
    assert_eq!(of(&plain, "{{ $$labels.job }}"), "{{ $$labels.job }}");
    let from = FLUX.replace(
        "substitute: {PORT: \"80\"}",
        "substituteFrom: [{kind: Secret, name: s}]",
    );
    assert_eq!(of(&from, "{{ $$labels.job }}"), "{{ $labels.job }}");
}

#[test]
fn variables_come_from_objects_beside_the_applier() {
    let flux = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {namespace: flux}\nspec:\n  path: ./apps\n  postBuild:\n    substitute: {A: own}\n    substituteFrom: [{kind: ConfigMap, name: vars}, {kind: Secret, name: hidden}]\n";
    let vars = "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: vars}, data: {A: other, B: blue, C: green}}\n";
    let hidden =
        "---\n{apiVersion: v1, kind: Secret, metadata: {name: hidden}, stringData: {C: x}}\n";
    let object = "{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {a: '${A}', b: '${B:=red}', c: '${C:=red}', d: '${D:=red}'}}}";
    let found = |objects: &str| applied(&format!("{flux}{objects}"), "apps", object).join("");
    let all = found(&format!("{vars}{hidden}"));
    for part in [
        "\"a\": Str(\"own\")",
        "\"b\": Str(\"blue\")",
        "${C:=red}",
        "\"d\": Str(\"red\")",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
    let secret_is_elsewhere = found(vars);
    assert!(secret_is_elsewhere.contains("${B:=red}") && secret_is_elsewhere.contains("\"own\""));
    assert!(
        found(&vars.replace("name: vars", "name: vars, namespace: apps")).contains("${B:=red}")
    );
}

#[test]
fn flux_sets_labels_of_all_objects() {
    let flux = FLUX.replace("spec:\n", "spec:\n  commonMetadata: {labels: {team: a}}\n");
    let object =
        "{apiVersion: v1, kind: Secret, metadata: {name: a, labels: {team: b, tier: low}}}";
    let found = applied(&flux, "apps/shop", object).join("");
    assert!(
        found.contains("\"team\": Str(\"a\")") && found.contains("\"tier\": Str(\"low\")"),
        "{found}"
    );
}

#[test]
fn argo_fills_in_what_is_not_stated() {
    let argo = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec:\n  source: {path: apps/shop}\n  destination: {namespace: shop}\n";
    let objects = "{apiVersion: v1, kind: Secret, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: b}}\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: a}}\n";
    let found = applied(argo, "apps/shop/deep", objects);
    assert!(
        found[0].contains("shop") && !found[1].contains("shop") && !found[2].contains("shop"),
        "{found:?}"
    );
}

#[test]
fn a_folder_that_is_applied_in_two_ways_is_there_twice() {
    let object = "{apiVersion: v1, kind: Secret, metadata: {name: a}}";
    let twice = format!(
        "{FLUX}---\n{}",
        FLUX.replace("Namespace: shop", "Namespace: other")
    );
    let found = applied(&twice, "apps/shop", object);
    assert!(
        found.len() == 2 && found[0].contains("shop") && found[1].contains("other"),
        "{found:?}"
    );
    assert_eq!(
        applied(&format!("{FLUX}---\n{FLUX}"), "apps/shop", object).len(),
        1
    );
}

#[test]
fn an_application_set_fills_in_what_its_elements_say() {
    let set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nspec:\n  generators: [{list: {elements: [{team: red}, {team: blue}]}}]\n  template:\n    spec:\n      source: {path: 'apps/{{team}}'}\n      destination: {namespace: 'of-{{team}}', server: '{{server}}'}\n";
    let object = "{apiVersion: v1, kind: Secret, metadata: {name: a}}";
    assert!(applied(set, "apps/blue", object)[0].contains("of-blue"));
    assert!(!applied(set, "apps/green", object)[0].contains("of-"));
}
