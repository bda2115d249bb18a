// Parts of `.ci/book` and `.ci/report`: `links FOLDER` looks for dead links in HTML, `pages FOLDER CHROMIUM AXE PICTURES` opens every page in Chromium
// and runs axe-core in it. Needs no package: it speaks to Chromium over a pipe.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { browser } from "./browser.mjs";

const WIDTHS = [390, 768, 1024, 1280, 1600];
/// The widths at which axe-core runs: with and without the sidebar.
const AXE_WIDTHS = [390, 1280];
const SCHEMES = ["light", "dark"];
/// The pages of which pictures are left.
const PICTURED = ["index.html", "sharding.html", "rules.html", "questions/reshard.html", "commands/lint.html", "report.html", "compared.html", "environments.html"];
const REPOSITORY = "https://github.com/promgen/promgen/";

const [action, folder, ...rest] = process.argv.slice(2);
const faults = action === "links" ? deadLinks() : await openPages(...rest);
for (const fault of faults) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);

function pages(below = folder) {
  return readdirSync(below, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(below, entry.name);
      return entry.isDirectory() ? pages(path) : entry.name.endsWith(".html") ? [path] : [];
    })
    .filter((path) => !["toc.html", "404.html"].includes(relative(folder, path)));
}

function deadLinks() {
  const ids = new Map();
  const idsOf = (path) => {
    if (!ids.has(path)) {
      const html = readFileSync(path, "utf8");
      ids.set(path, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map((match) => match[1])));
    }
    return ids.get(path);
  };
  const dead = [];
  let count = 0;
  for (const page of pages()) {
    const html = readFileSync(page, "utf8");
    for (const [, raw] of html.matchAll(/\s(?:href|src|srcset)="([^"]*)"/g)) {
      const link = raw.replaceAll("&amp;", "&");
      if (/^(mailto:|data:|javascript:)/.test(link) || link === "") continue;
      count++;
      const own = link.match(new RegExp(`^${REPOSITORY}(?:blob|tree|edit)/main/([^#]*)`));
      if (own) {
        if (!existsSync(own[1])) dead.push(`${page}: ${link}: the repository has no such file`);
        continue;
      }
      if (/^[a-z]+:/.test(link)) continue;
      const [path, anchor] = link.split("#");
      let target = path === "" ? page : resolve(dirname(page), decodeURIComponent(path));
      if (existsSync(target) && statSync(target).isDirectory()) target = join(target, "index.html");
      if (!existsSync(target)) dead.push(`${page}: ${link}: there is no such file`);
      else if (anchor && target.endsWith(".html") && !idsOf(resolve(target)).has(decodeURIComponent(anchor)))
        dead.push(`${page}: ${link}: the page has no such heading`);
    }
  }
  console.log(`${count} links: ${dead.length} dead`);
  return dead;
}

async function openPages(chromium, axe, pictures) {
  const profile = mkdtempSync(join(tmpdir(), "promgen-book-"));
  rmSync(pictures, { recursive: true, force: true });
  mkdirSync(pictures, { recursive: true });
  const chrome = browser(chromium, profile);
  const { targetId } = await chrome.send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await chrome.send("Target.attachToTarget", { targetId, flatten: true });
  const send = (method, params) => chrome.send(method, params, sessionId);
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  const found = [];
  let place = "";
  chrome.listeners.add(({ method, params }) => {
    if (method === "Runtime.exceptionThrown") found.push(`${place}: ${params.exceptionDetails.exception?.description ?? params.exceptionDetails.text}`);
    if (method === "Log.entryAdded" && params.entry.level === "error") found.push(`${place}: ${params.entry.text} ${params.entry.url ?? ""}`);
  });
  for (const domain of ["Page", "Runtime", "Log"]) await send(`${domain}.enable`);
  const script = readFileSync(axe, "utf8");
  const all = pages();
  for (const page of all) {
    const name = relative(folder, page);
    for (const scheme of SCHEMES) {
      await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
      for (const width of WIDTHS) {
        place = `${name}, ${width} px, ${scheme}`;
        await send("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: false });
        if (AXE_WIDTHS.includes(width)) {
          const loaded = new Promise((accept) => {
            const listener = ({ method }) => {
              if (method === "Page.loadEventFired") {
                chrome.listeners.delete(listener);
                accept();
              }
            };
            chrome.listeners.add(listener);
          });
          await send("Page.navigate", { url: `file://${resolve(page)}` });
          await loaded;
          await evaluate("new Promise((done) => setTimeout(done, 150))");
        }
        await evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })");
        const excess = await evaluate("document.documentElement.scrollWidth - innerWidth");
        if (excess > 0) found.push(`${place}: ${excess} px of horizontal scroll`);
        if (AXE_WIDTHS.includes(width)) {
          await evaluate(script);
          const violations = await evaluate(
            "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.length} times: ${v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join(' | ')}`))",
          );
          for (const violation of violations) found.push(`${place}: ${violation}`);
        }
        if (PICTURED.includes(name) && [390, 1280].includes(width)) {
          const { data } = await send("Page.captureScreenshot", { format: "png" });
          writeFileSync(join(pictures, `${name.replaceAll("/", "-").replace(".html", "")}-${width}-${scheme}.png`), Buffer.from(data, "base64"));
        }
      }
    }
  }
  await chrome.close();
  console.log(`${all.length} pages, ${WIDTHS.length} widths, light and dark: ${found.length} faults`);
  return found;
}
