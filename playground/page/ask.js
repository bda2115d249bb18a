// Questions to the worker, which is replaced if it fails or is stopped: neither a panic nor a long answer leaves a dead page.

/// Who answers with a compiled module: `ask(question, asked)` promises the text of the answer, `stop()` ends what is asked.
function answering(source, module) {
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const waiting = new Map();
  let last = 0;
  let worker;
  /// Whether a worker has answered: one that cannot be loaded is not loaded again and again.
  let works = false;
  const refuse = (why) => {
    for (const one of waiting.values()) one.refuse(new Error(why));
    waiting.clear();
  };
  const restart = (why) => {
    if (worker) worker.terminate();
    refuse(why);
    worker = new Worker(url);
    worker.postMessage({ module });
    worker.onmessage = ({ data: { id, answer, error, isBroken } }) => {
      works = true;
      const one = waiting.get(id);
      waiting.delete(id);
      if (!one) return;
      if (error === undefined) one.accept(answer);
      else one.refuse(new Error(isBroken ? `promgen failed, which is a bug: please report it with these manifests. ${error}` : error));
      if (isBroken) restart("promgen failed at another question");
    };
    worker.onerror = (event) => (works ? restart : refuse)(`the worker failed: ${event.message || "it cannot be loaded"}`);
  };
  restart("");
  const ask = (question, asked) =>
    new Promise((accept, refuse) => {
      const id = ++last;
      waiting.set(id, { accept, refuse });
      worker.postMessage({ id, question, asked: JSON.stringify(asked) });
    });
  return { ask, stop: () => restart("Stopped.") };
}
