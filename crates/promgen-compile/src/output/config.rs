//! The configuration of a workload: its sections and its jobs, and the text that they make.
//!
//! The text is the biggest thing of a run, and few ask for it: it is made when the first one does.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::OnceLock;

use crate::output::job::{self, Job};
use crate::output::{Origin, annotate};
use promgen_text::go::duration::PromDuration;
use promgen_text::parallel;
use promgen_text::source::{Sources, Span};
use promgen_text::yaml::emit::{self, Dialect};
use promgen_text::yaml::{Map, Value};

/// A configuration, with the operator's `$(...)` placeholders where shards differ.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Its sections in the order of the text, without the jobs of Prometheus. Empty if the text is not made of sections that
    /// may be shown.
    pub sections: Map,
    /// The jobs of Prometheus, in the order of the text.
    pub jobs: Vec<Job>,
    /// The number of sections that stand before the jobs.
    n_head: usize,
    written: OnceLock<WrittenConfig>,
    /// About the number of bytes of its text.
    length: OnceLock<usize>,
}

/// By what they are made of, or by their texts, if those are not made of sections.
impl PartialEq for Config {
    fn eq(&self, other: &Self) -> bool {
        let is_same = self.sections == other.sections && self.jobs == other.jobs;
        is_same && (!self.is_text() || self.text() == other.text())
    }
}

/// The text of a configuration.
#[derive(Clone, Debug, Default)]
struct WrittenConfig {
    text: String,
    pieces: Vec<Origin>,
}

/// The number of jobs that one thread writes at once.
const CHUNK: usize = 64;

/// The maximum number of bytes that are reserved for a text that is not written yet.
const MAX_RESERVED: usize = 64 << 20;

/// The number of jobs that are written at once: of a size that fits into a Secret, about.
pub(super) const WAVE: usize = 8 * CHUNK;

impl Config {
    /// Prometheus' default scrape interval.
    pub const DEFAULT_INTERVAL: PromDuration = PromDuration { millis: 60_000 };
    /// Prometheus' default scrape timeout.
    pub const DEFAULT_TIMEOUT: PromDuration = PromDuration { millis: 10_000 };

    /// A configuration of Prometheus: the sections before the jobs, the jobs, and the sections behind them.
    #[must_use]
    pub fn of_jobs(head: Map, jobs: Vec<Job>, tail: Map) -> Self {
        let (n_head, mut sections) = (head.len(), head);
        // An agent has a key twice.
        tail.into_entries()
            .into_iter()
            .for_each(|(key, value)| sections.push(key, value));
        Self {
            sections,
            jobs,
            n_head,
            ..Self::default()
        }
    }

    /// A configuration that is a text, and where its pieces come from.
    #[must_use]
    pub fn of_text(text: impl Into<String>, pieces: Vec<Origin>) -> Self {
        let written = OnceLock::from(WrittenConfig {
            text: text.into(),
            pieces,
        });
        Self {
            written,
            ..Self::default()
        }
    }

    /// The same, with what is known of its content.
    #[must_use]
    pub fn with_sections(self, sections: Map, jobs: Vec<Job>) -> Self {
        Self {
            sections,
            jobs,
            ..self
        }
    }

