//! Commands between other tools: a KRM function, and a post-renderer of Helm. With `KUSTOMIZE`, the real kustomize runs the
//! function; with `HELM` and `HELM4`, the real Helm runs the post-renderer.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use promgen::cli::Terminal;
use serde_json::{Value, json};

use crate::support::{Ran, promgen_with, root, tool};

fn run(args: &[&str], stdin: &str) -> Ran {
    promgen_with(args, &mut stdin.as_bytes(), Terminal::default())
}

fn krm(list: &str) -> Ran {
    run(&["krm"], list)
}

fn value(yaml: &str) -> Value {
    serde_yaml::from_str(yaml).unwrap_or_else(|error| panic!("{error}: {yaml}"))
}

/// A list with a finding in its second item.
fn list(version: &str, config: &str) -> String {
    format!(
        "\
# the list
apiVersion: config.kubernetes.io/{version}
kind: ResourceList
functionConfig:
  {config}
items:
- apiVersion: v1
  kind: ConfigMap # not ours
  metadata:
    name: other
    annotations: {{internal.config.kubernetes.io/id: '7'}}
- apiVersion: monitoring.coreos.com/v1
  kind: Prometheus
  metadata:
    name: main
    namespace: shop
    annotations:
      internal.config.kubernetes.io/path: apps/shop.yaml
      internal.config.kubernetes.io/index: '2'
  spec:
    shards: 4
    shardingStrategy:
      mode: Topology
      topology: {{values: [a, b, c]}}
"
    )
}

#[test]
fn a_finding_is_a_result_and_everything_else_passes_unchanged() {
    for version in ["v1", "v1beta1"] {
        for (config, code) in [
            (
                "{kind: ConfigMap, data: {mode: lint, select: idle-shard}}",
                0,
            ),
            (
                "{kind: Promgen, spec: {select: [idle-shard], failOn: warning}}",
                1,
            ),
        ] {
            let list = list(version, config);
            let ran = krm(&list);
            assert_eq!(ran.code, code, "{}", ran.stderr);
            let results = ran
                .stdout
                .strip_prefix(&list)
                .unwrap_or_else(|| panic!("{}", ran.stdout));
            let expected = json!({"results": [{
                "message": value(results)["results"][0]["message"],
                "severity": "warning",
                "resourceRef": {
                    "apiVersion": "monitoring.coreos.com/v1", "kind": "Prometheus", "name": "main", "namespace": "shop",
                },
                "field": {"path": "spec.shards"},
                "file": {"path": "apps/shop.yaml", "index": 2},
                "tags": {"code": "PG201", "rule": "idle-shard"},
            }]});
            assert_eq!(value(results), expected);
            let message = "PG201 idle-shard: shard 3 is idle";
            assert!(
                expected["results"][0]["message"]
                    .as_str()
                    .unwrap()
                    .starts_with(message),
                "{expected}"
            );
            assert!(
                ran.stderr.contains("apps/shop.yaml (document 3):10:11"),
                "{}",
                ran.stderr
            );
        }
    }
}

#[test]
fn without_findings_the_bytes_are_the_same() {
    let list =
        list("v1", "{kind: Promgen, spec: {select: idle-shard}}").replace("shards: 4", "shards: 3");
    let ran = krm(&list);
    assert_eq!((ran.code, ran.stdout), (0, list));
}

#[test]
fn the_operators_objects_are_added_and_replaced_by_the_next_run() {
    let input = list(
        "v1",
        "{kind: ConfigMap, data: {mode: render, revealSecrets: 'true'}}",
    );
    let ran = krm(&input);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with(&input), "{}", ran.stdout);
    let items = value(&ran.stdout)["items"].as_array().unwrap().clone();
    let kinds: Vec<_> = items[2..]
        .iter()
        .map(|item| item["kind"].as_str().unwrap())
        .collect();
    for (kind, n) in [("StatefulSet", 4), ("Service", 1), ("Prometheus", 0)] {
        assert_eq!(
            kinds.iter().filter(|found| **found == kind).count(),
            n,
            "{kinds:?}"
        );
    }
    assert!(
        items[2..]
            .iter()
            .all(|item| item["metadata"]["annotations"]["promgen.dev/generated"] == "true")
    );
    let again = krm(&ran.stdout);
    assert_eq!((again.code, value(&again.stdout)), (0, value(&ran.stdout)));
}

