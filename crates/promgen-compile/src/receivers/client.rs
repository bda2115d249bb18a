//! The common parts of receivers of several kinds: the clients of HTTP and of mails.

use crate::receivers::table::conversion::Conversion::{
    Authorization, ClientId, Headers, Part, Plain, Secret, Tls,
};
use crate::receivers::table::conversion::{ReceiverFieldRow, Table};
use crate::receivers::table::shape::{GoScalar, KeyType, PartRule, Shape, field, since, upstream};
use promgen_resources::gates;

/// The HTTP client of receivers.
pub(crate) static HTTP: Shape = Shape::part(
    "config.plain",
    &[
        field("authorization", KeyType::One(&AUTHORIZATION)),
        field("basic_auth", KeyType::One(&BASIC_AUTH)),
        field("oauth2", KeyType::One(&OAUTH2)),
        field("bearer_token", KeyType::Text).of(GoScalar::Secret),
        field("bearer_token_file", KeyType::Text),
        field("tls_config", KeyType::One(&TLS)),
        since(
            "follow_redirects",
            KeyType::Set,
            &gates::AM_HTTP_AUTHORIZATION,
        ),
        since("enable_http2", KeyType::Set, &gates::AM_HTTP_TLS_VERSIONS),
        since("http_headers", KeyType::Masked, &gates::AM_HTTP_HEADERS),
        field("proxy_url", KeyType::Text).of(GoScalar::ProxyUrl),
        since("no_proxy", KeyType::Text, &gates::AM_PROXY),
        since("proxy_from_environment", KeyType::Flag, &gates::AM_PROXY),
        since(
            "proxy_connect_header",
            KeyType::ProxyHeader,
            &gates::AM_PROXY,
        ),
    ],
)
.checked(&[PartRule::HttpClient]);

/// The TLS client that sends email. Operator: checks no version.
pub(crate) static MAIL_TLS: Shape = Shape::part(
    "config.plain",
    &[
        field("ca_file", KeyType::Text),
        field("cert_file", KeyType::Text),
        field("key_file", KeyType::Text),
        field("server_name", KeyType::Text),
        field("insecure_skip_verify", KeyType::FlagAlways),
        field("min_version", KeyType::Text).of(GoScalar::TlsVersion),
        field("max_version", KeyType::Text).of(GoScalar::TlsVersion),
        upstream("ca", "alertmanager.tlsConfig"),
        upstream("ca_ref", "alertmanager.tlsConfig"),
        upstream("cert", "alertmanager.tlsConfig"),
        upstream("cert_ref", "alertmanager.tlsConfig"),
        upstream("key", "alertmanager.tlsConfig"),
        upstream("key_ref", "alertmanager.tlsConfig"),
    ],
)
.checked(&[PartRule::OneSourceEach, PartRule::Certificate]);

/// TLS of a client.
static TLS: Shape = Shape::part(
    "config.plain",
    &[
        field("ca_file", KeyType::Text),
        field("cert_file", KeyType::Text),
        field("key_file", KeyType::Text),
        field("server_name", KeyType::Text),
        field("insecure_skip_verify", KeyType::FlagAlways),
        since("min_version", KeyType::Text, &gates::AM_HTTP_TLS_VERSIONS).of(GoScalar::TlsVersion),
        since("max_version", KeyType::Text, &gates::AM_HTTP_TLS_VERSIONS).of(GoScalar::TlsVersion),
        upstream("ca", "alertmanager.tlsConfig"),
        upstream("ca_ref", "alertmanager.tlsConfig"),
        upstream("cert", "alertmanager.tlsConfig"),
        upstream("cert_ref", "alertmanager.tlsConfig"),
        upstream("key", "alertmanager.tlsConfig"),
        upstream("key_ref", "alertmanager.tlsConfig"),
    ],
)
.checked(&[PartRule::OneSourceEach, PartRule::Certificate]);

/// An `Authorization` header.
static AUTHORIZATION: Shape = Shape::part(
    "config.Authorization",
    &[
        field("type", KeyType::Text),
        field("credentials", KeyType::Text).of(GoScalar::Secret),
        field("credentials_file", KeyType::Text),
        upstream("credentials_ref", "alertmanager.authorization"),
    ],
);

