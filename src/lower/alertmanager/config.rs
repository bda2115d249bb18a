//! The configuration of an Alertmanager: the user's Secret as it is, or as the operator writes it again.
//!
//! In: the Secret that holds it. Out: the text, and what stands beside it in the Secret.

use std::collections::BTreeMap;

use crate::api::Secret;
use crate::api::core::SecretKeySelector;
use crate::assets::{NO_NAME, secret_entries};
use crate::cluster::{Cluster, Key};
use crate::diag::{Diagnostic, Sink};
use crate::gates;
use crate::go::quote::quote;
use crate::lower::alertmanager::{Am, shape, upstream};
use crate::options::Assume;
use crate::route::{At, Path};
use crate::select::ASSUMED;
use crate::select::admit::Refusal;
use crate::yaml::emit::{self, Dialect};
use crate::yaml::{Value, read};

/// The key of the configuration in its Secret.
const KEY: &str = "alertmanager.yaml";
/// What Alertmanager does if nobody says: nothing with any alert. Operator: `defaultAlertmanagerConfiguration`.
const DEFAULT: &str = "route:\n  receiver: 'null'\nreceivers:\n- name: 'null'";

/// A configuration, as it may be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Configuration {
    /// The text. `None` if it depends on what is not in the input.
    pub(crate) text: Option<String>,
    /// Further keys of its Secret.
    pub(crate) beside: BTreeMap<String, Vec<u8>>,
}

/// Whether the operator runs the version, and if not, why.
///
/// # Errors
/// It does not, in its words.
pub(crate) fn check_version(am: &Am<'_>) -> Result<(), Refusal> {
    if am.has(&gates::AM_SUPPORTED) {
        return Ok(());
    }
    let message = format!("unsupported Alertmanager version {}", quote(am.tag));
    Err(Refusal::new(&Path::root().key("spec").key("version"), message))
}

/// The configuration. Operator: `provisionAlertmanagerConfiguration`.
///
/// # Errors
/// There is none to be made, in the operator's words.
pub(crate) fn configuration(am: &Am<'_>, cluster: &Cluster, sink: &mut Sink) -> Result<Configuration, Refusal> {
    if am.spec.alertmanager_configuration.is_some() {
        return global(am, sink);
    }
    let raw = raw(am, cluster, sink);
    if am.spec.alertmanager_config_selector.is_none() {
        let text = if raw.is_default || am.assets.reveals() { raw.text } else { hidden(am, &raw.text) };
        return Ok(Configuration { text: Some(text), beside: raw.beside });
    }
    let text = rewritten(am, &raw).map_err(|message| {
        Refusal::new(
            &Path::root().key("spec").key("configSecret"),
            format!("failed to initialize from secret: {message}"),
        )
    })?;
    Ok(Configuration { text: Some(text), beside: raw.beside })
}

/// The configuration whose root is an AlertmanagerConfig.
fn global(am: &Am<'_>, sink: &mut Sink) -> Result<Configuration, Refusal> {
    let root = Path::root();
    let spec = root.key("spec");
    let path = spec.key("alertmanagerConfiguration");
    let name = am.spec.alertmanager_configuration.as_ref().and_then(|c| c.name.as_deref()).unwrap_or_default();
    match am.parent.assume {
        Assume::Ready if !name.is_empty() => {
            let message =
                format!("AlertmanagerConfig {}/{name} is taken as present; what it says is not known", am.namespace());
            sink.report(Diagnostic::new(&ASSUMED, At::path(am.doc, &path.key("name")), message));
            Ok(Configuration::default())
        }
        Assume::Ready | Assume::Missing => {
            let missing = match name {
                "" => NO_NAME.to_owned(),
                name => format!("alertmanagerconfigs.monitoring.coreos.com {} not found", quote(name)),
            };
            Err(Refusal::new(&path, format!("failed to get global AlertmanagerConfig: {missing}")))
        }
    }
}

