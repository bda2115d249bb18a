//! A hundred names that mean harm, through every command and format: none leaves its place.

#![cfg(unix)]

mod repository;

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use crate::support::promgen;

/// What names are made of.
const PIECES: [&str; 29] = [
    "x\n::stop-commands::pwn",
    "\r::error::x",
    "::stop-commands::pwn",
    "##[stop-commands]pwn",
    "\u{1b}[2J\u{1b}]0;x\u{7}",
    "\u{9b}2J",
    "\u{202e}gpj",
    "\u{2066}a\u{2069}",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(1)",
    "\t=1",
    "a\"b'c`d",
    "a|b, c;d",
    "</script><script>x</script>",
    "<img src=x>]]>",
    "\u{0}\u{8}\u{7f}",
    "\u{2028}::error::y",
    "--> [\"]) end %% #quot;",
    "\u{200b}a\u{ad}b\u{feff}",
    "\u{2029}\u{2060}\u{180e}",
    "\u{85}::error::z",
    "\u{e0041}\u{110bd}\u{fff9}",
    "https://evil.example/?q=1",
    "@everyone #1 [x](javascript:alert(1))",
    "```\n# H\n```",
    "www.evil.example <!-- </details>",
    "x: y # z",
];

/// A hundred names: each piece alone, at either end, in the middle, and very long.
fn names() -> Vec<String> {
    let forms: [fn(&str) -> String; 5] = [
        |piece| piece.to_owned(),
        |piece| format!("{piece} b"),
        |piece| format!("a {piece}"),
        |piece| format!("a\n  {piece}\nb"),
        |piece| format!("{piece}{}", "y".repeat(900)),
    ];
    forms.iter().flat_map(|form| PIECES.iter().map(|piece| form(piece))).collect()
}

/// A text in double quotes, with escapes that YAML has too.
fn quoted(text: &str) -> String {
    let escaped = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c > '\u{ffff}' => format!("\\U{:08x}", u32::from(c)),
        c if c.is_control() || !c.is_ascii() => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

/// Manifests with the names as keys, names, namespaces, zones, addresses, labels and values.
fn manifests(names: &[String]) -> String {
    let mut text = String::new();
    for name in names {
        let name = quoted(name);
        text.push_str(&format!(
            "---\napiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: {name}, namespace: {name}, \
             labels: {{{name}: {name}}}}}\nspec:\n  {name}: 1\n  shards: 2\n  scrapeConfigSelector: {{}}\n  \
             shardingStrategy: {{mode: Topology, topology: {{values: [{name}, b]}}}}\n"
        ));
    }
    let targets: Vec<_> = names.iter().map(|name| quoted(name)).collect();
    let labels: Vec<_> = names.iter().enumerate().map(|(i, name)| format!("l{i}: {}", quoted(name))).collect();
    let strategy = "shardingStrategy: {mode: Topology, topology: {values: ";
    // No template takes what YAML cannot hold.
    let zones: Vec<_> = names[..40].iter().filter(|name| !name.contains(char::is_control)).collect();
    let zones: Vec<_> = zones.iter().map(|name| quoted(name)).collect();
    text.push_str(&format!(
        "---\napiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: main, namespace: d}}\nspec: \
         {{scrapeConfigSelector: {{}}}}\n\
         ---\napiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: zoned, namespace: d}}\nspec: \
         {{scrapeConfigSelector: {{}}, shards: 50, {strategy}[{}]}}}}}}\n\
         ---\napiVersion: monitoring.coreos.com/v1alpha1\nkind: ScrapeConfig\nmetadata: {{name: s, namespace: d}}\n\
         spec:\n  staticConfigs:\n  - targets: [{}]\n    labels: {{{}}}\n",
        zones.join(", "),
        targets.join(", "),
        labels.join(", "),
    ));
    text.push_str(&alerts(names));
    text
}

/// Alertmanagers that route by the names to receivers of those names: by an AlertmanagerConfig, and by a Secret; and alerts
/// with the names as labels.
fn alerts(names: &[String]) -> String {
    let list = |line: &dyn Fn(&str) -> String| -> String {
        let quoted = names.iter().filter(|name| !name.contains(char::is_control)).map(|name| quoted(name));
        quoted.map(|name| line(&name)).collect::<Vec<_>>().join(", ")
    };
    let routes = list(&|name| {
        format!("{{receiver: {name}, continue: true, matchers: [{{name: a, value: {name}, matchType: '='}}]}}")
    });
    let receivers = list(&|name| format!("{{name: {name}}}"));
    let raw = list(&|name| format!("{{receiver: {name}, continue: true, group_by: [{name}], match: {{a: {name}}}}}"));
    let rules = list(&|name| format!("{{alert: {name}, expr: up, labels: {{a: {name}, namespace: {name}}}}}"));
    format!(
        "---\napiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {{name: merged, namespace: d}}\nspec: \
         {{alertmanagerConfigSelector: {{}}}}\n\
         ---\napiVersion: monitoring.coreos.com/v1alpha1\nkind: AlertmanagerConfig\nmetadata: {{name: c, namespace: d}}\n\
         spec: {{route: {{receiver: a, routes: [{routes}]}}, receivers: [{{name: a}}, {receivers}]}}\n\
         ---\napiVersion: monitoring.coreos.com/v1\nkind: Alertmanager\nmetadata: {{name: raw, namespace: d}}\nspec: \
         {{configSecret: raw}}\n\
         ---\napiVersion: v1\nkind: Secret\nmetadata: {{name: raw, namespace: d}}\nstringData:\n  alertmanager.yaml: |\n    \
         {{route: {{receiver: a, routes: [{raw}]}}, receivers: [{{name: a}}, {receivers}]}}\n\
         ---\napiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {{name: r, namespace: d}}\n\
         spec: {{groups: [{{name: g, rules: [{rules}]}}]}}\n"
    )
}

/// Tests with the names as names and values.
fn suite(names: &[String]) -> String {
    let test = |name: &String| {
        let name = quoted(name);
        format!(
            "- name: {name}\n  relabel_configs: [{{target_label: b, replacement: {name}}}]\n  labels: {{a: {name}}}\n  \
             expect: {{labels: {{a: b}}}}\n"
        )
    };
    format!("tests:\n{}", names.iter().map(test).collect::<String>())
}

/// Characters that control, that nobody sees, or that change the order of text.
static STEERING: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[\p{Cc}\p{Cf}\p{Zl}\p{Zp}&&[^\n]]").unwrap());

/// What a terminal or the runner of a pipeline would obey.
fn steers(text: &str) -> Option<String> {
    // `::: file:1:2` in front of a second file is ours: `:` names no command of the runner.
    let is_command = |line: &str| {
        let line = line.trim_start();
        line.starts_with("::") && !line.starts_with("::: ") || line.contains("##[")
    };
    text.split('\n').find(|line| STEERING.is_match(line) || is_command(line)).map(str::to_owned)
}

fn check_terminal(args: &[&str], text: &str) {
    assert_eq!(steers(text), None, "{args:?}");
}

/// A run whose standard output is checked by the caller; nothing on standard error steers.
fn run(args: &[&str]) -> String {
    let ran = promgen(args);
    check_terminal(args, &ran.stderr);
    assert!(!ran.stdout.is_empty(), "{args:?}: {}", ran.stderr);
    ran.stdout
}

/// The cells of a line of comma-separated values.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut cell, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(std::mem::take(&mut cell)),
            c => cell.push(c),
        }
    }
    assert!(!is_quoted, "{line}");
    cells.push(cell);
    cells
}

