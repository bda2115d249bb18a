//! Releases that Helm renders: what it is asked, and the objects that it gives.
//!
//! Helm says nothing about places: an object stands where the release names its chart. A text that repeats a secret value keeps
//! the place of that value, and is hidden with it.

use promgen_resources::rendered::{ChartRef, NamedChart, Rendered, Request};
use promgen_text::diag::{Diagnostic, Sink};
use promgen_text::sorted::{Order as _, SortedMap};
use promgen_text::source::{FileId, Span};
use promgen_text::yaml::emit::to_json;
use promgen_text::yaml::read::{INVALID_YAML, read};
use promgen_text::yaml::{Data, Node};

use super::made::Made;
use super::node::{place, printed, set, text};
use super::private;
use super::release::ChartRelease;
use super::rules::NOT_RENDERED;
use crate::id::Id;

/// What Helm writes at the start of each document, before the path of the template.
const SOURCE: &str = "# Source: ";

/// The shortest secret that is looked for in what Helm renders: others stand everywhere.
const MIN_SECRET: usize = 4;

/// The shortest secret that is looked for as a part of a text.
const MIN_HELD: usize = 8;

/// The longest message of Helm that is shown.
const MAX_MESSAGE: usize = 300;

/// The namespace of a release that names none.
const DEFAULT_NAMESPACE: &str = "default";

/// The text in place of a secret in a message.
const REDACTED: &str = "<redacted>";

/// What Helm is asked for a release of that chart.
pub(super) fn request(release: &ChartRelease, chart: ChartRef) -> Request {
    Request {
        name: release.name.clone(),
        namespace: release.namespace.as_ref().map_or(DEFAULT_NAMESPACE, |(name, _)| name).to_owned(),
        chart,
        values: to_json(&release.values.root.to_value()),
        holds_secrets: !release.values.secret.is_empty(),
    }
}

/// A chart of a repository of charts, as a release names it.
pub(super) fn named(release: &ChartRelease) -> ChartRef {
    let url = release.repository.trim_end_matches('/');
    let is_whole = url.starts_with("oci://") && url.rsplit('/').next() == Some(&release.chart);
    let repository = if is_whole { url.rsplit_once('/').map_or(url, |(above, _)| above) } else { url };
    let version = release.version.clone().filter(|version| version != "*").unwrap_or_default();
    let named = NamedChart { repository: repository.to_owned(), name: release.chart.clone(), version };
    ChartRef { named: Some(named), ..ChartRef::default() }
}

/// What Helm has made of a release.
pub(super) enum RenderOutcome {
    /// Its objects are in place.
    Rendered,
    /// Helm cannot render it.
    Refused,
    /// It was not asked yet.
    Unasked,
}

/// Puts the objects that Helm renders into what a release makes.
pub(super) fn take(release: &ChartRelease, rendered: &Rendered, made: &mut Made) -> RenderOutcome {
    let Some(request) = &release.request else { return RenderOutcome::Unasked };
    let secrets = Secrets::of(release);
    let why = match rendered.get(request) {
        None => {
            made.wanted.push(request.clone());
            return RenderOutcome::Unasked;
        }
        Some(Ok(stream)) => match objects(stream, release, &secrets, made) {
            Some(()) => return RenderOutcome::Rendered,
            None => "what Helm renders is no YAML".to_owned(),
        },
        Some(Err(why)) => secrets.without(why),
    };
    let message = format!("release {}: {} is not rendered: {why}", release.name, request.chart);
    made.found.push(Diagnostic::new(&NOT_RENDERED, release.place, message));
    RenderOutcome::Refused
}

/// The documents of a stream. `None` if it is broken.
fn objects(stream: &str, release: &ChartRelease, secrets: &Secrets, made: &mut Made) -> Option<()> {
    let mut sink = Sink::default();
    let documents = read(FileId::default(), stream, &mut sink);
    if sink.diagnostics().iter().any(|found| *found.rule == INVALID_YAML) {
        return None;
    }
    let templates = templates(stream);
    for document in documents {
        let mut root = Node::clone(&document.root);
        let start = root.span.start;
        if !matches!(root.data, Data::Map(_)) || root.get("kind").is_none() {
            continue;
        }
        settle(&mut root, release);
        place(&mut root, release.place);
        secrets.mark(&mut root);
        root.span = release.span;
        let id = Id::read(&root);
        if let Some((_, template)) = templates.last_up_to(&start) {
            made.templates.insert((id.kind, id.namespace, id.name), (*template).to_owned());
        }
        made.objects.push(root);
    }
    Some(())
}

