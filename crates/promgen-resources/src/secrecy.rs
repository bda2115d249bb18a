//! Which values of an object are secret, by its kind and by where they stand.
//!
//! In: a node, and its role. Out: the roles of what is in it. All who hide values of Secrets ask here: those who mark source
//! lines, those who print objects, and those who follow copies of a value.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use promgen_text::source::{FileId, Span};
use promgen_text::yaml::{Data, Node};

use crate::api::Kind;

/// The role of a node in its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecrecyRole {
    /// The place of objects: a document, an item of a list. The kind of a list of Secrets applies to its items.
    Object {
        /// The object is a Secret, whatever it says.
        is_secret: bool,
    },
    /// A part of an object that is no Secret.
    Inner,
    /// A part of an object that makes a Secret, such as a SealedSecret.
    Maker,
    /// The template of such a Secret.
    Template,
    /// The metadata of a Secret.
    Metadata,
    /// The annotations of a Secret: public, but people put there what belongs to its values.
    Annotations,
    /// Another public part of a Secret.
    Public,
    /// A value of a Secret, or a part of one.
    Value,
}

impl SecrecyRole {
    /// The role of a document.
    pub const DOCUMENT: Self = Self::Object { is_secret: false };
}

/// The text in place of a value of a Secret.
pub const REDACTED: &str = "<redacted>";

/// The keys of a Secret besides its values.
const PUBLIC: [&str; 5] = ["apiVersion", "kind", "metadata", "type", "immutable"];

/// The annotation in which `kubectl apply` keeps the whole object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The roles of the entries of a map, in their order, or of the items of a list.
#[must_use]
pub fn roles(node: &Node, own: SecrecyRole) -> Vec<SecrecyRole> {
    match &node.data {
        Data::Map(entries) => {
            let of_map = OfMap::new(node, own);
            entries
                .iter()
                .map(|entry| of_map.entry(&entry.key, &entry.value))
                .collect()
        }
        Data::Seq(items) => vec![own; items.len()],
        _ => Vec::new(),
    }
}

/// The ends of keys whose texts are secret wherever a user may choose the keys, such as in values of charts.
const SECRET_ENDS: [&str; 7] = [
    "password",
    "passwd",
    "token",
    "apikey",
    "secretkey",
    "clientsecret",
    "privatekey",
];

/// Returns whether a key says that its text is secret.
#[must_use]
pub fn is_secret_key(key: &str) -> bool {
    let plain: String = key
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    SECRET_ENDS.iter().any(|end| plain.ends_with(end))
}

/// Returns whether a text is made of words, as names and expressions are: no part of it looks drawn by lot, or like a key.
#[must_use]
pub fn reads_as_words(text: &str) -> bool {
    const LONGEST: usize = 40;
    let is_word = |run: &str| {
        let bytes = run.as_bytes();
        let switches = |of: fn(&u8) -> bool| {
            bytes
                .windows(2)
                .filter(|pair| of(&pair[0]) != of(&pair[1]))
                .count()
        };
        let n_letters = bytes.iter().filter(|b| b.is_ascii_alphabetic()).count();
        let n_switches = switches(u8::is_ascii_digit);
        let is_mixed = n_switches > 2 || n_switches > 1 && run.len() > 6;
        let is_number = n_letters == 0 && run.len() > 7;
        let is_loud = run.len() > 4 && bytes.iter().all(u8::is_ascii_uppercase);
        let has_odd_case = run.len() > 4 && switches(u8::is_ascii_uppercase) * 2 > run.len();
        run.len() <= LONGEST && !(is_mixed || is_number || is_loud || has_odd_case)
    };
    let runs = text.split(|c: char| !c.is_ascii_alphanumeric());
    text.is_ascii() && !text.contains("://") && !text.contains('@') && runs.into_iter().all(is_word)
}

