//! Checks receivers by the table: first the resource alone, then the version and the Secrets.

use crate::cluster::assets::{Asset, ContentCheck};
use crate::receivers;
use crate::receivers::table::admission::{ReceiverRead, ReceiverRule, SecretRead, UrlForm};
use crate::receivers::table::{KindGate, KindSince};
use crate::select::admit::alertmanager_config::{client, url};
use crate::select::admit::{Check, InField, ReferenceReader, Refusal, Refuse, sigv4, tls};
use promgen_resources::api::auth::{SafeTlsConfig, Sigv4};
use promgen_resources::api::core::SecretKeySelector;
use promgen_resources::api::notifying::alertmanager_config::receiver::{HttpConfig, Receiver};
use promgen_resources::gates::{self, Gate, Versions};
use promgen_resources::http_config::{Client, Tls};
use promgen_text::go::host;
use promgen_text::go::quote::quote;
use promgen_text::route::Path;
use promgen_text::yaml::{self, Value, decode};

/// The checks of a receiver that need no Secret. Operator: `validateReceivers`.
pub(super) fn valid(versions: &Versions, path: &Path<'_>, receiver: &Receiver) -> Check {
    // As a value, so that one table can name the fields of all receivers by their keys.
    let receiver = yaml::to_value(receiver);
    // The first fault in this order is the one that becomes the status of the resource.
    for (_, kind) in receivers::listed(receivers::VALID_FIRST) {
        let list = path.key(kind.field);
        for (index, item) in receiver.items_of(kind.field).iter().enumerate() {
            let path = list.index(index);
            let checked = kind
                .valid
                .iter()
                .try_for_each(|rule| apply(versions, &path, item, rule));
            checked.within(&format!("'{}'[{index}]", kind.field))?;
        }
    }
    Ok(())
}

/// Returns whether a field is there.
fn has(item: &Value, key: &str) -> bool {
    item.get(key).is_some_and(|value| *value != Value::Null)
}

/// Returns whether a field has a value that is no empty text.
fn is_filled(item: &Value, key: &str) -> bool {
    has(item, key) && item.get(key).and_then(Value::as_str) != Some("")
}

fn is_true(item: &Value, key: &str) -> bool {
    item.get(key) == Some(&Value::Bool(true))
}

/// A part of an item in its own type. The resource was read from the same text before.
fn typed<T: decode::Decode>(item: &Value, key: &str) -> Option<T> {
    let part = item.get(key).filter(|part| **part != Value::Null)?;
    decode::from_json(&serde_json::to_value(part).ok()?).ok()
}

fn apply(versions: &Versions, path: &Path<'_>, item: &Value, rule: &ReceiverRule) -> Check {
    let demand = |holds: bool, message: &str| {
        if holds { Ok(()) } else { path.refuse(message) }
    };
    match rule {
        ReceiverRule::OneOf(keys, message) => {
            demand(keys.iter().any(|key| has(item, key)), message)
        }
        ReceiverRule::Recipient(keys, message) => {
            demand(keys.iter().any(|key| is_filled(item, key)), message)
        }
        ReceiverRule::NotBoth(one, other, message) => {
            demand(!(has(item, one) && has(item, other)), message)
        }
        ReceiverRule::Exclusive(one, other, message) => {
            demand(!(is_true(item, one) && is_true(item, other)), message)
        }
        ReceiverRule::Number(key, message) => {
            demand(item.get(key).is_some_and(|n| *n != Value::Int(0)), message)
        }
        ReceiverRule::Targets(keys, message) => demand(
            keys.iter().filter(|key| is_filled(item, key)).count() % 2 == 1,
            message,
        ),
        ReceiverRule::Named(list, keys, message) => demand(
            item.items_of(list)
                .iter()
                .all(|part| keys.iter().any(|key| is_filled(part, key))),
            message,
        ),
        ReceiverRule::Plain(key) => {
            invalid(&path.key(key), key, item.text_or_empty(key), url::plain)
        }
        ReceiverRule::Template(key) => {
            invalid(&path.key(key), key, item.text_or_empty(key), url::template)
        }
        ReceiverRule::TemplateSet(key) if !has(item, key) => Ok(()),
        ReceiverRule::TemplateSet(key) => {
            checked(&path.key(key), key, item.text_or_empty(key), url::template)
        }
        ReceiverRule::Templates(list, key) => {
            let parts = path.key(list);
            item.items_of(list)
                .iter()
                .enumerate()
                .try_for_each(|(index, part)| {
                    let checked = invalid(
                        &parts.index(index).key(key),
                        key,
                        part.text_or_empty(key),
                        url::template,
                    );
                    checked.within(&format!("'{list}'[{index}]"))
                })
        }
        ReceiverRule::Smarthost(key) => smarthost(&path.key(key), key, item.text_or_empty(key)),
        ReceiverRule::Headers => headers(path, item),
        ReceiverRule::NotReserved(names) => reserved(path, item, names),
        ReceiverRule::ClientValid => {
            let config: Option<HttpConfig> = typed(item, "httpConfig");
            let valid = |config| client::valid(versions, &path.key("httpConfig"), &config);
            config.map_or(Ok(()), valid).within("'httpConfig'")
        }
    }
}

