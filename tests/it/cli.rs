//! The command line: in-process, and once as the binary that users run.

use std::io::ErrorKind;
use std::process::Command;
use std::sync::LazyLock;

use promgen::cli::{self, Exit, Io, Terminal};
use regex::Regex;

use crate::commands::{self, Place};
use crate::support::{Broken, promgen, promgen_with, sweeps_all, swept, without_colours};

#[test]
fn help_and_version_are_results() {
    for args in [
        &["--help"][..],
        &["-h"],
        &["help", "render"],
        &["render", "--help"],
        &["config", "-h"],
    ] {
        let ran = promgen(args);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{args:?}");
        assert!(
            ran.stdout.contains("Usage: promgen"),
            "{args:?}: {}",
            ran.stdout
        );
    }
    let version = concat!("promgen ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(promgen(&["-V"]).stdout, version);
    let long = promgen(&["--version"]).stdout;
    assert!(
        long.starts_with(version) && long.contains("prometheus-operator v0.94.1"),
        "{long}"
    );
    for image in [
        "prometheus/prometheus:v3.14.0",
        "alertmanager:v0.34.0",
        "thanos:v0.42.4",
        "config-reloader:v0.94.1",
    ] {
        assert!(long.contains(image), "{long}");
    }
}

#[test]
fn without_a_path_the_current_folder_is_read() {
    let run = |folder: &str, args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_promgen"));
        command
            .args(args)
            .env_clear()
            .current_dir(crate::support::root().join(folder));
        let output = command.stdin(std::process::Stdio::null()).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    for command in ["render", "config", "status", "health", "shards"] {
        let named = run("fixtures/quickstart", &[command, "."]);
        assert_eq!(run("fixtures/quickstart", &[command]), named, "{command}");
        assert!(!named.1.is_empty(), "{command}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table")]
fn wrong_arguments_are_2_and_on_standard_error() {
    for (args, expected) in [
        (&[][..], "Usage: promgen"),
        (&["rendr"], "`promgen render` does that"),
        (&["check", "."], "`promgen lint .` does that"),
        (&["Lint"], "`promgen lint` does that"),
        (&["EXPLAIN", "a/b/c"], "`promgen explain a/b/c` does that"),
        (&[".", "lint"], "`promgen lint .`"),
        (&["lint", ".", "explain"], "`promgen explain .`"),
        (
            &["explain", "CartDown", "."],
            "`promgen explain alert/CartDown`",
        ),
        (
            &["explain", "http_requests_total"],
            "`promgen explain metric/http_requests_total`",
        ),
        (
            &["explain", "job:requests:rate5m"],
            "`promgen explain record/job:requests:rate5m`",
        ),
        (
            &["explain", "shop.yaml:11"],
            "`promgen lint shop.yaml` checks the file",
        ),
        (
            &["explain", "fixtures/shop/input/cart.yaml:3:1"],
            "`promgen lint fixtures/shop/input/cart.yaml` checks the file",
        ),
        (
            &["upgrade", "v0.95.0", "fixtures/shop"],
            "`promgen upgrade --to v0.95.0`",
        ),
        (&["route", "alertname==CartDown"], "behind one `=`"),
        (
            &["shards", "--random", "9", "--random-zones", "."],
            "such as a,b,c",
        ),
        (
            &["lint", "--ignore", "no-memory"],
            "did you mean `no-memory-request` (PG",
        ),
        (
            &["get", "smon", "cart", "-n", "shop"],
            "`promgen explain smon/cart -n shop` does that",
        ),
        (
            &["get", "servicemonitors"],
            "`promgen explain servicemonitors/NAME` explains one of them",
        ),
        (&["apply", "-f", "."], "`promgen render .` does that"),
        (&["--fix"], "`--fix` is an option of `promgen lint`"),
        (
            &["explain", "fixtures", "smon/a/b"],
            "the resource stands before the path: `promgen explain smon/a/b fixtures`",
        ),
        (&["explain", "sm/a/b"], "did you mean ServiceMonitor?"),
        (
            &["route", "a=b", "c=d"],
            "labels are separated by commas: `promgen route a=b,c=d`",
        ),
        (&["lint", "--jsonl", "."], "unexpected argument '--jsonl'"),
        (
            &["lint", "-f", "a.yaml"],
            "paths are arguments without an option: `promgen lint a.yaml`",
        ),
        (
            &["lint", "--output", "json"],
            "`--format` (text, json, sarif",
        ),
        (&["shards", "--zones", "a", "."], "`--random-zones"),
        (&["lint", "--kube-version", "v1", "."], "such as 1.35"),
        (&["render", ".", "--nope"], "unexpected argument '--nope'"),
        (
            &["render", ".", "-o", "json"],
            "use `--format json` for the format",
        ),
        (
            &["render", ".", "--emit", "raw"],
            "set a folder with `-o DIR/`",
        ),
        (
            &["status", ".", "--assert", "--format", "table"],
            "use --format yaml or json",
        ),
        (
            &["trace", "--cases", "-", "--prometheus-version", "2.45.0"],
            "--prometheus-version has no effect with --cases",
        ),
        (
            &["render", ".", "--feature-gates", "Nope=true"],
            "PrometheusTopologySharding",
        ),
        (
            &["render", ".", "--kube-version", "latest"],
            "invalid value 'latest' for '--kube-version",
        ),
        (
            &["status", ".", "--at", "now"],
            "such as 2026-11-21T08:20:47Z",
        ),
        (&["status", ".", "--profile", "openshift"], "stackable"),
        (
            &["status", ".", "--live", "live.yaml", "--assert"],
            "cannot be used with",
        ),
        (&["status", "-", "--live", "-"], "only once"),
        (
            &["status", "fixtures/quickstart", "--live", "nowhere.yaml"],
            "nowhere.yaml",
        ),
        (
            &[
                "render",
                "fixtures/quickstart",
                "--previous",
                "nowhere.yaml",
            ],
            "nowhere.yaml",
        ),
        (
            &["config", ".", "--workload", "k8s"],
            "expected NS/NAME, such as monitoring/k8s",
        ),
        (
            &["which", "a=1", "--limit", "3"],
            "--limit requires --trace",
        ),
        (&["config", ".", "--shard", "-1"], "'-1'"),
        (
            &["which", "{a=~\"b\"}", "."],
            "expected `=` after the label `a`",
        ),
        (&["which", "{a=b}", "."], "expected a quoted value"),
        (
            &["which", "a=1,b", "."],
            "expected NAME=VALUE instead of `b`",
        ),
        (&["which", "", "."], "such as pod/shop/cart-0"),
        (
            &["trace", "--job", "a"],
            "required arguments were not provided",
        ),
        (
            &["trace", ".", "--cases", "cases.jsonl"],
            "cannot be used with",
        ),
        (
            &["trace", "--cases", "cases.jsonl", "--shard", "1"],
            "cannot be used with",
        ),
        (&["trace", "--cases", "nowhere.jsonl"], "nowhere.jsonl"),
        (&["trace", ".", "--limit", "0"], "0 is not in 1.."),
        (&["trace", "a=b,c", "."], "expected NAME=VALUE"),
        (
            &["lint", "fixtures/quickstart", "--select", "idle-shards"],
            "did you mean `idle-shard`?",
        ),
        (&["lint", "nowhere"], "nowhere"),
        (&["explain", "PG000"], "did you mean `PG001`?"),
        (&["explain", "PG9"], "`promgen rule` lists all rules"),
        (
            &["explain", "elsewhere", "fixtures/quickstart"],
            "elsewhere not found",
        ),
        (
            &["schema", "Ingress"],
            "expected one of: Prometheus, PrometheusAgent, ",
        ),
    ] {
        let ran = promgen(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}");
        assert!(ran.stderr.contains(expected), "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn colours_are_used_where_the_terminal_shows_them() {
    let color = Terminal {
        stderr_color: true,
        ..Terminal::default()
    };
    let ran = |terminal| {
        promgen_with(
            &["render", "fixtures/quickstart/input", "-v"],
            &mut std::io::empty(),
            terminal,
        )
        .stderr
    };
    assert!(ran(color).contains('\u{1b}'));
    assert!(!ran(Terminal::default()).contains('\u{1b}'));
}

/// A new folder.
static OUT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\.tmp\w+").unwrap());

#[test]
fn a_command_uses_its_own_colours_where_it_is_asked_to_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let manifests =
        commands::GOOD.replace("port: web", r#"port: web, colour: "\e[31m", "\e]8;;x": 1"#);
    std::fs::write(folder.path().join("in.yaml"), &manifests).unwrap();
    let place = Place::new(folder.path(), "in.yaml", &manifests);
    let color = Terminal {
        stderr_color: true,
        stdout_color: true,
        ..Terminal::default()
    };
    let lines = swept(6, commands::lines().iter().filter(|line| line.is_plain));
    let mut coloured = 0;
    for line in &lines {
        let [never, always] =
            ["never", "always"].map(|when| line.with("color", when).run(&place, color).0);
        for (never, always) in [
            (&never.stdout, &always.stdout),
            (&never.stderr, &always.stderr),
        ] {
            // The folder for output has another name in each run.
            let [never, always] =
                [never, always].map(|text| OUT.replace_all(text, "out").into_owned());
            assert!(!never.contains('\u{1b}'), "{line}: {never:?}");
            assert_eq!(without_colours(&always), never, "{line}");
            coloured += usize::from(always != never);
        }
    }
    // A few lines may all be of commands that have nothing to colour.
    if sweeps_all() {
        let commands = lines.iter().filter(|line| line.is_first()).count();
        assert!(coloured > commands, "{coloured}");
    }
}

#[test]
fn help_fits_a_narrow_terminal() {
    let narrow = Terminal {
        width: 60,
        ..Terminal::default()
    };
    let help = promgen_with(&["render", "--help"], &mut std::io::empty(), narrow).stdout;
    let (options, _) = help.split_once("Examples:").unwrap();
    assert!(options.lines().all(|line| line.len() <= 60), "{options}");
}

#[test]
fn a_reader_that_went_away_is_no_failure() {
    let run = |kind| {
        let (mut stdout, mut stderr) = (Broken(kind), Vec::new());
        let terminal = Terminal::default();
        cli::run(
            ["promgen", "--help"],
            &mut Io {
                stdin: &mut std::io::empty(),
                stdout: &mut stdout,
                stderr: &mut stderr,
                terminal,
            },
        )
    };
    assert_eq!(run(ErrorKind::BrokenPipe), Exit::Clean);
    assert_eq!(run(ErrorKind::StorageFull), Exit::Failure);
}

#[test]
fn the_binary_takes_its_defaults_from_the_environment() {
    let binary = |version: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_promgen"));
        command
            .args(["render", "-"])
            .env_clear()
            .env("PROMGEN_KUBE_VERSION", version)
            .stdin(std::process::Stdio::null());
        command.output().unwrap()
    };
    assert_eq!(binary("1.34").status.code(), Some(0));
    assert_eq!(binary("").status.code(), Some(0));
    let bad = binary("latest");
    assert_eq!(bad.status.code(), Some(2));
    assert!(String::from_utf8(bad.stderr).unwrap().contains("'latest'"));
}

#[test]
fn a_schema_is_printed_for_one_kind_or_for_all() {
    let one: serde_json::Value =
        serde_json::from_str(&promgen(&["schema", "servicemonitor"]).stdout).unwrap();
    assert_eq!(one["properties"]["kind"]["const"], "ServiceMonitor");
    let all: serde_json::Value = serde_json::from_str(&promgen(&["schema"]).stdout).unwrap();
    assert_eq!(
        all["$defs"]["ServiceMonitor"]["properties"],
        one["properties"]
    );
    // A file has documents of other kinds, too, which pass.
    let options = all["allOf"].as_array().unwrap();
    assert!(
        options
            .iter()
            .all(|option| option["if"]["required"] == serde_json::json!(["apiVersion", "kind"]))
    );
    let config: serde_json::Value =
        serde_json::from_str(&promgen(&["schema", "config"]).stdout).unwrap();
    assert!(
        config["properties"]["fail-on"]["description"].is_string(),
        "{config}"
    );
}

#[test]
fn every_rule_is_listed_and_explained() {
    let list = promgen(&["explain", "--rules"]).stdout;
    for rule in promgen_checks::rules::all() {
        assert!(list.contains(&*rule.summary), "{}", rule.code);
        let text = promgen(&["explain", &rule.code.to_lowercase()]).stdout;
        assert!(
            text.starts_with(&format!("{} {} (", rule.code, rule.name)),
            "{text}"
        );
        assert!(text.contains("\n## What it does\n"), "{text}");
        assert_eq!(text, promgen(&["explain", &rule.name]).stdout);
    }
}

#[test]
fn a_status_is_compared_with_that_of_a_cluster() {
    let fixture = "fixtures/operator-status-ready/input";
    let expected = promgen(&["status", fixture, "--at", "2024-09-10T14:24:26Z"]).stdout;
    let check = |live: &str| {
        promgen_with(
            &["status", fixture, "--live", "-"],
            &mut live.as_bytes(),
            Terminal::default(),
        )
    };
    let same = check(&expected);
    assert_eq!(
        (same.code, same.stdout.as_str()),
        (0, ""),
        "{}",
        same.stderr
    );
    assert!(
        same.stderr.contains("1 status compared: as expected"),
        "{}",
        same.stderr
    );
    let other = check(&expected.replace("availableReplicas: 4", "availableReplicas: 3"));
    assert_eq!(other.code, 1);
    assert!(
        other
            .stdout
            .contains("\n-  availableReplicas: 3\n+  availableReplicas: 4\n"),
        "{}",
        other.stdout
    );
    let none = check("");
    assert!(
        none.code == 1
            && none
                .stdout
                .starts_with("--- Prometheus/default/prometheus (has no status)")
    );
    let broken = check("a: [");
    assert_eq!((broken.code, broken.stdout.as_str()), (2, ""));
    assert!(
        broken.stderr.contains("no statuses can be read from `-`"),
        "{}",
        broken.stderr
    );
}

#[test]
fn options_stand_before_the_path_of_an_overview() {
    let fixture = "fixtures/quickstart/input";
    let overview = promgen(&[fixture]);
    for options in [
        &["--quiet"][..],
        &["-q", "--color", "never"],
        &["--color=never"],
        &["-n", "shop"],
        &["--no-progress", "--"],
    ] {
        let ran = promgen(&[options, &[fixture]].concat());
        assert_eq!(
            (ran.code, ran.stdout),
            (overview.code, overview.stdout.clone()),
            "{options:?}"
        );
    }
    let mistyped = promgen(&["-q", "lnt", "."]);
    assert!(
        mistyped.code == 2 && mistyped.stderr.contains("lint"),
        "{mistyped:?}"
    );
    assert_eq!(promgen(&["-q", "rule"]).code, 0);
}

#[test]
fn explain_asks_for_a_name() {
    let ran = promgen(&["explain"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("Usage: promgen explain"),
        "{ran:?}"
    );
    assert_eq!(promgen(&["explain", "--rules"]), promgen(&["rule"]));
    assert_eq!(promgen(&["explain", "--rules", "PG201"]).code, 2);
}

/// What is almost right is answered, with a note about what was meant.
#[test]
fn words_that_are_almost_right_get_a_note() {
    let routed = |labels: &str| promgen(&["route", labels, "fixtures/alert-routing/input"]);
    let note = "did you mean severity?";
    for labels in ["severty=critical", "alertname=A,sevrity=critical"] {
        assert!(routed(labels).stderr.contains(note), "{labels}");
    }
    for labels in ["severity=critical", "node=a", "instance=a", "alertname=A"] {
        assert!(!routed(labels).stderr.contains("did you mean"), "{labels}");
    }
    let plain = routed("alertname=A,severity=critical").stdout;
    for labels in [
        "alertname=\"A\", severity='critical'",
        "{alertname=\"A\",severity=\"critical\"}",
    ] {
        assert_eq!(routed(labels).stdout, plain, "{labels}");
    }

    let folder = tempfile::tempdir().unwrap();
    let lint = |more: &[&str]| {
        let folder = folder.path().to_str().unwrap();
        promgen(&[&["lint", folder], more].concat()).stderr
    };
    let says = |text: &str| text.contains("promgen.yml` is not read");
    std::fs::write(folder.path().join("in.yaml"), commands::GOOD).unwrap();
    assert!(!says(&lint(&[])));
    std::fs::write(folder.path().join("promgen.yml"), "ignore: [PG511]\n").unwrap();
    assert!(says(&lint(&[])) && !says(&lint(&["--no-config"])));
    std::fs::write(folder.path().join("promgen.yaml"), "ignore: [PG511]\n").unwrap();
    assert!(!says(&lint(&[])));
}

/// A name without its kind that is that of a series, and none of an object.
#[test]
fn a_series_is_found_by_its_name_alone() {
    let asked = |name: &str| promgen(&["explain", name, "fixtures/lineage/input"]).stderr;
    for (name, expected) in [
        ("up", "`promgen explain metric/up`"),
        ("absent", "absent not found"),
    ] {
        assert!(asked(name).contains(expected), "{name}: {}", asked(name));
    }
}
