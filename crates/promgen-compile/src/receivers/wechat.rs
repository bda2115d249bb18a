//! WeChat: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::client::{HTTP, HTTP_CONFIG, SEND_RESOLVED};
use crate::receivers::table::admission::{ReceiverRead, ReceiverRule};
use crate::receivers::table::conversion::Conversion::{Plain, Secret};
use crate::receivers::table::demand::{GlobalNeed, ReceiverDemand};
use crate::receivers::table::shape::{GoScalar, KeyType, PartRule, Shape, field, since};
use crate::receivers::table::{ReceiverKind, ReceiverList};
use promgen_resources::gates;

/// WeChat.
pub(crate) static WECHAT: ReceiverKind = ReceiverKind {
    list: "wechat_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.WechatConfig",
        &[
            field("send_resolved", KeyType::Set),
            field("api_secret", KeyType::Text).of(GoScalar::Secret),
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
    )
    .checked(&[
        PartRule::Options("message_type", &["text", "markdown"], "weChat message type"),
        PartRule::OneSourceEach,
    ]),
    since: None,
    resource: Some(ReceiverList {
        field: "wechatConfigs",
        valid: &[ReceiverRule::Plain("apiURL"), ReceiverRule::ClientValid],
        reads: &[
            ReceiverRead::ClientSince,
            ReceiverRead::secret("apiSecret"),
            ReceiverRead::Client,
        ],
        fields: &[
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
        ],
    }),
    demands: &[ReceiverDemand::Http, ReceiverDemand::PlainUrl("api_url")],
    global_needs: &[
        GlobalNeed::new(
            &["api_secret", "api_secret_file"],
            &["wechat_api_secret", "wechat_api_secret_file"],
            "no global Wechat Api Secret set either inline or in a file",
        ),
        GlobalNeed::new(
            &["corp_id"],
            &["wechat_api_corp_id"],
            "no global Wechat CorpID set",
        ),
    ],
};
