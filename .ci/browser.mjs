// A browser that is driven over file descriptors 3 and 4. Needs no package.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";

/// Starts Chromium: what sends it commands, who listens to its events, and how it ends.
export function browser(chromium, profile) {
  const options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1"];
  const args = [...options, "--allow-file-access-from-files", "--remote-debugging-pipe", `--user-data-dir=${profile}`, "about:blank"];
  const child = spawn(chromium, args, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const [, , , input, output] = child.stdio;
  const waiting = new Map();
  const listeners = new Set();
  let buffer = "";
  let last = 0;
  output.setEncoding("utf8");
  output.on("data", (data) => {
    buffer += data;
    const messages = buffer.split("\0");
    buffer = messages.pop();
    for (const text of messages) {
      const message = JSON.parse(text);
      if (message.id) {
        const { accept, refuse } = waiting.get(message.id);
        waiting.delete(message.id);
        if (message.error) refuse(new Error(message.error.message));
        else accept(message.result);
      } else for (const listener of listeners) listener(message);
    }
  });
  const send = (method, params = {}, sessionId = undefined) =>
    new Promise((accept, refuse) => {
      const id = ++last;
      waiting.set(id, { accept, refuse });
      input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  const ended = new Promise((accept) => child.on("exit", accept));
  ended.then(() => {
    for (const { refuse } of waiting.values()) refuse(new Error("Chromium ended"));
  });
  /// Ends it, and removes its profile, to which its other processes may write for a moment more.
  const close = async () => {
    child.kill();
    await ended;
    for (let left = 50; left > 0; left--) {
      try {
        rmSync(profile, { recursive: true, force: true });
        return;
      } catch {
        await new Promise((done) => setTimeout(done, 100));
      }
    }
  };
  return { send, listeners, close };
}
