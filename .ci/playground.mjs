// Parts of `.ci/playground`: `same PACKAGE PROMGEN` compares every fixture in Node with the program, `drive PAGE CHROMIUM AXE PICTURES`
// drives the page.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { browser } from "./browser.mjs";

const [action, ...rest] = process.argv.slice(2);
const faults = action === "same" ? same(...rest) : await drive(...rest);
for (const fault of faults) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);

/// The files below a folder, in the order in which the program reads them.
function filesOf(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesOf(path) : [path];
    });
}

function run(promgen, args) {
  const { stdout } = spawnSync(promgen, args, { encoding: "utf8", maxBuffer: 1 << 28, env: { ...process.env, NO_COLOR: "1" } });
  return stdout;
}

function same(folder, promgen) {
  const package_ = createRequire(import.meta.url)(resolve(folder));
  const found = [];
  let count = 0;
  const cases = readdirSync("fixtures").sort();
  for (const name of cases) {
    const input = `fixtures/${name}/input`;
    let paths;
    try {
      paths = filesOf(input);
    } catch {
      continue;
    }
    // What a kustomization names beside it, which the program looks for.
    if (paths.includes(join(input, "kustomization.yaml")) && existsSync(`fixtures/${name}/base`)) paths.push(...filesOf(`fixtures/${name}/base`));
    const files = paths.map((path) => ({ name: path, text: readFileSync(path, "utf8") }));
    const compared = [
      ["lint", () => package_.lintText(files, { operatorOnly: true }), ["lint", "--no-config", "--format", "json", input]],
      ["render", () => package_.render(files, { operatorOnly: true }), ["render", input]],
    ];
    for (const [what, inNode, args] of compared) {
      count++;
      if (inNode() !== run(promgen, args)) found.push(`${input}: ${what} differs in Node`);
    }
  }
  const monitors = Array.from({ length: 1000 }, (_, n) => `---\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: m${n}, namespace: shop}\nspec:\n  selector: {matchLabels: {app: a${n}}}\n  endpoints:\n  - {port: http, interval: 30s}\n`);
  const many = { "many.yaml": `apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: main, namespace: shop}\nspec: {shards: 2, serviceMonitorSelector: {}}\n${monitors.join("")}` };
  const seconds = [];
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    package_.lint(many);
    const middle = performance.now();
    package_.render(many);
    seconds.push([(middle - start) / 1000, (performance.now() - middle) / 1000]);
  }
  const [lint, render] = seconds.sort((a, b) => a[0] + a[1] - b[0] - b[1])[0];
  console.log(`${count} outputs compared with the program: ${found.length} differ; 1,000 monitors: lint ${lint.toFixed(3)} s, render ${render.toFixed(3)} s`);
  if (lint + render > 2) found.push("1,000 monitors take more than 2 s");
  return found;
}

