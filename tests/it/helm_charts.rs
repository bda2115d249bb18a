//! `--helm`: the real Helm renders charts of our own making, in the repository and in its cache. A script in its place shows
//! that Helm is bounded, and that nobody sees secrets.

#![cfg(unix)]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;

use super::support::{Ran, root, tool};

/// The value of a Secret of the repository.
const SECRET: &str = "hunter2-of-the-shop";

/// A copy of the repository, with a `helm` of its own on the PATH, and empty caches.
struct Home {
    folder: TempDir,
}

impl Home {
    /// `helm`: the program.
    fn new(helm: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy(
            &root().join("tests/it/charts/repository"),
            &folder.path().join("repo"),
        );
        for name in ["bin", "cache/repository", "tmp", "repo/.git"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        symlink(helm, folder.path().join("bin/helm")).unwrap();
        Self { folder }
    }

    /// A script in the place of Helm.
    fn scripted(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("helm");
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        let home = Self::new(&file);
        fs::remove_file(home.path("bin/helm")).unwrap();
        fs::copy(&file, home.path("bin/helm")).unwrap();
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path("repo").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Runs promgen in the repository.
    fn run(&self, args: &[&str]) -> Ran {
        let path = format!(
            "{}:{}",
            self.path("bin").display(),
            std::env::var("PATH").unwrap()
        );
        let mut command = Command::new(env!("CARGO_BIN_EXE_promgen"));
        command
            .args(args)
            .current_dir(self.path("repo"))
            .env("PATH", path)
            .env("TMPDIR", self.path("tmp"));
        command
            .env("PROMGEN_CACHE_DIR", self.path("promgen"))
            .env("HELM_CACHE_HOME", self.path("cache"));
        command
            .env("HELM_CONFIG_HOME", self.path("config"))
            .env("HELM_DATA_HOME", self.path("data"));
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let code = output
            .status
            .code()
            .unwrap_or(-1)
            .try_into()
            .unwrap_or(u8::MAX);
        Ran {
            code,
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// The results that are kept.
    fn kept(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path("promgen/helm"))
            .into_iter()
            .flatten();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, to) = (
            entry.as_ref().unwrap().path(),
            to.join(entry.unwrap().file_name()),
        );
        if path.is_dir() {
            copy(&path, &to)
        } else {
            assert!(fs::copy(path, to).is_ok())
        }
    }
}

/// An archive of a chart: a tar of regular files, compressed.
fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut tar = Vec::new();
    for (name, text) in files {
        let mut header = [0_u8; 512];
        let mut put =
            |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
        put(0, name);
        put(100, "0000644");
        put(108, "0000000");
        put(116, "0000000");
        put(124, &format!("{:011o}", text.len()));
        put(136, "00000000000");
        put(148, "        ");
        put(156, "0");
        put(257, "ustar");
        put(263, "00");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        tar.extend_from_slice(&header);
        tar.extend_from_slice(text.as_bytes());
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.resize(tar.len() + 1024, 0);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    std::io::Write::write_all(&mut gzip, &tar).unwrap();
    gzip.finish().unwrap()
}

/// What the charts of the repository must give, whatever the version of Helm.
fn renders_charts(helm: &Path) {
    let home = Home::new(helm);
    let ran = home.run(&["lint", "--helm", "--format", "json"]);
    for part in [
        "no port of Service shop/shop is named \\\"http\\\"",
        "Helm makes ServiceMonitor/shop/shop of `shop/templates/monitor.yaml`",
        "Helm makes PodMonitor/shop/shop-worker of `shop/charts/worker/templates/monitor.yaml`",
        "release elsewhere: elsewhere 9.9.9 is not rendered: it is neither in the repository nor in Helm's cache",
    ] {
        assert!(
            ran.stdout.contains(part),
            "{part}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
    assert!(
        !ran.stdout.contains("Helm chart not read"),
        "{}",
        ran.stdout
    );
    // What is fixed would be fixed in the release.
    assert!(!ran.stdout.contains("\"fix\": {"), "{}", ran.stdout);
    let explained = home.run(&["explain", "--helm", "servicemonitor/shop/shop", "apps"]);
    assert!(
        explained
            .stdout
            .contains("`serviceMonitorSelector` does not match"),
        "{}",
        explained.stderr
    );
    // A secret value is shown nowhere, and kept nowhere.
    let built = home.run(&["build", "--helm", "."]);
    assert!(
        built.stdout.contains("kind: Deployment") && !built.stdout.contains(SECRET),
        "{}",
        built.stdout
    );
    assert!(
        built.stdout.contains("interval: 7s") && built.stdout.contains("value: <redacted>"),
        "{}",
        built.stdout
    );
    let revealed = home.run(&["build", "--helm", "--reveal-secrets", "."]);
    assert!(revealed.stdout.contains(SECRET), "{}", revealed.stdout);
    assert!(home.kept().is_empty(), "{:?}", home.kept());
    assert!(fs::read_dir(home.path("tmp")).unwrap().next().is_none());
    // Without --helm, nothing of it is seen.
    assert!(
        home.run(&["lint", "--format", "json"])
            .stdout
            .contains("Helm chart not read")
    );
}

#[test]
#[ignore = "needs HELM, the program helm"]
fn helm_renders_charts_of_the_repository() {
    let helm = tool("HELM");
    renders_charts(&helm);
}

#[test]
#[ignore = "needs HELM4, the program helm of version 4"]
fn helm_4_renders_charts_of_the_repository() {
    let helm = tool("HELM4");
    renders_charts(&helm);
}

/// A chart that calls itself kube-prometheus-stack.
const STACK: [(&str, &str); 2] = [
    (
        "kube-prometheus-stack/Chart.yaml",
        "{apiVersion: v2, name: kube-prometheus-stack, version: 75.18.1}\n",
    ),
    (
        "kube-prometheus-stack/templates/all.yaml",
        "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: of-helm}\n\
         spec: {retention: {{ .Values.prometheus.prometheusSpec.retention }}, shards: 3, serviceMonitorSelector: {}}\n---\n\
         apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: kubelet}\nspec: {selector: {}, endpoints: []}\n",
    ),
];

/// A release of it.
const RELEASE: &str = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: kps, namespace: metrics}\n\
    spec:\n  chart: {spec: {chart: kube-prometheus-stack, version: 75.x, sourceRef: {kind: HelmRepository, name: a}}}\n\
    \x20 values: {prometheus: {prometheusSpec: {retention: 9d, retentoin: 1d}}}\n";

#[test]
#[ignore = "needs HELM, the program helm"]
fn helm_replaces_what_is_compiled_natively() {
    let helm = tool("HELM");
    let home = Home::new(&helm);
    home.write("only/release.yaml", RELEASE);
    // Until Helm has the chart, the release is compiled from its values.
    let native = home.run(&["lint", "--helm", "only"]);
    assert!(
        native.stdout.contains("PG814")
            && native
                .stdout
                .contains("kube-prometheus-stack 75.x is not rendered")
    );
    let native = home.run(&["build", "--helm", "only"]).stdout;
    assert!(
        native.contains("kps-kube-prometheus-stack-prometheus") && !native.contains("of-helm"),
        "{native}"
    );
    fs::write(
        home.path("cache/repository/kube-prometheus-stack-75.18.1.tgz"),
        archive(&STACK),
    )
    .unwrap();
    let built = home.run(&["build", "--helm", "only"]);
    assert!(
        built.stdout.contains("name: of-helm") && built.stdout.contains("retention: 9d"),
        "{}",
        built.stderr
    );
    assert!(built.stdout.contains("name: kubelet"), "{}", built.stdout);
    assert!(
        !built
            .stdout
            .contains("kps-kube-prometheus-stack-prometheus"),
        "{}",
        built.stdout
    );
    assert!(
        built.stderr.contains("PG813") && built.stderr.contains("retentoin"),
        "{}",
        built.stderr
    );
    // The result is kept for this user, and Helm need not have the chart twice.
    let [kept] = &home.kept()[..] else {
        panic!("{:?}", home.kept())
    };
    assert_eq!(
        fs::metadata(kept).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let text = fs::read_to_string(kept).unwrap();
    fs::write(kept, text.replace("of-helm", "of-before")).unwrap();
    assert!(
        home.run(&["build", "--helm", "only"])
            .stdout
            .contains("of-before")
    );
    home.write("only/release.yaml", &RELEASE.replace("9d", "8d"));
    assert!(
        home.run(&["build", "--helm", "only"])
            .stdout
            .contains("retention: 8d")
    );
}

#[test]
#[ignore = "needs HELM, the program helm"]
fn helm_serves_every_command_that_reads_a_project() {
    let helm = tool("HELM");
    let home = Home::new(&helm);
    home.write("apps/release.yaml", &RELEASE.replace("75.x", "75.18.1"));
    fs::write(
        home.path("cache/repository/kube-prometheus-stack-75.18.1.tgz"),
        archive(&STACK),
    )
    .unwrap();
    let workload = "--workload=Prometheus/metrics/of-helm";
    for (args, expected) in [
        (&["render"][..], "of-helm"),
        (&["config", workload], "global:"),
        (&["status"], "of-helm"),
        (&["shards"], "of-helm"),
        (&["shards", "--rules"], "of-helm"),
        (&["prove"], "of-helm"),
        (&["simulate", "--shards=4"], "of-helm"),
        (&["which", "job=x"], ""),
        (&["upgrade", "--from=v0.83.0", "--to=v0.90.0"], "of-helm"),
        (&["explain", "prometheus/metrics/of-helm"], "of-helm"),
        (&["rules"], ""),
        (&["health"], ""),
        (&["diff", "apps", "apps"], ""),
    ] {
        let ran = home.run(&[args, &["--helm"]].concat());
        assert!(
            ran.code != 2 && ran.stdout.contains(expected),
            "{args:?}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
    let refused = home.run(&["post-render", "--helm"]);
    assert!(
        refused.code == 2 && refused.stderr.contains("--helm is not supported"),
        "{}",
        refused.stderr
    );
}

#[test]
#[ignore = "needs HELM, the program helm"]
fn helm_renders_what_argo_kustomize_helmfile_and_umbrella_charts_name() {
    let helm = tool("HELM");
    let home = Home::new(&helm);
    fs::remove_dir_all(home.path("repo/apps")).unwrap();
    home.write("argo/app.yaml", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: argo-shop}\nspec:\n  destination: {namespace: a}\n  source: {path: charts/shop, repoURL: x, helm: {valuesObject: {port: from-argo}}}\n");
    home.write("kust/kustomization.yaml", "namePrefix: kust-\nhelmGlobals: {chartHome: ../charts}\nhelmCharts:\n- {name: shop, releaseName: shop, valuesInline: {port: from-kustomize}}\n");
    home.write(
        "helmfile.yaml",
        "releases:\n- {name: file-shop, namespace: f, chart: ./charts/shop, values: [{port: from-helmfile}]}\n",
    );
    // A chart that depends on one that is not in it, but in Helm's cache.
    home.write("charts/around/Chart.yaml", "apiVersion: v2\nname: around\nversion: 0.1.0\ndependencies:\n- {name: inner, version: 1.x, repository: 'https://example.com'}\n");
    home.write("charts/around/values.yaml", "inner: {port: from-around}\n");
    let inner = [
        (
            "inner/Chart.yaml",
            "{apiVersion: v2, name: inner, version: 1.0.0}\n",
        ),
        (
            "inner/templates/m.yaml",
            "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {name: inner}\nspec: {selector: {matchLabels: {app: inner}}, podMetricsEndpoints: [{port: {{ .Values.port }}}]}\n",
        ),
    ];
    fs::write(
        home.path("cache/repository/inner-1.0.0.tgz"),
        archive(&inner),
    )
    .unwrap();
    let built = home.run(&["build", "--helm", "."]);
    for part in ["from-argo", "from-helmfile", "from-around"] {
        assert!(
            built.stdout.contains(part),
            "{part}: {}{}",
            built.stdout,
            built.stderr
        );
    }
    let built = home.run(&["build", "--helm", "kust"]);
    assert!(
        built.stdout.contains("from-kustomize") && built.stdout.contains("kust-shop"),
        "{}",
        built.stderr
    );
    let found = home.run(&["lint", "--helm", "--format=json"]);
    assert!(
        found.stdout.contains("\"name\": \"inner\""),
        "{}{}",
        found.stdout,
        found.stderr
    );
}

#[test]
#[ignore = "needs HELM, the program helm"]
fn helm_renders_the_chart_of_each_revision() {
    let helm = tool("HELM");
    let home = Home::new(&helm);
    fs::remove_dir(home.path("repo/.git")).unwrap();
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command
            .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
            .args(args)
            .current_dir(home.path("repo"));
        assert!(command.output().unwrap().status.success(), "{args:?}");
    };
    home.write(
        "apps/release.yaml",
        &fs::read_to_string(home.path("repo/apps/release.yaml"))
            .unwrap()
            .replace("port: http", "labels: {release: metrics}"),
    );
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "a"]);
    let monitor = fs::read_to_string(home.path("repo/charts/shop/templates/monitor.yaml")).unwrap();
    home.write(
        "charts/shop/templates/monitor.yaml",
        &monitor.replace("  endpoints:\n", "  sampleLimit: 7\n  endpoints:\n"),
    );
    let changed = home.run(&["diff", "HEAD", "--helm"]);
    assert!(
        changed.stdout.contains("sample_limit"),
        "{}{}",
        changed.stdout,
        changed.stderr
    );
    git(&["commit", "-qam", "b"]);
    let changed = home.run(&["diff", "HEAD~1..HEAD", "--helm"]);
    assert!(
        changed.stdout.contains("sample_limit"),
        "{}{}",
        changed.stdout,
        changed.stderr
    );
}

/// Serves files by their paths to a few clients, and counts them.
fn serve(files: Vec<(String, Vec<u8>)>) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            counted.fetch_add(1, Ordering::SeqCst);
            let mut buffer = [0; 4096];
            let n = stream.read(&mut buffer).unwrap();
            let request = String::from_utf8_lossy(&buffer[..n]).into_owned();
            let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
            let (status, body) = match files.iter().find(|(name, _)| *name == path) {
                Some((_, body)) => ("200 OK", body.clone()),
                None => ("404 Not Found", Vec::new()),
            };
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            stream
                .write_all(head.as_bytes())
                .and_then(|()| stream.write_all(&body))
                .unwrap();
        }
    });
    (url, count)
}

