//! Releases that Helm renders: what it is asked, and the objects that it gives.
//!
//! Helm says nothing about places: an object stands where the release names its chart. A text that repeats a secret value keeps
//! the place of that value, and is hidden with it.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use promgen_resources::rendered::{ChartRef, NamedChart, Rendered, Request};
use promgen_resources::secrecy::REDACTED;
use promgen_text::diag::{Diagnostic, Sink};
use promgen_text::go::quote::quote;
use promgen_text::go::url::percent_encoded;
use promgen_text::origin::Applier;
use promgen_text::source::{FileId, Span};
use promgen_text::yaml::emit::to_json;
use promgen_text::yaml::read::{INVALID_YAML, read};
use promgen_text::yaml::{Data, Node, Value};

use super::node::{place, printed, set, text};
use super::objects::{ReleaseObject, ReleaseObjects};
use super::private;
use super::release::ChartRelease;
use super::rules::NOT_RENDERED;
use crate::id::Id;

/// The text that Helm writes at the start of each document, before the path of the template.
const SOURCE: &str = "# Source: ";

/// The shortest secret that is looked for in what Helm renders: others stand everywhere.
const MIN_SECRET: usize = 4;

/// The shortest secret that is looked for as a part of a text.
const MIN_HELD: usize = 8;

/// The longest message of Helm that is shown.
const MAX_MESSAGE: usize = 300;

/// The namespace of a release that names none.
const DEFAULT_NAMESPACE: &str = "default";

/// The question to Helm for a release of that chart.
pub(super) fn request(release: &ChartRelease, chart: ChartRef) -> Request {
    Request {
        name: release.name.clone(),
        namespace: release
            .namespace
            .as_ref()
            .map_or(DEFAULT_NAMESPACE, |(name, _)| name)
            .to_owned(),
        chart,
        values: to_json(&release.values.root.to_value()),
        holds_secrets: !release.values.secret.is_empty(),
    }
}

/// A chart of a repository of charts, as a release names it.
pub(super) fn named(release: &ChartRelease) -> ChartRef {
    let url = release.repository.trim_end_matches('/');
    let is_whole = url.starts_with("oci://") && url.rsplit('/').next() == Some(&release.chart);
    let repository = if is_whole {
        url.rsplit_once('/').map_or(url, |(above, _)| above)
    } else {
        url
    };
    let version = release
        .version
        .clone()
        .filter(|version| version != "*")
        .unwrap_or_default();
    let named = NamedChart {
        repository: repository.to_owned(),
        name: release.chart.clone(),
        version,
    };
    ChartRef {
        named: Some(named),
        ..ChartRef::default()
    }
}

/// The result of Helm for a release.
pub(super) enum RenderOutcome {
    /// Its objects are in place.
    Rendered,
    /// Helm cannot render it.
    Refused,
    /// It was not asked yet.
    Unasked,
}

/// Puts the objects that Helm renders into what a release makes.
pub(super) fn take(
    release: &ChartRelease,
    rendered: &Rendered,
    made: &mut ReleaseObjects,
) -> RenderOutcome {
    let Some(request) = &release.request else {
        return RenderOutcome::Unasked;
    };
    let secrets = Secrets::of(release);
    let why = match rendered.get(request) {
        None => {
            made.sources.wanted = Some(request.clone());
            return RenderOutcome::Unasked;
        }
        Some(Ok(stream)) => match objects(stream, release, &secrets, made) {
            Some(()) => return RenderOutcome::Rendered,
            None => "what Helm renders is no YAML".to_owned(),
        },
        Some(Err(why)) => secrets.without(why),
    };
    let message = format!(
        "release {}: {} is not rendered: {why}",
        release.name, request.chart
    );
    made.found
        .push(Diagnostic::new(&NOT_RENDERED, release.place, message));
    RenderOutcome::Refused
}

/// The documents of a stream. `None` if it is broken.
fn objects(
    stream: &str,
    release: &ChartRelease,
    secrets: &Secrets,
    made: &mut ReleaseObjects,
) -> Option<()> {
    let mut sink = Sink::default();
    let documents = read(FileId::default(), stream, &mut sink);
    if sink
        .diagnostics()
        .iter()
        .any(|found| *found.rule == INVALID_YAML)
    {
        return None;
    }
    let templates = templates(stream);
    for document in documents {
        let mut root = Node::clone(&document.root);
        let start = root.span.start;
        if !root.is_map() || root.get("kind").is_none() {
            continue;
        }
        set_namespace(&mut root, release);
        place(&mut root, release.place);
        secrets.mark(&mut root);
        root.span = release.span;
        let template = templates
            .range(..=start)
            .next_back()
            .map(|(_, template)| Arc::from(*template));
        made.objects.push(ReleaseObject::new(
            root,
            template,
            release.values.secret.is_empty(),
        ));
    }
    Some(())
}

