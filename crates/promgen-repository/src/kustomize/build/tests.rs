//! Whole builds: what is refused, what ends, and where values point.

use std::fmt::Write as _;

use promgen_testing::texts::{text_between, text_of};
use proptest::prelude::*;

use crate::kustomize::budget::{Budget, Spent};
use crate::kustomize::build::{BuildPlan, build, build_within};
use crate::kustomize::read::gather::gather;
use crate::kustomize::read::gather::tests::Memory;
use crate::kustomize::read::store::Store;
use crate::print;

const POD: &str = "{apiVersion: v1, kind: Pod, metadata: {name: a}}";

/// The objects of a build, or the fault with its place.
fn built(files: &[(&str, &str)], folder: &str) -> Result<String, String> {
    let gathered = gather(&Memory::new(files), folder);
    let sources = gathered.sources();
    let store = Store::new(&gathered, &sources);
    match build(&store, folder) {
        None => Err("no kustomization".to_owned()),
        Some(Ok(objects)) => Ok(objects
            .iter()
            .map(|object| print::annotated(&object.node, &sources))
            .collect()),
        Some(Err(fault)) => {
            let kind = if fault.is_unsupported {
                "unsupported: "
            } else {
                ""
            };
            let name = &sources.file(fault.span.file).name;
            Err(format!(
                "{name}:{}: {kind}{}",
                sources.start(fault.span),
                fault.message
            ))
        }
    }
}

fn refused(kustomization: &str) -> String {
    let files = [
        ("kustomization.yaml", kustomization),
        ("a.yaml", POD),
        ("b/kustomization.yaml", "namePrefix: b-"),
    ];
    built(&files, ".").unwrap_err()
}

#[test]
fn what_kustomize_refuses_is_refused_at_its_line() {
    for (kustomization, expected) in [
        ("", "kustomization.yaml:1:1: the kustomization is empty"),
        ("resources:\n- none.yaml", "2:3: `none.yaml` does not exist"),
        (
            "secretGenerator:\n- name: a\n  files: [b=none, c=none.txt]",
            "3:11: file `none` in line 3 does not exist",
        ),
        (
            "resources: [a.yaml]\nresourcez: []",
            "2:1: unknown field `resourcez`; did you mean `resources`?",
        ),
        (
            "resources: [a.yaml]\nnamePrefix: 5",
            "2:13: `namePrefix` requires a string",
        ),
        (
            "resources:\n- a.yaml\n- a.yaml",
            "3:3: Pod a is defined twice",
        ),
        (
            "resources: [.]",
            "1:13: `.` contains the kustomization that refers to it",
        ),
        (
            "resources: [a.yaml]\ncomponents: [b]",
            "2:14: `b` is not a component",
        ),
        (
            "resources: [a.yaml]\napiVersion: v1",
            "2:13: apiVersion must be `kustomize.config.k8s.io/v1beta1`",
        ),
        (
            "resources: [a.yaml]\npatches:\n- path: none.yaml",
            "3:9: file `none.yaml` does not exist",
        ),
        (
            "configMapGenerator:\n- name: a\n  literals: [x]",
            "3:14: a literal requires the form `key=value`",
        ),
    ] {
        let found = refused(kustomization);
        assert!(found.ends_with(expected), "{found}");
    }
}

