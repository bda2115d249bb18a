//! Values that are filled in later: variables, placeholders, expressions of other programs.
//!
//! In: parsed documents. Out: the places of the texts whose final value nobody knows yet. Such a value is never refused,
//! and what depends on it is not judged.

use std::sync::Arc;

use crate::document::applied;
use promgen_text::parallel;
use promgen_text::shared::Shared;
use promgen_text::source::{FileId, Span};
use promgen_text::yaml::read::ParsedDocument;
use promgen_text::yaml::{Data, Entry, Node, embedded};

/// The places of unknown values, in order.
#[derive(Clone, Debug, Default)]
pub struct Unknown {
    spans: Vec<Span>,
}

/// The purpose of a text, which decides what a placeholder looks like there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Part of a name: an object's own, or a label.
    Name,
    /// A template that Prometheus fills in.
    Template,
    /// A template that Alertmanager fills in, or a setting beside one.
    Message,
    /// A label of relabeling, a pattern, or a replacement.
    Relabeling,
    /// An expression of PromQL.
    Expression,
    /// Base64.
    Data,
    /// Anything else.
    Other,
}

/// The places of unknown values in a document.
struct UnknownValues(Box<[Span]>);

impl UnknownValues {
    fn new(root: &Node) -> Self {
        let mut unknown = Unknown::default();
        unknown.search(root);
        Self(unknown.spans.into())
    }
}

impl Unknown {
    /// Searches documents.
    #[must_use]
    pub fn of<'p>(parsed: impl IntoIterator<Item = &'p ParsedDocument>) -> Self {
        let parsed: Vec<&ParsedDocument> = parsed.into_iter().collect();
        let found: Vec<Arc<UnknownValues>> = parallel::map(&parsed, 64, |document| {
            document.root.derive(UnknownValues::new)
        });
        let mut unknown = Self {
            spans: found
                .iter()
                .flat_map(|found| found.0.iter().copied())
                .collect(),
        };
        unknown.spans.sort_unstable();
        unknown.spans.dedup();
        unknown
    }

    fn search(&mut self, root: &Node) {
        if is_fragment(root) {
            self.spans.push(root.span);
            return;
        }
        if let Some(objects) = applied(root) {
            objects.iter().for_each(|object| self.search(object));
            return;
        }
        let kind = root.text_of("kind").unwrap_or_default();
        // What it makes has its values, filled in or not.
        if kind == "ApplicationSet" {
            return;
        }
        let of_kind = match kind {
            "PrometheusRule" | "ConfigMap" | "Secret" => Use::Template,
            "AlertmanagerConfig" => Use::Message,
            _ => Use::Other,
        };
        let mut todo: Vec<(&Node, Use)> = Vec::new();
        for entry in root.entries() {
            match &*entry.key {
                "metadata" => {
                    todo.extend(entry.value.entries().iter().map(|field| match &*field.key {
                        "annotations" => (&field.value, Use::Template),
                        _ => (&field.value, Use::Name),
                    }))
                }
                // In base64 there is no template.
                "data" if kind == "Secret" => todo.push((&entry.value, Use::Data)),
                "binaryData" => todo.push((&entry.value, Use::Other)),
                _ => todo.push((&entry.value, of_kind)),
            }
        }
        let filled = filled_containers(root);
        let values = values_texts(root);
        while let Some((node, purpose)) = todo.pop() {
            match &node.data {
                Data::Map(entries) if entries.iter().any(is_assertion) => {
                    self.spans.push(root.span);
                    return;
                }
                _ if Some(node.span) == filled => self.spans.push(node.span),
                _ if values.contains(&node.span) => {}
                Data::String(text) if is_unknown(text, of_text(text, purpose)) => {
                    self.spans.push(node.span);
                }
                Data::Seq(items) => todo.extend(items.iter().map(|item| (item, purpose))),
                Data::Map(entries) => todo.extend(
                    entries
                        .iter()
                        .filter(|entry| !refers_to_groups(entry, node))
                        .map(|entry| match (&*entry.key, purpose) {
                            ("expr" | "record", Use::Template) => (&entry.value, Use::Expression),
                            ("for" | "keep_firing_for" | "interval", Use::Template) => {
                                (&entry.value, Use::Other)
                            }
                            (
                                "sourceLabels" | "targetLabel" | "regex" | "replacement",
                                Use::Other,
                            ) => (&entry.value, Use::Relabeling),
                            _ => (&entry.value, purpose),
                        }),
                ),
                _ => {}
            }
        }
    }

    /// Adds places.
    pub fn extend(&mut self, spans: impl IntoIterator<Item = Span>) {
        self.spans.extend(spans);
        self.spans.sort_unstable();
        self.spans.dedup();
    }

    /// The places.
    pub fn iter(&self) -> impl Iterator<Item = Span> {
        self.spans.iter().copied()
    }

    /// Returns whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Returns whether a place is, holds, or is part of an unknown value.
    #[must_use]
    pub fn touches(&self, span: Span) -> bool {
        let next = self.spans.get(self.n_before(span));
        self.covers(span) || next.is_some_and(|inner| span.holds(*inner))
    }

    /// The number of places that begin with a place, or before it.
    fn n_before(&self, span: Span) -> usize {
        self.spans
            .partition_point(|other| (other.file, other.start) <= (span.file, span.start))
    }

    /// Returns whether a place is an unknown value, or part of one.
    #[must_use]
    pub fn covers(&self, span: Span) -> bool {
        self.spans[..self.n_before(span)]
            .last()
            .is_some_and(|other| other.file == span.file && span.end <= other.end)
    }

    /// Returns whether a file holds one.
    #[must_use]
    pub fn is_in(&self, file: FileId) -> bool {
        let at = self.spans.partition_point(|other| other.file < file);
        self.spans.get(at).is_some_and(|other| other.file == file)
    }
}

