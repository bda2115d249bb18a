// Files: a text of several, in which a line `# file: NAME` begins another, and what is dropped on the page.

const MARK = /^# file: (.+)$/;
/// The most files and characters that are taken from a folder.
const MAX_FILES = 2000;
const MAX_TEXT = 20_000_000;
/// What no manifest is in.
const SKIPPED = new Set([".git", "node_modules", "target", "vendor"]);
/// What a repository is read from: manifests, and what charts and kustomizations name.
const IS_READ = /\.(ya?ml|json|tpl|properties|env|conf)$|^Kustomization$/i;

/// The files of a text, each with the number of its first line.
function filesOf(text) {
  const files = [];
  let [name, lines, first] = ["manifests.yaml", [], 0];
  const add = () => {
    if (lines.join("").trim() !== "") files.push({ name, text: lines.join("\n"), first });
  };
  text.split("\n").forEach((line, index) => {
    const mark = line.match(MARK);
    if (!mark) return lines.push(line);
    add();
    [name, lines, first] = [mark[1].trim(), [], index + 1];
  });
  add();
  return files;
}

const plain = (text) => filesOf(text).map(({ name, text }) => ({ name, text }));
const joined = (files) => files.map(({ name, text }) => `# file: ${name}\n${text.replace(/\n*$/, "\n")}`).join("");

/// The files of a text with others: a file of the same name is replaced.
function merged(text, added) {
  const names = new Set(added.map(({ name }) => name));
  return joined([...plain(text).filter(({ name }) => !names.has(name)), ...added]);
}

/// The texts of files, without those that are no text.
async function textsOf(files) {
  const read = [];
  let n_characters = 0;
  for (const { name, file } of files.slice(0, MAX_FILES)) {
    const text = (await file.text()).replaceAll("\r\n", "\n");
    n_characters += text.length;
    if (n_characters > MAX_TEXT) break;
    if (!text.includes("\0") && !text.includes("\ufffd")) read.push({ name: name.replace(/[\r\n]/g, " "), text });
  }
  return { read, n_skipped: files.length - read.length };
}

/// What is dropped: files, and those in folders, by name.
async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry && item.webkitGetAsEntry()).filter(Boolean);
  if (entries.length === 0) return [...transfer.files].map((file) => ({ name: file.name, file }));
  const found = [];
  const walk = async (entry, path) => {
    if (found.length >= MAX_FILES) return;
    if (entry.isFile) {
      // A file that is dropped itself is meant, whatever its name is.
      if (path === "" || IS_READ.test(entry.name)) found.push({ name: path + entry.name, file: await new Promise((accept, refuse) => entry.file(accept, refuse)) });
      return;
    }
    if (SKIPPED.has(entry.name)) return;
    const reader = entry.createReader();
    // A reader gives a hundred entries at a time.
    for (;;) {
      const some = await new Promise((accept, refuse) => reader.readEntries(accept, refuse));
      if (some.length === 0) return;
      for (const one of some) await walk(one, `${path}${entry.name}/`);
    }
  };
  for (const entry of entries) await walk(entry, "");
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/// What is chosen: files, or a folder, whose files name their paths.
function chosen(files) {
  const named = [...files].map((file) => ({ name: file.webkitRelativePath || file.name, file }));
  const isMeant = ({ name, file }) => !file.webkitRelativePath || (IS_READ.test(file.name) && !name.split("/").some((part) => SKIPPED.has(part)));
  return named.filter(isMeant).sort((a, b) => (a.name < b.name ? -1 : 1));
}