#[test]
#[ignore = "needs HELM, the program helm"]
fn helm_pulls_charts_only_if_it_is_asked_to() {
    let helm = tool("HELM");
    let index = "apiVersion: v1\nentries:\n  kube-prometheus-stack:\n  - {apiVersion: v2, name: kube-prometheus-stack, \
                 version: 75.18.1, urls: [stack.tgz]}\n";
    let files = vec![
        ("/index.yaml".to_owned(), index.into()),
        ("/stack.tgz".to_owned(), archive(&STACK)),
    ];
    let (url, count) = serve(files);
    let home = Home::new(&helm);
    let repository = format!(
        "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {{name: a, namespace: metrics}}\nspec: {{url: {url}}}\n"
    );
    home.write(
        "only/release.yaml",
        &(RELEASE.replace("75.x", "75.18.1") + &repository),
    );
    let without = home.run(&["build", "--helm", "only"]);
    assert!(
        !without.stdout.contains("of-helm") && without.stderr.contains("`--helm-pull` pulls it"),
        "{}",
        without.stderr
    );
    assert_eq!(count.load(Ordering::SeqCst), 0);
    let pulled = home.run(&["build", "--helm-pull", "only"]);
    assert!(pulled.stdout.contains("of-helm"), "{}", pulled.stderr);
    let n = count.load(Ordering::SeqCst);
    assert!(n > 0);
    // It is there from now on.
    home.write(
        "only/release.yaml",
        &(RELEASE.replace("75.x", "75.18.1").replace("9d", "5d") + &repository),
    );
    let kept = home.run(&["build", "--helm", "only"]);
    assert!(kept.stdout.contains("retention: 5d"), "{}", kept.stderr);
    assert_eq!(count.load(Ordering::SeqCst), n);
    // Other schemes are plugins of Helm.
    let other = format!(
        "{}{}",
        RELEASE.replace("75.x", "70.0.0"),
        repository.replace("http://", "git+https://")
    );
    home.write("only/release.yaml", &other);
    let refused = home.run(&["build", "--helm-pull", "only"]);
    assert!(
        refused.stderr.contains("no URL that Helm can pull from"),
        "{}",
        refused.stderr
    );
}

