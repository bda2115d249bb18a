//! The fields of a section of a configuration: a row for each, in the order of the section. A row names the field as the CRD
//! does and the key that it becomes, how its value is converted, and the versions that have it.
//!
//! `lower` writes sections by their rows, and admission checks service discoveries by them. What a row cannot say is a function
//! of it, or a value that whoever writes the section [sets](SectionEntry::set) before.

use promgen_resources::api::core::SecretKeySelector;
use promgen_resources::gates::{Gate, UnsupportedEffect, Versions};
use promgen_resources::http_config::{Client, ClientPart};
use promgen_text::yaml::encode::{EncodeFields, fields_of, object};
use promgen_text::yaml::{Map, Value};

/// An object of the API that becomes a section.
#[derive(Debug, Default)]
pub(crate) struct SectionEntry<'a> {
    /// Its fields, by their names in the CRD.
    fields: Map,
    /// The client of its API.
    pub client: Client<'a>,
}

impl<'a> SectionEntry<'a> {
    /// An object with its client.
    pub(crate) fn new(value: &dyn EncodeFields, client: Client<'a>) -> Self {
        Self {
            client,
            ..object(value).into()
        }
    }

    /// The needs of rows of an object: it may have much else.
    pub(crate) fn of(value: &dyn EncodeFields, rows: &[SectionField]) -> Self {
        let is_wanted = |name: &str| rows.iter().any(|row| row.key == name);
        Value::from(fields_of(value, is_wanted)).into()
    }

    /// The value of a field, if it is set.
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.fields.get(key)
    }

    /// The text of a field, empty if it is not set.
    pub(crate) fn text(&self, key: &str) -> &str {
        self.fields.text_or_empty(key)
    }

    /// The items of a field; none if it is no list.
    pub(crate) fn items(&self, key: &str) -> &[Value] {
        self.fields.items_of(key)
    }

    /// Sets a field of which the section has another value than the object.
    pub(crate) fn set(&mut self, key: &'static str, value: impl Into<Value>) {
        match self.fields.get_mut(key) {
            Some(old) => *old = value.into(),
            None => self.fields.push(key, value),
        }
    }
}

impl From<Value> for SectionEntry<'_> {
    fn from(value: Value) -> Self {
        let fields = if let Value::Map(fields) = value {
            fields
        } else {
            Map::new()
        };
        Self {
            fields,
            client: Client::default(),
        }
    }
}

/// A field of a section: a field of the API, or parts of a client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SectionField {
    /// The name in the CRD.
    pub key: &'static str,
    /// The name in the section.
    pub name: &'static str,
    /// The conversion of the value.
    pub how: FieldConversion,
    /// When it is written.
    pub when: WriteWhen,
    /// The versions that have it, or have some of its values.
    gates: [Option<Gated>; 2],
}

