// The page: two texts of manifests, what is asked about them, and where the answer is shown.

const $ = (id) => document.getElementById(id);
const VIEWS = ["findings", "config", "explain", "which", "route", "diff", "render"];
const state = { sides: ["", ""], side: 0, view: "findings", environment: "", workload: "", shard: 0, resource: "", target: "all", labels: "" };
const examples = JSON.parse($("examples").textContent);
/// Who answers. Nobody, until the module is there.
let worker;
let typing = 0;
/// The number of the last run: an answer of an earlier one is not shown.
let run = 0;
/// When the run began that is not answered yet; 0 if there is none.
let busySince = 0;

const say = (text) => { $("said").textContent = text; };
/// Says what stays until the next action of the user.
const note = (text) => { $("note").textContent = text; };

const ask = (question, more = {}) => worker.ask(question, { files: plain(state.sides[0]), environment: state.environment, ...more });
async function asked(question, more = {}) {
  // An environment that is gone with its files is not asked about.
  try {
    return JSON.parse(await ask(question, more));
  } catch (error) {
    if (state.environment === "" || !error.message.startsWith("no environment")) throw error;
    state.environment = "";
    return JSON.parse(await ask(question, more));
  }
}

/// A button that leads to a line of the manifests.
function place(file, line) {
  if (!file) return "";
  const go = () => {
    select("sides", 0);
    const found = filesOf(state.sides[0]).find((one) => one.name === file);
    const lines = state.sides[0].split("\n");
    const at = (found ? found.first : 0) + (line || 1) - 1;
    const start = lines.slice(0, at).join("\n").length + (at > 0 ? 1 : 0);
    const source = $("source");
    source.focus();
    source.setSelectionRange(start, start + (lines[at] || "").length);
    source.scrollTop = Math.max(0, (at - 4) * 19.5);
  };
  return element("button", { className: "link", type: "button", textContent: line ? `${file}:${line}` : file, onclick: go });
}

const { views, again } = viewsOf({ state, set, place, ask, asked, base: () => plain(state.sides[1]) });

async function answer() {
  if (!worker) return;
  const start = performance.now();
  // What is still computed is about what was there before.
  if (busySince !== 0 && start - busySince > 1500) worker.stop();
  const mine = ++run;
  busySince = start;
  const slow = setTimeout(() => {
    $("stop").hidden = false;
    say("Computing …");
  }, 400);
  let [asks, told, isStopped] = [[], [], false];
  try {
    [asks, told] = await views[state.view]();
  } catch (error) {
    told = [element("p", { className: "fault", textContent: String((error && error.message) || error) })];
    asks = again[state.view] ? again[state.view]() : [];
    isStopped = error && error.message === "Stopped.";
  }
  clearTimeout(slow);
  if (mine !== run) return;
  $("stop").hidden = true;
  busySince = 0;
  show(asks, told);
  const n = plain(state.sides[0]).length;
  say(isStopped ? "Stopped." : `${n} ${n === 1 ? "file" : "files"}, answered in ${Math.round(performance.now() - start)} ms`);
}

function show(asks, told) {
  const focused = document.activeElement && document.activeElement.id;
  $("asks").replaceChildren(...asks);
  $("told").replaceChildren(...told);
  if (focused && focused.startsWith("ask-") && $(focused)) $(focused).focus();
  document.body.dataset.run = String(run);
}

function set(changed) {
  Object.assign(state, changed);
  answer();
}

function select(list, index) {
  const tabs = [...$(list).children];
  tabs.forEach((tab, i) => {
    tab.setAttribute("aria-selected", String(i === index));
    tab.tabIndex = i === index ? 0 : -1;
  });
  $(tabs[index].getAttribute("aria-controls")).setAttribute("aria-labelledby", tabs[index].id);
  if (list === "sides") {
    state.side = index;
    $("source").value = state.sides[index];
  } else set({ view: VIEWS[index] });
}

for (const list of ["sides", "views"]) {
  const tabs = [...$(list).children];
  tabs.forEach((tab, index) => {
    tab.addEventListener("click", () => select(list, index));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const next = event.key === "Home" ? 0 : event.key === "End" ? tabs.length - 1 : step && (index + step + tabs.length) % tabs.length;
      if (next === undefined) return;
      event.preventDefault();
      select(list, next);
      tabs[next].focus();
    });
  });
}

function load(text, side) {
  state.sides[side] = text;
  if (state.side === side) $("source").value = text;
  answer();
}

$("source").addEventListener("input", () => {
  state.sides[state.side] = $("source").value;
  note("");
  clearTimeout(typing);
  typing = setTimeout(answer, 150);
});

/// Adds files to the open tab.
async function take(files) {
  try {
    const { read, n_skipped } = await textsOf(await files);
    note(`${read.length} ${read.length === 1 ? "file" : "files"} added${n_skipped > 0 ? `, ${n_skipped} left out: too many, too large, or not text` : ""}.`);
    load(merged(state.sides[state.side], read), state.side);
  } catch (error) {
    note(`The files cannot be read: ${error.message || error}`);
  }
}
for (const id of ["files", "folder"]) {
  $(id).addEventListener("change", (event) => {
    take(chosen(event.target.files));
    // The same files can be chosen again.
    event.target.value = "";
  });
}
// A drop anywhere is meant for the manifests: a browser would open the file instead.
for (const name of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(name, (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    $("source").classList.toggle("over", name === "dragover");
    if (name === "drop") take(dropped(event.dataTransfer));
  });
}
examples.forEach((example, index) => $("example").append(element("option", { value: String(index), textContent: example.title })));
$("example").addEventListener("change", () => {
  const example = examples[Number($("example").value)];
  note("");
  if ($("example").value !== "" && example) load(joined(example.files), state.side);
});
$("clear").addEventListener("click", () => {
  note("");
  load("", state.side);
});
$("stop").addEventListener("click", () => worker && worker.stop());

async function share() {
  const { sides, view, environment, workload, shard, resource, target, labels } = state;
  try {
    shown = await packed({ sides, view, environment, workload, shard, resource, target, labels });
  } catch (error) {
    return note(`No link: ${error.message || error}.`);
  }
  location.hash = shown;
  const warning = sides.some((side) => /^\s*kind:\s*["']?Secret\b/m.test(side)) ? " It holds the Secrets among the manifests." : "";
  try {
    await navigator.clipboard.writeText(location.href);
    note(`The link is in the clipboard.${warning}`);
  } catch {
    note(`The link is in the address bar.${warning}`);
  }
}
$("share").addEventListener("click", share);

/// The fragment that the page shows.
let shown = "";
async function restore() {
  const fragment = location.hash.slice(1);
  if (fragment === "" || fragment === shown) return false;
  try {
    Object.assign(state, await unpacked(fragment));
  } catch (error) {
    note(`The link cannot be read: ${error.message || error}.`);
    return false;
  }
  shown = fragment;
  $("source").value = state.sides[state.side];
  select("views", Math.max(0, VIEWS.indexOf(state.view)));
  return true;
}
window.addEventListener("hashchange", restore);

async function start() {
  say("Loading …");
  const bytes = await through(bytesOf($("wasm").textContent.trim()), new DecompressionStream("gzip"));
  worker = answering(JSON.parse($("worker").textContent), await WebAssembly.compile(bytes));
  if (!(await restore())) load(joined(examples[0].files), 0);
  document.body.dataset.ready = "1";
}
start().catch((error) => say(`The module cannot be loaded: ${error}`));