/// User name and password.
static BASIC_AUTH: Shape = Shape::part(
    "config.plain",
    &[
        field("username", KeyType::Text),
        field("password", KeyType::Text).of(GoScalar::Secret),
        field("password_file", KeyType::Text),
        upstream("username_file", "alertmanager.basicAuth"),
        upstream("username_ref", "alertmanager.basicAuth"),
        upstream("password_ref", "alertmanager.basicAuth"),
    ],
);

/// A token from an OAuth2 server.
static OAUTH2: Shape = Shape::part(
    "config.plain",
    &[
        field("client_id", KeyType::TextAlways),
        field("client_secret", KeyType::TextAlways).of(GoScalar::Secret),
        field("client_secret_file", KeyType::Text),
        field("scopes", KeyType::Texts),
        field("token_url", KeyType::TextAlways),
        field("endpoint_params", KeyType::Pairs),
        since("proxy_url", KeyType::Text, &gates::AM_OAUTH2_PROXY).of(GoScalar::ProxyUrl),
        since("no_proxy", KeyType::Text, &gates::AM_OAUTH2_PROXY),
        since(
            "proxy_from_environment",
            KeyType::Flag,
            &gates::AM_OAUTH2_PROXY,
        ),
        since(
            "proxy_connect_header",
            KeyType::ProxyHeader,
            &gates::AM_OAUTH2_PROXY,
        ),
        field("tls_config", KeyType::One(&TLS)),
        upstream("audience", "alertmanager.oauth2"),
        upstream("claims", "alertmanager.oauth2"),
        upstream("client_certificate_key", "alertmanager.oauth2"),
        upstream("client_certificate_key_file", "alertmanager.oauth2"),
        upstream("client_certificate_key_id", "alertmanager.oauth2"),
        upstream("client_certificate_key_ref", "alertmanager.oauth2"),
        upstream("client_secret_ref", "alertmanager.oauth2"),
        upstream("grant_type", "alertmanager.oauth2"),
        upstream("iss", "alertmanager.oauth2"),
        upstream("signature_algorithm", "alertmanager.oauth2"),
    ],
)
.checked(&[PartRule::ProxySettings]);

/// The URL of a webhook, which holds a secret.
pub(crate) const WEBHOOK_URL: PartRule = PartRule::AnyOf(
    &["webhook_url", "webhook_url_file"],
    "one of webhook_url or webhook_url_file must be configured",
);

/// Whether the end of an alert is told.
pub(crate) const SEND_RESOLVED: ReceiverFieldRow = ("sendResolved", "send_resolved", Plain);

/// The client of a receiver.
pub(crate) const HTTP_CONFIG: ReceiverFieldRow = ("httpConfig", "http_config", Part(HTTP_FIELDS));

/// The HTTP client of receivers. The older `proxyURL` wins over `proxyUrl`.
static HTTP_FIELDS: Table = &[
    ("authorization", "authorization", Authorization),
    (
        "basicAuth",
        "basic_auth",
        Part(&[
            ("username", "username", Secret),
            ("password", "password", Secret),
        ]),
    ),
    ("oauth2", "oauth2", Part(OAUTH2_FIELDS)),
    ("bearerTokenSecret", "bearer_token", Secret),
    ("tlsConfig", "tls_config", Tls),
    ("followRedirects", "follow_redirects", Plain),
    ("enableHttp2", "enable_http2", Plain),
    PROXY_FIELDS[0],
    ("proxyURL", "proxy_url", Plain),
    PROXY_FIELDS[1],
    PROXY_FIELDS[2],
    PROXY_FIELDS[3],
];

static OAUTH2_FIELDS: Table = &[
    ("clientId", "client_id", ClientId),
    ("clientSecret", "client_secret", Secret),
    ("scopes", "scopes", Plain),
    ("tokenUrl", "token_url", Plain),
    ("endpointParams", "endpoint_params", Plain),
    PROXY_FIELDS[0],
    PROXY_FIELDS[1],
    PROXY_FIELDS[2],
    PROXY_FIELDS[3],
];

const PROXY_FIELDS: [ReceiverFieldRow; 4] = [
    ("proxyUrl", "proxy_url", Plain),
    ("noProxy", "no_proxy", Plain),
    ("proxyFromEnvironment", "proxy_from_environment", Plain),
    ("proxyConnectHeader", "proxy_connect_header", Headers),
];
