//! Repositories whose files, keys and values have names that mean harm: kustomizations, comparisons, pipes, comments.

use std::fs;
use std::path::Path;

use promgen::cli::Terminal;
use rayon::prelude::*;
use regex::Regex;
use serde_json::{Value, json};

use super::forms::{STEERING, check_form, check_terminal, decoded, documents};
use super::{PIECES, check, path_of};
use crate::commands::{Form, Place, arguments, lines};
use crate::support::{Ran, promgen, promgen_with, swept};

/// A piece as the name of a file.
fn file_name(piece: &str) -> String {
    let name: String = piece
        .chars()
        .map(|c| {
            if matches!(c, '/' | '=' | '\0') {
                '_'
            } else {
                c
            }
        })
        .collect();
    if name.starts_with('.') {
        format!("x{name}")
    } else {
        name
    }
}

/// JSON that YAML reads, too: no escape stands for half a character.
fn text(value: &Value) -> String {
    let plain = serde_json::to_string(value).unwrap();
    let escaped = |c: char| match c {
        c if c.is_ascii_graphic() || c == ' ' || c > '\u{ffff}' => c.to_string(),
        c => format!("\\u{:04x}", u32::from(c)),
    };
    plain.chars().map(escaped).collect()
}

fn object(api_version: &str, kind: &str, name: &str, more: &Value) -> Value {
    let mut object = json!({ "apiVersion": api_version, "kind": kind, "metadata": { "name": name, "namespace": "d" } });
    object
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    object
}

/// The objects with a piece wherever there is room for a text.
fn objects(e: &str) -> Vec<Value> {
    const OURS: &str = "monitoring.coreos.com/v1";
    let prometheus = json!({ "spec": {
        "shards": 2, "serviceMonitorSelector": {}, "ruleSelector": {}, "scrapeConfigSelector": {}, "externalLabels": { "a": e },
        "additionalArgs": [{ "name": e, "value": e }], "remoteWrite": [{ "url": "http://x/", "name": e }],
        "containers": [{ "name": e, "image": e, "env": [{ "name": e, "value": e }] }],
    } });
    let endpoint =
        json!({ "port": e, "path": e, "relabelings": [{ "targetLabel": "x", "replacement": e }] });
    let rule = json!({ "alert": "A", "expr": "up == 0", "labels": { "severity": e }, "annotations": { "s": e } });
    let named = json!({ "alert": e, "expr": "up == 0", "labels": { "severity": e } });
    let routed = json!({ "receiver": e, "matchers": [{ "name": "severity", "value": e }], "muteTimeIntervals": [e] });
    vec![
        object(OURS, "Prometheus", "main", &prometheus),
        object(
            OURS,
            "ServiceMonitor",
            "sm",
            &json!({ "spec": { "selector": {}, "endpoints": [endpoint] } }),
        ),
        object(
            OURS,
            "PrometheusRule",
            "r",
            &json!({ "spec": { "groups": [{ "name": "g", "rules": [rule] }] } }),
        ),
        object(
            OURS,
            "PrometheusRule",
            "s",
            &json!({ "spec": { "groups": [{ "name": e, "rules": [named] }] } }),
        ),
        object(
            OURS,
            "Alertmanager",
            "am",
            &json!({ "spec": { "alertmanagerConfigSelector": {} } }),
        ),
        object(
            "monitoring.coreos.com/v1alpha1",
            "AlertmanagerConfig",
            "ac",
            &json!({ "spec": {
            "route": { "receiver": e, "groupBy": [e], "routes": [routed] },
            "receivers": [{ "name": e, "webhookConfigs": [{ "url": format!("http://x/{e}") }] }],
        } }),
        ),
        object(
            "v1",
            "ConfigMap",
            "c",
            &json!({ "data": { "a.b": e, e: e, "lines": format!("a\n{e}\n  {e}") } }),
        ),
        json!({ "apiVersion": OURS, "kind": e, "metadata": { "name": e, "namespace": e } }),
    ]
}

