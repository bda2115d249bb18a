//! Slack: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::prelude::*;

/// Slack.
pub(crate) static SLACK: ReceiverKind = ReceiverKind {
    list: "slack_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.SlackConfig",
        &[
            SEND_RESOLVED_KEY,
            HTTP_CONFIG_KEY,
            url("api_url"),
            text("api_url_file").since(&gates::AM_SLACK_URL_FILE),
            secret("app_token").since(&gates::AM_SLACK_APP),
            text("app_token_file").since(&gates::AM_SLACK_APP),
            url("app_url").since(&gates::AM_SLACK_APP),
            text("channel"),
            text("username"),
            text("color"),
            text("title"),
            text("title_link"),
            text("pretext"),
            text("text"),
            field("fields", KeyType::Many(&SLACK_FIELD)),
            flag("short_fields"),
            text("footer"),
            text("fallback"),
            text("callback_id"),
            text("icon_emoji"),
            text("icon_url"),
            text("image_url"),
            text("thumb_url"),
            flag("link_names"),
            texts("mrkdwn_in"),
            field("actions", KeyType::Many(&SLACK_ACTION)),
            duration("timeout")
                .since(&gates::AM_RECEIVER_TIMEOUT)
                .of(GoScalar::Nanoseconds),
            text("message_text").since(&gates::AM_MESSAGE_TEXT),
            set("update_message")
                .since(&gates::AM_SLACK_UPDATES)
                .refused_before(),
        ],
    )
    .checked(&[
        PartRule::OneSourceEach,
        PartRule::Apart(
            &["app_token", "app_token_file"],
            &["api_url", "api_url_file"],
            "at most one of api_url/api_url_file & app_token/app_token_file must be configured",
        ),
        PartRule::BotUpdates(BOT_URL),
    ]),
    since: None,
    resource: Some(ReceiverList {
        field: "slackConfigs",
        valid: &[
            ReceiverRule::Named(
                "actions",
                &["name", "url"],
                "missing 'name' or 'url' in Slack action configuration",
            ),
            ReceiverRule::ClientValid,
        ],
        reads: &[
            ReceiverRead::ClientSince,
            ReceiverRead::url("apiURL", UrlForm::Plain, ("", "failed to validate API URL")),
            ReceiverRead::Since("messageText", &gates::AM_MESSAGE_TEXT),
            ReceiverRead::Since("updateMessage", &gates::AM_UPDATE_MESSAGE),
            ReceiverRead::BotUrl(BOT_URL),
            ReceiverRead::Client,
        ],
        fields: Table::new(
            SlackConfig::describe,
            &[
                HTTP_CONFIG,
                ("apiURL", "api_url", SecretUrl),
                ("timeout", "timeout", Filled),
            ],
        ),
    }),
    demands: &[
        ReceiverDemand::Http,
        ReceiverDemand::Prefer("app_token", "app_token_file"),
        ReceiverDemand::NotBoth("app_token", "api_url", ONE_SLACK),
        ReceiverDemand::NotBoth("app_token", "api_url_file", ONE_SLACK),
        ReceiverDemand::NotBoth("app_token_file", "api_url", ONE_SLACK),
        ReceiverDemand::NotBoth("app_token_file", "api_url_file", ONE_SLACK),
        ReceiverDemand::Prefer("api_url", "api_url_file"),
    ],
    global_needs: &[GlobalNeed::new(
        &["api_url", "api_url_file", "app_token", "app_token_file"],
        &[
            "slack_api_url",
            "slack_api_url_file",
            "slack_app_token",
            "slack_app_token_file",
        ],
        "no Slack API URL nor App token set either inline or in a file",
    )],
};

/// The URL of a bot of Slack.
const BOT_URL: &str = "https://slack.com/api/chat.postMessage";

/// A field of Slack.
static SLACK_FIELD: Shape = Shape::item(
    "config.plain",
    "[]*config.SlackField",
    &[text("title"), text("value"), flag("short")],
)
.checked(&[
    PartRule::AnyOf(&["title"], "missing title in Slack field configuration"),
    PartRule::AnyOf(&["value"], "missing value in Slack field configuration"),
]);

/// A button of Slack.
static SLACK_ACTION: Shape = Shape::item(
    "config.plain",
    "[]*config.SlackAction",
    &[
        text("type"),
        text("text"),
        text("url"),
        text("style"),
        text("name"),
        text("value"),
        field("confirm", KeyType::One(&SLACK_CONFIRM)),
    ],
)
.checked(&[
    PartRule::AnyOf(&["type"], "missing type in Slack action configuration"),
    PartRule::AnyOf(&["text"], "missing text in Slack action configuration"),
    PartRule::AnyOf(
        &["url", "name"],
        "missing name or url in Slack action configuration",
    ),
]);

/// Slack's confirmation dialog of an action.
static SLACK_CONFIRM: Shape = Shape::part(
    "config.plain",
    &[
        text("text"),
        text("title"),
        text("ok_text"),
        text("dismiss_text"),
    ],
)
.checked(&[PartRule::AnyOf(
    &["text"],
    "missing text in Slack confirmation configuration",
)]);

const ONE_SLACK: &str =
    "at most one of app_token/app_token_file & api_url/api_url_file must be configured";
