//! The configuration of an Alertmanager: the user's Secret as it is, or one that the operator puts together.
//!
//! In: the Secret that holds it, or the AlertmanagerConfig that is its root, and the AlertmanagerConfigs that take part.
//! Out: the text, what its pieces are made of, and what stands beside it in the Secret.

use std::collections::BTreeMap;

use crate::api::core::SecretKeySelector;
use crate::api::{AlertmanagerConfig, Secret};
use crate::assets::{NO_NAME, secret_entries};
use crate::cluster::{Cluster, Key, Object};
use crate::diag::{Diagnostic, Rule, Sink, rule};
use crate::gates;
use crate::go::quote::quote;
use crate::lower::alertmanager::lines::Lines;
use crate::lower::alertmanager::merge::Merged;
use crate::lower::alertmanager::settings::admit_global;
use crate::lower::alertmanager::{Am, mail, sanitize, shape, upstream, write};
use crate::options::Assume;
use crate::route::{At, Path};
use crate::select::ASSUMED;
use crate::select::admit::Refusal;
use crate::select::admit::alertmanager_config::{admit, valid_root};
use crate::yaml::emit::{self, Dialect};
use crate::yaml::{Map, Value, read};

/// The key of the configuration in its Secret.
const KEY: &str = "alertmanager.yaml";
/// What Alertmanager does if nobody says: nothing with any alert. Operator: `defaultAlertmanagerConfiguration`.
const DEFAULT: &str = "route:\n  receiver: 'null'\nreceivers:\n- name: 'null'";

/// A configuration, as it may be shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Configuration {
    /// The text. `None` if it depends on what is not in the input.
    pub(crate) text: Option<String>,
    /// Where the pieces of the text begin, and what they are made of.
    pub(crate) pieces: Vec<(usize, Option<At>)>,
    /// Further keys of its Secret.
    pub(crate) beside: BTreeMap<String, Vec<u8>>,
    /// What it was put together from. `None` for a text that is the user's own.
    pub(crate) merged: Option<Merged>,
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

/// Why there is no configuration.
#[derive(Debug)]
pub(crate) struct Stop {
    /// The operator's words, and the field of the Alertmanager that they are about.
    pub(crate) refusal: Refusal,
    /// What in another resource they are about.
    pub(crate) blame: Option<At>,
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, blame: None }
    }
}

/// Whether the operator crashes rather than stops.
pub(crate) fn is_crash(refusal: &Refusal) -> bool {
    refusal.message.starts_with(shape::CRASH)
}

/// The configuration. Operator: `provisionAlertmanagerConfiguration`.
///
/// # Errors
/// There is none to be made, in the operator's words.
pub(crate) fn configuration(
    am: &Am<'_>,
    cluster: &Cluster,
    accepted: &[&Object<AlertmanagerConfig>],
    sink: &mut Sink,
) -> Result<Configuration, Stop> {
    if am.spec.alertmanager_configuration.is_some() {
        let Some(merged) = global(am, cluster, sink)? else { return Ok(Configuration::default()) };
        return generated(am, merged, BTreeMap::new(), accepted, sink);
    }
    let raw = raw(am, cluster, sink);
    if am.spec.alertmanager_config_selector.is_none() {
        let merged = parsed(am, &raw).ok().map(|(root, lines)| Merged::new(root, raw.at.clone(), lines));
        let text = if raw.is_default || am.assets.reveals() { raw.text } else { hidden(am, &raw.text) };
        return Ok(Configuration { text: Some(text), beside: raw.beside, merged, ..Configuration::default() });
    }
    let root = parsed(am, &raw).map_err(|message| {
        let path = Path::root();
        let refusal = Refusal::new(&path.key("spec").key("configSecret"), message);
        if is_crash(&refusal) { refusal } else { refusal.within("failed to initialize from secret") }
    });
    let (root, lines) = root.map_err(|refusal| Stop { refusal, blame: raw.at.clone() })?;
    generated(am, Merged::new(root, raw.at, lines), raw.beside, accepted, sink)
}

/// A configuration with the AlertmanagerConfigs in it, as the version knows it.
fn generated(
    am: &Am<'_>,
    mut merged: Merged,
    beside: BTreeMap<String, Vec<u8>>,
    accepted: &[&Object<AlertmanagerConfig>],
    sink: &mut Sink,
) -> Result<Configuration, Stop> {
    const FAILED: &str = "failed to generate Alertmanager configuration";
    for config in accepted {
        mail::check(&merged.root, config).map_err(|fault| stop_at(&fault.0, fault.1.within(FAILED)))?;
        merged.add(am, config);
    }
    merged.settle();
    sanitized(am, &mut merged, FAILED, sink)?;
    report_unloadable(am, &merged, sink);
    let root = if merged.has_base() && !am.assets.reveals() { hidden_base(am, &merged) } else { merged.root.clone() };
    let (text, pieces) = write::text(&root);
    let pieces = pieces.into_iter().map(|(start, route)| (start, merged.place(&route))).collect();
    Ok(Configuration { text: Some(text), pieces, beside, merged: Some(merged) })
}

