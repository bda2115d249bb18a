//! A configuration in Alertmanager's own form: what is no part of it, what contradicts itself, and how the operator
//! writes it again for a version.
//!
//! In: a document. Out: an error in Alertmanager's words, or the same in the operator's order, without what is empty and
//! what the version does not know. Time intervals are taken over as they are written.

mod tables;

use crate::assets::{Fault, REDACTED};
use crate::gates::{Gate, Versions};
use crate::go::quote::quote;
use crate::go::url::Url;
use crate::source::Span;
use crate::yaml::emit::sort_natural;
use crate::yaml::{Data, Map, Node, Value};

/// The keys of a part, in order.
pub(super) struct Shape(&'static [Field]);

/// A key.
struct Field {
    key: &'static str,
    kind: Kind,
    /// Since when it is known, if not always.
    gate: Option<&'static Gate>,
}

/// What a key holds, and when it is left out.
#[derive(Clone, Copy)]
enum Kind {
    /// A text; not if it is empty.
    Text,
    /// A text, even if it is empty.
    TextAlways,
    /// A URL; not if it is empty.
    Url,
    /// Whether; not if not.
    Flag,
    /// Whether or not.
    FlagAlways,
    /// A number; not if it is zero.
    Number,
    /// Anything plain that is set.
    Set,
    /// Texts; not if there are none.
    Texts,
    /// Texts, even if there are none.
    TextsAlways,
    /// Texts by name, sorted.
    Pairs,
    /// Anything, with maps sorted.
    Sorted,
    /// Anything, as it is written.
    Any,
    /// A part, even if it is empty.
    One(&'static Shape),
    /// Parts; not if there are none.
    Many(&'static Shape),
}

const fn field(key: &'static str, kind: Kind) -> Field {
    Field { key, kind, gate: None }
}

const fn since(key: &'static str, kind: Kind, gate: &'static Gate) -> Field {
    Field { key, kind, gate: Some(gate) }
}

/// A key that is no part of a configuration.
struct Unknown {
    line: usize,
    key: String,
}

impl Unknown {
    fn said(&self, key: &str) -> String {
        format!("line {}: field {key} not found in type config.plain", self.line)
    }
}

/// The document and what it is written for.
struct Cx<'a> {
    text: &'a str,
    versions: &'a Versions,
}

/// The configuration as the operator writes it again.
///
/// # Errors
/// What is no part of a configuration, or contradicts itself; in Alertmanager's words.
pub(super) fn rewritten(text: &str, root: &Node<'_>, versions: &Versions) -> Result<Value, Fault> {
    let cx = Cx { text, versions };
    let mut unknown = Vec::new();
    cx.check(root, &tables::ROOT, &mut unknown)?;
    if unknown.is_empty() {
        Ok(cx.part(root, &tables::ROOT).into())
    } else {
        let told = |said: fn(&Unknown) -> String| {
            format!("yaml: unmarshal errors:\n  {}", unknown.iter().map(said).collect::<Vec<_>>().join("\n  "))
        };
        Err(Fault::new(told(|field| field.said(&field.key)), told(|field| field.said(REDACTED))))
    }
}

impl Cx<'_> {
    /// Looks at a part in the order in which it is written, the innermost first, as a parser does.
    fn check(&self, node: &Node<'_>, shape: &'static Shape, unknown: &mut Vec<Unknown>) -> Result<(), Fault> {
        for entry in node.entries() {
            let Some(field) = shape.0.iter().find(|f| f.key == entry.key) else {
                unknown.push(Unknown { line: self.line(entry.key_span), key: entry.key.to_string() });
                continue;
            };
            match field.kind {
                Kind::One(shape) => self.check(&entry.value, shape, unknown)?,
                Kind::Many(shape) => {
                    entry.value.items().iter().try_for_each(|item| self.check(item, shape, unknown))?;
                }
                Kind::Url => check_url(self.scalar(&entry.value).as_str())?,
                Kind::Text
                | Kind::TextAlways
                | Kind::Flag
                | Kind::FlagAlways
                | Kind::Number
                | Kind::Set
                | Kind::Texts
                | Kind::TextsAlways
                | Kind::Pairs
                | Kind::Sorted
                | Kind::Any => {}
            }
        }
        self.contradictions(node, shape).map_err(Fault::plain)?;
        self.missing(node, shape).map_or(Ok(()), |message| Err(Fault::plain(message)))
    }

    /// A secret comes from the configuration or from a file.
    fn contradictions(&self, node: &Node<'_>, shape: &'static Shape) -> Result<(), String> {
        for Field { key, .. } in shape.0 {
            let file = format!("{key}_file");
            let both =
                !self.is_empty(node, key) && shape.0.iter().any(|f| f.key == file) && !self.is_empty(node, &file);
            if both {
                return Err(format!("at most one of {key} & {file} must be configured"));
            }
        }
        Ok(())
    }

    /// What a receiver cannot do without.
    fn missing(&self, node: &Node<'_>, shape: &'static Shape) -> Option<&'static str> {
        let none = |keys: &[&str]| keys.iter().all(|key| self.is_empty(node, key));
        let is = |other: &'static Shape| std::ptr::eq(shape, other);
        let rules: [(&'static Shape, &[&str], &'static str); 8] = [
            (&tables::EMAIL, &["to"], "missing to address in email config"),
            (&tables::WEBHOOK, &["url", "url_file"], "one of url or url_file must be configured"),
            (
                &tables::PAGERDUTY,
                &["service_key", "service_key_file", "routing_key", "routing_key_file"],
                "missing service or routing key in PagerDuty config",
            ),
            (&tables::VICTOROPS, &["routing_key"], "missing Routing key in VictorOps config"),
            (&tables::PUSHOVER, &["user_key", "user_key_file"], "one of user_key or user_key_file must be configured"),
            (&tables::PUSHOVER, &["token", "token_file"], "one of token or token_file must be configured"),
            (
                &tables::MSTEAMSV2,
                &["webhook_url", "webhook_url_file"],
                "one of webhook_url or webhook_url_file must be configured",
            ),
            (&tables::JIRA, &["project"], "missing project in jira_config"),
        ];
        let rule = rules.iter().find(|(of, keys, _)| is(of) && none(keys));
        rule.map(|(_, _, message)| *message)
    }

    fn is_empty(&self, node: &Node<'_>, key: &str) -> bool {
        node.get(key).is_none_or(|value| self.scalar(value).is_empty())
    }

    /// A part in the operator's order.
    fn part(&self, node: &Node<'_>, shape: &'static Shape) -> Map {
        let known = |field: &&Field| field.gate.is_none_or(|gate| self.versions.has(gate));
        let value = |field: &Field| Some((field.key.into(), self.value(node.get(field.key), field.kind)?));
        shape.0.iter().filter(known).filter_map(value).collect()
    }

    /// What stands at a key. `None` if it is left out.
    fn value(&self, node: Option<&Node<'_>>, kind: Kind) -> Option<Value> {
        let node = node.filter(|n| n.data != Data::Null);
        let text = || node.map(|n| self.scalar(n)).unwrap_or_default();
        let flag = || node.is_some_and(|n| n.data == Data::Bool(true));
        match kind {
            Kind::Text | Kind::Url => Some(text()).filter(|t| !t.is_empty()).map(Value::from),
            Kind::TextAlways => Some(text().into()),
            Kind::Flag => flag().then_some(Value::Bool(true)),
            Kind::FlagAlways => Some(Value::Bool(flag())),
            Kind::Number => node.filter(|n| n.data != Data::Int(0)).map(Node::to_value),
            Kind::Set | Kind::Any => node.map(Node::to_value),
            Kind::Sorted => node.map(|n| sorted(n.to_value())),
            Kind::Texts => self.texts(node).filter(|t| !t.is_empty()).map(Value::Seq),
            Kind::TextsAlways => Some(Value::Seq(self.texts(node).unwrap_or_default())),
            Kind::Pairs => {
                let pairs = node.map(Node::entries).unwrap_or_default().iter();
                let pair = |e: &crate::yaml::Entry<'_>| (e.key.to_string().into(), self.scalar(&e.value).into());
                let map: Map = pairs.map(pair).collect();
                (!map.is_empty()).then(|| sorted(map.into()))
            }
            Kind::One(shape) => node.map(|n| self.part(n, shape).into()),
            Kind::Many(shape) => {
                let items = node.map(Node::items).unwrap_or_default();
                let parts: Vec<Value> = items.iter().map(|item| self.part(item, shape).into()).collect();
                (!parts.is_empty()).then_some(Value::Seq(parts))
            }
        }
    }

    fn texts(&self, node: Option<&Node<'_>>) -> Option<Vec<Value>> {
        node.map(|n| n.items().iter().map(|item| self.scalar(item).into()).collect())
    }

    /// A plain value as text, as it is written: Go reads a number into a text so.
    fn scalar(&self, node: &Node<'_>) -> String {
        match &node.data {
            Data::String(text) => text.to_string(),
            Data::Bool(_) | Data::Int(_) | Data::Uint(_) | Data::Float(_) => {
                self.text.get(node.span.start as usize..node.span.end as usize).unwrap_or_default().to_owned()
            }
            Data::Null | Data::Seq(_) | Data::Map(_) => String::new(),
        }
    }

    fn line(&self, span: Span) -> usize {
        let before = self.text.as_bytes().get(..span.start as usize).unwrap_or_default();
        1 + memchr::memchr_iter(b'\n', before).count()
    }
}