/// Returns whether a value, or something in it, is filled in later. For values that do not stand where they come from: the place of
/// such a value may be that of a longer text.
#[must_use]
pub fn is_filled_in_later(node: &Node) -> bool {
    let mut texts = node.descendants().filter_map(Node::as_str);
    texts.any(|text| is_unknown(text, Use::Other))
}

/// The same of a text that stands nowhere in the input, such as one that is compiled or that stands in a Secret.
#[must_use]
pub fn is_later_text(text: &str) -> bool {
    is_unknown(text, Use::Other)
}

/// Returns whether SOPS has encrypted an object.
#[must_use]
pub fn is_encrypted(root: &Node) -> bool {
    root.get("sops")
        .is_some_and(|sops| !sops.entries().is_empty())
}

/// Takes away what SOPS has encrypted in an object, and the notes that it leaves there: the object is as if it were filled
/// by somebody else.
pub fn forget_encrypted(root: &mut Shared<Node>) {
    if is_encrypted(root)
        && let Data::Map(entries) = &mut root.make_mut().data
    {
        entries.retain(|entry| !matches!(&*entry.key, "sops" | "data" | "stringData"));
    }
}

/// Returns whether an entry is the replacement of a relabel rule whose pattern names its groups: `${name}` is one of
/// these then.
fn refers_to_groups(entry: &Entry, rule: &Node) -> bool {
    let names = |pattern: &str| pattern.contains("(?P<") || pattern.contains("(?<");
    entry.key == "replacement" && rule.text_of("regex").is_some_and(names)
}

/// The places of the texts of an Application that hold values of charts: what is made of them has them, filled in or not.
fn values_texts(root: &Node) -> Vec<Span> {
    if root.text_of("kind") != Some("Application") {
        return Vec::new();
    }
    let source = root.find(&["spec", "source"]).into_iter();
    let sources = source.chain(root.items_at(&["spec", "sources"]));
    let values = sources.filter_map(|source| source.find(&["helm", "values"]));
    let is_map = |text: &&Node| {
        let values = embedded::root(text.span.file, text.as_str().unwrap_or_default());
        values.is_some_and(|values| values.is_map())
    };
    values.filter(is_map).map(|text| text.span).collect()
}

