//! A marker wherever a repository keeps a secret: inputs of generators, patches, replacements, variables, substitutions.
//! Every command runs on every tree, and each of its options on some.

use std::fs;
use std::path::Path;

use rayon::prelude::*;

use super::planted::{MARKER, Markers};
use crate::commands::{Line, Place, lines};
use crate::support::{promgen, swept};

/// The files of a repository. `MARK` stands for the marker.
type Tree = Vec<(&'static str, String)>;

const PROMETHEUS: &str = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: main, namespace: d}\n\
                          spec: {replicas: 1, shards: 2, additionalScrapeConfigs: {name: s, key: k}, serviceMonitorSelector: {}}\n";
const SECRET: &str =
    "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: d}\nstringData: {k: MARK}\n";
const CONFIG_MAP: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: d}\ndata: {x: y}\n";

fn tree(kustomization: &str, files: &[(&'static str, &str)]) -> Tree {
    let beside = [
        ("p.yaml", PROMETHEUS),
        ("s.yaml", SECRET),
        ("c.yaml", CONFIG_MAP),
    ];
    let texts = std::iter::once(("kustomization.yaml", kustomization))
        .chain(beside)
        .chain(files.iter().copied());
    // The last of several texts of one name counts.
    texts.map(|(name, text)| (name, text.to_owned())).collect()
}

/// Inputs of generators, right and wrong.
fn generators() -> Vec<Tree> {
    let generator = |input: &str| {
        format!("resources: [p.yaml]\nnamespace: d\nsecretGenerator:\n- name: s\n  {input}\n")
    };
    let inputs = [
        "literals: [MARK]",
        "literals: [a=MARK, a=MARK]",
        "literals: [=MARK]",
        "foo: MARK",
        "type: [MARK]",
        "files: ['MARK=']",
        "files: [a=b=MARK]",
        "literals: {a: MARK}",
    ];
    let mut trees: Vec<Tree> = inputs
        .iter()
        .map(|input| tree(&generator(input), &[]))
        .collect();
    trees.push(tree(
        "resources: [p.yaml]\nsecretGenerator: {name: s, literals: [MARK]}\n",
        &[],
    ));
    for env in [
        "A=1\nMARK\n",
        "=MARK\n",
        "A=MARK\nA=MARK\n",
        "export MARK\n",
    ] {
        trees.push(tree(&generator("envs: [x.env]"), &[("x.env", env)]));
        trees.push(tree(&generator("envs: [x.yaml]"), &[("x.yaml", env)]));
    }
    let jobs =
        "- job_name: MARK\n  foo: MARK\n  relabel_configs: [{regex: '(MARK', action: MARK}]\n";
    for text in [
        jobs,
        "MARK: [\n MARK",
        "kind: Prometheus\nspec: {MARK: x}\n",
    ] {
        trees.push(tree(
            &generator("files: [k=add.yaml]"),
            &[("add.yaml", text)],
        ));
    }
    let alertmanager = "apiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {name: a, namespace: d}\n\
                        spec: {configSecret: s}\n";
    let config = "route: {receiver: r}\nreceivers:\n- name: r\n  webhook_configs: [{url: 'http://h/MARK', foo: MARK}]\n";
    let whole = "resources: [p.yaml]\nnamespace: d\ngeneratorOptions: {disableNameSuffixHash: true}\n\
                 secretGenerator: [{name: s, files: [alertmanager.yaml=am.yaml]}]\n";
    trees.push(tree(
        whole,
        &[("p.yaml", alertmanager), ("am.yaml", config)],
    ));
    trees
}

/// Patches, in files and in the kustomization, of which some put a value into a Secret.
fn patches() -> Vec<Tree> {
    let patches = [
        "- op: replace\n  path: /data/x/y\n  value: MARK\n",
        "- {op: MARK, path: /data/x, value: MARK}\n",
        "- {op: test, path: /stringData/k, value: MARK}\n",
        "- {op: add, path: /stringData/k, value: MARK} x\n",
        "- {op: copy, from: /stringData/k, path: /metadata/annotations}\n",
        "- {op: move, from: /stringData, path: /spec}\n",
        "{MARK}",
        "MARK",
        "stringData: {k: MARK\n",
        "metadata: {name: s}\nstringData: [MARK]\n",
        "apiVersion: v1\nkind: Secret\nmetadata: {name: nope}\nstringData: {k: MARK}\n",
    ];
    let mut trees = Vec::new();
    for patch in patches {
        let inline = serde_json::to_string(patch).unwrap();
        let resources = "resources: [p.yaml, s.yaml]\n";
        for kustomization in [
            format!("{resources}patches: [{{target: {{name: s}}, path: p1.yaml}}]\n"),
            format!("{resources}patches: [{{target: {{name: s}}, patch: {inline}}}]\n"),
            format!("{resources}patchesStrategicMerge: [p1.yaml]\n"),
            format!(
                "{resources}patchesJson6902: [{{target: {{kind: Secret, name: s, version: v1}}, path: p1.yaml}}]\n"
            ),
        ] {
            trees.push(tree(&kustomization, &[("p1.yaml", patch)]));
        }
    }
    trees
}

/// Values that are copied from a Secret to where they stand in the open.
fn copies() -> Vec<Tree> {
    let fields = [
        ("c", "data.x"),
        ("c", "metadata.annotations.a"),
        ("main", "spec.externalUrl"),
        ("main", "spec.retention"),
        ("main", "spec.shards"),
        ("main", "spec.nope"),
        ("main", "spec.externalLabels.a"),
        ("main", "spec.scrapeInterval"),
    ];
    let replacement = |(name, field): &(&str, &str), options: &str| {
        let kustomization = format!(
            "resources: [p.yaml, s.yaml, c.yaml]\nreplacements:\n- source: {{kind: Secret, name: s, fieldPath: stringData.k}}\n  \
             targets: [{{select: {{name: {name}}}, fieldPaths: [{field}], options: {{create: true{options}}}}}]\n"
        );
        tree(&kustomization, &[])
    };
    let mut trees: Vec<Tree> = fields.iter().map(|field| replacement(field, "")).collect();
    trees.push(replacement(&("c", "data.x"), ", delimiter: '-', index: 1"));
    let patched = "resources: [p.yaml, s.yaml]\npatches: [{target: {name: s}, patch: '[{op: add, path: /stringData/n, value: MARK}]'}]\n\
                   replacements:\n- source: {kind: Secret, name: s, fieldPath: stringData.n}\n  \
                   targets: [{select: {name: main}, fieldPaths: [spec.retention], options: {create: true}}]\n";
    trees.push(tree(
        patched,
        &[("s.yaml", &SECRET.replace("MARK", "other"))],
    ));
    let generated = "resources: [p.yaml]\nsecretGenerator: [{name: s, literals: [k=MARK]}]\n\
                     replacements:\n- source: {kind: Secret, name: s, fieldPath: data.k}\n  \
                     targets: [{select: {name: main}, fieldPaths: [spec.retention], options: {create: true}}]\n";
    trees.push(tree(generated, &[]));
    let vars = "resources: [p.yaml, s.yaml]\nvars:\n- name: V\n  objref: {kind: Secret, name: s, apiVersion: v1}\n  \
                fieldref: {fieldpath: stringData.k}\n";
    let user = PROMETHEUS.replace(
        "replicas: 1",
        "replicas: 1, containers: [{name: x, image: i, args: ['--a=$(V)'], env: [{name: A, value: $(V)}]}]",
    );
    trees.push(tree(vars, &[("p.yaml", &user)]));
    trees
}

/// Secrets as they are written, and what makes them.
fn secrets() -> Vec<Tree> {
    let head = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: d}\n";
    let texts = [
        format!("{head}stringdata: {{k: MARK}}\n"),
        format!("{head}StringData: {{k: MARK}}\nfoo: MARK\n"),
        format!("{head}stringData: {{MARK: }}\n"),
        format!("{head}stringData: {{k: x}}\nsops: {{mac: MARK}}\n"),
        head.replace("Secret", "secret") + "stringData: {k: MARK}\n",
        "apiVersion: v1\nkind: SecretList\nitems:\n- {metadata: {name: s, namespace: d}, data: {k: MARK}}\n".to_owned(),
        "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: s}\nspec: {template: {data: {a: MARK}}}\n"
            .to_owned(),
        "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: s}\n\
         spec: {target: {template: {data: {k: MARK}}}}\n"
            .to_owned(),
    ];
    texts
        .iter()
        .map(|text| tree("resources: [p.yaml, s.yaml]\n", &[("s.yaml", text)]))
        .collect()
}

/// What Flux and Argo CD fill in.
fn appliers() -> Vec<Tree> {
    let flux = |post: &str| {
        let head = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: x, namespace: f}\n";
        format!(
            "{head}spec:\n  path: ./m\n  sourceRef: {{kind: GitRepository, name: f}}\n  {post}\n"
        )
    };
    let vars = "apiVersion: v1\nkind: Secret\nmetadata: {name: vars, namespace: f}\nstringData: {V: 'MARK['}\n";
    let user = PROMETHEUS.replace(
        "replicas: 1",
        "replicas: 1, retention: '${V}', externalUrl: 'http://${V}'",
    );
    let from = flux("postBuild: {substituteFrom: [{kind: Secret, name: vars}]}");
    let wrong = flux("postBuild: {substitute: {V: [MARK]}, foo: 1}");
    let patch = flux("patches: [{target: {kind: Secret}, patch: '- {op: MARK}', foo: 1}]");
    let argo = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\n\
                spec:\n  source: {path: m, helm: {parameters: [{name: p, value: MARK}]}, repoURL: [}\n";
    let files = |file: &str| {
        vec![
            ("f.yaml", file.to_owned()),
            ("v.yaml", vars.to_owned()),
            ("m/p.yaml", user.clone()),
        ]
    };
    [from.as_str(), &wrong, &patch, argo]
        .iter()
        .map(|file| files(file))
        .collect()
}

fn write(folder: &Path, tree: &Tree) {
    for (name, text) in tree {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.replace("MARK", MARKER)).unwrap();
    }
}