#[test]
fn values_of_secrets_stay_hidden_in_what_is_added_and_reported() {
    let secret = "
- {apiVersion: v1, kind: Secret, metadata: {name: more, namespace: shop}, stringData: {more.yaml: 'hunter2: ['}}
";
    for mode in ["lint", "render"] {
        let input = list(
            "v1",
            &format!("{{kind: ConfigMap, data: {{mode: {mode}}}}}"),
        ) + "    additionalScrapeConfigs: {name: more, key: more.yaml}"
            + secret;
        let ran = krm(&input);
        let added = ran.stdout.replacen("hunter2", "", 1);
        assert!(
            !added.contains("hunter2") && !ran.stderr.contains("hunter2"),
            "{added}\n{}",
            ran.stderr
        );
        let results = value(&ran.stdout)["results"].to_string();
        assert!(results.contains("PG"), "{results}");
    }
}

#[test]
fn an_input_that_is_no_list_is_refused() {
    for (input, expected) in [
        (
            "kind: List\n",
            "cannot read standard input: expected a ResourceList, found the kind `List`",
        ),
        ("\u{0}", "cannot read standard input: "),
        (
            &list("v1", "{kind: ConfigMap, data: {mode: x}}"),
            "functionConfig: unknown mode `x`; expected lint or render",
        ),
    ] {
        let ran = krm(input);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    }
}

const RENDERED: &str = "---
# Source: shop/templates/service.yaml
apiVersion: v1
kind: Service
metadata: {name: cart}   # kept as it is\r
---
# Source: shop/templates/prometheus.yaml
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: main}
spec:
  shards: 4
  shardingStrategy: {mode: Topology, topology: {values: [a, b, c]}}
";

#[test]
fn a_chart_passes_byte_for_byte_and_findings_name_its_templates() {
    let ran = run(&["post-render", "--no-config"], RENDERED);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, RENDERED),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr
            .contains("--> shop/templates/prometheus.yaml:7:11"),
        "{}",
        ran.stderr
    );
    let failed = run(
        &["post-render", "--no-config", "--fail-on=warning"],
        RENDERED,
    );
    assert_eq!(
        (failed.code, failed.stdout.as_str()),
        (1, ""),
        "{}",
        failed.stderr
    );
    let ignored = run(
        &[
            "post-render",
            "--fail-on",
            "warning",
            "--ignore",
            "idle-shard",
            "--no-config",
        ],
        RENDERED,
    );
    assert_eq!(
        (ignored.code, ignored.stdout.as_str()),
        (0, RENDERED),
        "{}",
        ignored.stderr
    );
}

#[test]
fn a_post_renderer_changes_no_file() {
    for (args, expected) in [
        (&["post-render", "--fix"][..], "--fix is not supported"),
        (&["post-render", "manifests/"], "PATH is not supported"),
        (
            &["post-render", "--write-baseline=x"],
            "--write-baseline is not supported",
        ),
        (&["post-render", "--nope"], "unexpected argument '--nope'"),
    ] {
        let ran = run(args, RENDERED);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        assert!(ran.stderr.contains(expected), "{args:?}: {}", ran.stderr);
    }
}

