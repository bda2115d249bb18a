//! The configuration of an Alertmanager: the user's Secret as it is, or one that the operator puts together.
//!
//! In: the Secret that holds it, or the AlertmanagerConfig that is its root, and the AlertmanagerConfigs that take part.
//! Out: the text, what its pieces are made of, and what stands beside it in the Secret.

use std::collections::BTreeMap;

use crate::cluster::assets::{Fault, NO_NAME, REDACTED, SecretBytes};
use crate::cluster::{Cluster, Key, Object};
use crate::lower::alertmanager::lines::Lines;
use crate::lower::alertmanager::merge::Merged;
use crate::lower::alertmanager::settings::admit_global;
use crate::lower::alertmanager::{Am, mail, sanitize, shape, upstream, write};
use crate::options::Assume;
use crate::select::ASSUMED;
use crate::select::admit::Refusal;
use crate::select::admit::alertmanager_config::{admit, valid_root};
use promgen_resources::api::AlertmanagerConfig;
use promgen_resources::api::core::SecretKeySelector;
use promgen_resources::gates;
use promgen_text::diag::{Diagnostic, Rule, Sink, rule};
use promgen_text::go::quote::quote;
use promgen_text::route::{At, Path, Route};
use promgen_text::yaml::emit::{self, Dialect};
use promgen_text::yaml::{Map, Value, read};

/// The key of the configuration in its Secret.
const KEY: &str = "alertmanager.yaml";
/// What Alertmanager does if nobody says: nothing with any alert. Operator: `defaultAlertmanagerConfiguration`.
const DEFAULT: &str = "route:\n  receiver: 'null'\nreceivers:\n- name: 'null'";