/// The number of trees until a line comes again, if it is not the first of its command.
const ROUND: usize = 20;

/// What the commands print of a tree that has the marker.
fn leaks(markers: &Markers, number: usize, tree: &Tree) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("in"), tree);
    let manifests: Vec<String> = tree
        .iter()
        .map(|(_, text)| text.replace("MARK", MARKER))
        .collect();
    let place = Place::new(folder.path(), "in", &manifests.join("\n---\n"));
    let is_due = |(index, line): &(usize, &Line)| {
        line.reads() && (line.is_first() || index % ROUND == number % ROUND)
    };
    let run = |(_, line): (usize, &Line)| {
        let found = markers.find(&line.told(&place))?;
        Some(format!(
            "{line} of {:?}: {found}",
            tree.first().map(|(_, text)| text)
        ))
    };
    lines()
        .iter()
        .enumerate()
        .filter(is_due)
        .filter_map(run)
        .collect()
}

#[test]
fn no_command_prints_what_a_repository_keeps_secret() {
    let trees = [generators(), patches(), copies(), secrets(), appliers()].concat();
    let markers = Markers::new();
    let trees = swept(2, trees.iter().enumerate());
    let leaks: Vec<String> = trees
        .par_iter()
        .flat_map(|(number, tree)| leaks(&markers, *number, tree))
        .collect();
    assert!(
        leaks.is_empty(),
        "{} in {} trees:\n{}",
        leaks.len(),
        trees.len(),
        leaks.join("\n")
    );
}

