// A part of `.ci/report`: report.mjs FOLDER CHROMIUM PICTURES opens the pages of `promgen report` in Chromium, searches and filters them, follows
// their links and prints them. Pages and pictures are named by what they are about.
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { browser } from "./browser.mjs";

const [folder, chromium, pictures] = process.argv.slice(2);
const found = [];
const requests = [];

const profile = mkdtempSync(join(tmpdir(), "promgen-report-"));
mkdirSync(pictures, { recursive: true });
const chrome = browser(chromium, profile);
const { targetId } = await chrome.send("Target.createTarget", { url: "about:blank" });
const { sessionId } = await chrome.send("Target.attachToTarget", { targetId, flatten: true });
const send = (method, params) => chrome.send(method, params, sessionId);
chrome.listeners.add(({ method, params }) => {
  if (method === "Runtime.exceptionThrown") found.push(`exception: ${params.exceptionDetails.exception?.description ?? params.exceptionDetails.text}`);
  if (method === "Log.entryAdded" && params.entry.level === "error") found.push(params.entry.text);
  if (method === "Network.requestWillBeSent" && !/^(file|data):/.test(params.request.url)) requests.push(params.request.url);
});
for (const domain of ["Page", "Runtime", "Log", "Network"]) await send(`${domain}.enable`);

async function evaluate(expression) {
  const { result, exceptionDetails } = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value;
}
async function expect(expression, what) {
  const is = await evaluate(expression);
  if (is !== true) found.push(`${what}: ${JSON.stringify(is)}`);
}
async function open(name, fragment = "") {
  await send("Page.navigate", { url: "about:blank" });
  await send("Page.navigate", { url: `file://${resolve(folder, name)}${fragment}` });
  await evaluate("new Promise((done) => { const look = () => (document.readyState === 'complete' && document.getElementById('bar') ? setTimeout(done, 50) : setTimeout(look, 20)); look(); })");
}
const input = (id, value) => `(() => { const it = document.getElementById('${id === "q" ? id : `filter-${id}`}'); if (it.type === 'checkbox') it.checked = ${value === true}; else it.value = ${JSON.stringify(value)}; it.dispatchEvent(new Event('input', { bubbles: true })); })()`;
const SHOWN = "[...document.querySelectorAll('.item')].filter((item) => item.getClientRects().length > 0)";
const HEADINGS = "[...document.querySelectorAll('h2, h3')].filter((heading) => heading.getClientRects().length > 0).map((heading) => heading.textContent)";

async function search() {
  await open("compared.html");
  const n = await evaluate(`${SHOWN}.length`);
  if (n < 5) found.push(`only ${n} items are shown`);
  await evaluate(input("q", "CARTDOWN"));
  await expect(`${SHOWN}.length > 0 && ${SHOWN}.every((item) => /cartdown/i.test(item.textContent))`, "the search shows what does not match");
  await expect(`!${HEADINGS}.includes('Releases') && !${HEADINGS}.includes('Numbers of shards')`, "the search leaves headings without anything");
  await expect("/^\\d+ of \\d+$/.test(document.getElementById('count').textContent)", "the search counts nothing");
  await expect("location.hash === '#?q=CARTDOWN' || location.hash", "the address does not hold the search");
  await evaluate(input("q", "nothing has this text"));
  await expect(`${SHOWN}.length === 0`, "a text that nothing has shows something");
  await evaluate(input("q", ""));
  await expect(`${SHOWN}.length === ${n}`, "an empty search does not show everything");
  await send("Input.dispatchKeyEvent", { type: "keyDown", key: "/", text: "/" });
  await expect("document.activeElement.id === 'q' && document.activeElement.value === ''", "`/` does not lead to the search");
}

async function filters() {
  await open("compared.html");
  await evaluate(input("level", "warning"));
  await expect(`${SHOWN}.length > 0 && ${SHOWN}.every((item) => item.dataset.level === 'warning')`, "the level does not filter");
  await evaluate(input("level", ""));
  await evaluate(input("kind", "Prometheus"));
  await expect(`${SHOWN}.length > 0 && ${SHOWN}.every((item) => item.dataset.kind === 'Prometheus')`, "the kind does not filter");
  await evaluate(input("kind", ""));
  await evaluate(input("changed", true));
  await expect(`${SHOWN}.length > 0 && ${SHOWN}.every((item) => item.dataset.changed === '1')`, "what changes is not filtered");
  await open("environments.html");
  const second = await evaluate("document.getElementById('filter-cluster').options[2].value");
  await evaluate(input("cluster", second));
  await expect("[...document.querySelectorAll('.cluster')].filter((one) => one.getClientRects().length > 0).map((one) => one.id).join() === document.getElementById('filter-cluster').value", "the cluster does not filter");
  await expect(`${SHOWN}.some((item) => item.dataset.level)`, "a cluster hides the findings");
}

