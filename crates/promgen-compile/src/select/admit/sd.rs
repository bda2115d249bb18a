//! Service discoveries of ScrapeConfigs: the description of a kind, and the checks, in the operator's order and with
//! its messages.
//!
//! A kind is a row of the [table](KINDS), which names the fields of an entry as the CRD does. Checks are made here, sections
//! are written in `lower`, both by the same rows.

mod table;
#[cfg(test)]
mod tests;

use crate::section::{Gated, SectionEntry, SectionField, selector};
use crate::select::admit::{Admission, Check, InField, Refusal, Refuse, http};
use promgen_resources::api::scraping::scrape_config::ScrapeConfigSpec;
use promgen_resources::gates::Gate;
use promgen_resources::http_config::{Client, ClientPart};
use promgen_text::go::url::Url;
use promgen_text::route::Path;
use promgen_text::yaml::encode::EncodeFields;
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
    pub entries: for<'a> fn(&'a ScrapeConfigSpec) -> Vec<SectionEntry<'a>>,
    /// Messages about the gates of fields contain the index of the entry.
    has_numbered_gates: bool,
    /// The checks of an entry, in order, after the gates of its fields.
    tests: &'static [SdCheck],
    /// The fields in the generated section, in order.
    pub output: &'static [SectionField],
}

/// The entries of a list of the API.
fn entries<'a, T: EncodeFields>(
    list: &'a Option<Vec<T>>,
    client: impl Fn(&'a T) -> Client<'a>,
) -> Vec<SectionEntry<'a>> {
    list.iter()
        .flatten()
        .map(|item| SectionEntry::new(item, client(item)))
        .collect()
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
    With(fn(&mut Admission<'_>, &Path<'_>, &SectionEntry<'_>) -> Check),
    /// Any other check, where the operator's message has a space after the index of the entry.
    Spaced(fn(&mut Admission<'_>, &Path<'_>, &SectionEntry<'_>) -> Check),
}

/// Checks all discoveries of a ScrapeConfig.
///
/// # Errors
/// The first thing that is wrong.
pub(super) fn discoveries(
    cx: &mut Admission<'_>,
    spec_path: &Path<'_>,
    spec: &ScrapeConfigSpec,
) -> Check {
    KINDS.iter().try_for_each(|kind| {
        check(cx, &spec_path.key(kind.field), kind, spec).within(kind.prefix.unwrap_or(kind.field))
    })
}

fn check(cx: &mut Admission<'_>, list: &Path<'_>, kind: &SdKind, spec: &ScrapeConfigSpec) -> Check {
    if let Some((gate, what)) = kind.gate {
        supported(cx, list, gate, what, FOR)?;
    }
    let entries = (kind.entries)(spec);
    if let Some((gates, message)) = kind.replaced.filter(|_| !entries.is_empty())
        && gates.iter().all(|gate| cx.cx.has(gate))
    {
        return list.refuse(message);
    }
    for (index, entry) in entries.iter().enumerate() {
        let (path, number) = (list.index(index), format!("[{index}]"));
        let known = gates(cx, &path, kind, entry);
        if kind.has_numbered_gates {
            known.within(&number)
        } else {
            known
        }?;
        for test in kind.tests {
            let spaced = if matches!(test, SdCheck::Spaced(_)) {
                " "
            } else {
                ""
            };
            run(cx, &path, test, entry).within(&format!("{number}{spaced}"))?;
        }
    }
    Ok(())
}

/// Refuses fields, or values of fields, that the version lacks.
fn gates(cx: &Admission<'_>, path: &Path<'_>, kind: &SdKind, entry: &SectionEntry<'_>) -> Check {
    for field in kind.output {
        let Some(value) = entry.get(field.key) else {
            continue;
        };
        let refusing = |gated: &&Gated| gated.refuses(cx.cx.versions) && gated.concerns(value);
        for gated in field.gates().filter(refusing) {
            let (what, since) = gated.words;
            supported(cx, &path.key(field.key), gated.gate, what, since)?;
        }
    }
    Ok(())
}

fn run(cx: &mut Admission<'_>, path: &Path<'_>, test: &SdCheck, entry: &SectionEntry<'_>) -> Check {
    match test {
        SdCheck::Client(parts) => http::client(cx, path, &entry.client, parts),
        SdCheck::Since(gate, _) if !cx.cx.has(gate) => Ok(()),
        SdCheck::Since(_, check) => run(cx, path, check, entry),
        SdCheck::Url(key) => url(&path.key(key), entry.text(key)).map(|_| ()),
        SdCheck::Server(key) => server(&path.key(key), entry.text(key)),
        SdCheck::Secret(key) => entry.get(key).map_or(Ok(()), |value| {
            http::secret(cx, &path.key(key), &selector(value))
        }),
        SdCheck::With(check) | SdCheck::Spaced(check) => check(cx, path, entry),
    }
}

/// The operator's phrase in front of a version.
const FOR: &str = "for Prometheus version >=";

/// Refuses, on versions without it, a discovery or one of its fields.
fn supported(cx: &Admission<'_>, path: &Path<'_>, gate: &Gate, what: &str, since: &str) -> Check {
    if cx.cx.has(gate) {
        return Ok(());
    }
    path.refuse(format!(
        "{what} is only supported {since} {}",
        gate.since.release()
    ))
}

/// A URL that Go can read.
fn url(path: &Path<'_>, text: &str) -> Result<Url, Refusal> {
    Url::parse(text).map_err(|message| Refusal::new(path, message))
}

/// A URL with scheme and host.
fn server(path: &Path<'_>, text: &str) -> Check {
    let url = Url::parse(text)
        .map_err(|error| Refusal::new(path, format!("cannot parse server: {error}")))?;
    if url.scheme.is_empty() || url.host.is_empty() {
        return path.refuse(format!("must not be empty and have a scheme: {text}"));
    }
    Ok(())
}
