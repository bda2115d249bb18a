//! Markers in the place of values of Secrets, and texts that are broken.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize as _;
use serde_yaml::{Mapping, Value};

/// What is planted: nothing else looks like it.
pub(super) const MARKER: &str = "Zq7mXk2vWp9tLr4nBs8yHc3d";

/// How long a piece of a marker has to be to give it away.
const PIECE: usize = 8;

/// Pieces of the marker, as it is and in base64.
pub(super) struct Markers(Vec<String>);

impl Markers {
    pub(super) fn new() -> Self {
        let encoded = (0..3).map(|offset| {
            let text = BASE64_STANDARD.encode(["x".repeat(offset).as_str(), MARKER, "xx"].concat());
            // The characters at both ends depend on what stands beside the marker.
            text[4..text.len() - 6].to_owned()
        });
        let all: Vec<String> = std::iter::once(MARKER.to_owned()).chain(encoded).collect();
        let pieces = |text: &String| {
            let text = text.to_ascii_lowercase();
            (0..=text.len() - PIECE)
                .map(|at| text[at..at + PIECE].to_owned())
                .collect::<Vec<_>>()
        };
        Self(all.iter().flat_map(pieces).collect())
    }

    /// Where a text gives a marker away, in any case of letters.
    pub(super) fn find(&self, text: &str) -> Option<String> {
        let lower = text.to_ascii_lowercase();
        let at = self.0.iter().find_map(|piece| lower.find(piece))?;
        let start = (0..=at.saturating_sub(120))
            .rev()
            .find(|i| text.is_char_boundary(*i))
            .unwrap_or(0);
        Some(text[start..].chars().take(200).collect())
    }
}

/// How a text is broken after markers are planted in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mutation {
    None,
    KindComment,
    KindAnchor,
    KindEscape,
    KindBelow,
    KindTag,
    KindMissing,
    KindTypo,
    Cr,
    CrLf,
    Truncated,
    OpenQuote,
    Pem,
    Alias,
    Tag,
    Verbatim,
    Anchor,
    NestedColon,
    Number,
    List,
    Flow,
    FlowKeys,
    Json,
    Duplicate,
    Unindented,
    DataIsText,
    Annotation,
}

pub(super) const MUTATIONS: &[Mutation] = &[
    Mutation::None,
    Mutation::KindComment,
    Mutation::KindAnchor,
    Mutation::KindEscape,
    Mutation::KindBelow,
    Mutation::KindTag,
    Mutation::KindMissing,
    Mutation::KindTypo,
    Mutation::Cr,
    Mutation::CrLf,
    Mutation::Truncated,
    Mutation::OpenQuote,
    Mutation::Pem,
    Mutation::Alias,
    Mutation::Tag,
    Mutation::Verbatim,
    Mutation::Anchor,
    Mutation::NestedColon,
    Mutation::Number,
    Mutation::List,
    Mutation::Flow,
    Mutation::FlowKeys,
    Mutation::Json,
    Mutation::Duplicate,
    Mutation::Unindented,
    Mutation::DataIsText,
    Mutation::Annotation,
];

/// What stands in a Secret, in turn: a bare marker, and what checks of URLs, templates, certificates and YAML trip over.
fn value(number: usize, old: &str) -> String {
    match number % 10 {
        0 => MARKER.to_owned(),
        1 => format!("https://user:{MARKER}"),
        2 => format!("{MARKER}://host"),
        3 => format!("https://a:443{MARKER}/services/{MARKER}"),
        4 => format!("https://{{{{ {MARKER} }}}}"),
        5 => format!("-----BEGIN {MARKER}-----\nAAAA\n-----END {MARKER}-----\n"),
        6 => {
            format!(
                "global: {{slack_api_url: \"https://a:{MARKER}\"}}\nroute: {{receiver: {MARKER}}}\nreceivers: []\n"
            )
        }
        7 => format!("*{MARKER}"),
        8 => LOADABLE.replace("MARKER", MARKER),
        _ => scattered(old),
    }
}

