//! Names that mean harm, through every command and format: none leaves its place.

#![cfg(unix)]

mod forms;
mod repository;

use std::fs;
use std::path::Path;

use promgen::cli::Terminal;
use rayon::prelude::*;

use crate::commands::{Line, Place, lines};
use crate::support::{promgen, swept, without_colours};
use forms::{check_form, check_terminal};

/// What names are made of.
const PIECES: [&str; 30] = [
    "x\n::stop-commands::pwn",
    "\r::error::x",
    "::stop-commands::pwn",
    "##[stop-commands]pwn",
    "##vso[task.setvariable variable=a]b",
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

/// What a name does with a piece: it alone, at either end, in the middle, and very long.
const FORMS: [fn(&str) -> String; 5] = [
    |piece| piece.to_owned(),
    |piece| format!("{piece} b"),
    |piece| format!("a {piece}"),
    |piece| format!("a\n  {piece}\nb"),
    |piece| format!("{piece}{}", "y".repeat(900)),
];

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
    let labels: Vec<_> = names
        .iter()
        .enumerate()
        .map(|(i, name)| format!("l{i}: {}", quoted(name)))
        .collect();
    let strategy = "shardingStrategy: {mode: Topology, topology: {values: ";
    // No template takes what YAML cannot hold.
    let zones: Vec<_> = names
        .iter()
        .filter(|name| !name.contains(char::is_control))
        .collect();
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
        let quoted = names
            .iter()
            .filter(|name| !name.contains(char::is_control))
            .map(|name| quoted(name));
        quoted
            .map(|name| line(&name))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let routes = list(&|name| {
        format!(
            "{{receiver: {name}, continue: true, matchers: [{{name: a, value: {name}, matchType: '='}}]}}"
        )
    });
    let receivers = list(&|name| format!("{{name: {name}}}"));
    let raw = list(&|name| {
        format!("{{receiver: {name}, continue: true, group_by: [{name}], match: {{a: {name}}}}}")
    });
    let rules = list(&|name| {
        format!("{{alert: {name}, expr: up, labels: {{a: {name}, namespace: {name}}}}}")
    });
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

/// Runs a line, and checks what it prints and writes in its form.
fn check(line: &Line, place: &Place) {
    let what = line.to_string();
    let (ran, written) = line.run(
        place,
        Terminal {
            shows_findings: true,
            ..Terminal::default()
        },
    );
    assert!(ran.code <= 2, "{what}: {ran:?}");
    check_terminal(&what, &without_colours(&ran.stderr));
    if let Some(form) = line.printed() {
        check_form(form, &what, &without_colours(&ran.stdout));
    }
    for (name, text) in written {
        line.written(&name)
            .into_iter()
            .for_each(|form| check_form(form, &format!("{what}, {name}"), &without_colours(&text)));
    }
}

fn folder(names: &[String]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let manifests_folder = folder.path().join("m");
    fs::create_dir(&manifests_folder).unwrap();
    fs::write(manifests_folder.join("all.yaml"), manifests(names)).unwrap();
    let compiled = promgen(&["lint", "--no-config", manifests_folder.to_str().unwrap()]);
    assert!(
        !compiled.stdout.contains("PG001") && compiled.stdout.contains("PG010"),
        "{compiled:?}"
    );
    for (i, piece) in PIECES.iter().enumerate() {
        let name: String = piece.chars().filter(|c| !matches!(c, '/' | '\0')).collect();
        let text = format!(
            "apiVersion: v1\nkind: Secret\nmetadata: {{name: s{i}, {}: 1}}\n",
            quoted(piece)
        );
        fs::write(manifests_folder.join(format!("{name}.yaml")), text).unwrap();
    }
    fs::write(folder.path().join("suite.yaml"), suite(names)).unwrap();
    folder
}

fn path_of(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

/// A place with the names in manifests and tests.
fn place(folder: &Path) -> Place {
    let manifests = fs::read_to_string(folder.join("m/all.yaml")).unwrap();
    let place = Place::new(folder, "m", &manifests);
    fs::copy(folder.join("suite.yaml"), place.tests.join("suite.yaml")).unwrap();
    place
}

#[test]
fn nothing_in_a_name_leaves_its_place() {
    let folders = FORMS.map(|form| folder(&PIECES.map(form)));
    let places = folders.each_ref().map(|folder| place(folder.path()));
    let lines = lines()
        .iter()
        .filter(|line| line.reads() && (line.is_plain || line.is_of_first()));
    swept(3, lines.enumerate())
        .par_iter()
        .for_each(|(number, line)| check(line, &places[number % places.len()]));
}
