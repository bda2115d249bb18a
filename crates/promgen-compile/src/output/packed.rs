//! A configuration as a Secret holds it: gzip.

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use rayon::prelude::*;

use crate::output::MAX_SECRET_BYTES;

/// A text as the operator compresses it: without a name and a time in its header, so that the same text gives the same
/// bytes. With the best effort only where the usual one does not suffice: it takes five times as long.
pub(super) fn gzip(text: &[u8]) -> Vec<u8> {
    let usual = compress(text, Compression::default());
    if usual.len() > MAX_SECRET_BYTES { compress(text, Compression::best()) } else { usual }
}

/// The compressed size of a text in bytes, if that exceeds a Secret.
pub(super) fn excess(text: &[u8]) -> Option<usize> {
    if text.len() <= MAX_SECRET_BYTES {
        return None;
    }
    // What fits after little effort, fits: in pieces, each with its own dictionary.
    let pieces = text.par_chunks(MAX_SECRET_BYTES);
    let bound: usize = pieces.map(|piece| GZIP_FRAME + deflate(piece).len()).sum();
    // The best effort has the size that Go's usual one has.
    let size = || compress(text, Compression::best()).len();
    (bound > MAX_SECRET_BYTES).then(size).filter(|size| *size > MAX_SECRET_BYTES)
}

/// The bytes of gzip around compressed data: its header, checksum and length.
const GZIP_FRAME: usize = 18;

/// Compresses with little effort, without a checksum.
fn deflate(text: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    let written = encoder.write_all(text).and_then(|()| encoder.finish());
    written.expect("a vector takes every byte")
}

fn compress(text: &[u8], level: Compression) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), level);
    let written = encoder.write_all(text).and_then(|()| encoder.finish());
    written.expect("a vector takes every byte")
}
