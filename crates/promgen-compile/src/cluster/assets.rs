//! The references of manifests: keys of Secrets and ConfigMaps.
//!
//! Values of Secrets are shown only if the user asks for it. What the input does not hold is an error in the operator's
//! words, or, under [`Assume::Ready`], assumed to exist, with a placeholder for its value.

mod content;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use base64::Engine;

pub use crate::cluster::assets::content::{ContentCheck, ContentFault, SecretBytes, ShownText};
use crate::cluster::{Cluster, Key, Object};
use crate::options::Assume;
use promgen_resources::api::auth::SecretOrConfigMap;
use promgen_resources::api::core::{ConfigMapKeySelector, SecretKeySelector};
use promgen_resources::api::{AlertmanagerConfig, ConfigMap, Kind, ObjectMeta, Secret, Service};
use promgen_resources::secrecy::REDACTED;
use promgen_text::CollectOrdered;
use promgen_text::go::quote::quote;
use promgen_text::route::At;
use promgen_text::suggest::slip_of_name;
use promgen_text::yaml::StringMap;

/// The beginning of the placeholder for a value that nobody knows, of a Secret or ConfigMap that is taken to exist.
pub const ASSUMED: &str = "<assumed:";

/// A client's words for a name that it asks no API server for. `None` for others. Operator: `rest.IsValidPathSegmentName`.
pub(crate) fn unaskable(name: &str) -> Option<String> {
    let faults: Vec<&str> = match name {
        "" => return Some("resource name may not be empty".to_owned()),
        "." => vec!["may not be '.'"],
        ".." => vec!["may not be '..'"],
        _ => [('/', "may not contain '/'"), ('%', "may not contain '%'")]
            .into_iter()
            .filter_map(|(sign, fault)| name.contains(sign).then_some(fault))
            .collect(),
    };
    (!faults.is_empty()).then(|| {
        format!(
            "invalid resource name {}: [{}]",
            quote(name),
            faults.join(" ")
        )
    })
}

/// The target of a reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asset {
    /// Bytes of the input.
    Content(SecretBytes),
    /// Not in the input, assumed to exist.
    Assumed,
}

impl Asset {
    /// As it is shown: its text, or a placeholder with its namespace, name and key.
    fn shown(&self, namespace: &str, name: &str, key: &str) -> ShownText {
        match self {
            Self::Content(bytes) => bytes.shown_text(),
            Self::Assumed => ShownText::stand_in(format!("{ASSUMED}{namespace}/{name}/{key}>")),
        }
    }
}

/// A certificate or key in a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TlsFile {
    /// The part of it that is printed.
    pub shown: Vec<u8>,
    /// The bytes that it really has: the operator shares files among Secrets by their size.
    pub size: usize,
}

/// Secrets and ConfigMaps, with the rules by which they are read and shown.
#[derive(Debug)]
struct Assets<'a> {
    cluster: &'a Cluster,
    assume: Assume,
    reveal: bool,
    redacted: Arc<AtomicUsize>,
}

/// Returns whether something in the cluster writes into an object: a certificate authority, on a label or annotation
/// that asks for it, such as `service.beta.openshift.io/inject-cabundle`.
fn is_injected(metadata: &ObjectMeta) -> bool {
    let marks = metadata
        .annotations
        .iter()
        .chain(&metadata.labels)
        .flatten();
    marks
        .into_iter()
        .any(|(key, value)| key.contains("inject") && value != "false")
}

/// Returns whether a name is another one with a hash of Kustomize at its end.
fn is_hashed(name: &str, plain: &str) -> bool {
    const LENGTH: usize = 10;
    let hash = name
        .strip_prefix(plain)
        .and_then(|rest| rest.strip_prefix('-'));
    hash.is_some_and(|hash| {
        hash.len() == LENGTH
            && hash
                .chars()
                .all(|letter| "2456789bcdfghkmt".contains(letter))
    })
}

