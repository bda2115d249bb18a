//! PEM: blocks of base64 between lines of dashes.
//!
//! In: the bytes of a file. Out: its blocks. Mirrors `encoding/pem`: other text is skipped.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use memchr::memmem;

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";
const DASHES: &[u8] = b"-----";

/// A block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PemBlock {
    /// Its type: `CERTIFICATE`, `RSA PRIVATE KEY`.
    pub kind: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The blocks, in order. The time is linear in the size of any input.
#[must_use]
pub const fn blocks(input: &[u8]) -> Blocks<'_> {
    Blocks {
        input,
        at: 0,
        end: None,
    }
}

/// Reads one block after the other.
#[derive(Clone, Debug)]
pub struct Blocks<'a> {
    input: &'a [u8],
    at: usize,
    /// The position of the next `END`: it serves all beginnings before it, so that one search suffices.
    end: Option<usize>,
}

impl Iterator for Blocks<'_> {
    type Item = PemBlock;

    fn next(&mut self) -> Option<PemBlock> {
        let input = self.input;
        loop {
            let begin = line_with(input, BEGIN, self.at)?;
            let (head, body) = line(input, begin);
            self.at = body;
            let end = match self.end {
                Some(end) if end >= body => end,
                Some(_) | None => line_with(input, END, body)?,
            };
            self.end = Some(end);
            let Some(kind) = head
                .strip_prefix(BEGIN)
                .and_then(|l| l.strip_suffix(DASHES))
            else {
                continue;
            };
            let (trailer, next) = line(input, end);
            let is_its_own = trailer
                .strip_prefix(END)
                .and_then(|l| l.strip_suffix(DASHES))
                == Some(kind);
            let data = is_its_own
                .then(|| without_headers(&input[body..end]))
                .flatten();
            if let Some(bytes) = data.and_then(decode) {
                self.at = next;
                return Some(PemBlock {
                    kind: String::from_utf8_lossy(kind).into_owned(),
                    bytes,
                });
            }
        }
    }
}

/// The start of the next line that starts with those bytes.
fn line_with(input: &[u8], start: &[u8], from: usize) -> Option<usize> {
    let starts_line = |at: &usize| *at == 0 || input[at - 1] == b'\n';
    memmem::find_iter(&input[from..], start)
        .map(|at| from + at)
        .find(starts_line)
}

/// The line that starts there, without blanks at its end, and where the next one starts.
fn line(input: &[u8], start: usize) -> (&[u8], usize) {
    let rest = &input[start..];
    let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    let trimmed = rest[..length].trim_ascii_end();
    (trimmed, (start + length + 1).min(input.len()))
}

/// The body without the lines `key: value` at its start. Headers require a line after them.
fn without_headers(body: &[u8]) -> Option<&[u8]> {
    let mut start = 0;
    while start < body.len() {
        let (line, next) = line(body, start);
        if !line.contains(&b':') {
            break;
        }
        start = next;
    }
    (start == 0 || start < body.len()).then(|| &body[start..])
}

fn decode(body: &[u8]) -> Option<Vec<u8>> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &STANDARD,
        GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
    );
    let mut text = Vec::new();
    for byte in body {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {}
            b'+' | b'/' | b'=' => text.push(*byte),
            byte if byte.is_ascii_alphanumeric() => text.push(*byte),
            _ => return None,
        }
    }
    LENIENT.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(kind: &str, body: &str) -> String {
        format!("-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n")
    }

    fn kinds(text: &str) -> Vec<String> {
        blocks(text.as_bytes()).map(|block| block.kind).collect()
    }

    #[test]
    fn blocks_are_told_from_what_only_looks_like_them() {
        let key = block("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\n\nAAAA");
        let text = format!(
            "words\n{}{key}{}",
            block("CERTIFICATE", "AAAA\r\n AAAA"),
            block("X", "!")
        );
        assert_eq!(kinds(&text), ["CERTIFICATE", "RSA PRIVATE KEY"]);
        for none in [
            "",
            "-----BEGIN A-----\nAAAA\n-----END B-----\n",
            "x-----BEGIN A-----\n",
            "-----BEGIN A-----",
        ] {
            assert_eq!(kinds(none), Vec::<String>::new(), "{none}");
        }
        assert_eq!(blocks(b"\xff").next(), None);
        assert_eq!(
            kinds(&format!("-----BEGIN A-----\n{}", block("B", "AAAA"))),
            ["B"]
        );
    }

    #[test]
    fn bytes_are_decoded_as_go_does() {
        let bytes = |body: &str| blocks(block("A", body).as_bytes()).next().map(|b| b.bytes);
        assert_eq!(bytes("AQID").as_deref(), Some(&[1, 2, 3][..]));
        assert_eq!(bytes("AR==").as_deref(), Some(&[1][..]));
        assert_eq!(bytes("").as_deref(), Some(&[][..]));
        assert_eq!(bytes("AQ"), None);
    }

    #[test]
    fn many_beginnings_without_an_end_take_no_time() {
        let text = format!("{}-----END B-----\n", "-----BEGIN A-----\n".repeat(200_000));
        assert_eq!(kinds(&text), Vec::<String>::new());
    }
}