/// The names of jobs in the example configurations that Prometheus and its chart publish.
const PUBLISHED_JOBS: [&str; 12] = [
    "kubernetes-apiservers",
    "kubernetes-cadvisor",
    "kubernetes-ingresses",
    "kubernetes-nodes",
    "kubernetes-nodes-cadvisor",
    "kubernetes-pods",
    "kubernetes-pods-slow",
    "kubernetes-service-endpoints",
    "kubernetes-service-endpoints-slow",
    "kubernetes-services",
    "prometheus",
    "prometheus-pushgateway",
];

/// Returns whether everybody knows the name of a scrape job, so that it may be printed even if it stands in a Secret.
/// Every other name there is a value of the Secret.
#[must_use]
pub fn is_published_job(name: &str) -> bool {
    PUBLISHED_JOBS.contains(&name)
}

/// Returns whether a scalar of that role is a secret. A Secret that is no map is one as a whole.
#[must_use]
pub const fn is_value(role: SecrecyRole) -> bool {
    matches!(
        role,
        SecrecyRole::Value | SecrecyRole::Object { is_secret: true }
    )
}

/// The properties that all entries of a map share.
struct OfMap {
    own: SecrecyRole,
    is_secret: bool,
    is_maker: bool,
    is_secret_list: bool,
}

impl OfMap {
    fn new(node: &Node, own: SecrecyRole) -> Self {
        let kind = node
            .text_of("kind")
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        let is_object = matches!(own, SecrecyRole::Object { .. });
        Self {
            own,
            is_secret: is_secret(node, own),
            is_maker: own == SecrecyRole::Maker || is_object && kind.ends_with("secret"),
            is_secret_list: kind == "secretlist",
        }
    }

    fn entry(&self, key: &str, value: &Node) -> SecrecyRole {
        match self.own {
            SecrecyRole::Value | SecrecyRole::Public => self.own,
            SecrecyRole::Metadata if key == "annotations" => SecrecyRole::Annotations,
            SecrecyRole::Annotations if key == LAST_APPLIED => SecrecyRole::Value,
            SecrecyRole::Metadata | SecrecyRole::Annotations => SecrecyRole::Public,
            SecrecyRole::Object { .. }
            | SecrecyRole::Inner
            | SecrecyRole::Maker
            | SecrecyRole::Template
                if self.is_secret =>
            {
                match key {
                    "metadata" if value.is_map() => SecrecyRole::Metadata,
                    _ if PUBLIC.contains(&key) => SecrecyRole::Public,
                    _ => SecrecyRole::Value,
                }
            }
            SecrecyRole::Template if matches!(key, "data" | "stringData") => SecrecyRole::Value,
            _ => self.part(key),
        }
    }

    fn part(&self, key: &str) -> SecrecyRole {
        match key {
            "template" if self.is_maker => SecrecyRole::Template,
            _ if self.is_maker => SecrecyRole::Maker,
            "items" | "objects" => SecrecyRole::Object {
                is_secret: self.is_secret_list,
            },
            _ => SecrecyRole::Inner,
        }
    }
}

/// Returns whether a map is a Secret, or may be one with a wrong kind.
#[must_use]
pub fn is_secret(node: &Node, role: SecrecyRole) -> bool {
    if matches!(
        role,
        SecrecyRole::Value | SecrecyRole::Public | SecrecyRole::Metadata | SecrecyRole::Annotations
    ) {
        return false;
    }
    let (kind, api_version) = (node.text_of("kind"), node.text_of("apiVersion"));
    let has = |key: &str| {
        node.entries()
            .iter()
            .any(|entry| entry.key.eq_ignore_ascii_case(key))
    };
    if kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("Secret")) || has("stringData") {
        return true;
    }
    match role {
        SecrecyRole::Object { is_secret: true } => true,
        SecrecyRole::Object { is_secret: false } => {
            let is_known = kind.is_some_and(|kind| Kind::find("v1", kind).is_some());
            has("data") && !is_known && api_version.is_none_or(|version| version.trim() == "v1")
        }
        _ => false,
    }
}

