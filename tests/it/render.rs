//! What `render` and `config` write for the quickstart: every form of it says the same, and fits together.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize as _;
use serde_json::Value;

use crate::support::{promgen, root};

const QUICKSTART: &str = "fixtures/quickstart";

fn stdout(args: &[&str]) -> String {
    let ran = promgen(args);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.stdout
}

fn documents(yaml: &str) -> Vec<Value> {
    serde_yaml::Deserializer::from_str(yaml)
        .map(|document| Value::deserialize(document).unwrap())
        .collect()
}

fn of_kind<'d>(documents: &'d [Value], kind: &str) -> Vec<&'d Value> {
    documents
        .iter()
        .filter(|document| document["kind"] == kind)
        .collect()
}

#[test]
fn json_and_yaml_say_the_same() {
    for layout in ["per-shard", "operator"] {
        let yaml = documents(&stdout(&["render", QUICKSTART, "--layout", layout]));
        for (format, key) in [("json", "objects"), ("list", "items")] {
            let printed = stdout(&["render", QUICKSTART, "--layout", layout, "--format", format]);
            let json: Value = serde_json::from_str(&printed).unwrap();
            assert_eq!(json[key].as_array().unwrap(), &yaml);
        }
        assert!(
            yaml.iter()
                .all(|object| object["metadata"]["namespace"] == "monitoring")
        );
        assert!(
            yaml.iter()
                .all(|object| object["metadata"].get("ownerReferences").is_none())
        );
    }
}

#[test]
fn every_stateful_set_mounts_the_configuration_of_its_shard() {
    let documents = documents(&stdout(&["render", QUICKSTART]));
    let (sets, secrets) = (
        of_kind(&documents, "StatefulSet"),
        of_kind(&documents, "Secret"),
    );
    assert_eq!(sets.len(), 4);
    for (shard, set) in sets.into_iter().enumerate() {
        let pod = &set["spec"]["template"]["spec"];
        let volumes = pod["volumes"].as_array().unwrap();
        let name = &volumes
            .iter()
            .find(|volume| volume["name"] == "config")
            .unwrap()["secret"]["secretName"];
        assert_eq!(*name, set["metadata"]["name"]);
        let secret = secrets
            .iter()
            .find(|secret| secret["metadata"]["name"] == *name)
            .unwrap();
        let config = secret["stringData"]["prometheus.yaml"].as_str().unwrap();
        assert_eq!(
            config,
            stdout(&["config", QUICKSTART, "--shard", &shard.to_string()])
        );
        let zone = pod["nodeSelector"]["topology.kubernetes.io/zone"]
            .as_str()
            .unwrap();
        assert!(config.contains(&format!("zone: {zone}\n")), "{zone}");
        let reads = |container: &Value| {
            container
                .to_string()
                .contains("--config-file=/etc/prometheus/config/prometheus.yaml\"")
        };
        assert!(
            pod["containers"].as_array().unwrap().iter().any(reads),
            "{pod}"
        );
    }
}

/// A Prometheus with so many monitors, whose labels compress or do not.
fn large(n_monitors: usize, label: impl Fn(usize) -> String) -> String {
    let mut text = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: main}\nspec: {shards: 2, serviceMonitorSelector: {}}\n".to_owned();
    for i in 0..n_monitors {
        text += &format!(
            "---\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {{name: m{i}}}\nspec: {{selector: {{}}, endpoints: [{{port: web, metricRelabelings: [{{targetLabel: a, replacement: \"{}\"}}]}}]}}\n",
            label(i)
        );
    }
    text
}

fn render_text(text: &str) -> crate::support::Ran {
    crate::support::promgen_with(&["render", "-"], &mut text.as_bytes(), Default::default())
}

