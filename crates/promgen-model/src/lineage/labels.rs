//! The labels of series, or of targets: for each name, the values that it can have.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::lineage::values::LabelValues;

/// The labels of series of one sort.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeriesLabels {
    named: BTreeMap<String, LabelValues>,
    /// There may be labels beside those that are named.
    is_open: bool,
    /// Names begin so whose labels may have any value.
    families: BTreeSet<&'static str>,
}

impl SeriesLabels {
    /// No labels.
    #[must_use]
    pub fn closed() -> Self {
        Self {
            named: BTreeMap::new(),
            is_open: false,
            families: BTreeSet::new(),
        }
    }

    /// Any labels.
    #[must_use]
    pub fn of_anything() -> &'static Self {
        static ANYTHING: LazyLock<SeriesLabels> = LazyLock::new(SeriesLabels::open);
        &ANYTHING
    }

    /// Any labels.
    #[must_use]
    pub fn open() -> Self {
        Self {
            is_open: true,
            ..Self::closed()
        }
    }

    /// The values of a label.
    #[must_use]
    pub fn get(&self, name: &str) -> &LabelValues {
        static ANYTHING: LazyLock<LabelValues> = LazyLock::new(LabelValues::anything);
        static ABSENT: LazyLock<LabelValues> = LazyLock::new(LabelValues::absent);
        match self.named.get(name) {
            Some(values) => values,
            None if self.is_open || self.families.iter().any(|family| name.starts_with(family)) => {
                &ANYTHING
            }
            None => &ABSENT,
        }
    }

    /// The values of a label of any of these series. `None` if there are none.
    pub fn values<'s>(
        series: impl IntoIterator<Item = &'s Self>,
        name: &str,
    ) -> Option<LabelValues> {
        let values = series.into_iter().map(|labels| labels.get(name).clone());
        values.reduce(|one, other| one.or(&other))
    }

    /// The values of a label that is named.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&LabelValues> {
        self.named.get(name)
    }

    /// Sets a label.
    pub fn set(&mut self, name: impl Into<String>, values: LabelValues) {
        self.named.insert(name.into(), values);
    }

    /// Sets a label to one value.
    pub fn set_text(&mut self, name: impl Into<String>, text: &str) {
        self.set(name, LabelValues::exact(text));
    }

    /// Leaves open what the labels are whose names begin so.
    pub fn leave_open(&mut self, family: &'static str) {
        self.families.insert(family);
    }

    /// Leaves open which labels there are beside those that are named.
    pub const fn open_others(&mut self) {
        self.is_open = true;
    }

    /// Returns whether there may be labels beside those that are named.
    #[must_use]
    pub const fn has_others(&self) -> bool {
        self.is_open
    }

    /// The families whose names begin so, or whose beginning the name is.
    pub(crate) fn has_family(&self, text: &str) -> bool {
        self.families
            .iter()
            .any(|family| family.starts_with(text) || text.starts_with(family))
    }

    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.named.keys().map(String::as_str)
    }

    /// Labels with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &LabelValues)> {
        self.named
            .iter()
            .map(|(name, values)| (name.as_str(), values))
    }

    /// Any label may have any value from here on, beside the one that it has.
    pub(crate) fn forget(&mut self) {
        for values in self.named.values_mut() {
            *values = values.or(&LabelValues::anything());
        }
        self.is_open = true;
    }

    /// Drops the labels that end with the scrape: those with two underscores in front.
    pub(crate) fn drop_internal(&mut self) {
        self.named
            .retain(|name, values| !name.starts_with("__") && values.known() != Some(""));
        self.families = BTreeSet::new();
    }

    /// These labels and no others.
    #[must_use]
    pub fn among<'l>(&self, names: impl IntoIterator<Item = &'l str>) -> Self {
        let mut among = Self::closed();
        names
            .into_iter()
            .for_each(|name| among.set(name, self.get(name).clone()));
        among
    }

    /// The labels without these.
    #[must_use]
    pub fn without<'l>(&self, names: impl IntoIterator<Item = &'l str>) -> Self {
        let mut without = self.clone();
        names
            .into_iter()
            .for_each(|name| without.set(name, LabelValues::absent()));
        without
    }
}
