//! `promgen diff --live`: what a cluster holds, compared with its manifests.
//!
//! The clusters are what promgen renders, with changes; those of `recorded` are what the real operator wrote.

mod recorded;

use std::fs;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use promgen::cli::Terminal;

use crate::support::{Ran, promgen, promgen_with, root};

const MANIFESTS: &str = "fixtures/drift/input";
const CLUSTER: &str = "fixtures/drift/cluster.yaml";

/// The objects that the operator writes for manifests.
fn rendered(text: &str) -> Vec<Value> {
    let args = [
        "render",
        "--layout",
        "operator",
        "--format",
        "list",
        "--reveal-secrets",
        "--emit",
        "config,workloads",
        "-",
    ];
    let ran = promgen_with(&args, &mut text.as_bytes(), Terminal::default());
    let list: Value = serde_json::from_str(&ran.stdout).unwrap();
    list["items"].as_array().unwrap().clone()
}

/// The documents of manifests, without Secrets.
fn resources(text: &str) -> Vec<Value> {
    use serde::Deserialize as _;
    let documents = serde_yaml::Deserializer::from_str(text)
        .map(|document| Value::deserialize(document).unwrap());
    documents
        .filter(|document| document["kind"] != "Secret")
        .collect()
}

/// Namespaces, owners, uids, generations: what the API server and the operator add.
fn stored(mut object: Value) -> Value {
    let name = object["metadata"]["name"].as_str().unwrap().to_owned();
    let metadata = &mut object["metadata"];
    metadata["namespace"] = json!("shop");
    metadata["uid"] = json!(format!("00000000-0000-0000-0000-{:012}", name.len()));
    metadata["generation"] = json!(3);
    let is_alertmanagers = name.starts_with("alertmanager");
    let kind = object["kind"].as_str().unwrap().to_owned();
    if ["Prometheus", "Alertmanager"].contains(&kind.as_str()) {
        let conditions = json!([{"type": "Reconciled", "status": "True", "reason": "", "observedGeneration": 3}]);
        object["status"] = json!({"conditions": conditions});
    } else if ["StatefulSet", "Secret", "ConfigMap", "Service"].contains(&kind.as_str()) {
        let owner = if is_alertmanagers {
            "Alertmanager"
        } else {
            "Prometheus"
        };
        let reference = json!({"apiVersion": "monitoring.coreos.com/v1", "kind": owner, "name": "main", "uid": "0"});
        object["metadata"]["ownerReferences"] = json!([reference]);
    }
    object
}

/// The cluster of the fixture: its PodMonitor is that of an earlier commit, somebody has scaled a StatefulSet, the operator
/// has not yet seen the Alertmanager, and a third shard is left over.
fn cluster() -> Vec<Value> {
    let manifests = fs::read_to_string(root().join(MANIFESTS).join("monitoring.yaml")).unwrap();
    let earlier = manifests.replace("interval: 15s", "interval: 30s");
    let of_operator = |text: &str| rendered(text).into_iter().map(stored).collect::<Vec<_>>();
    let mut objects: Vec<Value> = resources(&earlier).into_iter().map(stored).collect();
    objects.extend(of_operator(&earlier.replace("replicas: 3", "replicas: 2")));
    let third = of_operator(&earlier.replace("shards: 2", "shards: 3"));
    objects.extend(
        third
            .into_iter()
            .filter(|object| object["metadata"]["name"] == "prometheus-main-shard-2"),
    );
    objects.push(json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "scrape", "namespace": "shop"},
        "data": {"user": "c2NyYXBlcg==", "password": "aHVzaC1odXNo"},
    }));
    for object in &mut objects {
        match object["metadata"]["name"].as_str().unwrap() {
            "main" if object["kind"] == "Alertmanager" => {
                object["metadata"]["generation"] = json!(4)
            }
            "prometheus-main-shard-1" if object["kind"] == "StatefulSet" => {
                object["spec"]["replicas"] = json!(1);
                let fields = json!({"f:spec": {"f:replicas": {}}});
                object["metadata"]["managedFields"] = json!([{
                    "manager": "kubectl-edit", "operation": "Update", "time": "2026-08-02T09:30:00Z", "fieldsV1": fields,
                }]);
            }
            _ => {}
        }
    }
    objects
}