rule! {
    /// ## What it does
    /// Reports a configuration that the operator writes and that Alertmanager refuses to load.
    ///
    /// ## Why is this bad?
    /// An Alertmanager that runs keeps its old configuration, and one that starts does not come up. The operator checks an
    /// AlertmanagerConfig for itself, and does not check the whole.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main}
    /// spec:
    ///   alertmanagerConfigSelector: {}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop}
    /// spec:
    ///   route: {receiver: chat}
    ///   receivers:
    ///   - name: chat
    ///     slackConfigs: [{channel: shop}]
    /// ```
    /// Use instead: what the message says is missing, in the receiver or in the global settings.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main}
    /// spec:
    ///   alertmanagerConfigSelector: {}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: shop}
    /// spec:
    ///   route: {receiver: chat}
    ///   receivers:
    ///   - name: chat
    ///     slackConfigs:
    ///     - channel: shop
    ///       apiURL: {name: slack, key: url}
    /// ---
    /// apiVersion: v1
    /// kind: Secret
    /// metadata: {name: slack}
    /// stringData: {url: "https://hooks.example.com/shop"}
    /// ```
    pub(crate) static UNLOADABLE = "PG505" "unloadable-alertmanager" {
        summary: "a configuration that Alertmanager refuses to load", level: Error, since: "0.1.0",
    }
}

/// Rules of this module.
pub(crate) static RULES: &[&Rule] = &[&UNLOADABLE];

/// Reports what Alertmanager refuses in the configuration that the operator writes.
fn report_unloadable(am: &Am<'_>, merged: &Merged, sink: &mut Sink) {
    let shown = |name: &str| {
        let is_shown = !merged.has_base() || am.assets.reveals() || merged.owns(name);
        if is_shown { name.to_owned() } else { "<redacted>".to_owned() }
    };
    let Err(fault) = upstream::check(&Value::Map(merged.root.clone()), &shown) else { return };
    let at = merged.place(&fault.route).unwrap_or_else(|| At::doc(am.doc).key("metadata").key("name"));
    let message = format!(
        "Alertmanager {}/{} refuses its configuration: {}: {}",
        am.namespace(),
        am.name(),
        fault.route,
        fault.message
    );
    let is_hidden = merged.is_base(&at);
    let finding = Diagnostic::new(&UNLOADABLE, at, message);
    sink.report(if is_hidden { finding.secret() } else { finding });
}

/// Leaves out what the version does not know, and reports it.
fn sanitized(am: &Am<'_>, merged: &mut Merged, failed: &str, sink: &mut Sink) -> Result<(), Stop> {
    match sanitize::sanitize(&mut merged.root, am.versions) {
        Ok(dropped) => {
            for field in dropped {
                let at = merged.place(&field.route).unwrap_or_else(|| At::doc(am.doc).key("spec"));
                let is_hidden = merged.is_base(&at);
                let name = if is_hidden { &field.route } else { &at.route.clone() };
                let finding = gates::ignored_in(field.gate, am.versions, name, at);
                sink.report(if is_hidden { finding.secret() } else { finding });
            }
            Ok(())
        }
        Err(fault) => {
            let refusal = Refusal::of_name(format!("{failed}: {}", fault.message));
            Err(Stop { refusal, blame: merged.place(&fault.route) })
        }
    }
}

fn stop_at(at: &At, refusal: Refusal) -> Stop {
    let refusal = Refusal::of_name(refusal.message);
    Stop { refusal, blame: Some(at.clone()) }
}

