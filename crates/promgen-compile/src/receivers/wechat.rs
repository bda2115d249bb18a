//! WeChat: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::prelude::*;

/// WeChat.
pub(crate) static WECHAT: ReceiverKind = ReceiverKind {
    list: "wechat_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.WechatConfig",
        &[
            SEND_RESOLVED_KEY,
            secret("api_secret"),
            url("api_url"),
            text("corp_id"),
            text("agent_id"),
            text("to_user"),
            text("to_party"),
            text("to_tag"),
            text("message"),
            text("message_type"),
            HTTP_CONFIG_KEY,
            text("api_secret_file").since(&gates::AM_SECRET_FILES),
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
        fields: Table::new(WeChatConfig::describe, &[HTTP_CONFIG]),
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