impl<'a> Assets<'a> {
    /// A key of a Secret.
    ///
    /// # Errors
    /// The operator's text for a Secret or key that is not there.
    fn secret(&self, namespace: &str, selector: &SecretKeySelector) -> Result<Asset, String> {
        let (name, key) = (&selector.name, &selector.key);
        match self
            .cluster
            .secrets
            .get(format!("{namespace}/{name}").as_str())
        {
            Some(secret) => match secret_value(&secret.value, key) {
                Some(bytes) => Ok(Asset::Content(self.of_secret(namespace, name, key, bytes))),
                None if self.is_filled_later(&secret.value) => Ok(Asset::Assumed),
                None => Err(format!(
                    "key {} in secret {} not found",
                    quote(key),
                    quote(name)
                )),
            },
            None if self.assume == Assume::Ready && unaskable(name).is_none() => Ok(Asset::Assumed),
            None => Err(missing("secret", name)),
        }
    }

    /// A key of a ConfigMap.
    ///
    /// # Errors
    /// The operator's text for a ConfigMap or key that is not there.
    fn config_map(
        &self,
        namespace: &str,
        selector: &ConfigMapKeySelector,
    ) -> Result<Asset, String> {
        let (name, key) = (&selector.name, &selector.key);
        match self
            .cluster
            .config_maps
            .get(format!("{namespace}/{name}").as_str())
        {
            Some(map) => match config_map_value(&map.value, key) {
                Some(bytes) => Ok(Asset::Content(SecretBytes::public(bytes))),
                None if self.assume == Assume::Ready && is_injected(&map.value.metadata) => {
                    Ok(Asset::Assumed)
                }
                None => Err(format!(
                    "key {} in configmap {} not found",
                    quote(key),
                    quote(name)
                )),
            },
            None if self.assume == Assume::Ready && unaskable(name).is_none() => Ok(Asset::Assumed),
            None => Err(missing("configmap", name)),
        }
    }

    /// Returns whether something in the cluster fills a Secret, where all is well: one without any data, such as that
    /// of a token of a service account.
    fn is_filled_later(&self, secret: &Secret) -> bool {
        // An empty `data` says that there is nothing in it.
        self.assume == Assume::Ready && secret.data.is_none() && secret.string_data.is_none()
    }

    /// A key of a Secret that is loaded as a whole.
    fn whole(
        &self,
        namespace: &str,
        selector: &SecretKeySelector,
    ) -> Result<Option<Asset>, String> {
        let (name, key) = (&selector.name, &selector.key);
        let missing = match self
            .cluster
            .secrets
            .get(format!("{namespace}/{name}").as_str())
        {
            Some(secret) => match secret_value(&secret.value, key) {
                Some(bytes) => {
                    return Ok(Some(Asset::Content(
                        self.of_secret(namespace, name, key, bytes),
                    )));
                }
                None if self.is_filled_later(&secret.value) => return Ok(Some(Asset::Assumed)),
                None => format!("key {key} could not be found in secret {name}"),
            },
            None => match unaskable(name) {
                Some(fault) => return Err(fault),
                None if self.assume == Assume::Ready => return Ok(Some(Asset::Assumed)),
                None => format!("secrets {} not found", quote(name)),
            },
        };
        if selector.optional.unwrap_or(false) {
            Ok(None)
        } else {
            Err(missing)
        }
    }

    /// The place of a key of a Secret. `None` if the input has no such Secret.
    fn origin(&self, namespace: &str, selector: &SecretKeySelector) -> Option<At> {
        let secret = self
            .cluster
            .secrets
            .get(format!("{namespace}/{}", selector.name).as_str())?;
        let is_text = secret
            .value
            .string_data
            .as_ref()
            .is_some_and(|texts| texts.contains_key(selector.key.as_str()));
        let field = if is_text { "stringData" } else { "data" };
        Some(At::doc(secret.doc).key(field).key(selector.key.clone()))
    }

    /// A value of a Secret, which is printed as it is only if the user asks for it.
    fn of_secret(&self, namespace: &str, name: &str, key: &str, bytes: Vec<u8>) -> SecretBytes {
        if self.reveal {
            return SecretBytes::public(bytes);
        }
        SecretBytes::hidden(
            bytes,
            format!("<redacted:{namespace}/{name}/{key}>"),
            Arc::clone(&self.redacted),
        )
    }

    /// Everything that a Secret in the input holds, by key. What is no base64 is left out.
    fn entries(&self, namespace: &str, name: &str) -> Option<BTreeMap<String, SecretBytes>> {
        let secret = self
            .cluster
            .secrets
            .get(format!("{namespace}/{name}").as_str())?;
        let bytes = |(key, bytes): (String, Vec<u8>)| {
            let bytes = self.of_secret(namespace, name, &key, bytes);
            (key, bytes)
        };
        Some(
            plain_entries(&secret.value)
                .into_iter()
                .map(bytes)
                .collect_map(),
        )
    }

