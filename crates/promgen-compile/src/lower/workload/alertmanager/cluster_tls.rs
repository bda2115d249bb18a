//! TLS among the peers of a cluster: its configuration file, and the certificates and keys that it names.

use crate::lower::alertmanager::AlertmanagerContext;
use crate::lower::workload::pod::volumes;
use crate::lower::workload::web_config::{self, MountedKey};
use crate::paths::SPEC;
use crate::select::admit::{InField, Refusal, Refuse, tls};
use promgen_resources::api::auth::SafeTlsConfig;
use promgen_resources::api::core::{Volume, VolumeMount};
use promgen_resources::api::notifying::alertmanager::ClusterTlsConfig;
use promgen_resources::api::servers::web::WebTlsConfig;
use promgen_resources::gates::Versions;
use promgen_resources::http_config::Tls;
use promgen_text::yaml::Map;
use promgen_text::yaml::emit::{self, Dialect};

/// The place of the file and the certificates.
const DIR: &str = "/etc/alertmanager/cluster_tls_config";
/// The place where those of the side that is called are.
const SERVER_DIR: &str = "/etc/alertmanager/cluster_tls_config/server_tls";
/// The place where those of the side that calls are.
const CLIENT_DIR: &str = "/etc/alertmanager/cluster_tls_config/client_tls";
/// The file, and its key in the Secret.
pub(super) const FILE: &str = "cluster-tls-config.yaml";
/// The volume of the file.
const VOLUME: &str = "cluster-tls-config";

/// The configuration of TLS among peers, checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClusterTls<'a>(Option<&'a ClusterTlsConfig>);

impl<'a> ClusterTls<'a> {
    /// The user's settings.
    ///
    /// # Errors
    /// The settings contradict each other, in the operator's words.
    pub(super) fn new(am: &AlertmanagerContext<'a>) -> Result<Self, Refusal> {
        let config = am.spec.cluster_tls.as_ref();
        config.map_or(Ok(()), |config| check(am.versions, config))?;
        Ok(Self(config))
    }

    /// The path of the file.
    pub(super) fn file_path() -> String {
        format!("{DIR}/{FILE}")
    }

    /// The volumes of the file, which is in that Secret, and of what it names, with their mounts.
    pub(super) fn mounts(self, secret: &str) -> Vec<(Volume, VolumeMount)> {
        let path = Self::file_path();
        let file = VolumeMount {
            sub_path: Some(FILE.to_owned()),
            ..volumes::read_only(VOLUME, &path)
        };
        let mut out = vec![(volumes::secret(VOLUME, secret), file)];
        if let Some(config) = self.0 {
            let server = web_config::sources(&config.server).into_iter().flatten();
            out.extend(server.map(|source| source.mount("cluster-tls-server-config", SERVER_DIR)));
            let client = client_sources(&config.client).into_iter().flatten();
            out.extend(client.map(|source| source.mount("cluster-tls-client-config", CLIENT_DIR)));
        }
        out
    }

    /// The text of the file. Operator: empty without settings.
    pub(super) fn text(self) -> String {
        let Some(config) = self.0 else {
            return String::new();
        };
        let map = Map::new()
            .with("tls_server_config", server(&config.server))
            .with("tls_client_config", client(&config.client));
        emit::to_string(&map.into(), Dialect::YamlV2)
    }
}

fn check(versions: &Versions, config: &ClusterTlsConfig) -> Result<(), Refusal> {
    let path = SPEC.key("clusterTLS");
    web_config::validate(&config.server).map_err(|e| {
        Refusal::new(
            &path.key("server"),
            format!("invalid server TLS configuration: {e}"),
        )
    })?;
    let (client, tls) = (path.key("client"), Tls::from(&config.client));
    tls::valid(versions, &client, &tls).within("invalid client TLS configuration")?;
    if tls.cert.is_none() {
        return client.refuse("invalid client TLS configuration: certificate is required");
    }
    Ok(())
}

/// Operator: the key before the certificate, other than for the web server.
fn server(tls: &WebTlsConfig) -> Map {
    let [key, cert, client_ca] = web_config::files(tls, SERVER_DIR);
    let mut map = Map::new();
    map.push_some("key_file", key);
    map.push_some("cert_file", cert);
    web_config::server_settings(&mut map, tls, client_ca);
    map
}

fn client(tls: &SafeTlsConfig) -> Map {
    let [key, cert, ca] = client_sources(tls);
    let file = |source: Option<MountedKey<'_>>| source.map(|s| s.file(CLIENT_DIR));
    let mut map = Map::new();
    map.push_some("key_file", file(key));
    map.push_some("cert_file", file(cert));
    map.push_some("ca_file", file(ca));
    map.push_some("server_name", tls.server_name.clone());
    map.push_some("insecure_skip_verify", tls.insecure_skip_verify);
    map
}

/// Key, certificate and authority of the side that calls.
fn client_sources(tls: &SafeTlsConfig) -> [Option<MountedKey<'_>>; 3] {
    [
        tls.key_secret.as_ref().map(MountedKey::key),
        tls.cert.as_ref().and_then(MountedKey::cert),
        tls.ca.as_ref().and_then(MountedKey::client_ca),
    ]
}