#[test]
fn a_configuration_that_is_too_large_for_a_secret_is_compressed() {
    let ran = render_text(&large(800, |i| i.to_string()));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let documents = documents(&ran.stdout);
    let packed: Vec<_> = of_kind(&documents, "Secret")
        .into_iter()
        .filter(|s| s["data"].is_object())
        .collect();
    assert_eq!(packed.len(), 1);
    assert_eq!(packed[0]["metadata"]["name"], "prometheus-main");
    assert!(packed[0]["data"]["prometheus.yaml.gz"].is_string());
    for set in of_kind(&documents, "StatefulSet") {
        let volumes = set["spec"]["template"]["spec"]["volumes"]
            .as_array()
            .unwrap();
        assert!(
            volumes
                .iter()
                .any(|v| v["name"] == "config" && v["secret"]["secretName"] == "prometheus-main")
        );
        assert!(
            set.to_string()
                .contains("--config-file=/etc/prometheus/config/prometheus.yaml.gz\"")
        );
    }
}

#[test]
fn one_that_is_too_large_even_so_is_an_error() {
    // Hexadecimal digits of a hash do not compress below half.
    let noise = |i: usize| {
        (0..80)
            .map(|j| format!("{:x}", md5_other::compute(format!("{i}.{j}"))))
            .collect::<String>()
    };
    let ran = render_text(&large(1000, noise));
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr
            .contains("error[PG504]: the configuration of default/main has "),
        "{}",
        ran.stderr
    );
}

#[test]
fn parts_make_up_the_whole() {
    let whole = documents(&stdout(&["render", QUICKSTART]));
    let parts = ["config", "workloads", "status"]
        .map(|part| documents(&stdout(&["render", QUICKSTART, "--emit", part])));
    assert!(parts.iter().all(|part| !part.is_empty()));
    assert_eq!(parts.concat(), whole);
}

/// All files below a folder, by their path within it.
fn tree(folder: &Path) -> Vec<(String, String)> {
    let (mut files, mut pending) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(
                fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else {
            let name = path
                .strip_prefix(folder)
                .unwrap()
                .to_str()
                .unwrap()
                .replace('\\', "/");
            files.push((name, fs::read_to_string(path).unwrap()));
        }
    }
    files.sort_unstable();
    files
}

#[test]
fn a_tree_holds_the_documents_of_the_stream() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new").display().to_string() + "/";
    let parts = "config,workloads,status,raw";
    assert_eq!(
        stdout(&["render", QUICKSTART, "--emit", parts, "-o", &out]),
        ""
    );
    let files = tree(folder.path());
    let file = |name: &str| {
        let path = format!("new/prometheus/monitoring/main/{name}");
        &files
            .iter()
            .find(|(file, _)| *file == path)
            .unwrap_or_else(|| panic!("{path} is missing"))
            .1
    };
    let stream = documents(&stdout(&["render", QUICKSTART]));
    for (shard, set) in of_kind(&stream, "StatefulSet").into_iter().enumerate() {
        assert_eq!(
            &documents(file(&format!("statefulset-{shard}.yaml")))[0],
            set
        );
        assert_eq!(
            file(&format!("prometheus-{shard}.yaml")),
            &stdout(&["config", QUICKSTART, "--shard", &shard.to_string()])
        );
    }
    assert_eq!(
        &documents(file("status.yaml"))[0],
        of_kind(&stream, "Prometheus")[0]
    );
    let list = &files
        .iter()
        .find(|(file, _)| file == "new/kustomization.yaml")
        .unwrap()
        .1;
    let listed: Vec<String> =
        serde_json::from_value(documents(list)[0]["resources"].clone()).unwrap();
    assert_eq!(listed.len(), stream.len());
    assert!(
        listed
            .iter()
            .all(|path| files.iter().any(|(file, _)| *file == format!("new/{path}"))),
        "{listed:?}"
    );
}