/// A text or a number.
fn scalar(node: &Node) -> Option<String> {
    if matches!(node.data, Data::Bool(_)) { None } else { printed(node) }
}

/// The templates that a stream names, each by the place where it does.
fn templates(stream: &str) -> SortedMap<u32, &str> {
    let mut found = SortedMap::new();
    let mut at = 0;
    for line in stream.split_inclusive('\n') {
        if let (Some(template), Ok(start)) = (line.strip_prefix(SOURCE), u32::try_from(at)) {
            found.insert(start, template.trim());
        }
        at += line.len();
    }
    found
}

/// Gives an object the namespace that Helm applies it to.
fn settle(root: &mut Node, release: &ChartRelease) {
    let Some((namespace, span)) = &release.namespace else { return };
    let id = Id::read(root);
    if !id.namespace.is_empty() || id.is_cluster_scoped() || id.name.is_empty() {
        return;
    }
    let Data::Map(entries) = &mut root.data else { return };
    if let Some(metadata) = entries.iter_mut().find(|entry| entry.key == "metadata") {
        set(&mut metadata.value, "namespace", *span, text(namespace.clone(), *span));
    }
}

/// The texts among values that are secret.
struct Secrets {
    /// The texts of Secrets, each with its place.
    texts: Vec<(String, Span)>,
    /// These texts, and those that are secret by their role.
    all: Vec<String>,
}

impl Secrets {
    fn of(release: &ChartRelease) -> Self {
        let places = private::places(&release.values.root);
        let is_private = |span: Span| {
            places.iter().any(|own| own.file == span.file && own.start <= span.start && span.end <= own.end)
        };
        let (mut texts, mut all) = (Vec::new(), Vec::new());
        let mut todo = vec![&release.values.root];
        while let Some(node) = todo.pop() {
            todo.extend(node.items());
            todo.extend(node.entries().iter().map(|entry| &entry.value));
            let is_secret = release.values.secret.contains(&node.span);
            let text = if is_secret || is_private(node.span) { scalar(node) } else { None };
            let Some(text) = text.map(|text| text.trim().to_owned()).filter(|text| text.len() >= MIN_SECRET) else {
                continue;
            };
            texts.extend(is_secret.then(|| (text.clone(), node.span)));
            all.push(text);
        }
        // The longest first: one may be a part of another.
        all.order_by(|a, b| (b.len(), a).cmp(&(a.len(), b)));
        texts.order_by(|(a, _), (b, _)| (b.len(), a).cmp(&(a.len(), b)));
        Self { texts, all }
    }

    /// Gives each text that is or holds a secret the place of that secret. What an object is stays known.
    fn mark(&self, root: &mut Node) {
        if self.texts.is_empty() {
            return;
        }
        let Data::Map(entries) = &mut root.data else { return };
        let mut todo: Vec<&mut Node> = Vec::new();
        for entry in entries.iter_mut().filter(|entry| !matches!(&*entry.key, "apiVersion" | "kind")) {
            if entry.key != "metadata" {
                todo.push(&mut entry.value);
            } else if let Data::Map(fields) = &mut entry.value.data {
                let of_others = fields.iter_mut().filter(|field| !matches!(&*field.key, "name" | "namespace"));
                todo.extend(of_others.map(|field| &mut field.value));
            }
        }
        while let Some(node) = todo.pop() {
            if let Some(span) = self.held(node) {
                node.span = span;
            }
            match &mut node.data {
                Data::Seq(items) => todo.extend(items),
                Data::Map(entries) => todo.extend(entries.iter_mut().map(|entry| &mut entry.value)),
                _ => {}
            }
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
        let mut message = why.split_whitespace().collect::<Vec<_>>().join(" ");
        for secret in &self.all {
            let secret = secret.split_whitespace().collect::<Vec<_>>().join(" ");
            message = message.replace(&secret, REDACTED);
        }
        let short: String = message.chars().take(MAX_MESSAGE).collect();
        if short.len() < message.len() { format!("{short}…") } else { short }
    }
}