/// What Alertmanager asks of a URL. Upstream: `parseURL`.
fn check_url(text: &str) -> Result<(), Fault> {
    if text.is_empty() || text.contains("{{") {
        return Ok(());
    }
    let url = Url::parse(text).map_err(Fault::quoting)?;
    if !matches!(url.scheme.as_str(), "http" | "https") {
        return Err(Fault::quoting(format!("unsupported scheme {} for URL", quote(&url.scheme))));
    }
    if url.host.is_empty() { Err(Fault::plain("missing host for URL")) } else { Ok(()) }
}

/// The value with the maps in it sorted, as Go writes its own.
fn sorted(value: Value) -> Value {
    match value {
        Value::Map(map) => {
            let mut map: Map = map.0.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            sort_natural(&mut map);
            Value::Map(map)
        }
        Value::Seq(items) => Value::Seq(items.into_iter().map(sorted).collect()),
        value @ (Value::Null | Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Float(_) | Value::Str(_)) => {
            value
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gates::Target;
    use crate::version::Version;
    use crate::yaml::emit::{self, Dialect};
    use crate::yaml::read::read_slices;

    fn rewrite(text: &str, minor: u64) -> Result<String, String> {
        let alertmanager = Version::new(0, minor, 0);
        let versions = Versions { alertmanager, ..Versions::of_target(&Target::default()) };
        let root = read_slices(text).unwrap().unwrap();
        let value = rewritten(text, &root, &versions).map_err(|fault| fault.said(true))?;
        Ok(emit::to_string(&value, Dialect::YamlV2))
    }

    #[test]
    fn keys_have_an_order_and_empty_ones_go() {
        let text = "receivers:\n- webhook_configs: [{max_alerts: 0, url: 'http://a', send_resolved: false}]\n  name: a\nglobal: {}\nroute:\n  routes: [{continue: false, matchers: [b], receiver: 017}]\n  receiver: a\n";
        let expected = "global: {}\nroute:\n  receiver: a\n  routes:\n  - receiver: \"017\"\n    matchers:\n    - b\nreceivers:\n- name: a\n  webhook_configs:\n  - send_resolved: false\n    url: http://a\ntemplates: []\n";
        assert_eq!(rewrite(text, 33).unwrap(), expected);
    }

    #[test]
    fn what_the_version_does_not_know_goes() {
        let text = "receivers: [{name: a, discord_configs: [{webhook_url: 'https://a', username: me}]}]";
        assert!(rewrite(text, 27).unwrap().ends_with("- webhook_url: https://a\ntemplates: []\n"));
        assert!(rewrite(text, 28).unwrap().contains("username: me"));
    }

    #[test]
    fn what_is_no_configuration_is_refused_in_alertmanagers_words() {
        let error = |text: &str| rewrite(text, 33).unwrap_err();
        let unknown = "yaml: unmarshal errors:\n  line 2: field colour not found in type config.plain";
        assert_eq!(error("global:\n  colour: red\n"), unknown);
        let both = "global: {smtp_auth_password: a, smtp_auth_password_file: b}";
        assert_eq!(error(both), "at most one of smtp_auth_password & smtp_auth_password_file must be configured");
        assert_eq!(error("receivers: [{email_configs: [{}]}]"), "missing to address in email config");
        assert_eq!(error("global: {slack_api_url: a}"), "unsupported scheme \"\" for URL");
    }
}
