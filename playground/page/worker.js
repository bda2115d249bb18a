// The worker: answers questions with the module, which the page gives it compiled. It follows the glue of wasm-bindgen.
"use strict";
let loaded;
onmessage = async ({ data: { module, id, question, asked } }) => {
  if (module) {
    loaded = (async () => wasm_bindgen.initSync({ module }))();
    return;
  }
  try {
    await loaded;
    postMessage({ id, answer: wasm_bindgen[question](asked) });
  } catch (error) {
    // A text is an answer. Anything else is a panic, after which the memory of the module is in no known state.
    const isAnswer = typeof error === "string";
    postMessage({ id, error: isAnswer ? error : String((error && error.message) || error), isBroken: !isAnswer });
  }
};