/// The address of an archive in an index has another scheme, which a plugin of the user takes: a program would run.
#[test]
fn an_index_leads_to_no_plugin() {
    let script = "case \"$1 $2\" in
        'repo add') mkdir -p repositories; cat \"$TMPDIR/index.yaml\" >repositories/repository-index.yaml; exit;;
        pull*) touch \"$TMPDIR/pulled\"; [ ! -e \"$HELM_PLUGINS\" ] && echo pulled >&2; exit 1;;
      esac";
    let home = Home::scripted(&format!("{ANSWERS}{script}"));
    let repository = "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: a, namespace: \
                      metrics}\nspec: {url: 'https://a.example'}\n";
    home.write(
        "only/release.yaml",
        &(RELEASE.replace("75.x", "75.18.1") + repository),
    );
    for (address, is_pulled) in [
        ("evil://stack.tgz", false),
        ("stack.tgz", true),
        ("https://a.example/b.tgz", true),
    ] {
        let index = format!(
            "entries: {{kube-prometheus-stack: [{{version: 75.18.1, urls: ['{address}']}}]}}\n"
        );
        fs::write(home.path("tmp/index.yaml"), index).unwrap();
        let ran = home.run(&["lint", "--helm-pull", "only"]);
        assert_eq!(
            home.path("tmp/pulled").exists(),
            is_pulled,
            "{address}: {}",
            ran.stdout
        );
        assert_eq!(
            ran.stdout
                .contains("names a URL that Helm cannot pull from"),
            !is_pulled,
            "{}",
            ran.stdout
        );
    }
}

