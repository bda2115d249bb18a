//! `render -o DIR/` and `rules -o DIR` change only what promgen wrote, and keep what still runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::lint::{folder, path};
use crate::support::{Ran, promgen};

const MINE: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\n";

/// A file of an earlier run, by which a folder is one that promgen writes to.
const EARLIER: (&str, &str) = (
    "out/prometheus/d/earlier/status.yaml",
    "# promgen: generated\na: 1\n",
);

/// A Prometheus with a monitor and a rule.
fn manifests(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: {name}, namespace: d}}\n\
         spec: {{serviceMonitorSelector: {{}}, ruleSelector: {{}}{spec}}}\n"
    )
}

const SELECTED: &str = "---\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: m, namespace: d}\n\
    spec: {selector: {}, endpoints: [{port: web}]}\n---\napiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\n\
    metadata: {name: r, namespace: d}\nspec: {groups: [{name: a, rules: [{record: a, expr: b}]}]}\n";

/// All files below a folder, by their path within it.
fn tree(root: &Path) -> BTreeMap<String, String> {
    let (mut files, mut pending) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else {
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .replace('\\', "/");
            files.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
    files
}

/// Runs a command on `in.yaml` of a folder, into the folder `out` beside it.
fn write(folder: &TempDir, command: &str, args: &[&str]) -> Ran {
    let (input, out) = (
        path(folder.path(), "in.yaml"),
        format!("{}/", path(folder.path(), "out")),
    );
    promgen(&[&[command, &input, "-o", &out], args].concat())
}

fn written(folder: &TempDir, command: &str, args: &[&str]) -> Ran {
    let ran = write(folder, command, args);
    assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
    ran
}

const LIKELY: [&str; 8] = [
    "prometheus.yaml",
    "prometheus-0.yaml",
    "bindings.yaml",
    "selection.json",
    "statefulset-7.yaml",
    "status.yaml",
    "error.txt",
    "rules/a-b-c.yaml",
];

#[test]
fn files_of_the_user_are_neither_replaced_nor_removed() {
    for (command, args, in_the_way) in [
        ("render", &[][..], &["status.yaml"][..]),
        (
            "render",
            &["--emit", "raw,selection"],
            &["prometheus-0.yaml", "selection.json"],
        ),
        (
            "render",
            &["--layout", "operator"],
            &["prometheus.yaml", "status.yaml", "selection.json"],
        ),
        (
            "render",
            &["--format", "json", "--emit", "config,workloads"],
            &[],
        ),
        ("rules", &[], &[]),
    ] {
        let at = |name: &str| format!("out/prometheus/d/main/{name}");
        let mine: Vec<_> = LIKELY.iter().map(|name| (at(name), MINE)).collect();
        let mut files: Vec<_> = mine
            .iter()
            .map(|(name, text)| (name.as_str(), *text))
            .collect();
        let input = manifests("main", "") + SELECTED;
        files.push(("in.yaml", &input));
        // A folder to which promgen has written.
        files.push(EARLIER);
        let folder = folder(&files);
        let before = tree(&folder.path().join("out"));
        let ran = write(&folder, command, args);
        let after = tree(&folder.path().join("out"));
        if in_the_way.is_empty() {
            assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
        } else {
            assert_eq!(ran.code, 2, "{args:?}: {}", ran.stderr);
            let named = |name: &&&str| ran.stderr.contains(&format!("`prometheus/d/main/{name}`"));
            assert_eq!(
                in_the_way.iter().filter(named).count(),
                in_the_way.len(),
                "{args:?}: {}",
                ran.stderr
            );
            assert!(
                ran.stderr.contains("promgen did not write"),
                "{}",
                ran.stderr
            );
            assert_eq!(after, before, "{args:?}: nothing is written");
        }
        for (name, text) in &before {
            assert_eq!(after.get(name), Some(text), "{args:?}: {name}");
        }
    }
}

/// Runs a command with a file in the folder of output.
fn beside(name: &str, text: &str, command: &str, args: &[&str]) -> (Ran, BTreeMap<String, String>) {
    let input = manifests("main", "") + SELECTED;
    let folder = folder(&[("in.yaml", &input), (name, text)]);
    let ran = write(&folder, command, args);
    (ran, tree(&folder.path().join("out")))
}

#[test]
fn a_folder_of_others_is_only_written_to_on_request() {
    for (name, text) in [
        ("out/README.md", "mine\n"),
        ("out/prometheus/d/main/notes.yaml", MINE),
        ("out/kustomization.yaml", "resources: []\n"),
        (
            "out/prometheus/d/status.yaml",
            "# promgen: generated\na: 1\n",
        ),
    ] {
        for command in ["render", "rules"] {
            let (ran, after) = beside(name, text, command, &[]);
            assert!(
                ran.code == 2 && ran.stderr.contains("--force"),
                "{name}: {}",
                ran.stderr
            );
            assert_eq!(after.len(), 1, "{name}: nothing is written");
            let (ran, after) = beside(name, text, command, &["--force"]);
            assert!(ran.code == 0 && after.len() > 1, "{name}: {}", ran.stderr);
            let is_replaced = name.ends_with("kustomization.yaml") && command == "render";
            assert_eq!(
                after[name.strip_prefix("out/").unwrap()] != text,
                is_replaced,
                "{name}"
            );
        }
    }
    for (name, text) in [
        ("out/.gitkeep", ""),
        ("out/.git/HEAD", "x"),
        EARLIER,
        (
            "out/kustomization.yaml",
            "# promgen: generated\nresources: []\n",
        ),
        ("out/.promgen.sha256", "# promgen: generated\n"),
    ] {
        for command in ["render", "rules"] {
            let (ran, _) = beside(name, text, command, &[]);
            assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
        }
    }
}

#[test]
fn no_folder_is_input_and_output() {
    let folder = folder(&[
        ("in/a/in.yaml", &(manifests("main", "") + SELECTED)),
        ("beside/.gitkeep", ""),
    ]);
    let input = path(folder.path(), "in");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&input, folder.path().join("link")).unwrap();
    let inside = || tree(&folder.path().join("in"));
    let before = inside();
    for out in [
        "in",
        "in/",
        "in/a/..",
        "in/none/../",
        "link/",
        "in/../in",
        "",
    ] {
        for command in ["render", "rules"] {
            let is_missing = !cfg!(unix) && out.contains("link");
            let ran = promgen(&[command, &input, "-o", &path(folder.path(), out), "--force"]);
            let is_refused =
                ran.code == 2 && ran.stderr.contains("lies in the folder of the output");
            assert!(is_refused || is_missing, "{out}: {}", ran.stderr);
            assert_eq!(inside(), before, "{out}");
        }
    }
    for out in ["in/out/", "beside", "in-beside/"] {
        let ran = promgen(&["render", &input, "-o", &path(folder.path(), out)]);
        assert_eq!(ran.code, 0, "{out}: {}", ran.stderr);
    }
}

