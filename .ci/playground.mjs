// A part of `.ci/playground`: playground.mjs PAGE CHROMIUM AXE PICTURES drives the page: with the keyboard alone, with axe-core, with
// dropped folders, with hostile links, and with a module that fails.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { deflateRawSync } from "node:zlib";
import { browser } from "./browser.mjs";

/// The fragment of a link, as the page makes it.
function fragment(shared) {
  return deflateRawSync(typeof shared === "string" ? shared : JSON.stringify(shared)).toString("base64url");
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
  // The last worker that the page started.
  let worker;
  chrome.listeners.add(({ method, params }) => {
    if (method === "Target.attachedToTarget" && params.targetInfo.type === "worker") worker = params.sessionId;
  });
  await send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: true });
  const inWorker = (expression) => chrome.send("Runtime.evaluate", { expression }, worker);
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
  const CODES = { Tab: 9, ArrowRight: 39, ArrowLeft: 37, ArrowDown: 40, End: 35, Home: 36, Enter: 13 };
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

  const cx = { send, evaluate, until, open, told, found, inWorker };
  const url = `file://${resolve(page)}`;
  await open(url);
  await until(`${told}.includes('PG')`, "no findings of the first example");
  await check("findings");
  // The keyboard alone: an example, then every question.
  await tabTo("example");
  await press("ArrowDown");
  await press("ArrowDown");
  await until("document.getElementById('source').value.includes('shardingStrategy')", "the arrow keys choose no example");
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
  const linked = await evaluate("document.getElementById('source').value");
  // A link in the address bar of the open page.
  await evaluate(`location.hash = ${JSON.stringify(fragment({ sides: ["# file: other.yaml\nkind: Prometheus\napiVersion: monitoring.coreos.com/v1\nmetadata: {name: linked}\nspec: {}\n", ""], view: "explain" }))}`);
  await until(`${told}.includes('Prometheus default/linked')`, "a link in the open page is not followed");
  if (linked.length < 100) found.push("the link does not hold the text");
  await questions(cx);
  await drops(cx);
  await hostile(cx, url);
  await failures(cx);
  if (requests.length > 0) found.push(`the page asks the network: ${requests.join(" ")}`);
  await chrome.close();
  console.log(`the page was driven with the keyboard: ${found.length} faults`);
  return found;
}

const EXAMPLE = (n) => `document.getElementById('example').value = '${n}', document.getElementById('example').dispatchEvent(new Event('change', { bubbles: true }))`;
const VIEW = (name) => `document.getElementById('view-${name}').click()`;
const ASK = (id, value) => `(() => { const asked = document.getElementById('ask-${id}'); asked.value = ${JSON.stringify(value)}; asked.dispatchEvent(new Event('change', { bubbles: true })); })()`;

/// Asks about one target, one alert, one shard and one resource, and follows a line to its place.
async function questions({ evaluate, until, told, found }) {
  await evaluate("document.getElementById('side-0').click()");
  await evaluate(EXAMPLE(1));
  await evaluate(VIEW("which"));
  await until(`${told}.includes('10.0.0.2:8080')`, "no target");
  await evaluate(ASK("target", "10.0.0.2:8080"));
  await until(`${told}.includes('10.0.0.2:8080') && !${told}.includes('10.0.0.1:8080')`, "other targets than that which is asked about");
  await evaluate(ASK("target", "{a="));
  await until(`document.querySelector('#told .fault')`, "a target that cannot be read is no fault");
  await evaluate(VIEW("route"));
  await until(`document.getElementById('ask-labels')`, "no labels");
  await evaluate(ASK("labels", "alertname=A,severity=warning"));
  await until(`${told}.includes('chat: webhook') && !${told}.includes('pager: ')`, "an alert reaches another receiver");
  await evaluate(VIEW("config"));
  await until(`document.getElementById('ask-shard')`, "no shard");
  await evaluate(ASK("shard", "3"));
  await until(`${told}.includes('scrape_configs') && document.getElementById('ask-shard').value === '3'`, "no configuration of shard 3");
  await evaluate("[...document.querySelectorAll('#told .from button')].find((one) => /shop\\.yaml:\\d+/.test(one.textContent)).click()");
  const selected = await evaluate("(() => { const s = document.getElementById('source'); return s.value.slice(s.selectionStart, s.selectionEnd); })()");
  if (!/port: http/.test(selected)) found.push(`the line of a job leads to: ${selected}`);
  await evaluate(VIEW("explain"));
  await until(`document.getElementById('ask-resource')`, "no resource");
  await evaluate(ASK("resource", "ServiceMonitor/shop/forgotten"));
  await until(`${told}.includes('forgotten lacks')`, "no reason why a monitor is not selected");
}

