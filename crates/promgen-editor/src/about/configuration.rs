//! The origin of the configuration of an Alertmanager: a Secret, an AlertmanagerConfig, or the default of the operator.

use promgen_compile::cluster::assets::secret_key;
use promgen_compile::cluster::{Cluster, Key};
use promgen_compile::lower::alertmanager::config::{KEY, secret_of};
use promgen_resources::api::Kind;
use promgen_resources::document::Document;

/// A sentence about where the configuration of an Alertmanager comes from, and whether that is in the input. `None` for
/// other objects.
pub(super) fn origin(cluster: &Cluster, document: &Document) -> Option<String> {
    let key = Key::new(&document.namespace, &document.name);
    let spec = &cluster
        .alertmanagers
        .get(&key)
        .filter(|_| document.kind == Kind::Alertmanager)?
        .value
        .spec;
    Some(match &spec.alertmanager_configuration {
        Some(of) => of_resource(
            cluster,
            &document.namespace,
            of.name.as_deref().unwrap_or_default(),
        ),
        None => of_secret(
            cluster,
            &document.namespace,
            &secret_of(&document.name, spec.config_secret.as_deref()),
        ),
    })
}

fn of_secret(cluster: &Cluster, namespace: &str, name: &str) -> String {
    let secret = cluster.secrets.get(&Key::new(namespace, name));
    let content = secret
        .and_then(|secret| secret_key(&secret.value, KEY))
        .filter(|content| !content.is_empty());
    match (secret, content) {
        (_, Some(_)) => {
            format!("its configuration is in the key `{KEY}` of Secret {namespace}/{name}")
        }
        (Some(_), None) => {
            format!(
                "Secret {namespace}/{name} has no key `{KEY}`: the configuration is the operator's, and notifies nobody"
            )
        }
        (None, None) => {
            format!(
                "its configuration is in Secret {namespace}/{name}, which is not in the input: without it, the operator's notifies nobody"
            )
        }
    }
}

fn of_resource(cluster: &Cluster, namespace: &str, name: &str) -> String {
    let is_there = cluster
        .alertmanager_configs
        .contains_key(&Key::new(namespace, name));
    let absent = if is_there {
        ""
    } else {
        ", which is not in the input"
    };
    format!("its configuration starts from AlertmanagerConfig {namespace}/{name}{absent}")
}