fn list(objects: &[Value]) -> String {
    serde_yaml::to_string(&json!({"apiVersion": "v1", "kind": "List", "items": objects})).unwrap()
}

fn live(objects: &[Value], args: &[&str]) -> Ran {
    let args = [&["diff", MANIFESTS, "--live", "-"], args].concat();
    promgen_with(&args, &mut list(objects).as_bytes(), Terminal::default())
}

fn drift(objects: &[Value]) -> Value {
    serde_json::from_str(&live(objects, &["--format", "json"]).stdout).unwrap()
}

/// A cluster that is as the manifests give it.
fn settled() -> Vec<Value> {
    let manifests = fs::read_to_string(root().join(MANIFESTS).join("monitoring.yaml")).unwrap();
    let documents = resources(&manifests)
        .into_iter()
        .chain(rendered(&manifests));
    documents.map(stored).collect()
}

fn named<'o>(objects: &'o mut [Value], kind: &str, name: &str) -> &'o mut Value {
    objects
        .iter_mut()
        .find(|object| object["kind"] == kind && object["metadata"]["name"] == name)
        .unwrap()
}

#[test]
fn the_cluster_of_the_fixture_is_what_promgen_renders() {
    promgen_testing::assert_written(CLUSTER, &list(&cluster()));
}

#[test]
fn a_cluster_that_is_as_expected_has_no_drift() {
    let ran = live(&settled(), &["--exit-code"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    assert_eq!(
        ran.stdout,
        "no drift: 2 workloads, 14 objects and 4 custom resources as expected\n"
    );
    assert_eq!(live(&cluster(), &["--exit-code"]).code, 1);
    assert_eq!(live(&cluster(), &[]).code, 0);
}

#[test]
fn what_others_add_is_no_drift() {
    let mut objects = settled();
    let set = objects
        .iter_mut()
        .find(|object| object["kind"] == "StatefulSet")
        .unwrap();
    set["metadata"]["labels"]["argocd.argoproj.io/instance"] = "shop".into();
    set["metadata"]["annotations"]["example.com/owner"] = "shop".into();
    set["spec"]["template"]["metadata"]["annotations"]["kubectl.kubernetes.io/restartedAt"] =
        "2026-01-01T00:00:00Z".into();
    assert_eq!(drift(&objects)["objects"], serde_json::json!([]));
    let set = objects
        .iter_mut()
        .find(|object| object["kind"] == "StatefulSet")
        .unwrap();
    set["spec"]["template"]["metadata"]["annotations"]["example.com/owner"] = "shop".into();
    assert_ne!(drift(&objects)["objects"], serde_json::json!([]));
}

#[test]
fn a_dump_may_be_documents_or_json() {
    let objects = cluster();
    let documents: Vec<String> = objects
        .iter()
        .map(|object| serde_yaml::to_string(object).unwrap())
        .collect();
    let json = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
    let expected = promgen(&["diff", MANIFESTS, "--live", CLUSTER]);
    for text in [documents.join("---\n"), json] {
        let ran = promgen_with(
            &["diff", MANIFESTS, "--live", "-"],
            &mut text.as_bytes(),
            Terminal::default(),
        );
        assert_eq!(
            (ran.stdout, ran.stderr),
            (expected.stdout.clone(), expected.stderr.clone())
        );
    }
}

/// A configuration in which everything that is secret says `hush`.
const CONFIG_WITH_SECRETS: &str = r#"
global:
  scrape_interval: 30s
scrape_configs:
- job_name: podMonitor/shop/web/0
  basic_auth:
    username: scraper
    password: live-hush
  params: {name: [live-hush]}
- job_name: hush
  static_configs: [{targets: ["hush:80"]}]
  basic_auth: {password: live-hush}
  authorization: {credentials: live-hush}
  proxy_url: http://u:live-hush@proxy
remote_write:
- name: hush
  url: https://u:live-hush@x
"#;

#[test]
fn no_format_shows_a_secret_of_the_cluster() {
    let mut objects = cluster();
    named(&mut objects, "Secret", "prometheus-main")["data"] =
        json!({"prometheus.yaml": BASE64_STANDARD.encode(CONFIG_WITH_SECRETS)});
    named(&mut objects, "Secret", "prometheus-main-tls-assets-0")["data"] =
        json!({"key": "bGl2ZS1odXNo"});
    named(&mut objects, "Secret", "prometheus-main-web-config")["data"] =
        json!({"web-config.yaml": "bGl2ZS1odXNo"});
    named(&mut objects, "Secret", "alertmanager-main-generated")["data"] = json!({"alertmanager.yaml.gz": recorded::packed("receivers:\n- name: a\n  slack_configs: [{api_url: live-hush}]\n")});
    let containers = &mut named(&mut objects, "StatefulSet", "prometheus-main")["spec"]["template"]
        ["spec"]["containers"];
    containers[0]["env"] = json!([{"name": "A", "value": "live-hush"}]);
    containers[0]["args"][0] = json!("--web.password=live-hush");
    containers[0]["args"]
        .as_array_mut()
        .unwrap()
        .push(json!("--url=http://u:live-hush@x"));
    containers[1]["env"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "B", "value": "live-hush"}));
    for format in ["text", "markdown", "json"] {
        let ran = live(&objects, &["--format", format]);
        for secret in ["hush", "bGl2ZS1odXNo"] {
            assert!(
                !ran.stdout.contains(secret) && !ran.stderr.contains(secret),
                "{}{}",
                ran.stdout,
                ran.stderr
            );
        }
        assert!(ran.stdout.contains("basic_auth"), "{}", ran.stdout);
    }
}

