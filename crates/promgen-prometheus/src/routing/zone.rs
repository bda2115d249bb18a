//! Time zones: their offsets from UTC.
//!
//! In: a location as in Go's `time.LoadLocation`, and a point in time. Out: the offset. The database is part of the
//! program: neither the machine nor its clock is read.

use jiff::tz::{TimeZone, TimeZoneDatabase};

use promgen_text::time::Timestamp;

/// The zone of the machine that runs Alertmanager.
const LOCAL: &str = "Local";

/// A name that the database reserves for zones that do not exist.
const UNKNOWN: &str = "Etc/Unknown";

/// Checks the name of a location.
///
/// # Errors
/// There is no such location, in Go's words.
pub fn check(name: &str) -> Result<(), String> {
    // Go reads the name as a path below its database.
    if name.starts_with(['/', '\\']) || name.contains("..") {
        return Err("time: invalid location name".to_owned());
    }
    match is_utc(name) || name == LOCAL || zone(name).is_some() {
        true => Ok(()),
        false => Err(format!("unknown time zone {name}")),
    }
}

/// Returns whether a location is UTC, which Go also takes for an empty name.
pub(super) fn is_utc(name: &str) -> bool {
    matches!(name, "" | "UTC")
}

/// The seconds by which a location is ahead of UTC. `None` for the zone of the machine, and for an unknown one.
pub(super) fn offset(name: &str, at: Timestamp) -> Option<i64> {
    if is_utc(name) {
        return Some(0);
    }
    let at = jiff::Timestamp::from_second(at.unix()).ok()?;
    Some(i64::from(zone(name)?.to_offset(at).seconds()))
}

/// The zone of that name. Go's names are case-sensitive, those of the database are not.
fn zone(name: &str) -> Option<TimeZone> {
    let zone = TimeZoneDatabase::bundled().get(name).ok()?;
    (name != UNKNOWN && zone.iana_name() == Some(name)).then_some(zone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_those_of_go() {
        for name in [
            "",
            "UTC",
            "Local",
            "Europe/Berlin",
            "US/Pacific",
            "EST5EDT",
            "GMT+0",
            "Asia/Calcutta",
            "Etc/UTC",
        ] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        for name in ["europe/berlin", "utc", "Mars/Olympus", "Etc/Unknown"] {
            assert_eq!(check(name), Err(format!("unknown time zone {name}")));
        }
        for name in ["../x", "/etc", "a/../b", "\\x"] {
            assert_eq!(check(name).unwrap_err(), "time: invalid location name");
        }
    }

    #[test]
    fn offsets_change_with_the_season() {
        let offset = |name, at| offset(name, Timestamp::parse(at).unwrap());
        assert_eq!(offset("Europe/Berlin", "2026-01-15T12:00:00Z"), Some(3_600));
        assert_eq!(offset("Europe/Berlin", "2026-07-15T12:00:00Z"), Some(7_200));
        assert_eq!(offset("Asia/Kolkata", "2026-07-15T12:00:00Z"), Some(19_800));
        assert_eq!(
            offset("America/New_York", "2060-07-15T12:00:00Z"),
            Some(-14_400)
        );
        assert_eq!(offset("Local", "2026-01-15T12:00:00Z"), None);
    }
}
