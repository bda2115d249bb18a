//! The keys of an Alertmanager configuration beside receivers and global settings: of every part, in the operator's order,
//! with the gates of keys that only some versions support.
//!
//! Operator: the types of its package `alertmanager`; gates as its `sanitize` functions have them.

use crate::receivers::RECEIVER;
use crate::receivers::global::GLOBAL;
use crate::receivers::table::shape::{
    GoScalar, KeyType, PartRule, Shape, field, flag, pairs, text, texts, upstream,
};
use promgen_resources::gates;

/// A configuration. Templates are always there.
pub(in crate::lower::alertmanager) static ROOT: Shape = Shape::part(
    "config.plain",
    &[
        field("global", KeyType::One(&GLOBAL)),
        field("route", KeyType::One(&ROUTE)),
        field("inhibit_rules", KeyType::Many(&INHIBIT)),
        field("receivers", KeyType::Many(&RECEIVER)),
        field("mute_time_intervals", KeyType::Many(&MUTE_TIMES))
            .since(&gates::AM_MUTE_TIME_INTERVALS),
        field("time_intervals", KeyType::Many(&TIMES)).since(&gates::AM_TIME_INTERVALS),
        field("templates", KeyType::TextsAlways),
        upstream("tracing", "alertmanager.alertmanagerConfig"),
        upstream("event_recorder", "alertmanager.alertmanagerConfig"),
    ],
);

/// A route.
pub(in crate::lower::alertmanager) static ROUTE: Shape = Shape::item(
    "config.plain",
    "[]*config.Route",
    &[
        text("receiver"),
        texts("group_by"),
        pairs("match"),
        pairs("match_re"),
        texts("matchers"),
        flag("continue"),
        field("routes", KeyType::Many(&ROUTE)),
        text("group_wait").of(GoScalar::PromDuration),
        text("group_interval").of(GoScalar::PromDuration),
        text("repeat_interval").of(GoScalar::PromDuration),
        texts("mute_time_intervals").since(&gates::AM_MUTE_TIME_INTERVALS),
        texts("active_time_intervals").since(&gates::AM_TIME_INTERVALS),
        pairs("labels")
            .since(&gates::AM_ROUTE_LABELS)
            .lacking_in("alertmanager.route")
            .refused_before(),
    ],
)
.checked(&[PartRule::Route]);

/// Alerts that keep others quiet.
pub(in crate::lower::alertmanager) static INHIBIT: Shape = Shape::item(
    "config.plain",
    "[]config.InhibitRule",
    &[
        pairs("target_match"),
        pairs("target_match_re"),
        texts("target_matchers"),
        pairs("source_match"),
        pairs("source_match_re"),
        texts("source_matchers"),
        texts("equal"),
        upstream("name", "alertmanager.inhibitRule"),
    ],
)
.moved_to("common", &gates::AM_COMMON_PACKAGE)
.checked(&[PartRule::InhibitRule]);

/// Times with a name, in the older list.
pub(in crate::lower::alertmanager) static MUTE_TIMES: Shape = Shape::item(
    "config.plain",
    "[]config.MuteTimeInterval",
    &[
        field("name", KeyType::TextAlways),
        field("time_intervals", KeyType::Times(&RANGE)),
    ],
)
.checked(&[PartRule::AnyOf(
    &["name"],
    "missing name in mute time interval",
)]);

/// Times with a name.
pub(in crate::lower::alertmanager) static TIMES: Shape = Shape::item(
    "config.plain",
    "[]config.TimeInterval",
    &[
        field("name", KeyType::TextAlways),
        field("time_intervals", KeyType::Times(&RANGE)),
    ],
)
.checked(&[PartRule::AnyOf(&["name"], "missing name in time interval")]);

/// The ranges of a time interval. `times` writes them.
pub(in crate::lower::alertmanager) static RANGE: Shape = Shape::item(
    "timeinterval.TimeInterval",
    "[]timeinterval.TimeInterval",
    &[
        field("times", KeyType::Many(&CLOCK)),
        field("weekdays", KeyType::Spans("[]timeinterval.WeekdayRange")),
        field(
            "days_of_month",
            KeyType::Spans("[]timeinterval.DayOfMonthRange"),
        ),
        field("months", KeyType::Spans("[]timeinterval.MonthRange")),
        field("years", KeyType::Spans("[]timeinterval.YearRange")),
        text("location"),
    ],
);

/// The times of a day.
pub(in crate::lower::alertmanager) static CLOCK: Shape = Shape::item(
    "timeinterval.yamlTimeRange",
    "[]timeinterval.TimeRange",
    &[text("start_time"), text("end_time")],
)
.checked(&[PartRule::Clock]);
