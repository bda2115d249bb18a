//! Alertmanager's checks of a part while it parses, with its own messages.

use std::collections::BTreeSet;

use crate::cluster::assets::{ContentCheck, ContentFault};
use crate::lower::alertmanager::shape::{DocumentText, NameRules, check_url};
use crate::lower::alertmanager::times;
use crate::receivers::table::shape::{GoScalar, KeyType, PartRule, Shape, ShapeKey};
use crate::select::admit::InField;
use promgen_prometheus::routing::matcher::{self, AlertMatcher, MatchOperator};
use promgen_prometheus::routing::{range, zone};
use promgen_text::go::duration::{PromDuration, TimeDuration};
use promgen_text::go::host;
use promgen_text::go::quote::quote;
use promgen_text::go::template::{self, TemplateScope};
use promgen_text::go::url::Url;
use promgen_text::yaml::{Data, Entry, Node};

/// The prefix of a message where the operator crashes instead of reporting one.
pub(in crate::lower::alertmanager) const CRASH: &str = "PANIC: ";

/// The message in place of one that repeats a value of a Secret.
const HIDDEN: &str = "Alertmanager refuses a value; to print the message, use --reveal-secrets";

/// Returns the error of a value, which Go finds while it decodes.
///
/// # Errors
/// In Alertmanager's words.
pub(super) fn value(cx: &DocumentText<'_>, node: &Node, field: &ShapeKey) -> ContentCheck {
    match (field.go, field.kind) {
        (Some(go), _) => scalar(&cx.scalar(node), go),
        (None, KeyType::Masked) => headers(node),
        (None, _) => {
            matchers(cx, node, field.key)?;
            range(cx, node, field.key).map_err(repeating)
        }
    }
}

/// A value by its type in Go.
fn scalar(text: &str, go: GoScalar) -> ContentCheck {
    const VERSIONS: [&str; 4] = ["TLS10", "TLS11", "TLS12", "TLS13"];
    match go {
        GoScalar::GoDuration => TimeDuration::parse(text).map(drop).map_err(repeating),
        GoScalar::PromDuration => prom_duration(text),
        GoScalar::TemplateUrl => webhook_url(text),
        GoScalar::ProxyUrl => Url::parse(text).map(drop).map_err(ContentFault::quoting),
        GoScalar::HostPort => smarthost(text),
        GoScalar::TlsVersion if VERSIONS.contains(&text) => Ok(()),
        GoScalar::TlsVersion => Err(repeating(format!("unknown TLS version: {text}"))),
        GoScalar::Secret
        | GoScalar::Nanoseconds
        | GoScalar::Uint64
        | GoScalar::Int64
        | GoScalar::Int => Ok(()),
    }
}

/// A duration of Prometheus.
pub(super) fn prom_duration(text: &str) -> ContentCheck {
    PromDuration::parse(text).map(drop).map_err(repeating)
}

/// Conditions on labels.
fn matchers(cx: &DocumentText<'_>, node: &Node, key: &str) -> ContentCheck {
    if key.ends_with("match_re") {
        for entry in node.entries() {
            old_name(&entry.key)?;
            if entry.value.is_null() {
                return Err(ContentFault::quoting(format!(
                    "invalid regexp value for {}",
                    quote(&entry.key)
                )));
            }
            AlertMatcher::new(&entry.key, MatchOperator::Matches, &cx.scalar(&entry.value))
                .map_err(repeating)?;
        }
    }
    if !key.ends_with("matchers") {
        return Ok(());
    }
    let parse = match cx.parser.names {
        NameRules::Classic => matcher::classic,
        NameRules::Any => matcher::parse,
    };
    node.items()
        .iter()
        .try_for_each(|text| parse(&cx.scalar(text)).map(drop).map_err(repeating))
}

/// The name of a label in a condition of the old form, which is of the old kind.
fn old_name(name: &str) -> ContentCheck {
    if is_classic(name) {
        Ok(())
    } else {
        Err(ContentFault::quoting(format!(
            "invalid label name {}",
            quote(name)
        )))
    }
}

