//! Our YAML reader and others, on 10 MB of the manifests that the fixtures have.

#![expect(clippy::disallowed_methods, reason = "the fixtures are files")]

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::{fs, mem};

use divan::Bencher;
use divan::counter::BytesCount;
use granit_parser::{Event, Parser};
use promgen_text::diag::Sink;
use promgen_text::source::FileId;
use promgen_text::yaml::read::read;

const BYTES: usize = 10 << 20;

/// The manifests below a folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort_unstable();
    for path in paths {
        if path.is_dir() {
            collect(&path, files);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            files.push(path);
        }
    }
}

/// A stream of documents that both readers take.
fn stream() -> String {
    let mut files = Vec::new();
    collect(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures"),
        &mut files,
    );
    let mut text = String::new();
    for file in files
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok())
    {
        let mut sink = Sink::default();
        let documents = read(FileId::new(0), &file, &mut sink);
        if !documents.is_empty() && sink.diagnostics().is_empty() && events(&file).is_some() {
            text += &format!("---\n{}\n", file.trim_start_matches("---\n"));
        }
    }
    text.repeat(BYTES / text.len() + 1)
}

/// The events of granit-parser: what a tree would be built of. None for what is no YAML to it.
fn events(text: &str) -> Option<usize> {
    Parser::new_from_str(text).try_fold(0, |n_events, event| event.ok().map(|_| n_events + 1))
}

/// A tree without places, types or aliases: the least that can be made of the events.
#[derive(Debug)]
#[expect(dead_code, reason = "built, not read")]
enum Tree<'a> {
    Scalar(Cow<'a, str>),
    Collection(Vec<Self>),
}

fn trees(text: &str) -> Vec<Tree<'_>> {
    let (mut open, mut items) = (Vec::new(), Vec::new());
    for (event, _) in Parser::new_from_str(text).map_while(Result::ok) {
        match event {
            Event::Scalar(text, ..) => items.push(Tree::Scalar(text)),
            Event::SequenceStart(..) | Event::MappingStart(..) => open.push(mem::take(&mut items)),
            Event::SequenceEnd | Event::MappingEnd => {
                let tree =
                    Tree::Collection(mem::replace(&mut items, open.pop().unwrap_or_default()));
                items.push(tree);
            }
            _ => {}
        }
    }
    items
}

/// Nodes with types and places, on as many threads as there are: `RAYON_NUM_THREADS=1` for one.
#[divan::bench(sample_count = 20)]
fn ours(bencher: Bencher<'_, '_>) {
    let text = stream();
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| read(FileId::new(0), &text, &mut Sink::default()));
}

#[divan::bench(sample_count = 20)]
fn granit_events(bencher: Bencher<'_, '_>) {
    let text = stream();
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| events(&text));
}

#[divan::bench(sample_count = 20)]
fn granit_tree(bencher: Bencher<'_, '_>) {
    let text = stream();
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| trees(&text));
}
