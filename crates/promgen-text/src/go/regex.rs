//! Regular expressions in Go's syntax (RE2, `syntax.Perl`), executed by the Rust `regex` crate.
//!
//! In: a pattern as a user of Prometheus writes it. Out: Go's error text, or an expression with Go's matches. The two
//! dialects look alike and differ silently (`\d` is ASCII in Go, `[a&&b]` is no intersection, `a{1001}` is an error),
//! so patterns are never passed on unchanged: `parse` reads them as Go does, `translate` writes the result in the other
//! dialect.
//!
//! Group names stay here, because Go allows duplicate names and a leading digit; the engine gets numbers only.

mod advice;
mod ast;
mod class;
mod error;
mod never;
mod parse;
mod piece;
mod recent;
mod shape;
mod template;
mod translate;
mod unicode;
mod weight;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

pub(crate) use unicode::AGE;

pub use advice::{advice, whole};
pub use error::{ErrorKind, RegexError, RegexResult};
pub use never::{heads, matches_empty, never_matches, texts};
pub use shape::{TextPattern, UnknownText};
pub use template::Template;

/// Most memory, in bytes, that a compiled expression may take: that of a pattern of ten thousand characters. Go takes
/// `\pL{1000}` as well, which needs 40 MiB and half a second, and a kilobyte of manifests holds dozens of them.
pub const MAX_ENGINE_BYTES: usize = 2 << 20;

/// How much less than its weight an expression may take: beyond that, it is not even tried.
const MAX_ESTIMATE_FACTOR: usize = 2;

/// Most memory, in bytes, of a compiled expression that counts as small.
const SMALL_ENGINE_BYTES: usize = 64 << 10;

/// The maximum size, in bytes, of the engine's cache for an expression.
const ENGINE_CACHE_BYTES: usize = 1 << 20;

/// The text that Prometheus adds around every pattern: the dot matches a line break, and the whole value must match.
const ANCHORS: (&str, &str) = ("^(?s:", ")$");

/// A compiled expression.
///
/// ```
/// use promgen_text::go::regex::GoRegex;
///
/// let regex = GoRegex::anchored(r"(?P<app>\w+)-\d+").expect("a valid pattern");
/// assert!(regex.is_match("web-1"));
/// assert!(!regex.is_match("wéb-1"), r"\w is ASCII in Go");
///
/// let error = GoRegex::anchored("(a").expect_err("a group is open");
/// assert_eq!(error.to_string(), "error parsing regexp: missing closing ): `^(?s:(a)$`");
/// ```
#[derive(Clone, Debug)]
pub struct GoRegex {
    matcher: MatchEngine,
    /// Name of each group, by its number; group 0 has none.
    names: Arc<[Option<String>]>,
}

/// The engine that finds matches.
#[derive(Clone, Debug)]
enum MatchEngine {
    /// Comparison of texts, for patterns that are little more than one.
    Shape(Arc<TextPattern>),
    /// The engine, for all others.
    Engine(regex::Regex),
    /// The engine, for an expression that takes more than [`SMALL_ENGINE_BYTES`].
    BigEngine(regex::Regex),
}

/// The places of the groups of one match.
#[derive(Debug)]
pub struct Captures<'r, 't> {
    text: &'t str,
    groups: MatchGroups<'t>,
    names: &'r [Option<String>],
}

#[derive(Debug)]
enum MatchGroups<'t> {
    Shape(shape::Groups),
    Engine(regex::Captures<'t>),
}

/// Compiles nothing, but returns Go's error for a pattern. Cheaper than [`GoRegex::new`].
///
/// # Errors
/// Go's own.
pub fn check(pattern: &str) -> RegexResult {
    parse::parse(pattern).map(|_| ())
}

/// Compiles nothing, but returns Prometheus' error for a pattern. Cheaper than [`GoRegex::anchored`].
///
/// # Errors
/// Go's own, about the text that Prometheus compiles; the span is the one in `pattern`.
pub fn check_anchored(pattern: &str) -> RegexResult {
    parse::parse(&with_anchors(pattern))
        .map(|_| ())
        .map_err(|error| without_anchors(error, pattern))
}

/// The approximate number of bytes that an expression takes once it is compiled: nothing for one that needs no engine.
/// Compiles nothing.
///
/// # Errors
/// As [`GoRegex::new`].
pub fn weight(pattern: &str) -> RegexResult<usize> {
    let parsed = parse::parse(pattern)?;
    if TextPattern::of(&parsed.root, parsed.names.len() - 1).is_some() {
        return Ok(0);
    }
    let weight = weight::of(&parsed.root);
    match weight > MAX_ENGINE_BYTES {
        true => Err(RegexError::new(
            ErrorKind::BeyondLimit,
            pattern,
            0..pattern.len(),
        )),
        false => Ok(weight),
    }
}