fn invalid(path: &Path<'_>, key: &str, text: &str, check: fn(&str) -> ContentCheck) -> Check {
    if text.is_empty() {
        Ok(())
    } else {
        checked(path, key, text, check)
    }
}

/// The check of a URL that may be empty, which is no URL.
fn checked(path: &Path<'_>, key: &str, text: &str, check: fn(&str) -> ContentCheck) -> Check {
    check(text)
        .map_err(|fault| Refusal::new(path, format!("invalid '{key}': {}", fault.message(true))))
}

fn smarthost(path: &Path<'_>, key: &str, text: &str) -> Check {
    if text.is_empty() {
        return Ok(());
    }
    let split = host::parse(text).map(drop);
    split.map_err(|error| Refusal::new(path, format!("invalid '{key}' {}: {error}", quote(text))))
}

fn headers(path: &Path<'_>, item: &Value) -> Check {
    let mut names: Vec<String> = Vec::new();
    for (index, header) in item.items_of("headers").iter().enumerate() {
        // Names of headers are the same in any case.
        let name = header.text_or_empty("key").to_lowercase();
        if names.contains(&name) {
            let message = format!("duplicate header {}", quote(&name));
            return path.key("headers").index(index).refuse(message);
        }
        names.push(name);
    }
    Ok(())
}

fn reserved(path: &Path<'_>, item: &Value, names: &[&str]) -> Check {
    let list = path.key("customFields");
    match item
        .items_of("customFields")
        .iter()
        .position(|field| names.contains(&field.text_or_empty("key")))
    {
        None => Ok(()),
        Some(index) => {
            let word = item
                .items_of("customFields")
                .get(index)
                .map(|field| quote(field.text_or_empty("key")))
                .unwrap_or_default();
            let message = format!("usage of reserved word {word} is not allowed in custom fields");
            list.index(index).refuse(message)
        }
    }
}

/// The checks of a receiver that need the version and the Secrets. Operator: `checkReceivers`.
pub(super) fn read(
    cx: &mut ReferenceReader<'_>,
    versions: &Versions,
    receiver: &Path<'_>,
    of: &Receiver,
) -> Check {
    let of = yaml::to_value(of);
    for (kind, resource) in receivers::listed(receivers::READ_FIRST) {
        let (list, found) = (receiver.key(resource.field), of.items_of(resource.field));
        if found.is_empty() {
            continue;
        }
        if let Some(since) = kind
            .since
            .as_ref()
            .filter(|since| !versions.has(since.gate))
        {
            return list.refuse(too_old(since, versions));
        }
        for (index, item) in found.iter().enumerate() {
            let mut reader = ItemReader {
                cx: &mut *cx,
                versions,
                item,
            };
            let path = list.index(index);
            resource
                .reads
                .iter()
                .try_for_each(|read| reader.read(&path, read))?;
        }
    }
    Ok(())
}

fn too_old(
    KindSince {
        gate, in_resource, ..
    }: &KindSince,
    versions: &Versions,
) -> String {
    match in_resource {
        None => String::new(),
        Some(KindGate::Field(name)) => available(name, gate, versions),
        Some(KindGate::Integration(name)) => format!(
            "invalid syntax in receivers config; {name} integration is only available in Alertmanager >= {}",
            gate.since
        ),
    }
}

/// The operator's message about a field. The missing apostrophe is its own.
fn available(field: &str, gate: &Gate, versions: &Versions) -> String {
    format!(
        "{field}' is available in Alertmanager >= {} only - current {}",
        gate.since, versions.alertmanager
    )
}