/// A configuration that Alertmanager loads, with the marker wherever there may be one.
const LOADABLE: &str = r#"
route:
  receiver: MARKER
  group_by: [MARKER]
  routes:
  - {matchers: ['MARKER!="MARKER"'], receiver: MARKER, mute_time_intervals: [MARKER], continue: true}
  - {match_re: {team: MARKER|.*}, receiver: MARKER, active_time_intervals: [MARKER]}
receivers: [{name: MARKER, webhook_configs: [{url: 'https://MARKER'}]}]
inhibit_rules: [{source_matchers: [MARKER=MARKER], target_matchers: ['MARKER!=x'], equal: [MARKER]}]
time_intervals: [{name: MARKER, time_intervals: [{weekdays: [monday]}]}]
"#;

/// The old text with the marker for each scalar, if it is a collection.
fn scattered(old: &str) -> String {
    fn replace(value: Value) -> Value {
        match value {
            Value::Sequence(items) => Value::Sequence(items.into_iter().map(replace).collect()),
            Value::Mapping(map) => Value::Mapping(
                map.into_iter()
                    .map(|(key, value)| (key, replace(value)))
                    .collect(),
            ),
            _ => Value::from(MARKER),
        }
    }
    match serde_yaml::from_str::<Value>(old) {
        Ok(value @ (Value::Sequence(_) | Value::Mapping(_))) => written(&replace(value)),
        _ => MARKER.to_owned(),
    }
}

/// A document as text, as JSON where the other library cannot write it.
fn written(value: &Value) -> String {
    serde_yaml::to_string(value)
        .unwrap_or_else(|_| serde_json::to_string(value).unwrap_or_default() + "\n")
}

/// A text with markers in all of its Secrets, and in Secrets for all of its references, broken.
pub(super) fn plant(text: &str, number: usize, mutation: Mutation) -> String {
    let documents = serde_yaml::Deserializer::from_str(text)
        .map_while(|document| Value::deserialize(document).ok());
    let mut others: Vec<Value> = documents.filter(|document| document.is_mapping()).collect();
    let mut secrets: Vec<Value> = others
        .extract_if(.., |document| document["kind"] == "Secret")
        .collect();
    let references: Vec<(String, String, String)> = others.iter().flat_map(references).collect();
    secrets.extend(
        references
            .into_iter()
            .map(|(namespace, name, key)| secret(&namespace, &name, &key)),
    );
    for (index, secret) in secrets.iter_mut().enumerate() {
        plant_in(secret, number + index);
    }
    secrets.truncate(12);
    let texts: Vec<String> = secrets
        .iter()
        .map(|secret| mutated(secret, mutation))
        .collect();
    let others = others.iter().map(written);
    let text = others.chain(texts).collect::<Vec<_>>().join("---\n");
    match mutation {
        Mutation::Cr => text.replace('\n', "\r"),
        Mutation::CrLf => text.replace('\n', "\r\n"),
        Mutation::Truncated => {
            let end = text
                .rfind(MARKER)
                .map_or(text.len(), |at| at + MARKER.len());
            format!("{}: [", &text[..end])
        }
        _ => text,
    }
}

fn secret(namespace: &str, name: &str, key: &str) -> Value {
    let text = format!(
        "{{apiVersion: v1, kind: Secret, metadata: {{name: {name:?}, namespace: {namespace:?}}}, stringData: {{{key:?}: x}}}}"
    );
    serde_yaml::from_str(&text).unwrap()
}

