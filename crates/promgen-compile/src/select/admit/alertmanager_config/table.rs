//! The one table of receivers: what the operator checks of each kind, in its order.
//!
//! Two passes share it. `valid` looks at the resource alone; `reads` looks at the version and reads the Secrets. A test
//! walks the table and says which receiver lacks a check that the others have.

use crate::cluster::assets::ContentFault;
use crate::select::admit::alertmanager_config::table::ReceiverRead::{
    AwsKeys, BotUrl, Certificates, Client, ClientSince, Responders, Since,
};
use crate::select::admit::alertmanager_config::table::ReceiverRule::{
    ClientValid, Exclusive, Headers, Named, NotBoth, NotReserved, Number, OneOf, Plain, Recipient, Smarthost, Targets,
    Template, Templates,
};
use crate::select::admit::alertmanager_config::url;
use promgen_resources::gates::{self, Gate};

/// A kind of receiver.
pub(super) struct ReceiverKind {
    /// The field of its list.
    pub(super) key: &'static str,
    /// The checks that need neither a Secret nor the version, in order.
    pub(super) valid: &'static [ReceiverRule],
    /// Since when Alertmanager has such receivers, and the operator's message up to the version.
    pub(super) since: Option<(&'static Gate, KindGate)>,
    /// The checks of the version and the Secrets of an item, in order.
    pub(super) reads: &'static [ReceiverRead],
}

/// The operator's message about a version that lacks a kind of receiver.
#[derive(Clone, Copy)]
pub(super) enum KindGate {
    /// The field is available since.
    Field(&'static str),
    /// The integration is only available since.
    Integration(&'static str),
}

/// A check of an item.
pub(super) enum ReceiverRule {
    /// One of the fields is set, even to an empty text; else the message.
    OneOf(&'static [&'static str], &'static str),
    /// A text is not empty, or a selector is set: one of the fields; else the message.
    Recipient(&'static [&'static str], &'static str),
    /// Not both fields are set; else the message.
    NotBoth(&'static str, &'static str, &'static str),
    /// Not both flags are true; else the message.
    Exclusive(&'static str, &'static str, &'static str),
    /// A number is not zero; else the message.
    Number(&'static str, &'static str),
    /// An odd number of the texts is not empty; else the message.
    Targets(&'static [&'static str], &'static str),
    /// Each item of the list has a text in one of the fields; else the message.
    Named(&'static str, &'static [&'static str], &'static str),
    /// A URL, whose refusal repeats it.
    Plain(&'static str),
    /// A URL or a template of one, whose refusal does not repeat it.
    Template(&'static str),
    /// A URL or a template of one, in each item of a list.
    Templates(&'static str, &'static str),
    /// A host and a port.
    Smarthost(&'static str),
    /// Each header once.
    Headers,
    /// No custom field has the name of a fixed one.
    NotReserved,
    /// `httpConfig` makes sense.
    ClientValid,
}

/// A read of an item: of the version or of a Secret.
pub(super) enum ReceiverRead {
    /// `httpConfig` has nothing that the version lacks.
    ClientSince,
    /// The version has the field, if it is set.
    Since(&'static str, &'static Gate),
    /// The version has the responders.
    Responders,
    /// The key of a Secret.
    Secret(SecretRead),
    /// Only bots can change a message.
    BotUrl,
    /// The certificates of an email.
    Certificates,
    /// The keys of AWS.
    AwsKeys,
    /// The Secrets of `httpConfig`.
    Client,
}

/// A check of a URL.
pub(super) type UrlCheck = fn(&str) -> Result<(), ContentFault>;

/// How a key of a Secret is read.
pub(super) struct SecretRead {
    /// The field with the selector.
    pub(super) field: &'static str,
    /// The prefix of the message about a key that is not there; empty for none.
    pub(super) missing: &'static str,
    /// The URL that it holds: its check, and the prefix of the message. `None` for a value that need not be one.
    pub(super) url: Option<(UrlCheck, &'static str)>,
    /// Whether there must be a value.
    pub(super) is_mandatory: bool,
}

const fn secret(field: &'static str) -> ReceiverRead {
    ReceiverRead::Secret(SecretRead { field, missing: "", url: None, is_mandatory: false })
}

const fn prefixed(field: &'static str, missing: &'static str) -> ReceiverRead {
    ReceiverRead::Secret(SecretRead { field, missing, url: None, is_mandatory: false })
}

const fn mandatory(field: &'static str) -> ReceiverRead {
    ReceiverRead::Secret(SecretRead { field, missing: "", url: None, is_mandatory: true })
}

const fn url(field: &'static str, missing: &'static str, check: UrlCheck, invalid: &'static str) -> ReceiverRead {
    ReceiverRead::Secret(SecretRead { field, missing, url: Some((check, invalid)), is_mandatory: false })
}

/// The order of the first pass. Operator: it differs from that of the second.
pub(super) const VALID_ORDER: &[&str] = &[
    "pagerdutyConfigs",
    "opsgenieConfigs",
    "slackConfigs",
    "webhookConfigs",
    "wechatConfigs",
    "emailConfigs",
    "victoropsConfigs",
    "pushoverConfigs",
    "snsConfigs",
    "telegramConfigs",
    "webexConfigs",
    "discordConfigs",
    "msteamsConfigs",
    "msteamsv2Configs",
    "rocketchatConfigs",
];

/// The kinds of receivers, in the order of the second pass.
pub(super) static KINDS: &[ReceiverKind] = &[
    ReceiverKind {
        key: "pagerdutyConfigs",
        valid: &[
            Plain("url"),
            Template("clientURL"),
            Recipient(&["routingKey", "serviceKey"], "one of 'routingKey' or 'serviceKey' is required"),
            Templates("pagerDutyLinkConfigs", "href"),
            Templates("pagerDutyImageConfigs", "href"),
            ClientValid,
        ],
        since: None,
        reads: &[ClientSince, secret("routingKey"), secret("serviceKey"), Client],
    },
    ReceiverKind {
        key: "opsgenieConfigs",
        valid: &[
            Named(
                "responders",
                &["id", "name", "username"],
                "responder must have at least an ID, a Name or an Username defined",
            ),
            Plain("apiURL"),
            ClientValid,
        ],
        since: None,
        reads: &[ClientSince, Responders, secret("apiKey"), Client],
    },
    ReceiverKind {
        key: "discordConfigs",
        valid: &[ClientValid],
        since: Some((&gates::AM_DISCORD, KindGate::Field("discordConfigs"))),
        reads: &[
            ClientSince,
            Client,
            url("apiURL", "failed to retrieve API URL", url::secret, "failed to validate API URL"),
        ],
    },
    ReceiverKind {
        key: "slackConfigs",
        valid: &[
            Named("actions", &["name", "url"], "missing 'name' or 'url' in Slack action configuration"),
            ClientValid,
        ],
        since: None,
        reads: &[
            ClientSince,
            Since("messageText", &gates::AM_MESSAGE_TEXT),
            Since("updateMessage", &gates::AM_UPDATE_MESSAGE),
            url("apiURL", "", url::secret, "failed to validate API URL"),
            BotUrl,
            Client,
        ],
    },
    ReceiverKind {
        key: "webhookConfigs",
        valid: &[
            OneOf(&["url", "urlSecret"], "one of 'url' or 'urlSecret' must be specified"),
            Template("url"),
            ClientValid,
        ],
        since: None,
        reads: &[
            ClientSince,
            Since("payload", &gates::AM_PAYLOAD),
            url("urlSecret", "", url::template, "failed to validate URL"),
            Client,
        ],
    },
    ReceiverKind {
        key: "wechatConfigs",
        valid: &[Plain("apiURL"), ClientValid],
        since: None,
        reads: &[ClientSince, secret("apiSecret"), Client],
    },
    ReceiverKind {
        key: "emailConfigs",
        valid: &[Recipient(&["to"], "missing 'to' address"), Smarthost("smarthost"), Headers],
        since: None,
        reads: &[
            Since("forceImplicitTLS", &gates::AM_IMPLICIT_TLS),
            Since("threading", &gates::AM_THREADING),
            secret("authPassword"),
            secret("authSecret"),
            Certificates,
        ],
    },
    ReceiverKind {
        key: "victoropsConfigs",
        valid: &[NotReserved, Plain("apiUrl"), ClientValid],
        since: None,
        reads: &[ClientSince, secret("apiKey"), Client],
    },
    ReceiverKind {
        key: "pushoverConfigs",
        valid: &[
            OneOf(&["userKey", "userKeyFile"], "one of 'userKey' or 'userKeyFile' must be configured"),
            OneOf(&["token", "tokenFile"], "one of 'token' or 'tokenFile' must be configured"),
            Exclusive("html", "monospace", "'html' and 'monospace' options are mutually exclusive"),
            Template("url"),
            ClientValid,
        ],
        since: None,
        // The operator reads both, although a file could give them: a receiver with files only is refused.
        reads: &[ClientSince, mandatory("userKey"), mandatory("token"), Client],
    },
    ReceiverKind {
        key: "snsConfigs",
        valid: &[
            Targets(
                &["targetARN", "topicARN", "phoneNumber"],
                "must provide one of 'targetARN', 'topicARN', or 'phoneNumber'",
            ),
            Template("apiURL"),
            ClientValid,
        ],
        since: None,
        reads: &[ClientSince, Since("useAWSHTTPClient", &gates::AM_AWS_HTTP_CLIENT), Client, AwsKeys],
    },
    ReceiverKind {
        key: "telegramConfigs",
        valid: &[
            NotBoth("botToken", "botTokenFile", "only one of 'botToken' or 'botTokenfile' must be configured"),
            Recipient(&["botToken", "botTokenFile"], "mandatory field botToken or botTokenfile is empty"),
            Number("chatID", "mandatory field 'chatID' is empty"),
            Plain("apiURL"),
            ClientValid,
        ],
        since: Some((&gates::AM_TELEGRAM, KindGate::Field("telegramConfigs"))),
        reads: &[ClientSince, Since("botTokenFile", &gates::AM_BOT_TOKEN_FILE), secret("botToken"), Client],
    },
    ReceiverKind {
        key: "webexConfigs",
        valid: &[Plain("apiURL"), ClientValid],
        since: Some((&gates::AM_WEBEX, KindGate::Field("webexConfigs"))),
        reads: &[ClientSince, Client],
    },
    ReceiverKind {
        key: "msteamsConfigs",
        valid: &[ClientValid],
        since: Some((&gates::AM_MSTEAMS, KindGate::Integration("msteams"))),
        reads: &[ClientSince, secret("webhookUrl"), Client],
    },
    ReceiverKind {
        key: "msteamsv2Configs",
        valid: &[ClientValid],
        since: Some((&gates::AM_MSTEAMSV2, KindGate::Integration("msteamsv2"))),
        reads: &[ClientSince, secret("webhookURL"), Client],
    },
    ReceiverKind {
        key: "rocketchatConfigs",
        valid: &[
            Plain("apiURL"),
            Template("iconURL"),
            Template("imageURL"),
            Template("thumbURL"),
            Templates("actions", "url"),
            ClientValid,
        ],
        since: Some((&gates::AM_ROCKETCHAT, KindGate::Field("rocketChatConfigs"))),
        reads: &[
            ClientSince,
            prefixed("token", "failed to retrieve RocketChat token"),
            prefixed("tokenID", "failed to retrieve RocketChat token ID"),
            Client,
        ],
    },
];

/// The names that custom fields of VictorOps must not have.
pub(super) const RESERVED: [&str; 7] = [
    "routing_key",
    "message_type",
    "state_message",
    "entity_display_name",
    "monitoring_tool",
    "entity_id",
    "entity_state",
];

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_resources::api::Kind;
    use promgen_resources::schema;
    use serde_json::Value;

    /// The fields of an item of each kind of receiver, by the schema of the resource.
    fn fields() -> Vec<(String, serde_json::Map<String, Value>)> {
        let schema = schema::schema(Kind::AlertmanagerConfig, &promgen_resources::release::CURRENT.version).unwrap();
        let resolve = |value: &Value| match value["$ref"].as_str() {
            Some(name) => schema["$defs"][name.rsplit('/').next().unwrap()].clone(),
            None => value.clone(),
        };
        let receiver = resolve(&schema["$defs"]["Receiver"]);
        let lists = receiver["properties"].as_object().unwrap().iter().filter(|(key, _)| key.ends_with("Configs"));
        lists
            .map(|(key, list)| (key.clone(), resolve(&list["items"])["properties"].as_object().unwrap().clone()))
            .collect()
    }

    fn is_ref(field: &Value, name: &str) -> bool {
        field["$ref"].as_str().is_some_and(|of| of.ends_with(name))
            || field["allOf"].as_array().is_some_and(|all| all.iter().any(|of| is_ref(of, name)))
    }

    #[test]
    fn the_table_has_every_kind_and_checks_each_client_secret_and_url() {
        let mut lacks = Vec::new();
        for (key, fields) in fields() {
            let Some(kind) = KINDS.iter().find(|kind| kind.key == key).filter(|_| VALID_ORDER.contains(&&*key)) else {
                lacks.push(key);
                continue;
            };
            if fields.contains_key("httpConfig") {
                let valid = kind.valid.iter().any(|rule| matches!(rule, ClientValid));
                let known = kind.reads.iter().any(|read| matches!(read, ClientSince));
                let read = kind.reads.iter().any(|read| matches!(read, Client));
                if !(valid && known && read) {
                    lacks.push(format!("{key}.httpConfig"));
                }
            }
            for (name, field) in &fields {
                let reads = |read: &ReceiverRead| matches!(read, ReceiverRead::Secret(read) if read.field == name);
                if is_ref(field, "/SecretKeySelector") && !kind.reads.iter().any(reads) {
                    lacks.push(format!("{key}.{name}: a Secret"));
                }
                let is_url = field["pattern"].as_str().is_some_and(|pattern| pattern.contains("https?://"));
                if is_url && !kind.valid.iter().any(|rule| matches!(rule, Plain(of) if of == name)) {
                    lacks.push(format!("{key}.{name}: a URL"));
                }
            }
        }
        // Operator: takes any text there.
        assert_eq!(lacks, ["discordConfigs.avatarURL: a URL"]);
        assert_eq!(KINDS.len(), VALID_ORDER.len());
    }
}
