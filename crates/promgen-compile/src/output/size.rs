//! The size of a configuration as a Secret holds it: as it is, or compressed.

use std::borrow::Cow;
use std::fmt;
use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};

use crate::output::config::{Config, WAVE, wave};
use crate::output::expand::Expandable;
use crate::output::{Job, MAX_SECRET_BYTES};
use crate::sharding::plan::Plan;
use promgen_text::parallel;

/// A text as the operator compresses it: without a name and a time in its header, so that the same text gives the same
/// bytes. With the best effort only where the usual one does not suffice: it takes five times as long.
pub(super) fn gzip(text: &[u8]) -> Vec<u8> {
    let usual = compress(text, Compression::default());
    if usual.len() > MAX_SECRET_BYTES {
        compress(text, Compression::best())
    } else {
        usual
    }
}

/// The size of a compressed configuration. Its text is that of a message: `1048977 bytes`, `about 3100000 bytes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedSize {
    /// In bytes.
    pub bytes: usize,
    /// It is computed from some jobs.
    pub is_estimate: bool,
}

impl fmt::Display for PackedSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_estimate {
            return write!(f, "{} bytes", self.bytes);
        }
        let unit = 10_usize.pow(self.bytes.max(10).ilog10() - 1);
        write!(f, "about {} bytes", self.bytes / unit * unit)
    }
}

impl Config {
    /// Returns whether it is too large for a Secret, uncompressed, for any of the shards.
    #[must_use]
    pub fn exceeds_secret(&self, plan: &Plan) -> bool {
        if !self.weighs_more_than(MAX_SECRET_BYTES / MAX_GROWTH) {
            return false;
        }
        let mut lengths = vec![0; plan.shards.len()];
        let mut exceeds = |text: Cow<'_, str>| {
            let text = Expandable::new(text);
            lengths.iter_mut().zip(&plan.shards).any(|(length, shard)| {
                *length += text.of(shard).length();
                *length > MAX_SECRET_BYTES
            })
        };
        self.texts().any(&mut exceeds)
    }

    /// Its compressed size, if that exceeds a Secret. It is estimated, and only compressed where the estimate is near the
    /// maximum.
    #[must_use]
    pub fn packed_excess(&self) -> Option<PackedSize> {
        if !self.weighs_more_than(MAX_SECRET_BYTES) {
            return None;
        }
        let bytes = self.estimate();
        if bytes <= MAX_SECRET_BYTES / 2 {
            return None;
        }
        if bytes >= MAX_SECRET_BYTES / 2 * 3 {
            return Some(PackedSize {
                bytes,
                is_estimate: true,
            });
        }
        // The best effort has the size that Go's usual one has.
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let written = self
            .texts()
            .try_for_each(|text| encoder.write_all(text.as_bytes()));
        let size = written
            .and_then(|()| encoder.finish())
            .expect("a vector takes every byte")
            .len();
        (size > MAX_SECRET_BYTES).then_some(PackedSize {
            bytes: size,
            is_estimate: false,
        })
    }

    /// The size that its text has when it is compressed, from some of its jobs, which are much alike.
    fn estimate(&self) -> usize {
        if self.jobs.is_empty() {
            return deflated([self.text()]);
        }
        let all: Vec<&[Job]> = self.jobs.chunks(WAVE / SAMPLED).collect();
        let step = SAMPLED.max(all.len().div_ceil(MAX_SAMPLE));
        let sample: Vec<&[Job]> = all.iter().copied().step_by(step).collect();
        let texts = parallel::map(&sample, 1, |jobs| wave(jobs).text);
        // In one stream, as the whole is: each on its own would not know what the one before has.
        let sampled = deflated(texts.iter().map(String::as_str));
        let around: usize = self
            .head_and_tail()
            .iter()
            .map(|text| deflated([text.as_ref()]))
            .sum();
        around + sampled.saturating_mul(weight(&all)) / weight(&sample).max(1)
    }

    fn weighs_more_than(&self, n_bytes: usize) -> bool {
        let mut sum = self.weight();
        let mut jobs = self.jobs.iter();
        sum > n_bytes
            || jobs.any(|job| {
                sum += job.weight;
                sum > n_bytes
            })
    }
}