/// A text or a number.
fn scalar(node: &Node) -> Option<String> {
    if matches!(node.data, Data::Bool(_)) {
        None
    } else {
        printed(node)
    }
}

/// The templates that a stream names, each by the place where it does.
fn templates(stream: &str) -> BTreeMap<u32, &str> {
    let mut found = BTreeMap::new();
    let mut at = 0;
    for line in stream.split_inclusive('\n') {
        if let (Some(template), Ok(start)) = (line.strip_prefix(SOURCE), u32::try_from(at)) {
            found.insert(start, template.trim());
        }
        at += line.len();
    }
    found
}

/// Gives an object the namespace that Helm or Argo CD applies it to. Kustomize gives none.
pub(super) fn set_namespace(root: &mut Node, release: &ChartRelease) {
    let is_left = release.applier == Applier::Kustomize;
    let Some((namespace, span)) = release.namespace.as_ref().filter(|_| !is_left) else {
        return;
    };
    let id = Id::read(root);
    if !id.namespace.is_empty() || id.is_cluster_scoped() || id.name.is_empty() {
        return;
    }
    if let Some(metadata) = root.get_mut("metadata") {
        let value = text(namespace.clone(), *span);
        set(metadata, "namespace", *span, value);
    }
}

/// The texts among values that are secret.
pub(super) struct Secrets {
    /// The texts of Secrets, each with its place.
    texts: Vec<(String, Span)>,
    /// These texts, and those that are secret by their role.
    all: Vec<String>,
}

impl Secrets {
    pub(super) fn of(release: &ChartRelease) -> Self {
        let places = private::places(&release.values.root);
        let is_private = |span: Span| places.iter().any(|own| own.holds(span));
        let (mut texts, mut all) = (Vec::new(), Vec::new());
        for node in release.values.root.descendants() {
            let is_secret = release.values.secret.contains(&node.span);
            let text = if is_secret || is_private(node.span) {
                scalar(node)
            } else {
                None
            };
            let Some(text) = text
                .map(|text| text.trim().to_owned())
                .filter(|text| text.len() >= MIN_SECRET)
            else {
                continue;
            };
            texts.extend(is_secret.then(|| (text.clone(), node.span)));
            all.push(text);
        }
        // The longest first: one may be a part of another.
        all.sort_by(|a, b| (b.len(), a).cmp(&(a.len(), b)));
        texts.sort_by(|(a, _), (b, _)| (b.len(), a).cmp(&(a.len(), b)));
        Self { texts, all }
    }

    /// Gives each text that is or holds a secret the place of that secret. What an object is stays known.
    pub(super) fn mark(&self, root: &mut Node) {
        if self.texts.is_empty() {
            return;
        }
        let Data::Map(entries) = &mut root.data else {
            return;
        };
        let mut todo: Vec<&mut Node> = Vec::new();
        for entry in entries
            .iter_mut()
            .filter(|entry| !matches!(&*entry.key, "apiVersion" | "kind"))
        {
            if entry.key != "metadata" {
                todo.push(&mut entry.value);
            } else if let Data::Map(fields) = &mut entry.value.data {
                let of_others = fields
                    .iter_mut()
                    .filter(|field| !matches!(&*field.key, "name" | "namespace"));
                todo.extend(of_others.map(|field| &mut field.value));
            }
        }
        while let Some(node) = todo.pop() {
            if let Some(span) = self.held(node) {
                node.span = span;
            }
            todo.extend(node.children_mut());
        }
    }

    /// The place of the secret that a scalar is or holds.
    fn held(&self, node: &Node) -> Option<Span> {
        let own = scalar(node)?;
        let is_it = |(secret, _): &&(String, Span)| {
            own.trim() == secret || secret.len() >= MIN_HELD && own.contains(secret.as_str())
        };
        self.texts.iter().find(is_it).map(|(_, span)| *span)
    }