#[test]
fn what_promgen_wrote_is_replaced_and_removed_in_every_form() {
    for args in [
        &["--emit", "config,workloads,status,raw,selection"][..],
        &[
            "--emit",
            "config,workloads,status,raw,selection",
            "--format",
            "json",
        ],
        &["--layout", "operator"],
        &["--layout", "operator", "--format", "json"],
    ] {
        let input = manifests("main", ", shards: 3") + SELECTED;
        let folder = folder(&[("in.yaml", &input)]);
        written(&folder, "render", args);
        fs::write(
            path(folder.path(), "in.yaml"),
            manifests("main", ", retention: 9d"),
        )
        .unwrap();
        written(&folder, "render", args);
        let again = tree(&folder.path().join("out"));
        fs::remove_dir_all(folder.path().join("out")).unwrap();
        written(&folder, "render", args);
        assert_eq!(again, tree(&folder.path().join("out")), "{args:?}");
        fs::write(path(folder.path(), "in.yaml"), manifests("other", "")).unwrap();
        written(&folder, "render", args);
        let left: Vec<_> = tree(&folder.path().join("out"))
            .into_keys()
            .filter(|name| name.contains("d/main/"))
            .collect();
        let is_operator = args.contains(&"operator");
        // That layout has no list of the objects.
        assert!(left.is_empty() || is_operator, "{args:?}: {left:?}");
        assert!(
            !left.iter().any(|name| name.ends_with("prometheus.yaml")),
            "{args:?}: {left:?}"
        );
    }
}