/// Objects that the operator accepts.
fn plain() -> String {
    text(&json!({ "apiVersion": "v1", "kind": "List", "items": [
        object("monitoring.coreos.com/v1", "Prometheus", "main", &json!({ "spec": {
            "serviceMonitorSelector": {}, "ruleSelector": {},
        } })),
        object("monitoring.coreos.com/v1", "ServiceMonitor", "sm", &json!({ "spec": {
            "selector": {}, "endpoints": [{ "port": "web" }],
        } })),
        object("monitoring.coreos.com/v1", "PrometheusRule", "r", &json!({ "spec": { "groups": [
            { "name": "g", "rules": [{ "alert": "A", "expr": "up == 0" }] },
        ] } })),
    ] }))
}

/// The files of a repository of a piece.
fn files(e: &str) -> Vec<(String, String)> {
    let name = file_name(e);
    let stream = objects(e)
        .iter()
        .map(text)
        .collect::<Vec<_>>()
        .join("\n---\n");
    let of = |name: &str, value: &Value| (name.to_owned(), text(value));
    let applied = json!({ "path": format!("./{e}"), "postBuild": { "substitute": { e: e } }, "targetNamespace": e });
    vec![
        ("p.yaml".to_owned(), stream.clone()),
        (
            format!("n/{name}.yaml"),
            stream.replace("\"sm\"", "\"other\""),
        ),
        (format!("n/bad{name}.yaml"), "foo: [".to_owned()),
        of("k1/kustomization.yaml", &json!({ "resources": [e] })),
        of(
            "k2/kustomization.yaml",
            &json!({ "resources": ["p.yaml"], "namePrefix": e, "commonLabels": { e: e } }),
        ),
        ("k2/p.yaml".to_owned(), stream.clone()),
        of("k3/kustomization.yaml", &json!({ e: 1 })),
        of(
            "k4/kustomization.yaml",
            &json!({
                "configMapGenerator": [{ "name": "g", "literals": [format!("a={e}")] }],
                "replacements": [{ "source": { "kind": e, "fieldPath": e }, "targets": [{ "select": { "kind": e } }] }],
            }),
        ),
        of(
            &format!("k5/{name}/kustomization.yaml"),
            &json!({ "resources": ["p.yaml", "missing"] }),
        ),
        (format!("k5/{name}/p.yaml"), stream),
        of(
            "k6/kustomization.yaml",
            &json!({ "resources": [format!("{name}.yaml")] }),
        ),
        of(&format!("k6/{name}.yaml"), &objects(e)[6]),
        (format!("plain/{name}.yaml"), plain()),
        of(
            "flux.yaml",
            &object(
                "kustomize.toolkit.fluxcd.io/v1",
                "Kustomization",
                e,
                &json!({ "spec": applied }),
            ),
        ),
        of(
            "tests/t.yaml",
            &json!({ "manifests": ["../p.yaml"], "tests": [
            { "name": e, "relabel_configs": [{ "target_label": "b", "replacement": e }], "labels": { "a": e },
              "expect": { "labels": { "a": "b" } } },
        ] }),
        ),
        of("broken/t.yaml", &json!({ e: [e] })),
        of("settings/promgen.yaml", &json!({ "select": [e], e: 1 })),
        of(
            "settings/baseline.json",
            &json!({ "version": 1, "findings": [{ "code": e, "message": e }] }),
        ),
    ]
}

