//! The templates of notifications: whether they parse, and whether what they call exists.
//!
//! In: a configuration, and the template files that the input has. Out: the faults with their places. Executes nothing.

mod data;

use std::collections::BTreeSet;

use crate::cluster::assets::{ContentFault, SecretBytes};
use crate::lower::alertmanager::AlertmanagerContext;
use crate::lower::alertmanager::config::secret_name;
use crate::lower::alertmanager::merge::Merged;
use promgen_prometheus::routing::TemplateFault;
use promgen_resources::api::core::SecretKeySelector;
use promgen_text::go::template::{self, TemplateScope};
use promgen_text::route::{At, ValueRoute};
use promgen_text::yaml::{NodeText, Value};

/// The functions of Alertmanager's templates, besides Go's.
const FUNCTIONS: [&str; 20] = [
    "append",
    "date",
    "dict",
    "humanizeDuration",
    "join",
    "list",
    "match",
    "now",
    "reReplaceAll",
    "safeHtml",
    "safeUrl",
    "since",
    "stringSlice",
    "title",
    "toJson",
    "toLower",
    "toUpper",
    "trimSpace",
    "tz",
    "urlUnescape",
];

/// Where the operator mounts the Secret of the configuration, the ConfigMaps and Secrets of the Alertmanager, and its templates.
const CONFIG_DIR: &str = "/etc/alertmanager/config";
const CONFIG_MAPS_DIR: &str = "/etc/alertmanager/configmaps/";
const SECRETS_DIR: &str = "/etc/alertmanager/secrets/";
const TEMPLATES_DIR: &str = "/etc/alertmanager/templates";

/// The message about a template whose text must not be printed.
const HIDDEN: &str =
    "it does not parse, or calls what does not exist; to print the message, use --reveal-secrets";

/// A template file.
struct TemplateFile {
    name: String,
    at: Option<At>,
    content: SecretBytes,
}

/// The faults of all templates.
pub(crate) fn faults(am: &AlertmanagerContext<'_>, merged: &Merged) -> Vec<TemplateFault> {
    let (files, are_all_known) = files(am, merged);
    let mut faults = Vec::new();
    let mut defined = BTreeSet::new();
    for file in &files {
        let checked = file.content.check(|bytes| {
            let text = String::from_utf8_lossy(bytes);
            check_file(&text).map_err(|error| ContentFault::new(error, HIDDEN))?;
            Ok(template::names(&text))
        });
        match (checked, &file.at) {
            (Ok(names), _) => defined.extend(names.defined),
            (Err(message), Some(at)) => {
                let is_secret = !file.content.is_shown();
                let help = data::advice(&message);
                let message = format!("the template file {} fails: {message}", file.name);
                faults.push(TemplateFault {
                    at: at.clone(),
                    is_secret,
                    message,
                    help,
                });
            }
            (Err(_), None) => {}
        }
    }
    // A file that does not parse may define anything.
    let defined = (are_all_known && faults.is_empty()).then_some(&defined);
    let mut texts = Vec::new();
    receivers(merged, &mut texts);
    for (route, text) in texts {
        let Some(at) = merged.place(&route) else {
            continue;
        };
        let is_secret = merged.hides(&at);
        let checked = template::check(text, SCOPE)
            .and_then(|()| undefined(text, defined))
            .map_err(|message| (data::advice(&message), message));
        let mistake = || data::mistake(text).map_or(Ok(()), Err);
        if let Err((help, message)) = checked.and_then(|()| mistake()) {
            let (message, help) = match is_secret {
                true => (HIDDEN, None),
                false => (&*message, help),
            };
            let message = format!("the template of this notification fails: {message}");
            faults.push(TemplateFault {
                at,
                is_secret,
                message,
                help,
            });
        }
    }
    faults
}

const SCOPE: TemplateScope<'_> = TemplateScope {
    functions: &FUNCTIONS,
    variables: &[],
};

/// Checks a file: what stands in `define` is given anything.
fn check_file(text: &str) -> Result<(), String> {
    template::check(text, SCOPE)?;
    data::misspelt(text).map_or(Ok(()), Err)
}

/// Returns whether a text calls a template that does not exist.
fn undefined(text: &str, defined: Option<&BTreeSet<String>>) -> Result<(), String> {
    let Some(defined) = defined else {
        return Ok(());
    };
    let names = template::names(text);
    // Alertmanager's own templates are named so.
    let is_default = |name: &str| name.starts_with("__") || name.contains(".default.");
    let is_known =
        |name: &str| is_default(name) || defined.contains(name) || names.defined.contains(name);
    match names.called.iter().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(name) => Err(format!("template {name:?} not defined")),
    }
}

/// The texts of receivers that are templates, with their routes in the configuration.
fn receivers<'m>(merged: &'m Merged, texts: &mut Vec<(ValueRoute, &'m str)>) {
    let receivers = merged.root.items_of("receivers");
    for (index, receiver) in receivers.iter().enumerate() {
        let route = ValueRoute::root().key("receivers").index(index);
        for (key, items) in receiver.as_map().into_iter().flat_map(|map| map.iter()) {
            if key.ends_with("_configs") {
                collect(route.clone().key(key.to_string()), items, texts);
            }
        }
    }
}

