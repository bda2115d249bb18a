//! Facts: what policies can ask of what is compiled. Each fact is a row: its name, its type, its meaning, and the function that
//! computes it once an expression asks.

pub mod endpoint;
pub(crate) mod object;
pub mod reference;
pub mod routing;
pub mod rule;
pub mod workload;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use promgen_cel::{CelObject, CelObjectType, CelText, CelType, CelValue};
use promgen_text::go::duration::PromDuration;

/// The version of the facts. A file of policies may ask for it, or for an earlier one.
pub const VERSION: u32 = 1;

/// The tables of facts that a policy can ask by a variable.
pub const VARIABLES: [&CelObjectType; 5] = [
    &rule::RULE,
    &endpoint::ENDPOINT,
    &workload::WORKLOAD,
    &routing::ROUTE,
    &routing::RECEIVER,
];

/// A list of values of a type.
pub(crate) const fn list_of(item: &'static CelType) -> CelType {
    CelType::list(item)
}

/// A map from texts to values of a type.
pub(crate) const fn map_of(value: &'static CelType) -> CelType {
    CelType::map(&CelType::Text, value)
}

/// The number of a fact.
fn position(table: &CelObjectType, name: &str) -> Option<usize> {
    table.fields.iter().position(|fact| fact.name == name)
}

/// What facts are computed from.
pub(crate) trait FactSource<'p>: Sync {
    /// Its facts.
    const TABLE: &'static CelObjectType;

    /// The value of a fact. `None`: it is absent.
    fn compute(&self, name: &str) -> Option<CelValue<'p>>;

    /// Returns whether a fact tells what stands in a Secret, so that no message may show it.
    fn is_secret(&self, _name: &str) -> bool {
        false
    }
}

/// Declares the facts of a type that computes them, or of values that other facts hold.
macro_rules! facts {
    (@table $vis:vis $table:ident, $title:literal, $($doc:literal)+, $({$($fact_doc:literal)+} $name:literal $of:expr),+) => {
        $(#[doc = $doc])+
        $vis static $table: promgen_cel::CelObjectType = promgen_cel::CelObjectType {
            name: $title,
            doc: concat!($($doc),+),
            fields: &[$(promgen_cel::CelField {
                name: $name,
                doc: concat!($($fact_doc),+),
                of: {
                    #[allow(unused_imports, clippy::enum_glob_use, reason = "a row needs one of them")]
                    use {$crate::facts::{list_of, map_of}, promgen_cel::CelType::*};
                    $of
                },
                is_optional: false,
            }),+],
        };
    };
    ($(#[doc = $doc:literal])+ $vis:vis $table:ident $title:literal: $source:ident<$first:lifetime $(, $more:lifetime)*>;
        $($(#[doc = $fact_doc:literal])+ $name:literal: $of:expr => $compute:expr;)+) => {
        $crate::facts::facts!(@table $vis $table, $title, $($doc)+, $({$($fact_doc)+} $name $of),+);

        impl<$first $(, $more)*> $crate::facts::FactSource<$first> for $source<$first $(, $more)*> {
            const TABLE: &'static promgen_cel::CelObjectType = &$table;

            fn compute(&self, name: &str) -> Option<promgen_cel::CelValue<$first>> {
                let compute: fn(&Self) -> Option<promgen_cel::CelValue<$first>> = match name {
                    $($name => $compute,)+
                    _ => return None,
                };
                compute(self)
            }

            fn is_secret(&self, name: &str) -> bool {
                $source::has_secret(self, name)
            }
        }
    };
    ($(#[doc = $doc:literal])+ $vis:vis $table:ident $title:literal;
        $($(#[doc = $fact_doc:literal])+ $name:literal: $of:expr;)+) => {
        $crate::facts::facts!(@table $vis $table, $title, $($doc)+, $({$($fact_doc)+} $name $of),+);
    };
}
pub(crate) use facts;

/// Facts of one thing: each is computed when it is asked for, and kept.
pub(crate) struct FactObject<'p, S> {
    source: S,
    values: Box<[OnceLock<Option<CelValue<'p>>>]>,
    /// A fact was asked for that tells what stands in a Secret.
    told_secret: AtomicBool,
}

impl<'p, S: FactSource<'p>> FactObject<'p, S> {
    pub(crate) fn new(source: S) -> Self {
        Self {
            source,
            values: S::TABLE.fields.iter().map(|_| OnceLock::new()).collect(),
            told_secret: AtomicBool::new(false),
        }
    }
}

/// Facts of one thing, whatever they are of.
pub(crate) trait PolicyFacts: CelObject {
    /// Returns whether a fact was asked for since the last time that tells what stands in a Secret.
    fn take_secret(&self) -> bool;
}

impl<'p, S: FactSource<'p>> PolicyFacts for FactObject<'p, S> {
    fn take_secret(&self) -> bool {
        self.told_secret.swap(false, Ordering::Relaxed)
    }
}

impl<'p, S: FactSource<'p>> CelObject for FactObject<'p, S> {
    fn field(&self, name: &str) -> Option<CelValue<'_>> {
        let value = &self.values[position(S::TABLE, name)?];
        let value = value.get_or_init(|| self.source.compute(name));
        if value.is_some() && self.source.is_secret(name) {
            self.told_secret.store(true, Ordering::Relaxed);
        }
        value.clone()
    }

    fn keys(&self) -> Vec<CelText<'_>> {
        let names = S::TABLE.fields.iter().map(|fact| fact.name);
        let present = names.filter(|name| self.field(name).is_some());
        present.map(CelText::Borrowed).collect()
    }
}

/// A text that is known.
pub(crate) fn text<'w>(text: impl Into<String>) -> CelValue<'w> {
    CelValue::text(text)
}

/// A text of what is compiled.
pub(crate) const fn borrowed(text: &str) -> CelValue<'_> {
    CelValue::Text(CelText::Borrowed(text))
}

/// A value that nobody knows.
pub(crate) fn unknown<'w>(why: impl Into<String>) -> CelValue<'w> {
    CelValue::Unknown(why.into().into())
}

pub(crate) fn list<'w>(items: impl IntoIterator<Item = CelValue<'w>>) -> CelValue<'w> {
    CelValue::List(items.into_iter().collect())
}

pub(crate) fn int<'w>(number: usize) -> CelValue<'w> {
    CelValue::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

/// An object with the fields that are there.
pub(crate) fn object<'w>(
    fields: impl IntoIterator<Item = (&'static str, Option<CelValue<'w>>)>,
) -> CelValue<'w> {
    let fields = fields.into_iter();
    let fields = fields.filter_map(|(name, value)| Some((borrowed(name), value?)));
    CelValue::map(fields.collect())
}

/// The nanoseconds of a millisecond.
const MILLISECOND: i64 = 1_000_000;

/// A length of time.
pub(crate) fn duration<'w>(length: PromDuration) -> CelValue<'w> {
    let millis = i64::try_from(length.millis).unwrap_or(i64::MAX);
    CelValue::Duration(millis.saturating_mul(MILLISECOND))
}

/// A length of time as it is written.
pub(crate) fn length<'w>(written: &str) -> CelValue<'w> {
    match PromDuration::parse(written) {
        Ok(length) => duration(length),
        Err(_) => unknown(format!("`{written}` is no length of time")),
    }
}
