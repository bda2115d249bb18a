//! The types of Alertmanager's own structs, and what Go's YAML decoder says about a value of another type.

use crate::cluster::assets::Fault;
use crate::lower::alertmanager::shape::{Cx, KeyType, Shape, ShapeKey, tables};
use promgen_text::go::duration::GoDuration;
use promgen_text::yaml::{Data, Node};

/// A value of another type than its field.
pub(super) struct TypeFault {
    /// The line of the value.
    pub(super) line: usize,
    /// What is told beside the line.
    pub(super) fault: Fault,
}

/// The type of a scalar.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scalar {
    /// Any scalar is one.
    Text,
    Bool,
    /// A duration of Go, or a number of nanoseconds.
    Duration,
    /// A number, from which the fraction is cut off.
    Int,
    /// A number that is not negative.
    Uint,
}

/// Texts that Alertmanager keeps secret, whose type has a decoder of its own.
const SECRETS: [&str; 28] = [
    "alert_source_token",
    "api_key",
    "api_secret",
    "app_token",
    "auth_password",
    "auth_secret",
    "bearer_token",
    "bot_token",
    "client_secret",
    "credentials",
    "opsgenie_api_key",
    "password",
    "rocketchat_token",
    "rocketchat_token_id",
    "routing_key",
    "secret_key",
    "service_key",
    "slack_app_token",
    "smtp_auth_password",
    "smtp_auth_secret",
    "telegram_bot_token",
    "token",
    "token_id",
    "user_key",
    "victorops_api_key",
    "wechat_api_secret",
    "mattermost_token",
    "jira_token",
];

/// The scalar type of a field, and its name.
fn scalar(shape: &'static Shape, field: &ShapeKey) -> Option<(Scalar, &'static str)> {
    let is = |other: &'static Shape| std::ptr::eq(shape, other);
    Some(match (field.kind, field.key) {
        (_, "url") if is(&tables::WEBHOOK) => (Scalar::Text, "common.plain"),
        (_, "routing_key") if is(&tables::VICTOROPS) => (Scalar::Text, "string"),
        (_, "retry" | "expire" | "ttl") if is(&tables::PUSHOVER) => (Scalar::Text, "config.duration"),
        (_, "html" | "text") if is(&tables::EMAIL) => (Scalar::Text, "string"),
        (KeyType::Duration, "timeout") => (Scalar::Duration, "time.Duration"),
        (_, "max_alerts") => (Scalar::Uint, "uint64"),
        (_, "chat_id") => (Scalar::Int, "int64"),
        (_, "message_thread_id") => (Scalar::Int, "int"),
        (KeyType::Text | KeyType::TextAlways | KeyType::Set, key) if SECRETS.contains(&key) => {
            (Scalar::Text, "config.plain")
        }
        (KeyType::Flag | KeyType::FlagAlways | KeyType::Set | KeyType::Nullable, _) => (Scalar::Bool, "bool"),
        (KeyType::Text | KeyType::TextAlways | KeyType::Url | KeyType::GlobalUrl | KeyType::Duration, _) => {
            (Scalar::Text, "string")
        }
        (
            KeyType::Number
            | KeyType::Texts
            | KeyType::TextsAlways
            | KeyType::Pairs
            | KeyType::Sorted
            | KeyType::Masked
            | KeyType::AsText
            | KeyType::Any
            | KeyType::One(_)
            | KeyType::Filled(_)
            | KeyType::Many(_)
            | KeyType::Times,
            _,
        ) => return None,
    })
}

/// The name of a list's type in Go.
fn list_type(key: &str) -> &'static str {
    match key {
        "routes" => "[]*config.Route",
        "inhibit_rules" => "[]config.InhibitRule",
        "receivers" => "[]config.Receiver",
        "mute_time_intervals" => "[]config.MuteTimeInterval",
        "time_intervals" => "[]config.TimeInterval",
        "discord_configs" => "[]*config.DiscordConfig",
        "email_configs" => "[]*config.EmailConfig",
        "incidentio_configs" => "[]*config.IncidentioConfig",
        "jira_configs" => "[]*config.JiraConfig",
        "mattermost_configs" => "[]*config.MattermostConfig",
        "msteams_configs" => "[]*config.MSTeamsConfig",
        "msteamsv2_configs" => "[]*config.MSTeamsV2Config",
        "opsgenie_configs" => "[]*config.OpsGenieConfig",
        "pagerduty_configs" => "[]*config.PagerdutyConfig",
        "pushover_configs" => "[]*config.PushoverConfig",
        "rocketchat_configs" => "[]*config.RocketchatConfig",
        "slack_configs" => "[]*config.SlackConfig",
        "sns_configs" => "[]*config.SNSConfig",
        "telegram_configs" => "[]*config.TelegramConfig",
        "victorops_configs" => "[]*config.VictorOpsConfig",
        "webex_configs" => "[]*config.WebexConfig",
        "webhook_configs" => "[]*config.WebhookConfig",
        "wechat_configs" => "[]*config.WechatConfig",
        "images" => "[]config.PagerdutyImage",
        "links" => "[]config.PagerdutyLink",
        "responders" => "[]config.OpsGenieConfigResponder",
        "fields" => "[]*config.SlackField",
        "actions" => "[]*config.SlackAction",
        _ => "[]*config.plain",
    }
}

