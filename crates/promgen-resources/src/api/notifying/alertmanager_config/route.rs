//! Routes, and alerts that keep others quiet.

use promgen_derive::api;

use crate::api::notifying::alertmanager_config::receiver::KeyValue;
use crate::api::scalar::{Json, NonEmptyDuration};
use crate::api::string_enum;

/// A condition on a label.
#[api(of = "monitoring/v1alpha1.Matcher")]
pub struct Matcher {
    /// The comparison. Default `=`, or `=~` with `regex`.
    pub match_type: Option<MatchType>,
    /// The label.
    pub name: String,
    /// Whether the value is a regular expression. Deprecated: use `matchType`.
    pub regex: Option<bool>,
    /// The value that it is compared with.
    pub value: Option<String>,
}

/// Alerts that keep others quiet.
#[api(of = "monitoring/v1alpha1.InhibitRule")]
pub struct InhibitRule {
    /// Labels that both alerts have with the same value.
    pub equal: Option<Vec<String>>,
    /// The alerts that inhibit.
    pub source_match: Option<Vec<Matcher>>,
    /// The alerts that are inhibited.
    pub target_match: Option<Vec<Matcher>>,
}

/// A route of alerts to a receiver.
#[api(of = "monitoring/v1alpha1.Route")]
pub struct Route {
    /// The times in which it notifies, by name. Each once.
    pub active_time_intervals: Option<Vec<String>>,
    /// Whether later routes are tried too.
    pub r#continue: Option<bool>,
    /// Labels by which alerts are grouped. Each once.
    pub group_by: Option<Vec<String>>,
    /// The delay before it notifies about new alerts of a group.
    pub group_interval: Option<NonEmptyDuration>,
    /// The delay before it notifies about a new group.
    pub group_wait: Option<NonEmptyDuration>,
    /// Labels that are added to its alerts, with templates as values. Each key once.
    pub labels: Option<Vec<KeyValue>>,
    /// The matchers of alerts, in addition to the namespace.
    pub matchers: Option<Vec<Matcher>>,
    /// The times in which it does not, by name. Each once.
    pub mute_time_intervals: Option<Vec<String>>,
    /// The receiver, by name.
    pub receiver: Option<String>,
    /// The delay before it repeats a notification.
    pub repeat_interval: Option<NonEmptyDuration>,
    /// Routes below it.
    pub routes: Option<Vec<Json>>,
}

string_enum! {
    /// The comparison of a label.
    pub enum MatchType {
        /// It differs.
        NotEqual = "!=",
        /// It is the same.
        Equal = "=",
        /// It matches.
        Regexp = "=~",
        /// It does not match.
        NotRegexp = "!~",
    }
}
