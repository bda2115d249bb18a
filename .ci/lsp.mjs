// A client of the language server: node .ci/lsp.mjs PROMGEN OUT. Fails if an answer is missing or wrong.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [promgen, out] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const { createMessageConnection, StreamMessageReader, StreamMessageWriter } = require(join(process.env.NODE_PATH, "vscode-jsonrpc/node"));

/** A client in a folder. */
class Client {
  constructor(folder) {
    this.folder = folder;
    this.server = spawn(promgen, ["lsp"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
    this.ended = new Promise((done) => this.server.on("exit", (code) => done(code)));
    this.connection = createMessageConnection(
      new StreamMessageReader(this.server.stdout),
      new StreamMessageWriter(this.server.stdin),
    );
    this.found = new Map();
    this.waiting = [];
    this.connection.onNotification("textDocument/publishDiagnostics", ({ uri, diagnostics }) => {
      this.found.set(uri, diagnostics);
      this.waiting = this.waiting.filter(({ holds, done }) => !holds() || done());
    });
    this.connection.onRequest("client/registerCapability", () => null);
    this.connection.listen();
  }

  async start() {
    const rootUri = pathToFileURL(this.folder).href;
    const capabilities = { workspace: { didChangeWatchedFiles: { dynamicRegistration: true } } };
    const { capabilities: server } = await this.connection.sendRequest("initialize", { rootUri, capabilities, processId: process.pid });
    await this.connection.sendNotification("initialized", {});
    return server;
  }

  uri(name) {
    return pathToFileURL(join(this.folder, name)).href;
  }

  open(name, text) {
    const textDocument = { uri: this.uri(name), languageId: "yaml", version: 1, text };
    return this.connection.sendNotification("textDocument/didOpen", { textDocument });
  }

  change(name, text) {
    const textDocument = { uri: this.uri(name), version: 2 };
    return this.connection.sendNotification("textDocument/didChange", { textDocument, contentChanges: [{ text }] });
  }

  /** Waits until the findings of a file are as they should be. */
  async until(name, what, fits) {
    const holds = () => fits((this.found.get(this.uri(name)) ?? []).map((found) => found.code), this.found.get(this.uri(name)) ?? []);
    if (this.found.has(this.uri(name)) && holds()) return;
    let timer;
    const late = new Promise((_, fail) => {
      timer = setTimeout(() => fail(new Error(`${what}: ${JSON.stringify(this.found.get(this.uri(name)))}`)), 60_000);
    });
    await Promise.race([new Promise((done) => this.waiting.push({ holds, done: () => done() ?? true })), late]);
    clearTimeout(timer);
  }

  ask(method, name, line, character, more = {}) {
    const params = { textDocument: { uri: this.uri(name) }, position: { line, character }, ...more };
    return this.connection.sendRequest(`textDocument/${method}`, params);
  }

  async stop() {
    await this.connection.sendRequest("shutdown");
    await this.connection.sendNotification("exit");
    assert.equal(await this.ended, 0);
  }
}

async function answers() {
  const client = new Client(join(out, "repository"));
  const server = await client.start();
  for (const answer of ["hover", "definition", "references", "documentSymbol", "completion", "codeAction"]) {
    assert.ok(server[`${answer}Provider`], answer);
  }
  const text = readFileSync(join(client.folder, "cart.yaml"), "utf8");
  await client.open("cart.yaml", text);
  await client.until("cart.yaml", "the unknown field", (codes) => codes.includes("PG010"));
  const [unknown] = client.found.get(client.uri("cart.yaml")).filter(({ code }) => code === "PG010");
  assert.deepEqual(unknown.range.start, { line: 11, character: 4 });

  const hover = JSON.stringify(await client.ask("hover", "cart.yaml", 3, 9));
  assert.match(hover, /Prometheus shop\/main/);
  assert.match(JSON.stringify(await client.ask("documentSymbol", "cart.yaml", 0, 0)), /cart/);
  assert.match(JSON.stringify(await client.ask("definition", "cart.yaml", 8, 25)), /cart\.yaml/);
  const context = { includeDeclaration: false };
  assert.match(JSON.stringify(await client.ask("references", "cart.yaml", 3, 9, { context })), /main\.yaml/);
  const actions = await client.ask("codeAction", "cart.yaml", 11, 4, { range: unknown.range, context: { diagnostics: [unknown] } });
  const [edit] = actions[0].edit.changes[client.uri("cart.yaml")];
  assert.equal(edit.newText, "interval");

  const broken = text.replace("  endpoints:", "  endpoints: [");
  await client.change("cart.yaml", broken);
  await client.until("cart.yaml", "the broken text", (codes) => codes.includes("PG001"));
  const typing = text.replace("intervall: 30s", "");
  await client.change("cart.yaml", typing);
  assert.match(JSON.stringify(await client.ask("completion", "cart.yaml", 11, 4)), /scrapeTimeout/);
  await client.open("main.yaml", readFileSync(join(client.folder, "main.yaml"), "utf8").replace("team: cart", "team: till"));
  await client.until("cart.yaml", "what another file changes", (codes) => codes.includes("PG120"));
  await client.connection.sendNotification("textDocument/didClose", { textDocument: { uri: client.uri("main.yaml") } });
  await client.until("cart.yaml", "the text of the disk", (codes) => !codes.includes("PG120"));
  await client.stop();
  console.log("a client from npm gets findings, fixes and answers");
}

/** Writes 10,000 documents: a Prometheus, and 2,500 applications. */
function write(folder) {
  const n = 2500;
  mkdirSync(folder, { recursive: true });
  const head = "apiVersion: monitoring.coreos.com/v1\nkind: ";
  const main = `${head}Prometheus\nmetadata: {name: main, namespace: shop}\nspec: {shards: 3, serviceMonitorSelector: {}, ruleSelector: {}}\n`;
  writeFileSync(join(folder, "main.yaml"), main);
  for (let i = 0; i < n; i += 1) {
    const metadata = `metadata: {name: app-${i}, namespace: shop, labels: {app: app-${i}}}`;
    const documents = [
      `${head}ServiceMonitor\n${metadata}\nspec:\n  selector:\n    matchLabels: {app: app-${i}}\n  endpoints:\n  - port: metrics\n    interval: 30s\n`,
      `apiVersion: v1\nkind: Service\n${metadata}\nspec:\n  selector: {app: app-${i}}\n  ports:\n  - {name: metrics, port: 80}\n`,
      `${head}PrometheusRule\n${metadata}\nspec:\n  groups:\n  - name: app-${i}\n    rules:\n    - {alert: App${i}Down, expr: 'up{job="app-${i}"} == 0', for: 5m}\n`,
      `apiVersion: apps/v1\nkind: Deployment\n${metadata}\nspec:\n  selector:\n    matchLabels: {app: app-${i}}\n  template:\n    metadata:\n      labels: {app: app-${i}}\n    spec:\n      containers:\n      - {name: app, image: 'app:1', ports: [{name: metrics, containerPort: 80}]}\n`,
    ];
    writeFileSync(join(folder, `app-${i}.yaml`), documents.join("---\n"));
  }
}

async function measure() {
  const folder = join(out, "large");
  write(folder);
  const client = new Client(folder);
  await client.start();
  const name = "app-7.yaml";
  const text = readFileSync(join(folder, name), "utf8");
  await client.open(name, text);
  await client.ask("documentSymbol", name, 0, 0);
  const times = [];
  for (let i = 0; i < 9; i += 1) {
    const is_wrong = i % 2 === 0;
    const begin = performance.now();
    await client.change(name, is_wrong ? text.replace("port: metrics", "port: metricz") : text);
    await client.until(name, "the change", (codes) => codes.includes("PG123") === is_wrong);
    times.push(performance.now() - begin);
  }
  times.sort((a, b) => a - b);
  const peak = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${client.server.pid}/status`, "utf8"));
  await client.stop();
  console.log(`from a key to the findings in 10,000 documents: ${times[4].toFixed(0)} ms (median of 9), at most ${Math.ceil(peak[1] / 1024)} MiB`);
  assert.ok(times[4] < 5000, "slower than 5 s");
}

/** Applies the patterns of the problem matcher to what `promgen lint` prints. */
function matchers() {
  const manifest = JSON.parse(readFileSync("editors/vscode/package.json", "utf8"));
  const [{ name: _, ...matcher }] = manifest.contributes.problemMatchers;
  const { tasks } = JSON.parse(readFileSync("editors/vscode/tasks.json", "utf8"));
  assert.deepEqual(tasks[0].problemMatcher, matcher, "the task of the documentation has another matcher than the extension");
  const { pattern } = matcher;
  const { stdout } = spawnSync(promgen, ["lint", "--no-config", "fixtures/rejected-monitors/input", "fixtures/lint/input"], { encoding: "utf8" });
  const lines = stdout.split("\n");
  const head = new RegExp(pattern[0].regexp);
  const place = new RegExp(pattern[1].regexp);
  let n = 0;
  for (const [i, line] of lines.entries()) {
    if (!/^(error|warning|info)\b/.test(line)) continue;
    assert.match(line, head);
    if (!lines[i + 1].includes("-->")) continue;
    const [, file, number] = place.exec(lines[i + 1]) ?? assert.fail(lines[i + 1]);
    assert.ok(readFileSync(file, "utf8").split("\n").length >= number, `${file}:${number}`);
    n += 1;
  }
  assert.ok(n > 5, stdout);
  console.log(`the problem matcher finds ${n} findings of ${n}`);
}

/** The extension of VS Code starts an absolute path, and no file of the workspace. */
function programs() {
  const { locate } = require(join(process.cwd(), "editors/vscode/program.js"));
  const root = mkdtempSync(join(tmpdir(), "promgen-program-"));
  const [bin, work] = [join(root, "bin"), join(root, "work")];
  for (const folder of [bin, join(work, "bin")]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "promgen"), "#!/bin/sh\n", { mode: 0o755 });
  }
  symlinkSync(join(work, "bin/promgen"), join(root, "linked"));
  symlinkSync(work, join(root, "alias"));
  const find = (setting, PATH, folders = [work]) => locate(setting, folders, { PATH });
  const [good, bad] = [join(bin, "promgen"), join(work, "bin/promgen")];
  assert.equal(find("promgen", `${join(work, "bin")}:.:bin::${bin}`), good);
  assert.equal(find("promgen", bin), good);
  assert.equal(find(good, ""), good);
  for (const setting of [bad, join(root, "linked"), join(root, "alias/bin/promgen"), "./promgen", "bin/promgen", "", join(root, "none"), bin]) assert.equal(find(setting, join(work, "bin")), undefined, setting);
  assert.equal(find("promgen", join(work, "bin"), [join(root, "alias")]), undefined);
  assert.equal(find("promgen", "."), undefined);
  rmSync(root, { recursive: true });
  console.log("the extension of VS Code starts no file of the workspace");
}

programs();
await answers();
await measure();
matchers();
