// Puts the page together: page.html with the glue, the gzipped module and the examples inside: assemble.mjs WEB OUT.
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
const examples = EXAMPLES.map(([title, name]) => {
  const folder = join(here, "../fixtures", name, "input");
  const names = readdirSync(folder).filter((file) => file.endsWith(".yaml")).sort();
  return { title, files: names.map((file) => ({ name: file, text: readFileSync(join(folder, file), "utf8") })) };
});
const inScript = (text) => text.replaceAll("</", "<\\/").replaceAll("<!--", "<\\!--");
const parts = {
  "/*GLUE*/": inScript(readFileSync(join(web, "promgen_wasm.js"), "utf8")),
  "/*PAGE*/": inScript(readFileSync(join(here, "page.js"), "utf8")),
  "/*EXAMPLES*/": inScript(JSON.stringify(examples)),
  "/*WASM*/": gzipSync(readFileSync(join(web, "promgen_wasm_bg.wasm")), { level: 9 }).toString("base64"),
};
let page = readFileSync(join(here, "page.html"), "utf8");
for (const [hole, text] of Object.entries(parts)) page = page.replace(hole, () => text);
writeFileSync(out, page);