/// A configuration, as it may be shown.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// The text. `None` if it depends on what is not in the input.
    pub text: Option<String>,
    /// Where the pieces of the text begin, and what they are made of.
    pub pieces: Vec<(usize, Option<At>)>,
    /// Further keys of its Secret.
    pub beside: BTreeMap<String, Vec<u8>>,
    /// What it was put together from. `None` for a text that is the user's own.
    pub merged: Option<Merged>,
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
pub struct Stop {
    /// The operator's words, and the field of the Alertmanager that they are about.
    pub refusal: Refusal,
    /// What in another resource they are about.
    pub blame: Option<Box<At>>,
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
pub fn configuration(
    am: &Am<'_>,
    cluster: &Cluster,
    accepted: &[&Object<AlertmanagerConfig>],
    sink: &mut Sink,
) -> Result<Configuration, Stop> {
    if am.spec.alertmanager_configuration.is_some() {
        let Some(merged) = global(am, cluster, sink)? else { return Ok(Configuration::default()) };
        return generated(am, merged, (BTreeMap::new(), None), accepted, sink);
    }
    let raw = raw(am, sink);
    if am.spec.alertmanager_config_selector.is_none() {
        let merged =
            parsed(&raw).ok().map(|(root, lines)| Merged::new(root, (raw.at.clone(), !raw.content.is_shown()), lines));
        let text = Some(shown(&raw.content));
        return Ok(Configuration { text, beside: raw.beside, merged, ..Configuration::default() });
    }
    let root = parsed(&raw).map_err(|message| {
        let path = Path::root();
        let refusal = Refusal::new(&path.key("spec").key("configSecret"), message);
        if is_crash(&refusal) { refusal } else { refusal.within("failed to initialize from secret") }
    });
    let (root, lines) = root.map_err(|refusal| Stop { refusal, blame: raw.at.clone().map(Box::new) })?;
    let Raw { content, beside, at } = raw;
    let merged = Merged::new(root, (at, !content.is_shown()), lines);
    generated(am, merged, (beside, Some(&content)), accepted, sink)
}

/// A configuration with the AlertmanagerConfigs in it, as the version knows it.
fn generated(
    am: &Am<'_>,
    mut merged: Merged,
    (beside, base): (BTreeMap<String, Vec<u8>>, Option<&SecretBytes>),
    accepted: &[&Object<AlertmanagerConfig>],
    sink: &mut Sink,
) -> Result<Configuration, Stop> {
    const FAILED: &str = "failed to generate Alertmanager configuration";
    for config in accepted {
        mail::check(&merged.root, config).map_err(|fault| stop_at(*fault.0, fault.1.within(FAILED)))?;
        merged.add(am, config);
    }
    merged.settle();
    sanitized(am, &mut merged, FAILED, sink)?;
    let hidden = base.filter(|_| merged.hides_base());
    let written = write::text(&merged.root);
    report_unloadable(am, &merged, &written.0, sink);
    let (text, pieces) = hidden.map_or(written, |content| write::text(&hidden_base(content, &merged)));
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
pub static RULES: &[&Rule] = &[&UNLOADABLE];

/// Reports what Alertmanager refuses in the configuration that the operator writes.
fn report_unloadable(am: &Am<'_>, merged: &Merged, text: &str, sink: &mut Sink) {
    let shown =
        |name: &str| if !merged.hides_base() || merged.owns(name) { name.to_owned() } else { REDACTED.to_owned() };
    let checked = upstream::check(&Value::Map(merged.root.clone()), &shown);
    let Err(fault) = checked.and_then(|()| read_again(merged, text)) else { return };
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

/// Reads the configuration as Alertmanager does: what the version does not know is gone, and may have been needed.
fn read_again(merged: &Merged, text: &str) -> Result<(), upstream::LoadFault> {
    let Ok(Some(root)) = read::read_slices(text) else { return Ok(()) };
    let fault = |fault: Fault| upstream::LoadFault {
        route: Route::root().key("receivers"),
        message: fault.message(!merged.hides_base()),
    };
    shape::read(text, &root).map(|_| ()).map_err(fault)
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
            Err(Stop { refusal, blame: merged.place(&fault.route).map(Box::new) })
        }
    }
}

fn stop_at(at: At, refusal: Refusal) -> Stop {
    let refusal = Refusal::of_name(refusal.message);
    Stop { refusal, blame: Some(Box::new(at)) }
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
            stop_at(at, refusal.within(FAILED))
        };
        admit(config, (am.assets, am.versions), sink).map_err(place)?;
        let settings = am.spec.alertmanager_configuration.as_ref().and_then(|c| c.global.as_ref());
        if let Some(settings) = settings {
            admit_global(am, settings, sink).map_err(|refusal| refusal.within(FAILED))?;
        }
        valid_root(config).map_err(place)?;
        let mut merged = Merged::of_global(am, config);
        mail::check(&merged.root, config).map_err(|(at, refusal)| stop_at(*at, refusal.within(FAILED)))?;
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

/// A configuration as the user wrote it, or the operator's if the user has none.
struct Raw {
    content: SecretBytes,
    beside: BTreeMap<String, Vec<u8>>,
    /// Where it stands. `None` if it is the operator's.
    at: Option<At>,
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
        return Raw { content: default(), beside: BTreeMap::new(), at: None };
    };
    let own = entries.remove(KEY).filter(|bytes| !bytes.is_empty());
    let beside = entries.into_iter().map(|(key, bytes)| (key, bytes.shown())).collect();
    let Some(content) = own else { return Raw { content: default(), beside, at: None } };
    let selector = SecretKeySelector { name, key: KEY.to_owned(), optional: None };
    Raw { content, beside, at: am.assets.origin(am.namespace(), &selector) }
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

/// The configuration as the operator reads it, in the order of its own types.
///
/// # Errors
/// What Alertmanager would say about it.
fn parsed(raw: &Raw) -> Result<(Map, Lines), String> {
    let is_shown = raw.content.is_shown();
    let shown = |name: &str| if is_shown { name.to_owned() } else { REDACTED.to_owned() };
    raw.content.check(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        let root = read::read_slices(&text)
            .map_err(|fault| Fault::new(&*fault.message, "the text is no YAML").within("yaml"))?;
        let Some(root) = root else {
            let checked = upstream::check(&Value::Null, &shown);
            return checked.map(|()| Default::default()).map_err(|fault| Fault::plain(fault.message));
        };
        let map = shape::read(&text, &root)?;
        // Typed: a number is text where a text is expected, as for Alertmanager.
        upstream::check(&Value::Map(map.clone()), &shown).map_err(|fault| Fault::plain(fault.message))?;
        let lines = if raw.at.is_none() { Lines::default() } else { Lines::new(&text, &root) };
        Ok((map, lines))
    })
}

/// The configuration with placeholders for all that comes from the user's Secret.
fn hidden_base(content: &SecretBytes, merged: &Merged) -> Map {
    let hide = |(key, value): &(std::borrow::Cow<'static, str>, Value)| {
        let value = match (&**key, value) {
            ("route", Value::Map(route)) => hidden_route(content, route, merged.n_routes()).into(),
            (list, Value::Seq(items)) => {
                let n_own = items.len() - merged.n_added(list).min(items.len());
                let hidden = items[..n_own].iter().map(|item| content.shown_value(item.clone()));
                Value::Seq(hidden.chain(items[n_own..].iter().cloned()).collect())
            }
            (_, value) => content.shown_value(value.clone()),
        };
        (key.clone(), value)
    };
    merged.root.iter().map(hide).collect()
}

fn hidden_route(content: &SecretBytes, route: &Map, n_shown: usize) -> Map {
    let hide = |(key, value): &(std::borrow::Cow<'static, str>, Value)| {
        let value = match value {
            Value::Seq(routes) if key == "routes" => {
                let n_shown = n_shown.min(routes.len());
                let hidden = routes[n_shown..].iter().map(|route| content.shown_value(route.clone()));
                Value::Seq(routes[..n_shown].iter().cloned().chain(hidden).collect())
            }
            value => content.shown_value(value.clone()),
        };
        (key.clone(), value)
    };
    route.iter().map(hide).collect()
}