/// What a script answers before it renders.
const ANSWERS: &str =
    "case \"$1\" in version) echo v3.0.0; exit;; env) echo /nowhere; exit;; esac\n";

#[test]
fn a_helm_that_hangs_floods_or_fails_is_named_in_one_line() {
    for (script, expected) in [
        (
            "sleep 100 & sleep 100",
            "Helm exceeds the limit `helm-seconds` of 1 second",
        ),
        (
            "yes",
            "what Helm prints exceeds the limit `helm-bytes` of 1 MiB",
        ),
        (
            "printf 'Error: first\\nsecond %s\\n' \"$(cat values.json)\" >&2; exit 1",
            "is not rendered: first second",
        ),
        ("echo 'a: [b'", "what Helm renders is no YAML"),
    ] {
        let home = Home::scripted(&format!("{ANSWERS}{script}"));
        let limits = [
            "--raise-limit",
            "helm-seconds=1",
            "--raise-limit",
            "helm-bytes=1MiB",
        ];
        let ran = home.run(&[&["lint", "--helm"], &limits[..]].concat());
        assert!(
            ran.stdout.contains(expected),
            "{script}: {}{}",
            ran.stdout,
            ran.stderr
        );
        assert!(
            !ran.stdout.contains(SECRET) && !ran.stderr.contains(SECRET),
            "{}",
            ran.stdout
        );
        assert!(fs::read_dir(home.path("tmp")).unwrap().next().is_none());
    }
}