    /// A Secret's key as it is shown: its text, or a placeholder that says why not.
    fn secret_text(&self, namespace: &str, selector: &SecretKeySelector) -> Option<ShownText> {
        let asset = self.secret(namespace, selector).ok()?;
        Some(asset.shown(namespace, &selector.name, &selector.key))
    }

    /// A ConfigMap's key as it is shown.
    fn config_map_text(
        &self,
        namespace: &str,
        selector: &ConfigMapKeySelector,
    ) -> Option<ShownText> {
        let asset = self.config_map(namespace, selector).ok()?;
        Some(asset.shown(namespace, &selector.name, &selector.key))
    }
}

/// The assets that one workload reads.
///
/// Operator: `StoreBuilder`. A Secret or ConfigMap is read when a check asks for one of its keys, whether that is there
/// or not; the configuration is then written from what was read and from nothing else. So a reference that no check looks
/// at leads nowhere, unless something else of the workload refers to the same object.
#[derive(Debug)]
pub struct AssetStore<'a> {
    assets: Assets<'a>,
    read: RwLock<ReadAssets>,
}

/// The number of keys of an object that a help names.
const MAX_KEYS: usize = 5;

#[derive(Debug, Default)]
struct ReadAssets {
    /// All objects that the workload has asked for, whether they are there or not.
    asked: BTreeSet<(Kind, Key)>,
    /// Those of which a check has read a key, and which the configuration is written from.
    objects: BTreeSet<(Kind, Key)>,
    /// Certificates and keys that passed their checks, by their file name in the pod.
    tls: BTreeMap<String, Asset>,
    /// The keys of Secrets that are printed as stand-ins, by namespace and by the text of the stand-in.
    stand_ins: BTreeMap<String, (String, SecretKeySelector)>,
}

impl<'a> AssetStore<'a> {
    /// A store that nothing was read into. `reveal`: whether values of Secrets are printed as they are.
    pub fn new(cluster: &'a Cluster, assume: Assume, reveal: bool) -> Self {
        let assets = Assets {
            cluster,
            assume,
            reveal,
            redacted: Arc::default(),
        };
        Self {
            assets,
            read: RwLock::default(),
        }
    }

    /// The number of values that are replaced by a placeholder because they are secret.
    pub fn redacted(&self) -> usize {
        self.assets.redacted.load(Ordering::Relaxed)
    }

    /// The objects that the workload has asked for by name, whether they are there or not.
    pub(crate) fn asked(&self) -> Vec<(Kind, Key)> {
        let read = self.read.read().unwrap_or_else(PoisonError::into_inner);
        read.asked.iter().cloned().collect()
    }

    fn record(&self, kind: Kind, namespace: &str, name: &str) -> Key {
        let key = Key::new(namespace, name);
        let mut read = self.read.write().unwrap_or_else(PoisonError::into_inner);
        read.asked.insert((kind, key.clone()));
        key
    }

