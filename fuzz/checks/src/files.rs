//! Several files in one input, as a text that can be read and mutated.
//!
//! A line `=== NAME` begins a file. What stands before the first is a file of its own. The last byte of the input chooses
//! options: as a comment, it is part of the last file and changes nothing there.

use promgen::Input;

/// What begins the line before a file.
pub const MARK: &str = "=== ";

/// The name of a text that has none.
const UNNAMED: &str = "input.yaml";

/// The files of an input, in their order.
#[must_use]
pub fn split(data: &[u8]) -> Vec<Input> {
    let mut files = Vec::new();
    let (mut name, mut start, mut at) = (UNNAMED.to_owned(), 0, 0);
    for line in data.split_inclusive(|byte| *byte == b'\n') {
        if let Some(next) = line.strip_prefix(MARK.as_bytes()) {
            push(&mut files, &name, &data[start..at]);
            name = String::from_utf8_lossy(next).trim_end().to_owned();
            start = at + line.len();
        }
        at += line.len();
    }
    push(&mut files, &name, &data[start..]);
    files
}

fn push(files: &mut Vec<Input>, name: &str, bytes: &[u8]) {
    if !(bytes.is_empty() && name == UNNAMED) {
        files.push(Input::new(name, bytes));
    }
}

/// Files as one input.
#[must_use]
pub fn join(files: &[Input]) -> Vec<u8> {
    let mut data = Vec::new();
    for (index, file) in files.iter().enumerate() {
        if index > 0 || file.name != UNNAMED {
            data.extend([MARK.as_bytes(), file.name.as_bytes(), b"\n"].concat());
        }
        data.extend(&*file.bytes);
        if !data.ends_with(b"\n") {
            data.push(b'\n');
        }
    }
    data
}

/// What chooses options.
#[must_use]
pub fn choice(data: &[u8]) -> u8 {
    data.last().map_or(0, |last| last.wrapping_sub(b' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_back() {
        let files = [
            Input::new(UNNAMED, "a: 1\n"),
            Input::new("x/b.yaml", "b: 2\n---\nc: 3\n"),
            Input::new("c", ""),
        ];
        let names = |files: &[Input]| {
            files
                .iter()
                .map(|file| file.name.clone())
                .collect::<Vec<_>>()
        };
        let back = split(&join(&files));
        assert_eq!(names(&back), names(&files));
        assert_eq!(back[1], files[1]);
        assert_eq!(split(b""), []);
    }
}
