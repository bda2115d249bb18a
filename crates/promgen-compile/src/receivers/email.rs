//! Mails: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::client::{MAIL_TLS, SEND_RESOLVED};
use crate::receivers::table::admission::{ReceiverRead, ReceiverRule};
use crate::receivers::table::conversion::Conversion;
use crate::receivers::table::conversion::Conversion::{Plain, Secret, Threading, Tls};
use crate::receivers::table::demand::{GlobalNeed, ReceiverDemand};
use crate::receivers::table::shape::{GoScalar, KeyType, PartRule, Shape, field, since};
use crate::receivers::table::{ReceiverKind, ReceiverList};
use promgen_resources::gates;

/// A mail.
pub(crate) static EMAIL: ReceiverKind = ReceiverKind {
    list: "email_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.EmailConfig",
        &[
            field("send_resolved", KeyType::Set),
            field("to", KeyType::Text),
            field("from", KeyType::Text),
            field("hello", KeyType::Text),
            field("smarthost", KeyType::Text).of(GoScalar::HostPort),
            field("auth_username", KeyType::Text),
            field("auth_password", KeyType::Text).of(GoScalar::Secret),
            since(
                "auth_password_file",
                KeyType::Text,
                &gates::AM_PASSWORD_FILES,
            ),
            field("auth_secret", KeyType::Text).of(GoScalar::Secret),
            since("auth_secret_file", KeyType::Text, &gates::AM_SECRET_FILES),
            field("auth_identity", KeyType::Text),
            field("headers", KeyType::Pairs),
            field("html", KeyType::TextSet),
            field("text", KeyType::TextSet),
            field("require_tls", KeyType::Set),
            field("tls_config", KeyType::One(&MAIL_TLS)),
            since("force_implicit_tls", KeyType::Set, &gates::AM_SECRET_FILES),
            since("threading", KeyType::Raw(&THREADING), &gates::AM_THREADING),
        ],
    )
    .checked(&[
        PartRule::AnyOf(&["to"], "missing to address in email config"),
        PartRule::MailHeaders,
        PartRule::MailThreads,
    ]),
    since: None,
    resource: Some(ReceiverList {
        field: "emailConfigs",
        valid: &[
            ReceiverRule::Recipient(&["to"], "missing 'to' address"),
            ReceiverRule::Smarthost("smarthost"),
            ReceiverRule::Headers,
        ],
        reads: &[
            ReceiverRead::secret("authPassword"),
            ReceiverRead::secret("authSecret"),
            ReceiverRead::Certificates,
            ReceiverRead::Since("forceImplicitTLS", &gates::AM_IMPLICIT_TLS),
            ReceiverRead::Since("threading", &gates::AM_THREADING),
        ],
        fields: &[
            SEND_RESOLVED,
            ("to", "to", Plain),
            ("from", "from", Plain),
            ("hello", "hello", Plain),
            ("smarthost", "smarthost", Conversion::Smarthost),
            ("forceImplicitTLS", "force_implicit_tls", Plain),
            ("authUsername", "auth_username", Plain),
            ("authPassword", "auth_password", Secret),
            ("authSecret", "auth_secret", Secret),
            ("authIdentity", "auth_identity", Plain),
            ("headers", "headers", Conversion::Pairs),
            ("html", "html", Plain),
            ("text", "text", Plain),
            ("requireTLS", "require_tls", Plain),
            ("tlsConfig", "tls_config", Tls),
            ("threading", "threading", Threading),
        ],
    }),
    demands: &[
        ReceiverDemand::Prefer("auth_password", "auth_password_file"),
        ReceiverDemand::Threading,
    ],
    global_needs: &[
        GlobalNeed::new(
            &["smarthost"],
            &["smtp_smarthost"],
            "no global SMTP smarthost set",
        ),
        GlobalNeed::new(&["from"], &["smtp_from"], "no global SMTP from set"),
    ],
};

/// The grouping of mails. Operator: written as it is.
static THREADING: Shape = Shape::part(
    "config.ThreadingConfig",
    &[
        field("enabled", KeyType::Set),
        field("thread_by_date", KeyType::Text),
    ],
);