#[test]
fn what_promgen_does_not_build_is_said_at_its_line() {
    for (kustomization, expected) in [
        (
            "resources: [a.yaml]\nhelmCharts: [{name: a}]",
            "2:1: unsupported: Helm charts cannot be built by promgen",
        ),
        (
            "resources:\n- https://example.com/a.yaml",
            "2:3: unsupported: `https://example.com/a.yaml` is remote",
        ),
        (
            "resources:\n- github.com/a/b//c?ref=v1",
            "is remote: promgen uses no network",
        ),
    ] {
        let found = refused(kustomization);
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
fn a_file_above_the_folder_is_refused() {
    let files = [
        ("a/kustomization.yaml", "resources: [../b.yaml]"),
        ("b.yaml", POD),
    ];
    let refused = built(&files, "a").unwrap_err();
    assert!(
        refused.contains("`../b.yaml` is not in or below the folder of the kustomization"),
        "{refused}"
    );
    let gathered = gather(&Memory::new(&files), "a");
    let sources = gathered.sources();
    let objects = build(&Store::new(&gathered, &sources).unrestricted(true), "a")
        .unwrap()
        .unwrap();
    assert_eq!(objects.len(), 1);
}

#[test]
fn own_transformers_of_files_are_applied_and_named() {
    let plugins = "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: labels}\nlabels: {z: \"1\"}\nfieldSpecs: [{path: metadata/labels, create: true}]\n---\napiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: p}\nprefix: eu-\nfieldSpecs: [{path: metadata/name}]\n";
    let top = "resources: [../base]\nnameSuffix: -s\nlabels: [{pairs: {a: b}}]\ntransformers: [t.yaml]\nbuildMetadata: [originAnnotations, transformerAnnotations, managedByLabel]\n";
    let files = [
        ("base/kustomization.yaml", "resources: [a.yaml]"),
        ("base/a.yaml", POD),
        ("top/kustomization.yaml", top),
        ("top/t.yaml", plugins),
    ];
    let gathered = gather(&Memory::new(&files), "top");
    let sources = gathered.sources();
    let objects = build(&Store::new(&gathered, &sources), "top")
        .unwrap()
        .unwrap();
    let by = |file: &str, kind: &str, name: &str| {
        let name = if name.is_empty() {
            String::new()
        } else {
            format!("          name: {name}\n")
        };
        format!(
            "      - configuredIn: {file}\n        configuredBy:\n          apiVersion: builtin\n          kind: {kind}\n{name}"
        )
    };
    let changes = [
        by("kustomization.yaml", "SuffixTransformer", ""),
        by("kustomization.yaml", "LabelTransformer", ""),
        by("kustomization.yaml", "LabelTransformer", ""),
        by("t.yaml", "LabelTransformer", "labels"),
        by("t.yaml", "PrefixTransformer", "p"),
    ];
    let expected = format!(
        "apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n    alpha.config.kubernetes.io/transformations: |\n{}    config.kubernetes.io/origin: |\n      path: ../base/a.yaml\n  labels:\n    a: b\n    app.kubernetes.io/managed-by: kustomize-v5.8.0\n    z: \"1\"\n  name: eu-a-s\n",
        changes.concat()
    );
    assert_eq!(print::yaml(&objects[0].node), expected);
}

#[test]
fn plugins_that_stand_in_the_kustomization_are_built() {
    let label = "  apiVersion: builtin\n  kind: LabelTransformer\n  metadata: {name: l}\n  labels: {z: \"1\"}\n  fieldSpecs: [{path: metadata/labels, create: true}]\n";
    let namespace = "  apiVersion: builtin\n  kind: NamespaceTransformer\n  metadata: {name: n, namespace: shop}\n  fieldSpecs: [{path: metadata/namespace, create: true}]\n";
    let replacement = "  apiVersion: builtin\n  kind: ReplacementTransformer\n  metadata: {name: r}\n  replacements:\n  - source: {kind: Pod, fieldPath: metadata.name}\n    targets: [{select: {kind: Pod}, fieldPaths: [spec.x], options: {create: true}}]\n";
    for (plugins, expected) in [
        (vec![label], "labels:\n    z: \"1\""),
        (vec![namespace, label], "namespace: shop"),
        (vec![replacement], "x: a"),
    ] {
        let plugins: String = plugins.iter().map(|text| format!("- |\n{text}")).collect();
        let top = format!("resources: [a.yaml]\ntransformers:\n{plugins}");
        let files = [("kustomization.yaml", top.as_str()), ("a.yaml", POD)];
        let found = built(&files, ".").unwrap();
        assert!(found.contains(expected), "{found}");
    }
    let refused =
        |text: &str| built(&[("kustomization.yaml", text), ("a.yaml", POD)], ".").unwrap_err();
    let top = "resources: [a.yaml]\ntransformers:\n- |\n  apiVersion: acme.com/v1\n  kind: Check\n  metadata: {name: a}\n";
    assert_eq!(
        refused(top),
        "kustomization.yaml:4:3: unsupported: Check: plugins are not run"
    );
    assert_eq!(
        refused("resources: [a.yaml]\ntransformers: [t.yaml]\n"),
        "kustomization.yaml:2:16: `t.yaml` does not exist; did you mean `a.yaml`?"
    );
}

#[test]
fn a_folder_with_other_files_is_there() {
    let of = |entry: &str| {
        let top = format!("resources: [{entry}]\n");
        built(&[("kustomization.yaml", &top), ("c/d/x.yaml", POD)], ".").unwrap_err()
    };
    for entry in ["c", "./c/d"] {
        let found = of(entry);
        assert!(
            found.ends_with(&format!("folder `{entry}` has no kustomization file")),
            "{found}"
        );
    }
    for entry in ["e", "c/d/y", "c/d/x"] {
        assert!(of(entry).contains("does not exist"), "{entry}");
    }
}

#[test]
fn a_namespace_transformer_sets_its_own_fields() {
    let of = |unset_only: &str| {
        let plugin = format!(
            "apiVersion: builtin\nkind: NamespaceTransformer\nmetadata: {{name: n, namespace: shop}}\n{unset_only}fieldSpecs:\n\
             - {{path: metadata/name, kind: Namespace, create: true}}\n- {{path: spec/targetNamespace, kind: Kustomization, create: true}}\n"
        );
        let objects = "apiVersion: v1\nkind: Namespace\nmetadata: {name: .invalid}\n---\n\
                       apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: k, namespace: own}\nspec: {path: a}\n";
        let files = [
            (
                "kustomization.yaml",
                "resources: [a.yaml]\ntransformers: [t.yaml]\n",
            ),
            ("a.yaml", objects),
            ("t.yaml", plugin.as_str()),
        ];
        built(&files, ".").unwrap()
    };
    for every in ["", "unsetOnly: false\n"] {
        let found = of(every);
        let parts = ["name: shop", "namespace: shop", "targetNamespace: shop"];
        assert!(parts.iter().all(|part| found.contains(part)), "{found}");
    }
    let found = of("unsetOnly: true\n");
    let parts = ["name: .invalid", "namespace: own", "targetNamespace: shop"];
    assert!(parts.iter().all(|part| found.contains(part)), "{found}");
}

#[test]
fn plugins_generate_objects() {
    let of = |kind: &str, rest: &str| {
        format!("apiVersion: builtin\nkind: {kind}\nmetadata: {{name: c, namespace: n}}\n{rest}")
    };
    let map = of(
        "ConfigMapGenerator",
        "literals: [a=b]\noptions: {disableNameSuffixHash: true}\n",
    );
    let secret = of("SecretGenerator", "files: [k=f.txt]\nname: other\n");
    let plugins = format!("{map}---\n{secret}");
    let inline = "generators: ['{apiVersion: builtin, kind: ConfigMapGenerator, metadata: {name: i}, envs: [e.env]}', g.yaml]\n";
    let files = [
        ("kustomization.yaml", inline),
        ("g.yaml", plugins.as_str()),
        ("f.txt", "x"),
        ("e.env", "A=1"),
    ];
    let found = built(&files, ".").unwrap();
    for part in [
        "name: i-",
        "  A: \"1\"",
        "name: c  #",
        "namespace: \"n\"",
        "name: other-",
        "  k: eA==",
    ] {
        assert!(found.contains(part), "{part}: {found}");
    }
    let top = "resources: [a.yaml]\ngenerators: [g.yaml]\n";
    let chart = "valuesInline: {prometheus: {prometheusSpec: {retention: 7d}}}\nnamespace: mon\n";
    let chart = of(
        "HelmChartInflationGenerator",
        &format!("name: kube-prometheus-stack\n{chart}"),
    );
    let found = built(
        &[
            ("kustomization.yaml", "generators: [g.yaml]"),
            ("g.yaml", &chart),
        ],
        ".",
    );
    assert!(found.unwrap().contains("retention: 7d  # g.yaml:5"));
    for (plugin, expected) in [
        (
            &of("HelmChartInflationGenerator", "name: minecraft\n"),
            "unsupported: `generators` cannot be built by promgen",
        ),
        (
            &"apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: {name: s}\n".to_owned(),
            "unsupported: `generators` cannot be built by promgen",
        ),
        (
            &of("ConfigMapGenerator", "files: [none.txt]\n"),
            "file `none.txt` does not exist",
        ),
    ] {
        let files = [
            ("kustomization.yaml", top),
            ("a.yaml", POD),
            ("g.yaml", plugin),
        ];
        let found = built(&files, ".").unwrap_err();
        assert!(found.ends_with(expected), "{found}");
    }
}

#[test]
fn cycles_and_deep_nesting_end() {
    let cycle = [
        ("a/kustomization.yaml", "resources: [../b]"),
        ("b/kustomization.yaml", "resources: [../a]"),
    ];
    assert!(
        built(&cycle, "a")
            .unwrap_err()
            .contains("contains the kustomization that refers to it")
    );
    let n = 10_000;
    let files: Vec<(String, String)> = (0..n)
        .map(|i| {
            (
                format!("l{i}/kustomization.yaml"),
                format!("resources: [../l{}]", i + 1),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    assert!(
        built(&files, "l0")
            .unwrap_err()
            .contains("too many kustomizations")
    );
}

#[test]
fn a_diamond_of_many_levels_ends() {
    let mut files = Vec::new();
    for level in 0..40 {
        for side in ["a", "b"] {
            let text = format!(
                "namePrefix: {side}-\nresources: [../{}a, ../{}b]\n",
                level + 1,
                level + 1
            );
            files.push((format!("{level}{side}/kustomization.yaml"), text));
        }
    }
    for side in ["a", "b"] {
        files.push((
            format!("40{side}/kustomization.yaml"),
            "resources: [pod.yaml]\n".to_owned(),
        ));
        files.push((
            format!("40{side}/pod.yaml"),
            POD.replace("name: a", &format!("name: {side}")),
        ));
    }
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    assert!(
        built(&files, "0a")
            .unwrap_err()
            .contains("exceeds the limit `kustomizations` of 10000")
    );
}

#[test]
fn values_point_to_what_has_set_them() {
    let files = [
        (
            "base/kustomization.yaml",
            "resources: [a.yaml]\nnamePrefix: p-\n",
        ),
        (
            "base/a.yaml",
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: a\nspec:\n  type: A\n  ports: [{port: 80}]\n",
        ),
        (
            "top/kustomization.yaml",
            "resources: [../base]\nnamespace: shop\nlabels:\n- pairs:\n    team: x\npatches:\n- path: p.yaml\n- target: {kind: Service}\n  patch: |-\n    - op: add\n      path: /spec/extra\n      value: 1\n",
        ),
        (
            "top/p.yaml",
            "# A patch.\napiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  type: B\n",
        ),
    ];
    assert_eq!(
        built(&files, "top").unwrap(),
        "apiVersion: v1  # base/a.yaml:1\nkind: Service  # base/a.yaml:2\nmetadata:\n  labels:\n    team: x  # \
         top/kustomization.yaml:5\n  name: p-a  # base/a.yaml:4\n  namespace: shop  # top/kustomization.yaml:2\nspec:\n  \
         extra: 1  # top/kustomization.yaml:12\n  ports:\n  - port: 80  # base/a.yaml:7\n  type: B  # top/p.yaml:6\n"
    );
}

#[test]
fn generated_content_points_to_its_file() {
    let files = [
        (
            "kustomization.yaml",
            "configMapGenerator:\n- name: a\n  files: [f.txt]\n  envs: [e.env]\n  literals:\n  - x=1\n",
        ),
        ("f.txt", "one\ntwo\n"),
        ("e.env", "# list\nA=b\n"),
    ];
    let text = built(&files, ".").unwrap();
    for line in [
        "A: b  # e.env:2",
        "f.txt: |  # f.txt:1",
        "x: \"1\"  # kustomization.yaml:6",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

#[test]
fn variables_are_replaced_after_names_have_changed() {
    let files = [
        (
            "kustomization.yaml",
            "resources: [a.yaml]\nnamePrefix: p-\nvars:\n- {name: POD, objref: {kind: Pod, version: v1, name: a}}\n",
        ),
        (
            "a.yaml",
            "{apiVersion: v1, kind: Pod, metadata: {name: a, annotations: {of: \"$(POD) $(OTHER)\"}}}",
        ),
    ];
    let text = built(&files, ".").unwrap();
    assert!(text.contains("of: p-a $(OTHER)"), "{text}");
}

#[test]
fn what_is_no_text_is_binary_data() {
    let mut files = Memory::new(&[(
        "kustomization.yaml",
        "configMapGenerator: [{name: a, files: [f.bin]}]",
    )]);
    files.0.insert("f.bin".to_owned(), vec![0xff, 0]);
    let gathered = gather(&files, ".");
    let sources = gathered.sources();
    let objects = build(&Store::new(&gathered, &sources), ".")
        .unwrap()
        .unwrap();
    assert!(print::yaml(&objects[0].node).contains("binaryData:\n  f.bin: /wA=\n"));
}

#[test]
fn a_namespace_of_the_kustomization_is_told_from_one_of_the_object() {
    let files = [
        ("kustomization.yaml", "resources: [a.yaml]\nnamespace: shop"),
        ("a.yaml", POD),
    ];
    let gathered = gather(&Memory::new(&files), ".");
    let sources = gathered.sources();
    let objects = build(&Store::new(&gathered, &sources), ".")
        .unwrap()
        .unwrap();
    let namespace = objects[0].node.find(&["metadata", "namespace"]).unwrap();
    assert_eq!(sources.file(namespace.span.file).name, "kustomization.yaml");
}

/// A kustomization of many fields, and resources.
const WHOLE: [(&str, &str); 4] = [
    (
        "kustomization.yaml",
        "namespace: shop\nnamePrefix: p-\nresources: [a.yaml, base]\ncomponents: [part]\nlabels:\n- pairs: {a: b}\n  \
         includeSelectors: true\ncommonAnnotations: {c: d}\npatches:\n- patch: |-\n    apiVersion: apps/v1\n    kind: \
         Deployment\n    metadata: {name: web}\n    spec: {template: {spec: {containers: [{name: main, image: x}]}}}\n- target: \
         {kind: Deploy.*, labelSelector: \"a=b\"}\n  patch: '[{\"op\": \"add\", \"path\": \"/spec/x\", \"value\": 1}]'\nimages:\n- \
         {name: x, newTag: v2}\nreplicas: [{name: web, count: 3}]\nconfigMapGenerator:\n- name: conf\n  literals: [a=b]\n  \
         options: {labels: {x: z}}\nreplacements:\n- source: {kind: Deployment, fieldPath: metadata.name}\n  targets:\n  - \
         select: {kind: Service}\n    fieldPaths: [spec.x]\n    options: {create: true}\nsortOptions: {order: legacy}\n",
    ),
    (
        "a.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n      containers: [{name: \
         main, envFrom: [{configMapRef: {name: conf}}]}]\n---\napiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: \
         {ports: [{port: 80}]}\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: \
         r}\nsubjects: [{kind: ServiceAccount, name: default}]\nroleRef: {name: q}\n",
    ),
    ("base/kustomization.yaml", "resources: [../other]\n"),
    (
        "part/kustomization.yaml",
        "kind: Component\nnameSuffix: -s\nsecretGenerator: [{name: s, envs: [e.env], files: [k=f]}]\n",
    ),
];

/// Replaces a part of a text.
fn mangled(text: &str, from: usize, len: usize, with: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let from = from % (chars.len() + 1);
    let to = (from + len).min(chars.len());
    let mut out: String = chars[..from].iter().collect();
    let _ = write!(out, "{with}");
    out.extend(&chars[to..]);
    out
}

#[test]
fn the_whole_example_is_built() {
    let files = [
        WHOLE[0],
        WHOLE[1],
        ("base/kustomization.yaml", "resources: []\n"),
        (
            "part/kustomization.yaml",
            "kind: Component\nnameSuffix: -s\n",
        ),
    ];
    let text = built(&files, ".").unwrap();
    assert!(
        text.contains("name: p-web-s")
            && text.contains("replicas: 3")
            && text.contains("image: x:v2"),
        "{text}"
    );
}

/// What changes the meaning of what it stands in.
const WORDS: &[&str] = &[
    "null",
    "[]",
    "{}",
    "{a: b}",
    "~",
    "5",
    "true",
    "- ",
    "\"",
    "$patch: delete",
    "../",
    "/",
    "*a",
    "&a ",
    "<<: ",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn nothing_panics(
        file in 0_usize..4, from in 0_usize..2000, len in 0_usize..30,
        with in prop_oneof![
            text_between(' ', '~', 0..=12),
            text_of(&["a", ": ", "- ", "{", "\n", "\n  "], 0..=12),
            text_of(WORDS, 1),
        ],
    ) {
        let mut files = WHOLE.map(|(path, text)| (path, text.to_owned()));
        files[file].1 = mangled(&files[file].1, from, len, &with);
        let mut files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        files.extend([("other/kustomization.yaml", "resources: []\n"), ("part/e.env", "A=1\n"), ("part/f", "x")]);
        let _ = built(&files, ".");
    }
}

#[test]
fn a_patch_may_be_for_what_flux_bootstrap_writes() {
    let is_used = |file: &str, text: &str| {
        let top = format!(
            "resources: [{file}, a.yaml]\npatches: [{{target: {{kind: Deployment}}, patch: '[{{\"op\": \"remove\", \"path\": \"/x\"}}]'}}]\n"
        );
        let files = [
            ("kustomization.yaml", top.as_str()),
            (file, text),
            ("a.yaml", POD),
        ];
        let gathered = gather(&Memory::new(&files), ".");
        let sources = gathered.sources();
        let store = Store::new(&gathered, &sources);
        let budget = Budget::new(store.limits, Spent::default()).tolerant();
        let made = build_within(&store, ".", BuildPlan::default(), &budget);
        assert!(made.is_some_and(|made| made.is_ok()));
        budget.patches()[0].is_used
    };
    assert!(is_used("gotk-components.yaml", "# later\n"));
    assert!(!is_used(
        "gotk-components.yaml",
        "{apiVersion: v1, kind: Secret, metadata: {name: a}}\n"
    ));
    assert!(!is_used("deployment.yaml", "# kind: Deployment\n"));
}