async function drive(page, chromium, axe, pictures) {
  const profile = mkdtempSync(join(tmpdir(), "promgen-playground-"));
  rmSync(pictures, { recursive: true, force: true });
  mkdirSync(pictures, { recursive: true });
  const chrome = browser(chromium, profile);
  const { targetId } = await chrome.send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await chrome.send("Target.attachToTarget", { targetId, flatten: true });
  const send = (method, params) => chrome.send(method, params, sessionId);
  const found = [];
  const requests = [];
  chrome.listeners.add(({ method, params }) => {
    if (method === "Runtime.exceptionThrown") found.push(`exception: ${params.exceptionDetails.exception?.description ?? params.exceptionDetails.text}`);
    if (method === "Log.entryAdded" && params.entry.level === "error") found.push(`${params.entry.text} ${params.entry.url ?? ""}`);
    if (method === "Network.requestWillBeSent" && !/^(file|data|blob):/.test(params.request.url)) requests.push(params.request.url);
  });
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await send(`${domain}.enable`);
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  const until = async (expression, what) => {
    for (let i = 0; i < 100; i++) {
      if (await evaluate(expression)) return;
      await new Promise((done) => setTimeout(done, 50));
    }
    found.push(`${what}: ${await evaluate("document.getElementById('told').innerText.slice(0, 300) + ' / ' + document.getElementById('said').innerText")}`);
  };
  const CODES = { Tab: 9, ArrowRight: 39, ArrowLeft: 37, End: 35, Home: 36, Enter: 13 };
  const press = async (key, modifiers = 0) => {
    const params = { key, code: key, windowsVirtualKeyCode: CODES[key], modifiers, ...(key === "Enter" ? { text: "\r" } : {}) };
    await send("Input.dispatchKeyEvent", { type: "keyDown", ...params });
    await send("Input.dispatchKeyEvent", { type: "keyUp", ...params });
  };
  const focused = "document.activeElement.id";
  const tabTo = async (id) => {
    for (let i = 0; i < 40; i++) {
      if ((await evaluate(focused)) === id) return;
      await press("Tab");
    }
    found.push(`Tab does not lead to ${id}`);
  };
  const told = "document.getElementById('told').innerText";
  const script = readFileSync(axe, "utf8");
  const check = async (name) => {
    for (const scheme of ["light", "dark"]) {
      await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
      for (const width of [390, 1280]) {
        await send("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: false });
        if ((await evaluate("document.documentElement.scrollWidth - innerWidth")) > 0) found.push(`${name}, ${width} px: horizontal scroll`);
        await evaluate(script);
        const violations = await evaluate("axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join(' | ')}`))");
        for (const violation of violations) found.push(`${name}, ${width} px, ${scheme}: ${violation}`);
        const { data } = await send("Page.captureScreenshot", { format: "png" });
        writeFileSync(join(pictures, `${name}-${width}-${scheme}.png`), Buffer.from(data, "base64"));
      }
    }
    await send("Emulation.setDeviceMetricsOverride", { width: 1280, height: 900, deviceScaleFactor: 1, mobile: false });
  };
  const open = async (url) => {
    await send("Page.navigate", { url: "about:blank" });
    await send("Page.navigate", { url });
    await until("document.body && document.body.dataset.ready === '1'", "the page does not load");
  };

  const url = `file://${resolve(page)}`;
  await open(url);
  await until(`${told}.includes('PG')`, "no findings of the first example");
  await check("findings");
  // The keyboard alone: an example, then every question.
  await tabTo("example");
  await evaluate("document.getElementById('example').value = '1', document.getElementById('example').dispatchEvent(new Event('change', { bubbles: true }))");
  await tabTo("view-findings");
  const VIEWS = [
    ["config", "scrape_configs", "no configuration"],
    ["explain", "Prometheus monitoring/main", "no explanation"],
    ["which", "10.0.0.1:8080", "no target"],
    ["route", "pager", "no receiver"],
    ["diff", "Before, to compare", "no word about the other tab"],
    ["render", "kind: StatefulSet", "no objects"],
  ];
  for (const [view, text, fault] of VIEWS) {
    await press("ArrowRight");
    await until(`${told}.includes(${JSON.stringify(text)})`, fault);
    if ((await evaluate(focused)) !== `view-${view}`) found.push(`the focus is not on ${view}`);
    await check(view);
  }
  await evaluate("document.getElementById('view-config').click()");
  await until(`/# .*shop\\.yaml:\\d+/.test(${told})`, "no line of a job");
  // Typing, in the tab of the other side, with the keyboard.
  await evaluate("document.getElementById('example').focus()");
  await tabTo("side-0");
  await press("ArrowRight");
  await tabTo("source");
  await send("Input.insertText", { text: "kind: Prometheus\napiVersion: monitoring.coreos.com/v1\nmetadata: {name: main, namespace: monitoring}\nspec: {shards: 3}\n" });
  await press("Tab");
  if ((await evaluate(focused)) === "source") found.push("the keyboard is trapped in the text");
  await tabTo("view-config");
  for (let i = 0; i < 4; i++) await press("ArrowRight");
  await until(`${told}.includes('Prometheus/monitoring/main')`, "no differences");
  await check("compared");
  // The link.
  await evaluate("document.getElementById('share').focus()");
  await press("Enter");
  await until("location.hash.length > 100", "no link");
  const link = await evaluate("location.href");
  await open(link);
  await until(`${told}.includes('Prometheus/monitoring/main')`, "the link does not hold the manifests");
  if (requests.length > 0) found.push(`the page asks the network: ${requests.join(" ")}`);
  await chrome.close();
  rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  console.log(`the page was driven with the keyboard: ${found.length} faults`);
  return found;
}
