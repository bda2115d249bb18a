//! Jira: all that promgen knows about such receivers, except the type of the resource.

use crate::receivers::prelude::*;

/// Jira.
pub(crate) static JIRA: ReceiverKind = ReceiverKind {
    list: "jira_configs",
    shape: Shape::item(
        "config.plain",
        "[]*config.JiraConfig",
        &[
            HTTP_CONFIG_KEY,
            SEND_RESOLVED_KEY,
            url("api_url"),
            text("project"),
            field("summary", KeyType::AsText(&JIRA_TEXT)),
            field("description", KeyType::AsText(&JIRA_TEXT)),
            texts("labels"),
            text("priority"),
            text("issue_type"),
            text("reopen_transition"),
            text("resolve_transition"),
            text("wont_fix_resolution"),
            duration("reopen_duration").of(GoScalar::PromDuration),
            field("fields", KeyType::Anything),
            text("api_type").since(&gates::AM_JIRA_API_TYPE),
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
static JIRA_TEXT: Shape = Shape::part("config.plain", &[text("template"), set("enable_update")])
    .moved_to("jira", &gates::AM_FIRST_PACKAGES);
