//! Mails: the keys of the configuration, the fields of AlertmanagerConfigs, and what the operator requires.

use crate::lower::alertmanager::merge::tables::Conversion::{Plain, Secret, Threading, Tls};
use crate::lower::alertmanager::merge::tables::{Conversion, SEND_RESOLVED, Table};
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand;
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand::Prefer;
use crate::lower::alertmanager::shape::tables::MAIL_TLS;
use crate::lower::alertmanager::shape::{KeyType, Need, Shape, field, since};
use crate::lower::alertmanager::upstream::receivers::{GlobalNeed, need};
use promgen_resources::gates;

/// A mail.
pub(in crate::lower::alertmanager) static SHAPE: Shape = Shape::item(
    "config.plain",
    "[]*config.EmailConfig",
    &[
        field("send_resolved", KeyType::Set),
        field("to", KeyType::Text),
        field("from", KeyType::Text),
        field("hello", KeyType::Text),
        field("smarthost", KeyType::Text),
        field("auth_username", KeyType::Text),
        field("auth_password", KeyType::Text),
        since("auth_password_file", KeyType::Text, &gates::AM_PASSWORD_FILES),
        field("auth_secret", KeyType::Text),
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
);

/// The grouping of mails. Operator: written as it is.
pub(in crate::lower::alertmanager) static THREADING: Shape =
    Shape::part("config.ThreadingConfig", &[field("enabled", KeyType::Set), field("thread_by_date", KeyType::Text)]);

/// The fields of an AlertmanagerConfig.
pub(in crate::lower::alertmanager) static FIELDS: Table = &[
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
];

/// The operator's requirements, in its order.
pub(in crate::lower::alertmanager) static DEMANDS: &[ReceiverDemand] =
    &[Prefer("auth_password", "auth_password_file"), ReceiverDemand::Threading];

/// The keys of which Alertmanager requires one, and its messages.
pub(in crate::lower::alertmanager) static NEEDS: &[Need] = &[(&SHAPE, &["to"], "missing to address in email config")];

/// The keys that Alertmanager requires here or in the global settings.
pub(in crate::lower::alertmanager) static GLOBAL_NEEDS: &[GlobalNeed] = &[
    need(&["smarthost"], &["smtp_smarthost"], "no global SMTP smarthost set"),
    need(&["from"], &["smtp_from"], "no global SMTP from set"),
];