    /// Its text, with placeholders.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.written().text
    }

    /// Where the pieces of its text come from, in its order: jobs of Prometheus; routes, receivers and the like of
    /// Alertmanager.
    #[must_use]
    pub fn pieces(&self) -> &[Origin] {
        &self.written().pieces
    }

    /// Its section `global`.
    #[must_use]
    pub fn global(&self) -> Option<&Map> {
        self.sections.get("global")?.as_map()
    }

    /// How often jobs scrape that do not say so themselves. `None` if it is not known, such as a placeholder.
    #[must_use]
    pub fn scrape_interval(&self) -> Option<PromDuration> {
        let default = Some(Self::DEFAULT_INTERVAL);
        self.global().map_or(default, |global| {
            job::length_or(global, "scrape_interval", default)
        })
    }

    /// How long scrapes of jobs may take that do not say so themselves. `None` if it is not known.
    #[must_use]
    pub fn scrape_timeout(&self) -> Option<PromDuration> {
        let default = self
            .scrape_interval()
            .map(|interval| Self::DEFAULT_TIMEOUT.min(interval));
        self.global().map_or(default, |global| {
            job::length_or(global, "scrape_timeout", default)
        })
    }

    /// Whether one of its texts is such a text: a key, a value, or the whole, if that is not made of sections.
    pub fn has_text(&self, mut is_it: impl FnMut(&str) -> bool) -> bool {
        if self.is_text() {
            return is_it(self.text());
        }
        let mut maps =
            std::iter::once(&self.sections).chain(self.jobs.iter().map(|job| &job.section));
        maps.any(|map| has_text(map, &mut is_it))
    }

    /// The same with the file and line of each piece in a comment at its head.
    pub(super) fn annotated(&self, sources: &Sources) -> Self {
        let (text, pieces) = annotate::annotated(self.text(), self.pieces(), sources);
        Self {
            written: OnceLock::from(WrittenConfig { text, pieces }),
            ..self.clone()
        }
    }

    /// The bytes that its sections take in memory, and its text, if it is made of nothing else; about.
    pub(crate) fn weight(&self) -> usize {
        // The jobs are counted when they are made.
        let names = self.jobs.iter().map(|job| job.name.len()).sum::<usize>();
        self.sections.weight() + names + self.written.get().map_or(0, |written| written.text.len())
    }

    /// Returns whether nothing is known of its content.
    fn is_text(&self) -> bool {
        self.sections.is_empty() && self.jobs.is_empty()
    }

    fn written(&self) -> &WrittenConfig {
        self.written.get_or_init(|| {
            let [head, tail] = self.head_and_tail();
            let (mut text, mut pieces) = (head, Vec::with_capacity(self.jobs.len()));
            text.reserve_exact(self.expected_length());
            for wave in self.jobs.chunks(WAVE).map(wave) {
                let start = text.len();
                pieces.extend(wave.starts.into_iter().map(|(at, span)| Origin {
                    start: start + at,
                    span,
                }));
                text.push_str(&wave.text);
            }
            text.push_str(&tail);
            WrittenConfig { text, pieces }
        })
    }

    /// Its text in pieces of whole lines, each made when it is asked for.
    pub(super) fn texts(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let written = self.written.get().map(|written| Cow::from(&written.text));
        let [head, tail] = if written.is_some() {
            Default::default()
        } else {
            self.head_and_tail()
        };
        let n_jobs = if written.is_some() {
            0
        } else {
            self.jobs.len()
        };
        let waves = self.jobs[..n_jobs]
            .chunks(WAVE)
            .map(|jobs| Cow::from(wave(jobs).text));
        written
            .into_iter()
            .chain([Cow::from(head)])
            .chain(waves)
            .chain([Cow::from(tail)])
    }

    /// About the number of bytes of its text, from some of its jobs: without room for it, a big text is copied at each doubling,
    /// and has up to twice its size.
    pub(super) fn expected_length(&self) -> usize {
        if let Some(written) = self.written.get() {
            return written.text.len();
        }
        *self.length.get_or_init(|| {
            let sample = &self.jobs[..CHUNK.min(self.jobs.len())];
            let sampled = chunk(sample).text.len();
            let length = sampled.saturating_mul(self.jobs.len()) / sample.len().max(1);
            length.saturating_add(length / 16).min(MAX_RESERVED)
        })
    }

    /// The text before the jobs, and the text behind them.
    pub(super) fn head_and_tail(&self) -> [String; 2] {
        let mut texts = [String::new(), String::new()];
        for (index, (key, value)) in self.sections.iter().enumerate() {
            emit::write_entry(
                &mut texts[usize::from(index >= self.n_head)],
                key,
                value,
                Dialect::YamlV2,
                0,
            );
        }
        // The operator always writes the key.
        let none = if self.jobs.is_empty() { " []" } else { "" };
        let _ = writeln!(texts[0], "scrape_configs:{none}");
        texts
    }
}

/// The text of some jobs, and where each begins.
pub(super) struct WrittenJobs {
    pub(super) text: String,
    starts: Vec<(usize, Option<Span>)>,
}

/// Writes jobs, several at a time.
pub(super) fn wave(jobs: &[Job]) -> WrittenJobs {
    let chunks: Vec<&[Job]> = jobs.chunks(CHUNK).collect();
    let mut chunks = parallel::map(&chunks, 1, |jobs| chunk(jobs)).into_iter();
    let Some(mut all) = chunks.next() else {
        return chunk(&[]);
    };
    for WrittenJobs { text, starts } in chunks {
        let start = all.text.len();
        all.starts
            .extend(starts.into_iter().map(|(at, span)| (start + at, span)));
        all.text.push_str(&text);
    }
    all
}

fn chunk(jobs: &[Job]) -> WrittenJobs {
    let mut text = String::with_capacity(4096 * jobs.len());
    let starts = emit::write_map_items(&mut text, jobs.iter().map(|job| &job.section), 0);
    let origins = jobs.iter().map(|job| job.origin);
    WrittenJobs {
        text,
        starts: starts.into_iter().zip(origins).collect(),
    }
}

fn has_text(map: &Map, is_it: &mut impl FnMut(&str) -> bool) -> bool {
    map.iter()
        .any(|(key, value)| is_it(key) || value_has_text(value, is_it))
}

fn value_has_text(value: &Value, is_it: &mut impl FnMut(&str) -> bool) -> bool {
    match value {
        Value::Str(text) | Value::StandIn(text) | Value::Binary(text) => is_it(text),
        Value::Seq(items) => items.iter().any(|item| value_has_text(item, is_it)),
        Value::Map(map) => has_text(map, is_it),
        _ => false,
    }
}
