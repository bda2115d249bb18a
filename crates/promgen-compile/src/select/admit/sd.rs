//! Service discoveries of ScrapeConfigs: the description of a kind, and the checks, in the operator's order and with
//! its messages.
//!
//! A kind is a row of the [table](KINDS), which names the fields of an entry as the CRD does. Checks are made here, sections
//! are written in `lower`, both by the same rows.

mod table;
#[cfg(test)]
mod tests;

use crate::select::admit::{Admission, Check, Refusal, Within, http};
use promgen_resources::api::core::SecretKeySelector;
use promgen_resources::api::scraping::scrape_config::ScrapeConfigSpec;
use promgen_resources::gates::{Gate, Unsupported, Versions};
use promgen_resources::http_config::{Client, ClientPart};
use promgen_text::go::url::Url;
use promgen_text::route::Path;
use promgen_text::yaml::encode::Encode;
use promgen_text::yaml::{Map, Value, to_value};
pub(crate) use table::{KINDS, check_secrets};

/// A kind of service discovery.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SdKind {
    /// Its field in the spec of a ScrapeConfig.
    pub field: &'static str,
    /// The prefix of the messages of its checks, if it is not the name of the field.
    prefix: Option<&'static str>,
    /// The versions that support it, and the operator's name for it. The operator checks this before it checks whether
    /// there are entries, and so refuses every ScrapeConfig on other versions.
    gate: Option<(&'static Gate, &'static str)>,
    /// The releases of the operator, and versions of Prometheus, for which its entries are refused, and the message.
    replaced: Option<([&'static Gate; 2], &'static str)>,
    /// The entries of a spec.
    pub entries: for<'a> fn(&'a ScrapeConfigSpec) -> Vec<SdEntry<'a>>,
    /// Whether messages about the gates of fields contain the index of the entry.
    has_numbered_gates: bool,
    /// The checks of an entry, in order, after the gates of its fields.
    tests: &'static [SdCheck],
    /// The fields in the generated section, in order.
    pub output: &'static [SdField],
}

/// An entry of a discovery.
#[derive(Debug)]
pub(crate) struct SdEntry<'a> {
    /// Its fields, by their names in the CRD.
    fields: Map,
    /// The client of its API.
    pub client: Client<'a>,
}

impl SdEntry<'_> {
    /// The value of a field, if it is set.
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.fields.get(key)
    }

    /// The text of a field, empty if it is not set.
    fn text(&self, key: &str) -> &str {
        self.get(key).and_then(Value::as_str).unwrap_or_default()
    }
}

/// The entries of a list of the API.
fn entries<'a, T: Encode>(list: &'a Option<Vec<T>>, client: impl Fn(&'a T) -> Client<'a>) -> Vec<SdEntry<'a>> {
    let entry = |item: &'a T| match to_value(item) {
        Value::Map(fields) => SdEntry { fields, client: client(item) },
        _ => SdEntry { fields: Map::new(), client: client(item) },
    };
    list.iter().flatten().map(entry).collect()
}