fn weight(chunks: &[&[Job]]) -> usize {
    chunks
        .iter()
        .flat_map(|jobs| jobs.iter())
        .map(|job| job.weight)
        .sum()
}

/// How many parts of a configuration one that is compressed stands for, at least.
const SAMPLED: usize = 8;

/// The maximum number of parts that are compressed for an estimate.
const MAX_SAMPLE: usize = 12;

/// The most bytes of a text for a byte of what it is made of: a character that is escaped.
const MAX_GROWTH: usize = 4;

/// The size of texts that are compressed together, with the usual effort: less is no faster, and may double the size.
fn deflated<'t>(texts: impl IntoIterator<Item = &'t str>) -> usize {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    let written = texts
        .into_iter()
        .try_for_each(|text| encoder.write_all(text.as_bytes()));
    written
        .and_then(|()| encoder.finish())
        .expect("a vector takes every byte")
        .len()
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
    use promgen_text::yaml::{Map, Value};
    use std::fmt::Write as _;

    /// Lines that hardly compress: those of a counter, hashed.
    fn noise(n_lines: u64) -> String {
        let hashed = |n: u64| {
            (0..8).fold(n, |x, _| {
                (x ^ (x >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            })
        };
        (1..=n_lines).fold(String::new(), |mut text, n| {
            let _ = writeln!(text, "- {:016x}{:016x}", hashed(n), hashed(!n));
            text
        })
    }

    /// A configuration of one job that has these items.
    fn of_items(items: Vec<String>) -> Config {
        let items = items.into_iter().map(Value::from).collect();
        let job = Job::new(
            Map::new()
                .with("job_name", "web")
                .with("items", Value::Seq(items)),
            None,
        );
        Config::of_jobs(Map::new(), vec![job], Map::new())
    }

    #[test]
    fn the_compressed_size_is_that_of_the_whole_text() {
        assert_eq!(
            of_items(vec!["web".to_owned(); 200_000]).packed_excess(),
            None
        );
        let exceeds = of_items(noise(64_000).lines().map(str::to_owned).collect());
        let size = compress(exceeds.text().as_bytes(), Compression::best()).len();
        assert!(size > MAX_SECRET_BYTES);
        let excess = Some(PackedSize {
            bytes: size,
            is_estimate: false,
        });
        assert_eq!(exceeds.packed_excess(), excess);
        assert_eq!(
            Config::of_text(exceeds.text(), Vec::new()).packed_excess(),
            excess
        );
    }

    #[test]
    fn far_beyond_the_maximum_the_estimate_will_do() {
        let lines = noise(200_000);
        let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
        let job = |items: &[String]| {
            let items = items.iter().map(|item| Value::from(item.clone())).collect();
            Job::new(Map::new().with("items", Value::Seq(items)), None)
        };
        let config = Config::of_jobs(Map::new(), lines.chunks(20).map(job).collect(), Map::new());
        let size = compress(config.text().as_bytes(), Compression::best()).len();
        let PackedSize {
            bytes,
            is_estimate: true,
        } = config.packed_excess().unwrap()
        else {
            panic!("it is far")
        };
        assert!(bytes.abs_diff(size) < size / 10, "{bytes} of {size}");
        assert_eq!(
            PackedSize {
                bytes: 3_190_000,
                is_estimate: true
            }
            .to_string(),
            "about 3100000 bytes"
        );
    }

    #[test]
    fn the_length_counts_once_the_placeholders_are_filled_in() {
        // An item of 27 bytes becomes one of 4, beside 42 others.
        let placeholders = |n: usize| of_items(vec!["$(TOPOLOGY_ZONE_PATTERN)".to_owned(); n]);
        let shard = Shard {
            index: 0,
            zone: Some("a".to_owned()),
            in_zone: 0,
        };
        let plan = Plan {
            modulus: 1,
            shards: vec![shard],
            zones: Vec::new(),
        };
        let fits = (MAX_SECRET_BYTES - placeholders(0).text().len()) / "  - a\n".len();
        assert!(!placeholders(fits).exceeds_secret(&plan));
        assert!(placeholders(fits + 2).exceeds_secret(&plan));
    }
}
