//! The keys of the fields of AlertmanagerConfigs, and of the global settings of an Alertmanager.
//!
//! Each row has a field of the resource, its key, and the conversion of its value. The tables of the configuration
//! itself define the order of the keys and which empty values are omitted.

use crate::lower::alertmanager::merge::tables::How::{
    Authorization, ClientId, Flat, Headers, HostPort, Part, Parts, Plain, Secret, SecretUrl, Threading, Tls,
};

/// The conversion of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum How {
    /// As it is.
    Plain,
    /// The value of the Secret's key.
    Secret,
    /// The URL that the key of a Secret holds.
    SecretUrl,
    /// A list of names and values, as a map.
    Pairs,
    /// An object.
    Part(Table),
    /// A list of objects.
    Parts(Table),
    /// An object whose fields become keys of the surrounding object.
    Flat(Table),
    /// TLS settings, whose certificates are files.
    Tls,
    /// An `Authorization` header.
    Authorization,
    /// A client of OAuth2: the key of a Secret or of a ConfigMap.
    ClientId,
    /// Headers whose values are keys of Secrets.
    Headers,
    /// A host and a port, in fields.
    HostPort,
    /// A host and a port, in a text.
    Smarthost,
    /// A duration, which is written anew.
    GoDuration,
    /// The threading of emails.
    Threading,
}

/// A field, its key, and the conversion.
pub(super) type Row = (&'static str, &'static str, How);

/// The fields of an object.
pub(super) type Table = &'static [Row];

const SEND_RESOLVED: Row = ("sendResolved", "send_resolved", Plain);
const HTTP_CONFIG: Row = ("httpConfig", "http_config", Part(HTTP));

const PROXY: [Row; 4] = [
    ("proxyUrl", "proxy_url", Plain),
    ("noProxy", "no_proxy", Plain),
    ("proxyFromEnvironment", "proxy_from_environment", Plain),
    ("proxyConnectHeader", "proxy_connect_header", Headers),
];

/// The HTTP client of receivers. The older `proxyURL` wins over `proxyUrl`.
static HTTP: Table = &[
    ("authorization", "authorization", Authorization),
    ("basicAuth", "basic_auth", Part(&[("username", "username", Secret), ("password", "password", Secret)])),
    ("oauth2", "oauth2", Part(OAUTH2)),
    ("bearerTokenSecret", "bearer_token", Secret),
    ("tlsConfig", "tls_config", Tls),
    ("followRedirects", "follow_redirects", Plain),
    ("enableHttp2", "enable_http2", Plain),
    PROXY[0],
    ("proxyURL", "proxy_url", Plain),
    PROXY[1],
    PROXY[2],
    PROXY[3],
];

static OAUTH2: Table = &[
    ("clientId", "client_id", ClientId),
    ("clientSecret", "client_secret", Secret),
    ("scopes", "scopes", Plain),
    ("tokenUrl", "token_url", Plain),
    ("endpointParams", "endpoint_params", Plain),
    PROXY[0],
    PROXY[1],
    PROXY[2],
    PROXY[3],
];

/// A receiver.
pub(super) static RECEIVER: Table = &[
    ("opsgenieConfigs", "opsgenie_configs", Parts(OPSGENIE)),
    ("pagerdutyConfigs", "pagerduty_configs", Parts(PAGERDUTY)),
    ("slackConfigs", "slack_configs", Parts(SLACK)),
    ("webhookConfigs", "webhook_configs", Parts(WEBHOOK)),
    ("wechatConfigs", "wechat_configs", Parts(WECHAT)),
    ("emailConfigs", "email_configs", Parts(EMAIL)),
    ("pushoverConfigs", "pushover_configs", Parts(PUSHOVER)),
    ("victoropsConfigs", "victorops_configs", Parts(VICTOROPS)),
    ("snsConfigs", "sns_configs", Parts(SNS)),
    ("telegramConfigs", "telegram_configs", Parts(TELEGRAM)),
    ("discordConfigs", "discord_configs", Parts(DISCORD)),
    ("webexConfigs", "webex_configs", Parts(WEBEX)),
    ("msteamsConfigs", "msteams_configs", Parts(MSTEAMS)),
    ("msteamsv2Configs", "msteamsv2_configs", Parts(MSTEAMSV2)),
    ("rocketchatConfigs", "rocketchat_configs", Parts(ROCKETCHAT)),
];