/// The purpose of a text, which may be an object of its own: Helm runs the actions of one that stands among values, and what it makes of them
/// is the object.
fn of_text(text: &str, purpose: Use) -> Use {
    let is_object = || {
        let root = embedded::root(FileId::default(), text);
        root.is_some_and(|root| root.text_of("kind").is_some())
    };
    match purpose {
        Use::Other if text.contains('\n') && has_action(text) && is_object() => Use::Template,
        _ => purpose,
    }
}

/// Returns whether a text is, or holds, something that is filled in later.
fn is_unknown(text: &str, purpose: Use) -> bool {
    let text = text.trim_end();
    let is_mark = |b: u8| {
        matches!(
            b,
            b'$' | b'{' | b'<' | b'(' | b'_' | b'[' | b'%' | b'@' | b'#'
        )
    };
    if purpose != Use::Template && is_reminder(text) || purpose == Use::Data && is_no_data(text) {
        return true;
    }
    if purpose != Use::Name && !text.bytes().any(is_mark) {
        return false;
    }
    has_variable(text)
        || is_cipher(text)
        || !matches!(purpose, Use::Template | Use::Message) && has_action(text)
        || purpose != Use::Template && has_marks(text)
        || matches!(
            purpose,
            Use::Name | Use::Expression | Use::Other | Use::Data
        ) && has_gap(text)
        || !matches!(purpose, Use::Template | Use::Relabeling) && is_between_underscores(text)
        || matches!(purpose, Use::Name | Use::Other | Use::Relabeling) && is_call(text)
        || purpose == Use::Name && is_name_of_variable(text)
        || purpose == Use::Data && text.contains('_') && is_name_of_variable(text)
}

/// Returns whether a text holds `${NAME}`, `${NAME:=default}`, `${{NAME}}`, or is `$NAME`. Numbers are groups of a
/// regular expression, which relabeling refers to in the same way, and so are names in small letters without
/// underscores.
fn has_variable(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        rest = &rest[at + 2..];
        rest = rest.strip_prefix('{').unwrap_or(rest);
        let length = rest
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
            .count();
        let (name, tail) = rest.split_at(length);
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if starts && tail.starts_with(['}', ':', '-', '=', '/', '%', '#', ',', '^']) {
            return true;
        }
    }
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
            && name
                .bytes()
                .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    };
    text.strip_prefix('$')
        .is_some_and(|name| name.len() > 1 && is_name(name))
}

/// Returns whether a text has an action of a template: `{{ .name }}`. Marks that nobody closes are none, and what has variables of an
/// alert is filled in by Prometheus alone.
fn has_action(text: &str) -> bool {
    const OF_ALERTS: [&str; 3] = ["$labels", "$value", "$externalLabels"];
    let is_of_alert = |action: &str| {
        action.trim_start().starts_with(".Labels.")
            || OF_ALERTS.iter().any(|name| action.contains(name))
    };
    text.split("{{").skip(1).any(|rest| {
        let action = rest.split_once("}}").map(|(action, _)| action);
        action.is_some_and(|action| !is_of_alert(action))
    })
}

/// Returns whether SOPS has encrypted it.
fn is_cipher(text: &str) -> bool {
    text.starts_with("ENC[") && text.ends_with(']')
}

/// Returns whether a text as a whole is a placeholder: `<your namespace>`, `%NAME%`, `[[ .x ]]`, `@NAME@`, `##NAME##`.
fn has_marks(text: &str) -> bool {
    ["@@", "@", "##"]
        .iter()
        .any(|mark| between(text, mark, mark).is_some_and(is_word))
        || between(text, "<", ">").is_some_and(|word| !is_of_programs(word) && word != "no value")
        || [("[[", "]]"), ("%", "%")]
            .iter()
            .any(|(open, close)| between(text, open, close).is_some())
}

/// The text between two marks, if it has nothing around them.
fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let inner = text
        .strip_prefix(open)
        .and_then(|text| text.strip_suffix(close));
    inner.filter(|inner| !inner.is_empty())
}