    /// The Service of that name.
    pub(crate) fn service(&self, namespace: &str, name: &str) -> Option<&'a Service> {
        let key = self.record(Kind::Service, namespace, name);
        self.assets
            .cluster
            .services
            .get(&key)
            .map(|service| &*service.value)
    }

    /// The ConfigMap of that name, as a whole.
    pub(crate) fn whole_config_map(
        &self,
        namespace: &str,
        name: &str,
    ) -> Option<&'a Object<ConfigMap>> {
        let key = self.record(Kind::ConfigMap, namespace, name);
        self.assets.cluster.config_maps.get(&key)
    }

    /// The AlertmanagerConfig of that name.
    pub(crate) fn alertmanager_config(
        &self,
        namespace: &str,
        name: &str,
    ) -> Option<&'a Object<AlertmanagerConfig>> {
        let key = self.record(Kind::AlertmanagerConfig, namespace, name);
        self.assets.cluster.alertmanager_configs.get(&key)
    }

    /// Reads a key of a Secret.
    ///
    /// # Errors
    /// The operator's text for a Secret or key that is not there.
    pub fn secret(&self, namespace: &str, selector: &SecretKeySelector) -> Result<Asset, String> {
        self.note(Kind::Secret, namespace, &selector.name);
        self.assets.secret(namespace, selector)
    }

    /// Reads a key of a ConfigMap.
    ///
    /// # Errors
    /// The operator's text for a ConfigMap or key that is not there.
    pub fn config_map(
        &self,
        namespace: &str,
        selector: &ConfigMapKeySelector,
    ) -> Result<Asset, String> {
        self.note(Kind::ConfigMap, namespace, &selector.name);
        self.assets.config_map(namespace, selector)
    }

    /// Reads a key of a Secret that the configuration takes over as a whole, past what checks have read. `None` for an
    /// optional reference that leads nowhere. Operator: `LoadSecretRef`.
    ///
    /// # Errors
    /// The operator's text for a Secret or key that is not there, which is not that of [`AssetStore::secret`].
    pub fn whole(
        &self,
        namespace: &str,
        selector: &SecretKeySelector,
    ) -> Result<Option<Asset>, String> {
        self.record(Kind::Secret, namespace, &selector.name);
        self.assets.whole(namespace, selector)
    }

    /// The Secret or ConfigMap in the input that a name is likely to mean which the namespace does not have: one of that name
    /// elsewhere, one of almost that name, or one of the other kind.
    pub(crate) fn likely(&self, kind: Kind, namespace: &str, name: &str) -> Option<String> {
        let cluster = self.assets.cluster;
        let keys = |of: Kind| -> Vec<&Key> {
            match of {
                Kind::Secret => cluster.secrets.keys().collect(),
                _ => cluster.config_maps.keys().collect(),
            }
        };
        let (own, what) = (keys(kind), kind.as_str());
        let of_name = own.iter().filter(|key| key.name() == name);
        let elsewhere: Vec<&str> = of_name.map(|key| key.namespace()).collect();
        let places = match elsewhere.as_slice() {
            [] => None,
            [one] => Some(format!("namespace {one}")),
            several => Some(format!("namespaces {}", several.join(", "))),
        };
        if let Some(places) = places {
            return Some(format!(
                "the input has a {what} of that name in {places}: a reference is always to the namespace of the resource"
            ));
        }
        let other = match kind {
            Kind::Secret => Kind::ConfigMap,
            _ => Kind::Secret,
        };
        let is_it = |key: &&Key| key.name() == name && key.namespace() == namespace;
        if keys(other).into_iter().any(|key| is_it(&key)) {
            return Some(format!("`{name}` is a {} in the input", other.as_str()));
        }
        let beside = own.iter().filter(|key| key.namespace() == namespace);
        let meant = slip_of_name(name, beside.map(|key| key.name()))?;
        Some(format!("did you mean `{meant}`?"))
    }

    /// The name under which the input has a Secret or ConfigMap of that name with a hash of Kustomize.
    pub(crate) fn name_with_hash(&self, kind: Kind, namespace: &str, name: &str) -> Option<String> {
        let is_it = |key: &&Key| key.namespace() == namespace && is_hashed(key.name(), name);
        let cluster = self.assets.cluster;
        let found = match kind {
            Kind::Secret => cluster.secrets.keys().find(is_it),
            Kind::ConfigMap => cluster.config_maps.keys().find(is_it),
            _ => None,
        }?;
        Some(self.record(kind, namespace, found.name()).name().to_owned())
    }

    /// Returns whether the input has that Secret, with or without data.
    pub(crate) fn has_secret(&self, namespace: &str, name: &str) -> bool {
        let key = self.record(Kind::Secret, namespace, name);
        self.assets.cluster.secrets.contains_key(&key)
    }

    /// The keys of a Secret or ConfigMap in words. `None` if the input has no such object.
    pub(crate) fn keys_of(&self, kind: &str, namespace: &str, name: &str) -> Option<String> {
        let place = format!("{namespace}/{name}");
        let cluster = self.assets.cluster;
        self.record(
            if kind == "Secret" {
                Kind::Secret
            } else {
                Kind::ConfigMap
            },
            namespace,
            name,
        );
        let keys: BTreeSet<&str> = match kind {
            "Secret" => {
                let Secret {
                    data, string_data, ..
                } = &*cluster.secrets.get(place.as_str())?.value;
                data.iter()
                    .chain(string_data)
                    .flat_map(StringMap::keys)
                    .map(|key| &**key)
                    .collect_set()
            }
            _ => {
                let data = &cluster.config_maps.get(place.as_str())?.value.data;
                data.iter()
                    .flat_map(StringMap::keys)
                    .map(|key| &**key)
                    .collect_set()
            }
        };
        let keys: Vec<String> = keys.iter().take(MAX_KEYS).map(|key| quote(key)).collect();
        Some(match keys.len() {
            0 => format!("{kind} {place} has no keys"),
            1 => format!("{kind} {place} has the key {}", keys[0]),
            _ => format!("{kind} {place} has the keys {}", keys.join(", ")),
        })
    }

    /// Everything that a Secret holds, by key. `None` if the input has no such Secret.
    pub fn entries(&self, namespace: &str, name: &str) -> Option<BTreeMap<String, SecretBytes>> {
        self.record(Kind::Secret, namespace, name);
        self.assets.entries(namespace, name)
    }

    /// The place of a key of a Secret. `None` if the input has no such Secret.
    pub fn origin(&self, namespace: &str, selector: &SecretKeySelector) -> Option<At> {
        self.record(Kind::Secret, namespace, &selector.name);
        self.assets.origin(namespace, selector)
    }

    fn note(&self, kind: Kind, namespace: &str, name: &str) {
        let key = self.record(kind, namespace, name);
        let mut read = self.read.write().unwrap_or_else(PoisonError::into_inner);
        read.objects.insert((kind, key));
    }

    fn was_read(&self, kind: Kind, namespace: &str, name: &str) -> bool {
        let read = self.read.read().unwrap_or_else(PoisonError::into_inner);
        read.objects.contains(&(kind, Key::new(namespace, name)))
    }

    /// Returns whether a Secret was read and has the key.
    ///
    /// # Errors
    /// The operator's text for a Secret that was not read, or that lacks the key.
    pub(crate) fn find_secret(
        &self,
        namespace: &str,
        selector: &SecretKeySelector,
    ) -> Result<(), String> {
        let place = format!("{namespace}/{}", selector.name);
        if !self.was_read(Kind::Secret, namespace, &selector.name) {
            return Err(format!("secret {place} not found"));
        }
        let found = self.assets.secret(namespace, selector);
        found
            .map(|_| ())
            .map_err(|_| format!("key {} in secret {place} not found", quote(&selector.key)))
    }

    /// Gives the value behind the text of a stand-in to a check. Whoever prints stand-ins comes to the same verdicts as
    /// whoever prints values.
    ///
    /// # Errors
    /// The words of the check that may be printed.
    pub(crate) fn check_hidden(
        &self,
        stand_in: &str,
        check: impl FnOnce(&[u8]) -> ContentCheck,
    ) -> Result<(), String> {
        let known = self
            .read
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .stand_ins
            .get(stand_in)
            .cloned();
        let Some((namespace, selector)) = known else {
            return Ok(());
        };
        match self.assets.secret(&namespace, &selector) {
            Ok(Asset::Content(bytes)) => bytes.check(check),
            Ok(Asset::Assumed) | Err(_) => Ok(()),
        }
    }

    /// A Secret's key as it is shown, if the Secret was read and has the key.
    pub(crate) fn secret_text(
        &self,
        namespace: &str,
        selector: &SecretKeySelector,
    ) -> Option<ShownText> {
        if !self.was_read(Kind::Secret, namespace, &selector.name) {
            return None;
        }
        let shown = self.assets.secret_text(namespace, selector)?;
        if let Some(text) = shown.as_stand_in() {
            let mut read = self.read.write().unwrap_or_else(PoisonError::into_inner);
            read.stand_ins
                .insert(text.to_owned(), (namespace.to_owned(), selector.clone()));
        }
        Some(shown)
    }

    /// A ConfigMap's key as it is shown, if the ConfigMap was read and has the key.
    pub(crate) fn config_map_text(
        &self,
        namespace: &str,
        selector: &ConfigMapKeySelector,
    ) -> Option<ShownText> {
        let read = self.was_read(Kind::ConfigMap, namespace, &selector.name);
        read.then(|| self.assets.config_map_text(namespace, selector))
            .flatten()
    }

    /// Takes note of a certificate or key that goes into the pods.
    pub(crate) fn add_tls(&self, file: String, asset: &Asset) {
        let mut read = self.read.write().unwrap_or_else(PoisonError::into_inner);
        read.tls.insert(file, asset.clone());
    }

    /// Certificates and keys, by their file name in the pods. One that is assumed has a placeholder for its content.
    /// Operator: `TLSAssets`.
    pub(crate) fn tls_assets(&self) -> BTreeMap<String, TlsFile> {
        let read = self.read.read().unwrap_or_else(PoisonError::into_inner);
        let tls_file = |(file, asset): (&String, &Asset)| match asset {
            Asset::Content(bytes) if bytes.is_empty() => None,
            Asset::Content(bytes) => Some((
                file.clone(),
                TlsFile {
                    shown: bytes.shown(),
                    size: bytes.len(),
                },
            )),
            Asset::Assumed => {
                let shown = format!("{ASSUMED}{file}>").into_bytes();
                Some((
                    file.clone(),
                    TlsFile {
                        size: shown.len(),
                        shown,
                    },
                ))
            }
        };
        read.tls.iter().filter_map(tls_file).collect()
    }
}