/// The URL of a webhook, or a template of one.
fn webhook_url(url: &str) -> ContentCheck {
    if url.contains("{{") {
        // Only the syntax is checked here, with none of Alertmanager's own functions.
        let scope = TemplateScope {
            functions: &[],
            variables: &[],
        };
        let checked = template::check(url, scope);
        return checked
            .map_err(|error| repeating(format!("invalid template syntax: template: :1: {error}")));
    }
    if url.is_empty() {
        Ok(())
    } else {
        check_url(url).within("invalid URL")
    }
}

/// The spans of a time interval, or where it holds.
fn range(cx: &DocumentText<'_>, node: &Node, key: &str) -> Result<(), String> {
    let items = || {
        node.items()
            .iter()
            .filter(|item| !item.is_null())
            .map(|item| cx.scalar(item))
    };
    match key {
        "weekdays" => items().try_for_each(|text| range::check_weekdays(&text.to_lowercase())),
        "days_of_month" => items().try_for_each(|text| range::check_days(&text)),
        "months" => items().try_for_each(|text| range::check_months(&text.to_lowercase())),
        "years" => items().try_for_each(|text| range::check_years(&text)),
        "location" => zone::check(&cx.scalar(node)),
        _ => Ok(()),
    }
}

/// The headers that the HTTP client itself sets. Prometheus: `reservedHeaders`.
const RESERVED_HEADERS: [&str; 18] = [
    "Accept-Encoding",
    "Authorization",
    "Connection",
    "Content-Encoding",
    "Content-Length",
    "Content-Type",
    "Host",
    "Keep-Alive",
    "Proxy-Authenticate",
    "Proxy-Authorization",
    "User-Agent",
    "Www-Authenticate",
    "X-Amz-Content-Sha256",
    "X-Amz-Date",
    "X-Amz-Security-Token",
    "X-Prometheus-Remote-Read-Version",
    "X-Prometheus-Remote-Write-Version",
    "X-Prometheus-Scrape-Timeout-Seconds",
];

fn headers(node: &Node) -> ContentCheck {
    let mut names = node.entries().iter().map(|entry| canonical(&entry.key));
    match names.find(|name| RESERVED_HEADERS.contains(&&**name)) {
        Some(name) => Err(ContentFault::plain(format!(
            "setting header {} is not allowed",
            quote(&name)
        ))),
        None => Ok(()),
    }
}

/// A host and a port, unless it is empty.
fn smarthost(text: &str) -> ContentCheck {
    if text.is_empty() {
        return Ok(());
    }
    let (_, port) = host::parse(text).map_err(repeating)?;
    if port.is_empty() {
        Err(repeating(format!(
            "address {}: port cannot be empty",
            quote(text)
        )))
    } else {
        Ok(())
    }
}

/// Returns the first error of a part.
///
/// # Errors
/// In Alertmanager's words.
pub(super) fn check(cx: &DocumentText<'_>, node: &Node, shape: &'static Shape) -> ContentCheck {
    let part = ShapedNode { cx, node, shape };
    shape.rules.iter().try_for_each(|rule| part.rule(rule))
}

struct ShapedNode<'a> {
    cx: &'a DocumentText<'a>,
    node: &'a Node,
    shape: &'static Shape,
}

/// Demands that something holds.
fn demand(holds: bool, message: impl Into<String>) -> ContentCheck {
    holds
        .then_some(())
        .ok_or_else(|| ContentFault::plain(message))
}

