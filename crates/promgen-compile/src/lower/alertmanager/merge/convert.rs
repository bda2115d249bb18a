//! Converts the fields of a resource to Alertmanager's own form, by the tables.

use crate::cluster::assets::{AssetStore, ShownText, tls_file};
use crate::receivers::table::conversion::{Conversion, Table};
use promgen_resources::api::auth::SecretOrConfigMap;
use promgen_resources::api::core::{ConfigMapKeySelector, SecretKeySelector};
use promgen_resources::gates::Versions;
use promgen_text::go::duration::PromDuration;
use promgen_text::go::host;
use promgen_text::yaml::{Map, MapEntry, Value};

/// The place of certificates in the pods.
const CERTS_DIR: &str = "/etc/alertmanager/certs";

/// Reads the Secrets and ConfigMaps of a namespace.
#[derive(Clone, Copy)]
pub(super) struct Convert<'a> {
    /// The Secrets and ConfigMaps of the workload.
    pub(super) assets: &'a AssetStore<'a>,
    /// The namespace of the resource.
    pub(super) namespace: &'a str,
    /// The versions of the operator and of what it deploys.
    pub(super) versions: &'a Versions,
}

impl Convert<'_> {
    /// An object in Alertmanager's own form. Keys are in the order of the fields, of which the later one wins.
    pub(super) fn part(&self, object: &Value, table: Table) -> Map {
        let mut out = Map::new();
        for (field, value) in object.as_map().into_iter().flat_map(Map::iter) {
            match table.row(field) {
                _ if *value == Value::Null => {}
                (_, Conversion::Flat(table)) => out.extend(self.part(value, table)),
                (key, how) => {
                    if let Some(value) = self.value(value, how) {
                        out.set(key, value);
                    }
                }
            }
        }
        out
    }

    fn value(&self, value: &Value, how: Conversion) -> Option<Value> {
        Some(match how {
            Conversion::Lost => return None,
            Conversion::Since(gate) if !self.versions.has(gate) => return None,
            Conversion::Plain | Conversion::Since(_) => value.clone(),
            Conversion::Filled
                if matches!(value.as_str(), Some("")) || *value == Value::Bool(false) =>
            {
                return None;
            }
            Conversion::Filled => value.clone(),
            Conversion::Secret => self.secret(value)?.into(),
            // The operator trims URLs, and no other value of a Secret.
            Conversion::SecretUrl => self.secret(value)?.trimmed().into(),
            Conversion::Pairs if value.as_seq().is_none_or(<[Value]>::is_empty) => return None,
            Conversion::Pairs => {
                let mut pairs = Map::new();
                for (key, value) in value.as_seq().unwrap_or_default().iter().map(pair) {
                    pairs.set(key, value);
                }
                pairs.into()
            }
            Conversion::Part(table) | Conversion::Flat(table) => self.part(value, table).into(),
            Conversion::Parts(table) => {
                let items = value.as_seq().unwrap_or_default();
                Value::Seq(
                    items
                        .iter()
                        .map(|item| self.part(item, table).into())
                        .collect(),
                )
            }
            Conversion::Tls => self.tls(value).into(),
            Conversion::Authorization => self.authorization(value)?.into(),
            Conversion::ClientId => self.client_id(value)?.into(),
            Conversion::Headers if value.as_map().is_none_or(Map::is_empty) => return None,
            Conversion::Headers => {
                let headers = value.as_map()?.iter();
                Value::Map(
                    headers
                        .map(|(name, values)| (name.clone(), self.header(values)))
                        .collect(),
                )
            }
            Conversion::Threading => {
                let by_date = value.text_or_empty("threadByDate").to_lowercase();
                Map::new()
                    .with("enabled", true)
                    .with("thread_by_date", by_date)
                    .into()
            }
            Conversion::Smarthost => {
                let (host, port) =
                    host::split(value.as_str().unwrap_or_default()).unwrap_or_default();
                if host.is_empty() && port.is_empty() {
                    return None;
                } else {
                    value.clone()
                }
            }
            Conversion::GoDuration if value.as_str() == Some("") => return None,
            Conversion::GoDuration => {
                let text = value.as_str().unwrap_or_default();
                PromDuration::parse(text)
                    .map_or_else(|_| value.clone(), |duration| duration.to_string().into())
            }
            Conversion::HostPort => {
                match (value.text_or_empty("host"), value.text_or_empty("port")) {
                    // Go puts brackets around an IPv6 address.
                    (host, port) if host.contains(':') => format!("[{host}]:{port}").into(),
                    (host, port) => format!("{host}:{port}").into(),
                }
            }
        })
    }

    fn secret(&self, selector: &Value) -> Option<ShownText> {
        self.assets
            .secret_text(self.namespace, &secret_selector(selector))
    }

    fn header(&self, values: &Value) -> Value {
        let values = values.as_seq().unwrap_or_default();
        Value::Seq(
            values
                .iter()
                .map(|value| self.secret(value).unwrap_or_default().into())
                .collect(),
        )
    }

    /// An `Authorization` header; none without credentials.
    fn authorization(&self, value: &Value) -> Option<Map> {
        let credentials = value.get("credentials").filter(|v| **v != Value::Null)?;
        // Empty credentials leave the whole header out.
        let credentials = self.secret(credentials).filter(|text| !text.is_empty())?;
        let kind = Some(value.text_or_empty("type"))
            .filter(|kind| !kind.trim().is_empty())
            .unwrap_or("Bearer");
        Some(
            Map::new()
                .with("type", kind.to_owned())
                .with("credentials", credentials),
        )
    }

    fn client_id(&self, value: &Value) -> Option<ShownText> {
        let selector = secret_or_config_map(value);
        match (&selector.secret, &selector.config_map) {
            (Some(secret), _) => self.assets.secret_text(self.namespace, secret),
            (None, Some(map)) => self.assets.config_map_text(self.namespace, map),
            (None, None) => None,
        }
    }

    fn tls(&self, value: &Value) -> Map {
        let file = |selector: SecretOrConfigMap| {
            tls_file(self.namespace, &selector).map(|file| format!("{CERTS_DIR}/{file}"))
        };
        let set = |key: &str| value.get(key).filter(|v| **v != Value::Null);
        let mut out = Map::new();
        out.push_some(
            "ca_file",
            set("ca").map(secret_or_config_map).and_then(file),
        );
        out.push_some(
            "cert_file",
            set("cert").map(secret_or_config_map).and_then(file),
        );
        let key = set("keySecret").map(|s| SecretOrConfigMap {
            secret: Some(secret_selector(s)),
            config_map: None,
        });
        out.push_some("key_file", key.and_then(file));
        out.push_some("server_name", set("serverName").cloned());
        out.push_some("insecure_skip_verify", set("insecureSkipVerify").cloned());
        out.push_some("min_version", set("minVersion").cloned());
        out.push_some("max_version", set("maxVersion").cloned());
        out
    }
}

fn pair(item: &Value) -> MapEntry {
    (
        item.text_or_empty("key").to_owned().into(),
        item.text_or_empty("value").to_owned().into(),
    )
}

fn secret_or_config_map(value: &Value) -> SecretOrConfigMap {
    let set = |key: &str| value.get(key).filter(|v| **v != Value::Null);
    SecretOrConfigMap {
        secret: set("secret").map(secret_selector),
        config_map: set("configMap").map(|map| {
            let (name, key) = (
                map.text_or_empty("name").to_owned(),
                map.text_or_empty("key").to_owned(),
            );
            ConfigMapKeySelector {
                name,
                key,
                optional: None,
            }
        }),
    }
}

fn secret_selector(value: &Value) -> SecretKeySelector {
    SecretKeySelector {
        name: value.text_or_empty("name").to_owned(),
        key: value.text_or_empty("key").to_owned(),
        optional: None,
    }
}