async function links() {
  await open("compared.html");
  const ids = await evaluate("[...document.querySelectorAll('a.self')].map((link) => link.getAttribute('href'))");
  if (ids.length < 10) found.push(`only ${ids.length} links`);
  for (const id of ids) {
    await open("compared.html", id);
    await expect("(() => { const at = document.querySelector(':target'); const box = at && at.getBoundingClientRect(); return !!box && box.height > 0 && box.top < innerHeight && box.bottom > 0; })()", `${id} does not lead there`);
  }
  await open("compared.html", "#?q=forgotten&kind=ServiceMonitor");
  await expect(`document.getElementById('filter-kind').value === 'ServiceMonitor' && ${SHOWN}.length > 0 && ${SHOWN}.every((item) => /forgotten/.test(item.textContent))`, "a link with a search shows something else");
  for (const odd of ["#?%zz", "#?kind=Absent&level=<b>&__proto__=1", "#%zz", "#?q=<img src=x onerror=window.pwned=1>"]) {
    await open("compared.html", odd);
    await expect("!window.pwned && !document.querySelector('img') && document.getElementById('bar').hidden === false", `${odd} breaks the page`);
  }
}

async function print() {
  await open("compared.html");
  await send("Emulation.setEmulatedMedia", { media: "print", features: [{ name: "prefers-color-scheme", value: "dark" }] });
  await evaluate("window.dispatchEvent(new Event('beforeprint'))");
  await expect("[...document.querySelectorAll('details')].every((part) => part.open)", "what is folded is not printed");
  await expect("getComputedStyle(document.getElementById('bar')).display === 'none'", "the filters are printed");
  await expect("getComputedStyle(document.querySelector('.card')).backgroundColor === 'rgb(255, 255, 255)'", "dark colors are printed");
  const { data } = await send("Page.printToPDF", { preferCSSPageSize: true });
  writeFileSync(join(pictures, "compared.pdf"), Buffer.from(data, "base64"));
  if (Buffer.from(data, "base64").length < 20_000) found.push("the print is empty");
  await send("Emulation.setEmulatedMedia", { media: "", features: [] });
}

/// Text smaller than 11 px, which charts have.
const SMALL = "(() => { for (const node of document.querySelectorAll('body *')) { if (!node.getClientRects().length || ![...node.childNodes].some((one) => one.nodeType === 3 && one.data.trim())) continue; if (/^(SCRIPT|STYLE|OPTION|TITLE)$/i.test(node.tagName)) continue; const size = parseFloat(getComputedStyle(node).fontSize); if (size < 11) return `${node.tagName} ${size} ${node.textContent.slice(0, 40)}`; } return true; })()";

/// Nothing is wider than a phone, a tablet or a desk, folded or not; pictures are left of each.
async function widths() {
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".html")).sort()) {
    for (const scheme of ["light", "dark"]) {
      await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
      for (const width of [360, 400, 768, 1400]) {
        await send("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: false });
        await open(name);
        await expect("document.documentElement.scrollWidth <= innerWidth", `${name}, ${width} px: horizontal scroll`);
        const { data } = await send("Page.captureScreenshot", { format: "png" });
        writeFileSync(join(pictures, `${name.replace(".html", "")}-${width}-${scheme}.png`), Buffer.from(data, "base64"));
        await evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })");
        await expect("document.documentElement.scrollWidth <= innerWidth", `${name}, ${width} px, unfolded: horizontal scroll`);
        await expect(SMALL, `${name}, ${width} px: text that is too small`);
      }
    }
  }
  await send("Emulation.clearDeviceMetricsOverride");
  await send("Emulation.setEmulatedMedia", { features: [] });
}

/// A page without scripts shows everything.
async function withoutScripts() {
  await send("Emulation.setScriptExecutionDisabled", { value: true });
  await send("Page.navigate", { url: `file://${resolve(folder, "compared.html")}` });
  await new Promise((done) => setTimeout(done, 500));
  const { root } = await send("DOM.getDocument", { depth: 0 });
  const { nodeIds } = await send("DOM.querySelectorAll", { nodeId: root.nodeId, selector: ".item:not([hidden])" });
  if (nodeIds.length < 5) found.push("without scripts, nothing is shown");
  await send("Emulation.setScriptExecutionDisabled", { value: false });
}

for (const part of [widths, search, filters, links, print, withoutScripts]) await part();
if (requests.length > 0) found.push(`a page asks the network: ${requests.join(" ")}`);
await chrome.close();
for (const fault of found) console.error(fault);
console.log(`the reports were searched, filtered and printed: ${found.length} faults`);
process.exit(found.length > 0 ? 1 : 0);