/// A copy of `integrations/kustomize` with the program beside the configuration of the function.
fn kustomizations() -> tempfile::TempDir {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            let target = to.join(path.file_name().unwrap());
            if path.is_dir() {
                copy(&path, &target);
            } else {
                fs::copy(&path, &target).unwrap();
            }
        }
    }
    let folder = tempfile::tempdir().unwrap();
    copy(&root().join("integrations/kustomize"), folder.path());
    for mode in ["lint", "render"] {
        fs::copy(
            env!("CARGO_BIN_EXE_promgen"),
            folder.path().join(mode).join("promgen"),
        )
        .unwrap();
    }
    folder
}

fn output(command: &mut Command) -> (Output, String, String) {
    let output = command.output().unwrap();
    let [stdout, stderr] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8(bytes.clone()).unwrap());
    (output, stdout, stderr)
}

#[test]
#[ignore = "needs KUSTOMIZE, the program kustomize"]
fn kustomize_runs_the_function() {
    let kustomize = tool("KUSTOMIZE");
    let folder = kustomizations();
    let build = |mode: &str| {
        let mut command = Command::new(&kustomize);
        output(
            command
                .args(["build", "--enable-alpha-plugins", "--enable-exec"])
                .arg(folder.path().join(mode)),
        )
    };
    let (plain, base, _) = build("base");
    assert!(plain.status.success());
    let (linted, stdout, stderr) = build("lint");
    assert!(
        linted.status.success() && stdout == base,
        "{stderr}\n{stdout}"
    );
    let (rendered, stdout, stderr) = build("render");
    assert!(rendered.status.success(), "{stderr}");
    for object in [
        "kind: StatefulSet",
        "name: prometheus-operated",
        "job_name: serviceMonitor/shop/cart/0",
    ] {
        assert!(stdout.contains(object), "{object}: {stdout}");
    }
    assert!(
        stdout.matches("\nkind: ").count() > base.matches("\nkind: ").count() + 2,
        "{stdout}"
    );
    // A finding fails the build.
    let shop = folder.path().join("base/shop.yaml");
    let text = fs::read_to_string(&shop).unwrap();
    fs::write(shop, text.replace("- port: http", "- port: htttp")).unwrap();
    let (failed, stdout, stderr) = build("lint");
    assert!(!failed.status.success() && stdout.is_empty(), "{stdout}");
    assert!(stderr.contains("htttp"), "{stderr}");
}

#[test]
#[ignore = "needs HELM, the program helm"]
fn helm_runs_the_post_renderer() {
    let helm = tool("HELM");
    let chart = root().join("integrations/helm/chart");
    let promgen = env!("CARGO_BIN_EXE_promgen");
    let template = |args: &[&str]| {
        output(
            Command::new(&helm)
                .args(["template", "shop"])
                .arg(&chart)
                .args(args),
        )
    };
    let post = [
        "--post-renderer",
        promgen,
        "--post-renderer-args",
        "post-render",
    ];
    let (plain, expected, stderr) = template(&[]);
    assert!(plain.status.success(), "{stderr}");
    let (passed, stdout, stderr) = template(&post);
    assert!(
        passed.status.success() && stdout == expected,
        "{stderr}\n{stdout}"
    );
    let failing = [
        &post[..],
        &[
            "--post-renderer-args",
            "--fail-on=warning",
            "--set",
            "shards=4",
        ],
    ]
    .concat();
    let (failed, stdout, stderr) = template(&failing);
    assert!(!failed.status.success() && stdout.is_empty(), "{stdout}");
    assert!(
        stderr.contains("shop/templates/prometheus.yaml") && stderr.contains("PG201"),
        "{stderr}"
    );
}

