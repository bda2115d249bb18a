//! What Alertmanager asks of a part while it reads it, in its own words.

use crate::lower::alertmanager::shape::{Cx, Field, Shape, tables};
use promgen_text::go::quote::quote;
use promgen_text::yaml::{Data, Node};

/// What a message begins with where the operator does not come to say any.
pub(in crate::lower::alertmanager) const CRASH: &str = "PANIC: ";

/// What a receiver cannot do without: one of the keys, or else what Alertmanager says.
type Need = (&'static Shape, &'static [&'static str], &'static str);

static NEEDS: [Need; 13] = [
    (&tables::RECEIVER, &["name"], "missing name in receiver"),
    (&tables::EMAIL, &["to"], "missing to address in email config"),
    (&tables::WEBHOOK, &["url", "url_file"], "one of url or url_file must be configured"),
    (
        &tables::PAGERDUTY,
        &["service_key", "service_key_file", "routing_key", "routing_key_file"],
        "missing service or routing key in PagerDuty config",
    ),
    (&tables::VICTOROPS, &["routing_key"], "missing Routing key in VictorOps config"),
    (&tables::PUSHOVER, &["user_key", "user_key_file"], "one of user_key or user_key_file must be configured"),
    (&tables::PUSHOVER, &["token", "token_file"], "one of token or token_file must be configured"),
    (
        &tables::MSTEAMSV2,
        &["webhook_url", "webhook_url_file"],
        "one of webhook_url or webhook_url_file must be configured",
    ),
    (&tables::JIRA, &["project"], "missing project in jira_config"),
    (&tables::JIRA, &["issue_type"], "missing issue_type in jira_config"),
    (&tables::WEBEX, &["room_id"], "missing room_id on webex_config"),
    (&tables::TELEGRAM, &["chat_id", "chat_id_file"], "missing chat_id or chat_id_file on telegram_config"),
    (&tables::INCIDENTIO, &["url", "url_file"], "one of url or url_file must be configured"),
];

/// Values that a key may have: else this is what Alertmanager says.
type Choice = (&'static Shape, &'static str, &'static [&'static str], &'static str);

static CHOICES: [Choice; 2] = [
    (
        &tables::JIRA,
        "api_type",
        &["auto", "cloud", "datacenter"],
        "unknown api_type on jira_config, must be auto, cloud or datacenter",
    ),
    (
        &tables::TELEGRAM,
        "parse_mode",
        &["Markdown", "MarkdownV2", "HTML"],
        "unknown parse_mode on telegram_config, must be Markdown, MarkdownV2, HTML or empty string",
    ),
];

/// The first thing that is wrong with a part.
///
/// # Errors
/// In Alertmanager's words.
pub(super) fn check(cx: &Cx<'_>, node: &Node<'_>, shape: &'static Shape) -> Result<(), String> {
    let part = Part { cx, node, shape };
    part.needs()?;
    part.choices()?;
    part.contradictions()?;
    part.special()
}

struct Part<'a> {
    cx: &'a Cx<'a>,
    node: &'a Node<'a>,
    shape: &'static Shape,
}

