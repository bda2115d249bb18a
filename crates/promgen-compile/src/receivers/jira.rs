//! Jira: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::client::HTTP;
use crate::receivers::table::demand::{GlobalNeed, ReceiverDemand};
use crate::receivers::table::shape::{GoScalar, KeyType, PartRule, Shape, field, since};
use crate::receivers::table::{KindSince, ReceiverKind};
use promgen_resources::gates;

/// Jira.
pub(crate) static JIRA: ReceiverKind = ReceiverKind {
    list: "jira_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.JiraConfig",
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
            field("reopen_duration", KeyType::Duration).of(GoScalar::PromDuration),
            field("fields", KeyType::Anything),
            since("api_type", KeyType::Text, &gates::AM_JIRA_API_TYPE),
        ],
    )
    .moved_to("jira", &gates::AM_FIRST_PACKAGES)
    .checked(&[
        PartRule::AnyOf(&["project"], "missing project in jira_config"),
        PartRule::AnyOf(&["issue_type"], "missing issue_type in jira_config"),
        PartRule::Choice(
            "api_type",
            &["auto", "cloud", "datacenter"],
            "unknown api_type on jira_config, must be auto, cloud or datacenter",
        ),
    ]),
    since: Some(KindSince {
        gate: &gates::AM_JIRA,
        in_configuration: "jira integration is available",
        in_resource: None,
    }),
    resource: None,
    demands: &[
        ReceiverDemand::OneOf(&["project"], "missing project in jira_config"),
        ReceiverDemand::OneOf(&["issue_type"], "missing issue_type in jira_config"),
        ReceiverDemand::PlainUrl("api_url"),
        ReceiverDemand::Http,
    ],
    global_needs: &[GlobalNeed::new(
        &["api_url"],
        &["jira_api_url"],
        "no global Jira Cloud URL set",
    )],
};

/// A text of Jira in its longer form.
static JIRA_TEXT: Shape = Shape::part(
    "config.plain",
    &[
        field("template", KeyType::Text),
        field("enable_update", KeyType::Set),
    ],
)
.moved_to("jira", &gates::AM_FIRST_PACKAGES);