/// The scalars of an object, each with its role.
fn scalars(root: &Node) -> impl Iterator<Item = (&Node, SecrecyRole)> {
    let mut todo = vec![(root, SecrecyRole::DOCUMENT)];
    std::iter::from_fn(move || {
        loop {
            let (node, role) = todo.pop()?;
            if !node.is_collection() {
                return Some((node, role));
            }
            todo.extend(node.children().zip(roles(node, role)));
        }
    })
}

/// The scalars of an object that are values of a Secret.
pub fn values(root: &Node) -> Vec<&Node> {
    let values = scalars(root).filter(|(_, role)| is_value(*role));
    values.map(|(node, _)| node).collect()
}

/// Returns whether an object may hold values of a Secret: the cheap part of the question.
#[must_use]
pub fn may_hold_values(root: &Node) -> bool {
    let kind = root
        .text_of("kind")
        .unwrap_or_default()
        .to_ascii_lowercase();
    is_secret(root, SecrecyRole::DOCUMENT) || kind.contains("secret") || kind.ends_with("list")
}

/// Places of texts that have stood in a Secret. A copy of a text keeps its place, wherever it goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SecretTexts {
    secret: BTreeSet<Span>,
    /// Those that something else copied into a Secret: they are in the open where they come from.
    public: BTreeSet<Span>,
}

impl SecretTexts {
    /// Takes note of the values of an object, if it is a Secret.
    pub fn note(&mut self, object: &Node) {
        if may_hold_values(object) {
            // What is empty has no place of its own.
            let spans = values(object)
                .into_iter()
                .map(|value| value.span)
                .filter(|span| span.start < span.end);
            self.secret.extend(
                spans
                    .filter(|span| !self.public.contains(span))
                    .collect::<Vec<_>>(),
            );
        }
    }

    /// Takes note of a text that is about to be copied. It stays public even if the copy is in a Secret.
    pub fn note_copied(&mut self, text: &Node) {
        let is_leaf = |node: &&Node| !node.is_collection();
        let places = text.descendants().filter(is_leaf).map(|node| node.span);
        let public = places.filter(|place| !self.secret.contains(place));
        self.public.extend(public);
    }

    /// Returns whether the text of a place has stood in a Secret.
    #[must_use]
    pub fn holds(&self, span: Span) -> bool {
        self.secret.contains(&span)
    }

    /// Returns whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.secret.is_empty()
    }
}

/// The places of the scalars of an object that are copies of a secret text and stand in the open.
#[must_use]
pub fn copies(root: &Node, is_secret: &dyn Fn(Span) -> bool) -> Vec<Span> {
    let copies = scalars(root).filter(|(node, role)| is_secret(node.span) && !is_value(*role));
    copies.map(|(node, _)| node.span).collect()
}

/// Source texts that are not shown, because their role is to hold secrets: inputs of generators, patches, values of
/// substitutions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Private {
    files: BTreeSet<FileId>,
    ranges: BTreeMap<FileId, Vec<Range<usize>>>,
}

impl Private {
    /// Hides a file as a whole.
    pub fn add_file(&mut self, file: FileId) {
        self.files.insert(file);
    }

    /// Hides a part of a file.
    pub fn add(&mut self, span: Span) {
        self.ranges
            .entry(span.file)
            .or_default()
            .push(span.start as usize..span.end as usize);
    }

    /// Shows a part of a file that was hidden, as the roles of the values in it are known: these are hidden one by one.
    pub fn show(&mut self, span: Span) {
        let holds = |range: &Range<usize>| {
            range.start <= span.start as usize && span.end as usize <= range.end
        };
        if let Some(ranges) = self.ranges.get_mut(&span.file) {
            ranges.retain(|range| !holds(range));
        }
    }

    /// Returns whether a part of a file is private, at least in part.
    #[must_use]
    pub fn touches(&self, file: FileId, bytes: &Range<usize>) -> bool {
        self.files.contains(&file) || self.parts(file, bytes).next().is_some()
    }

