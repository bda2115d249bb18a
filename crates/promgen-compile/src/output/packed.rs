//! A configuration as a Secret holds it: gzip; and as a run keeps it that asks only for its size.

use std::borrow::Cow;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::{DeflateEncoder, GzEncoder};

use crate::output::expand::Expandable;
use crate::output::{Config, MAX_SECRET_BYTES};
use crate::sharding::plan::Plan;
use promgen_text::parallel;

/// A text as the operator compresses it: without a name and a time in its header, so that the same text gives the same
/// bytes. With the best effort only where the usual one does not suffice: it takes five times as long.
pub(super) fn gzip(text: &[u8]) -> Vec<u8> {
    let usual = compress(text, Compression::default());
    if usual.len() > MAX_SECRET_BYTES { compress(text, Compression::best()) } else { usual }
}

impl Config {
    /// Whether it is too large for a Secret, uncompressed, for any of the shards.
    #[must_use]
    pub fn exceeds_secret(&self, plan: &Plan) -> bool {
        // The value of a placeholder is longer by at most the name of a zone.
        let length = self.text.len() + self.packed.as_ref().map_or(0, |packed| packed.length);
        let mut texts = self.texts();
        let mut lengths = vec![0; plan.shards.len()];
        let mut exceeds = |text: &str| {
            let text = Expandable::new(text.into());
            lengths.iter_mut().zip(&plan.shards).any(|(length, shard)| {
                *length += text.of(shard).length();
                *length > MAX_SECRET_BYTES
            })
        };
        length > MAX_SECRET_BYTES / 4 && texts.any(|text| exceeds(&text))
    }

    /// Whether one of its lines contains that text, packed or not.
    #[must_use]
    pub fn contains(&self, text: &str) -> bool {
        self.texts().any(|lines| lines.contains(text))
    }

    /// Its text in pieces of whole lines.
    fn texts(&self) -> impl Iterator<Item = Cow<'_, str>> {
        std::iter::once(Cow::from(&self.text)).chain(self.packed.iter().flat_map(PackedText::texts))
    }

    /// Its compressed size in bytes, if that exceeds a Secret.
    #[must_use]
    pub fn packed_excess(&self) -> Option<usize> {
        match &self.packed {
            Some(packed) => packed.excess(),
            None if self.text.len() <= MAX_SECRET_BYTES || estimate(&self.text) <= MAX_SECRET_BYTES / 2 => None,
            None => PackedText::of(&self.text).excess(),
        }
    }
}

/// A big text in compressed pieces, for a run that asks only for its size: in all it takes a fifteenth of the memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackedText {
    /// Each ends with a line, so that no placeholder is divided.
    pieces: Vec<Vec<u8>>,
    /// The number of bytes before compression.
    pub(crate) length: usize,
}

impl PackedText {
    /// The number of bytes that are worth to be packed at once: several pieces, for several threads.
    pub(crate) const AT_ONCE: usize = 2 * MAX_SECRET_BYTES;

    fn of(text: &str) -> Self {
        let mut packed = Self::default();
        packed.push(text);
        packed
    }

    /// Adds a text that ends with a line.
    pub(crate) fn push(&mut self, text: &str) {
        self.length += text.len();
        // What fits into a Secret after little effort, fits: in pieces, each with its own dictionary.
        self.pieces.extend(parallel::map(&lines(text), 1, |piece| deflate(piece.as_bytes())));
    }

    /// The texts of the pieces.
    fn texts(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.pieces.iter().map(|piece| Cow::from(inflate(piece)))
    }

    /// The size in bytes with the best effort, if that exceeds a Secret.
    fn excess(&self) -> Option<usize> {
        let bound: usize = self.pieces.iter().map(|piece| GZIP_FRAME + piece.len()).sum();
        if bound <= MAX_SECRET_BYTES {
            return None;
        }
        // The best effort has the size that Go's usual one has.
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let written = self.texts().try_for_each(|text| encoder.write_all(text.as_bytes()));
        let size = written.and_then(|()| encoder.finish()).expect("a vector takes every byte").len();
        (size > MAX_SECRET_BYTES).then_some(size)
    }
}

/// How many pieces of a text one that is compressed stands for.
const SAMPLED: usize = 8;

