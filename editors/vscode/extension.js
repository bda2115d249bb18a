// Starts `promgen lsp` in each workspace folder, and again when its settings change.
const { commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { locate } = require("./program");

/** The clients, by the URI of their folder. */
const clients = new Map();

function start(folder) {
  const settings = workspace.getConfiguration("promgen", folder.uri);
  if (!workspace.isTrusted) return;
  if (folder.uri.scheme !== "file" || !settings.get("enable") || clients.has(folder.uri.toString())) return;
  const pattern = `${folder.uri.fsPath.replaceAll("\\", "/")}/**/*`;
  const documentSelector = ["yaml", "helm"].map((language) => ({ scheme: "file", language, pattern }));
  const folders = (workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const command = locate(settings.get("path"), folders);
  if (!command) {
    window.showErrorMessage(`promgen does not start: "${settings.get("path")}" is no program outside of the workspace. Install it, or set "promgen.path".`);
    return;
  }
  const server = { command, args: ["lsp"], options: { cwd: folder.uri.fsPath } };
  const client = new LanguageClient("promgen", "promgen", server, { documentSelector, workspaceFolder: folder });
  clients.set(folder.uri.toString(), client);
  client.start().catch((error) => {
    clients.delete(folder.uri.toString());
    window.showErrorMessage(`promgen does not start: ${error.message}.`);
  });
}

async function stop(folder) {
  const client = clients.get(folder.uri.toString());
  clients.delete(folder.uri.toString());
  await client?.stop().catch(() => {});
}

async function restart() {
  const folders = workspace.workspaceFolders ?? [];
  await Promise.all(folders.map(stop));
  folders.forEach(start);
}

function activate(context) {
  context.subscriptions.push(
    commands.registerCommand("promgen.restart", restart),
    workspace.onDidChangeWorkspaceFolders(({ added, removed }) => {
      removed.forEach(stop);
      added.forEach(start);
    }),
    workspace.onDidChangeConfiguration((change) => {
      if (["promgen.path", "promgen.enable"].some((setting) => change.affectsConfiguration(setting))) restart();
    }),
  );
  (workspace.workspaceFolders ?? []).forEach(start);
}

async function deactivate() {
  await Promise.all([...clients.values()].map((client) => client.stop().catch(() => {})));
}

module.exports = { activate, deactivate };