/// An item of a receiver, and what it is read with.
struct ItemReader<'r, 'a> {
    cx: &'r mut ReferenceReader<'a>,
    versions: &'r Versions,
    item: &'r Value,
}

impl ItemReader<'_, '_> {
    fn read(&mut self, path: &Path<'_>, read: &ReceiverRead) -> Check {
        let config = || typed::<HttpConfig>(self.item, "httpConfig");
        match read {
            ReceiverRead::ClientSince => config().map_or(Ok(()), |c| {
                client::known(&path.key("httpConfig"), &c, self.versions)
            }),
            ReceiverRead::Since(field, gate) => {
                match is_filled(self.item, field) && !self.versions.has(gate) {
                    true => path
                        .key(field)
                        .refuse(available(field, gate, self.versions)),
                    false => Ok(()),
                }
            }
            ReceiverRead::Responders => self.responders(path),
            ReceiverRead::Secret(read) => self.secret(path, read),
            ReceiverRead::BotUrl(url) => self.bot_url(path, url),
            ReceiverRead::Certificates => {
                let config: Option<SafeTlsConfig> = typed(self.item, "tlsConfig");
                tls::tls(self.cx, path, config.as_ref().map(Tls::from))
            }
            ReceiverRead::AwsKeys => {
                let config: Option<Sigv4> = typed(self.item, "sigv4");
                sigv4::read(self.cx, path, config.as_ref())
            }
            ReceiverRead::Client => config().map_or(Ok(()), |config| {
                client::read(self.cx, &path.key("httpConfig"), &Client::from(&config))
            }),
        }
    }

    fn responders(&self, path: &Path<'_>) -> Check {
        let gate = &gates::AM_OPSGENIE_TEAMS;
        let is_team = |responder: &Value| responder.text_or_empty("type") == "teams";
        let Some(index) = self.item.items_of("responders").iter().position(is_team) else {
            return Ok(());
        };
        if self.versions.has(gate) {
            return Ok(());
        }
        let message = format!(
            "'teams' set in 'opsgenieResponder' but supported in Alertmanager >= {} only",
            gate.since
        );
        path.key("responders").index(index).refuse(message)
    }

    fn secret(&mut self, path: &Path<'_>, read: &SecretRead) -> Check {
        let path = path.key(read.field);
        let empty = || Refusal::new(&path, format!("mandatory field {} is empty", read.field));
        let Some(selector) = typed::<SecretKeySelector>(self.item, read.field) else {
            return if read.is_mandatory {
                Err(empty())
            } else {
                Ok(())
            };
        };
        let asset = self.cx.assets.secret(self.cx.namespace, &selector);
        let asset = self.cx.asset(&path, "Secret", &selector.name, asset);
        let asset = asset.map_err(|refusal| match read.missing {
            "" => refusal,
            prefix => refusal.within(prefix),
        })?;
        let Asset::Content(bytes) = &asset else {
            return Ok(());
        };
        if read.is_mandatory && bytes.is_empty() {
            return Err(empty());
        }
        let Some((form, invalid)) = read.url else {
            return Ok(());
        };
        let check = match form {
            UrlForm::Plain => url::secret,
            UrlForm::Template => url::template,
        };
        let checked =
            // The operator trims what it reads: a line break at the end of a Secret is common.
            bytes.check(|bytes| check(String::from_utf8_lossy(bytes).trim()).within(invalid));
        checked.map_err(|message| Refusal::new(&path, message))
    }

    /// Only bots can change a message.
    fn bot_url(&self, path: &Path<'_>, url: &str) -> Check {
        let Some(selector) = typed::<SecretKeySelector>(self.item, "apiURL") else {
            return Ok(());
        };
        if !is_true(self.item, "updateMessage") {
            return Ok(());
        }
        let asset = self.cx.assets.secret(self.cx.namespace, &selector);
        let is_bot = |bytes: &[u8]| Ok(String::from_utf8_lossy(bytes).trim() == url);
        match asset {
            Ok(Asset::Content(bytes)) if bytes.check(is_bot) == Ok(false) => {
                let message = format!(
                    "updateMessage' can only be used with bot tokens. API URL must be set to {url}"
                );
                path.key("updateMessage").refuse(message)
            }
            // A Secret that is missing was refused where the URL was read.
            Ok(_) | Err(_) => Ok(()),
        }
    }
}