fn is_word(text: &str) -> bool {
    text.bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

/// Returns whether a text is `__word__`. Labels of Prometheus are called so, too, where relabeling names them.
fn is_between_underscores(text: &str) -> bool {
    const LABELS: &[&str] = &[
        "address",
        "metrics_path",
        "name",
        "scheme",
        "scrape_interval",
        "scrape_timeout",
        "alerts_path",
    ];
    between(text, "__", "__").is_some_and(|word| is_word(word) && !LABELS.contains(&word))
}

/// Returns whether a text is what people write where another text belongs: `REPLACE_ME`, `CHANGEME`, `REPLACE_WITH_TOKEN`.
fn is_reminder(text: &str) -> bool {
    const LONGEST: usize = 16;
    let letters = text
        .bytes()
        .filter(u8::is_ascii_alphanumeric)
        .map(|b| b.to_ascii_uppercase());
    // Most texts begin with another letter.
    if !matches!(letters.clone().next(), Some(b'R' | b'C' | b'F' | b'T')) {
        return false;
    }
    let words = [
        "REPLACEME",
        "CHANGEME",
        "FIXME",
        "TBD",
        "FILLME",
        "FILLMEIN",
    ];
    let starts = ["REPLACE_ME_", "REPLACE_WITH_", "CHANGE_ME_", "CHANGEME_"];
    text.len() <= LONGEST && words.iter().any(|word| letters.clone().eq(word.bytes()))
        || is_word(text) && {
            let text = text.replace('-', "_").to_ascii_uppercase();
            starts.iter().any(|start| text.starts_with(start))
        }
}

/// Returns whether a text stands for base64 that a program or somebody writes there: a reference to a vault, a command of a shell,
/// a placeholder, or a note.
fn is_no_data(text: &str) -> bool {
    let text = text.trim_start();
    let is_note = |word: &str| {
        word.bytes()
            .all(|b| b.is_ascii_alphanumeric() || b" _-./:".contains(&b))
    };
    let is_reference = ["op://", "pass://", "ref+", "secretref+"]
        .iter()
        .any(|start| text.starts_with(start))
        && text.contains("://");
    let is_command = between(text, "`", "`").is_some()
        || text
            .split_once("$(")
            .is_some_and(|(_, rest)| rest.contains(')'));
    let is_placeholder = [("((", "))"), ("#{", "}#"), ("#{", "}"), ("[", "]")]
        .iter()
        .any(|(open, close)| between(text, open, close).is_some_and(is_note));
    let is_filler = text.len() > 2
        && text.bytes().all(|b| text.as_bytes()[0] == b)
        && text.starts_with(['.', '*', '?', '-', 'x', 'X'])
        || text == "…";
    let lower = text.to_ascii_lowercase();
    let is_about_base64 = lower.contains("base64")
        && ["encode", "here", "of ", "value", "your"]
            .iter()
            .any(|word| lower.contains(word));
    is_reference || is_command || is_placeholder || is_filler || is_about_base64
}

/// Returns whether a text has a word in angle brackets: `web-<team>`.
fn has_gap(text: &str) -> bool {
    let is_name = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic())
            && is_word(word)
            && !is_of_programs(word)
    };
    text.split('<')
        .skip(1)
        .filter_map(|rest| rest.split_once('>'))
        .any(|(word, _)| is_name(word))
}

/// Returns whether programs write a word in angle brackets where there is nothing: `<none>`, `<nil>`. It is a value as
/// any other.
fn is_of_programs(word: &str) -> bool {
    const WORDS: [&str; 10] = [
        "none",
        "nil",
        "null",
        "unknown",
        "unset",
        "invalid",
        "empty",
        "missing",
        "undefined",
        "redacted",
    ];
    WORDS.contains(&word)
}

/// Returns whether a text is an expression of Chainsaw: `($name)`, `(join('-', [$name, 'a']))`.
fn is_call(text: &str) -> bool {
    let inner = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'));
    inner.is_some_and(|inner| {
        inner.starts_with('$') && inner.len() > 1 || inner.ends_with(')') && inner.contains('$')
    })
}

/// Returns whether a name is one that a program replaces: `_`, or nothing but capitals, as in `HCP_NAMESPACE` and
/// `FILLED BY THE OPERATOR`. No object may be called so.
fn is_name_of_variable(name: &str) -> bool {
    let has_capital = name.bytes().any(|b| b.is_ascii_uppercase());
    let is_capital =
        |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-' | b' ');
    name == "_" || name.len() > 2 && has_capital && name.bytes().all(is_capital)
}