/// The conversion of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FieldConversion {
    /// Converts the value; `None` omits the field.
    To(fn(&Value) -> Option<Value>),
    /// As the text of the Secret's key that it names.
    Secret,
    /// As parts of a client.
    Client(&'static [ClientPart]),
    /// As a section of its own.
    Section(&'static [SectionField]),
    /// As the other fields of the object have it.
    With(ComputedField),
}

/// A conversion that the other fields of the object and the versions decide.
pub(crate) type ComputedField = fn(&SectionEntry<'_>, &Value, &Versions) -> ValueFate;

/// The result of a conversion.
#[derive(Debug)]
pub(crate) enum ValueFate {
    /// The value is written.
    Written(Value),
    /// The value is written for versions that support it.
    Gated(&'static Gate, Value),
    /// The field is left out.
    LeftOut,
    /// The value has no effect; the text is the reason.
    Unused(String),
    /// The value is written, and Prometheus refuses it: what it is, and the advice.
    Refused(Value, String, String),
}

/// When a field is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WriteWhen {
    /// Always.
    Always,
    /// If another field is set too.
    With(&'static str),
    /// If another field is set too, and the keys of Secrets that both name have a text.
    WithText(&'static str),
    /// Unless another field is set, and why the field has no effect then if that is worth a finding.
    Without(&'static str, Option<&'static str>),
    /// On versions without a feature.
    Before(&'static Gate),
    /// Never, and why.
    Never(&'static str),
}

/// A gate of a field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gated {
    /// The value that the gate is for; `None` for any value.
    value: Option<&'static str>,
    /// The gate. If its consequence is rejection, the resource is refused; else the field is dropped.
    pub gate: &'static Gate,
    /// The releases of the operator that check it, if not all do.
    checked: Option<&'static Gate>,
    /// Two parts of the operator's message: the feature, and the first version.
    pub words: (&'static str, &'static str),
}

impl Gated {
    /// A gate with the words of the message of the resource that is refused for it.
    pub(crate) const fn new(gate: &'static Gate, words: (&'static str, &'static str)) -> Self {
        Self {
            value: None,
            gate,
            checked: None,
            words,
        }
    }

    /// A gate for which no resource is refused.
    pub(crate) const fn dropped(gate: &'static Gate) -> Self {
        Self::new(gate, ("", ""))
    }

    /// The value that it is for.
    pub(crate) const fn of(self, value: &'static str) -> Self {
        Self {
            value: Some(value),
            ..self
        }
    }

    /// The releases of the operator that check it.
    pub(crate) const fn checked(self, since: &'static Gate) -> Self {
        Self {
            checked: Some(since),
            ..self
        }
    }

    /// Returns whether the operator refuses what the version of Prometheus lacks, rather than to omit it.
    pub(crate) fn refuses(&self, versions: &Versions) -> bool {
        self.gate.miss == UnsupportedEffect::Reject
            && self.checked.is_none_or(|since| versions.has(since))
    }

    /// Returns whether the operator omits what the version of Prometheus lacks. A value that it does not check is
    /// written.
    pub(crate) fn omits(&self, versions: &Versions) -> bool {
        self.gate.miss == UnsupportedEffect::Drop || self.value.is_none() && !self.refuses(versions)
    }

    /// Returns whether the gate is for this value.
    pub(crate) fn concerns(&self, value: &Value) -> bool {
        self.value.is_none_or(|about| value.as_str() == Some(about))
    }
}

impl SectionField {
    /// The versions that have it, or have some of its values.
    pub(crate) fn gates(&self) -> impl Iterator<Item = &Gated> {
        self.gates.iter().flatten()
    }

    /// With a gate. There are two at most.
    pub(crate) const fn gate(self, gated: Gated) -> Self {
        let gates = match self.gates {
            [None, _] => [Some(gated), None],
            [first, _] => [first, Some(gated)],
        };
        Self { gates, ..self }
    }

    /// With a gate for which no resource is refused.
    pub(crate) const fn needs(self, gate: &'static Gate) -> Self {
        self.gate(Gated::dropped(gate))
    }

    /// When it is written.
    pub(crate) const fn when(self, when: WriteWhen) -> Self {
        Self { when, ..self }
    }
}

const fn field(key: &'static str, name: &'static str, how: FieldConversion) -> SectionField {
    SectionField {
        key,
        name,
        how,
        when: WriteWhen::Always,
        gates: [None; 2],
    }
}

/// A value as it is, even if it is empty.
pub(crate) const fn plain(key: &'static str, name: &'static str) -> SectionField {
    to(key, name, |value| Some(value.clone()))
}

/// A value that a function converts.
pub(crate) const fn to(
    key: &'static str,
    name: &'static str,
    convert: fn(&Value) -> Option<Value>,
) -> SectionField {
    field(key, name, FieldConversion::To(convert))
}

/// The text of a Secret's key.
pub(crate) const fn secret(key: &'static str, name: &'static str) -> SectionField {
    field(key, name, FieldConversion::Secret)
}

/// A value that the other fields and the versions decide.
pub(crate) const fn computed(
    key: &'static str,
    name: &'static str,
    convert: ComputedField,
) -> SectionField {
    field(key, name, FieldConversion::With(convert))
}

/// A section within the section.
pub(crate) const fn section(
    key: &'static str,
    name: &'static str,
    rows: &'static [SectionField],
) -> SectionField {
    field(key, name, FieldConversion::Section(rows))
}

/// Parts of a client, with the field that their gates are about.
pub(crate) const fn part(key: &'static str, parts: &'static [ClientPart]) -> SectionField {
    field(key, "", FieldConversion::Client(parts))
}

/// Unless it is empty.
pub(crate) fn filled(value: &Value) -> Option<Value> {
    (*value == Value::Null || !value.is_blank()).then(|| value.clone())
}

/// Unless Go counts it as zero.
pub(crate) fn nonzero(value: &Value) -> Option<Value> {
    filled(value).filter(|value| !matches!(value, Value::Int(0) | Value::Bool(false)))
}

/// In lower case.
pub(crate) fn lower(value: &Value) -> Option<Value> {
    value.as_str().map(|text| text.to_lowercase().into())
}

/// The Secret's key that a value names.
pub(crate) fn selector(value: &Value) -> SecretKeySelector {
    let text = |key| value.text_or_empty(key).to_owned();
    let optional = value
        .get("optional")
        .map(|optional| *optional == Value::Bool(true));
    SecretKeySelector {
        key: text("key"),
        name: text("name"),
        optional,
    }
}
