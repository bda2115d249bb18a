//! The numbers of files: a file keeps its number in later sources, and the order of numbers is that of the inputs.
//!
//! In: sources, and the inputs of later ones. Out: a number for each input. What was read of a file has its number in every
//! place, so that it stays valid as long as the number does. Numbers have gaps, into which new files fit.

use std::collections::VecDeque;

use crate::hashed_map::HashedMap;
use crate::source::{FileId, Input, SourceFile, Sources};

/// The distance between the numbers of files that stand together from the start.
const GAP: u32 = 1 << 12;

/// One past the greatest number that an input gets: what is added behind the inputs has room.
const END: u32 = u32::MAX / 2;

/// The number that follows another one; the first number without one.
pub(super) fn next(last: Option<FileId>) -> FileId {
    FileId(
        last.map_or(0, |last| last.0)
            .checked_add(GAP)
            .expect("fewer than 2^20 files are added one by one"),
    )
}

/// The numbers of inputs, ascending. A file that earlier sources have, by its name or else by its text, keeps its number.
pub(crate) fn numbers(earlier: &Sources, inputs: &[Input]) -> Vec<FileId> {
    let mut numbers = kept(earlier, inputs);
    if fill(&mut numbers).is_none() {
        numbers.fill(None);
        fill(&mut numbers).expect("fewer than 2^31 files");
    }
    numbers.into_iter().flatten().collect()
}

/// The numbers that are kept: those of files that are in the same order as before.
fn kept<'s>(earlier: &'s Sources, inputs: &'s [Input]) -> Vec<Option<FileId>> {
    let same: Vec<_> = earlier
        .files()
        .zip(inputs)
        .take_while(|((_, file), input)| file.name == input.name)
        .collect();
    // Mostly, nobody has added or removed a file.
    if same.len() == inputs.len() {
        return same.into_iter().map(|((id, _), _)| Some(id)).collect();
    }
    if earlier.files().len() == 0 {
        return vec![None; inputs.len()];
    }
    let mut by_name: HashedMap<&str, FileId> = HashedMap::default();
    for (id, file) in earlier.files() {
        by_name.insert(&file.name, id);
    }
    let mut names: HashedMap<&str, ()> = HashedMap::default();
    for input in inputs {
        names.insert(&input.name, ());
    }
    let mut renamed = Renamed::new(
        earlier
            .files()
            .filter(|(_, file)| names.get(&file.name.as_str()).is_none()),
    );
    let mut last = None;
    let number = |input: &'s Input| {
        let is_later = |id: &FileId| last.is_none_or(|last| *id > last);
        let known = match by_name.get(&input.name.as_str()) {
            Some(id) => Some(*id).filter(is_later),
            None => renamed.take(&input.bytes, is_later),
        };
        last = known.or(last);
        known
    };
    inputs.iter().map(number).collect()
}

/// Files of earlier sources whose names are gone, by their texts.
struct Renamed<'s>(HashedMap<&'s [u8], VecDeque<FileId>>);

impl<'s> Renamed<'s> {
    fn new(files: impl Iterator<Item = (FileId, &'s SourceFile)>) -> Self {
        let mut by_text: HashedMap<&[u8], VecDeque<FileId>> = HashedMap::default();
        for (id, file) in files {
            by_text.entry(file.text.as_bytes()).push_back(id);
        }
        Self(by_text)
    }

    /// The first file of that text that passes, and that nobody has taken.
    fn take(&mut self, text: &'s [u8], passes: impl Fn(&FileId) -> bool) -> Option<FileId> {
        let ids = self.0.get_mut(&text)?;
        while let Some(id) = ids.pop_front() {
            if passes(&id) {
                return Some(id);
            }
        }
        None
    }
}

/// Gives numbers to those that have none, between those that have. `None` if there is no room.
fn fill(numbers: &mut [Option<FileId>]) -> Option<()> {
    let (mut from, mut low) = (0, 0);
    while from < numbers.len() {
        let n_new = numbers[from..]
            .iter()
            .take_while(|number| number.is_none())
            .count();
        let high = numbers.get(from + n_new).copied().flatten();
        let room = high.map_or(END, |high| high.0).checked_sub(low)?;
        let step = (room / u32::try_from(n_new + 1).ok()?).min(if high.is_some() {
            u32::MAX
        } else {
            GAP
        });
        if step == 0 {
            return None;
        }
        for number in &mut numbers[from..from + n_new] {
            low += step;
            *number = Some(FileId(low));
        }
        low = high.map_or(low, |high| high.0);
        from += n_new + 1;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Sink;

    fn inputs(files: &[(&str, &str)]) -> Vec<Input> {
        files
            .iter()
            .map(|(name, text)| Input::new(*name, *text))
            .collect()
    }

    fn ids(sources: &Sources) -> Vec<u32> {
        sources.files().map(|(id, _)| id.0).collect()
    }

    fn with(sources: &Sources, files: &[(&str, &str)]) -> Sources {
        let sources = sources.with(&inputs(files), &mut Sink::default());
        let names: Vec<&str> = sources
            .files()
            .map(|(_, file)| file.name.as_str())
            .collect();
        assert_eq!(
            names,
            files.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            "the order is that of the inputs"
        );
        assert!(
            ids(&sources).is_sorted_by(|a, b| a < b),
            "{:?}",
            ids(&sources)
        );
        sources
    }

    #[test]
    fn a_file_keeps_its_number_beside_others_that_come_and_go() {
        let first = with(&Sources::default(), &[("b", "1"), ("d", "2"), ("f", "3")]);
        let [b, d, f] = ids(&first)[..] else {
            panic!("three files")
        };
        let more = with(
            &first,
            &[
                ("a", "0"),
                ("b", "x"),
                ("c", "0"),
                ("d", "2"),
                ("f", "3"),
                ("g", "0"),
            ],
        );
        assert_eq!(
            [ids(&more)[1], ids(&more)[3], ids(&more)[4]],
            [b, d, f],
            "also with another text"
        );
        assert_eq!(ids(&with(&more, &[("f", "3")])), [f]);
    }

    #[test]
    fn a_file_of_another_name_keeps_its_number_if_it_has_the_same_text() {
        let first = with(
            &Sources::default(),
            &[("old/a", "1"), ("old/b", "2"), ("old/c", "2")],
        );
        let moved = with(
            &first,
            &[
                ("new/a", "1"),
                ("new/aa", "0"),
                ("new/b", "2"),
                ("new/c", "2"),
                ("new/d", "2"),
            ],
        );
        let [a, b, c] = ids(&first)[..] else {
            panic!("three files")
        };
        assert_eq!([ids(&moved)[0], ids(&moved)[2], ids(&moved)[3]], [a, b, c]);
    }

    #[test]
    fn all_get_new_numbers_where_there_is_no_room_and_in_another_order() {
        let mut sources = with(&Sources::default(), &[("a", ""), ("z", "")]);
        let mut names = vec!["a".to_owned(), "z".to_owned()];
        for n in 0..40 {
            // Always in the same gap, which is halved.
            names.insert(1, format!("m{:02}", 99 - n));
            let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
            sources = with(&sources, &files);
        }
        let swapped = with(&sources, &[("z", ""), ("a", "")]);
        assert_eq!(swapped.files().count(), 2);
    }
}
