//! Secret texts that builds copy to where they stand in the open.

use std::collections::BTreeSet;

use promgen_resources::{schema, secrecy};
use promgen_text::source::Span;
use promgen_text::yaml::Data;

use super::Build;
use promgen_text::CollectOrdered;

/// Hides them. Returns the places of those that are hidden, and of those among them that the API server refuses.
pub(super) fn hide(builds: &mut [Build]) -> (BTreeSet<Span>, BTreeSet<Span>) {
    let mut all: BTreeSet<Span> = builds
        .iter()
        .flat_map(|build| &build.copies)
        .copied()
        .collect_set();
    if all.is_empty() {
        return (all, BTreeSet::new());
    }
    let public = public_texts(builds, &all);
    let (mut kept, mut hidden, mut refused) =
        <(BTreeSet<Span>, BTreeSet<Span>, BTreeSet<Span>)>::default();
    for build in builds {
        let is_secret = |span| build.copies.contains(&span);
        for document in &mut build.documents {
            if secrecy::copies(&document.root, &is_secret).is_empty() {
                continue;
            }
            let of = schema::hide(document.root.make_mut(), &is_secret, &|text| {
                public.contains(text)
            });
            kept.extend(of.kept);
            hidden.extend(of.hidden);
            refused.extend(of.refused);
        }
    }
    // One text may stand in several places: it is hidden where one of them says so, and judged where all do.
    all.retain(|span| !kept.contains(span) || hidden.contains(span) || refused.contains(span));
    refused.retain(|span| !hidden.contains(span));
    (all, refused)
}

/// The names and labels of the objects of all builds that come from no Secret: who reads the input knows them.
fn public_texts(builds: &[Build], secret: &BTreeSet<Span>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for document in builds.iter().flat_map(|build| &build.documents) {
        let mut todo = vec![(&*document.root, false)];
        while let Some((node, is_metadata)) = todo.pop() {
            match &node.data {
                Data::String(text) if is_metadata && !secret.contains(&node.span) => {
                    found.insert(text.to_string());
                }
                Data::Map(entries) => {
                    let of = |key: &str| is_metadata && key != "annotations" || key == "metadata";
                    todo.extend(entries.iter().map(|entry| (&entry.value, of(&entry.key))));
                }
                _ => todo.extend(node.items().iter().map(|item| (item, false))),
            }
        }
    }
    found
}