/// The configuration whose root is an AlertmanagerConfig. `None` if that is taken as present.
fn global(am: &Am<'_>, cluster: &Cluster, sink: &mut Sink) -> Result<Option<Merged>, Stop> {
    const FAILED: &str = "failed to initialize from global AlertmanagerConfig";
    let root = Path::root();
    let spec = root.key("spec");
    let path = spec.key("alertmanagerConfiguration");
    let name = am.spec.alertmanager_configuration.as_ref().and_then(|c| c.name.as_deref()).unwrap_or_default();
    if let Some(config) = cluster.alertmanager_configs.get(&Key::new(am.namespace(), name)) {
        let place = |refusal: Refusal| {
            let at = At { doc: config.doc, route: refusal.route.clone() };
            stop_at(&at, refusal.within(FAILED))
        };
        admit(config, (am.assets, am.versions), sink).map_err(place)?;
        let settings = am.spec.alertmanager_configuration.as_ref().and_then(|c| c.global.as_ref());
        if let Some(settings) = settings {
            admit_global(am, settings, sink).map_err(|refusal| refusal.within(FAILED))?;
        }
        valid_root(config).map_err(place)?;
        let mut merged = Merged::of_global(am, config);
        mail::check(&merged.root, config).map_err(|(at, refusal)| stop_at(&at, refusal.within(FAILED)))?;
        sanitized(am, &mut merged, FAILED, sink)?;
        return Ok(Some(merged));
    }
    match am.parent.assume {
        Assume::Ready if !name.is_empty() => {
            let message =
                format!("AlertmanagerConfig {}/{name} is taken as present; what it says is not known", am.namespace());
            sink.report(Diagnostic::new(&ASSUMED, At::path(am.doc, &path.key("name")), message));
            Ok(None)
        }
        Assume::Ready | Assume::Missing => {
            let missing = match name {
                "" => NO_NAME.to_owned(),
                name => format!("alertmanagerconfigs.monitoring.coreos.com {} not found", quote(name)),
            };
            Err(Refusal::new(&path, format!("failed to get global AlertmanagerConfig: {missing}")).into())
        }
    }
}

/// A configuration as the user wrote it.
struct Raw {
    text: String,
    beside: BTreeMap<String, Vec<u8>>,
    /// Whether it is the operator's, because the user has none.
    is_default: bool,
    /// Where it stands.
    at: Option<At>,
}

/// The name of the user's Secret.
fn secret_name(am: &Am<'_>) -> String {
    let own = am.spec.config_secret.clone().filter(|name| !name.is_empty());
    own.unwrap_or_else(|| am.prefixed())
}

/// What the user's Secret holds. Operator: without it, or without anything in it, Alertmanager does nothing.
fn raw(am: &Am<'_>, cluster: &Cluster, sink: &mut Sink) -> Raw {
    let name = secret_name(am);
    let default = |beside| Raw { text: DEFAULT.to_owned(), beside, is_default: true, at: None };
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
        Some(bytes) => {
            let selector = SecretKeySelector { name, key: KEY.to_owned(), optional: None };
            let at = am.assets.origin(am.namespace(), &selector);
            Raw { text: String::from_utf8_lossy(&bytes).into_owned(), beside, is_default: false, at }
        }
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

/// The configuration as the operator reads it, in the order of its own types.
///
/// # Errors
/// What Alertmanager would say about it.
fn parsed(am: &Am<'_>, raw: &Raw) -> Result<(Map, Lines), String> {
    let root = read::read_slices(&raw.text).map_err(|fault| match am.assets.reveals() || raw.is_default {
        true => format!("yaml: {}", fault.message),
        false => "yaml: the text is no YAML".to_owned(),
    })?;
    let is_shown = am.assets.reveals() || raw.is_default;
    let shown = |name: &str| if is_shown { name.to_owned() } else { "<redacted>".to_owned() };
    let Some(root) = root else {
        return upstream::check(&Value::Null, &shown).map(|()| Default::default()).map_err(|f| f.message);
    };
    let map = shape::read(&raw.text, &root)?;
    upstream::check(&root.to_value(), &shown).map_err(|fault| fault.message)?;
    let lines = if raw.is_default { Lines::default() } else { Lines::new(&raw.text, &root) };
    Ok((map, lines))
}

/// The configuration with placeholders for all that comes from the user's Secret.
fn hidden_base(am: &Am<'_>, merged: &Merged) -> Map {
    let hide = |(key, value): &(std::borrow::Cow<'static, str>, Value)| {
        let value = match (&**key, value) {
            ("route", Value::Map(route)) => hidden_route(am, route, merged.n_routes()).into(),
            (list, Value::Seq(items)) => {
                let n_own = items.len() - merged.n_added(list).min(items.len());
                let hidden = items[..n_own].iter().map(|item| without_values(am, item.clone()));
                Value::Seq(hidden.chain(items[n_own..].iter().cloned()).collect())
            }
            (_, value) => without_values(am, value.clone()),
        };
        (key.clone(), value)
    };
    merged.root.iter().map(hide).collect()
}

fn hidden_route(am: &Am<'_>, route: &Map, n_shown: usize) -> Map {
    let hide = |(key, value): &(std::borrow::Cow<'static, str>, Value)| {
        let value = match value {
            Value::Seq(routes) if key == "routes" => {
                let n_shown = n_shown.min(routes.len());
                let hidden = routes[n_shown..].iter().map(|route| without_values(am, route.clone()));
                Value::Seq(routes[..n_shown].iter().cloned().chain(hidden).collect())
            }
            value => without_values(am, value.clone()),
        };
        (key.clone(), value)
    };
    route.iter().map(hide).collect()
}
