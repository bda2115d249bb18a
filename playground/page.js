// The page: two texts of manifests, and the questions about them. A file begins at a line `# file: NAME`.
"use strict";
(function () {
  const $ = (id) => document.getElementById(id);
  const VIEWS = ["findings", "config", "explain", "which", "route", "diff", "render"];
  const state = { sides: ["", ""], side: 0, view: "findings", workload: "", shard: 0, resource: "", target: "all", labels: "" };
  const examples = JSON.parse($("examples").textContent);
  let ready = false;
  let waiting = 0;

  function element(tag, properties = {}, children = []) {
    const made = document.createElement(tag);
    for (const [key, value] of Object.entries(properties)) {
      if (key.startsWith("aria-")) made.setAttribute(key, value);
      else made[key] = value;
    }
    made.append(...children);
    return made;
  }

  const MARK = /^# file: (.+)$/;
  function filesOf(text) {
    const files = [];
    let lines = [];
    let name = "manifests.yaml";
    let first = 0;
    text.split("\n").forEach((line, index) => {
      const mark = line.match(MARK);
      if (mark) {
        if (lines.join("").trim() !== "") files.push({ name, text: lines.join("\n"), first });
        [name, lines, first] = [mark[1].trim(), [], index + 1];
      } else lines.push(line);
    });
    if (lines.join("").trim() !== "") files.push({ name, text: lines.join("\n"), first });
    return files;
  }
  const plain = (text) => filesOf(text).map(({ name, text }) => ({ name, text }));
  const joined = (files) => files.map(({ name, text }) => `# file: ${name}\n${text.replace(/\n*$/, "\n")}`).join("");

  function ask(question, more = {}) {
    return wasm_bindgen[question](JSON.stringify({ files: plain(state.sides[0]), ...more }));
  }
  const asked = (question, more) => JSON.parse(ask(question, more));

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

  function choice(label, options, value, change) {
    const id = `ask-${label.toLowerCase().replace(/\W+/g, "-")}`;
    const made = element("select", { id }, options.map((text) => element("option", { textContent: text, value: text })));
    if (options.includes(value)) made.value = value;
    made.addEventListener("change", () => change(made.value));
    return [element("label", { htmlFor: id, textContent: label }), made];
  }

  function field(label, value, list, change) {
    const id = `ask-${label.toLowerCase().replace(/\W+/g, "-")}`;
    const options = element("datalist", { id: `${id}-list` }, list.map((text) => element("option", { value: text })));
    const made = element("input", { id, value, autocomplete: "off", spellcheck: false });
    made.setAttribute("list", options.id);
    made.style.flex = "1 1 240px";
    made.addEventListener("change", () => change(made.value));
    return [element("label", { htmlFor: id, textContent: label }), made, options];
  }

  const nothing = (text) => [element("p", { textContent: text, className: "help" })];

  const answers = {
    findings() {
      const found = asked("lint");
      const levels = ["error", "warning", "info"];
      found.sort((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level));
      if (found.length === 0) return [[], nothing("Nothing to mend.")];
      const item = (one) => element("li", {}, [
        element("span", { className: `badge ${one.level}`, textContent: one.level }), ` ${one.message}`,
        element("p", {}, [`${one.code} ${one.rule} `, place(one.file, one.line)]),
        ...(one.help ? one.help.split("\n").map((text) => element("p", { textContent: `help: ${text}` })) : []),
      ]);
      const more = found.length > 300 ? nothing(`300 of ${found.length} shown`) : [];
      return [[], [element("ul", { className: "list" }, found.slice(0, 300).map(item)), ...more]];
    },
    config() {
      const { workloads, refused } = asked("compile");
      const shown = workloads.filter((one) => one.hasConfig);
      const notes = [...refused.map((one) => `${one.workload}: ${one.why}`), ...workloads.filter((one) => one.error).map((one) => `${one.workload}: ${one.error}`)];
      const faults = notes.map((textContent) => element("p", { className: "fault", textContent }));
      if (shown.length === 0) return [[], [...faults, ...nothing("No workload with a configuration.")]];
      const chosen = shown.find((one) => one.workload === state.workload) || shown[0];
      const asks = choice("Workload", shown.map((one) => one.workload), chosen.workload, (value) => set({ workload: value, shard: 0 }));
      const title = (shard) => `${shard.index}${shard.zone ? ` (${shard.zone})` : ""}`;
      const shard = chosen.shards.find((one) => one.index === state.shard) || chosen.shards[0];
      if (shard) asks.push(...choice("Shard", chosen.shards.map(title), title(shard), (value) => set({ shard: parseInt(value, 10) })));
      const text = ask("config", { resource: chosen.workload, shard: shard ? shard.index : null });
      const lines = text.split("\n").map((line) => {
        const from = line.match(/^(\s*# )(.+):(\d+)$/);
        return from
          ? element("span", { className: "from" }, [from[1], place(from[2], Number(from[3]))])
          : element("span", { textContent: line || " " });
      });
      const pre = element("pre", { tabIndex: 0, "aria-label": "Configuration" }, lines);
      pre.setAttribute("role", "region");
      return [asks, [...faults, pre]];
    },
    explain() {
      const { resources } = asked("compile");
      if (resources.length === 0) return [[], nothing("No resource of the operator.")];
      const chosen = resources.includes(state.resource) ? state.resource : resources[0];
      const step = (one) => element("li", {}, [
        element("span", { className: one.state, textContent: one.text }), " ", place(one.file, one.line),
        ...one.help.map((text) => element("div", { className: "help", textContent: `help: ${text}` })),
        ...(one.steps.length > 0 ? [element("ul", {}, one.steps.map(step))] : []),
      ]);
      const tree = element("ul", { className: "tree" }, [step(asked("explain", { resource: chosen }))]);
      return [choice("Resource", resources, chosen, (resource) => set({ resource })), [tree]];
    },
    which() {
      const asks = field("Target", state.target, ["all"], (target) => set({ target }));
      const found = asked("which", { target: state.target });
      if (found.length === 0) return [asks, nothing("No target. Add Services, Pods, EndpointSlices, … or write labels: __address__=10.0.0.1:80,…")];
      const item = (one) => element("li", {}, [
        element("b", { textContent: one.address || "(no address)" }),
        ` ${one.scrapedBy.length === 0 ? "no shard scrapes it" : `shard ${one.scrapedBy.join(", ")}`}`,
        element("p", { textContent: `${one.workload}, job ${one.job}${one.source ? `, ${one.source}` : ""}` }),
        ...one.dropped.map((drop) => element("p", {}, [`shard ${drop.shards.join(", ")}: rule ${drop.rule} drops it, value "${drop.value}" `, place(drop.file, drop.line)])),
      ]);
      return [asks, [element("ul", { className: "list" }, found.map(item))]];
    },
    route() {
      const { alerts } = asked("compile");
      const labels = state.labels || alerts[0] || "alertname=Down,severity=critical";
      const asks = field("Labels", labels, alerts, (value) => set({ labels: value }));
      const found = asked("route", { labels });
      if (found.length === 0) return [asks, nothing("No Alertmanager with a configuration.")];
      const item = (step) => {
        const made = element("li", {}, [
          `${step.matchers.join(", ") || "every alert"}${step.continue ? "; continue" : ""} `, place(step.file, step.line),
          ...(step.notifies ? [element("p", { textContent: `→ ${step.receiver}: ${step.integrations.join(", ") || "no integrations"}` })] : []),
        ]);
        made.style.marginLeft = `${step.depth * 20}px`;
        return made;
      };
      return [asks, found.flatMap((one) => [element("h3", { textContent: one.workload }), element("ul", { className: "list" }, one.routes.map(item))])];
    },
    diff() {
      if (state.sides[1].trim() === "") return [[], nothing("Put the manifests of before into the tab “Before, to compare”.")];
      const changes = asked("diff", { base: plain(state.sides[1]) });
      const parts = changes.workloads.map((one) => element("li", {}, [
        element("b", { textContent: one.workload }), ` ${one.change}`, element("pre", { tabIndex: 0, textContent: yamlish(one) }),
      ]));
      const { workloads, ...others } = changes;
      const rest = Object.values(others).some((value) => typeof value === "object") ? [element("pre", { tabIndex: 0, textContent: yamlish(others) })] : [];
      return [[], parts.length + rest.length > 0 ? [element("ul", { className: "list" }, parts), ...rest] : nothing("No differences.")];
    },
    render() {
      const pre = element("pre", { tabIndex: 0 }, [element("span", { textContent: ask("render") })]);
      pre.setAttribute("role", "region");
      pre.setAttribute("aria-label", "Objects");
      return [[], [pre]];
    },
  };

  /// A value as indented text.
  function yamlish(value, indent = " ") {
    if (value === null || typeof value !== "object") return `${value}`;
    const entries = Array.isArray(value) ? value.map((item) => ["-", item]) : Object.entries(value).filter(([key]) => !["workload", "change"].includes(key) || indent !== " ");
    return entries.map(([key, item]) => {
      const head = `${indent}${key}${key === "-" ? "" : ":"}`;
      return item !== null && typeof item === "object" ? `${head}\n${yamlish(item, `${indent}  `)}` : `${head} ${item}`;
    }).join("\n");
  }

  function answer() {
    if (!ready) return;
    const start = performance.now();
    let asks = [];
    let told = [];
    try {
      [asks, told] = answers[state.view]();
    } catch (error) {
      const text = String(error && error.message ? error.message : error);
      told = [element("p", { className: "fault", textContent: text })];
      if (state.view === "which") asks = field("Target", state.target, ["all"], (target) => set({ target }));
      if (state.view === "route") asks = field("Labels", state.labels, [], (labels) => set({ labels }));
    }
    const focused = document.activeElement && document.activeElement.id;
    $("asks").replaceChildren(...asks);
    $("told").replaceChildren(...told);
    if (focused && focused.startsWith("ask-") && $(focused)) $(focused).focus();
    const files = plain(state.sides[0]).length;
    $("said").textContent = `${files} ${files === 1 ? "file" : "files"}, answered in ${Math.round(performance.now() - start)} ms`;
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

  function load(text, side = 0) {
    state.sides[side] = text;
    if (state.side === side) $("source").value = text;
    answer();
  }

  $("source").addEventListener("input", () => {
    state.sides[state.side] = $("source").value;
    clearTimeout(waiting);
    waiting = setTimeout(answer, 150);
  });
  // A tab leaves the text, so that the keyboard is not trapped.
  async function take(files) {
    const read = await Promise.all([...files].map(async (file) => ({ name: file.name, text: await file.text() })));
    load(joined([...plain(state.sides[state.side]), ...read]), state.side);
  }
  $("files").addEventListener("change", (event) => take(event.target.files));
  for (const name of ["dragover", "dragleave", "drop"]) {
    $("source").addEventListener(name, (event) => {
      event.preventDefault();
      $("source").classList.toggle("over", name === "dragover");
      if (name === "drop") take(event.dataTransfer.files);
    });
  }
  examples.forEach((example, index) => $("example").append(element("option", { value: String(index), textContent: example.title })));
  $("example").addEventListener("change", () => {
    const example = examples[Number($("example").value)];
    if ($("example").value !== "" && example) load(joined(example.files), state.side);
  });

  // The link: the texts, compressed, behind the `#`, which no browser sends.
  const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
  function base64(bytes) {
    let text = "";
    for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
    return btoa(text);
  }
  const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  async function share() {
    const { sides, view, workload, shard, resource, target, labels } = state;
    const text = JSON.stringify({ sides, view, workload, shard, resource, target, labels });
    const packed = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
    location.hash = base64(packed).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    try {
      await navigator.clipboard.writeText(location.href);
      $("said").textContent = "The link is in the clipboard.";
    } catch {
      $("said").textContent = "The link is in the address bar.";
    }
  }
  $("share").addEventListener("click", share);
  async function restore() {
    const text = location.hash.slice(1);
    if (text === "") return false;
    try {
      const packed = bytesOf(text.replaceAll("-", "+").replaceAll("_", "/"));
      const read = JSON.parse(new TextDecoder().decode(await through(packed, new DecompressionStream("deflate-raw"))));
      if (!Array.isArray(read.sides) || !read.sides.every((side) => typeof side === "string")) return false;
      for (const key of ["sides", "workload", "shard", "resource", "target", "labels"]) if (typeof read[key] === typeof state[key]) state[key] = read[key];
      const view = Math.max(0, VIEWS.indexOf(read.view));
      $("source").value = state.sides[state.side];
      select("views", view);
      return true;
    } catch {
      $("said").textContent = "The link holds nothing that can be read.";
      return false;
    }
  }

  async function start() {
    $("said").textContent = "Loading …";
    const packed = bytesOf($("wasm").textContent.trim());
    await wasm_bindgen({ module_or_path: (await through(packed, new DecompressionStream("gzip"))).buffer });
    ready = true;
    if (!(await restore())) load(joined(examples[0].files));
    document.body.dataset.ready = "1";
  }
  start().catch((error) => { $("said").textContent = `The module cannot be loaded: ${error}`; });
})();