    /// A message of Helm in one line, without secrets.
    fn without(&self, why: &str) -> String {
        let in_one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut message = without_keys(why);
        for secret in &self.all {
            for form in forms(secret) {
                message = message.replace(&form, REDACTED);
            }
        }
        // What stood in several lines stands in one now.
        message = in_one_line(&message);
        for secret in &self.all {
            message = message.replace(&in_one_line(secret), REDACTED);
        }
        let short: String = message.chars().take(MAX_MESSAGE).collect();
        if short.len() < message.len() {
            format!("{short}…")
        } else {
            short
        }
    }
}

/// A secret as it may stand in a message of a template: as it is, in quotes of Go, JSON or YAML, in a URL, in base64 with what
/// surrounds it cut off, in hexadecimal digits.
fn forms(secret: &str) -> Vec<String> {
    let inner = |quoted: String| {
        quoted
            .get(1..quoted.len().saturating_sub(1))
            .unwrap_or_default()
            .to_owned()
    };
    let hex = |upper: bool| {
        let digit = |byte: u8| {
            if upper {
                format!("{byte:02X}")
            } else {
                format!("{byte:02x}")
            }
        };
        secret.bytes().map(digit).collect::<String>()
    };
    let json = to_json(&Value::from(secret.to_owned()));
    let mut forms = vec![
        secret.to_owned(),
        inner(quote(secret)),
        inner(json.trim().to_owned()),
        secret.replace('\'', "''"),
        percent_encoded(secret, "-._~"),
        percent_encoded(secret, "-._~").replace("%20", "+"),
        percent_encoded(secret, "-._~").to_lowercase(),
        hex(true),
        hex(false),
    ];
    for start in 0..3 {
        forms.extend(in_base64(secret.as_bytes(), start));
    }
    forms.retain(|form| form.len() >= MIN_SECRET);
    forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
    forms
}

/// The base64 of a text that begins at one of three places of a group, without the characters that depend on what is beside it.
fn in_base64(bytes: &[u8], start: usize) -> Vec<String> {
    let padded = [&[0; 2][..start], bytes].concat();
    let whole = padded.len() / 3 * 3;
    let skipped = if start == 0 { 0 } else { 4 };
    let standard = STANDARD.encode(&padded[..whole]);
    let url = URL_SAFE.encode(&padded[..whole]);
    let of = |text: String| {
        text.get(skipped..)
            .map(str::to_owned)
            .filter(|text| text.len() >= MIN_HELD)
    };
    let exact = if start == 0 {
        vec![STANDARD.encode(bytes), URL_SAFE.encode(bytes)]
    } else {
        Vec::new()
    };
    exact
        .into_iter()
        .chain([standard, url].into_iter().filter_map(of))
        .collect()
}

/// A message without keys and certificates in PEM, whole or not.
fn without_keys(text: &str) -> String {
    const BEGIN: &str = "-----BEGIN";
    const END: &str = "-----END";
    let mut out = String::new();
    let mut rest = text;
    while let Some(begin) = rest.find(BEGIN) {
        out.push_str(&rest[..begin]);
        out.push_str(REDACTED);
        let behind = &rest[begin + BEGIN.len()..];
        let Some(end) = behind.find(END) else {
            return out;
        };
        let tail = &behind[end + END.len()..];
        // The line of the end has five more dashes.
        rest = tail.find("-----").map_or("", |dashes| &tail[dashes + 5..]);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_form_of_a_secret_stays_in_a_message() {
        let secret = "hunter2 \"t\\p é\nof the shop";
        let secrets = Secrets {
            texts: Vec::new(),
            all: vec![secret.to_owned()],
        };
        let quoted = quote(secret);
        let encoded = STANDARD.encode(secret);
        let around = STANDARD.encode(format!("a: {secret}; b"));
        let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        let url = percent_encoded(secret, "-._~");
        for form in [secret, &quoted, &encoded, &around, &hex, &url] {
            let shown = secrets.without(&format!("Error: bad value {form} in x.yaml"));
            assert!(
                shown.contains(REDACTED) && shown.ends_with("in x.yaml"),
                "{shown}"
            );
            for part in ["hunter2", "aHVudGVyMi", "68756e", "c2hvcA", "shop"] {
                assert!(!shown.contains(part), "{part}: {shown}");
            }
        }
        let pem = "bad -----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY----- in x -----BEGIN X\nde";
        assert_eq!(secrets.without(pem), "bad <redacted> in x <redacted>");
    }
}
