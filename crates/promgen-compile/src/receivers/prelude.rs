//! The words in which the kinds of receivers are written: each of them imports all of these.

pub(super) use crate::receivers::client::{
    HTTP, HTTP_CONFIG, HTTP_CONFIG_KEY, MAIL_TLS, SEND_RESOLVED_KEY, WEBHOOK_URL,
};
pub(super) use crate::receivers::table::admission::{ReceiverRead, ReceiverRule, UrlForm};
pub(super) use crate::receivers::table::conversion::Conversion::*;
pub(super) use crate::receivers::table::conversion::{Conversion, Table};
pub(super) use crate::receivers::table::demand::{GlobalNeed, ReceiverDemand};
pub(super) use crate::receivers::table::shape::{
    GoScalar, KeyType, PartRule, Shape, ShapeKey, duration, field, flag, pairs, secret, set, text,
    texts, upstream, url,
};
pub(super) use crate::receivers::table::{KindGate, KindSince, ReceiverKind, ReceiverList};
pub(super) use promgen_resources::api::auth::Sigv4;
pub(super) use promgen_resources::api::notifying::alertmanager_config::chat::{
    DiscordConfig, MsTeamsConfig, MsTeamsV2Config, RocketChatConfig, TelegramConfig, WeChatConfig,
    WebexConfig,
};
pub(super) use promgen_resources::api::notifying::alertmanager_config::incident::{
    OpsGenieConfig, PagerDutyConfig, PagerDutyImageConfig, PagerDutyLinkConfig, VictorOpsConfig,
};
pub(super) use promgen_resources::api::notifying::alertmanager_config::message::{
    EmailConfig, PushoverConfig, SnsConfig, WebhookConfig,
};
pub(super) use promgen_resources::api::notifying::alertmanager_config::slack::SlackConfig;
pub(super) use promgen_resources::gates;
pub(super) use promgen_text::describe::Describe;
