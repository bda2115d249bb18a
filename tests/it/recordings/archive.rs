//! Reads the archives of the recordings: tar in the format of POSIX, compressed with Zstandard.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

/// The size of a header, and what the size of every file is rounded up to.
const BLOCK: usize = 512;
/// How far back the archives look for what they repeat.
const WINDOW: u64 = 1 << 27;

/// The files of an archive, with their paths, in the order of the archive.
pub(super) fn files(path: &Path) -> Vec<(String, String)> {
    let packed = fs::read(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(WINDOW);
    let mut tar = Vec::new();
    StreamingDecoder::new_with_decoder(packed.as_slice(), decoder)
        .unwrap()
        .read_to_end(&mut tar)
        .unwrap();
    let (mut found, mut rest) = (Vec::new(), tar.as_slice());
    while let Some((header, after)) = rest
        .split_at_checked(BLOCK)
        .filter(|(header, _)| header[0] != 0)
    {
        let size = usize::from_str_radix(&text(&header[124..136]), 8).unwrap();
        let (folder, name) = (text(&header[345..500]), text(&header[..100]));
        let path = if folder.is_empty() {
            name
        } else {
            format!("{folder}/{name}")
        };
        found.push((path, String::from_utf8(after[..size].to_vec()).unwrap()));
        rest = &after[size.next_multiple_of(BLOCK)..];
    }
    found
}

/// A text that ends in a zero or a blank, or fills its place.
fn text(bytes: &[u8]) -> String {
    let end = bytes
        .iter()
        .position(|byte| [0, b' '].contains(byte))
        .unwrap_or(bytes.len());
    String::from_utf8(bytes[..end].to_vec()).unwrap()
}