/// The file that a Secret's or ConfigMap's key becomes in the pods. Operator: `TLSAsset`, one flat folder for all.
pub(crate) fn tls_file(namespace: &str, selector: &SecretOrConfigMap) -> Option<String> {
    match (&selector.secret, &selector.config_map) {
        (Some(secret), _) => Some(tls_file_of_secret(namespace, secret)),
        (None, Some(map)) => Some(format!("1_{namespace}_{}_{}", map.name, map.key)),
        (None, None) => None,
    }
}

/// The file that a Secret's key becomes in the pods.
pub(crate) fn tls_file_of_secret(namespace: &str, selector: &SecretKeySelector) -> String {
    format!("0_{namespace}_{}_{}", selector.name, selector.key)
}

/// The API server's words for an object that is not there; a client does not even ask for one without a name.
fn missing(kind: &str, name: &str) -> String {
    let quoted = quote(name);
    let why = unaskable(name).unwrap_or_else(|| format!("{kind}s {quoted} not found"));
    format!("unable to get {kind} {quoted}: {why}")
}

/// A key of a Secret, for checks that print nothing of it.
pub fn secret_key(secret: &Secret, key: &str) -> Option<SecretBytes> {
    Some(SecretBytes::hidden(
        secret_value(secret, key)?,
        REDACTED.to_owned(),
        Arc::default(),
    ))
}