impl Part<'_> {
    fn is(&self, other: &'static Shape) -> bool {
        std::ptr::eq(self.shape, other)
    }

    fn is_set(&self, key: &str) -> bool {
        self.node.get(key).is_some_and(|value| !self.cx.scalar(value).is_empty() || is_filled(value))
    }

    fn text(&self, key: &str) -> String {
        self.node.get(key).map(|value| self.cx.scalar(value)).unwrap_or_default()
    }

    fn needs(&self) -> Result<(), String> {
        let lacks = |(of, keys, _): &&Need| self.is(of) && !keys.iter().any(|key| self.is_set(key));
        NEEDS.iter().find(lacks).map_or(Ok(()), |(_, _, message)| Err((*message).to_owned()))
    }

    fn choices(&self) -> Result<(), String> {
        let differs =
            |(of, key, values, _): &&Choice| self.is(of) && self.is_set(key) && !values.contains(&&*self.text(key));
        CHOICES.iter().find(differs).map_or(Ok(()), |(.., message)| Err((*message).to_owned()))
    }

    /// A secret comes from the configuration or from a file.
    fn contradictions(&self) -> Result<(), String> {
        for Field { key, .. } in self.shape.fields() {
            let file = format!("{key}_file");
            if self.shape.field(&file).is_some() && self.is_set(key) && self.is_set(&file) {
                return Err(format!("at most one of {key} & {file} must be configured"));
            }
        }
        Ok(())
    }

    fn special(&self) -> Result<(), String> {
        match () {
            () if self.is(&tables::OPSGENIE) => self.opsgenie(),
            () if self.is(&tables::SNS) => self.sns(),
            () if self.is(&tables::SIGV4) => self.sigv4(),
            () if self.is(&tables::SLACK) => self.slack(),
            () if self.is(&tables::WEBEX) => self.webex(),
            () if self.is(&tables::WECHAT) => self.wechat(),
            () if self.is(&tables::PUSHOVER) => self.pushover(),
            () if self.is(&tables::EMAIL) => self.email(),
            () if self.is(&tables::HTTP) => self.http(),
            () if self.is(&tables::ROUTE) => self.route(),
            () => Ok(()),
        }
    }

    fn opsgenie(&self) -> Result<(), String> {
        for responder in self.node.get("responders").map(Node::items).unwrap_or_default() {
            let text = |key: &str| responder.get(key).map(|value| self.cx.scalar(value)).unwrap_or_default();
            let (id, name, user, kind) = (text("id"), text("name"), text("username"), text("type"));
            let printed = format!("{{{id} {name} {user} {kind}}}");
            if id.is_empty() && name.is_empty() && user.is_empty() {
                return Err(format!(
                    "opsGenieConfig responder {printed} has to have at least one of id, username or name specified"
                ));
            }
            if !["team", "teams", "user", "escalation", "schedule"].contains(&&*kind) && !kind.contains("{{") {
                return Err(format!(
                    "opsGenieConfig responder {printed} type does not match valid options team, teams, user, escalation \
                     or schedule"
                ));
            }
        }
        Ok(())
    }

    /// Alertmanager: an odd number of recipients passes.
    fn sns(&self) -> Result<(), String> {
        let n_set = ["target_arn", "topic_arn", "phone_number"].into_iter().filter(|key| self.is_set(key)).count();
        match n_set % 2 {
            1 => Ok(()),
            _ => Err("must provide either a Target ARN, Topic ARN, or Phone Number for SNS config".to_owned()),
        }
    }

    fn sigv4(&self) -> Result<(), String> {
        if self.is_set("access_key") != self.is_set("secret_key") {
            let message =
                "must provide a AWS SigV4 Access key and Secret Key if credentials are specified in the SigV4 config";
            return Err(message.to_owned());
        }
        if self.is_set("external_id") && !self.is_set("role_arn") {
            return Err("external_id can only be used with role_arn".to_owned());
        }
        Ok(())
    }

    fn slack(&self) -> Result<(), String> {
        const BOT_URL: &str = "https://slack.com/api/chat.postMessage";
        let has_app = self.is_set("app_token") || self.is_set("app_token_file");
        if has_app && (self.is_set("api_url") || self.is_set("api_url_file")) {
            let message = "at most one of app_token/app_token_file & api_url/api_url_file must be configured";
            return Err(message.to_owned());
        }
        let updates = self.node.get("update_message").is_some_and(|value| value.data == Data::Bool(true));
        if !updates || has_app {
            return Ok(());
        }
        if !self.is_set("api_url") {
            return Err(format!("{CRASH}the operator crashes on update_message of a Slack receiver without api_url"));
        }
        match self.text("api_url") == BOT_URL {
            true => Ok(()),
            false => Err(format!("update_message can only be used with bot tokens. API URL must be set to {BOT_URL}")),
        }
    }

    fn webex(&self) -> Result<(), String> {
        match self.node.find(&["http_config", "authorization"]).is_some_and(|value| !value.is_null()) {
            true => Ok(()),
            false => Err("missing webex_configs.http_config.authorization".to_owned()),
        }
    }

    fn wechat(&self) -> Result<(), String> {
        let kind = self.text("message_type");
        match kind.is_empty() || ["text", "markdown"].contains(&&*kind) {
            true => Ok(()),
            false => Err(format!("weChat message type {} does not match valid options text or markdown", quote(&kind))),
        }
    }

    fn pushover(&self) -> Result<(), String> {
        let is_true = |key: &str| self.node.get(key).is_some_and(|value| value.data == Data::Bool(true));
        match is_true("html") && is_true("monospace") {
            true => Err("at most one of monospace & html must be configured".to_owned()),
            false => Ok(()),
        }
    }

    fn email(&self) -> Result<(), String> {
        let mut names: Vec<String> = Vec::new();
        for entry in self.node.get("headers").map(Node::entries).unwrap_or_default() {
            let name = canonical(&entry.key);
            if names.contains(&name) {
                return Err(format!("duplicate header {} in email config", quote(&name)));
            }
            names.push(name);
        }
        Ok(())
    }

    /// Prometheus: `HTTPClientConfig.Validate`.
    fn http(&self) -> Result<(), String> {
        let has = |key: &str| self.node.get(key).is_some_and(|value| !value.is_null());
        let has_token = self.is_set("bearer_token") || self.is_set("bearer_token_file");
        if (has("basic_auth") || has("oauth2")) && has_token {
            return Err(
                "at most one of basic_auth, oauth2, bearer_token & bearer_token_file must be configured".to_owned()
            );
        }
        if has("authorization") && has_token {
            return Err("authorization is not compatible with bearer_token & bearer_token_file".to_owned());
        }
        let kind = self.node.find(&["authorization", "type"]).map(|value| self.cx.scalar(value)).unwrap_or_default();
        if kind.trim().eq_ignore_ascii_case("basic") {
            return Err("authorization type cannot be set to \"basic\", use \"basic_auth\" instead".to_owned());
        }
        if has("authorization") && (has("basic_auth") || has("oauth2")) || has("basic_auth") && has("oauth2") {
            return Err("at most one of basic_auth, oauth2 & authorization must be configured".to_owned());
        }
        Ok(())
    }

    fn route(&self) -> Result<(), String> {
        let labels: Vec<String> =
            self.node.get("group_by").map(Node::items).unwrap_or_default().iter().map(|l| self.cx.scalar(l)).collect();
        if labels.iter().any(|label| label == "...") && labels.len() > 1 {
            return Err("cannot have wildcard group_by (`...`) and other labels at the same time".to_owned());
        }
        if let Some(twice) = labels.iter().enumerate().find(|(index, label)| labels[..*index].contains(label)) {
            return Err(format!("duplicated label {} in group_by", quote(twice.1)));
        }
        for key in ["group_interval", "repeat_interval"] {
            let text = self.text(key);
            let is_zero =
                promgen_text::go::duration::PromDuration::parse(&text).is_ok_and(|duration| duration.millis == 0);
            if !text.is_empty() && is_zero {
                return Err(format!("{key} cannot be zero"));
            }
        }
        Ok(())
    }
}

/// Whether a list or map has something in it.
fn is_filled(node: &Node<'_>) -> bool {
    !node.items().is_empty() || !node.entries().is_empty()
}

/// The name of a header as it is sent: words with a capital.
fn canonical(name: &str) -> String {
    let word = |word: &str| {
        let mut chars = word.chars();
        let first = chars.next().map(|c| c.to_ascii_uppercase());
        first.into_iter().chain(chars.map(|c| c.to_ascii_lowercase())).collect::<String>()
    };
    name.split('-').map(word).collect::<Vec<_>>().join("-")
}