#[test]
fn a_changed_file_without_a_mark_is_the_users() {
    let input = manifests("main", "") + SELECTED;
    let folder = folder(&[("in.yaml", &input)]);
    let args = ["--emit", "raw"];
    written(&folder, "render", &args);
    let config = folder
        .path()
        .join("out/prometheus/d/main/prometheus-0.yaml");
    fs::write(&config, "global: {}\n").unwrap();
    let ran = write(&folder, "render", &args);
    assert!(
        ran.code == 2
            && ran
                .stderr
                .contains("or the content has changed since; delete"),
        "{}",
        ran.stderr
    );
    assert_eq!(fs::read_to_string(&config).unwrap(), "global: {}\n");
    fs::remove_file(&config).unwrap();
    written(&folder, "render", &args);
    assert!(config.is_file());
}

#[test]
fn the_record_is_one_for_sha256sum() {
    let input = manifests("main", "") + SELECTED;
    let folder = folder(&[("in.yaml", &input)]);
    written(&folder, "render", &["--layout", "operator"]);
    let out = folder.path().join("out");
    let record = fs::read_to_string(out.join(".promgen.sha256")).unwrap();
    let paths: Vec<_> = record
        .lines()
        .skip(1)
        .map(|line| line.split_once("  ").unwrap().1)
        .collect();
    let named = [
        "prometheus.yaml",
        "rules/d-r-.yaml",
        "selection.json",
        "web-config.yaml",
    ];
    let named = named.map(|name| format!("prometheus/d/main/{name}"));
    assert_eq!(paths, named);
    let mut command = std::process::Command::new("sha256sum");
    // There may be none.
    if let Ok(output) = command
        .args(["-c", ".promgen.sha256"])
        .current_dir(&out)
        .output()
    {
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let plain = write(&folder, "render", &[]);
    assert!(
        plain.code == 0 && !out.join(".promgen.sha256").exists(),
        "{}",
        plain.stderr
    );
}

fn listed(folder: &TempDir) -> Vec<String> {
    let text = fs::read_to_string(folder.path().join("out/kustomization.yaml")).unwrap();
    text.lines()
        .filter_map(|line| line.strip_prefix("- "))
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_paused_workload_keeps_its_files() {
    let input = manifests("main", ", shards: 2") + SELECTED;
    let folder = folder(&[("in.yaml", &input)]);
    let args = ["--emit", "config,workloads,status,raw"];
    written(&folder, "render", &args);
    let (before, list) = (tree(&folder.path().join("out")), listed(&folder));
    assert!(
        list.iter()
            .any(|path| path.ends_with("/statefulset-1.yaml")),
        "{list:?}"
    );
    let paused = manifests("main", ", shards: 2, paused: true") + SELECTED;
    fs::write(path(folder.path(), "in.yaml"), &paused).unwrap();
    let ran = written(&folder, "render", &args);
    let said = "Prometheus/d/main is paused: its files from an earlier run stay";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    let after = tree(&folder.path().join("out"));
    assert_eq!(
        after.keys().collect::<Vec<_>>(),
        before.keys().collect::<Vec<_>>()
    );
    let status = "prometheus/d/main/status.yaml";
    for (name, text) in before
        .iter()
        .filter(|(name, _)| *name != status && *name != "kustomization.yaml")
    {
        assert_eq!(after.get(name), Some(text), "{name}");
    }
    assert!(after[status].contains("paused: true"));
    let sorted = |mut list: Vec<String>| {
        list.sort_unstable();
        list
    };
    assert_eq!(sorted(listed(&folder)), sorted(list));
    let again = written(&folder, "render", &args);
    assert!(
        again.stderr.contains(said) && tree(&folder.path().join("out")) == after,
        "{}",
        again.stderr
    );
    // The rule files, too.
    written(&folder, "rules", &[]);
    assert_eq!(tree(&folder.path().join("out")), after);
    fs::write(path(folder.path(), "in.yaml"), &input).unwrap();
    let ran = written(&folder, "render", &args);
    assert!(!ran.stderr.contains("paused"), "{}", ran.stderr);
    assert_eq!(tree(&folder.path().join("out")), before);
    // Without files of an earlier run there is nothing to say.
    fs::remove_dir_all(folder.path().join("out")).unwrap();
    fs::write(path(folder.path(), "in.yaml"), &paused).unwrap();
    assert!(
        !written(&folder, "render", &args)
            .stderr
            .contains("earlier run")
    );
}

#[test]
fn a_paused_workload_of_the_operators_layout_keeps_its_files() {
    let folder = folder(&[("in.yaml", &(manifests("main", "") + SELECTED))]);
    written(&folder, "render", &["--layout", "operator"]);
    let before = tree(&folder.path().join("out"));
    fs::write(
        path(folder.path(), "in.yaml"),
        manifests("main", ", paused: true") + SELECTED,
    )
    .unwrap();
    let ran = written(&folder, "render", &["--layout", "operator"]);
    assert!(
        ran.stderr.contains("is paused: its files"),
        "{}",
        ran.stderr
    );
    let after = tree(&folder.path().join("out"));
    let kept = [
        "prometheus.yaml",
        "statefulset-0.yaml",
        "secret-prometheus-main.yaml",
        "rules/d-r-.yaml",
    ];
    for name in kept.map(|name| format!("prometheus/d/main/{name}")) {
        assert!(
            before.contains_key(&name) && before.get(&name) == after.get(&name),
            "{name}"
        );
    }
}

/// Two workloads of a namespace have one Service, in the folder of the first.
#[test]
fn a_service_of_a_paused_workload_is_listed_once() {
    let both = |spec: &str| manifests("a", spec) + "---\n" + &manifests("b", "");
    let folder = folder(&[("in.yaml", &both(""))]);
    written(&folder, "render", &[]);
    let services = || {
        listed(&folder)
            .into_iter()
            .filter(|path| path.contains("/service-"))
            .collect::<Vec<_>>()
    };
    let first = services();
    assert_eq!(first, ["prometheus/d/a/service-prometheus-operated.yaml"]);
    fs::write(path(folder.path(), "in.yaml"), both(", paused: true")).unwrap();
    written(&folder, "render", &[]);
    assert_eq!(services(), first);
    assert!(folder.path().join("out").join(&first[0]).is_file());
    // The other one has it when the first is gone.
    fs::write(path(folder.path(), "in.yaml"), manifests("b", "")).unwrap();
    written(&folder, "render", &[]);
    assert_eq!(
        services(),
        ["prometheus/d/b/service-prometheus-operated.yaml"]
    );
}

#[cfg(unix)]
#[test]
fn a_tree_stays_below_its_folder() {
    use std::os::unix::fs::symlink;

    let input = manifests("main", "") + SELECTED;
    for (link, command) in [
        ("prometheus/d/main", "render"),
        ("prometheus/d/main", "rules"),
        ("prometheus/d/main/rules", "rules"),
        ("prometheus/d/main/status.yaml", "render"),
        ("kustomization.yaml", "render"),
    ] {
        let folder = folder(&[
            ("in.yaml", &input),
            ("outside/status.yaml", "# promgen: generated\na: 1\n"),
            EARLIER,
        ]);
        let at = folder.path().join("out").join(link);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        let target = if link.ends_with(".yaml") {
            "outside/status.yaml"
        } else {
            "outside"
        };
        symlink(folder.path().join(target), &at).unwrap();
        let ran = write(&folder, command, &[]);
        assert!(
            ran.code == 2 && ran.stderr.contains(&format!("`{link}` is a link")),
            "{link}: {}",
            ran.stderr
        );
        let outside = tree(&folder.path().join("outside"));
        assert_eq!(
            outside.into_iter().collect::<Vec<_>>(),
            [("status.yaml".into(), "# promgen: generated\na: 1\n".into())]
        );
    }
    let folder = folder(&[("in.yaml", &input), ("outside/.gitignore", "")]);
    symlink("outside", folder.path().join("out")).unwrap();
    written(&folder, "render", &[]);
    assert!(
        folder.path().join("outside/kustomization.yaml").is_file(),
        "the user typed that link"
    );
}
