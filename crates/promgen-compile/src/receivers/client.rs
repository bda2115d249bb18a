//! The common parts of receivers of several kinds: the clients of HTTP and of mails.

use crate::receivers::table::conversion::Conversion::{
    ClientId, Headers, Lost, Part, Plain, Secret,
};
use crate::receivers::table::conversion::{ReceiverFieldRow, Table};
use crate::receivers::table::shape::{
    GoScalar, KeyType, PartRule, Shape, ShapeKey, field, flag, pairs, secret, set, text, texts,
    upstream,
};
use promgen_resources::api::auth::OAuth2;
use promgen_resources::api::notifying::alertmanager_config::receiver::HttpConfig;
use promgen_resources::gates::{self, Gate};
use promgen_text::describe::Describe;

/// The HTTP client of receivers.
pub(crate) static HTTP: Shape = Shape::part(
    "config.plain",
    &[
        field("authorization", KeyType::One(&AUTHORIZATION)),
        field("basic_auth", KeyType::One(&BASIC_AUTH)),
        field("oauth2", KeyType::One(&OAUTH2)),
        secret("bearer_token"),
        text("bearer_token_file"),
        field("tls_config", KeyType::One(&TLS)),
        set("follow_redirects").since(&gates::AM_HTTP_AUTHORIZATION),
        set("enable_http2").since(&gates::AM_HTTP_TLS_VERSIONS),
        field("http_headers", KeyType::Masked).since(&gates::AM_HTTP_HEADERS),
        text("proxy_url").of(GoScalar::ProxyUrl),
        text("no_proxy").since(&gates::AM_PROXY),
        flag("proxy_from_environment").since(&gates::AM_PROXY),
        field("proxy_connect_header", KeyType::ProxyHeader).since(&gates::AM_PROXY),
    ],
)
.checked(&[PartRule::HttpClient]);

/// The TLS client that sends email. Operator: checks no version.
pub(crate) static MAIL_TLS: Shape = tls(&tls_keys(None));

/// TLS of a client.
static TLS: Shape = tls(&tls_keys(Some(&gates::AM_HTTP_TLS_VERSIONS)));

const fn tls(keys: &'static [ShapeKey]) -> Shape {
    Shape::part("config.plain", keys).checked(&[PartRule::OneSourceEach, PartRule::Certificate])
}

/// The keys of TLS, and the gate of the versions of TLS.
const fn tls_keys(versions: Option<&'static Gate>) -> [ShapeKey; 13] {
    const OWN: &str = "alertmanager.tlsConfig";
    const VERSION: GoScalar = GoScalar::TlsVersion;
    [
        text("ca_file"),
        text("cert_file"),
        text("key_file"),
        text("server_name"),
        field("insecure_skip_verify", KeyType::FlagAlways),
        text("min_version").of(VERSION).gated(versions),
        text("max_version").of(VERSION).gated(versions),
        upstream("ca", OWN),
        upstream("ca_ref", OWN),
        upstream("cert", OWN),
        upstream("cert_ref", OWN),
        upstream("key", OWN),
        upstream("key_ref", OWN),
    ]
}

/// An `Authorization` header.
static AUTHORIZATION: Shape = Shape::part(
    "config.Authorization",
    &[
        text("type"),
        secret("credentials"),
        text("credentials_file"),
        upstream("credentials_ref", "alertmanager.authorization"),
    ],
);

/// User name and password.
static BASIC_AUTH: Shape = Shape::part(
    "config.plain",
    &[
        text("username"),
        secret("password"),
        text("password_file"),
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
        text("client_secret_file"),
        texts("scopes"),
        field("token_url", KeyType::TextAlways),
        pairs("endpoint_params"),
        text("proxy_url")
            .since(&gates::AM_OAUTH2_PROXY)
            .of(GoScalar::ProxyUrl),
        text("no_proxy").since(&gates::AM_OAUTH2_PROXY),
        flag("proxy_from_environment").since(&gates::AM_OAUTH2_PROXY),
        field("proxy_connect_header", KeyType::ProxyHeader).since(&gates::AM_OAUTH2_PROXY),
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
pub(crate) const SEND_RESOLVED_KEY: ShapeKey = set("send_resolved");

/// The client of a receiver.
pub(crate) const HTTP_CONFIG_KEY: ShapeKey = field("http_config", KeyType::One(&HTTP));

/// The client of a receiver, in a resource.
pub(crate) const HTTP_CONFIG: ReceiverFieldRow = ("httpConfig", "http_config", Part(HTTP_FIELDS));

/// The HTTP client of receivers. The older `proxyURL` wins over `proxyUrl`.
const HTTP_FIELDS: Table = Table::new(
    HttpConfig::describe,
    &[
        ("bearerTokenSecret", "bearer_token", Secret),
        ("oauth2", "oauth2", Part(OAUTH2_FIELDS)),
        ("proxyURL", "proxy_url", Plain),
        PROXY_HEADERS,
    ],
);

const OAUTH2_FIELDS: Table = Table::new(
    OAuth2::describe,
    &[
        ("clientId", "client_id", ClientId),
        ("tlsConfig", "", Lost),
        PROXY_HEADERS,
    ],
);

const PROXY_HEADERS: ReceiverFieldRow = ("proxyConnectHeader", "proxy_connect_header", Headers);
