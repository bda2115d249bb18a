// The views: each asks its questions, and makes what is shown of the answers. Every text of an answer becomes a text node.

/// The most entries of a list.
const MAX_SHOWN = 300;

function element(tag, properties = {}, children = []) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("aria-") || key === "role") made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children);
  return made;
}

const idOf = (label) => `ask-${label.toLowerCase().replace(/\W+/g, "-")}`;

function choice(label, options, value, change) {
  const made = element("select", { id: idOf(label) }, options.map(([text, value]) => element("option", { textContent: text, value })));
  if (options.some(([, known]) => known === value)) made.value = value;
  made.addEventListener("change", () => change(made.value));
  return [element("label", { htmlFor: made.id, textContent: label }), made];
}

function field(label, value, list, change) {
  const options = element("datalist", { id: `${idOf(label)}-list` }, list.map((text) => element("option", { value: text })));
  const made = element("input", { id: idOf(label), value, autocomplete: "off", spellcheck: false });
  made.setAttribute("list", options.id);
  made.style.flex = "1 1 240px";
  made.addEventListener("change", () => change(made.value));
  return [element("label", { htmlFor: made.id, textContent: label }), made, options];
}

const same = (texts) => texts.map((text) => [text, text]);
const nothing = (text) => [element("p", { textContent: text, className: "help" })];
const block = (label, children) => element("pre", { tabIndex: 0, role: "group", "aria-label": label }, children);
const helps = (texts, tag = "div") => texts.map((text) => element(tag, { className: "help", textContent: `help: ${text}` }));

