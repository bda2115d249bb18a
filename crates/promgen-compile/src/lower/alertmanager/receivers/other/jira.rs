//! Jira: the keys of the configuration, the fields of AlertmanagerConfigs, and what the operator requires.

use crate::lower::alertmanager::sanitize::demands::ReceiverDemand;
use crate::lower::alertmanager::sanitize::demands::ReceiverDemand::{Http, OneOf, PlainUrl, Since};
use crate::lower::alertmanager::shape::tables::HTTP;
use crate::lower::alertmanager::shape::{KeyType, Need, Shape, field, since};
use crate::lower::alertmanager::upstream::receivers::{GlobalNeed, need};
use promgen_resources::gates;

/// Jira.
pub(in crate::lower::alertmanager) static SHAPE: Shape = Shape::item(
    "jira.plain",
    "[]*jira.JiraConfig",
    &[
        field("http_config", KeyType::One(&HTTP)),
        field("send_resolved", KeyType::Set),
        field("api_url", KeyType::Url),
        field("project", KeyType::Text),
        field("summary", KeyType::AsText(&JIRA_TEXT)),
        field("description", KeyType::AsText(&JIRA_TEXT)),
        field("labels", KeyType::Texts),
        field("priority", KeyType::Text),
        field("issue_type", KeyType::Text),
        field("reopen_transition", KeyType::Text),
        field("resolve_transition", KeyType::Text),
        field("wont_fix_resolution", KeyType::Text),
        field("reopen_duration", KeyType::Duration),
        field("fields", KeyType::Anything),
        since("api_type", KeyType::Text, &gates::AM_JIRA_API_TYPE),
    ],
);

/// A text of Jira in its longer form.
pub(in crate::lower::alertmanager) static JIRA_TEXT: Shape =
    Shape::part("jira.plain", &[field("template", KeyType::Text), field("enable_update", KeyType::Set)]);

/// The operator's requirements, in its order.
pub(in crate::lower::alertmanager) static DEMANDS: &[ReceiverDemand] = &[
    Since(&gates::AM_JIRA, "jira integration is available in Alertmanager >= 0.28.0"),
    OneOf(&["project"], "missing project in jira_config"),
    OneOf(&["issue_type"], "missing issue_type in jira_config"),
    PlainUrl("api_url"),
    Http,
];

/// The keys of which Alertmanager requires one, and its messages.
pub(in crate::lower::alertmanager) static NEEDS: &[Need] = &[
    (&SHAPE, &["project"], "missing project in jira_config"),
    (&SHAPE, &["issue_type"], "missing issue_type in jira_config"),
];

/// The keys that Alertmanager requires here or in the global settings.
pub(in crate::lower::alertmanager) static GLOBAL_NEEDS: &[GlobalNeed] =
    &[need(&["api_url"], &["jira_api_url"], "no global Jira Cloud URL set")];