fn plain_entries(secret: &Secret) -> BTreeMap<String, Vec<u8>> {
    let keys = secret.data.iter().flatten().map(|(key, _)| key);
    let keys = keys.chain(secret.string_data.iter().flatten().map(|(key, _)| key));
    keys.filter_map(|key| Some((key.to_string(), secret_value(secret, key)?)))
        .collect_map()
}

/// A value of a Secret: text wins over base64, as it does for the API server.
fn secret_value(secret: &Secret, key: &str) -> Option<Vec<u8>> {
    let text = secret.string_data.as_ref().and_then(|data| data.get(key));
    text.map(|text| text.as_bytes().to_vec())
        .or_else(|| decoded(secret.data.as_ref(), key))
}

/// A value of a ConfigMap. The operator does not look at binary ones.
fn config_map_value(map: &ConfigMap, key: &str) -> Option<Vec<u8>> {
    map.data
        .as_ref()?
        .get(key)
        .map(|text| text.as_bytes().to_vec())
}

fn decoded(data: Option<&StringMap>, key: &str) -> Option<Vec<u8>> {
    decode(data?.get(key)?)
}

/// A value of `data` of a Secret. `None` if it is not base64.
#[must_use]
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    base64::engine::general_purpose::STANDARD.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_asks_for_no_name_that_is_no_path_segment() {
        assert_eq!(unaskable("tls"), None);
        assert_eq!(unaskable("a b"), None);
        assert_eq!(
            unaskable("").as_deref(),
            Some("resource name may not be empty")
        );
        assert_eq!(
            unaskable("..").as_deref(),
            Some("invalid resource name \"..\": [may not be '..']")
        );
        let both = "invalid resource name \"a/b%\": [may not contain '/' may not contain '%']";
        assert_eq!(unaskable("a/b%").as_deref(), Some(both));
    }
}
