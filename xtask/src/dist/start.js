#!/usr/bin/env node
// Starts the program of this platform, which an optional dependency brings.
'use strict';
const { spawnSync } = require('node:child_process');
const { constants } = require('node:os');

const name = `promgen-cli-${process.platform}-${process.arch}`;
const file = process.platform === 'win32' ? 'promgen.exe' : 'promgen';
let program;
try {
  program = require.resolve(`${name}/${file}`);
} catch {
  console.error(`promgen: the package ${name} is not installed: there is none for this platform, or npm ran with --omit=optional`);
  process.exit(2);
}
const { status, signal, error } = spawnSync(program, process.argv.slice(2), { stdio: 'inherit' });
if (error) {
  console.error(`promgen: ${program}: ${error.message}`);
  process.exit(2);
}
process.exit(signal ? 128 + constants.signals[signal] : status);