    /// The private parts of a file that overlap a part of it.
    pub(crate) fn parts(
        &self,
        file: FileId,
        bytes: &Range<usize>,
    ) -> impl Iterator<Item = Range<usize>> {
        let overlaps = |range: &&Range<usize>| range.start < bytes.end && bytes.start < range.end;
        let ranges = self.ranges.get(&file).map_or(&[][..], Vec::as_slice);
        ranges.iter().filter(overlaps).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::diag::Sink;
    use promgen_text::yaml::read::read;

    fn secrets(text: &str) -> Vec<String> {
        let documents = read(FileId::new(0), text, &mut Sink::default());
        let span = |span: Span| text[span.start as usize..span.end as usize].to_owned();
        let mut found: Vec<_> = documents
            .iter()
            .flat_map(|document| values(&document.root))
            .map(|node| span(node.span))
            .collect();
        found.sort_unstable();
        found
    }

    #[test]
    fn all_of_a_secret_but_its_public_fields_are_values() {
        let text = "kind: Secret\ntype: x\nmetadata: {name: a, annotations: {a: b, kubectl.kubernetes.io/last-applied-configuration: c}}\n\
                    data: {k: d}\nstringdata: {k: [e]}\nfoo: f\n";
        assert_eq!(secrets(text), ["c", "d", "e", "f"]);
        assert_eq!(
            secrets("kind: SecretList\nitems: [{data: {a: b}}, c]\n"),
            ["b", "c"]
        );
        assert_eq!(
            secrets("kind: ConfigMap\napiVersion: v1\ndata: {a: b}\n"),
            [""; 0]
        );
    }

    #[test]
    fn words_are_told_from_keys() {
        let words = [
            "",
            "info",
            "kube-prometheus-stack",
            "ReadWriteOnce",
            "NoSchedule",
            "__meta_kubernetes_pod_name",
            "v3.4.1",
            "eu-west-1",
            "up{job=\"shop\"} == 0",
            "(.+);(go_.*|rate5m)",
            "quay.io/prometheus/prometheus",
            "matchLabels",
            "a",
        ];
        let keys = [
            "s3cr3t",
            "MARK3RQnam x",
            "AKIAIOSFODNN7EXAMPLE",
            "hunter2hunter2",
            "8f14e45fceea167a",
            "https://hooks/x",
            "a:b@c",
            "xKdQzRtW",
            "12345678",
            "glpat-Xy7zQ2pLk",
            "pässwort",
        ];
        assert_eq!(words.iter().filter(|text| !reads_as_words(text)).count(), 0);
        assert_eq!(
            keys.iter()
                .filter(|text| reads_as_words(text))
                .collect::<Vec<_>>(),
            [&""; 0]
        );
    }

    #[test]
    fn templates_of_secrets_hold_values() {
        let sealed = "kind: SealedSecret\nspec: {encryptedData: {a: b}, template: {type: c, data: {k: d}}}\n";
        assert_eq!(secrets(sealed), ["d"]);
        let external = "kind: ExternalSecret\nspec: {data: [{remoteRef: {key: a}}], target: {template: {data: {k: d}}}}\n";
        assert_eq!(secrets(external), ["d"]);
        assert_eq!(
            secrets("kind: Deployment\nspec: {template: {data: {k: d}}}\n"),
            [""; 0]
        );
    }

    #[test]
    fn only_published_names_of_jobs_are_public() {
        assert!(is_published_job("kubernetes-pods") && is_published_job("prometheus-pushgateway"));
        assert!(
            !is_published_job("kubernetes-pods-of-acme")
                && !is_published_job("Kubernetes-Pods")
                && !is_published_job("")
        );
    }

    #[test]
    fn a_copy_keeps_its_place() {
        let documents = read(
            FileId::new(0),
            "kind: Secret\ndata: {a: &x y, b: ''}\n",
            &mut Sink::default(),
        );
        let mut texts = SecretTexts::default();
        texts.note(&documents[0].root);
        let value = documents[0].root.find(&["data", "a"]).unwrap();
        assert!(texts.holds(value.clone().span) && !texts.holds(documents[0].root.span));
    }
}
