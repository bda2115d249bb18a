//! Alertmanager's checks of a part while it parses, with its own messages.

use crate::cluster::assets::ContentFault;
use crate::lower::alertmanager::shape::{Cx, NameRules, check_url, tables};
use crate::lower::alertmanager::times;
use crate::receivers::table::shape::{GoScalar, KeyType, PartRule, Shape, ShapeKey};
use promgen_prometheus::routing::matcher::{self, AlertMatcher, MatchOperator};
use promgen_prometheus::routing::{range, zone};
use promgen_text::go::duration::{PromDuration, TimeDuration};
use promgen_text::go::host;
use promgen_text::go::quote::quote;
use promgen_text::go::template::{self, TemplateScope};
use promgen_text::go::url::Url;
use promgen_text::yaml::{Data, Node};

/// The prefix of a message where the operator crashes instead of reporting one.
pub(in crate::lower::alertmanager) const CRASH: &str = "PANIC: ";

/// The message in place of one that repeats a value of a Secret.
const HIDDEN: &str = "Alertmanager refuses a value; to print the message, use --reveal-secrets";

/// Returns the error of a value, which Go finds while it decodes.
///
/// # Errors
/// In Alertmanager's words.
pub(super) fn value(
    cx: &Cx<'_>,
    node: &Node,
    (shape, field): (&'static Shape, &ShapeKey),
) -> Result<(), ContentFault> {
    let is = |other: &'static Shape| std::ptr::eq(shape, other);
    match (field.go, field.kind) {
        (Some(go), _) => scalar(&cx.scalar(node), go),
        (None, KeyType::Masked) => headers(node),
        (None, _) if is(&tables::ROUTE) || is(&tables::INHIBIT) => matchers(cx, node, field.key),
        (None, _) if is(&tables::RANGE) => range(cx, node, field.key).map_err(repeating),
        (None, _) => Ok(()),
    }
}

/// A value by its type in Go.
fn scalar(text: &str, go: GoScalar) -> Result<(), ContentFault> {
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
pub(super) fn prom_duration(text: &str) -> Result<(), ContentFault> {
    PromDuration::parse(text).map(drop).map_err(repeating)
}

/// Conditions on labels.
fn matchers(cx: &Cx<'_>, node: &Node, key: &str) -> Result<(), ContentFault> {
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
fn old_name(name: &str) -> Result<(), ContentFault> {
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
fn webhook_url(url: &str) -> Result<(), ContentFault> {
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
        check_url(url).map_err(|fault| fault.within("invalid URL"))
    }
}

/// The spans of a time interval, or where it holds.
fn range(cx: &Cx<'_>, node: &Node, key: &str) -> Result<(), String> {
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

fn headers(node: &Node) -> Result<(), ContentFault> {
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
fn smarthost(text: &str) -> Result<(), ContentFault> {
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
pub(super) fn check(cx: &Cx<'_>, node: &Node, shape: &'static Shape) -> Result<(), ContentFault> {
    let part = ShapedNode { cx, node, shape };
    shape.rules.iter().try_for_each(|rule| part.rule(rule))
}

struct ShapedNode<'a> {
    cx: &'a Cx<'a>,
    node: &'a Node,
    shape: &'static Shape,
}

impl ShapedNode<'_> {
    /// Returns whether the key is there, even without a value.
    fn has(&self, key: &str) -> bool {
        self.node.get(key).is_some()
    }

    fn is_set(&self, key: &str) -> bool {
        self.node
            .get(key)
            .is_some_and(|value| !self.cx.scalar(value).is_empty() || is_filled(value))
    }

    fn text(&self, key: &str) -> String {
        self.node
            .get(key)
            .map(|value| self.cx.scalar(value))
            .unwrap_or_default()
    }

    fn rule(&self, rule: &PartRule) -> Result<(), ContentFault> {
        let demand = |holds: bool, message: &'static str| match holds {
            true => Ok(()),
            false => Err(ContentFault::plain(message)),
        };
        let any = |keys: &[&str]| keys.iter().any(|key| self.is_set(key));
        match *rule {
            PartRule::AnyOf(keys, message) => demand(any(keys), message),
            PartRule::Choice(key, values, message) => demand(
                !self.has(key) || values.contains(&&*self.text(key)),
                message,
            ),
            PartRule::Options(key, values, words) => self.option(key, values, words),
            PartRule::OneSource(key) => self.contradiction(key),
            PartRule::OneSourceEach => self.contradictions(),
            PartRule::Odd(keys, message) => demand(
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
                demand(!(self.is_true(one) && self.is_true(other)), message)
            }
            PartRule::Apart(keys, others, message) => demand(!(any(keys) && any(others)), message),
            PartRule::Authorized(message) => demand(self.has_header(), message),
            PartRule::NotAuthorized(keys, message) => {
                demand(!(any(keys) && self.has_header()), message)
            }
            PartRule::ResponderTypes => self.responders(),
            PartRule::BotUpdates(url) => self.bot_updates(url),
            PartRule::MailHeaders => self.mail_headers(),
            PartRule::MailThreads => self.mail_threads(),
            PartRule::CustomFields(reserved) => self.custom_fields(reserved),
            PartRule::HttpClient => self.http(),
            PartRule::ProxySettings => self.proxy(),
            PartRule::Certificate => self.certificate(),
            PartRule::InhibitRule => self.inhibit_rule(),
            PartRule::Clock => self.clock(),
            PartRule::Route => self.route(),
        }
    }

    fn is_true(&self, key: &str) -> bool {
        self.node
            .get(key)
            .is_some_and(|value| value.data == Data::Bool(true))
    }

    /// Checks that a secret comes from the configuration or from a file, not from both.
    fn contradictions(&self) -> Result<(), ContentFault> {
        self.shape
            .fields()
            .iter()
            .try_for_each(|field| self.contradiction(field.key))
    }

    fn contradiction(&self, key: &str) -> Result<(), ContentFault> {
        let file = format!("{key}_file");
        match self.shape.field(&file).is_some() && self.is_set(key) && self.is_set(&file) {
            true => Err(ContentFault::plain(format!(
                "at most one of {key} & {file} must be configured"
            ))),
            false => Ok(()),
        }
    }

    fn responders(&self) -> Result<(), ContentFault> {
        for responder in self
            .node
            .get("responders")
            .map(Node::items)
            .unwrap_or_default()
        {
            let text = |key: &str| {
                responder
                    .get(key)
                    .map(|value| self.cx.scalar(value))
                    .unwrap_or_default()
            };
            let (id, name, user, kind) = (text("id"), text("name"), text("username"), text("type"));
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

    fn bot_updates(&self, url: &str) -> Result<(), ContentFault> {
        if !self.is_true("update_message") {
            return Ok(());
        }
        if !self.is_set("api_url") {
            return Err(ContentFault::plain(format!(
                "{CRASH}the operator crashes on update_message of a Slack receiver without api_url"
            )));
        }
        match self.text("api_url") == url {
            true => Ok(()),
            false => Err(ContentFault::plain(format!(
                "update_message can only be used with bot tokens. api_url must be set to {url}"
            ))),
        }
    }

    /// Returns whether requests have an `Authorization` header. A bearer token is one.
    fn has_header(&self) -> bool {
        let part = |key: &str| self.node.find(&["http_config", key]);
        let has_token =
            |key: &str| part(key).is_some_and(|value| !self.cx.scalar(value).is_empty());
        part("authorization").is_some_and(|value| !value.is_null())
            || has_token("bearer_token")
            || has_token("bearer_token_file")
    }

    fn option(&self, key: &str, values: &[&str], words: &str) -> Result<(), ContentFault> {
        let found = self.text(key);
        match found.is_empty() || values.contains(&&*found) {
            true => Ok(()),
            false => Err(ContentFault::quoting(format!(
                "{words} {} does not match valid options ^({})$",
                quote(&found),
                values.join("|")
            ))),
        }
    }

    fn mail_headers(&self) -> Result<(), ContentFault> {
        let mut names: Vec<String> = Vec::new();
        for entry in self
            .node
            .get("headers")
            .map(Node::entries)
            .unwrap_or_default()
        {
            let name = canonical(&entry.key);
            if names.contains(&name) {
                return Err(ContentFault::quoting(format!(
                    "duplicate header {} in email config",
                    quote(&name)
                )));
            }
            names.push(name);
        }
        Ok(())
    }

    fn mail_threads(&self) -> Result<(), ContentFault> {
        let is_on = self
            .node
            .find(&["threading", "enabled"])
            .is_some_and(|value| value.data == Data::Bool(true));
        match !is_on
            || matches!(
                &*self.at(&["threading"], "thread_by_date"),
                "none" | "daily"
            ) {
            true => Ok(()),
            false => Err(ContentFault::plain(
                "threading.thread_by_date must be either 'none' or 'daily'",
            )),
        }
    }

    fn custom_fields(&self, reserved: &[&str]) -> Result<(), ContentFault> {
        let fields = self
            .node
            .get("custom_fields")
            .map(Node::entries)
            .unwrap_or_default();
        match fields.iter().find(|entry| reserved.contains(&&*entry.key)) {
            Some(entry) => Err(ContentFault::plain(format!(
                "victorOps config contains custom field {} which cannot be used as it conflicts with the fixed/static \
                 fields",
                entry.key
            ))),
            None => Ok(()),
        }
    }

    fn inhibit_rule(&self) -> Result<(), ContentFault> {
        for prefix in ["target_", "source_"] {
            self.old_names(prefix)?;
        }
        let equal = self.node.get("equal").map(Node::items).unwrap_or_default();
        self.names(equal, "equal")
    }

    /// Names of labels.
    fn names(&self, labels: &[Node], list: &str) -> Result<(), ContentFault> {
        let is_valid = |label: &str| match self.cx.parser.names {
            NameRules::Classic => is_classic(label),
            NameRules::Any => !label.is_empty(),
        };
        match labels
            .iter()
            .map(|label| self.cx.scalar(label))
            .find(|label| !is_valid(label))
        {
            None => Ok(()),
            Some(label) => Err(ContentFault::quoting(format!(
                "invalid label name {} in {list} list",
                quote(&label)
            ))),
        }
    }

    /// The names of labels of conditions in the old form.
    fn old_names(&self, prefix: &str) -> Result<(), ContentFault> {
        let pairs = self
            .node
            .get(&format!("{prefix}match"))
            .map(Node::entries)
            .unwrap_or_default();
        pairs.iter().try_for_each(|entry| old_name(&entry.key))
    }

    fn clock(&self) -> Result<(), ContentFault> {
        times::check_clock(&self.text("start_time"), &self.text("end_time")).map_err(repeating)
    }

    /// Prometheus: `HTTPClientConfig.Validate`.
    fn http(&self) -> Result<(), ContentFault> {
        let has = |key: &str| self.node.get(key).is_some_and(|value| !value.is_null());
        let has_token = self.is_set("bearer_token") || self.is_set("bearer_token_file");
        if self.is_set("bearer_token") && self.is_set("bearer_token_file") {
            return Err(ContentFault::plain(
                "at most one of bearer_token & bearer_token_file must be configured",
            ));
        }
        if (has("basic_auth") || has("oauth2")) && has_token {
            return Err(ContentFault::plain(
                "at most one of basic_auth, oauth2, bearer_token & bearer_token_file must be configured",
            ));
        }
        if self.has_both(&["authorization"], "credentials") {
            return Err(ContentFault::plain(
                "at most one of authorization credentials & credentials_file must be configured",
            ));
        }
        if self.has_both(&["basic_auth"], "password") {
            let message = "at most one of basic_auth password, password_file & password_ref must be configured";
            return Err(ContentFault::plain(message));
        }
        if has("authorization") && has_token {
            return Err(ContentFault::plain(
                "authorization is not compatible with bearer_token & bearer_token_file",
            ));
        }
        let kind = self
            .node
            .find(&["authorization", "type"])
            .map(|value| self.cx.scalar(value))
            .unwrap_or_default();
        if kind.trim().eq_ignore_ascii_case("basic") {
            return Err(ContentFault::plain(
                "authorization type cannot be set to \"basic\", use \"basic_auth\" instead",
            ));
        }
        if has("authorization") && (has("basic_auth") || has("oauth2"))
            || has("basic_auth") && has("oauth2")
        {
            return Err(ContentFault::plain(
                "at most one of basic_auth, oauth2 & authorization must be configured",
            ));
        }
        self.oauth2()?;
        self.proxy()
    }

    fn at(&self, path: &[&str], key: &str) -> String {
        let part = self.node.find(path);
        part.and_then(|part| part.get(key))
            .map(|value| self.cx.scalar(value))
            .unwrap_or_default()
    }

    fn has_both(&self, path: &[&str], key: &str) -> bool {
        !self.at(path, key).is_empty() && !self.at(path, &format!("{key}_file")).is_empty()
    }

    fn oauth2(&self) -> Result<(), ContentFault> {
        if self.node.get("oauth2").is_none_or(Node::is_null) {
            return Ok(());
        }
        for key in ["client_id", "token_url"] {
            if self.at(&["oauth2"], key).is_empty() {
                return Err(ContentFault::plain(format!(
                    "oauth2 {key} must be configured"
                )));
            }
        }
        match self.has_both(&["oauth2"], "client_secret") {
            true => Err(ContentFault::plain(
                "at most one of oauth2 client_secret, client_secret_file & client_secret_ref must be configured \
                         using grant-type=client_credentials",
            )),
            false => Ok(()),
        }
    }

    fn proxy(&self) -> Result<(), ContentFault> {
        let (url, no_proxy) = (self.is_set("proxy_url"), self.is_set("no_proxy"));
        // An empty URL is one here, unlike in the other checks.
        let has_url = self.node.get("proxy_url").is_some_and(|url| !url.is_null());
        let environment = self.is_true("proxy_from_environment");
        let refuse = |message: &str| Err(ContentFault::plain(message));
        match () {
            () if self.is_set("proxy_connect_header") && !environment && !url => refuse(
                "if proxy_connect_header is configured, proxy_url or proxy_from_environment must also be configured",
            ),
            () if environment && url => {
                refuse("if proxy_from_environment is configured, proxy_url must not be configured")
            }
            () if environment && no_proxy => {
                refuse("if proxy_from_environment is configured, no_proxy must not be configured")
            }
            () if no_proxy && !has_url => {
                refuse("if no_proxy is configured, proxy_url must also be configured")
            }
            () => Ok(()),
        }
    }

    fn certificate(&self) -> Result<(), ContentFault> {
        match (self.is_set("cert_file"), self.is_set("key_file")) {
            (true, false) => Err(ContentFault::plain(
                "exactly one of key or key_file must be configured when a client certificate is \
                                  configured",
            )),
            (false, true) => Err(ContentFault::plain(
                "exactly one of cert or cert_file must be configured when a client key is configured",
            )),
            (true, true) | (false, false) => Ok(()),
        }
    }

    fn route(&self) -> Result<(), ContentFault> {
        let labels: Vec<String> = self
            .node
            .get("group_by")
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .map(|l| self.cx.scalar(l))
            .collect();
        if labels.iter().any(|label| label == "...") && labels.iter().any(|label| label != "...") {
            return Err(ContentFault::plain(
                "cannot have wildcard group_by (`...`) and other labels at the same time",
            ));
        }
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
        if labels.iter().all(|label| label != "...") {
            self.names(
                self.node
                    .get("group_by")
                    .map(Node::items)
                    .unwrap_or_default(),
                "group_by",
            )?;
        }
        self.old_names("")?;
        for key in ["group_interval", "repeat_interval"] {
            let text = self.text(key);
            let is_zero = PromDuration::parse(&text).is_ok_and(|duration| duration.millis == 0);
            if !text.is_empty() && is_zero {
                return Err(ContentFault::plain(format!("{key} cannot be zero")));
            }
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
