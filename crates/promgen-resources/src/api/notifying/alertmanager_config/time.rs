//! Times with a name, in which routes notify or do not.

use promgen_derive::api;

/// Times with a name.
#[api(of = "monitoring/v1alpha1.MuteTimeInterval")]
pub struct MuteTimeInterval {
    /// Its name, by which routes refer to it.
    pub name: String,
    /// The times.
    pub time_intervals: Option<Vec<TimeInterval>>,
}

/// Times: those that all of its fields name.
#[api(of = "monitoring/v1alpha1.TimeInterval")]
pub struct TimeInterval {
    /// Days of the month, from the end if negative.
    pub days_of_month: Option<Vec<DayOfMonthRange>>,
    /// Months, by name or number, or ranges of them.
    pub months: Option<Vec<String>>,
    /// Times of day.
    pub times: Option<Vec<TimeRange>>,
    /// Days of the week, or ranges of them.
    pub weekdays: Option<Vec<String>>,
    /// Years, or ranges of them.
    pub years: Option<Vec<String>>,
}

/// Times of day, on one day.
#[api(of = "monitoring/v1alpha1.TimeRange")]
pub struct TimeRange {
    /// The end, `HH:MM`.
    pub end_time: Option<String>,
    /// The beginning, `HH:MM`.
    pub start_time: Option<String>,
}

/// Days of the month.
#[api(of = "monitoring/v1alpha1.DayOfMonthRange")]
pub struct DayOfMonthRange {
    /// The last day.
    pub end: Option<i32>,
    /// The first day.
    pub start: Option<i32>,
}
