//! Alertmanager's checks of a part while it parses, with its own messages.

use crate::cluster::assets::ContentFault;
use crate::lower::alertmanager::receivers;
use crate::lower::alertmanager::receivers::chat::{rocketchat, slack, telegram, webex, wechat};
use crate::lower::alertmanager::receivers::other::{email, jira, sns, webhook};
use crate::lower::alertmanager::receivers::paging::{incidentio, opsgenie, pushover, victorops};
use crate::lower::alertmanager::shape::{Cx, NameRules, Shape, check_url, tables};
use crate::lower::alertmanager::times;
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

/// The keys of which a part requires one, and Alertmanager's message.
pub(in crate::lower::alertmanager) type Need = (&'static Shape, &'static [&'static str], &'static str);

/// The requirements of parts that are no receivers.
static NEEDS: &[Need] = &[
    (&receivers::RECEIVER, &["name"], "missing name in receiver"),
    (&tables::TIMES, &["name"], "missing name in time interval"),
    (&tables::MUTE_TIMES, &["name"], "missing name in mute time interval"),
];

/// The valid values of a key, and Alertmanager's message.
type Choice = (&'static Shape, &'static str, &'static [&'static str], &'static str);

static CHOICES: [Choice; 2] = [
    (
        &jira::SHAPE,
        "api_type",
        &["auto", "cloud", "datacenter"],
        "unknown api_type on jira_config, must be auto, cloud or datacenter",
    ),
    (
        &telegram::SHAPE,
        "parse_mode",
        &["", "Markdown", "MarkdownV2", "HTML"],
        "unknown parse_mode on telegram_config, must be Markdown, MarkdownV2, HTML or empty string",
    ),
];

/// Returns the error of a value, which Go finds while it decodes.
///
/// # Errors
/// In Alertmanager's words.
pub(super) fn value(cx: &Cx<'_>, node: &Node, (shape, key): (&'static Shape, &str)) -> Result<(), ContentFault> {
    const VERSIONS: [&str; 4] = ["TLS10", "TLS11", "TLS12", "TLS13"];
    let is = |other: &'static Shape| std::ptr::eq(shape, other);
    if is(&pushover::SHAPE) && matches!(key, "retry" | "expire" | "ttl") {
        return TimeDuration::parse(&cx.scalar(node)).map(drop).map_err(repeating);
    }
    let is_duration = match key {
        "resolve_timeout" => is(&tables::GLOBAL),
        "reopen_duration" => is(&jira::SHAPE),
        "group_wait" | "group_interval" | "repeat_interval" => is(&tables::ROUTE),
        _ => false,
    };
    if is_duration {
        return PromDuration::parse(&cx.scalar(node)).map(drop).map_err(repeating);
    }
    if is(&tables::ROUTE) || is(&tables::INHIBIT) {
        return matchers(cx, node, key);
    }
    if is(&webhook::SHAPE) && key == "url" {
        return webhook_url(&cx.scalar(node));
    }
    if is(&tables::RANGE) {
        return range(cx, node, key).map_err(repeating);
    }
    if is(&tables::HTTP) && key == "http_headers" {
        return headers(node);
    }
    if matches!(key, "smarthost" | "smtp_smarthost") {
        return smarthost(&cx.scalar(node));
    }
    if key == "proxy_url" {
        return Url::parse(&cx.scalar(node)).map(drop).map_err(ContentFault::quoting);
    }
    if (is(&tables::TLS) || is(&tables::MAIL_TLS)) && matches!(key, "min_version" | "max_version") {
        let text = cx.scalar(node);
        if !VERSIONS.contains(&&*text) {
            return Err(repeating(format!("unknown TLS version: {text}")));
        }
    }
    Ok(())
}

/// Conditions on labels.
fn matchers(cx: &Cx<'_>, node: &Node, key: &str) -> Result<(), ContentFault> {
    if key.ends_with("match_re") {
        for entry in node.entries() {
            old_name(&entry.key)?;
            if entry.value.is_null() {
                return Err(ContentFault::quoting(format!("invalid regexp value for {}", quote(&entry.key))));
            }
            AlertMatcher::new(&entry.key, MatchOperator::Matches, &cx.scalar(&entry.value)).map_err(repeating)?;
        }
    }
    if !key.ends_with("matchers") {
        return Ok(());
    }
    let parse = match cx.names {
        NameRules::Classic => matcher::classic,
        NameRules::Any => matcher::parse,
    };
    node.items().iter().try_for_each(|text| parse(&cx.scalar(text)).map(drop).map_err(repeating))
}

/// The name of a label in a condition of the old form, which is of the old kind.
fn old_name(name: &str) -> Result<(), ContentFault> {
    if is_classic(name) { Ok(()) } else { Err(ContentFault::quoting(format!("invalid label name {}", quote(name)))) }
}

