//! The web server of a workload: its configuration file, and the certificates and keys that it names.

use std::collections::BTreeMap;

use crate::lower::workload::names;
use crate::lower::workload::object::{self, Owner, Parent};
use crate::lower::workload::pod::{path, volumes};
use crate::output::OutputObject;
use crate::paths::SPEC;
use crate::select::admit::Refusal;
use promgen_resources::api::auth::SecretOrConfigMap;
use promgen_resources::api::core::{SecretKeySelector, Volume, VolumeMount};
use promgen_resources::api::servers::web::{
    ClientAuthType, WebHttpConfig, WebHttpHeaders, WebTlsConfig,
};
use promgen_text::yaml::emit::{self, Dialect};
use promgen_text::yaml::{Map, StringMap, Value};

/// The file, and its key in the Secret.
const FILE: &str = "web-config.yaml";
/// The volume of the file.
const VOLUME: &str = "web-config";

/// The user's settings of a web server, and the paths of its files.
#[derive(Clone, Copy, Debug)]
pub(super) struct Web<'a> {
    pub(super) tls: Option<&'a WebTlsConfig>,
    pub(super) http: Option<&'a WebHttpConfig>,
    /// The folder of the file and the certificates.
    pub(super) dir: &'a str,
}

impl Web<'_> {
    /// The path of the file.
    pub(super) fn file_path(&self) -> String {
        format!("{}/{FILE}", self.dir)
    }

    /// The volumes of the file, which is in that Secret, and of what it names, with their mounts.
    pub(super) fn mounts(&self, secret: &str) -> Vec<(Volume, VolumeMount)> {
        let file = VolumeMount {
            sub_path: Some(FILE.to_owned()),
            ..volumes::read_only(VOLUME, &self.file_path())
        };
        let mut out = vec![(volumes::secret(VOLUME, secret), file)];
        if let Some(tls) = self.tls {
            let sources = sources(tls).into_iter().flatten();
            out.extend(sources.map(|source| source.mount("web-config-tls", self.dir)));
        }
        out
    }

    /// The Secret of that name with the file, and the text of the file. Operator: empty without settings.
    ///
    /// # Errors
    /// The settings contradict each other, in the operator's words.
    pub(super) fn secret(
        &self,
        parent: &Parent<'_>,
        name: String,
    ) -> Result<(OutputObject, String), Refusal> {
        let text = self.text()?;
        let values = BTreeMap::from([(FILE.to_owned(), text.clone().into_bytes())]);
        let metadata = object::metadata(parent, name, StringMap::new(), Owner::Manager);
        Ok((object::secret(&metadata, parent.layout, &values), text))
    }

    /// The text of the file.
    ///
    /// # Errors
    /// The settings contradict each other, in the operator's words.
    pub(super) fn text(&self) -> Result<String, Refusal> {
        if let Some(tls) = self.tls {
            validate(tls).map_err(|e| Refusal::new(&SPEC.key("web").key("tlsConfig"), e))?;
        }
        if self.tls.is_none() && self.http.is_none() {
            return Ok(String::new());
        }
        let mut map = Map::new();
        map.push_some(
            "tls_server_config",
            self.tls.map(|tls| tls_server(tls, self.dir)),
        );
        map.push_some("http_server_config", self.http.map(http_server));
        Ok(emit::to_string(&map.into(), Dialect::YamlV2))
    }
}

/// Operator: `WebTLSConfig.Validate`.
///
/// # Errors
/// The settings contradict each other, in the operator's words.
pub(super) fn validate(tls: &WebTlsConfig) -> Result<(), String> {
    let (ca, cert) = (
        reference(tls.client_ca.as_ref()),
        reference(tls.cert.as_ref()),
    );
    if let Some(ca) = ca {
        if filled(tls.client_ca_file.as_deref()).is_some() {
            return Err("cannot specify both clientCAFile and clientCA".to_owned());
        }
        one_of(ca).map_err(|e| format!("invalid client CA: {e}"))?;
    }
    let cert_file = filled(tls.cert_file.as_deref());
    if let Some(cert) = cert {
        if cert_file.is_some() {
            return Err("cannot specify both cert and certFile".to_owned());
        }
        one_of(cert).map_err(|e| format!("invalid TLS certificate: {e}"))?;
    }
    let key = tls
        .key_secret
        .as_ref()
        .filter(|s| !s.name.is_empty() || !s.key.is_empty() || s.optional.is_some());
    let key_file = filled(tls.key_file.as_deref());
    match (key_file, key) {
        (Some(_), Some(_)) => return Err("cannot specify both keyFile and keySecret".to_owned()),
        (None, None) => return Err("TLS private key must be defined".to_owned()),
        (Some(_), None) | (None, Some(_)) => {}
    }
    if cert_file.is_none() && cert.is_none() {
        return Err("TLS certificate must be defined".to_owned());
    }
    Ok(())
}