/// A check of an entry.
#[derive(Clone, Copy, Debug)]
enum SdCheck {
    /// Parts of its client, in order.
    Client(&'static [ClientPart]),
    /// A field is a URL that Go can read.
    Url(&'static str),
    /// A field is a URL with scheme and host. Operator: `validateServer`.
    Server(&'static str),
    /// A field names a key of a Secret, if it is set.
    Secret(&'static str),
    /// A check that later releases of the operator make.
    Since(&'static Gate, &'static Self),
    /// Any other check.
    With(fn(&mut Admission<'_>, &Path<'_>, &SdEntry<'_>) -> Check),
    /// Any other check, where the operator's message has a space after the index of the entry.
    Spaced(fn(&mut Admission<'_>, &Path<'_>, &SdEntry<'_>) -> Check),
}

/// A field of the generated section: a field of the entry, or parts of its client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SdField {
    /// The name in the CRD.
    pub key: &'static str,
    /// The name in the section.
    pub name: &'static str,
    /// The conversion of the value.
    pub how: SdConversion,
    /// When it is written.
    pub when: WriteWhen,
    /// The versions that have it, or have some of its values.
    pub gates: &'static [Gated],
}

/// The conversion of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SdConversion {
    /// Converts the value; `None` omits the field.
    To(fn(&Value) -> Option<Value>),
    /// As the text of the Secret's key that it names.
    Secret,
    /// As parts of a client.
    Client(&'static [ClientPart]),
    /// As the other fields of the entry have it.
    With(SdComputed),
}

/// A conversion that the other fields of the entry and the versions decide.
pub(super) type SdComputed = fn(&SdEntry<'_>, &Value, &Versions) -> ValueFate;

/// The result of a conversion.
#[derive(Debug)]
pub(crate) enum ValueFate {
    /// The value is written.
    Written(Value),
    /// The value is written for versions that support it.
    Gated(&'static Gate, Value),
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
    /// Unless another field is set, and why the field has no effect then if that is worth a finding.
    Without(&'static str, Option<&'static str>),
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
    words: (&'static str, &'static str),
}

impl Gated {
    /// Whether the operator refuses what the version of Prometheus lacks, rather than to omit it.
    pub(crate) fn refuses(&self, versions: &Versions) -> bool {
        self.gate.miss == Unsupported::Reject && self.checked.is_none_or(|since| versions.has(since))
    }

    /// Whether the operator omits what the version of Prometheus lacks. A value that it does not check is written.
    pub(crate) fn omits(&self, versions: &Versions) -> bool {
        self.gate.miss == Unsupported::Drop || self.value.is_none() && !self.refuses(versions)
    }

    /// Whether the gate is for this value.
    pub(crate) fn concerns(&self, value: &Value) -> bool {
        self.value.is_none_or(|about| value.as_str() == Some(about))
    }
}

/// The Secret's key that a value names.
pub(crate) fn selector(value: &Value) -> SecretKeySelector {
    let text = |key| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let optional = value.get("optional").map(|optional| *optional == Value::Bool(true));
    SecretKeySelector { key: text("key"), name: text("name"), optional }
}

/// Checks all discoveries of a ScrapeConfig.
///
/// # Errors
/// The first thing that is wrong.
pub(super) fn discoveries(cx: &mut Admission<'_>, spec_path: &Path<'_>, spec: &ScrapeConfigSpec) -> Check {
    KINDS.iter().try_for_each(|kind| {
        check(cx, &spec_path.key(kind.field), kind, spec).within(kind.prefix.unwrap_or(kind.field))
    })
}

fn check(cx: &mut Admission<'_>, list: &Path<'_>, kind: &SdKind, spec: &ScrapeConfigSpec) -> Check {
    if let Some((gate, what)) = kind.gate {
        supported(cx, list, gate, (what, FOR))?;
    }
    let entries = (kind.entries)(spec);
    if let Some((gates, message)) = kind.replaced.filter(|_| !entries.is_empty())
        && gates.iter().all(|gate| cx.cx.has(gate))
    {
        return Err(Refusal::new(list, message));
    }
    for (index, entry) in entries.iter().enumerate() {
        let (path, number) = (list.index(index), format!("[{index}]"));
        let known = gates(cx, &path, kind, entry);
        if kind.has_numbered_gates { known.within(&number) } else { known }?;
        for test in kind.tests {
            let spaced = if matches!(test, SdCheck::Spaced(_)) { " " } else { "" };
            run(cx, &path, test, entry).within(&format!("{number}{spaced}"))?;
        }
    }
    Ok(())
}

/// Refuses fields, or values of fields, that the version lacks.
fn gates(cx: &Admission<'_>, path: &Path<'_>, kind: &SdKind, entry: &SdEntry<'_>) -> Check {
    for field in kind.output {
        let Some(value) = entry.get(field.key) else { continue };
        let refusing = |gated: &&Gated| gated.refuses(cx.cx.versions) && gated.concerns(value);
        for gated in field.gates.iter().filter(refusing) {
            supported(cx, &path.key(field.key), gated.gate, gated.words)?;
        }
    }
    Ok(())
}

fn run(cx: &mut Admission<'_>, path: &Path<'_>, test: &SdCheck, entry: &SdEntry<'_>) -> Check {
    match test {
        SdCheck::Client(parts) => http::client(cx, path, &entry.client, parts),
        SdCheck::Since(gate, _) if !cx.cx.has(gate) => Ok(()),
        SdCheck::Since(_, check) => run(cx, path, check, entry),
        SdCheck::Url(key) => url(&path.key(key), entry.text(key)).map(|_| ()),
        SdCheck::Server(key) => server(&path.key(key), entry.text(key)),
        SdCheck::Secret(key) => {
            entry.get(key).map_or(Ok(()), |value| http::secret(cx, &path.key(key), &selector(value)))
        }
        SdCheck::With(check) | SdCheck::Spaced(check) => check(cx, path, entry),
    }
}

/// The operator's phrase in front of a version.
const FOR: &str = "for Prometheus version >= ";

/// Refuses, on versions without it, a discovery or one of its fields.
fn supported(cx: &Admission<'_>, path: &Path<'_>, gate: &Gate, (what, since): (&str, &str)) -> Check {
    if cx.cx.has(gate) {
        return Ok(());
    }
    Err(Refusal::new(path, format!("{what} is only supported {since}{}", gate.since.release())))
}

/// A URL that Go can read.
fn url(path: &Path<'_>, text: &str) -> Result<Url, Refusal> {
    Url::parse(text).map_err(|message| Refusal::new(path, message))
}

/// A URL with scheme and host.
fn server(path: &Path<'_>, text: &str) -> Check {
    let url = Url::parse(text).map_err(|error| Refusal::new(path, format!("cannot parse server: {error}")))?;
    if url.scheme.is_empty() || url.host.is_empty() {
        return Err(Refusal::new(path, format!("must not be empty and have a scheme: {text}")));
    }
    Ok(())
}