fn write(folder: &Path, files: &[(String, String)]) {
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// A repository of a piece in `head`, and what it was before in `base`.
struct Repository {
    piece: String,
    folder: tempfile::TempDir,
}

impl Repository {
    fn new(piece: String) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // The files of a repository may name each other.
        fs::create_dir(folder.path().join(".git")).unwrap();
        let head = files(&piece);
        let before = |text: &str| {
            text.replace("\"shards\":2", "\"shards\":3")
                .replace("\"up == 0\"", "\"up == 1\"")
        };
        let base: Vec<_> = head
            .iter()
            .map(|(name, text)| (name.clone(), before(text)))
            .collect();
        write(&folder.path().join("head"), &head);
        write(&folder.path().join("base"), &base);
        Self { piece, folder }
    }

    fn path(&self, name: &str) -> String {
        path_of(self.folder.path(), name)
    }

    /// Its parts for the lines of all commands.
    fn place(&self) -> Place {
        let path = |name: &str| self.folder.path().join(name);
        let cases = json!({ "name": self.piece, "labels": { "a": self.piece }, "rules": [{ "target_label": "b" }] });
        Place {
            input: path("head/p.yaml"),
            base: path("base/p.yaml"),
            built: path("head/k6"),
            tests: path("head/tests"),
            manifests: fs::read_to_string(path("head/p.yaml")).unwrap(),
            cases: text(&cases),
        }
    }

    /// Runs a command. An argument that begins with `%` is a path of the repository, and `@` is the piece.
    fn run(&self, command: &str) -> Ran {
        let given = |arg: &str| {
            arg.strip_prefix('%')
                .map_or_else(|| self.filled(arg), |name| self.path(name))
        };
        let args: Vec<String> = command.split(' ').map(given).collect();
        let ran = promgen(&args.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(ran.code <= 2, "{args:?}: {ran:?}");
        ran
    }

    /// A text with the piece in it, as an argument may be.
    fn filled(&self, arg: &str) -> String {
        arg.replace('@', &self.piece.replace('\0', ""))
    }
}

/// A repository for each few pieces, of which each begins a line.
fn all() -> impl Iterator<Item = Repository> {
    PIECES
        .chunks(3)
        .map(|pieces| Repository::new(pieces.join("\n")))
}

/// The number of repositories until a line comes again, if it does not stand in the table as it is.
const ROUND: usize = 10;

#[test]
fn nothing_in_a_repository_leaves_its_place() {
    let repositories: Vec<(usize, Repository)> = swept(3, all().enumerate());
    repositories.par_iter().for_each(|(number, repository)| {
        let place = repository.place();
        for (index, line) in lines().iter().enumerate().filter(|(_, line)| line.reads()) {
            if line.is_plain || index % ROUND == number % ROUND {
                check(line, &place);
            }
        }
    });
}

#[test]
fn no_file_beside_the_manifests_steers_a_terminal() {
    for repository in swept(0, all()) {
        for command in [
            "lint --all --no-config %head",
            "-v lint --no-config %head/n",
            "lint --config %head/settings/promgen.yaml %head/p.yaml",
            "lint --no-config --baseline %head/settings/baseline.json %head/p.yaml",
            "diff %base %head",
            "build %head/k1",
            "build %head/k2",
            "build %head/k3",
            "build %head/k4",
            "build %head/k5/@",
            "test %head/broken",
        ] {
            check_terminal(command, &repository.run(command).stderr);
        }
        for command in [
            "lint --no-config --format markdown %head",
            "diff %base %head --format markdown",
        ] {
            check_form(Form::Markdown, command, &repository.run(command).stdout);
        }
    }
}

#[test]
fn no_argument_steers_a_terminal() {
    let repositories: Vec<Repository> = all().collect();
    let arguments = swept(1, arguments().into_iter().enumerate());
    arguments.par_iter().for_each(|(number, asked)| {
        let repository = &repositories[number % repositories.len()];
        let value = repository.filled(["@", "Prometheus/d/@", "@=x"][number % 3]);
        // Some paths are written to.
        let line = asked.with(&if asked.is_path() {
            repository.path(&format!("out/{value}"))
        } else {
            value
        });
        let (ran, _) = line.run(
            &repository.place(),
            Terminal {
                shows_findings: true,
                ..Terminal::default()
            },
        );
        check_terminal(&line.to_string(), &ran.stderr);
    });
}

#[test]
fn json_decodes_to_what_the_repository_says() {
    for repository in all() {
        let whole = &repository.piece;
        for (command, expected) in [
            (
                "lint --all --no-config --format json %head/n",
                file_name(whole),
            ),
            (
                "lint --all --no-config --format gitlab %head/n",
                file_name(whole),
            ),
            ("test --format json %head/tests", whole.to_owned()),
            (
                "explain --format json prometheus/d/main %head/n",
                file_name(whole),
            ),
        ] {
            let printed = repository.run(command).stdout;
            let found = decoded(command, &printed, char::MAX);
            assert!(
                found.iter().any(|text| text.contains(&expected)),
                "{command}: {printed}"
            );
        }
        // Readers of YAML take manifests, too.
        for command in [
            "render --format json --emit config,workloads %head/p.yaml",
            "build %head/k6 --format json",
        ] {
            decoded(command, &repository.run(command).stdout, '\u{ffff}');
        }
        let built = repository.run("build %head/k6 --format json");
        let data: Value = serde_json::from_str(&built.stdout).unwrap();
        assert_eq!(
            data["objects"][0]["data"]["a.b"],
            whole.as_str(),
            "{}",
            built.stdout
        );
    }
}

#[test]
fn json_in_files_is_the_same() {
    for repository in all() {
        let ran = repository.run("render --emit selection %head/p.yaml -o %out/");
        assert!(ran.code < 2, "{}", ran.stderr);
        let selection = repository
            .folder
            .path()
            .join("out/prometheus/d/main/selection.json");
        decoded(
            "selection.json",
            &fs::read_to_string(selection).unwrap(),
            char::MAX,
        );
        let ran = repository.run("lint --no-config --all %head/n --write-baseline %baseline.json");
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let written = fs::read_to_string(repository.path("baseline.json")).unwrap();
        let found = decoded("baseline.json", &written, char::MAX);
        assert!(
            found
                .iter()
                .any(|text| text.contains(&file_name(&repository.piece))),
            "{written}"
        );
        // The baseline is read as it was written.
        let ran = repository
            .run("lint --no-config --all %head/n --baseline %baseline.json --fail-on info");
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    }
}

#[test]
fn a_name_in_a_comment_adds_nothing_to_the_document() {
    for repository in all() {
        for (plain, command) in [
            ("build %head/k6 --format json", "build %head/k6"),
            ("config %head/plain", "config %head/plain"),
            ("rules %head/plain", "rules %head/plain"),
        ] {
            let plain = repository.run(plain);
            let annotated = repository.run(&format!("{command} --annotate"));
            assert!(
                annotated.stdout.contains("# "),
                "{command}: {}",
                annotated.stderr
            );
            let plain = documents(&plain.stdout);
            let plain = plain[0]["objects"].as_array().cloned().unwrap_or(plain);
            assert_eq!(
                plain,
                documents(&annotated.stdout),
                "{command}: {}",
                annotated.stdout
            );
            let comments = annotated
                .stdout
                .split('\n')
                .filter_map(|line| line.split_once("# "));
            for (_, comment) in comments.filter(|(_, comment)| comment.contains("head/")) {
                assert_eq!(
                    STEERING.find(comment).map(|c| c.start()),
                    None,
                    "{comment:?}"
                );
            }
        }
    }
}

#[test]
fn a_pipe_passes_nothing_on_to_a_terminal() {
    for repository in all() {
        let piece = &repository.piece;
        let item = object(
            "monitoring.coreos.com/v1",
            "Prometheus",
            "x",
            &json!({ "spec": { piece: 1 } }),
        );
        let mut listed = item.clone();
        listed["metadata"]["annotations"] = json!({ "internal.config.kubernetes.io/path": piece });
        let config = json!({ "kind": "ConfigMap", "data": { "mode": "lint" } });
        let list = text(&json!({
            "apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "functionConfig": config, "items": [listed],
        }));
        let ran = promgen_with(
            &["krm"],
            &mut list.as_bytes(),
            Terminal {
                shows_findings: true,
                ..Terminal::default()
            },
        );
        check_terminal("krm", &ran.stderr);
        let results = documents(&ran.stdout).remove(0)["results"].clone();
        for result in results.as_array().unwrap() {
            check_terminal("krm", result["message"].as_str().unwrap());
        }
        // A line of a comment cannot hold all.
        let source = piece.replace(['\n', '\r', '\0'], " ");
        let stream = format!("---\n# Source: {source}\n{}\n", text(&item));
        let args = ["post-render", "--no-config"];
        check_terminal(
            "post-render",
            &promgen_with(
                &args,
                &mut stream.as_bytes(),
                Terminal {
                    shows_findings: true,
                    ..Terminal::default()
                },
            )
            .stderr,
        );
    }
}

#[test]
fn a_diagram_has_the_nodes_that_it_draws() {
    let line =
        Regex::new(r#"^  n\d+\["[\w ./:,#;-]*"\] -->\|\d+ alerts?\| n\d+\["[\w ./:,#;-]*"\]$"#)
            .unwrap();
    for repository in swept(2, all()) {
        let ran = repository.run("route --all-alerts --format mermaid %head/p.yaml");
        let mut lines = ran.stdout.split_terminator('\n');
        assert_eq!(lines.next(), Some("flowchart LR"), "{}", ran.stderr);
        assert_eq!(lines.find(|text| !line.is_match(text)), None);
    }
}
