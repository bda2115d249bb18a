//! Rules with stable codes, and their diagnostics.
//!
//! Every diagnostic belongs to a [`LintRule`]. Those of promgen are declared with `rules!` in the file that raises them, so that
//! `promgen rule CODE` always has an answer; policies are made at run time. A phase reports to a [`Sink`] and goes on; nothing here prints.

pub mod format;

pub mod count;
pub mod escape;
pub mod fingerprint;
pub mod fix;
pub mod pattern;
pub mod region;
mod rule;
#[doc(hidden)]
pub mod sample;
mod sink;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use crate::diag::fix::Fix;
pub use crate::diag::rule::{LintRule, POLICY, RuleRef};
pub use crate::diag::sink::{MAX_FINDINGS, Sink, UncheckedThing};
use crate::route::{At, DocId};
use crate::source::Span;

crate::answers! {
    (Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize) (pub)

    /// The severity of a finding.
    enum Level {
        /// Information; no action required.
        Info,
        /// Works, but most likely not as intended.
        Warning,
        /// Does not work: the resource is refused, or the result is wrong.
        Error,
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// Declares the [`LintRule`]s of a module, and lists them as `RULES`. They are as visible as the module: the doc comment is what
/// `promgen explain` shows, and a rule is as old as the linter where nothing else is said.
#[macro_export]
#[doc(hidden)]
macro_rules! rules {
    (@since) => { "0.1.0" };
    (@since $since:literal) => { $since };
    ($($(#[doc = $doc:literal])+ $id:ident = $code:literal $name:literal $level:ident $(since $since:literal)?: $summary:literal;)+) => {
        $(
            $(#[doc = $doc])+
            #[allow(unreachable_pub, reason = "the module says who sees it")]
            pub static $id: $crate::diag::LintRule = $crate::diag::LintRule {
                code: std::borrow::Cow::Borrowed($code),
                name: std::borrow::Cow::Borrowed($name),
                summary: std::borrow::Cow::Borrowed($summary),
                explanation: std::borrow::Cow::Borrowed(concat!($($doc, "\n"),+)),
                level: $crate::diag::Level::$level,
                since: $crate::diag::rules!(@since $($since)?),
            };
        )+

        /// The rules of this module.
        #[allow(dead_code, unreachable_pub, reason = "the module says who sees it")]
        pub const RULES: &[&$crate::diag::LintRule] = &[$(&$id),+];
    };
}
pub use rules;

/// The place of a finding: a place in a document, or bytes of a file where no document could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A value of a document. Resolved to its nearest present parent when it is absent.
    At(At),
    /// The key of that value, rather than the value.
    Key(At),
    /// A part of that value, which is a text: bytes of the value, not of the file.
    Within(At, Range<usize>),
    /// Bytes of a file.
    Span(Span),
}

impl Place {
    /// The place in a document. `None` for bytes of a file.
    #[must_use]
    pub const fn at(&self) -> Option<&At> {
        match self {
            Self::At(at) | Self::Key(at) | Self::Within(at, _) => Some(at),
            Self::Span(_) => None,
        }
    }

    /// The bytes of a file. `None` for a place in a document, which is known when the finding is shown.
    #[must_use]
    pub const fn bytes(&self) -> Option<Span> {
        match self {
            Self::Span(span) => Some(*span),
            _ => None,
        }
    }
}

impl From<At> for Place {
    fn from(at: At) -> Self {
        Self::At(at)
    }
}

impl From<Span> for Place {
    fn from(span: Span) -> Self {
        Self::Span(span)
    }
}

/// The resource that a finding is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    /// Its kind.
    pub kind: &'static str,
    /// Its namespace; empty for kinds that live in none.
    pub namespace: String,
    /// Its name; empty if it has none.
    pub name: String,
}

impl fmt::Display for Subject {
    /// `Kind/namespace/name`, or `Kind/name`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            namespace,
            name,
        } = self;
        if namespace.is_empty() {
            write!(f, "{kind}/{name}")
        } else {
            write!(f, "{kind}/{namespace}/{name}")
        }
    }
}

/// One finding.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The rule that it breaks.
    pub rule: RuleRef,
    /// Its level here.
    pub level: Level,
    /// Lower case, no full stop; names the value seen.
    pub message: String,
    /// The message without any text of the source, where it has some: it takes the message's place where the source may be
    /// a Secret.
    pub redacted: Option<Cow<'static, str>>,
    /// Where. `None` for what has no place, such as a missing input.
    pub place: Option<Place>,
    /// The text below the marked source.
    pub label: Option<String>,
    /// Other places that matter, each with its text.
    pub related: Vec<(Place, String)>,
    /// The advice.
    pub help: Vec<String>,
    /// A change of the text that fixes it.
    pub fix: Option<Box<Fix>>,
    /// The place in the text, filled in at the end of the run; `related` likewise.
    pub span: Option<Span>,
    /// Spans of `related`.
    pub related_spans: Vec<Span>,
    /// The resource that it is about, filled in at the end of the run.
    pub resource: Option<Subject>,
    /// The numbers of the environments that it is a finding of, filled in at the end of the run. Empty if there is only one, or
    /// if it is about none of them.
    pub environments: Vec<usize>,
    /// Whether it quotes names of fields alone: those are no secrets, whatever the values in the text are.
    pub quotes_fields: bool,
    /// Whether the marked text is a secret, set by the reporter.
    pub is_secret: bool,
    /// Whether nothing of the source may be shown, because there is a secret in it. Filled in at the end of the run.
    pub is_hidden: bool,
}