/// A configuration as the user wrote it.
struct Raw {
    text: String,
    beside: BTreeMap<String, Vec<u8>>,
    /// Whether it is the operator's, because the user has none.
    is_default: bool,
}

/// The name of the user's Secret.
fn secret_name(am: &Am<'_>) -> String {
    let own = am.spec.config_secret.clone().filter(|name| !name.is_empty());
    own.unwrap_or_else(|| am.prefixed())
}

/// What the user's Secret holds. Operator: without it, or without anything in it, Alertmanager does nothing.
fn raw(am: &Am<'_>, cluster: &Cluster, sink: &mut Sink) -> Raw {
    let name = secret_name(am);
    let default = |beside| Raw { text: DEFAULT.to_owned(), beside, is_default: true };
    let Some(secret) = cluster.secrets.get(&Key::new(am.namespace(), &name)) else {
        let is_named = am.spec.config_secret.as_deref().is_some_and(|name| !name.is_empty());
        if is_named && am.parent.assume == Assume::Ready {
            let message = format!(
                "Secret {}/{name} is not in the input; the configuration is the one that the operator takes without it",
                am.namespace()
            );
            sink.report(Diagnostic::new(&ASSUMED, At::doc(am.doc).key("spec").key("configSecret"), message));
        }
        return default(BTreeMap::new());
    };
    let mut entries = secret_entries(&secret.value);
    let own = entries.remove(KEY).filter(|bytes| !bytes.is_empty());
    let beside = shown(am, &secret.value, entries);
    match own {
        Some(bytes) => Raw { text: String::from_utf8_lossy(&bytes).into_owned(), beside, is_default: false },
        None => default(beside),
    }
}

/// The keys beside the configuration, as they may be shown.
fn shown(am: &Am<'_>, secret: &Secret, entries: BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    if am.assets.reveals() {
        return entries;
    }
    let name = &secret.metadata.name;
    let hidden = |key: String| {
        let placeholder = redaction(am, name, &key);
        (key, placeholder.into_bytes())
    };
    entries.into_keys().map(hidden).collect()
}

fn redaction(am: &Am<'_>, secret: &str, key: &str) -> String {
    let selector = SecretKeySelector { name: secret.to_owned(), key: key.to_owned(), optional: None };
    am.assets.redaction(am.namespace(), &selector)
}

/// A configuration that may not be shown: its structure, with placeholders for what it holds.
fn hidden(am: &Am<'_>, text: &str) -> String {
    match read::read_slices(text) {
        Ok(Some(root)) => emit::to_string(&without_values(am, root.to_value()), Dialect::YamlV2),
        Ok(None) | Err(_) => redaction(am, &secret_name(am), KEY),
    }
}

fn without_values(am: &Am<'_>, value: Value) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Float(_) | Value::Str(_) => {
            Value::from(redaction(am, &secret_name(am), KEY))
        }
        Value::Seq(items) => Value::Seq(items.into_iter().map(|item| without_values(am, item)).collect()),
        Value::Map(map) => Value::Map(map.0.into_iter().map(|(key, value)| (key, without_values(am, value))).collect()),
    }
}

/// The configuration as the operator writes it again, in the order of its own types.
///
/// # Errors
/// What Alertmanager would say about it.
fn rewritten(am: &Am<'_>, raw: &Raw) -> Result<String, String> {
    let root = read::read_slices(&raw.text).map_err(|fault| match am.assets.reveals() || raw.is_default {
        true => format!("yaml: {}", fault.message),
        false => "yaml: the text is no YAML".to_owned(),
    })?;
    let is_shown = am.assets.reveals() || raw.is_default;
    let shown = |name: &str| if is_shown { name.to_owned() } else { "<redacted>".to_owned() };
    let Some(root) = root else { return upstream::check(&Value::Null, &shown).map(|()| String::new()) };
    let value = shape::rewritten(&raw.text, &root, am.versions)?;
    upstream::check(&root.to_value(), &shown)?;
    let value = if is_shown { value } else { without_values(am, value) };
    Ok(emit::to_string(&value, Dialect::YamlV2))
}
