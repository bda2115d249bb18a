//! What goes wrong in an expression, where it is read and where it is evaluated; and the fuel that an evaluation has.

use std::borrow::Cow;
use std::ops::Range;

/// A part of the text of an expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CelSpan {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last one.
    pub end: usize,
}

impl CelSpan {
    /// The bytes of the text.
    #[must_use]
    pub const fn range(self) -> Range<usize> {
        self.start..self.end
    }

    pub(crate) const fn to(self, other: Self) -> Self {
        Self {
            start: self.start,
            end: other.end,
        }
    }
}

/// Why a text is no expression, or what is wrong in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CelFault {
    /// What is wrong, in the style of a compiler.
    pub message: String,
    /// The place of the fault.
    pub span: CelSpan,
}

impl CelFault {
    pub(crate) fn new(message: impl Into<String>, span: CelSpan) -> Self {
        Self {
            message: message.into(),
            span,
        }
    }
}

/// Why an expression has no value, such as a key that is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CelError {
    /// What is wrong.
    pub message: Cow<'static, str>,
    /// The part of the expression that has no value.
    pub span: CelSpan,
}

/// What ends an evaluation early.
#[derive(Debug)]
pub(crate) enum CelStop {
    Error(Box<CelError>),
    /// There is no fuel left.
    Fuel,
}

pub(crate) type CelResult<T> = Result<T, CelStop>;

impl CelStop {
    /// An error at a place that the evaluation knows.
    pub(crate) fn error(message: impl Into<Cow<'static, str>>) -> Self {
        Self::Error(Box::new(CelError {
            message: message.into(),
            span: CelSpan::default(),
        }))
    }

    /// The innermost part that has no value is the place.
    pub(crate) fn at(mut self, span: CelSpan) -> Self {
        if let Self::Error(error) = &mut self
            && error.span == CelSpan::default()
        {
            error.span = span;
        }
        self
    }
}

/// The start of a text of a document, as messages have it.
pub(crate) fn short(text: &str) -> &str {
    let end = text.char_indices().map(|(at, _)| at).nth(40);
    end.map_or(text, |end| &text[..end])
}

/// The number of bytes that cost as much as a step.
const BYTES_OF_A_STEP: usize = 64;

/// The fuel of an evaluation.
pub(crate) struct CelMeter<'f>(pub(crate) &'f mut u64);

impl CelMeter<'_> {
    /// Takes the fuel of some steps.
    pub(crate) fn take(&mut self, steps: usize) -> CelResult<()> {
        match self.0.checked_sub(steps as u64) {
            Some(left) => {
                *self.0 = left;
                Ok(())
            }
            None => {
                *self.0 = 0;
                Err(CelStop::Fuel)
            }
        }
    }

    /// Takes the fuel for reading or copying a text.
    pub(crate) fn bytes(&mut self, bytes: usize) -> CelResult<()> {
        self.take(bytes / BYTES_OF_A_STEP)
    }
}