#[test]
fn a_secret_may_be_broken() {
    let bomb = {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        std::io::copy(
            &mut std::io::Read::take(std::io::repeat(b' '), 65 << 20),
            &mut encoder,
        )
        .unwrap();
        BASE64_STANDARD.encode(encoder.finish().unwrap())
    };
    for (value, fault) in [
        (json!("*"), "not base64"),
        (json!(7), "not base64"),
        (json!({"a": []}), "not base64"),
        (json!("H4sIAAAAAAAA"), "broken gzip"),
        (json!("/w=="), "not UTF-8"),
        (json!(bomb), "more than 64 MiB when decompressed"),
        (json!(BASE64_STANDARD.encode("a: [")), "no YAML"),
    ] {
        let mut objects = settled();
        named(&mut objects, "Secret", "prometheus-main")["data"]["prometheus.yaml.gz"] = value;
        let found = drift(&objects);
        let field = &found["objects"][0]["objects"]["items"][0]["fields"]["items"][0];
        assert_eq!(field["from"], fault, "{found:#}");
        assert_eq!(found["objects"].as_array().unwrap().len(), 1);
    }
    for text in [
        "a",
        "[1, 2]",
        "",
        "scrape_configs: {a: 1}",
        "scrape_configs: [1, {job_name: []}]",
        "global: 7",
    ] {
        let mut objects = settled();
        named(&mut objects, "Secret", "prometheus-main")["data"]["prometheus.yaml.gz"] =
            json!(recorded::packed(text));
        assert_eq!(live(&objects, &["--exit-code"]).code, 1, "{text}");
    }
}

