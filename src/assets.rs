//! What manifests refer to: keys of Secrets and ConfigMaps.
//!
//! Values of Secrets are shown only if the user asks for it. What the input does not hold is an error in the operator's
//! words, or, under [`Assume::Ready`], taken as present with a placeholder for its value.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine;

use crate::api::core::{ConfigMapKeySelector, SecretKeySelector};
use crate::api::{ConfigMap, Secret};
use crate::cluster::Cluster;
use crate::options::Assume;

/// What a reference leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Asset {
    /// Bytes of the input.
    Content(Vec<u8>),
    /// Not in the input, taken as present.
    Assumed,
}

/// Secrets and ConfigMaps, with the rules by which they are read and shown.
#[derive(Debug)]
pub(crate) struct Assets<'a> {
    cluster: &'a Cluster,
    assume: Assume,
    reveal: bool,
    redacted: AtomicUsize,
}

impl<'a> Assets<'a> {
    /// The assets of a run.
    pub(crate) fn new(cluster: &'a Cluster, assume: Assume, reveal: bool) -> Self {
        Self { cluster, assume, reveal, redacted: AtomicUsize::new(0) }
    }

    /// How often a value was replaced by a placeholder because it is secret.
    pub(crate) fn redacted(&self) -> usize {
        self.redacted.load(Ordering::Relaxed)
    }

    /// A key of a Secret.
    ///
    /// # Errors
    /// The operator's text for a Secret or key that is not there.
    pub(crate) fn secret(&self, namespace: &str, selector: &SecretKeySelector) -> Result<Asset, String> {
        let (name, key) = (&selector.name, &selector.key);
        match self.cluster.secrets.get(format!("{namespace}/{name}").as_str()) {
            Some(secret) => match secret_value(&secret.value, key) {
                Some(bytes) => Ok(Asset::Content(bytes)),
                None => Err(format!("key {key:?} in secret {name:?} not found")),
            },
            None if self.assume == Assume::Ready => Ok(Asset::Assumed),
            None => Err(format!("unable to get secret {name:?}: secrets {name:?} not found")),
        }
    }

    /// A key of a ConfigMap.
    ///
    /// # Errors
    /// The operator's text for a ConfigMap or key that is not there.
    pub(crate) fn config_map(&self, namespace: &str, selector: &ConfigMapKeySelector) -> Result<Asset, String> {
        let (name, key) = (&selector.name, &selector.key);
        match self.cluster.config_maps.get(format!("{namespace}/{name}").as_str()) {
            Some(map) => match config_map_value(&map.value, key) {
                Some(bytes) => Ok(Asset::Content(bytes)),
                None => Err(format!("key {key:?} in configmap {name:?} not found")),
            },
            None if self.assume == Assume::Ready => Ok(Asset::Assumed),
            None => Err(format!("unable to get configmap {name:?}: configmaps {name:?} not found")),
        }
    }

    /// A Secret's key as it is shown: its text, or a placeholder that says why not. Empty where there is none; selection
    /// has refused what needs it.
    pub(crate) fn secret_text(&self, namespace: &str, selector: &SecretKeySelector) -> String {
        let place = || format!("{namespace}/{}/{}", selector.name, selector.key);
        match self.secret(namespace, selector) {
            Ok(Asset::Content(bytes)) if self.reveal => String::from_utf8_lossy(&bytes).into_owned(),
            Ok(Asset::Content(_)) => {
                self.redacted.fetch_add(1, Ordering::Relaxed);
                format!("<redacted:{}>", place())
            }
            Ok(Asset::Assumed) => format!("<assumed:{}>", place()),
            Err(_) => String::new(),
        }
    }

    /// A ConfigMap's key as it is shown.
    pub(crate) fn config_map_text(&self, namespace: &str, selector: &ConfigMapKeySelector) -> String {
        match self.config_map(namespace, selector) {
            Ok(Asset::Content(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
            Ok(Asset::Assumed) => format!("<assumed:{namespace}/{}/{}>", selector.name, selector.key),
            Err(_) => String::new(),
        }
    }
}

/// A value of a Secret: text wins over base64, as it does for the API server.
fn secret_value(secret: &Secret, key: &str) -> Option<Vec<u8>> {
    let text = secret.string_data.as_ref().and_then(|data| data.get(key));
    text.map(|text| text.clone().into_bytes()).or_else(|| decoded(secret.data.as_ref(), key))
}

/// A value of a ConfigMap.
fn config_map_value(map: &ConfigMap, key: &str) -> Option<Vec<u8>> {
    let text = map.data.as_ref().and_then(|data| data.get(key));
    text.map(|text| text.clone().into_bytes()).or_else(|| decoded(map.binary_data.as_ref(), key))
}

fn decoded(data: Option<&BTreeMap<String, String>>, key: &str) -> Option<Vec<u8>> {
    let text: String = data?.get(key)?.chars().filter(|c| !c.is_whitespace()).collect();
    base64::engine::general_purpose::STANDARD.decode(text).ok()
}