static OPSGENIE: Table = &[
    SEND_RESOLVED,
    HTTP_CONFIG,
    ("apiKey", "api_key", Secret),
    ("apiURL", "api_url", Plain),
    ("message", "message", Plain),
    ("description", "description", Plain),
    ("source", "source", Plain),
    ("details", "details", How::Pairs),
    ("responders", "responders", Parts(RESPONDER)),
    ("tags", "tags", Plain),
    ("note", "note", Plain),
    ("priority", "priority", Plain),
    ("updateAlerts", "update_alerts", Plain),
    ("entity", "entity", Plain),
    ("actions", "actions", Plain),
];

static RESPONDER: Table =
    &[("id", "id", Plain), ("name", "name", Plain), ("username", "username", Plain), ("type", "type", Plain)];

static PAGERDUTY: Table = &[
    SEND_RESOLVED,
    HTTP_CONFIG,
    ("serviceKey", "service_key", Secret),
    ("routingKey", "routing_key", Secret),
    ("url", "url", Plain),
    ("client", "client", Plain),
    ("clientURL", "client_url", Plain),
    ("description", "description", Plain),
    ("details", "details", How::Pairs),
    (
        "pagerDutyImageConfigs",
        "images",
        Parts(&[("src", "src", Plain), ("alt", "alt", Plain), ("href", "href", Plain)]),
    ),
    ("pagerDutyLinkConfigs", "links", Parts(&[("href", "href", Plain), ("alt", "text", Plain)])),
    ("severity", "severity", Plain),
    ("class", "class", Plain),
    ("component", "component", Plain),
    ("group", "group", Plain),
    ("source", "source", Plain),
    ("timeout", "timeout", Plain),
];

static SLACK: Table = &[
    SEND_RESOLVED,
    HTTP_CONFIG,
    ("apiURL", "api_url", SecretUrl),
    ("channel", "channel", Plain),
    ("username", "username", Plain),
    ("color", "color", Plain),
    ("title", "title", Plain),
    ("titleLink", "title_link", Plain),
    ("pretext", "pretext", Plain),
    ("text", "text", Plain),
    ("messageText", "message_text", Plain),
    ("fields", "fields", Parts(&[("title", "title", Plain), ("value", "value", Plain), ("short", "short", Plain)])),
    ("shortFields", "short_fields", Plain),
    ("footer", "footer", Plain),
    ("fallback", "fallback", Plain),
    ("callbackId", "callback_id", Plain),
    ("iconEmoji", "icon_emoji", Plain),
    ("iconURL", "icon_url", Plain),
    ("imageURL", "image_url", Plain),
    ("thumbURL", "thumb_url", Plain),
    ("linkNames", "link_names", Plain),
    ("mrkdwnIn", "mrkdwn_in", Plain),
    ("actions", "actions", Parts(SLACK_ACTION)),
    ("timeout", "timeout", Plain),
    ("updateMessage", "update_message", Plain),
];

static SLACK_ACTION: Table = &[
    ("type", "type", Plain),
    ("text", "text", Plain),
    ("url", "url", Plain),
    ("style", "style", Plain),
    ("name", "name", Plain),
    ("value", "value", Plain),
    (
        "confirm",
        "confirm",
        Part(&[
            ("text", "text", Plain),
            ("title", "title", Plain),
            ("okText", "ok_text", Plain),
            ("dismissText", "dismiss_text", Plain),
        ]),
    ),
];

