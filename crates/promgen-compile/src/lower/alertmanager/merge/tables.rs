//! The keys of the fields of AlertmanagerConfigs, and of the global settings of an Alertmanager.
//!
//! Each row has a field of the resource, its key, and the conversion of its value. The tables of the configuration
//! itself define the order of the keys and which empty values are omitted.

use crate::lower::alertmanager::merge::tables::Conversion::{
    Authorization, ClientId, Flat, Headers, HostPort, Part, Plain, Secret, SecretUrl, Tls,
};

/// The conversion of a value.
#[derive(Clone, Copy, Debug)]
pub(in crate::lower::alertmanager) enum Conversion {
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
pub(in crate::lower::alertmanager) type ReceiverFieldRow = (&'static str, &'static str, Conversion);

/// The fields of an object.
pub(in crate::lower::alertmanager) type Table = &'static [ReceiverFieldRow];

/// Whether the end of an alert is told.
pub(in crate::lower::alertmanager) const SEND_RESOLVED: ReceiverFieldRow = ("sendResolved", "send_resolved", Plain);
/// The client of a receiver.
pub(in crate::lower::alertmanager) const HTTP_CONFIG: ReceiverFieldRow = ("httpConfig", "http_config", Part(HTTP));

const PROXY: [ReceiverFieldRow; 4] = [
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

/// The defaults of receivers.
pub(in crate::lower::alertmanager) static GLOBAL: Table = &[
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
