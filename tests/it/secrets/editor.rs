//! What an editor is told about places of manifests with secrets, whole and broken.

use promgen_testing::needs;
use rayon::prelude::*;

use super::planted::{EVERYWHERE, MUTATIONS, Markers, plant};
use super::{fixtures, recorded};
use crate::support::swept;
use promgen::{Input, Options, Project};
use promgen_answers::explain::brief;
use promgen_editor::EditorPosition;
use promgen_editor::about::Briefs;
use promgen_editor::lookup::Lookup;

/// How many lines of a text are asked about.
const N_LINES: usize = 20;

/// All answers about the starts and ends of lines of a text.
fn told(text: &str) -> String {
    let options = Options {
        is_repository: true,
        ..Options::default()
    };
    let project = Project::read(&[Input::new("in.yaml", text)], &options);
    let briefs = Briefs {
        of_resource: brief::lines,
        of_selector: brief::selected,
    };
    let lookup = Lookup::new(&project, briefs);
    let mut told = format!("{:?}", lookup.symbols("in.yaml"));
    let lines: Vec<&str> = text.lines().collect();
    for (line, content) in lines.iter().enumerate().step_by(lines.len() / N_LINES + 1) {
        let start = content
            .chars()
            .take_while(|c| matches!(c, ' ' | '-'))
            .count();
        for character in [start, content.encode_utf16().count()] {
            let at = EditorPosition { line, character };
            told += &format!("{:?}", lookup.hover("in.yaml", at));
            told += &format!("{:?}", lookup.definitions("in.yaml", at));
            told += &format!("{:?}", lookup.references("in.yaml", at, true));
        }
        let offset = lines
            .iter()
            .take(line)
            .map(|line| line.len() + 1)
            .sum::<usize>()
            .min(text.len());
        for end in [offset, (offset + content.len()).min(text.len())] {
            // The whole text, and what was typed of it before the rest.
            for text in [text, text.get(..end).unwrap_or(text)] {
                told += &format!(
                    "{:?}",
                    lookup
                        .completions("in.yaml", text, end)
                        .map(|found| found.items)
                );
            }
        }
    }
    told
}

fn check(texts: &[(String, String)]) {
    let markers = Markers::new();
    let leaks: Vec<String> = texts
        .par_iter()
        .enumerate()
        .filter_map(|(number, (name, text))| {
            let mutation = MUTATIONS[number % MUTATIONS.len()];
            let found = markers.find(&told(&plant(text, number, mutation)))?;
            Some(format!("{name}, {mutation:?}: {found}"))
        })
        .collect();
    assert!(
        leaks.is_empty(),
        "{} of {}:\n{}",
        leaks.len(),
        texts.len(),
        leaks.join("\n")
    );
}

#[test]
fn an_editor_is_told_no_value_of_a_secret_and_every_place_has_an_answer() {
    let mut texts = swept(3, fixtures());
    texts.extend(
        MUTATIONS
            .iter()
            .map(|mutation| (format!("{mutation:?}"), EVERYWHERE.to_owned())),
    );
    check(&texts);
}

#[needs(recordings)]
#[test]
fn an_editor_is_told_no_value_of_a_recorded_secret() {
    check(&recorded());
}
