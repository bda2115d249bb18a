//! What the lines of all commands stand on: an input, an older version of it, and tests of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use promgen::cli::Terminal;

use super::Line;
use crate::support::{Ran, promgen_with};

/// The parts that arguments name: `%in`, `%base`, `%built` and `%tests`; and what pipes read. `%out` is a new folder.
pub(crate) struct Place {
    /// Manifests: a file or a folder.
    pub(crate) input: PathBuf,
    /// Other manifests, to compare with.
    pub(crate) base: PathBuf,
    /// A folder with a kustomization.
    pub(crate) built: PathBuf,
    /// A folder of test files.
    pub(crate) tests: PathBuf,
    /// The manifests as one stream.
    pub(crate) manifests: String,
    /// Cases of `trace`.
    pub(crate) cases: String,
}

const BASE: &str = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: main, namespace: d}\n\
                    spec: {replicas: 3, shards: 3, serviceMonitorSelector: {}}\n";

const TESTS: &str = "
workload: Prometheus/d/main
tests:
- {name: a, job: serviceMonitor/d/sm/0, labels: {__address__: 'a:1'}, expect: {dropped: true}}
- {name: b, relabel_configs: [{target_label: a, replacement: b}], labels: {a: x}, expect: {labels: {a: x}}}
- {name: c, workload: Alertmanager/d/am, alert: {labels: {alertname: A}}, expect: {receivers: [x]}}
";

const CASES: &str = r#"{"name": "a", "labels": {"a": "b"}, "rules": [{"action": "labelmap", "regex": "(a)", "replacement": "b$1"}]}"#;

impl Place {
    /// A repository whose manifests are in `in.yaml` or in the folder `in`. The other parts are written.
    pub(crate) fn new(root: &Path, input: &str, manifests: &str) -> Self {
        let write = |name: &str, text: &str| {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(".git/HEAD", "");
        write("base/p.yaml", BASE);
        write("tests/t.yaml", &format!("manifests: [../{input}]{TESTS}"));
        let is_file = Path::new(input).extension().is_some();
        if is_file {
            write("kustomization.yaml", &format!("resources: [{input}]\n"));
        }
        Self {
            input: root.join(input),
            base: root.join("base"),
            built: if is_file {
                root.to_owned()
            } else {
                root.join(input)
            },
            tests: root.join("tests"),
            manifests: manifests.to_owned(),
            cases: CASES.to_owned(),
        }
    }

    fn arg(&self, arg: &str, out: &Path) -> String {
        match arg {
            "%part" => return self.part(),
            "%results" => return self.results(),
            _ => {}
        }
        let parts = [
            ("%in", self.input.as_path()),
            ("%base", &self.base),
            ("%built", &self.built),
            ("%tests", &self.tests),
            ("%out", out),
        ];
        let filled = |(name, path): (&str, &Path)| {
            Some(format!("{}{}", path.display(), arg.strip_prefix(name)?))
        };
        parts
            .into_iter()
            .find_map(filled)
            .unwrap_or_else(|| arg.to_owned())
    }

    /// The findings in the manifests, for `merge`.
    fn part(&self) -> String {
        let path = self.base.with_file_name("part.json");
        let input = self.input.display().to_string();
        let args = ["lint", "--shard", "1/1", &input];
        let ran = promgen_with(&args, &mut std::io::empty(), Terminal::default());
        fs::write(&path, ran.stdout).unwrap();
        path.display().to_string()
    }

    /// The results of the tests, for `report`.
    fn results(&self) -> String {
        let path = self.base.with_file_name("results.json");
        let tests = self.tests.display().to_string();
        let ran = promgen_with(
            &["test", &tests, "--format", "json"],
            &mut std::io::empty(),
            Terminal::default(),
        );
        fs::write(&path, ran.stdout).unwrap();
        path.display().to_string()
    }

    fn stdin(&self, name: &str) -> String {
        match name {
            "%manifests" => self.manifests.clone(),
            "%linted" => self.list("lint"),
            "%rendered" => self.list("render"),
            "%cases" => self.cases.clone(),
            _ => panic!("a place has no {name}"),
        }
    }

    /// The manifests as Kustomize gives them to a function.
    fn list(&self, mode: &str) -> String {
        let documents = self.manifests.trim_start_matches("---\n").split("\n---\n");
        let item = |document: &str| format!("- {}\n", document.trim().replace('\n', "\n  "));
        let items: String = documents
            .filter(|document| !document.trim().is_empty())
            .map(item)
            .collect();
        format!(
            "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: {{kind: ConfigMap, data: {{mode: \
             {mode}}}}}\nitems:\n{items}"
        )
    }
}

impl Line {
    /// Its arguments at a place, and its standard input.
    pub(crate) fn typed(&self, place: &Place, out: &Path) -> (Vec<String>, String) {
        let args = self.args.iter().map(|arg| place.arg(arg, out));
        let args = self
            .row
            .name
            .split(' ')
            .map(str::to_owned)
            .chain(args)
            .collect();
        (
            args,
            self.stdin.map(|name| place.stdin(name)).unwrap_or_default(),
        )
    }

    /// Runs the command, and gives the files that it writes to the folder for output. What a pipe only passes on is left out.
    pub(crate) fn run(&self, place: &Place, terminal: Terminal) -> (Ran, Vec<(String, String)>) {
        let out = tempfile::tempdir().unwrap();
        let (args, stdin) = self.typed(place, out.path());
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let ran = match self.row.name {
            "lsp" => process(&args),
            _ => promgen_with(&args, &mut stdin.as_bytes(), terminal),
        };
        let own = ran.stdout.strip_prefix(&stdin).map(str::to_owned);
        (
            Ran {
                stdout: own.unwrap_or(ran.stdout),
                ..ran
            },
            files(out.path()),
        )
    }

    /// All that the command prints and writes.
    pub(crate) fn told(&self, place: &Place) -> String {
        let (ran, written) = self.run(place, Terminal::default());
        let written = written.into_iter().map(|(name, text)| name + &text);
        ran.stdout + &ran.stderr + &written.collect::<String>()
    }
}

/// Runs the binary, which reads standard input by itself.
fn process(args: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_promgen"));
    let output = command.args(args).stdin(Stdio::null()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran {
        code: output.status.code().unwrap().try_into().unwrap(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// The names and texts of all files below a folder.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort_unstable();
    for path in paths {
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            found.push((path.display().to_string(), text));
        }
    }
    found
}
