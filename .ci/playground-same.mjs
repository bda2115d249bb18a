// A part of `.ci/playground`: playground-same.mjs PACKAGE PROMGEN compares what the package for Node says of every fixture with what the program
// prints, lets the module panic, and measures it.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

/// The most seconds of a processor that 1,000 monitors may take, linted and compiled. The goal is 0.2: some machines are slow.
const MAX_SECONDS = 0.5;
const require = createRequire(import.meta.url);
const [folder, promgen] = process.argv.slice(2);
const package_ = require(resolve(folder));
const found = [];
let count = 0;

function run(args) {
  const { stdout } = spawnSync(promgen, args, { encoding: "utf8", maxBuffer: 1 << 28, env: { ...process.env, NO_COLOR: "1" } });
  return stdout;
}

/// The files below a folder, in the order in which the program reads them.
function filesOf(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesOf(path) : [path];
    });
}
const texts = (paths) => paths.map((path) => ({ name: path, text: readFileSync(path, "utf8") }));

/// JSON without what tells a program what it reads.
function bare(text, key) {
  if (text === "") return "nothing";
  const { version: _, command: __, ...rest } = JSON.parse(text);
  return JSON.stringify(key ? rest[key] : rest);
}

function compare(what, inNode, inProgram) {
  count++;
  let answer;
  try {
    answer = inNode();
  } catch (error) {
    answer = `error: ${error.message}`;
  }
  if (answer !== inProgram()) found.push(`${what} differs in Node`);
}

function compareFixture(name) {
  const input = `fixtures/${name}/input`;
  if (!existsSync(input)) return;
  // The package answers for the first of several environments, and the program for each.
  if (name === "environments") return;
  const paths = filesOf(input);
  const base = `fixtures/${name}/base`;
  // What a kustomization names beside it, which the program looks for.
  if (paths.includes(join(input, "kustomization.yaml")) && existsSync(base)) paths.push(...filesOf(base));
  const [files, options] = [texts(paths), { operatorOnly: true }];
  compare(`${input}: lint`, () => package_.lintText(files, options), () => run(["lint", "--no-config", "--format", "json", input]));
  compare(`${input}: render`, () => package_.render(files, options), () => run(["render", input]));
  const { workloads, resources } = package_.compile(files, options);
  for (const { workload, shards } of workloads.filter((one) => one.hasConfig).slice(0, 2)) {
    const shard = shards.at(-1)?.index;
    const args = ["config", input, "--annotate", "--workload", workload, ...(shard === undefined ? [] : ["--shard", String(shard)])];
    compare(`${input}: config of ${workload}`, () => package_.config(files, workload, shard, options), () => run(args));
  }
  // Files by their names, as Node has them: of a folder, the program leaves out what a kustomization that is refused names.
  // Where there is no workload, the program looks for those of the repository.
  for (const resource of workloads.length > 0 ? resources.slice(0, 3) : []) {
    compare(`${input}: explain ${resource}`, () => JSON.stringify(package_.explain(files, resource, options)), () => bare(run(["explain", resource, ...paths, "--format", "json"]), "explanation"));
  }
  if (existsSync(base) && !paths.some((path) => path.startsWith(base))) {
    const args = ["diff", base, input, "--no-config"];
    // It prints nothing of folders that it cannot compare.
    if (run(args) === "") return;
    compare(`${input}: diff`, () => JSON.stringify(package_.diff(texts(filesOf(base)), files, options)), () => bare(run([...args, "--format", "json"])));
    const { summary, parts } = package_.outline(texts(filesOf(base)), files, options);
    const lines = [...summary, ...parts.flatMap(({ title, lines }) => ["", title, ...lines.map(({ depth, sign, text }) => "  ".repeat(depth + 1) + (sign === " " ? text : `${sign} ${text}`))])];
    compare(`${input}: outline`, () => `${lines.join("\n")}\n`, () => run(args));
  }
}

/// A panic is an error, and the next question is answered.
function panics() {
  const files = { "a.yaml": "{apiVersion: monitoring.coreos.com/v1, kind: Prometheus, metadata: {name: a}}" };
  const before = package_.lintText(files);
  require(resolve(folder, "promgen_wasm.js")).lint = () => {
    throw new WebAssembly.RuntimeError("unreachable");
  };
  try {
    package_.lint(files);
    found.push("a panic is no error");
  } catch (error) {
    if (!/which is a bug: unreachable/.test(error.message)) found.push(`a panic says: ${error.message}`);
  }
  if (package_.lintText(files) !== before) found.push("after a panic, the answer is another");
  try {
    package_.config(files, "Prometheus/default/absent", 0);
    found.push("a workload that is absent has a configuration");
  } catch (error) {
    if (!/Prometheus\/default\/absent not found/.test(error.message)) found.push(`an absent workload says: ${error.message}`);
  }
}

/// 1,000 monitors, none of which the module has seen before.
function thousand(n) {
  const monitor = (_, m) => `---\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: m${n}-${m}, namespace: shop}\nspec:\n  selector: {matchLabels: {app: a${n}-${m}}}\n  endpoints:\n  - {port: http, interval: 30s}\n`;
  const head = `apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: main${n}, namespace: shop}\nspec: {shards: 2, serviceMonitorSelector: {}}\n`;
  return { "many.yaml": head + Array.from({ length: 1000 }, monitor).join("") };
}

function measure() {
  const seconds = (before) => process.cpuUsage(before).user / 1e6;
  const runs = [0, 1, 2, 3, 4, 5].map((n) => {
    const files = thousand(n);
    const start = process.cpuUsage();
    package_.lint(files);
    const lint = seconds(start);
    package_.compile(files);
    return { lint, both: seconds(start) };
  });
  const { lint, both } = runs.slice(1).sort((a, b) => a.both - b.both)[0];
  console.log(`1,000 monitors: lint ${lint.toFixed(3)} s, with compile ${both.toFixed(3)} s of a processor`);
  if (both > MAX_SECONDS) found.push(`1,000 monitors take ${both} s, more than ${MAX_SECONDS} s`);
}

for (const name of readdirSync("fixtures").sort()) compareFixture(name);
console.log(`${count} outputs compared with the program: ${found.length} differ`);
panics();
measure();
for (const fault of found) console.error(fault);
process.exit(found.length > 0 ? 1 : 0);
