//! Mails: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::prelude::*;

/// A mail.
pub(crate) static EMAIL: ReceiverKind = ReceiverKind {
    list: "email_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.EmailConfig",
        &[
            SEND_RESOLVED_KEY,
            text("to"),
            text("from"),
            text("hello"),
            text("smarthost").of(GoScalar::HostPort),
            text("auth_username"),
            secret("auth_password"),
            text("auth_password_file").since(&gates::AM_PASSWORD_FILES),
            secret("auth_secret"),
            text("auth_secret_file").since(&gates::AM_SECRET_FILES),
            text("auth_identity"),
            pairs("headers"),
            field("html", KeyType::TextSet),
            field("text", KeyType::TextSet),
            set("require_tls"),
            field("tls_config", KeyType::One(&MAIL_TLS)),
            set("force_implicit_tls").since(&gates::AM_SECRET_FILES),
            field("threading", KeyType::Raw(&THREADING)).since(&gates::AM_THREADING),
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
        fields: Table::new(
            EmailConfig::describe,
            &[
                ("smarthost", "smarthost", Smarthost),
                ("threading", "threading", Threading),
            ],
        ),
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
    &[set("enabled"), text("thread_by_date")],
);