/// The URL of a webhook, or a template of one.
fn webhook_url(url: &str) -> Result<(), ContentFault> {
    if url.contains("{{") {
        // Only the syntax is checked here, with none of Alertmanager's own functions.
        let scope = TemplateScope { functions: &[], variables: &[] };
        let checked = template::check(url, scope);
        return checked.map_err(|error| repeating(format!("invalid template syntax: template: :1: {error}")));
    }
    if url.is_empty() { Ok(()) } else { check_url(url).map_err(|fault| fault.within("invalid URL")) }
}

/// The spans of a time interval, or where it holds.
fn range(cx: &Cx<'_>, node: &Node, key: &str) -> Result<(), String> {
    let items = || node.items().iter().filter(|item| !item.is_null()).map(|item| cx.scalar(item));
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
        Some(name) => Err(ContentFault::plain(format!("setting header {} is not allowed", quote(&name)))),
        None => Ok(()),
    }
}

/// A host and a port, unless it is empty.
fn smarthost(text: &str) -> Result<(), ContentFault> {
    if text.is_empty() {
        return Ok(());
    }
    let (_, port) = host::parse(text).map_err(repeating)?;
    if port.is_empty() { Err(repeating(format!("address {}: port cannot be empty", quote(text)))) } else { Ok(()) }
}

/// Returns the first error of a part.
///
/// # Errors
/// In Alertmanager's words.
pub(super) fn check(cx: &Cx<'_>, node: &Node, shape: &'static Shape) -> Result<(), ContentFault> {
    let part = ShapedNode { cx, node, shape };
    // The order of the checks is that of each `UnmarshalYAML`, as only the first error is returned.
    if part.is(&telegram::SHAPE) {
        part.contradiction("bot_token")?;
        part.needs()?;
        part.contradictions()?;
        return part.choices();
    }
    if part.is(&wechat::SHAPE) {
        part.special()?;
        return part.contradictions();
    }
    if part.is(&rocketchat::SHAPE) {
        part.contradiction("token")?;
    }
    part.needs()?;
    part.choices()?;
    // An email receiver and the HTTP settings have checks of their own, and those of the global settings come last.
    let others =
        [&email::SHAPE, &tables::HTTP, &tables::AUTHORIZATION, &tables::BASIC_AUTH, &tables::OAUTH2, &tables::GLOBAL];
    if !others.into_iter().any(|other| part.is(other)) {
        part.contradictions()?;
    }
    part.special()
}

struct ShapedNode<'a> {
    cx: &'a Cx<'a>,
    node: &'a Node,
    shape: &'static Shape,
}

