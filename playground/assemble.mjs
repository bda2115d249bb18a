// Puts the page together: the parts of page/ with the glue, the gzipped module and the examples inside: assemble.mjs WEB OUT.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const [web, out] = process.argv.slice(2);
const EXAMPLES = [
  ["A shop, with mistakes", "shop"],
  ["Zones and shards", "report"],
  ["Routes of alerts", "alert-routing"],
  ["The first steps", "quickstart"],
];
const SCRIPTS = ["files.js", "link.js", "ask.js", "views.js", "page.js"];
const examples = EXAMPLES.map(([title, name]) => {
  const folder = join(here, "../fixtures", name, "input");
  const names = readdirSync(folder).filter((file) => file.endsWith(".yaml")).sort();
  return { title, files: names.map((file) => ({ name: file, text: readFileSync(join(folder, file), "utf8") })) };
});
const part = (name) => readFileSync(join(here, "page", name), "utf8");
const inScript = (text) => text.replaceAll("</", "<\\/").replaceAll("<!--", "<\\!--");
const parts = {
  "/*WORKER*/": inScript(JSON.stringify(readFileSync(join(web, "promgen_wasm.js"), "utf8") + part("worker.js"))),
  "/*PAGE*/": inScript(`"use strict";\n(function () {\n${SCRIPTS.map(part).join("\n")}})();\n`),
  "/*EXAMPLES*/": inScript(JSON.stringify(examples)),
  "/*WASM*/": gzipSync(readFileSync(join(web, "promgen_wasm_bg.wasm")), { level: 9 }).toString("base64"),
};
let page = part("page.html");
for (const [hole, text] of Object.entries(parts)) page = page.replace(hole, () => text);
writeFileSync(out, page);