impl GoRegex {
    /// Compiles a pattern whose [`weight`] is known to be small enough.
    #[must_use]
    pub fn weighed(pattern: &str) -> Option<Self> {
        Self::build(pattern, MAX_ENGINE_BYTES * 4).ok()
    }

    /// Compiles a pattern as Go's `regexp.Compile` does.
    ///
    /// # Errors
    /// Go's own, and [`ErrorKind::BeyondLimit`] for what Go compiles and takes more than 2 MiB here.
    pub fn new(pattern: &str) -> RegexResult<Self> {
        Self::build(pattern, MAX_ENGINE_BYTES)
    }

    /// Compiles a pattern as Prometheus does: between `^(?s:` and `)$`, as text.
    ///
    /// # Errors
    /// As [`GoRegex::new`]; the message shows the text that Prometheus compiles, the span is the one in `pattern`.
    pub fn anchored(pattern: &str) -> RegexResult<Self> {
        recent::get(pattern, || {
            Self::build(&with_anchors(pattern), MAX_ENGINE_BYTES)
                .map_err(|error| without_anchors(error, pattern))
        })
    }

    /// Compiles a pattern, but refuses large ones: for callers that compile many.
    pub fn anchored_small(pattern: &str) -> RegexResult<Self> {
        Self::build(&with_anchors(pattern), SMALL_ENGINE_BYTES)
            .map_err(|error| without_anchors(error, pattern))
    }

    fn build(pattern: &str, max_bytes: usize) -> RegexResult<Self> {
        let parsed = parse::parse(pattern)?;
        // Most patterns of Prometheus are texts: those need no engine, which takes memory and time to build.
        let too_big = || RegexError::new(ErrorKind::BeyondLimit, pattern, 0..pattern.len());
        let matcher = match TextPattern::of(&parsed.root, parsed.names.len() - 1) {
            Some(shape) => MatchEngine::Shape(Arc::new(shape)),
            None if weight::of(&parsed.root) / MAX_ESTIMATE_FACTOR > max_bytes => {
                return Err(too_big());
            }
            None => engine(&parsed.root, max_bytes).map_err(|_| too_big())?,
        };
        Ok(Self {
            matcher,
            names: parsed.names.into(),
        })
    }

    /// The texts and gaps of the pattern, if it contains nothing else.
    pub fn shape(&self) -> Option<&TextPattern> {
        match &self.matcher {
            MatchEngine::Shape(shape) => Some(shape),
            _ => None,
        }
    }

    /// Returns whether its compiled form takes much memory, which is rare.
    pub const fn is_big(&self) -> bool {
        matches!(self.matcher, MatchEngine::BigEngine(_))
    }

    /// The approximate number of steps per byte of a text.
    pub const fn steps_per_byte(&self) -> usize {
        match self.matcher {
            MatchEngine::Shape(_) => 1,
            MatchEngine::Engine(_) => 32,
            MatchEngine::BigEngine(_) => 1024,
        }
    }