fn reference(selector: Option<&SecretOrConfigMap>) -> Option<&SecretOrConfigMap> {
    selector.filter(|s| s.secret.is_some() || s.config_map.is_some())
}

fn one_of(selector: &SecretOrConfigMap) -> Result<(), String> {
    if selector.secret.is_some() && selector.config_map.is_some() {
        return Err("cannot specify both Secret and ConfigMap".to_owned());
    }
    Ok(())
}

fn filled(text: Option<&str>) -> Option<&str> {
    text.filter(|t| !t.is_empty())
}

/// A key of a Secret or ConfigMap that is mounted.
#[derive(Clone, Copy, Debug)]
pub(super) struct MountedKey<'a> {
    config_map: bool,
    name: &'a str,
    key: &'a str,
    /// Its part of the volume's name.
    volume: &'static str,
    /// Its folder in the path.
    folder: &'static str,
}

impl<'a> MountedKey<'a> {
    /// A private key.
    pub(super) fn key(selector: &'a SecretKeySelector) -> Self {
        Self {
            config_map: false,
            name: &selector.name,
            key: &selector.key,
            volume: "key",
            folder: "key",
        }
    }

    /// A certificate.
    pub(super) fn cert(selector: &'a SecretOrConfigMap) -> Option<Self> {
        Self::either(selector, "cert", "cert")
    }

    /// The CA of the client certificates.
    pub(super) fn client_ca(selector: &'a SecretOrConfigMap) -> Option<Self> {
        Self::either(selector, "client-ca", "ca")
    }

    fn either(
        selector: &'a SecretOrConfigMap,
        volume: &'static str,
        folder: &'static str,
    ) -> Option<Self> {
        match (&selector.secret, &selector.config_map) {
            (Some(s), _) => Some(Self {
                config_map: false,
                name: &s.name,
                key: &s.key,
                volume,
                folder,
            }),
            (None, Some(m)) => Some(Self {
                config_map: true,
                name: &m.name,
                key: &m.key,
                volume,
                folder,
            }),
            (None, None) => None,
        }
    }

    const fn kind(&self) -> &'static str {
        if self.config_map {
            "configmap"
        } else {
            "secret"
        }
    }

    fn dir(&self, base: &str) -> String {
        format!("{base}/{}/{}-{}", self.kind(), self.name, self.folder)
    }

    /// Its file, somewhere below the base.
    pub(super) fn file(&self, base: &str) -> String {
        path::clean(&format!("{}/{}", self.dir(base), self.key))
    }

    /// The volume, whose name begins with the prefix, and its mount below the base.
    pub(super) fn mount(&self, prefix: &str, base: &str) -> (Volume, VolumeMount) {
        let name = names::unique_volume(
            &format!("{prefix}-{}-{}", self.kind(), self.volume),
            self.name,
        );
        let volume = if self.config_map {
            volumes::config_map(&name, self.name, None)
        } else {
            volumes::secret(&name, self.name)
        };
        (volume, volumes::read_only(&name, &self.dir(base)))
    }
}

/// The sources of the key, the certificate and the CA of a server. Operator: mounts the key's Secret even if there is
/// none, under an empty name.
pub(super) fn sources(tls: &WebTlsConfig) -> [Option<MountedKey<'_>>; 3] {
    let none = MountedKey {
        config_map: false,
        name: "",
        key: "",
        volume: "key",
        folder: "key",
    };
    [
        Some(tls.key_secret.as_ref().map_or(none, MountedKey::key)),
        tls.cert.as_ref().and_then(MountedKey::cert),
        tls.client_ca.as_ref().and_then(MountedKey::client_ca),
    ]
}

/// The files with key, certificate and authority of a server, those of Secrets and ConfigMaps below the base.
pub(super) fn files(tls: &WebTlsConfig, base: &str) -> [Option<String>; 3] {
    let file = |source: Option<MountedKey<'_>>, file: &Option<String>| {
        source
            .map(|s| s.file(base))
            .or_else(|| filled(file.as_deref()).map(str::to_owned))
    };
    let [key, cert, client_ca] = sources(tls);
    [
        file(key.filter(|k| !k.name.is_empty()), &tls.key_file),
        file(cert, &tls.cert_file),
        file(client_ca, &tls.client_ca_file),
    ]
}

