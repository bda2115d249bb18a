//! The outline of a text has the keys of the parser, with the same places.

use promgen_testing::texts::text_of;
use proptest::prelude::*;

use crate::support::root;
use promgen_editor::outline::{Outline, OutlineItem, typing};
use promgen_text::diag::Sink;
use promgen_text::route::ValueRoute;
use promgen_text::source::FileId;
use promgen_text::yaml::Node;
use promgen_text::yaml::read::read;

/// The keys of a text that parses, with where they stand.
fn keys(node: &Node, route: &ValueRoute, found: &mut Vec<(String, usize)>) {
    for entry in node.entries() {
        let route = route.clone().key(entry.key.to_string());
        found.push((route.to_string(), entry.key_span.start as usize));
        keys(&entry.value, &route, found);
    }
    for (index, item) in node.items().iter().enumerate() {
        keys(item, &route.clone().index(index), found);
    }
}

#[test]
fn the_outline_has_the_keys_that_a_parser_finds() {
    let folder = root().join("fixtures");
    let (mut n_keys, mut todo) = (0, vec![folder]);
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(
                std::fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        // Aliases and merges have keys elsewhere; templates are no YAML.
        if path.extension().is_none_or(|of| of != "yaml")
            || text.contains("<<:")
            || text.contains('*')
        {
            continue;
        }
        let mut sink = Sink::default();
        let documents = read(FileId::new(0), &text, &mut sink);
        for document in documents.iter().filter(|_| sink.diagnostics().is_empty()) {
            let mut wanted = Vec::new();
            keys(&document.root, &ValueRoute::root(), &mut wanted);
            let outline = Outline::read(&text, document.root.span.start as usize);
            for (route, start) in wanted {
                let has =
                    |item: &OutlineItem| item.key.start == start && item.route.to_string() == route;
                assert!(
                    outline.items.iter().any(has),
                    "{}: {route} at {start}",
                    path.display()
                );
                n_keys += 1;
            }
        }
    }
    assert!(n_keys > 1000, "{n_keys}");
}

/// What YAML gives a meaning, and two letters.
const PARTS: &[&str] = &[
    " ", "\n", ":", ",", "a", "#", "'", "\"", "|", ">", "&", "!", "é", "-", "{", "}", "[", "]",
    "- ", ": ", "---\n",
];

proptest! {
    /// What is typed need not be YAML: every text has an outline within it, at every place.
    #[test]
    fn every_text_has_an_outline(text in text_of(PARTS, 0..=60)) {
        for offset in (0..=text.len()).filter(|offset| text.is_char_boundary(*offset)) {
            let outline = Outline::read(&text, offset);
            for item in &outline.items {
                prop_assert!(text.get(item.key.clone()).is_some() && text.get(item.value.clone()).is_some());
            }
            if let Some(typing) = typing(&text, offset) {
                prop_assert!(typing.word.end == offset && text.get(typing.word).is_some());
            }
        }
    }
}

#[test]
fn deep_and_long_texts_end() {
    for text in [
        "[", "{", "- ", "{a: [", "'", "a: {\n  ", "a: ", "#", "{#", "{ ", "a:\n",
    ] {
        let text = text.repeat(200_000);
        let started = std::time::Instant::now();
        let n_items = Outline::read(&text, text.len()).items.len();
        let typed = typing(&text, text.len());
        assert!(
            started.elapsed().as_secs() < 20,
            "{:?}: {n_items}, {typed:?}",
            &text[..8]
        );
    }
}