fn check_csv(args: &[&str], text: &str) {
    check_terminal(args, text);
    let n_columns = cells(text.lines().next().unwrap()).len();
    for line in text.lines() {
        let cells = cells(line);
        assert_eq!(cells.len(), n_columns, "{args:?}: {line}");
        let is_formula = |cell: &&String| cell.trim().starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err();
        assert_eq!(cells.iter().find(is_formula), None, "{args:?}");
    }
}

/// Every tag is one of ours.
fn check_tags(args: &[&str], text: &str, known: &[&str]) {
    check_terminal(args, text);
    for part in text.split('<').skip(1) {
        let name: String = part.chars().take_while(|c| c.is_ascii_alphanumeric() || "/?!".contains(*c)).collect();
        assert!(known.contains(&name.trim_start_matches('/')), "{args:?}: <{part}");
    }
}

fn folder(names: &[String]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let manifests_folder = folder.path().join("m");
    fs::create_dir(&manifests_folder).unwrap();
    fs::write(manifests_folder.join("all.yaml"), manifests(names)).unwrap();
    let compiled = promgen(&["lint", "--no-config", manifests_folder.to_str().unwrap()]);
    assert!(!compiled.stdout.contains("PG001") && compiled.stdout.contains("PG010"), "{compiled:?}");
    for (i, piece) in PIECES.iter().enumerate() {
        let name: String = piece.chars().filter(|c| !matches!(c, '/' | '\0')).collect();
        let text = format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: s{i}, {}: 1}}\n", quoted(piece));
        fs::write(manifests_folder.join(format!("{name}.yaml")), text).unwrap();
    }
    fs::write(folder.path().join("suite.yaml"), suite(names)).unwrap();
    folder
}