impl ShapedNode<'_> {
    fn is(&self, other: &'static Shape) -> bool {
        std::ptr::eq(self.shape, other)
    }

    /// Whether the key is there, even without a value.
    fn has(&self, key: &str) -> bool {
        self.node.get(key).is_some()
    }

    fn is_set(&self, key: &str) -> bool {
        self.node.get(key).is_some_and(|value| !self.cx.scalar(value).is_empty() || is_filled(value))
    }

    fn text(&self, key: &str) -> String {
        self.node.get(key).map(|value| self.cx.scalar(value)).unwrap_or_default()
    }

    fn needs(&self) -> Result<(), ContentFault> {
        let lacks = |(of, keys, _): &&Need| self.is(of) && !keys.iter().any(|key| self.is_set(key));
        NEEDS
            .iter()
            .chain(receivers::needs())
            .find(lacks)
            .map_or(Ok(()), |(_, _, message)| Err(ContentFault::plain(*message)))
    }

    fn choices(&self) -> Result<(), ContentFault> {
        let differs =
            |(of, key, values, _): &&Choice| self.is(of) && self.has(key) && !values.contains(&&*self.text(key));
        CHOICES.iter().find(differs).map_or(Ok(()), |(.., message)| Err(ContentFault::plain(*message)))
    }

    /// Checks that a secret comes from the configuration or from a file, not from both.
    fn contradictions(&self) -> Result<(), ContentFault> {
        self.shape.fields().iter().try_for_each(|field| self.contradiction(field.key))
    }

    fn contradiction(&self, key: &str) -> Result<(), ContentFault> {
        let file = format!("{key}_file");
        match self.shape.field(&file).is_some() && self.is_set(key) && self.is_set(&file) {
            true => Err(ContentFault::plain(format!("at most one of {key} & {file} must be configured"))),
            false => Ok(()),
        }
    }

    fn special(&self) -> Result<(), ContentFault> {
        match () {
            () if self.is(&opsgenie::SHAPE) => self.opsgenie(),
            () if self.is(&sns::SHAPE) => self.sns(),
            () if self.is(&sns::SIGV4) => self.sigv4(),
            () if self.is(&slack::SHAPE) => self.slack(),
            () if self.is(&webex::SHAPE) => self.webex(),
            () if self.is(&wechat::SHAPE) => self.wechat(),
            () if self.is(&pushover::SHAPE) => self.pushover(),
            () if self.is(&email::SHAPE) => self.email(),
            () if self.is(&victorops::SHAPE) => self.victorops(),
            () if self.is(&incidentio::SHAPE) => self.incidentio(),
            () if self.is(&tables::INHIBIT) => self.inhibit_rule(),
            () if self.is(&tables::CLOCK) => self.clock(),
            () if self.is(&tables::HTTP) => self.http(),
            () if self.is(&tables::OAUTH2) => self.proxy(),
            () if self.is(&tables::TLS) || self.is(&tables::MAIL_TLS) => self.certificate(),
            () if self.is(&tables::ROUTE) => self.route(),
            () => Ok(()),
        }
    }

    fn opsgenie(&self) -> Result<(), ContentFault> {
        for responder in self.node.get("responders").map(Node::items).unwrap_or_default() {
            let text = |key: &str| responder.get(key).map(|value| self.cx.scalar(value)).unwrap_or_default();
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

    /// Alertmanager: an odd number of recipients passes.
    fn sns(&self) -> Result<(), ContentFault> {
        let n_set = ["target_arn", "topic_arn", "phone_number"].into_iter().filter(|key| self.is_set(key)).count();
        match n_set % 2 {
            1 => Ok(()),
            _ => {
                Err(ContentFault::plain("must provide either a Target ARN, Topic ARN, or Phone Number for SNS config"))
            }
        }
    }

    fn sigv4(&self) -> Result<(), ContentFault> {
        if self.is_set("access_key") != self.is_set("secret_key") {
            let message =
                "must provide a AWS SigV4 Access key and Secret Key if credentials are specified in the SigV4 config";
            return Err(ContentFault::plain(message));
        }
        if self.is_set("external_id") && !self.is_set("role_arn") {
            return Err(ContentFault::plain("external_id can only be used with role_arn"));
        }
        Ok(())
    }

    fn slack(&self) -> Result<(), ContentFault> {
        const BOT_URL: &str = "https://slack.com/api/chat.postMessage";
        let has_app = self.is_set("app_token") || self.is_set("app_token_file");
        if has_app && (self.is_set("api_url") || self.is_set("api_url_file")) {
            let message = "at most one of api_url/api_url_file & app_token/app_token_file must be configured";
            return Err(ContentFault::plain(message));
        }
        let updates = self.node.get("update_message").is_some_and(|value| value.data == Data::Bool(true));
        if !updates {
            return Ok(());
        }
        if !self.is_set("api_url") {
            return Err(ContentFault::plain(format!(
                "{CRASH}the operator crashes on update_message of a Slack receiver without api_url"
            )));
        }
        match self.text("api_url") == BOT_URL {
            true => Ok(()),
            false => Err(ContentFault::plain(format!(
                "update_message can only be used with bot tokens. api_url must be set to {BOT_URL}"
            ))),
        }
    }

    /// Whether requests have an `Authorization` header. A bearer token is one.
    fn has_header(&self) -> bool {
        let part = |key: &str| self.node.find(&["http_config", key]);
        let has_token = |key: &str| part(key).is_some_and(|value| !self.cx.scalar(value).is_empty());
        part("authorization").is_some_and(|value| !value.is_null())
            || has_token("bearer_token")
            || has_token("bearer_token_file")
    }

    fn webex(&self) -> Result<(), ContentFault> {
        match self.has_header() {
            true => Ok(()),
            false => Err(ContentFault::plain("missing webex_configs.http_config.authorization")),
        }
    }

    fn wechat(&self) -> Result<(), ContentFault> {
        let kind = self.text("message_type");
        match kind.is_empty() || ["text", "markdown"].contains(&&*kind) {
            true => Ok(()),
            false => Err(ContentFault::quoting(format!(
                "weChat message type {} does not match valid options ^(text|markdown)$",
                quote(&kind)
            ))),
        }
    }

    fn pushover(&self) -> Result<(), ContentFault> {
        let is_true = |key: &str| self.node.get(key).is_some_and(|value| value.data == Data::Bool(true));
        match is_true("html") && is_true("monospace") {
            true => Err(ContentFault::plain("at most one of monospace & html must be configured")),
            false => Ok(()),
        }
    }

    fn email(&self) -> Result<(), ContentFault> {
        let mut names: Vec<String> = Vec::new();
        for entry in self.node.get("headers").map(Node::entries).unwrap_or_default() {
            let name = canonical(&entry.key);
            if names.contains(&name) {
                return Err(ContentFault::quoting(format!("duplicate header {} in email config", quote(&name))));
            }
            names.push(name);
        }
        let is_on = self.node.find(&["threading", "enabled"]).is_some_and(|value| value.data == Data::Bool(true));
        match !is_on || matches!(&*self.at(&["threading"], "thread_by_date"), "none" | "daily") {
            true => Ok(()),
            false => Err(ContentFault::plain("threading.thread_by_date must be either 'none' or 'daily'")),
        }
    }

    fn victorops(&self) -> Result<(), ContentFault> {
        const FIXED: [&str; 7] = [
            "routing_key",
            "message_type",
            "state_message",
            "entity_display_name",
            "monitoring_tool",
            "entity_id",
            "entity_state",
        ];
        let fields = self.node.get("custom_fields").map(Node::entries).unwrap_or_default();
        match fields.iter().find(|entry| FIXED.contains(&&*entry.key)) {
            Some(entry) => Err(ContentFault::plain(format!(
                "victorOps config contains custom field {} which cannot be used as it conflicts with the fixed/static \
                 fields",
                entry.key
            ))),
            None => Ok(()),
        }
    }

    fn incidentio(&self) -> Result<(), ContentFault> {
        let has_token = self.is_set("alert_source_token") || self.is_set("alert_source_token_file");
        match has_token && self.has_header() {
            true => Err(ContentFault::plain(
                "cannot specify alert_source_token or alert_source_token_file when using \
                         http_config.authorization",
            )),
            false => Ok(()),
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
        let is_valid = |label: &str| match self.cx.names {
            NameRules::Classic => is_classic(label),
            NameRules::Any => !label.is_empty(),
        };
        match labels.iter().map(|label| self.cx.scalar(label)).find(|label| !is_valid(label)) {
            None => Ok(()),
            Some(label) => Err(ContentFault::quoting(format!("invalid label name {} in {list} list", quote(&label)))),
        }
    }

    /// The names of labels of conditions in the old form.
    fn old_names(&self, prefix: &str) -> Result<(), ContentFault> {
        let pairs = self.node.get(&format!("{prefix}match")).map(Node::entries).unwrap_or_default();
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
            return Err(ContentFault::plain("at most one of bearer_token & bearer_token_file must be configured"));
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
            return Err(ContentFault::plain("authorization is not compatible with bearer_token & bearer_token_file"));
        }
        let kind = self.node.find(&["authorization", "type"]).map(|value| self.cx.scalar(value)).unwrap_or_default();
        if kind.trim().eq_ignore_ascii_case("basic") {
            return Err(ContentFault::plain(
                "authorization type cannot be set to \"basic\", use \"basic_auth\" instead",
            ));
        }
        if has("authorization") && (has("basic_auth") || has("oauth2")) || has("basic_auth") && has("oauth2") {
            return Err(ContentFault::plain("at most one of basic_auth, oauth2 & authorization must be configured"));
        }
        self.oauth2()?;
        self.proxy()
    }

    fn at(&self, path: &[&str], key: &str) -> String {
        let part = self.node.find(path);
        part.and_then(|part| part.get(key)).map(|value| self.cx.scalar(value)).unwrap_or_default()
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
                return Err(ContentFault::plain(format!("oauth2 {key} must be configured")));
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
        let environment = self.node.get("proxy_from_environment").is_some_and(|value| value.data == Data::Bool(true));
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
            () if no_proxy && !url => refuse("if no_proxy is configured, proxy_url must also be configured"),
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
        let labels: Vec<String> =
            self.node.get("group_by").map(Node::items).unwrap_or_default().iter().map(|l| self.cx.scalar(l)).collect();
        if labels.iter().any(|label| label == "...") && labels.iter().any(|label| label != "...") {
            return Err(ContentFault::plain("cannot have wildcard group_by (`...`) and other labels at the same time"));
        }
        if let Some(twice) = labels.iter().enumerate().find(|(index, label)| labels[..*index].contains(label)) {
            return Err(ContentFault::quoting(format!("duplicated label {} in group_by", quote(twice.1))));
        }
        if labels.iter().all(|label| label != "...") {
            self.names(self.node.get("group_by").map(Node::items).unwrap_or_default(), "group_by")?;
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

/// Whether a text is the name of a label in the old sense.
fn is_classic(label: &str) -> bool {
    let is_part = |(index, c): (usize, char)| c.is_ascii_alphabetic() || c == '_' || index > 0 && c.is_ascii_digit();
    !label.is_empty() && label.chars().enumerate().all(is_part)
}

/// Whether a list or map has something in it.
fn is_filled(node: &Node) -> bool {
    !node.items().is_empty() || !node.entries().is_empty()
}

/// The canonical name of a header: capitalized words.
fn canonical(name: &str) -> String {
    let word = |word: &str| {
        let mut chars = word.chars();
        let first = chars.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(chars.map(|c| c.to_ascii_lowercase())).collect::<String>()
    };
    name.split('-').map(word).collect::<Vec<_>>().join("-")
}