/// Helm 4 with folders of its own, and promgen on the PATH.
fn helm4(helm: &Path, home: &Path, args: &[&str]) -> (Output, String, String) {
    let promgen = Path::new(env!("CARGO_BIN_EXE_promgen")).parent().unwrap();
    let path = format!("{}:{}", promgen.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(helm);
    for name in ["DATA", "CACHE", "CONFIG"] {
        command.env(format!("HELM_{name}_HOME"), home.join(name));
    }
    output(command.args(args).env("PATH", path))
}

#[test]
#[ignore = "needs HELM4, the program helm of version 4"]
fn helm_4_runs_the_plugin() {
    let helm = tool("HELM4");
    let home = tempfile::tempdir().unwrap();
    let [plugin, chart] = ["plugin", "chart"].map(|name| {
        root()
            .join("integrations/helm")
            .join(name)
            .to_str()
            .unwrap()
            .to_owned()
    });
    let helm = |args: &[&str]| helm4(&helm, home.path(), args);
    let page = fs::read_to_string(root().join("docs/pipelines.md")).unwrap();
    assert!(page.contains("$ helm plugin install integrations/helm/plugin\n"));
    assert!(page.contains(" --post-renderer promgen --post-renderer-args --report=findings.txt\n"));
    let (installed, _, stderr) = helm(&["plugin", "install", &plugin]);
    assert!(installed.status.success(), "{stderr}");
    let (plain, expected, stderr) = helm(&["template", "shop", &chart]);
    assert!(plain.status.success(), "{stderr}");
    let post = ["template", "shop", &chart, "--post-renderer", "promgen"];
    let (passed, stdout, stderr) = helm(&post);
    assert!(
        passed.status.success() && stdout == expected,
        "{stderr}\n{stdout}"
    );
    // Helm 4 drops standard error: only the report has the findings.
    let file = home.path().join("findings.txt");
    let report = format!("--report={}", file.display());
    let arg = "--post-renderer-args";
    let (failed, stdout, stderr) = helm(
        &[
            &post[..],
            &[arg, "--fail-on=warning", arg, &report, "--set", "shards=4"],
        ]
        .concat(),
    );
    assert!(!failed.status.success() && stdout.is_empty(), "{stdout}");
    assert!(
        stderr.contains("plugin \"promgen\" exited with error"),
        "{stderr}"
    );
    let findings = fs::read_to_string(&file).unwrap();
    assert!(
        findings.contains("PG201") && findings.contains("--> shop/templates/prometheus.yaml:"),
        "{findings}"
    );
}

#[test]
fn a_document_of_helm_4_names_its_template_in_an_annotation() {
    let annotation = "metadata:\n  name: main\n  annotations:\n    postrenderer.helm.sh/postrender-filename: 'shop/templates/prometheus.yaml'\n";
    let stream = RENDERED
        .replace("# Source: shop/templates/prometheus.yaml\n", "")
        .replace("metadata: {name: main}\n", annotation);
    let ran = run(&["post-render", "--no-config"], &stream);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, stream.as_str()),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr
            .contains("--> shop/templates/prometheus.yaml:9:11"),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_report_has_the_findings_in_any_format() {
    let folder = tempfile::tempdir().unwrap();
    let report = |name: &str, more: &[&str]| {
        let file = folder.path().join(name);
        let args = [
            "post-render",
            "--no-config",
            "--fail-on=warning",
            "--report",
            file.to_str().unwrap(),
        ];
        let ran = run(&[&args, more].concat(), RENDERED);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.stderr);
        let (stderr, written) = ran
            .stderr
            .rsplit_once(" written to ")
            .map(|(text, path)| (text.to_owned(), path))
            .unwrap();
        assert_eq!(written.trim_end(), file.display().to_string());
        (fs::read_to_string(file).unwrap(), stderr)
    };
    let (text, stderr) = report("findings.txt", &[]);
    assert!(
        text.contains("warning[PG201]") && stderr.contains(&text),
        "{text}"
    );
    let (sarif, same) = report("promgen.sarif", &["--format", "sarif"]);
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    assert_eq!((&sarif["version"], stderr), (&json!("2.1.0"), same));
    // A file that cannot be written fails the release.
    let ran = run(
        &["post-render", "--report", folder.path().to_str().unwrap()],
        RENDERED,
    );
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
}