#[test]
fn a_copy_of_a_secret_is_shown_on_demand_only() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &copies()[2]);
    let root = folder.path().to_str().unwrap();
    for command in [["build", root], ["render", root]] {
        let hidden = promgen(&command);
        assert!(
            hidden.stdout.contains("<redacted>") && hidden.stderr.contains("PG501"),
            "{}",
            hidden.stderr
        );
        let shown = promgen(&[&command[..], &["--reveal-secrets"]].concat());
        assert!(shown.stdout.contains(MARKER), "{}", shown.stderr);
    }
    // What nobody may see is judged all the same.
    write(folder.path(), &copies()[3]);
    let lint = promgen(&["lint", root]);
    assert!(
        lint.stdout
            .contains(r#"spec.retention: Invalid value: "<redacted>""#),
        "{}",
        lint.stdout
    );
}

/// Values of a chart that come from a Secret.
fn values_of_a_secret(values: &str, secret: &str) -> Tree {
    let release = format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: kps, namespace: d}}\nspec:\n  interval: 1h\n  \
         chart: {{spec: {{chart: kube-prometheus-stack, version: 77.6.0, sourceRef: {{kind: HelmRepository, name: c}}}}}}\n  \
         valuesFrom: [{{kind: Secret, name: s}}]\n  values: {values}\n"
    );
    let monitor = "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\n\
                   metadata: {name: web, namespace: d, labels: {team: shop}}\nspec: {selector: {}, endpoints: [{port: web}]}\n";
    let secret = secret
        .lines()
        .map(|line| format!("    {line}\n"))
        .collect::<String>();
    let secret = format!(
        "apiVersion: v1\nkind: Secret\nmetadata: {{name: s, namespace: d}}\nstringData:\n  values.yaml: |\n{secret}"
    );
    vec![
        ("release.yaml", release),
        ("monitor.yaml", monitor.to_owned()),
        ("s.yaml", secret),
    ]
}

