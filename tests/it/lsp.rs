//! The language server, with a scripted client over the built program.

mod builds;
mod editors;
mod expressions;
mod links;
mod outlines;
mod places;
mod tested;

use std::io::BufReader;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use lsp_server::{Message, Notification, Request};
use serde_json::{Value, json};

const MONITOR: &str = "\
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: web, namespace: default}
spec:
  selector: {matchLabels: {app: web}}
  endpoints:
  - port: web # 😀
    intervall: 30s
";

struct Client {
    server: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    folder: tempfile::TempDir,
}

impl Client {
    fn start(files: &[(&str, &str)]) -> Self {
        Self::start_with(files, &[])
    }

    /// The same with variables of the environment.
    fn start_with(files: &[(&str, &str)], env: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_promgen"));
        command.envs(env.iter().copied());
        let mut server = command
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (
            server.stdin.take().unwrap(),
            BufReader::new(server.stdout.take().unwrap()),
        );
        let mut client = Self {
            server,
            to,
            from,
            folder,
        };
        let root = client.uri("");
        let answer = client.ask("initialize", json!({ "capabilities": {}, "rootUri": root }));
        assert_eq!(answer["serverInfo"]["name"], "promgen");
        client.tell("initialized", json!({}));
        client
    }

    fn uri(&self, name: &str) -> String {
        let folder: &Path = self.folder.path();
        format!("file://{}", folder.join(name).display())
            .trim_end_matches('/')
            .to_owned()
    }

    fn send(&mut self, message: impl Into<Message>) {
        message.into().write(&mut self.to).unwrap();
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(Notification::new(method.to_owned(), params));
    }

    /// Sends a request whose answer is not waited for.
    fn request(&mut self, method: &str, params: Value) {
        self.send(Request::new(1.into(), method.to_owned(), params));
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.request(method, params);
        loop {
            if let Message::Response(response) = Message::read(&mut self.from).unwrap().unwrap() {
                return response.response_result.expect("an answer");
            }
        }
    }

    /// What the server publishes next: the name of a file, and its findings.
    fn next(&mut self) -> (String, Vec<Value>) {
        loop {
            let Message::Notification(told) = Message::read(&mut self.from).unwrap().unwrap()
            else {
                continue;
            };
            if told.method != "textDocument/publishDiagnostics" {
                continue;
            }
            let name = told.params["uri"]
                .as_str()
                .unwrap()
                .rsplit('/')
                .next()
                .unwrap()
                .to_owned();
            return (name, told.params["diagnostics"].as_array().unwrap().clone());
        }
    }

    /// The next findings: the name of the file, and each code with where it starts.
    fn published(&mut self) -> (String, Vec<(String, u64, u64)>) {
        let (name, found) = self.next();
        let start = |found: &Value, of: &str| found["range"]["start"][of].as_u64().unwrap();
        let code = |found: &Value| found["code"].as_str().unwrap().to_owned();
        (
            name,
            found
                .iter()
                .map(|it| (code(it), start(it, "line"), start(it, "character")))
                .collect(),
        )
    }

    /// The next findings: the name of the file, and each code with its source.
    fn sources(&mut self) -> (String, Vec<(String, String)>) {
        let (name, found) = self.next();
        let text = |found: &Value, of: &str| found[of].as_str().unwrap().to_owned();
        (
            name,
            found
                .iter()
                .map(|it| (text(it, "code"), text(it, "source")))
                .collect(),
        )
    }

    fn open(&mut self, name: &str, text: &str) {
        let uri = self.uri(name);
        let document = json!({ "uri": uri, "languageId": "yaml", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn change(&mut self, name: &str, text: &str) {
        let document = json!({ "uri": self.uri(name), "version": 2 });
        self.tell(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [{ "text": text }] }),
        );
    }

    fn stop(mut self) -> Option<i32> {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.server.wait().unwrap().code()
    }
}

fn has(found: &[(String, u64, u64)], code: &str, line: u64) -> bool {
    found.iter().any(|(of, at, _)| of == code && *at == line)
}

#[test]
fn findings_follow_what_is_typed_and_go() {
    let mut client = Client::start(&[("a.yaml", MONITOR)]);
    let (name, found) = client.published();
    assert!(name == "a.yaml" && has(&found, "PG010", 7), "{found:?}");
    client.open("a.yaml", MONITOR);
    client.change("a.yaml", &format!("# one more line\n{MONITOR}"));
    let (_, moved) = client.published();
    assert!(has(&moved, "PG010", 8), "{moved:?}");
    // A document that is broken while it is typed.
    client.change("a.yaml", "a: [\n");
    let (_, broken) = client.published();
    assert!(!broken.is_empty());
    client.change("a.yaml", "");
    assert_eq!(client.published().1, []);
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn a_fix_is_an_edit_and_a_rule_is_explained() {
    let mut client = Client::start(&[("a.yaml", MONITOR)]);
    let document = json!({ "uri": client.uri("a.yaml") });
    let range =
        json!({ "start": { "line": 7, "character": 4 }, "end": { "line": 7, "character": 4 } });
    let params =
        json!({ "textDocument": document, "range": range, "context": { "diagnostics": [] } });
    let actions = client.ask("textDocument/codeAction", params);
    let edit = &actions[0]["edit"]["changes"][client.uri("a.yaml")][0];
    assert_eq!(edit["newText"], "interval", "{actions}");
    assert_eq!(edit["range"]["start"], json!({ "line": 7, "character": 4 }));
    let hover = client.ask(
        "textDocument/hover",
        json!({ "textDocument": document, "position": { "line": 7, "character": 6 } }),
    );
    assert!(
        hover["contents"]["value"]
            .as_str()
            .unwrap()
            .contains("PG010"),
        "{hover}"
    );
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn a_fix_may_be_in_another_file_than_its_finding() {
    let account = "subjects: [{kind: ServiceAccount, name: prometheus, namespace: default}]";
    let roles = format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {{name: p, namespace: default}}\nrules:\n- apiGroups: ['']\n  resources: [services, pods]\n  \
         verbs: [list, watch]\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {{name: p, namespace: default}}\nroleRef: \
         {{apiGroup: rbac.authorization.k8s.io, kind: Role, name: p}}\n{account}\n"
    );
    let server = "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: p, namespace: default}\nspec: {serviceAccountName: prometheus, serviceMonitorSelector: {}}\n";
    let mut client = Client::start(&[
        ("a.yaml", MONITOR.replace("intervall", "interval").as_str()),
        ("roles.yaml", &roles),
        ("server.yaml", server),
    ]);
    let range =
        json!({ "start": { "line": 2, "character": 0 }, "end": { "line": 2, "character": 9 } });
    let document = json!({ "uri": client.uri("a.yaml") });
    let params =
        json!({ "textDocument": document, "range": range, "context": { "diagnostics": [] } });
    let actions = client.ask("textDocument/codeAction", params);
    assert_eq!(
        actions[0]["title"], "grant it in Role default/p",
        "{actions}"
    );
    assert_eq!(actions[0]["isPreferred"], false);
    let edits = &actions[0]["edit"]["changes"][client.uri("roles.yaml")];
    assert_eq!(edits[0]["newText"], ", endpoints", "{actions}");
    assert_eq!(
        edits[0]["range"]["start"],
        json!({ "line": 5, "character": 28 })
    );
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn a_client_that_leaves_without_shutdown_is_told_by_the_exit_code() {
    let mut client = Client::start(&[]);
    client.tell("exit", Value::Null);
    assert_eq!(client.server.wait().unwrap().code(), Some(1));
}