/// Demands that none of the faults is there; else the message of the first.
fn none_of(faults: &[(bool, &'static str)]) -> ContentCheck {
    faults
        .iter()
        .try_for_each(|(is_there, message)| demand(!is_there, *message))
}

impl<'a> ShapedNode<'a> {
    /// Returns whether the key is there, even without a value.
    fn has(&self, key: &str) -> bool {
        self.node.get(key).is_some()
    }

    /// Returns whether the key is there with a value.
    fn has_value(&self, key: &str) -> bool {
        self.node.get(key).is_some_and(|value| !value.is_null())
    }

    fn is_set(&self, key: &str) -> bool {
        self.node
            .get(key)
            .is_some_and(|value| !self.cx.scalar(value).is_empty() || is_filled(value))
    }

    fn is_true(&self, path: &[&str]) -> bool {
        let value = self.node.find(path);
        value.is_some_and(|value| value.data == Data::Bool(true))
    }

    fn text(&self, path: &[&str]) -> String {
        let value = self.node.find(path);
        value.map(|value| self.cx.scalar(value)).unwrap_or_default()
    }

    fn items(&self, key: &str) -> &'a [Node] {
        self.node.get(key).map(Node::items).unwrap_or_default()
    }

    fn entries(&self, key: &str) -> &'a [Entry] {
        self.node.get(key).map(Node::entries).unwrap_or_default()
    }

    fn rule(&self, rule: &PartRule) -> ContentCheck {
        let any = |keys: &[&str]| keys.iter().any(|key| self.is_set(key));
        match *rule {
            PartRule::AnyOf(keys, message) => demand(any(keys), message),
            PartRule::Choice(key, values, message) => demand(
                !self.has(key) || values.contains(&&*self.text(&[key])),
                message,
            ),
            PartRule::Options(key, values, words) => self.option(key, values, words),
            PartRule::OneSource(key) => self.contradiction(key),
            PartRule::OneSourceEach => {
                let mut fields = self.shape.keys.iter();
                fields.try_for_each(|field| self.contradiction(field.key))
            }
            PartRule::ConfusableCharacter(keys, message) => demand(
                keys.iter().filter(|key| self.is_set(key)).count() % 2 == 1,
                message,
            ),
            PartRule::Together(one, other, message) => {
                demand(self.is_set(one) == self.is_set(other), message)
            }
            PartRule::OnlyWith(key, other, message) => {
                demand(!self.is_set(key) || self.is_set(other), message)
            }
            PartRule::NotBothTrue(one, other, message) => {
                demand(!(self.is_true(&[one]) && self.is_true(&[other])), message)
            }
            PartRule::Apart(keys, others, message) => demand(!(any(keys) && any(others)), message),
            PartRule::Authorized(message) => demand(self.has_header(), message),
            PartRule::NotAuthorized(keys, message) => {
                demand(!(any(keys) && self.has_header()), message)
            }
            PartRule::ResponderTypes => self.responders(),
            PartRule::BotUpdates(url) => self.bot_updates(url),
            PartRule::MailHeaders => self.mail_headers(),
            PartRule::MailThreads => demand(
                !self.is_true(&["threading", "enabled"])
                    || matches!(
                        &*self.text(&["threading", "thread_by_date"]),
                        "none" | "daily"
                    ),
                "threading.thread_by_date must be either 'none' or 'daily'",
            ),
            PartRule::CustomFields(reserved) => self.custom_fields(reserved),
            PartRule::HttpClient => self.http(),
            PartRule::ProxySettings => self.proxy(),
            PartRule::Certificate => self.certificate(),
            PartRule::InhibitRule => self.inhibit_rule(),
            PartRule::Clock => {
                times::check_clock(&self.text(&["start_time"]), &self.text(&["end_time"]))
                    .map_err(repeating)
            }
            PartRule::Route => self.route(),
        }
    }

    /// Checks that a secret comes from the configuration or from a file, not from both.
    fn contradiction(&self, key: &str) -> ContentCheck {
        let file = format!("{key}_file");
        demand(
            self.shape.field(&file).is_none() || !self.is_set(key) || !self.is_set(&file),
            format!("at most one of {key} & {file} must be configured"),
        )
    }

    fn responders(&self) -> ContentCheck {
        for node in self.items("responders") {
            let responder = Self { node, ..*self };
            let [id, name, user, kind] =
                ["id", "name", "username", "type"].map(|key| responder.text(&[key]));
            let printed = format!("{{{id} {name} {user} {kind}}}");
            if id.is_empty() && name.is_empty() && user.is_empty() {
                return Err(repeating(format!(
                    "opsGenieConfig responder {printed} has to have at least one of id, username or name specified"
                )));
            }
            let known = ["team", "teams", "user", "escalation", "schedule"];
            // A template yields the type only when an alert fires.
            if !known.contains(&&*kind.to_lowercase()) && !kind.contains("{{") {
                return Err(repeating(format!(
                    "opsGenieConfig responder {printed} type does not match valid options ^({})$",
                    known.join("|")
                )));
            }
        }
        Ok(())
    }

    fn bot_updates(&self, url: &str) -> ContentCheck {
        if !self.is_true(&["update_message"]) {
            return Ok(());
        }
        demand(
            self.is_set("api_url"),
            format!(
                "{CRASH}the operator crashes on update_message of a Slack receiver without api_url"
            ),
        )?;
        demand(
            self.text(&["api_url"]) == url,
            format!(
                "update_message can only be used with bot tokens. api_url must be set to {url}"
            ),
        )
    }

    /// Returns whether requests have an `Authorization` header. A bearer token is one.
    fn has_header(&self) -> bool {
        let authorization = self.node.find(&["http_config", "authorization"]);
        authorization.is_some_and(|value| !value.is_null())
            || ["bearer_token", "bearer_token_file"]
                .iter()
                .any(|key| !self.text(&["http_config", key]).is_empty())
    }

    fn option(&self, key: &str, values: &[&str], words: &str) -> ContentCheck {
        let found = self.text(&[key]);
        if found.is_empty() || values.contains(&&*found) {
            return Ok(());
        }
        Err(ContentFault::quoting(format!(
            "{words} {} does not match valid options ^({})$",
            quote(&found),
            values.join("|")
        )))
    }

    fn mail_headers(&self) -> ContentCheck {
        let mut names = BTreeSet::new();
        let headers = self.entries("headers").iter();
        match headers
            .map(|entry| canonical(&entry.key))
            .find(|name| !names.insert(name.clone()))
        {
            None => Ok(()),
            Some(name) => Err(ContentFault::quoting(format!(
                "duplicate header {} in email config",
                quote(&name)
            ))),
        }
    }

    fn custom_fields(&self, reserved: &[&str]) -> ContentCheck {
        let mut fields = self.entries("custom_fields").iter();
        match fields.find(|entry| reserved.contains(&&*entry.key)) {
            Some(entry) => Err(ContentFault::plain(format!(
                "victorOps config contains custom field {} which cannot be used as it conflicts with the fixed/static \
                 fields",
                entry.key
            ))),
            None => Ok(()),
        }
    }

    fn inhibit_rule(&self) -> ContentCheck {
        self.old_names("target_match")?;
        self.old_names("source_match")?;
        self.names("equal")
    }

    /// Names of labels.
    fn names(&self, list: &str) -> ContentCheck {
        let is_valid = |label: &str| match self.cx.parser.names {
            NameRules::Classic => is_classic(label),
            NameRules::Any => !label.is_empty(),
        };
        let mut labels = self.items(list).iter().map(|label| self.cx.scalar(label));
        match labels.find(|label| !is_valid(label)) {
            None => Ok(()),
            Some(label) => Err(ContentFault::quoting(format!(
                "invalid label name {} in {list} list",
                quote(&label)
            ))),
        }
    }

    /// The names of labels of conditions in the old form.
    fn old_names(&self, key: &str) -> ContentCheck {
        let mut pairs = self.entries(key).iter();
        pairs.try_for_each(|entry| old_name(&entry.key))
    }

    /// Prometheus: `HTTPClientConfig.Validate`.
    fn http(&self) -> ContentCheck {
        let (token, token_file) = (
            self.is_set("bearer_token"),
            self.is_set("bearer_token_file"),
        );
        let has_token = token || token_file;
        let [authorization, basic, oauth2] =
            ["authorization", "basic_auth", "oauth2"].map(|key| self.has_value(key));
        let kind = self.text(&["authorization", "type"]);
        none_of(&[
            (
                token && token_file,
                "at most one of bearer_token & bearer_token_file must be configured",
            ),
            (
                (basic || oauth2) && has_token,
                "at most one of basic_auth, oauth2, bearer_token & bearer_token_file must be configured",
            ),
            (
                self.has_both("authorization", "credentials"),
                "at most one of authorization credentials & credentials_file must be configured",
            ),
            (
                self.has_both("basic_auth", "password"),
                "at most one of basic_auth password, password_file & password_ref must be configured",
            ),
            (
                authorization && has_token,
                "authorization is not compatible with bearer_token & bearer_token_file",
            ),
            (
                kind.trim().eq_ignore_ascii_case("basic"),
                "authorization type cannot be set to \"basic\", use \"basic_auth\" instead",
            ),
            (
                authorization && (basic || oauth2) || basic && oauth2,
                "at most one of basic_auth, oauth2 & authorization must be configured",
            ),
        ])?;
        if oauth2 {
            self.oauth2()?;
        }
        self.proxy()
    }

    fn has_both(&self, part: &str, key: &str) -> bool {
        [key, &format!("{key}_file")]
            .iter()
            .all(|key| !self.text(&[part, key]).is_empty())
    }

    fn oauth2(&self) -> ContentCheck {
        for key in ["client_id", "token_url"] {
            demand(
                !self.text(&["oauth2", key]).is_empty(),
                format!("oauth2 {key} must be configured"),
            )?;
        }
        demand(
            !self.has_both("oauth2", "client_secret"),
            "at most one of oauth2 client_secret, client_secret_file & client_secret_ref must be configured \
                     using grant-type=client_credentials",
        )
    }

    fn proxy(&self) -> ContentCheck {
        let (url, no_proxy) = (self.is_set("proxy_url"), self.is_set("no_proxy"));
        let environment = self.is_true(&["proxy_from_environment"]);
        none_of(&[
            (
                self.is_set("proxy_connect_header") && !environment && !url,
                "if proxy_connect_header is configured, proxy_url or proxy_from_environment must also be configured",
            ),
            (
                environment && url,
                "if proxy_from_environment is configured, proxy_url must not be configured",
            ),
            (
                environment && no_proxy,
                "if proxy_from_environment is configured, no_proxy must not be configured",
            ),
            (
                // An empty URL is one here, unlike in the other checks.
                no_proxy && !self.has_value("proxy_url"),
                "if no_proxy is configured, proxy_url must also be configured",
            ),
        ])
    }

    fn certificate(&self) -> ContentCheck {
        let (cert, key) = (self.is_set("cert_file"), self.is_set("key_file"));
        none_of(&[
            (
                cert && !key,
                "exactly one of key or key_file must be configured when a client certificate is configured",
            ),
            (
                key && !cert,
                "exactly one of cert or cert_file must be configured when a client key is configured",
            ),
        ])
    }

    fn route(&self) -> ContentCheck {
        let labels: Vec<String> = self
            .items("group_by")
            .iter()
            .map(|label| self.cx.scalar(label))
            .collect();
        let has_wildcard = labels.iter().any(|label| label == "...");
        demand(
            !has_wildcard || labels.iter().all(|label| label == "..."),
            "cannot have wildcard group_by (`...`) and other labels at the same time",
        )?;
        if let Some(twice) = labels
            .iter()
            .enumerate()
            .find(|(index, label)| labels[..*index].contains(label))
        {
            return Err(ContentFault::quoting(format!(
                "duplicated label {} in group_by",
                quote(twice.1)
            )));
        }
        if !has_wildcard {
            self.names("group_by")?;
        }
        self.old_names("match")?;
        for key in ["group_interval", "repeat_interval"] {
            let text = self.text(&[key]);
            let is_zero = PromDuration::parse(&text).is_ok_and(|duration| duration.millis == 0);
            demand(text.is_empty() || !is_zero, format!("{key} cannot be zero"))?;
        }
        Ok(())
    }
}

/// A fault whose words repeat a value.
fn repeating(message: String) -> ContentFault {
    ContentFault::new(message, HIDDEN)
}

/// Returns whether a text is the name of a label in the old sense.
fn is_classic(label: &str) -> bool {
    let is_part = |(index, c): (usize, char)| {
        c.is_ascii_alphabetic() || c == '_' || index > 0 && c.is_ascii_digit()
    };
    !label.is_empty() && label.chars().enumerate().all(is_part)
}

/// Returns whether a list or map has something in it.
fn is_filled(node: &Node) -> bool {
    !node.items().is_empty() || !node.entries().is_empty()
}

/// The canonical name of a header: capitalized words.
fn canonical(name: &str) -> String {
    let word = |word: &str| {
        let mut chars = word.chars();
        let first = chars.next().map(|c| c.to_ascii_uppercase());
        first
            .into_iter()
            .chain(chars.map(|c| c.to_ascii_lowercase()))
            .collect::<String>()
    };
    name.split('-').map(word).collect::<Vec<_>>().join("-")
}