/// The size that a text has when it is compressed, from some of its pieces. The jobs of a configuration are much alike.
fn estimate(text: &str) -> usize {
    let sample: Vec<&str> = lines(text).into_iter().step_by(SAMPLED).collect();
    let sizes = parallel::map(&sample, 1, |piece| GZIP_FRAME + deflate(piece.as_bytes()).len());
    let (sampled, size) = (sample.iter().map(|piece| piece.len()).sum::<usize>(), sizes.into_iter().sum::<usize>());
    // A text of one piece is all that is sampled.
    size.saturating_mul(text.len()) / sampled.max(1)
}

/// A text in pieces of about the size of a Secret, each of whole lines.
fn lines(mut text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    while !text.is_empty() {
        let about = &text.as_bytes()[..MAX_SECRET_BYTES.min(text.len())];
        // A line that is longer is a piece of its own.
        let end = memchr::memrchr(b'\n', about).or_else(|| memchr::memchr(b'\n', text.as_bytes()));
        let (piece, rest) = text.split_at(end.map_or(text.len(), |end| end + 1));
        pieces.push(piece);
        text = rest;
    }
    pieces
}

/// The bytes of gzip around compressed data: its header, checksum and length.
const GZIP_FRAME: usize = 18;

/// Compresses with little effort, without a checksum.
fn deflate(text: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    let written = encoder.write_all(text).and_then(|()| encoder.finish());
    written.expect("a vector takes every byte")
}

fn inflate(piece: &[u8]) -> String {
    let mut text = String::new();
    DeflateDecoder::new(piece).read_to_string(&mut text).expect("the piece is the compressed form of a text");
    text
}

fn compress(text: &[u8], level: Compression) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    let written = encoder.write_all(text).and_then(|()| encoder.finish());
    written.expect("a vector takes every byte")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sharding::plan::Shard;
    use std::fmt::Write as _;

    /// Lines that hardly compress: those of a counter, hashed.
    fn noise(n_lines: u64) -> String {
        let hashed = |n: u64| (0..8).fold(n, |x, _| (x ^ (x >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        (1..=n_lines).fold(String::new(), |mut text, n| {
            let _ = writeln!(text, "- {:016x}{:016x}", hashed(n), hashed(!n));
            text
        })
    }

    fn whole(text: &str) -> Config {
        Config { text: text.to_owned(), ..Config::default() }
    }

    fn packed(text: &str) -> Config {
        Config { packed: Some(PackedText::of(text)), ..Config::default() }
    }

    #[test]
    fn a_packed_text_has_the_size_of_the_whole_one() {
        let (fits, exceeds) = ("- job_name: web\n".repeat(200_000), noise(90_000));
        assert_eq!((whole(&fits).packed_excess(), packed(&fits).packed_excess()), (None, None));
        let size = compress(exceeds.as_bytes(), Compression::best()).len();
        assert!(size > MAX_SECRET_BYTES);
        assert_eq!((whole(&exceeds).packed_excess(), packed(&exceeds).packed_excess()), (Some(size), Some(size)));
    }

    #[test]
    fn a_text_is_found_in_a_packed_one() {
        let text = format!("{}- job_name: last\n", noise(90_000));
        for config in [whole(&text), packed(&text)] {
            assert!(config.contains("job_name: last") && !config.contains("job_name: first"));
        }
    }

    #[test]
    fn pieces_are_whole_lines_and_give_the_text_back() {
        let long = "x".repeat(MAX_SECRET_BYTES + 9);
        let text = format!("{}{long}\nend $(SHARD)", noise(50_000));
        let packed = PackedText::of(&text);
        assert_eq!((packed.pieces.len(), packed.length), (4, text.len()));
        assert_eq!(packed.texts().collect::<String>(), text);
        assert!(packed.texts().take(3).all(|piece| piece.ends_with('\n')));
    }

    #[test]
    fn the_length_counts_once_the_placeholders_are_filled_in() {
        // 24 bytes become 1.
        let placeholders = |n: usize| "$(TOPOLOGY_ZONE_PATTERN)\n".repeat(n);
        let shard = Shard { index: 0, zone: Some("a".to_owned()), in_zone: 0 };
        let plan = Plan { modulus: 1, shards: vec![shard], zones: Vec::new() };
        let limit = MAX_SECRET_BYTES / 2;
        for config in [whole, packed] {
            assert!(!config(&placeholders(limit)).exceeds_secret(&plan));
            assert!(config(&placeholders(limit + 1)).exceeds_secret(&plan));
        }
    }
}
