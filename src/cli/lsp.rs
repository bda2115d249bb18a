//! `promgen lsp`: a language server over standard input and output.
//!
//! In: what the user types. Out: the findings of the whole repository, as `lint` in its folder reports them, and their fixes;
//! and answers about the place of the cursor. Where the client asks for it, tests of rules run, too.

mod answer;
mod ask;
mod place;
mod tested;
pub(crate) mod wire;
mod workspace;

use std::collections::BTreeMap;
use std::path::Path;

use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOptions, Diagnostic,
    DidChangeWatchedFilesRegistrationOptions, ExecuteCommandOptions, FileSystemWatcher,
    InitializeResult, MessageType, PublishDiagnosticsParams, Registration, RegistrationParams,
    ServerInfo, ShowMessageParams, TextDocumentSyncKind, TextDocumentSyncOptions,
};
use serde::Serialize;
use serde_json::Value;

use crate::cli::args::LspArgs;
use crate::cli::lsp::answer::{actions, published};
use crate::cli::lsp::ask::sent;
use crate::cli::lsp::wire::Wire;
use crate::cli::lsp::workspace::EditorWorkspace;
use crate::cli::{Exit, Failure};

/// Serves until the client ends it.
pub(crate) fn run(_: &LspArgs) -> Result<Exit, Failure> {
    let (connection, wire) = Wire::open();
    let served = serve(&connection);
    drop(connection);
    wire.join()?;
    served
}

fn serve(connection: &Connection) -> Result<Exit, Failure> {
    let Ok((id, params)) = connection.initialize_start() else {
        return Ok(Exit::Findings);
    };
    let workspace = EditorWorkspace::of(&params)?;
    if connection
        .initialize_finish(id, sent(greeting(&workspace)))
        .is_err()
    {
        return Ok(Exit::Findings);
    }
    let (published, tested) = (BTreeMap::new(), BTreeMap::new());
    let mut session = Session {
        connection,
        workspace,
        is_stale: true,
        published,
        tested,
    };
    session.watch_files(&params);
    // A folder without manifests, or with a broken promgen.yaml, is said, and mended while the server runs.
    session.read();
    Ok(session.serve())
}

/// The name and the capabilities of the server.
fn greeting(workspace: &EditorWorkspace) -> InitializeResult {
    let mut capabilities = ask::capabilities();
    let synchronization = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::Full),
        save: Some(true.into()),
        ..TextDocumentSyncOptions::default()
    };
    capabilities.text_document_sync = Some(synchronization.into());
    let code_action_kinds = Some(vec![CodeActionKind::QuickFix, CodeActionKind::Source]);
    capabilities.code_action_provider = Some(
        CodeActionOptions {
            code_action_kinds,
            ..CodeActionOptions::default()
        }
        .into(),
    );
    let commands = vec![tested::command(workspace)];
    capabilities.execute_command_provider = Some(ExecuteCommandOptions {
        commands,
        ..ExecuteCommandOptions::default()
    });
    let version = Some(env!("CARGO_PKG_VERSION").to_owned());
    InitializeResult {
        capabilities,
        server_info: Some(ServerInfo {
            name: "promgen".to_owned(),
            version,
        }),
    }
}

/// One client.
struct Session<'c> {
    connection: &'c Connection,
    workspace: EditorWorkspace,
    /// Something changed since the findings were published.
    is_stale: bool,
    /// The state that the client shows: URI and findings.
    published: BTreeMap<String, Vec<Diagnostic>>,
    /// The marks of tests that ran since the last change, by URI.
    tested: BTreeMap<String, Vec<Diagnostic>>,
}

