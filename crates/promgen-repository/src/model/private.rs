//! What may hold secrets in what applies builds and releases.

use promgen_resources::secrecy::Private;
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Node};

use crate::charts;
use crate::kustomize::read::private::is_public_patch;

/// Takes note of what may hold secrets in what applies builds: values of substitutions, patches, and values of charts, but for
/// those whose roles are known.
pub(super) fn note_private(root: &Node, private: &mut Private) {
    let group = root
        .text_of("apiVersion")
        .unwrap_or_default()
        .split('/')
        .next();
    let names: &[&str] = match group {
        Some("kustomize.toolkit.fluxcd.io" | "helm.toolkit.fluxcd.io") => &[
            "substitute",
            "patches",
            "patchesStrategicMerge",
            "patchesJson6902",
        ],
        Some("argoproj.io") => &["patches", "values", "valuesObject", "parameters", "plugin"],
        _ => return,
    };
    let mut todo = vec![root];
    if group == Some("helm.toolkit.fluxcd.io") {
        todo = root.find(&["spec", "postRenderers"]).into_iter().collect();
    }
    while let Some(node) = todo.pop() {
        todo.extend(node.items());
        for entry in node.entries() {
            if entry.key == "helm" && charts::has_read_values(node) {
                continue;
            } else if entry.key == "patches" && group != Some("argoproj.io") {
                private_patches(&entry.value, private);
            } else if names.contains(&&*entry.key) {
                let end = entry.value.span.end.max(entry.key_span.end);
                private.add(Span {
                    start: entry.key_span.end,
                    end,
                    ..entry.key_span
                });
            } else {
                todo.push(&entry.value);
            }
        }
    }
}

/// Takes note of patches that may hold secrets.
fn private_patches(patches: &Node, private: &mut Private) {
    let is_public = |item: &Node| {
        let text = item.text_of("patch");
        text.is_some_and(|text| is_public_patch(text, item.get("target")))
    };
    match &patches.data {
        Data::Seq(items) => items
            .iter()
            .filter(|item| !is_public(item))
            .for_each(|item| private.add(item.span)),
        _ => private.add(patches.span),
    }
}
