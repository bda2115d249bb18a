//! Label names and values: text that is cheap to copy.
//!
//! A name occurs on thousands of targets, and so does the value of an annotation. Both are stored once and shared.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use promgen_prometheus::relabel::LabelSet;

/// The labels of a target, by name. A value may be empty: discovery creates such labels, and they hide those of the
/// group; relabeling treats such a label as missing.
pub type TargetLabels = BTreeMap<Text, Text>;

/// The labels that rules see: those with a value.
#[must_use]
pub fn label_set(labels: &TargetLabels) -> LabelSet {
    labels
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}

/// Adds labels, as far as they are known.
pub(crate) fn set_known<const N: usize>(
    labels: &mut TargetLabels,
    known: [(Text, Option<Text>); N],
) {
    labels.extend(
        known
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?))),
    );
}

/// A text that copies without copying its bytes. Compares, sorts and hashes as the `str` that it is.
///
/// ```
/// use promgen_targets::discovery::{TargetLabels, Text};
///
/// let labels = TargetLabels::from([(Text::from_static("job"), Text::from("api".to_owned()))]);
/// assert_eq!(&*labels["job"], "api");
/// ```
#[derive(Clone)]
pub struct Text(Inner);

#[derive(Clone)]
enum Inner {
    Static(&'static str),
    Shared(Arc<str>),
}

impl Text {
    /// A text of the program itself.
    #[must_use]
    pub const fn from_static(text: &'static str) -> Self {
        Self(Inner::Static(text))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Inner::Static(text) => text,
            Inner::Shared(text) => text,
        }
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        match text {
            "" => Self::from_static(""),
            text => Self(Inner::Shared(Arc::from(text))),
        }
    }
}

impl From<Option<&str>> for Text {
    fn from(text: Option<&str>) -> Self {
        Self::from(text.unwrap_or_default())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<&String> for Text {
    fn from(text: &String) -> Self {
        Self::from(text.as_str())
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Text {}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

/// The name of a label of Kubernetes discovery.
macro_rules! meta {
    ($name:literal) => {
        $crate::discovery::Text::from_static(concat!("__meta_kubernetes_", $name))
    };
}
pub(super) use meta;

/// `true` or `false`.
pub(super) const fn bool_text(value: bool) -> Text {
    Text::from_static(if value { "true" } else { "false" })
}

/// A pool of texts, which stores equal texts once.
#[derive(Debug, Default)]
pub(super) struct Pool(BTreeSet<Text>);

impl Pool {
    /// The stored text that is equal to this one.
    pub(super) fn share(&mut self, text: &str) -> Text {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let new = Text::from(text);
        self.0.insert(new.clone());
        new
    }
}
