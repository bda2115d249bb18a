// Finds the program to start: an absolute path, and never a file of the workspace, which a stranger may have written.
const { accessSync, constants, realpathSync, statSync } = require("node:fs");
const { delimiter, isAbsolute, join, relative, sep } = require("node:path");

/** The path without links, or nothing if there is no such file. */
function real(path) {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function isInside(path, folder) {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * The absolute path of the program that a setting names: a path, or a name to look up in PATH. Nothing if there is none, or
 * if it, or a link on the way to it, lies in a folder of the workspace.
 */
function locate(setting, folders, env = process.env, platform = process.platform) {
  const own = folders.flatMap((folder) => [folder, real(folder) ?? folder]);
  const isForeign = (path) => !own.some((folder) => isInside(path, folder) || isInside(real(path) ?? path, folder));
  const isNamed = setting !== "" && !/[\\/]/.test(setting);
  const places = isNamed ? (env.PATH ?? env.Path ?? "").split(delimiter).filter(isAbsolute).map((folder) => join(folder, setting)) : [setting];
  const suffixes = platform === "win32" ? ["", ".exe"] : [""];
  const candidates = places.filter(isAbsolute).flatMap((place) => suffixes.map((suffix) => place + suffix));
  return candidates.find((path) => isProgram(path) && isForeign(path));
}

module.exports = { locate };
