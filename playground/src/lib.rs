//! promgen as WebAssembly.
//!
//! A question is a text of JSON, and so is an answer, unless it is YAML: `npm/index.js` makes functions of them. Nothing is read
//! and nothing is sent. An error is a text, which JavaScript gets as an exception. A panic is an `Error` there: the module is not
//! to be used any more.

mod answers;
mod asked;
mod kept;

use wasm_bindgen::prelude::wasm_bindgen;

/// Says what panics to JavaScript, which otherwise learns that the module stopped, and not why.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|panic| {
        wasm_bindgen::throw_str(&panic.to_string())
    }));
}

macro_rules! bindings {
    ($($(#[$doc:meta])+ $name:ident,)+) => {
        $(
            $(#[$doc])+
            ///
            /// # Errors
            /// The question is invalid, or what it names does not exist.
            #[wasm_bindgen]
            pub fn $name(asked: &str) -> Result<String, String> {
                answers::$name(&serde_json::from_str(asked).map_err(|error| error.to_string())?)
            }
        )+
    };
}

bindings! {
    /// The findings, as `promgen lint --format json` prints them.
    lint,
    /// The objects, as `promgen render` prints them.
    render,
    /// The workloads with their shards, and the names that other questions take.
    compile,
    /// The configuration of a shard, with the file and line of each job, as `promgen config --annotate` prints it.
    config,
    /// The explanation of a resource, as in `promgen explain --format json`.
    explain,
    /// What differs: the `changes` of `promgen diff --format json`, and an `outline` of them for people.
    diff,
    /// The shards that scrape a target, and those that do not.
    which,
    /// The routes and receivers of an alert.
    route,
}
