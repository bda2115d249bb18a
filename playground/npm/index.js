// promgen for Node: functions over the WebAssembly of promgen_wasm.js. Nothing is read from disk and nothing is sent.
"use strict";
const MODULE = require.resolve("./promgen_wasm.js");
let wasm = require(MODULE);

const files = (given) => (Array.isArray(given) ? given : Object.entries(given).map(([name, text]) => ({ name, text })));

function ask(name, { options: { environment, ...options } = {}, ...asked }) {
  try {
    return wasm[name](JSON.stringify({ ...asked, options, environment: environment ?? "" }));
  } catch (error) {
    // What a question is answered with, if it cannot be answered.
    if (typeof error === "string") throw new Error(error);
    // A panic leaves the memory of the module in no known state: the next question gets another one.
    delete require.cache[MODULE];
    wasm = require(MODULE);
    throw new Error(`promgen failed, which is a bug: ${error.message}`, { cause: error });
  }
}

exports.lintText = (given, options = {}) => ask("lint", { files: files(given), options });
exports.lint = (given, options = {}) => JSON.parse(exports.lintText(given, options)).findings;
exports.render = (given, options = {}) => ask("render", { files: files(given), options });
exports.compile = (given, options = {}) => JSON.parse(ask("compile", { files: files(given), options }));
exports.config = (given, workload, shard, options = {}) =>
  ask("config", { files: files(given), resource: workload, shard: shard ?? null, options });
exports.explain = (given, resource, options = {}) => JSON.parse(ask("explain", { files: files(given), resource, options }));
const compared = (base, head, options) => JSON.parse(ask("diff", { base: files(base), files: files(head), options }));
exports.diff = (base, head, options = {}) => compared(base, head, options).changes;
exports.outline = (base, head, options = {}) => compared(base, head, options).outline;
exports.which = (given, target, options = {}) => JSON.parse(ask("which", { files: files(given), target, options }));
exports.route = (given, labels, options = {}) => JSON.parse(ask("route", { files: files(given), labels, options }));