fn collect<'m>(route: ValueRoute, value: &'m Value, texts: &mut Vec<(ValueRoute, &'m str)>) {
    match value {
        // A text without an action is a template that cannot fail.
        Value::Str(text) if text.contains("{{") => texts.push((route, text)),
        Value::Seq(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, item)| collect(route.clone().index(index), item, texts));
        }
        Value::Map(map) => {
            // Clients are no templates: a password may hold braces.
            for (key, value) in map.iter().filter(|(key, _)| key != "http_config") {
                collect(route.clone().key(key.to_string()), value, texts);
            }
        }
        _ => {}
    }
}

/// The template files of a configuration, and whether these are all.
fn files(am: &AlertmanagerContext<'_>, merged: &Merged) -> (Vec<TemplateFile>, bool) {
    let patterns = merged.root.items_of("templates");
    let (mut files, mut are_all_known) = (Vec::new(), true);
    for pattern in patterns.iter().filter_map(Value::as_str) {
        let (dir, name) = pattern.rsplit_once('/').unwrap_or(("", pattern));
        match folder(am, dir).filter(|_| !name.contains(['?', '[', '\\'])) {
            Some(found) => {
                files.extend(found.into_iter().filter(|file| is_match(name, &file.name)))
            }
            // Any name may be defined in a file that is not in the input.
            None => are_all_known = false,
        }
    }
    (files, are_all_known)
}

/// The files of a folder of the pod. `None` if they are not in the input.
fn folder(am: &AlertmanagerContext<'_>, dir: &str) -> Option<Vec<TemplateFile>> {
    if dir == CONFIG_DIR {
        return of_secret(am, &secret_name(am));
    }
    if dir == TEMPLATES_DIR {
        return own_templates(am);
    }
    let is_mounted =
        |names: &Option<Vec<String>>, name: &str| names.iter().flatten().any(|other| other == name);
    if let Some(name) = dir
        .strip_prefix(SECRETS_DIR)
        .filter(|name| is_mounted(&am.spec.secrets, name))
    {
        return of_secret(am, name);
    }
    let name = dir
        .strip_prefix(CONFIG_MAPS_DIR)
        .filter(|name| is_mounted(&am.spec.config_maps, name))?;
    of_config_map(am, name)
}

fn of_secret(am: &AlertmanagerContext<'_>, name: &str) -> Option<Vec<TemplateFile>> {
    let entries = am.assets.entries(am.namespace(), name)?;
    let file = |(key, content): (String, SecretBytes)| {
        let selector = SecretKeySelector {
            name: name.to_owned(),
            key: key.clone(),
            optional: None,
        };
        TemplateFile {
            at: am.assets.origin(am.namespace(), &selector),
            name: key,
            content,
        }
    };
    Some(entries.into_iter().map(file).collect())
}

fn of_config_map(am: &AlertmanagerContext<'_>, name: &str) -> Option<Vec<TemplateFile>> {
    let map = am.assets.whole_config_map(am.namespace(), name)?;
    let file = |(key, text): (&NodeText, &NodeText)| TemplateFile {
        name: key.to_string(),
        at: Some(At::doc(map.doc).key("data").key(key.to_string())),
        content: SecretBytes::public(text.as_bytes().to_vec()),
    };
    Some(map.value.data.iter().flatten().map(file).collect())
}

/// The files of `alertmanagerConfiguration.templates`. Of those with the same key the first one is mounted.
fn own_templates(am: &AlertmanagerContext<'_>) -> Option<Vec<TemplateFile>> {
    let configuration = am.spec.alertmanager_configuration.as_ref()?;
    let mut files: Vec<TemplateFile> = Vec::new();
    for template in configuration.templates.iter().flatten() {
        let (found, key) = match (&template.secret, &template.config_map) {
            (Some(secret), _) => (of_secret(am, &secret.name)?, &secret.key),
            (None, Some(map)) => (of_config_map(am, &map.name)?, &map.key),
            (None, None) => continue,
        };
        if !files.iter().any(|file| file.name == *key) {
            files.extend(found.into_iter().filter(|file| file.name == *key));
        }
    }
    Some(files)
}

/// Returns whether a name matches a pattern with stars.
fn is_match(pattern: &str, name: &str) -> bool {
    let Some((before, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(name) = name.strip_prefix(before) else {
        return false;
    };
    (0..=name.len())
        .filter_map(|at| name.get(at..))
        .any(|name| is_match(rest, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text() {
        assert!(is_match("*.tmpl", "a.tmpl") && is_match("a*b*c", "abbc") && is_match("a", "a"));
        assert!(!is_match("*.tmpl", "alertmanager.yaml") && !is_match("a", "ab"));
    }

    #[test]
    fn templates_call_what_exists() {
        let defined = BTreeSet::from(["mine".to_owned()]);
        let told = |text: &str| check_file(text).and_then(|()| undefined(text, Some(&defined)));
        let default = r#"{{ template "slack.default.title" . }}{{ template "__subject" . }}"#;
        for text in [
            r#"{{ template "mine" . }}"#,
            default,
            "{{ .CommonLabels.SortedPairs.Values | join \" \" }}",
        ] {
            assert_eq!(told(text), Ok(()), "{text}");
        }
        assert_eq!(
            told(r#"{{ template "other" . }}"#).unwrap_err(),
            "template \"other\" not defined"
        );
        assert_eq!(
            told("{{ humanize 1 }}").unwrap_err(),
            "function \"humanize\" not defined"
        );
        assert_eq!(told("{{ if }}").unwrap_err(), "missing value for if");
    }
}