#[test]
fn helm_gets_values_in_a_private_file_and_no_argument_of_the_repository() {
    let script = "for a in \"$@\"; do echo \"$a\"; done > \"$HELM_CACHE_HOME.args\"; ls -l values.json > \"$HELM_CACHE_HOME.mode\"; \
                  echo \"$HTTPS_PROXY\" > \"$HELM_CACHE_HOME.proxy\"";
    let home = Home::scripted(&format!("{ANSWERS}{script}"));
    home.run(&["lint", "--helm", "--kube-version=1.33"]);
    let read = |name: &str| fs::read_to_string(home.path(name)).unwrap();
    let args = read("cache.args");
    assert!(
        args.contains("--kube-version=1.33.0\n") && args.contains("--namespace=shop\n--values="),
        "{args}"
    );
    assert!(
        args.contains("\n--\nshop\n") && !args.contains(SECRET),
        "{args}"
    );
    assert!(read("cache.mode").starts_with("-rw-------"));
    assert_eq!(read("cache.proxy"), "http://127.0.0.1:1\n");
    // A release that would be an option is not rendered.
    let release = read("repo/apps/release.yaml").replace(
        "name: shop\n  namespace",
        "name: --post-renderer=x\n  namespace",
    );
    home.write("apps/release.yaml", &release);
    let ran = home.run(&["lint", "--helm"]);
    assert!(
        ran.stdout.contains("Helm takes no release of that name"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_chart_with_a_link_out_of_the_repository_is_not_rendered() {
    let home = Home::scripted(&format!("{ANSWERS}cat \"$6/files/link\""));
    fs::write(home.path("outside"), "kind: MARK3RQ").unwrap();
    fs::create_dir_all(home.path("repo/charts/shop/files")).unwrap();
    symlink(
        home.path("outside"),
        home.path("repo/charts/shop/files/link"),
    )
    .unwrap();
    let ran = home.run(&["lint", "--helm"]);
    assert!(
        ran.stdout
            .contains("`files/link` in the chart: it leads out of the repository"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("MARK3RQ"));
}

#[test]
fn without_helm_on_the_path_the_run_says_so() {
    let home = Home::new(Path::new("/nowhere/helm"));
    let ran = home.run(&["lint", "--helm"]);
    // Some other one may be there.
    assert!(
        ran.code != 2 || ran.stderr.contains("cannot run `helm`: "),
        "{}",
        ran.stderr
    );
}