#[test]
fn a_second_layout_replaces_the_first() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let render = |folder: &Path, layout: &str| {
        stdout(&[
            "render",
            QUICKSTART,
            "--layout",
            layout,
            "-o",
            folder.to_str().unwrap(),
        ]);
    };
    render(folder.path(), "per-shard");
    render(folder.path(), "operator");
    render(other.path(), "operator");
    assert_eq!(tree(folder.path()), tree(other.path()));
}

#[test]
fn the_same_bytes_come_out_however_the_work_is_shared_and_the_input_is_named() {
    let run = |threads: &str, paths: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_promgen"));
        command
            .arg("render")
            .args(paths)
            .env_clear()
            .env("RAYON_NUM_THREADS", threads)
            .current_dir(root());
        let output = command.stdin(std::process::Stdio::null()).output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        output.stdout
    };
    let once = run("1", &[QUICKSTART]);
    for threads in ["2", "7"] {
        assert!(run(threads, &[QUICKSTART]) == once);
        assert!(
            run(
                threads,
                &[
                    &format!("{QUICKSTART}/input/shop.yaml"),
                    QUICKSTART,
                    &format!("./{QUICKSTART}/")
                ]
            ) == once
        );
    }
}

#[test]
fn manifests_come_by_pipe() {
    let mut piped = Vec::new();
    for name in ["namespaces", "prometheus", "sandbox", "shop"] {
        piped.extend(fs::read(root().join(format!("{QUICKSTART}/input/{name}.yaml"))).unwrap());
        piped.extend(b"---\n");
    }
    let ran = crate::support::promgen_with(
        &["render", "-", "-v"],
        &mut piped.as_slice(),
        Default::default(),
    );
    assert_eq!(ran.stdout, stdout(&["render", QUICKSTART]));
    assert!(ran.stderr.contains(" --> <stdin>:"), "{}", ran.stderr);
}

#[test]
fn pods_mount_only_secrets_of_the_output() {
    for case in [
        "unmanaged",
        "sharding-address",
        "sharding-operator-topology",
        "stackable-stopped",
    ] {
        let input = format!("fixtures/{case}/input");
        let documents = documents(&promgen(&["render", &input]).stdout);
        let secrets: Vec<_> = of_kind(&documents, "Secret")
            .iter()
            .map(|secret| &secret["metadata"]["name"])
            .collect();
        let sets = of_kind(&documents, "StatefulSet");
        assert!(!sets.is_empty(), "{case}");
        for set in sets {
            let volumes = set["spec"]["template"]["spec"]["volumes"]
                .as_array()
                .unwrap();
            let sources =
                volumes
                    .iter()
                    .flat_map(|volume| match volume["projected"]["sources"].as_array() {
                        Some(sources) => sources
                            .iter()
                            .map(|source| &source["secret"]["name"])
                            .collect(),
                        None => vec![&volume["secret"]["secretName"]],
                    });
            for name in sources.filter(|name| name.is_string()) {
                assert!(
                    secrets.contains(&name),
                    "{case}: no Secret {name} in the output"
                );
            }
        }
    }
}

#[test]
fn a_stopped_resource_runs_nothing() {
    let input = "fixtures/stackable-stopped/input";
    let replicas = |args: &[&str]| {
        let documents = documents(&stdout(&[&["render", input], args].concat()));
        of_kind(&documents, "StatefulSet")
            .iter()
            .map(|set| set["spec"]["replicas"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(replicas(&["--profile", "stackable"]), [0]);
    assert_eq!(
        replicas(&[]),
        [2],
        "the annotation means nothing to the operator"
    );
}

#[test]
fn statuses_of_monitors_are_files_too() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let path = format!("{}/", out.display());
    stdout(&[
        "render",
        "fixtures/proposal-monitor-bound/input",
        "--profile",
        "proposal",
        "-o",
        &path,
    ]);
    let text =
        fs::read_to_string(out.join("servicemonitor/default/example-app/status.yaml")).unwrap();
    assert!(
        text.contains("kind: ServiceMonitor") && text.contains("type: Valid"),
        "{text}"
    );
}
