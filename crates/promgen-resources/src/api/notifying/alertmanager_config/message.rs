//! Receivers of messages: email, SMS, webhooks.

use promgen_derive::api;

use crate::api::auth::{SafeTlsConfig, Sigv4};
use crate::api::core::SecretKeySelector;
use crate::api::notifying::alertmanager_config::receiver::{HttpConfig, KeyValue};
use crate::api::scalar::Duration;
use crate::api::string_enum;
use promgen_text::yaml::StringMap;

/// The threading of emails about a group.
#[api(of = "monitoring/v1alpha1.EmailThreadingConfig")]
pub struct EmailThreadingConfig {
    /// A thread per day, or one for all time.
    pub thread_by_date: ThreadByDate,
}

/// A mail.
#[api(of = "monitoring/v1alpha1.EmailConfig")]
pub struct EmailConfig {
    /// The identity for PLAIN.
    pub auth_identity: Option<String>,
    /// The password for LOGIN and PLAIN.
    pub auth_password: Option<SecretKeySelector>,
    /// The secret for CRAM-MD5.
    pub auth_secret: Option<SecretKeySelector>,
    /// The user name.
    pub auth_username: Option<String>,
    /// Whether TLS starts with the connection, on any port.
    pub force_implicit_tls: Option<bool>,
    /// The sender.
    pub from: Option<String>,
    /// Further headers. Each once, ignoring case.
    pub headers: Option<Vec<KeyValue>>,
    /// The host name in the SMTP greeting.
    pub hello: Option<String>,
    /// The text as HTML.
    pub html: Option<String>,
    /// Whether STARTTLS is required.
    pub require_tls: Option<bool>,
    /// Whether it notifies about resolved alerts.
    pub send_resolved: Option<bool>,
    /// The server, as `host:port`.
    pub smarthost: Option<String>,
    /// The text.
    pub text: Option<String>,
    /// The threading of emails about a group.
    pub threading: Option<EmailThreadingConfig>,
    /// TLS.
    pub tls_config: Option<SafeTlsConfig>,
    /// The recipients.
    pub to: Option<String>,
}

/// A Pushover integration.
#[api(of = "monitoring/v1alpha1.PushoverConfig")]
pub struct PushoverConfig {
    /// The device.
    pub device: Option<String>,
    /// The time until repeated notifications expire.
    pub expire: Option<String>,
    /// Whether the text is HTML.
    pub html: Option<bool>,
    /// Its HTTP client.
    pub http_config: Option<HttpConfig>,
    /// The text of the message.
    pub message: Option<String>,
    /// Whether the text is monospaced.
    pub monospace: Option<bool>,
    /// The priority.
    pub priority: Option<String>,
    /// The interval between repetitions.
    pub retry: Option<String>,
    /// Whether it notifies about resolved alerts.
    pub send_resolved: Option<bool>,
    /// The sound.
    pub sound: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// The token of the sender.
    pub token: Option<SecretKeySelector>,
    /// The file of the token.
    pub token_file: Option<String>,
    /// The time to live of the message.
    pub ttl: Option<Duration>,
    /// The URL.
    pub url: Option<String>,
    /// The title of the URL.
    pub url_title: Option<String>,
    /// The key of the user.
    pub user_key: Option<SecretKeySelector>,
    /// The file of the user key.
    pub user_key_file: Option<String>,
}

/// An Amazon SNS integration.
#[api(of = "monitoring/v1alpha1.SNSConfig")]
pub struct SnsConfig {
    /// The URL of the service; that of the region if absent.
    pub api_url: Option<String>,
    /// Attributes of the message.
    pub attributes: Option<StringMap>,
    /// Its HTTP client.
    pub http_config: Option<HttpConfig>,
    /// The text of the message.
    pub message: Option<String>,
    /// The phone number for an SMS.
    pub phone_number: Option<String>,
    /// Whether it notifies about resolved alerts.
    pub send_resolved: Option<bool>,
    /// The signature of requests.
    pub sigv4: Option<Sigv4>,
    /// The subject, for mails.
    pub subject: Option<String>,
    /// The endpoint of a mobile platform.
    pub target_arn: Option<String>,
    /// The topic.
    pub topic_arn: Option<String>,
    /// Whether the AWS client is used instead of Alertmanager's.
    pub use_aws_http_client: Option<bool>,
}

/// A webhook integration.
#[api(of = "monitoring/v1alpha1.WebhookConfig")]
pub struct WebhookConfig {
    /// Its HTTP client.
    pub http_config: Option<HttpConfig>,
    /// The maximum number of alerts in a request; 0 for all.
    pub max_alerts: Option<i32>,
    /// The body of the request, as a template.
    pub payload: Option<String>,
    /// Whether it notifies about resolved alerts.
    pub send_resolved: Option<bool>,
    /// The time-out of a request.
    pub timeout: Option<Duration>,
    /// The URL.
    pub url: Option<String>,
    /// The URL from a Secret; takes precedence over `url`.
    pub url_secret: Option<SecretKeySelector>,
}

string_enum! {
    /// The threading of emails about a group.
    pub enum ThreadByDate {
        /// A thread per day.
        Daily = "Daily",
        /// One thread.
        None = "None",
    }
}
