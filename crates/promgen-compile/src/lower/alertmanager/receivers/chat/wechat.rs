//! WeChat: the keys of the configuration, the fields of AlertmanagerConfigs, and what the operator requires.

use crate::lower::alertmanager::merge::tables::Conversion::{Plain, Secret};
use crate::lower::alertmanager::merge::tables::{HTTP_CONFIG, SEND_RESOLVED, Table};
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand;
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand::{Http, PlainUrl};
use crate::lower::alertmanager::shape::tables::HTTP;
use crate::lower::alertmanager::shape::{KeyType, Shape, field, since};
use crate::lower::alertmanager::upstream::receivers::{GlobalNeed, need};
use promgen_resources::gates;

/// WeChat.
pub(in crate::lower::alertmanager) static SHAPE: Shape = Shape::item(
    "config.plain",
    "[]*config.WechatConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("api_secret", KeyType::Text),
        field("api_url", KeyType::Url),
        field("corp_id", KeyType::Text),
        field("agent_id", KeyType::Text),
        field("to_user", KeyType::Text),
        field("to_party", KeyType::Text),
        field("to_tag", KeyType::Text),
        field("message", KeyType::Text),
        field("message_type", KeyType::Text),
        field("http_config", KeyType::One(&HTTP)),
        since("api_secret_file", KeyType::Text, &gates::AM_SECRET_FILES),
    ],
);

/// The fields of an AlertmanagerConfig.
pub(in crate::lower::alertmanager) static FIELDS: Table = &[
    SEND_RESOLVED,
    ("apiSecret", "api_secret", Secret),
    ("apiURL", "api_url", Plain),
    ("corpID", "corp_id", Plain),
    ("agentID", "agent_id", Plain),
    ("toUser", "to_user", Plain),
    ("toParty", "to_party", Plain),
    ("toTag", "to_tag", Plain),
    ("message", "message", Plain),
    ("messageType", "message_type", Plain),
    HTTP_CONFIG,
];

/// The operator's requirements, in its order.
pub(in crate::lower::alertmanager) static DEMANDS: &[ReceiverDemand] = &[Http, PlainUrl("api_url")];

/// The keys that Alertmanager requires here or in the global settings.
pub(in crate::lower::alertmanager) static GLOBAL_NEEDS: &[GlobalNeed] = &[
    need(
        &["api_secret", "api_secret_file"],
        &["wechat_api_secret", "wechat_api_secret_file"],
        "no global Wechat Api Secret set either inline or in a file",
    ),
    need(&["corp_id"], &["wechat_api_corp_id"], "no global Wechat CorpID set"),
];
