//! A value of the set with its place, and the findings about it, in Kubernetes' words.

use std::cell::RefCell;

use super::PodFault;
use promgen_text::go::quote::quote;
use promgen_text::route::Path;
use promgen_text::yaml::{Map, Value};

/// A value of the set, if it is there, and its place.
#[derive(Clone, Copy)]
pub(super) struct PodField<'v, 'p> {
    /// The value.
    pub(super) value: Option<&'v Value>,
    at: Path<'p>,
    found: &'p RefCell<Vec<PodFault>>,
}

impl<'v, 'p> PodField<'v, 'p> {
    /// The set itself, and the place for what is found in it.
    pub(super) const fn root(set: &'v Value, found: &'p RefCell<Vec<PodFault>>) -> Self {
        Self {
            value: Some(set),
            at: Path::root(),
            found,
        }
    }

    /// The field of that name.
    pub(super) fn get<'q>(&'q self, key: &'q str) -> PodField<'v, 'q> {
        PodField {
            value: self.value.and_then(|value| value.get(key)),
            at: self.at.key(key),
            found: self.found,
        }
    }

    /// Runs a check of each item of the list of that name.
    pub(super) fn each(&self, key: &str, mut check: impl FnMut(&PodField<'v, '_>)) {
        let list = self.get(key);
        for (index, item) in list.items().iter().enumerate() {
            check(&PodField {
                value: Some(item),
                at: list.at.index(index),
                found: list.found,
            });
        }
    }

    /// The items of a list, which may be absent.
    pub(super) fn items(&self) -> &'v [Value] {
        self.value.and_then(Value::as_seq).unwrap_or_default()
    }

    /// The entries of a map, which may be absent.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&'v str, &'v Value)> + use<'v> {
        let map = self.value.and_then(Value::as_map);
        map.into_iter()
            .flat_map(Map::iter)
            .map(|(key, value)| (&**key, value))
    }

    /// Returns whether there is a value that is not null.
    pub(super) fn is_set(&self) -> bool {
        self.value.is_some_and(|value| *value != Value::Null)
    }

    /// Returns whether a text is absent or empty.
    pub(super) fn is_empty(&self) -> bool {
        !self.is_set()
            || self
                .value
                .and_then(Value::as_str)
                .is_some_and(str::is_empty)
    }

    /// Returns whether it is that flag.
    pub(super) fn is(&self, flag: bool) -> bool {
        self.value == Some(&Value::Bool(flag))
    }

    /// A text, or what stands for it; empty if there is none.
    pub(super) fn text(&self) -> &'v str {
        self.value.and_then(Value::as_str).unwrap_or_default()
    }

    /// A text that is known and not empty.
    pub(super) fn known_text(&self) -> Option<&'v str> {
        match self.value? {
            Value::Str(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// A whole number.
    pub(super) fn integer(&self) -> Option<i64> {
        match self.value? {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// Reports something in words of its own.
    pub(super) fn fault(&self, why: impl Into<String>) {
        self.found.borrow_mut().push(PodFault {
            route: self.at.to_route(),
            why: why.into(),
        });
    }

    /// Reports that there is no value.
    pub(super) fn required(&self) {
        self.fault("Required value");
    }

    /// Reports that there is no value, and why there must be one.
    pub(super) fn required_as(&self, why: &str) {
        self.fault(format!("Required value: {why}"));
    }

    /// Reports a text.
    pub(super) fn invalid(&self, text: &str, why: &str) {
        self.fault(format!("Invalid value: {}: {why}", quote(text)));
    }

    /// Reports a number that is not as it must be.
    pub(super) fn number(&self, is_fine: impl Fn(i64) -> bool, why: &str) {
        if let Some(number) = self.integer().filter(|number| !is_fine(*number)) {
            self.fault(format!("Invalid value: {number}: {why}"));
        }
    }

    /// Reports the number of a port that is none.
    pub(super) fn port_number(&self) {
        self.number(
            |number| (1..=65_535).contains(&number),
            "must be between 1 and 65535, inclusive",
        );
    }

    /// Reports what may not stand there.
    pub(super) fn forbidden(&self, why: &str) {
        self.fault(format!("Forbidden: {why}"));
    }

    /// Reports what is there twice.
    pub(super) fn duplicate(&self, text: &str) {
        self.fault(format!("Duplicate value: {}", quote(text)));
    }

    /// Reports what does not exist.
    pub(super) fn not_found(&self, name: &str) {
        self.fault(format!("Not found: {}", quote(name)));
    }

    /// Reports a text that is none of those that Kubernetes knows.
    pub(super) fn one_of(&self, supported: &[&str]) {
        if let Some(Value::Str(text)) = self.value {
            self.supported(text, supported);
        }
    }

    /// Reports a text that is none of these.
    pub(super) fn supported(&self, text: &str, supported: &[&str]) {
        if !supported.contains(&text) {
            let supported: Vec<String> = supported.iter().map(|text| quote(text)).collect();
            self.fault(format!(
                "Unsupported value: {}: supported values: {}",
                quote(text),
                supported.join(", ")
            ));
        }
    }

    /// Reports a text that is not empty and none of those that Kubernetes knows.
    pub(super) fn empty_or_one_of(&self, supported: &[&str]) {
        if !self.is_empty() {
            self.one_of(supported);
        }
    }

    /// Reports all complaints about a text.
    pub(super) fn complaints(&self, text: &str, complaints: fn(&str) -> Vec<String>) {
        complaints(text)
            .iter()
            .for_each(|why| self.invalid(text, why));
    }

    /// Reports all complaints about a text, if it is known.
    pub(super) fn formed(&self, complaints: fn(&str) -> Vec<String>) {
        if let Some(text) = self.known_text() {
            self.complaints(text, complaints);
        }
    }

    /// The same for a text that must not be empty.
    pub(super) fn required_formed(&self, complaints: fn(&str) -> Vec<String>) {
        self.formed(complaints);
        if self.is_empty() {
            self.required();
        }
    }
}