#[test]
fn a_strange_dump_is_no_panic() {
    for (text, says) in [
        ("", "not compared"),
        ("a: [", "PG001"),
        ("kind: List\napiVersion: v1\nitems: 7\n", "not compared"),
        (
            "kind: StatefulSet\napiVersion: apps/v1\nmetadata: []\nspec: 7\n",
            "not compared",
        ),
        (
            "kind: Prometheus\napiVersion: monitoring.coreos.com/v1\nmetadata: {name: main, namespace: shop, managedFields: 7, generation: x}\nspec: []\nstatus: {conditions: {}}\n",
            "not compared",
        ),
    ] {
        let ran = promgen_with(
            &["diff", MANIFESTS, "--live", "-"],
            &mut text.as_bytes(),
            Terminal::default(),
        );
        assert!(
            ran.code < 3 && ran.stderr.contains(says),
            "{text}: {} {}",
            ran.stdout,
            ran.stderr
        );
    }
    let mut objects = settled();
    for object in &mut objects {
        object["metadata"]["managedFields"] =
            json!([7, {"manager": [], "fieldsV1": {"f:spec": {"k:{": {}, "f:replicas": 7}}}]);
        object["metadata"]["labels"] = json!([]);
        object["metadata"]["ownerReferences"] = json!({"a": 1});
    }
    assert_eq!(live(&objects, &[]).code, 0);
}