/// `urlSecret` wins over `url`.
static WEBHOOK: Table = &[
    SEND_RESOLVED,
    ("url", "url", Plain),
    ("urlSecret", "url", Secret),
    HTTP_CONFIG,
    ("maxAlerts", "max_alerts", Plain),
    ("timeout", "timeout", Plain),
    ("payload", "payload", Plain),
];

static WECHAT: Table = &[
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

static EMAIL: Table = &[
    SEND_RESOLVED,
    ("to", "to", Plain),
    ("from", "from", Plain),
    ("hello", "hello", Plain),
    ("smarthost", "smarthost", How::Smarthost),
    ("forceImplicitTLS", "force_implicit_tls", Plain),
    ("authUsername", "auth_username", Plain),
    ("authPassword", "auth_password", Secret),
    ("authSecret", "auth_secret", Secret),
    ("authIdentity", "auth_identity", Plain),
    ("headers", "headers", How::Pairs),
    ("html", "html", Plain),
    ("text", "text", Plain),
    ("requireTLS", "require_tls", Plain),
    ("tlsConfig", "tls_config", Tls),
    ("threading", "threading", Threading),
];

/// Operator: drops `sound`.
static PUSHOVER: Table = &[
    SEND_RESOLVED,
    HTTP_CONFIG,
    ("userKey", "user_key", Secret),
    ("userKeyFile", "user_key_file", Plain),
    ("token", "token", Secret),
    ("tokenFile", "token_file", Plain),
    ("title", "title", Plain),
    ("message", "message", Plain),
    ("url", "url", Plain),
    ("urlTitle", "url_title", Plain),
    ("ttl", "ttl", Plain),
    ("device", "device", Plain),
    ("priority", "priority", Plain),
    ("retry", "retry", How::GoDuration),
    ("expire", "expire", How::GoDuration),
    ("html", "html", Plain),
    ("monospace", "monospace", Plain),
];

static VICTOROPS: Table = &[
    SEND_RESOLVED,
    HTTP_CONFIG,
    ("apiKey", "api_key", Secret),
    ("apiUrl", "api_url", Plain),
    ("routingKey", "routing_key", Plain),
    ("messageType", "message_type", Plain),
    ("stateMessage", "state_message", Plain),
    ("entityDisplayName", "entity_display_name", Plain),
    ("monitoringTool", "monitoring_tool", Plain),
    ("customFields", "custom_fields", How::Pairs),
];

static SNS: Table = &[
    SEND_RESOLVED,
    HTTP_CONFIG,
    ("apiURL", "api_url", Plain),
    ("sigv4", "sigv4", Part(SIGV4)),
    ("topicARN", "topic_arn", Plain),
    ("phoneNumber", "phone_number", Plain),
    ("targetARN", "target_arn", Plain),
    ("subject", "subject", Plain),
    ("message", "message", Plain),
    ("attributes", "attributes", Plain),
    ("useAWSHTTPClient", "use_aws_http_client", Plain),
];

static SIGV4: Table = &[
    ("region", "region", Plain),
    ("accessKey", "access_key", Secret),
    ("secretKey", "secret_key", Secret),
    ("profile", "profile", Plain),
    ("roleArn", "role_arn", Plain),
    ("externalId", "external_id", Plain),
    ("useFIPSSTSEndpoint", "use_fips_sts_endpoint", Plain),
];

static TELEGRAM: Table = &[
    SEND_RESOLVED,
    ("apiURL", "api_url", Plain),
    ("botToken", "bot_token", Secret),
    ("botTokenFile", "bot_token_file", Plain),
    ("chatID", "chat_id", Plain),
    ("messageThreadID", "message_thread_id", Plain),
    ("message", "message", Plain),
    ("disableNotifications", "disable_notifications", Plain),
    ("parseMode", "parse_mode", Plain),
    HTTP_CONFIG,
];

static DISCORD: Table = &[
    SEND_RESOLVED,
    HTTP_CONFIG,
    ("apiURL", "webhook_url", SecretUrl),
    ("title", "title", Plain),
    ("message", "message", Plain),
    ("content", "content", Plain),
    ("username", "username", Plain),
    ("avatarURL", "avatar_url", Plain),
];

static WEBEX: Table = &[
    SEND_RESOLVED,
    HTTP_CONFIG,
    ("apiURL", "api_url", Plain),
    ("message", "message", Plain),
    ("roomID", "room_id", Plain),
];

static MSTEAMS: Table = &[
    SEND_RESOLVED,
    ("webhookUrl", "webhook_url", Secret),
    ("title", "title", Plain),
    ("summary", "summary", Plain),
    ("text", "text", Plain),
    HTTP_CONFIG,
];

static MSTEAMSV2: Table = &[
    SEND_RESOLVED,
    ("webhookURL", "webhook_url", Secret),
    ("title", "title", Plain),
    ("text", "text", Plain),
    HTTP_CONFIG,
];

static ROCKETCHAT: Table = &[
    SEND_RESOLVED,
    HTTP_CONFIG,
    ("apiURL", "api_url", Plain),
    ("tokenID", "token_id", Secret),
    ("token", "token", Secret),
    ("channel", "channel", Plain),
    ("color", "color", Plain),
    ("title", "title", Plain),
    ("titleLink", "title_link", Plain),
    ("text", "text", Plain),
    ("fields", "fields", Parts(&[("short", "short", Plain), ("title", "title", Plain), ("value", "value", Plain)])),
    ("shortFields", "short_fields", Plain),
    ("emoji", "emoji", Plain),
    ("iconURL", "icon_url", Plain),
    ("imageURL", "image_url", Plain),
    ("thumbURL", "thumb_url", Plain),
    ("linkNames", "link_names", Plain),
    ("actions", "actions", Parts(&[("text", "text", Plain), ("url", "url", Plain), ("msg", "msg", Plain)])),
];

/// The defaults of receivers.
pub(super) static GLOBAL: Table = &[
    ("resolveTimeout", "resolve_timeout", Plain),
    HTTP_CONFIG,
    ("smtp", "", Flat(SMTP)),
    ("slackApiUrl", "slack_api_url", SecretUrl),
    ("pagerdutyUrl", "pagerduty_url", Plain),
    ("opsGenieApiUrl", "opsgenie_api_url", SecretUrl),
    ("opsGenieApiKey", "opsgenie_api_key", Secret),
    (
        "wechat",
        "",
        Flat(&[
            ("apiURL", "wechat_api_url", Plain),
            ("apiSecret", "wechat_api_secret", Secret),
            ("apiCorpID", "wechat_api_corp_id", Plain),
        ]),
    ),
    ("victorops", "", Flat(&[("apiURL", "victorops_api_url", Plain), ("apiKey", "victorops_api_key", Secret)])),
    ("telegram", "", Flat(&[("apiURL", "telegram_api_url", Plain)])),
    ("webex", "", Flat(&[("apiURL", "webex_api_url", Plain)])),
    ("jira", "", Flat(&[("apiURL", "jira_api_url", Plain)])),
    (
        "rocketChat",
        "",
        Flat(&[
            ("apiURL", "rocketchat_api_url", Plain),
            ("token", "rocketchat_token", Secret),
            ("tokenID", "rocketchat_token_id", Secret),
        ]),
    ),
    ("mattermost", "", Flat(&[("webhookURL", "mattermost_webhook_url", SecretUrl)])),
];

static SMTP: Table = &[
    ("from", "smtp_from", Plain),
    ("hello", "smtp_hello", Plain),
    ("smartHost", "smtp_smarthost", HostPort),
    ("authUsername", "smtp_auth_username", Plain),
    ("authPassword", "smtp_auth_password", Secret),
    ("authSecret", "smtp_auth_secret", Secret),
    ("authIdentity", "smtp_auth_identity", Plain),
    ("requireTLS", "smtp_require_tls", Plain),
    ("tlsConfig", "smtp_tls_config", Tls),
    ("forceImplicitTLS", "smtp_force_implicit_tls", Plain),
];
