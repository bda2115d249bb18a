// promgen for Node: functions over the WebAssembly of promgen_wasm.js. Nothing is read from disk and nothing is sent.
"use strict";
const wasm = require("./promgen_wasm.js");

const files = (given) => (Array.isArray(given) ? given : Object.entries(given).map(([name, text]) => ({ name, text })));

function ask(name, asked) {
  try {
    return wasm[name](JSON.stringify(asked));
  } catch (error) {
    throw error instanceof Error ? error : new Error(String(error));
  }
}

exports.lintText = (given, options = {}) => ask("lint", { files: files(given), options });
exports.lint = (given, options = {}) => JSON.parse(exports.lintText(given, options));
exports.render = (given, options = {}) => ask("render", { files: files(given), options });
exports.compile = (given, options = {}) => JSON.parse(ask("compile", { files: files(given), options }));
exports.config = (given, workload, shard, options = {}) =>
  ask("config", { files: files(given), resource: workload, shard: shard ?? null, options });
exports.explain = (given, resource, options = {}) => JSON.parse(ask("explain", { files: files(given), resource, options }));
exports.diff = (base, head, options = {}) => JSON.parse(ask("diff", { base: files(base), files: files(head), options }));
exports.which = (given, target, options = {}) => JSON.parse(ask("which", { files: files(given), target, options }));
exports.route = (given, labels, options = {}) => JSON.parse(ask("route", { files: files(given), labels, options }));
