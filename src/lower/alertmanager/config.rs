//! The configuration of an Alertmanager: the user's Secret as it is, or as the operator writes it again.
//!
//! In: the Secret that holds it. Out: the text, and what stands beside it in the Secret.

use std::collections::BTreeMap;

use crate::assets::{Fault, NO_NAME, REDACTED, SecretBytes};
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
pub(crate) fn configuration(am: &Am<'_>, sink: &mut Sink) -> Result<Configuration, Refusal> {
    if am.spec.alertmanager_configuration.is_some() {
        return global(am, sink);
    }
    let raw = raw(am, sink);
    if am.spec.alertmanager_config_selector.is_none() {
        return Ok(Configuration { text: Some(shown(&raw.content)), beside: raw.beside });
    }
    let text = rewritten(am, &raw.content).map_err(|message| {
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

/// A configuration as the user wrote it, or the operator's if the user has none.
struct Raw {
    content: SecretBytes,
    beside: BTreeMap<String, Vec<u8>>,
}

/// The name of the user's Secret.
fn secret_name(am: &Am<'_>) -> String {
    let own = am.spec.config_secret.clone().filter(|name| !name.is_empty());
    own.unwrap_or_else(|| am.prefixed())
}

/// What the user's Secret holds. Operator: without it, or without anything in it, Alertmanager does nothing.
fn raw(am: &Am<'_>, sink: &mut Sink) -> Raw {
    let name = secret_name(am);
    let default = || SecretBytes::public(DEFAULT.as_bytes().to_vec());
    let Some(mut entries) = am.assets.entries(am.namespace(), &name) else {
        let is_named = am.spec.config_secret.as_deref().is_some_and(|name| !name.is_empty());
        if is_named && am.parent.assume == Assume::Ready {
            let message = format!(
                "Secret {}/{name} is not in the input; the configuration is the one that the operator takes without it",
                am.namespace()
            );
            sink.report(Diagnostic::new(&ASSUMED, At::doc(am.doc).key("spec").key("configSecret"), message));
        }
        return Raw { content: default(), beside: BTreeMap::new() };
    };
    let own = entries.remove(KEY).filter(|bytes| !bytes.is_empty());
    let beside = entries.into_iter().map(|(key, bytes)| (key, bytes.shown())).collect();
    Raw { content: own.unwrap_or_else(default), beside }
}

/// A configuration as it may be shown: as it is, or its structure with placeholders for what it holds.
fn shown(content: &SecretBytes) -> String {
    let root = |bytes: &[u8]| {
        Ok(read::read_slices(&String::from_utf8_lossy(bytes)).ok().flatten().map(|root| root.to_value()))
    };
    match content.check(root) {
        Ok(Some(root)) if !content.is_shown() => emit::to_string(&content.shown_value(root), Dialect::YamlV2),
        Ok(_) | Err(_) => content.shown_text(),
    }
}

/// The configuration as the operator writes it again, in the order of its own types.
///
/// # Errors
/// What Alertmanager would say about it.
fn rewritten(am: &Am<'_>, content: &SecretBytes) -> Result<String, String> {
    let is_shown = content.is_shown();
    let shown = |name: &str| if is_shown { name.to_owned() } else { REDACTED.to_owned() };
    let checked = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let root = read::read_slices(&text)
            .map_err(|fault| Fault::new(&*fault.message, "the text is no YAML").within("yaml"))?;
        let Some(root) = root else {
            return upstream::check(&Value::Null, &shown).map(|()| None).map_err(Fault::plain);
        };
        let value = shape::rewritten(&text, &root, am.versions)?;
        upstream::check(&root.to_value(), &shown).map_err(Fault::plain)?;
        Ok(Some(value))
    };
    let value = content.check(checked)?;
    Ok(value.map(|value| emit::to_string(&content.shown_value(value), Dialect::YamlV2)).unwrap_or_default())
}
