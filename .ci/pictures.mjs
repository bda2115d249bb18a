// Parts of `.ci/pictures`: `page SOURCE light|dark` prints the HTML page of a comment, `sign SOURCE PICTURE` the picture with the
// MD5 of its source.
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { crc32 } from "node:zlib";

const require = createRequire(import.meta.url);
const [action, source, argument] = process.argv.slice(2);
const markdown = readFileSync(source, "utf8");

/// The classes of GitHub for lines of a diff.
const CLASSES = { "+": "pl-mi1", "-": "pl-md", "!": "pl-mc" };

function page(scheme) {
  const md = require("markdown-it")({ html: true });
  const { escapeHtml } = md.utils;
  md.options.highlight = (text, language) => {
    if (language === "mermaid") return `<pre class="mermaid">${escapeHtml(text)}</pre>`;
    const line = (text) => `<span class="${CLASSES[text[0]] ?? ""}">${escapeHtml(text)}</span>`;
    return `<pre>${text.trimEnd().split("\n").map(line).join("\n")}</pre>`;
  };
  const css = readFileSync(require.resolve(`github-markdown-css/github-markdown-${scheme}.css`), "utf8");
  const [canvas, border, header, muted] =
    scheme === "light" ? ["#fff", "#d1d9e0", "#f6f8fa", "#59636e"] : ["#0d1117", "#3d444d", "#151b23", "#9198a1"];
  // The map, and the first workload.
  const body = md.render(markdown).replace("<details>", "<details open>").replace("<details>", "<details open>");
  const mermaid = pathToFileURL(require.resolve("mermaid/dist/mermaid.min.js"));
  return `<!doctype html>
<meta charset="utf-8"><title></title>
<style>
${css}
/* The width of the picture is that of the README. */
body { margin: 0; padding: 16px; background: ${canvas}; font-family: -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif }
article { border: 1px solid ${border}; border-radius: 6px; overflow: hidden }
header { padding: 8px 16px; font-size: 14px; color: ${muted}; background: ${header}; border-bottom: 1px solid ${border} }
header b { color: ${scheme === "light" ? "#1f2328" : "#f0f6fc"} }
main.markdown-body { padding: 16px; font-size: 14px }
.markdown-body h2 { font-size: 1.4em }
.markdown-body pre { padding: 12px; font-size: 12px; white-space: pre-wrap; overflow-wrap: anywhere }
.markdown-body pre pre { padding: 0; margin: 0 }
.markdown-body pre:has(> .mermaid), .markdown-body .mermaid { padding: 0; background: none; text-align: center }
details { margin-bottom: 8px }
</style>
<article><header><b>github-actions</b> commented</header><main class="markdown-body">
${body}
</main></article>
<script src="${mermaid}"></script>
<script>
mermaid.initialize({ startOnLoad: false, theme: "${scheme === "light" ? "default" : "dark"}" });
mermaid.run().then(() => { document.title = Math.ceil(document.body.getBoundingClientRect().height) });
</script>
`;
}

/// The picture with a text chunk before its end.
function sign(picture) {
  const md5 = createHash("md5").update(markdown).digest("hex");
  const data = Buffer.from(`tEXtSource\0md5 ${md5}`, "latin1");
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length - 4);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(data));
  const end = picture.length - 12;
  return Buffer.concat([picture.subarray(0, end), length, data, checksum, picture.subarray(end)]);
}

process.stdout.write(action === "page" ? page(argument) : sign(readFileSync(argument)));