/// Whatever looks like a reference to a key of a Secret: namespace, name, key.
fn references(document: &Value) -> Vec<(String, String, String)> {
    fn collect(value: &Value, namespace: &str, found: &mut Vec<(String, String, String)>) {
        match value {
            Value::Sequence(items) => items
                .iter()
                .for_each(|item| collect(item, namespace, found)),
            Value::Mapping(map) => {
                if let (Some(name), Some(key)) = (value["name"].as_str(), value["key"].as_str()) {
                    found.push((namespace.to_owned(), name.to_owned(), key.to_owned()));
                }
                map.values()
                    .for_each(|inner| collect(inner, namespace, found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    collect(
        document,
        document["metadata"]["namespace"]
            .as_str()
            .unwrap_or("default"),
        &mut found,
    );
    found
}

fn plant_in(secret: &mut Value, number: usize) {
    for field in ["data", "stringData"] {
        let Some(entries) = secret.get_mut(field).and_then(Value::as_mapping_mut) else {
            continue;
        };
        for (index, value) in entries.values_mut().enumerate() {
            let old = value.as_str().unwrap_or_default().to_owned();
            let is_encoded = field == "data";
            let decoded = BASE64_STANDARD
                .decode(old.replace(char::is_whitespace, ""))
                .unwrap_or_default();
            let old = if is_encoded {
                String::from_utf8_lossy(&decoded).into_owned()
            } else {
                old
            };
            let planted = self::value(number + index, &old);
            *value = Value::from(if is_encoded {
                BASE64_STANDARD.encode(planted)
            } else {
                planted
            });
        }
    }
}

/// The text of a Secret, broken.
fn mutated(secret: &Value, mutation: Mutation) -> String {
    let text = written(secret);
    let kind = |with: &str| text.replace("kind: Secret", with);
    let value = |with: &str| {
        format!(
            "{text}stringData:\n  password: {}\n",
            with.replace("PW", MARKER)
        )
    };
    match mutation {
        Mutation::KindComment => kind("kind: Secret # for the shop") + "  broken: \"\n",
        Mutation::KindAnchor => kind("kind: &a Secret") + "  broken: \"\n",
        Mutation::KindEscape => kind("kind: \"Sec\\x72et\"") + "  broken: \"\n",
        Mutation::KindBelow => kind("kind:\n  Secret") + "  broken: \"\n",
        Mutation::KindTag => kind("kind: !!str Secret") + "  broken: \"\n",
        Mutation::KindMissing => kind("x: 1"),
        Mutation::KindTypo => kind("kind: Secert"),
        Mutation::OpenQuote => value("\"PW"),
        Mutation::Pem => value(
            "\"\n-----BEGIN RSA PRIVATE KEY-----\nPW\n-----END RSA PRIVATE KEY-----\n\"\n  other: \"PW",
        ),
        Mutation::Alias => value("*PW"),
        Mutation::Tag => value("!PW!x y"),
        Mutation::Verbatim => value("!<PW x"),
        Mutation::Anchor => value("&PW! x"),
        Mutation::NestedColon => value("PW: 5"),
        Mutation::Number => value("4711\n  other: .inf # PW"),
        Mutation::List => value("[PW, 5]"),
        Mutation::Flow => {
            text.clone() + &format!("stringData: {{password: {MARKER}, 5: 6, other:\n  x}}\n")
        }
        Mutation::FlowKeys => {
            format!(
                "apiVersion: v1\nkind: Secret\nmetadata: {{name: 5}}\nstringData: {{a: {MARKER}, b:\n  5, c: {MARKER}, d:\n  {MARKER}}}\n"
            )
        }
        Mutation::Json => serde_json::to_string(secret).unwrap() + "\n",
        Mutation::Duplicate => value("PW\n  password: PW"),
        Mutation::Unindented => value("x").replace("\n  ", "\n"),
        Mutation::DataIsText => {
            format!(
                "apiVersion: v1\nkind: Secret\nmetadata: {{name: a}}\ndata: {MARKER}\nstringData: [{MARKER}]\n"
            )
        }
        Mutation::Annotation => {
            let mut secret = secret.clone();
            let json = Value::from(serde_json::to_string(&secret).unwrap());
            let name = Value::from("kubectl.kubernetes.io/last-applied-configuration");
            let annotations =
                Mapping::from_iter([(name, json), (Value::from("x"), Value::from(5))]);
            if let Some(metadata) = secret["metadata"].as_mapping_mut() {
                metadata.insert(Value::from("annotations"), Value::from(annotations));
            }
            written(&secret)
        }
        Mutation::None | Mutation::Cr | Mutation::CrLf | Mutation::Truncated => text,
    }
}

/// Workloads that read Secrets wherever they can.
pub(super) const EVERYWHERE: &str = r#"
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: main, namespace: d}
spec:
  shards: "2"
  serviceMonitorSelector: {}
  podMonitorSelector: {}
  probeSelector: {}
  scrapeConfigSelector: {}
  ruleSelector: {}
  additionalScrapeConfigs: {name: more, key: jobs}
  additionalAlertRelabelConfigs: {name: more, key: relabel}
  additionalAlertManagerConfigs: {name: more, key: alertmanagers}
  apiserverConfig: {host: "https://a", basicAuth: {username: {name: api, key: u}, password: {name: api, key: p}}}
  web: {tlsConfig: {keySecret: {name: web, key: k}, cert: {secret: {name: web, key: c}}}}
  remoteWrite:
  - url: https://a
    authorization: {credentials: {name: rw, key: t}}
    tlsConfig: {ca: {secret: {name: rw, key: ca}}}
  - url: https://b
    oauth2: {clientId: {secret: {name: rw, key: id}}, clientSecret: {name: rw, key: s}, tokenUrl: https://c}
  remoteRead: [{url: https://a, basicAuth: {username: {name: rr, key: u}, password: {name: rr, key: p}}}]
---
apiVersion: monitoring.coreos.com/v1alpha1
kind: PrometheusAgent
metadata: {name: agent, namespace: d}
spec: {serviceMonitorSelector: {}, remoteWrite: [{url: https://a, sigv4: {accessKey: {name: aws, key: a}, secretKey: {name: aws, key: s}}}]}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: sm, namespace: d}
spec:
  selector: {}
  endpoints:
  - port: a
    basicAuth: {username: {name: sm, key: u}, password: {name: sm, key: p}}
    proxyUrl: http://a
    proxyConnectHeader: {a: [{name: sm, key: h}]}
  - {port: b, tlsConfig: {cert: {secret: {name: sm, key: c}}, keySecret: {name: sm, key: k}}}
  - {port: c, bearerTokenSecret: {name: sm, key: b}}
---
apiVersion: monitoring.coreos.com/v1alpha1
kind: ScrapeConfig
metadata: {name: sc, namespace: d}
spec:
  consulSDConfigs: [{server: a, tokenRef: {name: sc, key: t}}]
  authorization: {credentials: {name: sc, key: c}}
---
apiVersion: monitoring.coreos.com/v1
kind: Alertmanager
metadata: {name: am, namespace: d}
spec: {configSecret: ams, alertmanagerConfigSelector: {}}
---
apiVersion: monitoring.coreos.com/v1
kind: Alertmanager
metadata: {name: raw, namespace: d}
spec: {configSecret: ams}
---
apiVersion: v1
kind: Secret
metadata: {name: ams, namespace: d}
stringData:
  alertmanager.yaml: "route: {receiver: a}\nreceivers: [{name: a, slack_configs: [{api_url: 'https://a'}]}]\n"
  other: x
---
apiVersion: monitoring.coreos.com/v1alpha1
kind: AlertmanagerConfig
metadata: {name: ac, namespace: d}
spec:
  route: {receiver: a}
  receivers:
  - name: a
    webhookConfigs: [{urlSecret: {name: hooks, key: w}}]
    slackConfigs: [{apiURL: {name: hooks, key: s}}]
    pagerdutyConfigs: [{routingKey: {name: hooks, key: p}}]
---
apiVersion: monitoring.coreos.com/v1
kind: ThanosRuler
metadata: {name: tr, namespace: d}
spec:
  ruleSelector: {}
  queryEndpoints: [a]
  remoteWrite: [{url: https://a, basicAuth: {username: {name: tr, key: u}, password: {name: tr, key: p}}}]
  objectStorageConfig: {name: tr, key: o}
---
apiVersion: v1
kind: Secret
metadata: {name: more, namespace: d}
data: {jobs: LSBqb2JfbmFtZTogYQo=}
"#;