/// The views, of a page that has a `state`, sets it, leads to a `place` in the manifests, and asks.
function viewsOf({ state, set, place, ask, asked, base }) {
  /// What there is to ask about, with the choice of an environment if there are several.
  async function compiled() {
    const all = await asked("compile");
    const chosen = all.environments.includes(state.environment) ? state.environment : all.environments[0];
    const several = all.environments.length > 1;
    const asks = several ? choice("Environment", same(all.environments), chosen, (environment) => set({ environment, workload: "", resource: "", shard: 0 })) : [];
    return { ...all, asks };
  }

  async function findings() {
    const { findings: found } = await asked("lint");
    const levels = ["error", "warning", "info"];
    found.sort((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level));
    if (found.length === 0) return [[], nothing("No findings.")];
    const item = (one) => element("li", {}, [
      element("span", { className: `badge ${one.level}`, textContent: one.level }), ` ${one.message}`,
      element("p", {}, [`${one.code} ${one.rule} `, place(one.file, one.line)]),
      ...one.related.map((other) => element("p", {}, [`${other.message}: `, place(other.file, other.line)])),
      ...(one.help ? helps(one.help.split("\n"), "p") : []),
    ]);
    const more = found.length > MAX_SHOWN ? nothing(`${MAX_SHOWN} of ${found.length} shown`) : [];
    return [[], [element("ul", { className: "list" }, found.slice(0, MAX_SHOWN).map(item)), ...more]];
  }

  async function config() {
    const { workloads, refused, asks } = await compiled();
    const shown = workloads.filter((one) => one.hasConfig);
    const notes = [...refused.map((one) => `${one.workload}: ${one.why}`), ...workloads.filter((one) => one.error).map((one) => `${one.workload}: ${one.error}`)];
    const faults = notes.map((textContent) => element("p", { className: "fault", textContent }));
    if (shown.length === 0) return [asks, [...faults, ...nothing("No workload with a configuration.")]];
    const chosen = shown.find((one) => one.workload === state.workload) || shown[0];
    asks.push(...choice("Workload", same(shown.map((one) => one.workload)), chosen.workload, (workload) => set({ workload, shard: 0 })));
    const title = (shard) => `${shard.index}${shard.zone ? ` (${shard.zone})` : ""}`;
    const shard = chosen.shards.find((one) => one.index === state.shard) || chosen.shards[0];
    if (shard) asks.push(...choice("Shard", chosen.shards.map((one) => [title(one), String(one.index)]), String(shard.index), (index) => set({ shard: Number(index) })));
    const text = await ask("config", { resource: chosen.workload, shard: shard ? shard.index : null });
    return [asks, [...faults, block("Configuration", text.split("\n").map(configLine))]];
  }

  function configLine(line) {
    const from = line.match(/^(\s*# )(.+):(\d+)$/);
    if (!from) return element("span", { textContent: line || " " });
    return element("span", { className: "from" }, [from[1], place(from[2], Number(from[3]))]);
  }

  async function explain() {
    const { resources, asks } = await compiled();
    if (resources.length === 0) return [asks, nothing("No resource of the operator.")];
    const chosen = resources.includes(state.resource) ? state.resource : resources[0];
    asks.push(...choice("Resource", same(resources), chosen, (resource) => set({ resource })));
    const step = (one) => element("li", {}, [
      element("span", { className: one.state, textContent: one.text }), " ", place(one.file, one.line), ...helps(one.help),
      ...(one.steps.length > 0 ? [element("ul", {}, one.steps.map(step))] : []),
    ]);
    return [asks, [element("ul", { className: "tree" }, [step(await asked("explain", { resource: chosen }))])]];
  }

  async function which() {
    const asks = field("Target", state.target, ["all"], (target) => set({ target }));
    const found = await asked("which", { target: state.target });
    if (found.length === 0) return [asks, nothing("No target. Add Services, Pods, EndpointSlices, … or write labels: __address__=10.0.0.1:80,…")];
    const item = (one) => element("li", {}, [
      element("b", { textContent: one.address || "(no address)" }),
      ` ${one.scrapedBy.length === 0 ? "no shard scrapes it" : `shard ${one.scrapedBy.join(", ")}`}`,
      element("p", { textContent: `${one.workload}, job ${one.job}${one.source ? `, ${one.source}` : ""}` }),
      ...one.dropped.map((drop) => element("p", {}, [`shard ${drop.shards.join(", ")}: rule ${drop.rule} drops it, value "${drop.value}" `, place(drop.file, drop.line)])),
    ]);
    return [asks, [element("ul", { className: "list" }, found.map(item))]];
  }

  async function route() {
    const { alerts, asks } = await compiled();
    const labels = state.labels || alerts[0] || "alertname=Down,severity=critical";
    asks.push(...field("Labels", labels, alerts, (labels) => set({ labels })));
    const found = await asked("route", { labels });
    if (found.length === 0) return [asks, nothing("No Alertmanager with a configuration.")];
    const item = (step) => {
      const made = element("li", {}, [
        `${step.matchers.join(", ") || "every alert"}${step.continue ? "; continue" : ""} `, place(step.file, step.line),
        ...(step.notifies ? [element("p", { textContent: `→ ${step.receiver}: ${step.integrations.join(", ") || "no integrations"}` })] : []),
      ]);
      made.style.marginLeft = `${Math.min(step.depth, 12) * 20}px`;
      return made;
    };
    return [asks, found.flatMap((one) => [element("h3", { textContent: one.workload }), element("ul", { className: "list" }, one.routes.map(item))])];
  }

  async function diff() {
    if (base().length === 0) return [[], nothing("Put the manifests of before into the tab “Before, to compare”.")];
    const { outline } = await asked("diff", { base: base() });
    const tones = { "+": "plus", "-": "minus", "!": "loss", "~": "tilde" };
    const line = ({ depth, sign, text }) => {
      const made = element("span", { className: tones[sign] || "", textContent: `${sign} ${text}` });
      made.style.paddingLeft = `${14 + Math.min(depth, 12) * 16}px`;
      return made;
    };
    const lost = outline.lost.map((text) => element("p", { className: "fault", textContent: `lost: ${text}` }));
    const head = element("ul", { className: "summary" }, outline.summary.map((text) => element("li", { textContent: text })));
    const parts = outline.parts.flatMap(({ title, lines }) => [element("h3", { textContent: title }), block(title, lines.map(line))]);
    return [[], [...lost, head, ...parts]];
  }

  async function render() {
    return [[], [block("Objects", [element("span", { textContent: await ask("render") })])]];
  }

  /// What can be asked again although an answer failed.
  const again = {
    which: () => field("Target", state.target, ["all"], (target) => set({ target })),
    route: () => field("Labels", state.labels, [], (labels) => set({ labels })),
  };
  return { views: { findings, config, explain, which, route, diff, render }, again };
}