/// Drops a folder, and adds files. What has the same name is replaced.
async function drops({ send, evaluate, until, told, found }) {
  await evaluate(VIEW("findings"));
  await evaluate("document.getElementById('clear').click()");
  await until(`${told}.includes('No findings.')`, "nothing has findings");
  const data = { items: [], files: [resolve("fixtures/kustomize")], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) await send("Input.dispatchDragEvent", { type, x: 200, y: 400, data });
  await until("document.getElementById('source').value.includes('# file: kustomize/input/kustomization.yaml')", "a dropped folder is not read");
  await evaluate(VIEW("explain"));
  await until(`${told}.includes('ServiceMonitor')`, "the build of a dropped kustomization is not explained");
  const { root } = await send("DOM.getDocument");
  const { nodeId } = await send("DOM.querySelector", { nodeId: root.nodeId, selector: "#files" });
  for (let n = 0; n < 2; n++) {
    await send("DOM.setFileInputFiles", { nodeId, files: ["fixtures/shop/input/cart.yaml", "fixtures/shop/input/broken.yaml"].map((path) => resolve(path)) });
    await until("document.getElementById('note').innerText.includes('2 files added')", "files are not added");
    await evaluate("document.getElementById('note').textContent = ''");
  }
  const marks = await evaluate("document.getElementById('source').value.split('\\n').filter((line) => line === '# file: cart.yaml').length");
  if (marks !== 1) found.push(`a file that is added twice is there ${marks} times`);
}

/// Links that hold something else than manifests, and manifests whose names are markup.
async function hostile({ evaluate, until, open, told, found }, url) {
  const isUnhurt = async (what) => {
    const hurt = await evaluate("window.pwned || [...document.querySelectorAll('#told img, #told script, #asks img, #asks script, #note *, #said *, iframe, object')].length");
    if (hurt) found.push(`${what}: markup of a link is in the page`);
  };
  const zeros = "0".repeat(60_000_000);
  const broken = ["%%%", "AAAA", "#", "?q=1", "A".repeat(1_500_000), fragment("null"), fragment("[]"), fragment('{"sides":[]}'), fragment('{"sides":[1,2]}'), fragment('{"sides":["",""],"__proto__":{"polluted":1}}').slice(0, 20), fragment(zeros), fragment({ sides: [zeros, ""] })];
  for (const [n, text] of broken.entries()) {
    await open(`${url}#${text}`);
    await until("/The link cannot be read/.test(document.getElementById('note').innerText)", `broken link ${n} is not reported`);
    await until(`${told}.includes('PG')`, `after broken link ${n}, the page answers nothing`);
  }
  const markup = "<img src=x onerror=window.pwned=1><script>window.pwned=1</script>";
  const manifest = (name) => `# file: ${markup}.yaml\napiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {name: a, namespace: '${markup}', labels: {a: '${name}'}}\nspec: {shards: 2, version: '${markup}', serviceMonitorSelector: {}}\n---\napiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: '${markup}'}\nspec: {groups: [{name: '${markup}', rules: [{alert: '${markup}', expr: '${markup}'}]}]}\n`;
  const asked = { workload: markup, resource: markup, target: markup, labels: `alertname="${markup}"`, environment: markup, shard: -1e300 };
  for (const view of ["findings", "config", "explain", "which", "route", "diff", "render", markup, "constructor"]) {
    await open(`${url}#${fragment({ sides: [manifest("a"), manifest("b")], view, ...asked })}`);
    await until("document.body.dataset.run > 0", `a hostile link in ${view} is not answered`);
    await isUnhurt(view);
  }
  // Deep, long and odd manifests: findings, not a dead page.
  for (const [n, side] of ["[".repeat(200_000), "a: ".repeat(100_000), `a: &a [${"*a,".repeat(1000)}]`, "\u0000\u2028\ud800", "- ".repeat(100_000)].entries()) {
    await open(`${url}#${fragment({ sides: [side, ""], view: "findings" })}`);
    await until("document.body.dataset.run > 0", `odd manifest ${n} is not answered`);
    const said = await evaluate(told);
    if (/promgen failed/.test(said)) found.push(`odd manifest ${n}: ${said.slice(0, 300)}`);
  }
  await evaluate("document.getElementById('side-0').click()");
  await evaluate(EXAMPLE(1));
  await until(`${told}.includes('PG')`, "after odd manifests, the page answers nothing");
}

/// A module that panics, and one that does not come to an end.
async function failures({ evaluate, until, told, inWorker }) {
  await evaluate(VIEW("findings"));
  await until(`${told}.includes('PG')`, "no findings");
  await inWorker("wasm_bindgen.lint = () => { throw new WebAssembly.RuntimeError('unreachable'); }");
  await evaluate(EXAMPLE(0));
  await until(`/which is a bug.*unreachable/.test(${told})`, "a panic is not shown");
  await evaluate(EXAMPLE(1));
  await until(`${told}.includes('PG')`, "after a panic, the page answers nothing");
  await inWorker("wasm_bindgen.lint = () => { for (;;) {} }");
  await evaluate(EXAMPLE(0));
  await until("!document.getElementById('stop').hidden", "a long answer cannot be stopped");
  await evaluate("document.getElementById('stop').click()");
  await until(`${told}.includes('Stopped.')`, "what is stopped does not say so");
  await evaluate(EXAMPLE(1));
  await until(`${told}.includes('PG')`, "after a stop, the page answers nothing");
}

const faults = await drive(...process.argv.slice(2));
for (const fault of faults) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);