    /// Returns whether the expression matches anywhere in the text.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        match &self.matcher {
            MatchEngine::Shape(shape) => shape.is_match(text),
            MatchEngine::Engine(engine) | MatchEngine::BigEngine(engine) => engine.is_match(text),
        }
    }

    /// The texts of the first matches, as Go's `FindAllString` has them.
    #[must_use]
    pub fn find_all<'t>(&self, text: &'t str, most: usize) -> Vec<&'t str> {
        match &self.matcher {
            MatchEngine::Shape(_) => {
                let whole = self.captures(text).and_then(|groups| groups.get(0));
                whole.into_iter().take(most).collect()
            }
            MatchEngine::Engine(engine) | MatchEngine::BigEngine(engine) => {
                let found = engine.find_iter(text).take(most);
                found.map(|found| found.as_str()).collect()
            }
        }
    }

    /// The groups of the first match.
    #[must_use]
    pub fn captures<'t>(&self, text: &'t str) -> Option<Captures<'_, 't>> {
        let groups = match &self.matcher {
            MatchEngine::Shape(shape) => MatchGroups::Shape(shape.groups(text)?),
            MatchEngine::Engine(engine) | MatchEngine::BigEngine(engine) => {
                MatchGroups::Engine(engine.captures(text)?)
            }
        };
        Some(Captures {
            text,
            groups,
            names: &self.names,
        })
    }

    /// The text with every match replaced by the expanded template, as Go's `ReplaceAllString` does.
    #[must_use]
    pub fn replace_all<'t>(&self, text: &'t str, template: &Template) -> Cow<'t, str> {
        self.replace_all_within(usize::MAX, text, template)
            .unwrap_or(Cow::Borrowed(text))
    }

    /// Replaces all matches. `None` if they are replaced by more than `max` bytes.
    pub fn replace_all_within<'t>(
        &self,
        max: usize,
        text: &'t str,
        template: &Template,
    ) -> Option<Cow<'t, str>> {
        let engine = match &self.matcher {
            // There is but one match, that of the whole.
            MatchEngine::Shape(_) => {
                return match self.captures(text) {
                    None => Some(Cow::Borrowed(text)),
                    Some(whole) => whole.expand_within(max, template).map(Cow::Owned),
                };
            }
            MatchEngine::Engine(engine) | MatchEngine::BigEngine(engine) => engine,
        };
        let mut left = Some(max);
        let replaced = engine.replace_all(text, |groups: &regex::Captures<'_>| {
            let expanded = template.expand(
                left.unwrap_or_default(),
                |group| groups.get(group).map(|m| m.as_str()),
                |name| {
                    named(&self.names, name, |group| {
                        groups.get(group).map(|m| m.as_str())
                    })
                },
            );
            left = expanded
                .as_ref()
                .and_then(|expanded| left?.checked_sub(expanded.len()));
            expanded.unwrap_or_default()
        });
        left.map(|_| replaced)
    }

    /// The number of groups, without the whole match.
    #[must_use]
    pub fn n_groups(&self) -> usize {
        self.names.len() - 1
    }
}

impl<'t> Captures<'_, 't> {
    /// The text of a group by number; 0 is the whole match. `None` if the group took no part.
    #[must_use]
    pub fn get(&self, group: usize) -> Option<&'t str> {
        self.range(group).map(|range| &self.text[range])
    }

    /// The place of a group in the text, in bytes.
    #[must_use]
    pub fn range(&self, group: usize) -> Option<Range<usize>> {
        match &self.groups {
            MatchGroups::Shape(groups) => shape::range(groups, group),
            MatchGroups::Engine(groups) => groups.get(group).map(|m| m.range()),
        }
    }

    /// The text of the first group of that name that took part in the match.
    #[must_use]
    pub fn name(&self, name: &str) -> Option<&'t str> {
        named(self.names, name, |group| self.get(group))
    }

    /// The template with its references replaced, as Go's `Expand` does; what took no part is empty.
    #[must_use]
    pub fn expand(&self, template: &Template) -> String {
        self.expand_within(usize::MAX, template).unwrap_or_default()
    }

    /// Expands a template. `None` if the result exceeds `max` bytes.
    pub fn expand_within(&self, max: usize, template: &Template) -> Option<String> {
        template.expand(max, |group| self.get(group), |name| self.name(name))
    }
}

/// The pattern as the engine has it.
fn engine(root: &ast::RegexNode, max_bytes: usize) -> Result<MatchEngine, regex::Error> {
    let translated = translate::translate(root);
    let build = |size_limit| {
        regex::RegexBuilder::new(&translated)
            .size_limit(size_limit)
            .dfa_size_limit(ENGINE_CACHE_BYTES)
            // The translation nests deeper than Go's own tree.
            .nest_limit(parse::MAX_HEIGHT * 4)
            .build()
    };
    // The small limit first, so that a big expression is known as one.
    match build(SMALL_ENGINE_BYTES.min(max_bytes)) {
        Err(_) if max_bytes > SMALL_ENGINE_BYTES => build(max_bytes).map(MatchEngine::BigEngine),
        built => built.map(MatchEngine::Engine),
    }
}

fn named<'t>(
    names: &[Option<String>],
    name: &str,
    get: impl Fn(usize) -> Option<&'t str>,
) -> Option<&'t str> {
    names
        .iter()
        .enumerate()
        .filter(|(_, n)| n.as_deref() == Some(name))
        .find_map(|(group, _)| get(group))
}

fn with_anchors(pattern: &str) -> String {
    [ANCHORS.0, pattern, ANCHORS.1].concat()
}

fn without_anchors(mut error: RegexError, pattern: &str) -> RegexError {
    let shift = |at: usize| at.saturating_sub(ANCHORS.0.len()).min(pattern.len());
    error.span = shift(error.span.start)..shift(error.span.end);
    error
}

/// Escapes the special characters of regular expressions, as Go does.
#[must_use]
pub fn quote_meta(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests;
