//! Tests of rules that an editor asks to run.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use lsp_server::Message;
use serde_json::{Value, json};

use super::Client;

const RULES: &str = "apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: till, namespace: shop}
spec: {groups: [{name: till, rules: [{alert: TillOpen, expr: till_open > 0}]}]}
";

const TESTS: &str = "rule_files: [rules.yaml]
tests:
- name: tills
  input_series: [{series: till_open, values: 0x9}]
  alert_rule_test:
  - {eval_time: 1m, alertname: TillOpen, exp_alerts: [{exp_labels: {}}]}
";

/// What promtool says of a test that expects an alert.
const FAILED: &str = "Unit Testing:  t0-0.yaml
  FAILED:
    alertname: TillOpen, time: 1m,
        exp:[
            0:
              Labels:{alertname=\"TillOpen\"}
              Annotations:{}
            ],
        got:[]
";

/// A promtool that says that, and ends with a code; it notes each run beside itself.
fn promtool(folder: &tempfile::TempDir, says: &str, code: u8) -> String {
    let path = folder.path().join("promtool");
    let script =
        format!("#!/bin/sh\necho run >> \"$0.log\"\ncat <<'END'\n{says}END\nexit {code}\n");
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

impl Client {
    fn actions(&mut self, name: &str, only: &[&str]) -> Vec<Value> {
        let range =
            json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } });
        let mut context = json!({ "diagnostics": [] });
        if !only.is_empty() {
            context["only"] = json!(only);
        }
        let document = json!({ "uri": self.uri(name) });
        let params = json!({ "textDocument": document, "range": range, "context": context });
        self.ask("textDocument/codeAction", params)
            .as_array()
            .unwrap()
            .clone()
    }

    /// The text of the next message that the client is to show.
    fn shown(&mut self) -> String {
        loop {
            let Message::Notification(told) = Message::read(&mut self.from).unwrap().unwrap()
            else {
                continue;
            };
            if told.method == "window/showMessage" {
                return told.params["message"].as_str().unwrap().to_owned();
            }
        }
    }
}

#[test]
fn what_fails_is_marked_when_a_client_asks_and_goes_with_the_next_change() {
    let bin = tempfile::tempdir().unwrap();
    let program = promtool(&bin, FAILED, 1);
    let files = [
        ("rules.yaml", RULES),
        ("tests.yaml", TESTS),
        ("other.yaml", "a: 1\n"),
    ];
    let mut client = Client::start_with(&files, &[("PROMTOOL", &program)]);
    assert_eq!(client.actions("rules.yaml", &[]), [] as [Value; 0]);
    assert_eq!(
        client.actions("tests.yaml", &["quickfix"]),
        [] as [Value; 0]
    );
    let actions = client.actions("tests.yaml", &["source"]);
    let [action] = actions.as_slice() else {
        panic!("{actions:?}")
    };
    assert_eq!(action["title"], "Run the tests of rules in this file");
    // Nothing has run so far.
    assert!(!bin.path().join("promtool.log").exists());
    let command = json!({ "command": action["command"]["command"], "arguments": action["command"]["arguments"] });
    client.request("workspace/executeCommand", command.clone());
    let (name, found) = loop {
        let (name, found) = client.next();
        if found.iter().any(|found| found["source"] == "promgen test") {
            break (name, found);
        }
    };
    assert_eq!(name, "tests.yaml");
    let mark = found
        .iter()
        .find(|found| found["source"] == "promgen test")
        .unwrap();
    assert_eq!(
        mark["range"],
        json!({ "start": { "line": 5, "character": 2 }, "end": { "line": 5, "character": 72 } })
    );
    let lines: Vec<&str> = mark["message"].as_str().unwrap().lines().collect();
    assert_eq!(
        lines[..2],
        [
            "alert TillOpen at 1m: expected at tests.yaml:6",
            "rule TillOpen: rules.yaml:4:38"
        ]
    );
    assert!(lines.contains(&"+ nothing"), "{lines:?}");
    assert_eq!(client.shown(), "promgen: 1 test: 1 expectation failed");

    client.open("tests.yaml", TESTS);
    client.change("tests.yaml", &TESTS.replace("name: tills", "name: other"));
    let (name, found) = client.next();
    assert!(
        name == "tests.yaml" && found.iter().all(|found| found["source"] != "promgen test"),
        "{found:?}"
    );
    // The text that the client has is tested, and what passes is said.
    promtool(&bin, "Unit Testing:  t0-0.yaml\n  SUCCESS\n", 0);
    client.request("workspace/executeCommand", command);
    assert_eq!(client.shown(), "promgen: 1 test passed");
    assert_eq!(
        fs::read_to_string(bin.path().join("promtool.log")).unwrap(),
        "run\nrun\n"
    );
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn without_promtool_a_client_is_told_why_nothing_ran() {
    let mut client = Client::start_with(
        &[("rules.yaml", RULES), ("tests.yaml", TESTS)],
        &[("PROMTOOL", "/nowhere")],
    );
    let command = client.actions("tests.yaml", &[])[0]["command"].clone();
    client.request("workspace/executeCommand", command);
    let shown = client.shown();
    assert!(
        shown.starts_with("promgen: there is no promtool `/nowhere`: install"),
        "{shown}"
    );
    assert_eq!(client.stop(), Some(0));
}