#[test]
fn values_of_a_secret_are_used_and_not_shown() {
    let ask = |values: &str, secret: &str, command: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &values_of_a_secret(values, secret));
        let asked = promgen(&[command, &[folder.path().to_str().unwrap()]].concat());
        format!("{}{}", asked.stdout, asked.stderr)
    };
    let spec = |fields: &str| format!("prometheus: {{prometheusSpec: {{{fields}}}}}");
    let render = |fields: &str| ask("{}", &spec(fields), &["render"]);

    // Of a closed form.
    let told =
        render("replicas: 2, logLevel: warn, retention: 9d, enableAdminAPI: true, version: v3.1.0");
    for shown in [
        "replicas: 2",
        "logLevel: warn",
        "retention: 9d",
        "enableAdminAPI: true",
        "version: v3.1.0",
    ] {
        assert!(told.contains(shown), "{shown}: {told}");
    }
    // Of no closed form, and right.
    let url = "https://user:s3cr3t@x.example/api/v1/write";
    let told = render(&format!(
        "remoteWrite: [{{url: '{url}'}}], externalUrl: 'http://hidden.example/x'"
    ));
    assert!(
        told.contains("<redacted>") && !told.contains("s3cr3t") && !told.contains("hidden.example"),
        "{told}"
    );
    assert!(!told.contains("refuses"), "{told}");
    // Wrong: said, and not shown.
    for (field, value) in [
        ("logLevel", "l0ud"),
        ("replicas", "'tw0'"),
        ("scrapeInterval", "s00n"),
    ] {
        let told = ask("{}", &spec(&format!("{field}: {value}")), &["lint"]);
        assert!(
            told.contains("error[")
                && told.contains(field)
                && !told.contains(value.trim_matches('\'')),
            "{told}"
        );
    }
    // Made of words, where nothing is sent to others.
    let rules = "additionalPrometheusRulesMap: {own: {groups: [{name: a, rules: [{alert: Down, expr: 'up{job=\"shop\"} == 0'}]}]}}";
    let told = ask("{}", rules, &["lint"]);
    assert!(
        !told.contains("error[") && told.contains("1 rule"),
        "{told}"
    );
    let told = ask("{}", &rules.replace("up{", "up ==={"), &["lint"]);
    assert!(told.contains("error[PG101]"), "{told}");
    let monitor = "prometheus: {additionalServiceMonitors: [{name: own, selector: {matchExpressions: [{key: app, operator: In, values: [web]}]}, \
                   endpoints: [{port: web, relabelings: [{sourceLabels: [__meta_kubernetes_pod_name], targetLabel: pod, action: replace}]}]}]}";
    let told = ask("{}", monitor, &[]);
    assert!(
        told.contains("selects 1 ServiceMonitor") && !told.contains("refuses"),
        "{told}"
    );
    // A label that stands in the open elsewhere.
    for (label, selects) in [
        ("shop", "selects 1 ServiceMonitor"),
        ("other-t34m9x1", "selects nothing"),
    ] {
        let told = ask(
            "{}",
            &spec(&format!(
                "serviceMonitorSelector: {{matchLabels: {{team: {label}}}}}"
            )),
            &[],
        );
        assert!(
            told.contains(selects) && !told.contains("t34m9x1"),
            "{told}"
        );
    }
    // What stands in the open beside the Secret is shown.
    let config = "{alertmanager: {config: {route: {reciever: team}}}, prometheus: {prometheusSpec: {logFormat: jsn}}}";
    let told = ask(config, &spec("retention: 9d"), &["lint"]);
    assert!(
        told.contains("field reciever not found") && told.contains("did you mean \"json\""),
        "{told}"
    );
}

#[test]
fn what_something_else_copies_into_a_secret_stays_public() {
    let kustomization = "resources: [p.yaml, s.yaml, c.yaml]\nreplacements:\n- source: {kind: ConfigMap, name: c, fieldPath: data.x}\n  \
                         targets: [{select: {kind: Secret}, fieldPaths: [stringData.k]}]\n";
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &tree(
            kustomization,
            &[("c.yaml", &CONFIG_MAP.replace("x: y", "x: public"))],
        ),
    );
    let built = promgen(&["build", folder.path().to_str().unwrap()]);
    assert!(
        built.stdout.contains("x: public") && built.stdout.contains("k: <redacted>"),
        "{}",
        built.stdout
    );
}