/// The containers that the operator itself adds, so that those of a resource only change them.
const OF_OPERATOR: [&str; 6] = [
    "alertmanager",
    "config-reloader",
    "init-config-reloader",
    "prometheus",
    "thanos-ruler",
    "thanos-sidecar",
];

/// The place of the containers of a workload of which several have no image: nobody forgets that twice, so that a program
/// fills them in.
fn filled_containers(root: &Node) -> Option<Span> {
    let containers = root.find(&["spec", "containers"])?;
    let lacks = |container: &&Node| {
        let name = container.text_of("name").unwrap_or_default();
        let image = container.text_of("image").unwrap_or_default();
        !OF_OPERATOR.contains(&name) && image.is_empty()
    };
    (containers.items().iter().filter(lacks).count() > 1).then_some(containers.span)
}

/// Returns whether a key is an expression of Chainsaw, which an assertion has in place of a field: `(length(groups))`.
fn is_assertion(entry: &Entry) -> bool {
    between(&entry.key, "(", ")").is_some()
}

/// Returns whether an object is none by itself: a patch, or a note that something is to be deleted.
fn is_fragment(root: &Node) -> bool {
    let annotations = root.entries_at(&["metadata", "annotations"]);
    let deletes =
        |entry: &Entry| entry.key.ends_with("/delete") && entry.value.as_str() == Some("true");
    root.get("$patch").is_some() || annotations.iter().any(deletes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::diag::Sink;
    use promgen_text::yaml::read::read;

    fn unknown(text: &str) -> Vec<String> {
        let parsed = read(FileId::new(0), text, &mut Sink::default());
        let unknown = Unknown::of(&parsed);
        unknown
            .spans
            .iter()
            .map(|span| text[span.start as usize..span.end as usize].to_owned())
            .collect()
    }

    #[test]
    fn variables_and_placeholders_are_unknown() {
        let text = "\
kind: Service
metadata:
  name: HCP_NAMESPACE
  namespace: ${NS:=shop}
  labels: {a: '<team>', b: web, c: $TEAM, d: _}
spec:
  ports: [{port: \"${PORT}\"}, {port: ($port)}, {port: '{{ port }}'}]
  clusterIP: ENC[AES256_GCM,data:x]
";
        let found = [
            "HCP_NAMESPACE",
            "${NS:=shop}",
            "'<team>'",
            "$TEAM",
            "_",
            "\"${PORT}\"",
            "($port)",
            "'{{ port }}'",
            "ENC[AES256_GCM,data:x]",
        ];
        assert_eq!(unknown(text), found);
    }

    #[test]
    fn an_action_is_a_gap_only_where_something_fills_it_in() {
        let known = |text: &str| assert_eq!(unknown(text), [""; 0], "{text}");
        let values = |kind: &str, values: &str| {
            format!("kind: {kind}\nspec: {{source: {{helm: {{values: {values:?}}}}}}}\n")
        };
        known(&values("Application", "a: {b: '{{ .CommonLabels.x }}'}\n"));
        known(&values("Application", "# ${X} is set elsewhere\na: b\n"));
        known("kind: Application\nspec: {sources: [{helm: {values: \"a: '{{ x }}'\"}}]}\n");
        let text = r#""apiVersion: v1\nkind: X\nmetadata: {name: '{{ .Release.Name }}'}\n""#;
        known(&format!(
            "kind: HelmRelease\nspec: {{values: {{extraManifests: [{text}]}}}}\n"
        ));
        known(
            "kind: PrometheusRule\nspec: {record: 'job:{{ $labels.job }}', expr: 'x == {{ $value }}'}\n",
        );
        let one = |text: &str| assert_eq!(unknown(text).len(), 1, "{text}");
        one(&values("Application", "{{ range .x }}\na: b\n{{ end }}\n"));
        one(&values("Other", "a: {b: '{{ .x }}'}\n"));
        one("kind: HelmRelease\nspec: {values: {a: '{{ .x }}'}}\n");
        one("kind: HelmRelease\nspec: {values: {a: \"kind: X\\nb: ${X}, {{ .y }}\\n\"}}\n");
        one("kind: PrometheusRule\nspec: {expr: 'x{a=\"{{ $labels.a }}\"} > {{ .limit }}'}\n");
    }

    #[test]
    fn names_of_variables_in_base64_are_unknown() {
        assert_eq!(
            unknown("kind: Secret\ndata: {a: VAULT_TOKEN, b: ABCD, c: hunter2, d: a_b}\n"),
            ["VAULT_TOKEN"]
        );
        assert!(unknown("kind: Secret\nstringData: {a: VAULT_TOKEN}\n").is_empty());
    }

    #[test]
    fn containers_without_images_are_unknown() {
        let found = |kind: &str, containers: &str| {
            unknown(&format!(
                "kind: {kind}\nspec: {{containers: {containers}}}\n"
            ))
        };
        let list = "[{name: a, args: [x]}, {name: b, image: ''}, {name: c, image: i}]";
        assert_eq!(found("Prometheus", list), [list]);
        for known in [
            "[{name: a}]",
            "[{name: a}, {name: prometheus}, {name: config-reloader}]",
            "[{name: a, image: i}, {name: b}]",
        ] {
            assert!(found("Alertmanager", known).is_empty(), "{known}");
        }
    }

    #[test]
    fn an_assertion_is_unknown_as_a_whole() {
        let rule = "kind: PrometheusRule\nspec:\n  (length(groups)): 2\n";
        assert_eq!(unknown(rule), [rule.trim_end()]);
        let monitor = "kind: Probe\nspec: {a: [{(x): 1}]}\n";
        assert_eq!(unknown(monitor).len(), 1);
        assert!(unknown("kind: Probe\nspec: {(a: 1, 'b)': 2, a: (b)}\n").is_empty());
    }

    #[test]
    fn what_is_encrypted_is_forgotten() {
        let keys = |text: &str| {
            let mut parsed = read(FileId::new(0), text, &mut Sink::default());
            forget_encrypted(&mut parsed[0].root);
            parsed[0]
                .root
                .entries()
                .iter()
                .map(|entry| entry.key.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            keys("kind: Secret\nstringData: {a: 'ENC[x]'}\nsops: {mac: 'ENC[y]'}\n"),
            ["kind"]
        );
        assert_eq!(keys("kind: Secret\ndata: {a: b}\n"), ["kind", "data"]);
    }

    #[test]
    fn templates_and_relabeling_are_known() {
        let rule = "kind: PrometheusRule\nspec:\n  a: '{{ $labels.x }} of $value'\n  annotations: {b: '<b>'}\n  expr: 'x > {{ y }}'\n  record: (label_replace(x, \"a\", \"$1\", \"b\", \".*\"))\n";
        assert_eq!(unknown(rule), ["'x > {{ y }}'"]);
        let literal = "kind: PrometheusRule\nspec:\n  expr: 'x{a=\"{{ $labels.x }}\"}'\n  record: 'a:{{ $labels.x }}'\n";
        assert_eq!(unknown(literal), [""; 0]);
        let monitor = "kind: ServiceMonitor\nspec:\n  replacement: ${1}:$2\n  regex: (.+)\n  x: (a|b)\n  y: $1\n  z: ($)\n";
        assert!(unknown(monitor).is_empty());
    }

    #[test]
    fn what_people_replace_by_hand_is_unknown() {
        let agent = "spec:\n  a: __url__\n  b: '@@URL@@'\n  c: REPLACE_ME\n  d: https://<host>/x\n  e: '@URL@'\n  f: changeme\n";
        assert_eq!(
            unknown(agent),
            [
                "__url__",
                "'@@URL@@'",
                "REPLACE_ME",
                "https://<host>/x",
                "'@URL@'",
                "changeme"
            ]
        );
        let rule = "kind: PrometheusRule\nmetadata: {name: a-<service>}\nspec:\n  for: <time>\n  expr: x > <limit>\n";
        assert_eq!(unknown(rule), ["a-<service>", "<time>", "x > <limit>"]);
        let message = "kind: AlertmanagerConfig\nspec: {url: <url>, text: '{{ .x }} <b>'}\n";
        assert_eq!(unknown(message), ["<url>"]);
        let known = "spec:\n  sourceLabels: [__address__]\n  regex: (?P<a>.*)\n  a: _\n  b: a@b\n  c: '#'\n";
        assert!(unknown(known).is_empty(), "{:?}", unknown(known));
        assert!(
            unknown("kind: PrometheusRule\nspec: {expr: 'a < b > c', text: FIXME}\n").is_empty()
        );
        let none =
            "kind: PrometheusRule\nspec: {expr: 'x{owner=\"<none>\"}', a: '<nil>', b: <unknown>}\n";
        assert!(unknown(none).is_empty());
    }

    #[test]
    fn base64_has_no_templates_and_marks_need_their_end() {
        let secret = "kind: Secret\ndata: {a: <base64 of x>, b: __B__, c: '{{ .c }}', d: REPLACE_WITH_TOKEN, e: 'hunter2!', f: '{{'}\nstringData: {a: <b>, b: __B__, c: '{{ .c }}'}\n";
        assert_eq!(
            unknown(secret),
            ["<base64 of x>", "__B__", "'{{ .c }}'", "REPLACE_WITH_TOKEN"]
        );
        let map = "kind: ConfigMap\nbinaryData: {a: \"<x>\\n\", b: eA==}\ndata: {a: <b>, b: '{{ .c }}'}\n";
        assert_eq!(unknown(map), ["\"<x>\\n\""]);
        let server = "kind: Alertmanager\nspec: {replicas: __REPLICAS__, logLevel: __LEVEL__, a: '{{ x', b: 'x }}{{'}\n";
        assert_eq!(unknown(server), ["__REPLICAS__", "__LEVEL__"]);
        let receivers =
            "kind: AlertmanagerConfig\nspec: {a: __WAIT__, b: '{{ .x }}', c: a __b__}\n";
        assert_eq!(unknown(receivers), ["__WAIT__"]);
    }

    #[test]
    fn what_stands_for_base64_is_unknown() {
        let found =
            |text: &str| !unknown(&format!("kind: Secret\ndata: {{a: '{text}'}}\n")).is_empty();
        for text in [
            "ref+op://Home/1password/X",
            "ref+vault://secret/x#/y",
            "op://vault/item/field",
            "$(cat pull-secret | base64 -w0)",
            "`cat x`",
            "((vault.secret))",
            "#{VALUE}#",
            "[BASE64]",
            "[your key here]",
            "...",
            "*****",
            "xxx",
            "base64 of your key",
            "your-base64-here!",
        ] {
            assert!(found(text), "{text}");
        }
        for text in [
            "https://hooks.example.com/x",
            "hunter2!",
            "not base64!",
            "[{\"a\": 1}]",
            "ref+x",
            "my-password",
            "(a)",
            "#a",
            "$x",
            "a.b",
        ] {
            assert!(!found(text), "{text}");
        }
        // These are texts as any other where no base64 is asked for.
        assert!(
            unknown("kind: Secret\nstringData: {a: op://a/b, b: '...', c: '[x]'}\n").is_empty()
        );
    }

    #[test]
    fn places_touch_what_holds_them_and_what_they_hold() {
        let text = "metadata: {name: '${A}'}\nspec: {a: 1}\n";
        let unknown = Unknown::of(&read(FileId::new(0), text, &mut Sink::default()));
        let span = |from: &str| {
            let start = u32::try_from(text.find(from).unwrap()).unwrap();
            Span::new(
                FileId::new(0),
                start,
                start + u32::try_from(from.len()).unwrap(),
            )
        };
        assert!(unknown.touches(span("${A}")) && unknown.touches(span("{name: '${A}'}")));
        assert!(!unknown.touches(span("a: 1")) && !unknown.touches(span("name")));
        assert!(unknown.is_in(FileId::new(0)) && !unknown.is_in(FileId::new(1)));
    }
}