impl Cx<'_> {
    /// Takes note of a value that is not of its field's type. Whether what is in it is worth a look.
    pub(super) fn mismatch(
        &self,
        node: &Node,
        (shape, field): (&'static Shape, &ShapeKey),
        found: &mut Vec<TypeFault>,
    ) -> bool {
        if node.is_null() {
            return false;
        }
        let is_list = matches!(node.data, Data::Seq(_));
        let is_map = matches!(node.data, Data::Map(_));
        let before = found.len();
        let mut refuse = |node: &Node, wanted: &str| found.push(self.unfit(node, wanted));
        match field.kind {
            KeyType::One(_) | KeyType::Filled(_) if !is_map => refuse(node, "config.plain"),
            KeyType::Many(_) if !is_list => refuse(node, list_type(field.key)),
            KeyType::Many(_) => {
                let items = node.items().iter().filter(|item| !matches!(item.data, Data::Map(_) | Data::Null));
                items.for_each(|item| refuse(item, "config.plain"));
            }
            KeyType::Texts | KeyType::TextsAlways if !is_list => refuse(node, "[]string"),
            KeyType::Texts | KeyType::TextsAlways => {
                let items = node.items().iter().filter(|item| matches!(item.data, Data::Map(_) | Data::Seq(_)));
                items.for_each(|item| refuse(item, "string"));
            }
            KeyType::Pairs if !is_map => refuse(node, "map[string]string"),
            KeyType::Pairs => {
                let values = node.entries().iter().map(|entry| &entry.value);
                values.filter(|v| matches!(v.data, Data::Map(_) | Data::Seq(_))).for_each(|v| refuse(v, "string"));
            }
            _ => {
                if let Some((wanted, name)) = scalar(shape, field)
                    && !fits(node, wanted)
                {
                    refuse(node, name);
                }
            }
        }
        found.len() == before
    }

    pub(super) fn unfit(&self, node: &Node, wanted: &str) -> TypeFault {
        let tag = match &node.data {
            Data::Null => "!!null",
            Data::Bool(_) => "!!bool",
            Data::Int(_) | Data::Uint(_) => "!!int",
            Data::Float(_) => "!!float",
            Data::String(_) => "!!str",
            Data::Seq(_) => "!!seq",
            Data::Map(_) => "!!map",
        };
        let value = match &node.data {
            Data::Seq(_) | Data::Map(_) => String::new(),
            _ => {
                let text = self.scalar(node);
                match text.char_indices().nth(7) {
                    Some((end, _)) if text.len() > 10 => format!(" `{}...`", &text[..end]),
                    Some(_) | None => format!(" `{text}`"),
                }
            }
        };
        let fault = Fault::new(
            format!("cannot unmarshal {tag}{value} into {wanted}"),
            format!("cannot unmarshal {tag} into {wanted}"),
        );
        TypeFault { line: self.line(node.span), fault }
    }
}

fn fits(node: &Node, wanted: Scalar) -> bool {
    match (&node.data, wanted) {
        (Data::Seq(_) | Data::Map(_), _) => false,
        (_, Scalar::Text) | (Data::Null, _) | (Data::Bool(_), Scalar::Bool) => true,
        (Data::String(text), Scalar::Duration) => GoDuration::parse(text).is_ok(),
        (Data::Int(number), Scalar::Uint) => *number >= 0,
        (Data::Float(number), Scalar::Uint) => *number >= 0.0,
        (Data::Int(_) | Data::Uint(_) | Data::Float(_), Scalar::Int | Scalar::Duration)
        | (Data::Uint(_), Scalar::Uint) => true,
        (Data::Bool(_), Scalar::Duration)
        | (Data::String(_) | Data::Bool(_), Scalar::Int | Scalar::Uint)
        | (Data::String(_) | Data::Int(_) | Data::Uint(_) | Data::Float(_), Scalar::Bool) => false,
    }
}