#[test]
fn what_the_dump_lacks_is_not_compared() {
    let all = settled();
    let only: Vec<Value> = all
        .iter()
        .filter(|object| object["kind"] == "Secret")
        .cloned()
        .collect();
    let ran = live(&only, &["--exit-code"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(
        ran.stdout,
        "no drift: 2 workloads and 8 objects as expected\n"
    );
    let kinds =
        "Alertmanager, ConfigMap, PodMonitor, Prometheus, PrometheusRule, Service, StatefulSet";
    assert!(
        ran.stderr
            .contains(&format!("no object of this kind: {kinds}\n")),
        "{}",
        ran.stderr
    );
    // Without the resources of the cluster, no class has evidence.
    let mut sets: Vec<Value> = all
        .iter()
        .filter(|object| object["kind"] == "StatefulSet")
        .cloned()
        .collect();
    named(&mut sets, "StatefulSet", "prometheus-main")["spec"]["replicas"] = json!(5);
    let found = drift(&sets);
    assert_eq!(found["objects"][0]["class"], "unknown", "{found:#}");
    assert!(
        found["objects"][0]["evidence"]
            .as_str()
            .unwrap()
            .contains("the resource of the workload"),
        "{found:#}"
    );
    let elsewhere: Vec<Value> = all
        .iter()
        .cloned()
        .map(|mut object| {
            object["metadata"]["namespace"] = json!("other");
            object
        })
        .collect();
    let ran = live(&elsewhere, &[]);
    assert!(
        ran.stderr.contains("no object of this namespace: shop"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr
            .contains("only in the cluster, and taken as they are: Prometheus other/main"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_resource_that_only_the_cluster_has_counts_as_it_is() {
    let manifests = fs::read_to_string(root().join(MANIFESTS).join("monitoring.yaml")).unwrap();
    let monitor = "---\napiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {name: extra, namespace: shop}\n\
                   spec: {selector: {}, podMetricsEndpoints: [{port: a}]}\n";
    let both = [manifests.as_str(), monitor].concat();
    let objects: Vec<Value> = resources(&both)
        .into_iter()
        .chain(rendered(&both))
        .map(stored)
        .collect();
    let ran = live(&objects, &["--exit-code"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!(
        ran.stderr,
        "note: only in the cluster, and taken as they are: PodMonitor shop/extra\n"
    );
}

#[test]
fn paused_workloads_are_skipped_and_surplus_objects_are_left_over() {
    let mut objects = settled();
    named(&mut objects, "Prometheus", "main")["spec"]["paused"] = json!(true);
    let ran = live(&objects, &[]);
    assert!(
        ran.stderr
            .contains("paused resources alone: Prometheus/shop/main"),
        "{}",
        ran.stderr
    );
    assert!(!ran.stdout.contains("left over"), "{}", ran.stdout);
    let mut objects = cluster();
    named(&mut objects, "StatefulSet", "prometheus-main-shard-2")["metadata"]["annotations"] =
        json!({"operator.prometheus.io/deletion-deadline": "2026-09-01T00:00:00Z"});
    let found = drift(&objects);
    let left = &found["leftOver"]["items"][0];
    assert_eq!(
        left["evidence"], "the operator retains it until 2026-09-01T00:00:00Z",
        "{found:#}"
    );
    let gone: Vec<Value> = settled()
        .into_iter()
        .map(|mut object| {
            if object["metadata"]["name"] == "prometheus-main-shard-1" {
                object["metadata"]["name"] = json!("prometheus-gone");
                object["metadata"]["ownerReferences"][0]["name"] = json!("gone");
            }
            object
        })
        .collect();
    let found = drift(&gone);
    assert_eq!(
        found["leftOver"]["items"][0]["evidence"], "there is no Prometheus/shop/gone",
        "{found:#}"
    );
}

#[test]
fn what_the_cluster_decrypted_counts() {
    let folder = tempfile::tempdir().unwrap();
    let manifests = fs::read_to_string(root().join(MANIFESTS).join("monitoring.yaml")).unwrap();
    let encrypted =
        manifests.replace("hush-hush", "ENC[AES256_GCM,data:x]") + "sops: {version: 3.9.0}\n";
    let path = folder.path().join("monitoring.yaml");
    fs::write(&path, &encrypted).unwrap();
    let mut objects = settled();
    objects.push(json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "scrape", "namespace": "shop"},
        "data": {"user": "c2NyYXBlcg==", "password": "aHVzaC1odXNo"},
    }));
    let run = || {
        let args = ["diff", path.to_str().unwrap(), "--live", "-", "--exit-code"];
        promgen_with(&args, &mut list(&objects).as_bytes(), Terminal::default())
    };
    assert_eq!(run().code, 0, "{}", run().stdout);
    // Without SOPS, the manifests have another password, which is named and not shown.
    fs::write(&path, manifests.replace("hush-hush", "other-hush")).unwrap();
    let ran = run();
    assert!(!ran.stdout.contains("hush"), "{}", ran.stdout);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout
            .contains("basic_auth.password: <redacted> -> <redacted>"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_revision_is_compared_with_a_cluster() {
    let folder = tempfile::tempdir().unwrap();
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command
            .args([
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(args);
        assert!(
            command
                .current_dir(folder.path())
                .output()
                .unwrap()
                .status
                .success()
        );
    };
    fs::create_dir(folder.path().join("prod")).unwrap();
    let manifests = fs::read_to_string(root().join(MANIFESTS).join("monitoring.yaml")).unwrap();
    fs::write(folder.path().join("prod/monitoring.yaml"), manifests).unwrap();
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "one"]);
    fs::write(folder.path().join("prod/monitoring.yaml"), "a: 1\n").unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_promgen"));
    let dump = root().join(CLUSTER);
    let output = command
        .args(["diff", "main", "--live"])
        .arg(dump)
        .args(["--", "prod"])
        .current_dir(folder.path());
    let output = output.output().unwrap();
    let expected = promgen(&["diff", MANIFESTS, "--live", CLUSTER]).stdout;
    let printed = String::from_utf8(output.stdout)
        .unwrap()
        .replace("prod/monitoring", "fixtures/drift/input/monitoring");
    assert_eq!(
        printed,
        expected,
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    for args in [
        &["diff", "-", "--live", "-"][..],
        &["diff", MANIFESTS, MANIFESTS, "--live", CLUSTER],
        &["diff", "a..b", "--live", CLUSTER],
        &[
            "diff",
            MANIFESTS,
            "--live",
            CLUSTER,
            "--fail-on",
            "lost-targets",
        ],
        &[
            "diff",
            MANIFESTS,
            "--live",
            CLUSTER,
            "--to-prometheus-version",
            "v3.5.0",
        ],
        &["diff", MANIFESTS, "--live", "fixtures/drift/nowhere.yaml"],
    ] {
        let ran = promgen(args);
        assert!(
            ran.code == 2 && ran.stdout.is_empty(),
            "{args:?}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
    // The dump may stand among the manifests.
    let ran = promgen(&["diff", "fixtures/drift", "--live", CLUSTER]);
    assert_eq!(
        ran.stdout,
        promgen(&["diff", MANIFESTS, "--live", CLUSTER]).stdout
    );
}