fn tls_server(tls: &WebTlsConfig, base: &str) -> Map {
    let [key, cert, client_ca] = files(tls, base);
    let mut map = Map::new();
    map.push_some("cert_file", cert);
    map.push_some("key_file", key);
    server_settings(&mut map, tls, client_ca);
    map
}

/// Adds the settings of a server besides its key and certificate.
pub(super) fn server_settings(map: &mut Map, tls: &WebTlsConfig, client_ca: Option<String>) {
    let text = |text: &Option<String>| filled(text.as_deref()).map(str::to_owned);
    let list = |items: &Option<Vec<String>>| items.clone().filter(|i| !i.is_empty());
    let client_auth = tls.client_auth_type.as_ref().map(ClientAuthType::as_str);
    map.push_some("client_auth_type", filled(client_auth).map(str::to_owned));
    map.push_some("client_ca_file", client_ca);
    map.push_some("min_version", text(&tls.min_version));
    map.push_some("max_version", text(&tls.max_version));
    map.push_some("cipher_suites", list(&tls.cipher_suites));
    map.push_some(
        "prefer_server_cipher_suites",
        tls.prefer_server_cipher_suites,
    );
    map.push_some("curve_preferences", list(&tls.curve_preferences));
}

fn http_server(http: &WebHttpConfig) -> Map {
    let mut map = Map::new();
    map.push_some("http2", http.http2);
    map.push_some("headers", http.headers.as_ref().map(headers));
    map
}

fn headers(headers: &WebHttpHeaders) -> Map {
    let text = |text: &Option<String>| filled(text.as_deref()).map(str::to_owned);
    let lower = |text: Option<&'static str>| filled(text).map(str::to_lowercase);
    let fields: [(_, Option<String>); 5] = [
        (
            "Content-Security-Policy",
            text(&headers.content_security_policy),
        ),
        (
            "Strict-Transport-Security",
            text(&headers.strict_transport_security),
        ),
        // The API spells these values like `NoSniff`; the operator writes them in lower case.
        (
            "X-Content-Type-Options",
            lower(headers.x_content_type_options.map(|o| o.as_str())),
        ),
        (
            "X-Frame-Options",
            lower(headers.x_frame_options.map(|o| o.as_str())),
        ),
        ("X-XSS-Protection", text(&headers.x_xss_protection)),
    ];
    fields
        .into_iter()
        .filter_map(|(name, value)| Some((name, Value::from(value?))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_resources::api::core::ConfigMapKeySelector;

    fn secret(name: &str) -> SecretKeySelector {
        SecretKeySelector {
            name: name.to_owned(),
            key: "k".to_owned(),
            optional: None,
        }
    }

    #[test]
    fn contradictions_are_refused_in_the_operators_words() {
        let error = |tls: WebTlsConfig| {
            Web {
                tls: Some(&tls),
                http: None,
                dir: "",
            }
            .text()
            .unwrap_err()
            .message
        };
        assert_eq!(
            error(WebTlsConfig::default()),
            "TLS private key must be defined"
        );
        let key = WebTlsConfig {
            key_secret: Some(secret("s")),
            ..WebTlsConfig::default()
        };
        assert_eq!(error(key.clone()), "TLS certificate must be defined");
        let both = SecretOrConfigMap {
            secret: Some(secret("s")),
            config_map: Some(ConfigMapKeySelector::default()),
        };
        let tls = WebTlsConfig {
            cert: Some(both),
            ..key
        };
        assert_eq!(
            error(tls),
            "invalid TLS certificate: cannot specify both Secret and ConfigMap"
        );
    }

    #[test]
    fn nothing_to_say_is_an_empty_file() {
        assert_eq!(
            Web {
                tls: None,
                http: None,
                dir: ""
            }
            .text()
            .unwrap(),
            ""
        );
    }

    #[test]
    fn a_key_that_names_something_is_one() {
        let named = |name: &str, key: &str, optional| WebTlsConfig {
            cert_file: Some("/cert".to_owned()),
            key_secret: Some(SecretKeySelector {
                name: name.to_owned(),
                key: key.to_owned(),
                optional,
            }),
            ..WebTlsConfig::default()
        };
        for key in [
            named("s", "", None),
            named("", "k", None),
            named("", "", Some(true)),
        ] {
            assert_eq!(validate(&key), Ok(()), "{key:?}");
        }
        assert_eq!(
            validate(&named("", "", None)).unwrap_err(),
            "TLS private key must be defined"
        );
    }
}