impl Diagnostic {
    /// A finding of `rule` at `place`.
    pub fn new(
        rule: impl Into<RuleRef>,
        place: impl Into<Place>,
        message: impl Into<String>,
    ) -> Self {
        let mut diagnostic = Self::placeless(rule, message);
        diagnostic.place = Some(place.into());
        diagnostic
    }

    /// A finding that has no place in any text.
    pub fn placeless(rule: impl Into<RuleRef>, message: impl Into<String>) -> Self {
        let rule = rule.into();
        Self {
            level: rule.level,
            rule,
            message: message.into(),
            redacted: None,
            place: None,
            label: None,
            related: Vec::new(),
            help: Vec::new(),
            fix: None,
            span: None,
            related_spans: Vec::new(),
            resource: None,
            environments: Vec::new(),
            quotes_fields: false,
            is_secret: false,
            is_hidden: false,
        }
    }

    /// A finding of `rule` at a place, if it has one in a text.
    pub fn at_some(
        rule: impl Into<RuleRef>,
        place: Option<impl Into<Place>>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            place: place.map(Into::into),
            ..Self::placeless(rule, message)
        }
    }

    /// The message for a place where its text may be a Secret.
    #[must_use]
    pub fn guarded_message(&self) -> String {
        let message = || self.message.clone();
        self.redacted.clone().map_or_else(message, Cow::into_owned)
    }

    /// Adds the text below the marked place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Adds each advice that there is.
    #[must_use]
    pub fn helps(mut self, helps: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.help.extend(helps.into_iter().map(Into::into));
        self
    }

    /// Adds a change of the text that fixes it.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Self {
        self.fix = Some(Box::new(fix));
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn related(mut self, place: impl Into<Place>, text: impl Into<String>) -> Self {
        self.related.push((place.into(), text.into()));
        self
    }

    /// Adds another place, if there is one.
    #[must_use]
    pub fn related_some(self, place: Option<Place>, text: impl Into<String>) -> Self {
        match place {
            Some(place) => self.related(place, text),
            None => self,
        }
    }

    /// Says that all that it quotes are names of fields.
    #[must_use]
    pub const fn of_fields(mut self) -> Self {
        self.quotes_fields = true;
        self
    }

    /// Marks the text as a secret, so that neither it nor its line is shown.
    #[must_use]
    pub const fn secret(mut self) -> Self {
        self.is_secret = true;
        self
    }

    /// Says that the document that it is about has that number.
    fn move_to(&mut self, doc: DocId) {
        let related = self.related.iter_mut().map(|(place, _)| place);
        for place in self.place.iter_mut().chain(related) {
            match place {
                Place::At(at) | Place::Key(at) | Place::Within(at, _) => at.doc = doc,
                Place::Span(_) => {}
            }
        }
        let changes = self.fix.iter_mut().flat_map(|fix| &mut fix.changes);
        changes.for_each(|change| change.move_to(doc));
    }

    /// Sets another level than the rule's.
    #[must_use]
    pub const fn level(mut self, level: Level) -> Self {
        self.level = level;
        self
    }
}