impl Session<'_> {
    /// Several messages that are there already are one change.
    fn serve(&mut self) -> Exit {
        loop {
            if self.connection.receiver.is_empty() {
                self.refresh();
            }
            let Ok(message) = self.connection.receiver.recv() else {
                return Exit::Findings;
            };
            match message {
                Message::Request(request) => match self.connection.handle_shutdown(&request) {
                    Ok(false) => self.answer(request),
                    Ok(true) => return Exit::Clean,
                    Err(_) => return Exit::Findings,
                },
                Message::Notification(Notification { method, .. }) if method == "exit" => {
                    return Exit::Findings;
                }
                Message::Notification(notification) => self.take(&notification),
                Message::Response(_) => {}
            }
        }
    }

    fn take(&mut self, Notification { method, params }: &Notification) {
        let document = &params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default();
        match method.as_str() {
            "textDocument/didOpen" => self
                .workspace
                .open(uri, document["text"].as_str().unwrap_or_default()),
            "textDocument/didChange" => {
                let changes = params["contentChanges"]
                    .as_array()
                    .and_then(|changes| changes.last());
                let Some(text) = changes.and_then(|change| change["text"].as_str()) else {
                    return;
                };
                self.workspace.open(uri, text);
                self.tested.clear();
            }
            "textDocument/didClose" => {
                self.workspace.close(uri);
                self.tested.clear();
                self.read();
            }
            // The text that is saved is that of the buffer: only what else is read of the disk may have changed.
            "textDocument/didSave" if self.workspace.holds(uri) => {}
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => self.read(),
            _ => return,
        }
        self.is_stale = true;
    }

    fn answer(&mut self, Request { id, method, params }: Request) {
        // What is completed is the text that the client has now, beside the objects of the last check: typing need not wait.
        if method != "textDocument/completion" || self.workspace.lookup().is_none() {
            self.refresh();
        }
        self.workspace.make_room();
        let result = match method.as_str() {
            "textDocument/codeAction" => Some(sent(self.actions(&params))),
            "workspace/executeCommand" => self.test(&params),
            _ => ask::answer(&self.workspace, &method, &params),
        };
        self.send(match result {
            Some(result) => Response::new_ok(id, result),
            None => Response::new_err(
                id,
                ErrorCode::MethodNotFound as i32,
                format!("`{method}` is not supported"),
            ),
        });
    }

    fn actions(&self, params: &Value) -> Vec<CodeAction> {
        let fixes = actions(&self.workspace, params);
        fixes
            .into_iter()
            .chain(tested::action(&self.workspace, params))
            .collect()
    }

    /// Runs the tests that a command names, and marks what fails.
    fn test(&mut self, params: &Value) -> Option<Value> {
        match tested::run(&self.workspace, params)? {
            Ok(tests) => {
                self.tested.insert(tests.uri, tests.marks);
                self.publish();
                self.show(MessageType::Info, &tests.summary);
            }
            Err(failure) => self.warn(failure),
        }
        Some(Value::Null)
    }

    /// Reads the files again.
    fn read(&mut self) {
        if let Err(failure) = self.workspace.read() {
            self.warn(failure);
        }
    }

    /// Checks what changed, and publishes what is new.
    fn refresh(&mut self) {
        if !std::mem::take(&mut self.is_stale) {
            return;
        }
        if let Err(failure) = self.workspace.check() {
            self.warn(failure);
            return;
        }
        self.publish();
        // The client has its findings: what the check before needed is freed now.
        self.workspace.forget_outdated();
    }

    /// Publishes the findings of files that differ from what the client shows.
    fn publish(&mut self) {
        let mut now = published(&self.workspace);
        for (uri, marks) in self.tested.iter().filter(|(_, marks)| !marks.is_empty()) {
            now.entry(uri.clone())
                .or_default()
                .extend(marks.iter().cloned());
        }
        let gone = self
            .published
            .keys()
            .filter(|uri| !now.contains_key(*uri))
            .map(|uri| (uri, Vec::new()));
        let changed = now
            .iter()
            .filter(|(uri, found)| self.published.get(*uri) != Some(*found));
        for (uri, found) in gone.chain(changed.map(|(uri, found)| (uri, found.clone()))) {
            let params = PublishDiagnosticsParams {
                uri: uri.as_str().into(),
                version: None,
                diagnostics: found,
            };
            self.notify("textDocument/publishDiagnostics", params);
        }
        self.published = now;
    }

    /// Asks a client that can to tell of files that change on the disk.
    fn watch_files(&self, params: &Value) {
        let can =
            &params["capabilities"]["workspace"]["didChangeWatchedFiles"]["dynamicRegistration"];
        if *can == Value::Bool(true) {
            let glob_pattern = "**/*.{yaml,yml,json,j2}".to_owned().into();
            let watchers = vec![FileSystemWatcher {
                glob_pattern,
                kind: None,
            }];
            let one = Registration {
                id: "files".to_owned(),
                method: "workspace/didChangeWatchedFiles".to_owned(),
                register_options: Some(sent(DidChangeWatchedFilesRegistrationOptions { watchers })),
            };
            let params = RegistrationParams {
                registrations: vec![one],
            };
            self.send(Request::new(
                "files".to_owned().into(),
                "client/registerCapability".to_owned(),
                params,
            ));
        }
    }

    fn warn(&self, failure: Failure) {
        let text = match failure {
            Failure::Usage(error) => error.to_string(),
            Failure::Messages(messages) => messages.join("\n"),
        };
        self.show(MessageType::Warning, &text);
    }

    fn show(&self, kind: MessageType, text: &str) {
        self.notify(
            "window/showMessage",
            ShowMessageParams {
                kind,
                message: format!("promgen: {text}"),
            },
        );
    }

    fn notify(&self, method: &str, params: impl Serialize) {
        self.send(Notification::new(method.to_owned(), params));
    }

    /// A client that is gone ends the loop with the next message that it does not send.
    fn send(&self, message: impl Into<Message>) {
        let _ = self.connection.sender.send(message.into());
    }
}

/// The folder of the workspace, which the server runs in.
fn enter(folder: &Path) -> Result<(), Failure> {
    let fails = |error| Failure::message(format!("cannot enter `{}`: {error}", folder.display()));
    std::env::set_current_dir(folder).map_err(fails)
}