fn path_of(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

#[test]
fn nothing_in_a_name_leaves_its_place_in_a_log() {
    let names = names();
    let folder = folder(&names);
    let (path, suite) = (path_of(folder.path(), "m"), path_of(folder.path(), "suite.yaml"));
    for args in [
        vec!["lint", "--no-config", &path],
        vec!["shards", &path],
        vec!["prove", &path],
        vec!["simulate", "--shards", "2..3", "--workload", "Prometheus/d/main", &path],
        vec!["trace", "all", "--workload", "Prometheus/d/main", "--limit", "100", &path],
        vec!["which", "x", "--workload", "Prometheus/d/main", &path],
        vec!["explain", "ScrapeConfig/d/s", &path],
        vec!["status", "--format", "table", &path],
        vec!["health", &path],
        vec!["test", &suite],
        vec!["shards", "--format", "mermaid", &path],
        vec!["lint", "--no-config", "--format", "markdown", &path],
    ] {
        let ran = promgen(&args);
        check_terminal(&args, &ran.stderr);
        check_terminal(&args, &ran.stdout);
    }
    let asked = names.iter().find(|name| name.contains("::stop-commands")).unwrap();
    let asked = format!("a={asked:?}");
    for args in [
        vec!["route", &asked, "--reveal-secrets", &path],
        vec!["route", "--all-alerts", "--reveal-secrets", &path],
        vec!["route", "--all-alerts", "--reveal-secrets", "--format", "mermaid", &path],
    ] {
        check_terminal(&args, &run(&args));
    }
    for name in &names {
        if !name.contains('\0') {
            for args in [vec!["which", name, &suite], vec!["lint", name], vec!["render", "--emit", name, &path]] {
                check_terminal(&args, &promgen(&args).stderr);
            }
        }
    }
}

#[test]
fn nothing_in_a_name_gives_the_runner_a_command() {
    let folder = folder(&names());
    let path = path_of(folder.path(), "m");
    let args = ["lint", "--no-config", "--format", "github", &path];
    for line in run(&args).lines() {
        assert!(["::error ", "::warning ", "::notice "].iter().any(|head| line.starts_with(head)), "{line}");
        assert_eq!(steers(line.trim_start_matches(':')), None);
    }
}

#[test]
fn nothing_in_a_name_ends_a_cell() {
    let folder = folder(&names());
    let path = path_of(folder.path(), "m");
    for args in [
        vec!["shards", "--format", "csv", &path],
        vec!["simulate", "--shards", "2", "--format", "csv", "--random", "9", &path],
    ] {
        check_csv(&args, &run(&args));
    }
}

#[test]
fn nothing_in_a_name_becomes_markup() {
    let folder = folder(&names());
    let (path, suite) = (path_of(folder.path(), "m"), path_of(folder.path(), "suite.yaml"));
    let junit = ["?xml", "testsuites", "testsuite", "testcase", "failure", "system"];
    for args in [vec!["lint", "--no-config", "--format", "junit", &path], vec!["test", "--format", "junit", &suite]] {
        check_tags(&args, &run(&args), &junit);
    }
    let html = [
        "!doctype",
        "html",
        "head",
        "meta",
        "link",
        "title",
        "style",
        "body",
        "main",
        "article",
        "p",
        "h1",
        "h2",
        "div",
        "dl",
        "dt",
        "dd",
        "section",
        "ul",
        "li",
        "span",
        "b",
        "figure",
        "figcaption",
        "svg",
        "g",
        "rect",
        "line",
        "text",
        "circle",
        "desc",
        "path",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "footer",
        "strong",
        "code",
        "clipPath",
        "defs",
        "use",
        "a",
        "header",
        "nav",
        "details",
        "summary",
        "tspan",
        "i",
        "em",
        "br",
        "small",
    ];
    let args = ["simulate", "--shards", "2", "--format", "html", "--random", "9", &path];
    check_tags(&args, &run(&args), &html);
    let args = ["shards", "--format", "mermaid", &path];
    for line in run(&args).lines() {
        assert!(line.matches('"').count() == 2 || !line.contains('"'), "{line}");
        assert!(!line.contains(['`', '<', '%']) || !line.contains('"') || line.contains("targets, "), "{line}");
    }
}

#[test]
fn json_is_json() {
    let folder = folder(&names());
    let (path, suite) = (path_of(folder.path(), "m"), path_of(folder.path(), "suite.yaml"));
    for args in [
        vec!["lint", "--no-config", "--format", "json", &path],
        vec!["lint", "--no-config", "--format", "sarif", &path],
        vec!["shards", "--format", "json", &path],
        vec!["prove", "--format", "json", &path],
        vec!["trace", "all", "--format", "json", "--workload", "Prometheus/d/main", &path],
        vec!["test", "--format", "json", &suite],
    ] {
        let ran = promgen(&args);
        serde_json::from_str::<serde_json::Value>(&ran.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}"));
        check_terminal(&args, &ran.stderr);
        assert_eq!(
            STEERING.find(&ran.stdout).map(|found| found.as_str().escape_unicode().to_string()),
            None,
            "{args:?}"
        );
    }
}
